"""A mail server on loopback that the tests can make fail. Prints its port, then each mail and log-in as a line of JSON."""
import argparse, asyncio, json, logging, os, signal, ssl, warnings

from aiosmtpd.smtp import SMTP, AuthResult

from read_mail import read

# Whatever is printed is read by the test.
logging.disable()
warnings.simplefilter("ignore")
# The threads of the tests block signals, and a child inherits that.
signal.signal(signal.SIGINT, lambda *_: os._exit(0))
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

parser = argparse.ArgumentParser()
parser.add_argument("--certificate")
parser.add_argument("--key")
parser.add_argument("--implicit", action="store_true", help="TLS from the first byte")
parser.add_argument("--starttls", action="store_true", help="nothing is taken before STARTTLS")
parser.add_argument("--password", help="takes mail only from the user `hearth` with this password")
parser.add_argument("--answer", nargs="*", default=[], metavar="COMMAND=ANSWER", help="answers a command so")
parser.add_argument("--times", type=int, default=1_000_000, help="gives such answers so often")
parser.add_argument("--stall", help="no answer to this command, or to the connection")
parser.add_argument("--disconnect", action="store_true", help="disconnects in the midst of the text of a mail")
options = parser.parse_args()

answers = dict(answer.split("=", 1) for answer in options.answer)
times = options.times


def show(event):
    print(json.dumps(event), flush=True)


def answer(command):
    global times
    if command not in answers or times == 0:
        return None
    times -= 1
    return answers[command]


class Handler:
    async def handle_MAIL(self, server, session, envelope, address, parameters):
        if refusal := answer("MAIL"):
            return refusal
        envelope.mail_from = address
        return "250 2.1.0 OK"

    async def handle_RCPT(self, server, session, envelope, address, parameters):
        if refusal := answer("RCPT"):
            return refusal
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(self, server, session, envelope):
        if refusal := answer("DATA"):
            return refusal
        mail = read(envelope.original_content)
        encrypted = server.transport.get_extra_info("ssl_object")
        show({
            "sender": envelope.mail_from, "recipients": envelope.rcpt_tos, "mail": mail, "host": session.host_name,
            "tls": encrypted.version() if encrypted else None, "isLoggedIn": bool(session.authenticated)})
        return "250 2.0.0 Queued"


class Peer(SMTP):
    async def stalled(self, command):
        if options.stall == command:
            await asyncio.sleep(3600)

    async def smtp_EHLO(self, argument):
        await self.stalled("EHLO")
        await super().smtp_EHLO(argument)

    async def smtp_RCPT(self, argument):
        await self.stalled("RCPT")
        await super().smtp_RCPT(argument)

    async def smtp_DATA(self, argument):
        await self.stalled("DATA")
        if options.disconnect:
            await self.push("354 Go on")
            await self._reader.readline()
            self.transport.abort()
            return
        await super().smtp_DATA(argument)

    async def smtp_QUIT(self, argument):
        await self.stalled("QUIT")
        await super().smtp_QUIT(argument)


def authenticate(server, session, envelope, mechanism, data):
    isRight = data.login == b"hearth" and data.password == (options.password or "").encode()
    show({"logIn": mechanism, "user": data.login.decode(), "isRight": isRight})
    return AuthResult(success=isRight, handled=isRight)


async def main():
    context = None
    if options.certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options.certificate, options.key)

    def peer():
        if options.stall == "connection":
            return asyncio.Protocol()
        return Peer(
            Handler(), hostname="peer.example", tls_context=None if options.implicit else context,
            require_starttls=options.starttls, auth_required=options.password is not None, auth_require_tls=False,
            authenticator=authenticate, enable_SMTPUTF8=True)

    server = await asyncio.get_running_loop().create_server(
        peer, "127.0.0.1", 0, ssl=context if options.implicit else None)
    show({"port": server.sockets[0].getsockname()[1]})
    await server.serve_forever()


asyncio.run(main())
