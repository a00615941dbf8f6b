"""Serves the page from its folder and passes everything else to a running daemon.

    python tests/page/serve.py 5173 http://127.0.0.1:3578

The page can then be changed without building the daemon again: reload the browser.
"""

import http.client
import pathlib
import sys
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PAGE = pathlib.Path(__file__).resolve().parents[2] / "crates/engine-server/page"
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    daemon = None

    def page(self, name):
        file = (PAGE / name).resolve()
        if not file.is_relative_to(PAGE) or file.suffix not in TYPES or not file.is_file():
            return self.send_error(404)
        body = file.read_bytes().replace(b"{{token}}", b"development-only")
        self.send_response(200)
        self.send_header("Content-Type", TYPES[file.suffix] + "; charset=utf-8")
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle_all(self):
        path = urllib.parse.urlsplit(self.path).path
        if self.command == "GET" and path == "/":
            return self.page("index.html")
        if path.startswith("/page/"):
            return self.page(path[len("/page/"):])
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        left_out = {"host", "origin", "sec-fetch-site", "connection", "x-engine-token", "content-length"}
        headers = {name: value for name, value in self.headers.items() if name.lower() not in left_out}
        connection = http.client.HTTPConnection(self.daemon, timeout=600)
        connection.request(self.command, self.path, body or None, {**headers, "Host": self.daemon})
        reply = connection.getresponse()
        self.send_response(reply.status)
        for name, value in reply.getheaders():
            if name.lower() not in ("connection", "transfer-encoding", "content-length", "date"):
                self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            while piece := reply.read1(65536):
                self.wfile.write(piece)
                self.wfile.flush()
        except OSError:
            pass
        finally:
            connection.close()
            self.close_connection = True

    do_GET = do_POST = do_DELETE = handle_all

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    Handler.daemon = urllib.parse.urlsplit(sys.argv[2]).netloc
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
