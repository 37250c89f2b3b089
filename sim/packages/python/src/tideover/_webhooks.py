"""A receiver of webhooks, as the document asks for one."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ._expect import Expected, NotDelivered, subject
from ._signature import DELIVERY_HEADER, NotVerified, header, verify

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._port import EventType, UnlistedEventType
    from ._world import World


@dataclass(frozen=True)
class Received:
    """A request that reached the receiver."""

    headers: dict[str, str]
    #: The raw body.
    body: bytes
    #: What the receiver answered.
    status: int
    #: Why the receiver does not believe it; None if it does.
    problem: NotVerified | None

    @property
    def delivery(self) -> str | None:
        """The `Service-Delivery` header: the same for every attempt of one delivery."""
        return header(self.headers, DELIVERY_HEADER)

    def __str__(self) -> str:
        try:
            event = subject(json.loads(self.body))
        except (ValueError, AttributeError):
            event = f"{len(self.body)} bytes that are no event"
        return f"{event}: answered {self.status}" + (f", {self.problem}" if self.problem else "")


class Webhooks:
    """Receives on a free port. What it cannot verify with one of its `secrets` it refuses with 401."""

    def __init__(self) -> None:
        self.secrets: list[str] = []
        #: Those that may send here.
        self._worlds: list[World] = []
        self._changed = threading.Condition()
        self._received: list[Received] = []
        self._events: dict[str, dict[str, Any]] = {}
        self._answers: deque[int] = deque()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self._server.server_port}/webhooks"
        # `stop` waits for at most one interval.
        serve = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        serve.start()

    @property
    def secret(self) -> str | None:
        """The secret of the subscription; set it to what the subscription has returned."""
        return self.secrets[-1] if self.secrets else None

    @secret.setter
    def secret(self, secret: str) -> None:
        self.secrets = [secret]

    @property
    def events(self) -> list[dict[str, Any]]:
        """The bodies of all verified and accepted webhooks, each delivery once."""
        with self._changed:
            return list(self._events.values())

    @property
    def deliveries(self) -> list[Received]:
        """Everything that came: also repeated, refused and forged."""
        with self._changed:
            return list(self._received)

    def subscribe(self, world: World, event_types: Sequence[EventType] | None = None) -> str:
        """Subscribes to events of the world, of all types unless some are given. Returns the reference."""
        chosen = {} if event_types is None else {"eventTypes": event_types}
        subscription = world.request("POST", "/v1/webhooks", {"url": self.url, **chosen})
        self.secrets.append(subscription["secret"])
        self._worlds.append(world)
        return str(subscription["reference"])

    def answer(self, status: int, times: int = 1) -> None:
        """Answers the next verified deliveries with this status. Without 2xx they are no events yet."""
        for name, value, least, most in (("status", status, 200, 599), ("times", times, 1, None)):
            if not isinstance(value, int):
                raise TypeError(f"{name}: expected a whole number, got {value!r}")
            if value < least or (most is not None and value > most):
                until = f" to {most}" if most else ""
                raise ValueError(f"{name}: expected a whole number from {least}{until}, got {value}")
        with self._changed:
            self._answers.extend([status] * times)

    def wait_for(
        self,
        event_type: EventType | UnlistedEventType,
        timeout: float = 10,
        *,
        payee: str | None = None,
        invoice: str | None = None,
        **data: object,
    ) -> dict[str, Any]:
        """The first event of this type; waits for it. If none comes, NotDelivered says what came instead.

        Further arguments are fields of the event's data: `state="FUNDED"`.
        """
        expected = Expected(event_type, payee, invoice, data)
        deadline = time.monotonic() + timeout
        with self._changed:
            while (found := self._first(expected)) is None:
                if not self._changed.wait(deadline - time.monotonic()):
                    break
            came = [str(each) for each in self._received]
        if found is not None:
            return found
        nothing = f"Nothing came at all: is {self.url} subscribed to this event?"
        stands = (world._stands(self.url) for world in self._worlds)
        raise NotDelivered(expected, timeout, came, nothing, next(filter(None, stands), None))

    def _first(self, expected: Expected) -> dict[str, Any] | None:
        return next((each for each in self._events.values() if expected.is_met_by(each)), None)

    def stop(self) -> None:
        """Frees the port."""
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"Webhooks({self.url}, {len(self.events)} events)"

    def _receive(self, headers: dict[str, str], body: bytes) -> int:
        problem = self._problem(headers, body)
        with self._changed:
            status = 401 if problem else self._answers.popleft() if self._answers else 204
            received = Received(headers, body, status, problem)
            self._received.append(received)
            if 200 <= status < 300 and received.delivery is not None:
                # A delivery that came before is accepted again, and is no new event.
                self._events.setdefault(received.delivery, json.loads(body))
            self._changed.notify_all()
        return status

    def _problem(self, headers: dict[str, str], body: bytes) -> NotVerified | None:
        problem = NotVerified("wrong", "this receiver has no secret yet")
        for secret in self.secrets:
            try:
                verify(secret, headers, body)
            except NotVerified as found:
                problem = found
            else:
                return None
        return problem


class _Server(ThreadingHTTPServer):
    #: The mock sends many webhooks at once.
    request_queue_size = 128


def _handler(webhooks: Webhooks) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(webhooks._receive(dict(self.headers), body))
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Nothing: `deliveries` has it."""

    return Handler
