"""A provider of OpenID on loopback, with TLS. It describes itself, and gives the ID tokens that the test has prepared for
codes to clients that show the right proof key. Prints its port as a line of JSON."""
import base64, hashlib, http.server, json, os, signal, ssl, sys, threading, urllib.parse

# The threads of the tests block signals, and a child inherits that.
signal.signal(signal.SIGINT, lambda *_: os._exit(0))
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

prepared = {}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/.well-known/openid-configuration":
            self.answer(200, {
                "issuer": base, "authorization_endpoint": f"{base}/authorize?tenant=home", "jwks_uri": f"{base}/keys",
                "token_endpoint": f"{base}/token",
            })
        else:
            self.answer(404, {})

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if self.path == "/prepare":
            one = json.loads(body)
            prepared[one["code"]] = one
            return self.answer(200, {})
        form = dict(urllib.parse.parse_qsl(body, strict_parsing=True))
        one = prepared.pop(form.get("code"), None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        is_right = one is not None and one["challenge"] == challenge and all(
            form.get(name) == one[name] for name in ("redirect_uri", "client_id", "client_secret"))
        if self.path != "/token" or form.get("grant_type") != "authorization_code" or not is_right:
            return self.answer(400, {"error": "invalid_grant"})
        self.answer(200, {"access_token": "none of our business", "token_type": "Bearer", "id_token": one["id_token"]})

    def answer(self, status, document):
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])
server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
base = f"https://localhost:{server.server_address[1]}"
print(json.dumps({"port": server.server_address[1]}), flush=True)
server.serve_forever()
