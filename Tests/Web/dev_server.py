#!/usr/bin/env python3
"""Serves the page from disk, as the real server does from its binary, for whoever works on it.

    dev_server.py PORT SERVER

SERVER is the address of a running Hearth, such as http://127.0.0.1:7441, which must allow this page's origin. The
answers carry the headers of the real page; only the address of SERVER is added to `connect-src`, and a `meta` element
tells the page where to connect. Nothing is proxied. A service worker is used only if `has_worker` is set: it would
keep files that are being worked on.
"""

import gzip
import http.server
import pathlib
import sys

APP = pathlib.Path(__file__).resolve().parents[2] / "Sources" / "Web" / "app"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}


def policy(server):
    socket = server.replace("http", "ws", 1)
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
        f"connect-src 'self' {server} {socket}; manifest-src 'self'; worker-src 'self'; font-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types hearth"
    )


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "HearthDevelopment"

    def do_GET(self):
        path = self.path.split("?")[0]
        version = self.server.version
        if path.startswith(f"/app/{version}/"):
            path = path[len(f"/app/{version}"):]
        elif "." not in path:
            path = "/index.html"
        file = (APP / path.lstrip("/")).resolve()
        if not file.is_file() or APP not in file.parents:
            self.send_response(404)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        data = file.read_bytes()
        if path == "/manifest.webmanifest":
            data = data.replace(b"VERSION", version.encode())
        if path == "/index.html":
            worker = "yes" if self.server.has_worker else "no"
            meta = f'<meta name="hearth-server" content="{self.server.hearth}" data-worker="{worker}">\n</head>'
            data = data.replace(b"VERSION", version.encode()).replace(b"</head>", meta.encode())
        if path == "/sw.js":
            files = ["/", *sorted(f"/app/{version}/{one.relative_to(APP)}" for one in APP.rglob("*")
                                  if one.suffix in TYPES and one.name not in ("sw.js", "index.html"))]
            names = ", ".join(f'"{one}"' for one in files)
            data = data.replace(b'"FILES"', names.encode()).replace(b"VERSION", version.encode())
        self.send_response(200)
        self.send_header("Content-Type", TYPES.get(file.suffix, "application/octet-stream"))
        if "gzip" in self.headers.get("Accept-Encoding", ""):
            data = gzip.compress(data, 6)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Content-Security-Policy", policy(self.server.hearth))
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("Permissions-Policy", "geolocation=(self), camera=(), microphone=()")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port, hearth, has_worker=False):
        super().__init__(("127.0.0.1", port), Handler)
        self.hearth, self.has_worker, self.version = hearth, has_worker, "development"


if __name__ == "__main__":
    Server(int(sys.argv[1]), sys.argv[2].rstrip("/")).serve_forever()
