"""What several tests look at."""

from __future__ import annotations

import threading
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from integration import Books


def is_up(url: str) -> bool:
    """Whether a mock answers there."""
    try:
        with urllib.request.urlopen(f"{url}/_sim/health") as answer:
            return bool(answer.status == 200)
    except urllib.error.URLError:
        return False


class Endpoint:
    """Where the example listens. It can be down for the next webhooks."""

    def __init__(self, books: Books) -> None:
        self.down_for = 0

        class Handler(BaseHTTPRequestHandler):
            def do_POST(this) -> None:  # noqa: N805
                body = this.rfile.read(int(this.headers["Content-Length"]))
                if self.down_for:
                    self.down_for -= 1
                    this.send_response(503)
                else:
                    this.send_response(books.receive(dict(this.headers), body))
                this.end_headers()

            def log_message(this, *_: object) -> None:  # noqa: N805
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hooks"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        """Frees the port."""
        self.server.shutdown()
        self.server.server_close()
