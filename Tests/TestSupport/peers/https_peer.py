"""A web server on loopback, with TLS and without. Prints both ports as a line of JSON."""
import http.server, json, os, signal, ssl, sys, threading

# The threads of the tests block signals, and a child inherits that.
signal.signal(signal.SIGINT, lambda *_: os._exit(0))
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        name, _, rest = self.path.lstrip("/").partition("?")
        if name == "stall":
            threading.Event().wait()
        elif name == "redirect":
            self.answer(302, b"elsewhere", [("Location", rest)])
        elif name == "bytes":
            self.answer(200, b"x" * int(rest), [])
        elif name == "chunks":
            # No length is announced.
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"x" * int(rest))
        elif name == "headers":
            self.answer(200, b"", [("X-Long", "x" * 1000)] * int(rest))
        elif name == "ok":
            self.answer(200, json.dumps({"agent": self.headers["User-Agent"]}).encode(), [])
        else:
            self.answer(404, b"nothing", [])

    def answer(self, status, body, headers):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for header in headers:
            self.send_header(*header)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, address):
        pass  # Clients that mistrust the certificate or have enough end the connection.


plain, encrypted = Server(("127.0.0.1", 0), Handler), Server(("127.0.0.1", 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])
encrypted.socket = context.wrap_socket(encrypted.socket, server_side=True, do_handshake_on_connect=False)
threading.Thread(target=plain.serve_forever, daemon=True).start()
print(json.dumps({"port": encrypted.server_address[1], "plain": plain.server_address[1]}), flush=True)
encrypted.serve_forever()
