"""A world: the service that one test has for itself."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ._expect import Expected, NotDelivered, NotQuiet, NotRequested, subject
from ._http import Caller, Refused, Unreachable, query
from ._names import IDENTIFIERS, camel_case, explained
from ._port import ACTS_HELP, DELIVERY_FILTER_HELP, FAULT_OPTIONS_HELP, JOURNAL_FILTER_HELP, Actions

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from ._port import Act, DeliveryFilter, EventType, FaultOptions, JournalFilter, UnlistedEventType

#: How long the clock may be on its way: each receiver that hangs takes a real second of each attempt.
_LONG = 600.0


class World(Actions):
    """One isolated service. Its key selects it, for your client as for this object.

    Entries of the journal, deliveries and answers are the JSON of the operator port.
    """

    #: Hears of an error that ends the world, before it is deleted.
    _observer: Callable[[World], object] | None = None
    #: Whether nothing deletes it, since its test has failed.
    _is_kept = False

    def __init__(self, url: str, id: str, keys: Sequence[Mapping[str, str]], key: str | None = None) -> None:  # noqa: A002
        self.url = url
        self.id = id
        #: The key of this platform.
        self.key = key or keys[0]["key"]
        self._keys = keys
        self._caller = Caller(url, self.key)

    @property
    def platforms(self) -> list[World]:
        """This world as each of its platforms sees it: each has a key and identifiers of its own."""
        return [World(self.url, self.id, self._keys, each["key"]) for each in self._keys]

    def request(
        self, method: str, path: str, body: object = None, *, content_type: str = "application/json"
    ) -> Any:
        """Sends a request of the API, and returns the body of its answer; raises Refused for a refusal."""
        if not path.startswith("/"):
            raise ValueError(f"The path {path!r} does not begin with a slash: {'/' + path!r}")
        if not method.isupper():
            raise ValueError(f"HTTP methods are in upper case: {method.upper()!r}, not {method!r}")
        return self._caller.send(method, path, body, content_type=content_type)

    # The outside world

    def act(self, action: str, **fields: Any) -> dict[str, Any]:
        """Plays an action by its name at the port: `act("payorPays", payee="acme", ...)`."""
        named = {IDENTIFIERS.get(name, camel_case(name)): value for name, value in fields.items()}
        given = {name: value for name, value in named.items() if value is not None}
        done: dict[str, Any] = self._port("POST", "actions", {"action": action, **given})
        return done

    # Time

    @property
    def now(self) -> datetime:
        """What the clock shows."""
        return instant(self._port("GET", "clock")["now"])

    def advance(self, seconds: int = 0, *, minutes: int = 0, hours: int = 0, days: int = 0) -> datetime:
        """Moves the clock forward. Everything that is due happens in order."""
        return self._move(advanceSeconds=seconds + 60 * (minutes + 60 * (hours + 24 * days)))

    def advance_to(self, when: datetime | str) -> datetime:
        """Moves the clock forward to this instant: a datetime with a zone, or `2026-02-01T00:00:00Z`."""
        if isinstance(when, datetime) and when.tzinfo is None:
            raise ValueError(f"{when!r} has no time zone; for UTC, give it tzinfo=timezone.utc")
        text = when if isinstance(when, str) else when.astimezone(timezone.utc).isoformat()
        return self._move(advanceTo=text)

    def next_event(self) -> datetime:
        """Moves the clock to the next thing that is due. If nothing is due, it stays."""
        return self._move(nextEvent=True)

    def until_quiet(self) -> datetime:
        """Moves the clock until nothing is due any more: advances are funded, webhooks are settled."""
        moved = self._port("POST", "clock", {"untilQuiet": True}, timeout=_LONG)
        if not moved["quiet"]:
            raise NotQuiet(f"At {moved['now']} something is still due, at {moved['nextDue']}")
        return instant(moved["now"])

    def _move(self, **move: object) -> datetime:
        return instant(self._port("POST", "clock", move, timeout=_LONG)["now"])

    # Faults

    @explained("The acts, and the options of each:", ACTS_HELP, "The options:", FAULT_OPTIONS_HELP)
    def fault(self, act: Act, **rule: Unpack[FaultOptions]) -> int:
        """Lets requests or webhooks fail: `fault("deliveryDuplicated", event="partner.loan.paid", nth=1)`.

        The act says which of the two. Returns the number of the rule. The guide of the mock has more:
        `/_sim/guide/#faults.md` under its address.
        """
        body = {"act": act, **{camel_case(name): value for name, value in rule.items()}}
        added: int = self._port("POST", "faults", body)["ids"][0]
        return added

    def clear_faults(self) -> None:
        """Removes all rules."""
        self._port("DELETE", "faults")

    # Webhooks

    @explained("Filters choose among them:", DELIVERY_FILTER_HELP)
    def deliveries(self, **filters: Unpack[DeliveryFilter]) -> list[dict[str, Any]]:
        """The webhooks of this world, each with every attempt."""
        listed: list[dict[str, Any]] = self._port("GET", query("deliveries", {**filters}))["deliveries"]
        return listed

    def wait_for_deliveries(self, timeout: int = 30) -> list[dict[str, Any]]:
        """Waits until no webhook is left to be sent now. Returns those that no receiver has accepted.

        The `state` of each says whether it comes again: `retrying`; or `givenUp`, or `revoked` by a 410.
        """
        patience = {"patienceSeconds": timeout}
        if not self._port("POST", "deliveries/wait", patience, timeout=timeout + 30)["quiet"]:
            raise NotQuiet(f"After {timeout} seconds webhooks are still under way")
        return [each for each in self.deliveries() if each["state"] in ("retrying", "givenUp", "revoked")]

    def expect_delivery(
        self,
        event: EventType | UnlistedEventType,
        *,
        payee: str | None = None,
        invoice: str | None = None,
        timeout: float = 10,
        **data: object,
    ) -> dict[str, Any]:
        """The first webhook of this event that its receiver has accepted; waits for it, and moves no clock.

        Further arguments are fields of the event's data: `state="FUNDED"`. If none comes, NotDelivered says
        what came instead.
        """
        expected = Expected(event, payee, invoice, data)
        came: list[dict[str, Any]] = []
        for _ in self._changes(timeout):
            came = self.deliveries()
            for delivery in came:
                if delivery["state"] == "accepted" and expected.is_met_by(delivery["body"]):
                    return delivery
        nothing = "No webhook was sent at all: is a URL subscribed to this event?"
        raise NotDelivered(expected, timeout, [describe(each) for each in came], nothing, self._stands())

    def resend(self, delivery: Mapping[str, Any]) -> None:
        """Sends a webhook once more, as the service may at any time."""
        self._port("POST", f"deliveries/{delivery['id']}/resend")

    def _stands(self, url: str | None = None) -> str | None:
        """Why nothing comes, to this receiver if one is given: the clock stands, and something is due."""
        try:
            # A text that no business has: they are not of interest.
            seen = self._port("GET", "overview?text=%00")
        except (Refused, Unreachable):
            return None
        is_due = seen["nextDue"] is not None and instant(seen["nextDue"]) > instant(seen["now"])
        if seen["speed"] or not is_due or url not in (None, *(each["url"] for each in seen["subscriptions"])):
            return None
        return (
            f"The clock of the world stands at {seen['now']}, and the next thing happens at"
            f" {seen['nextDue']}: move it with until_quiet(), next_event() or advance()."
        )

    def _changes(self, timeout: float) -> Iterator[None]:
        """Comes up at once, and after each change of the world."""
        deadline = time.monotonic() + timeout
        yield
        while (rest := deadline - time.monotonic()) > 0:
            try:
                for line in self._caller.lines("/_sim/events", rest):
                    if time.monotonic() > deadline:
                        return
                    if line.startswith(b"data:"):
                        yield
            except socket.timeout:
                # One last look: something may have come meanwhile.
                yield
                return

    # What happened

    @explained("Filters choose among them:", JOURNAL_FILTER_HELP)
    def journal(self, **filters: Unpack[JournalFilter]) -> list[dict[str, Any]]:
        """The last requests with their answers, and the clause that decided each; the oldest first."""
        listed: list[dict[str, Any]] = self._port("GET", query("journal", {**filters}))["entries"]
        return listed

    def wait_for_requests(
        self, count: int = 1, *, timeout: int = 10, **filters: Unpack[JournalFilter]
    ) -> list[dict[str, Any]]:
        """Waits until your client has sent so many requests that the filters choose, and returns them."""
        body = {"filter": filters, "count": count, "patienceSeconds": timeout}
        came = self._port("POST", "journal/wait", body, timeout=timeout + 30)
        if not came["reached"]:
            wanted = f"{count} requests" + (f" with {filters}" if filters else "")
            raise NotRequested(f"Only {came['count']} came of {wanted} within {timeout} seconds")
        return self.journal(**filters)

    def unexpected(self) -> list[dict[str, Any]]:
        """Requests that show a mistake of the client. At the end of a test it should be empty."""
        listed: list[dict[str, Any]] = self._port("GET", "journal/unexpected")["entries"]
        return listed

    def conduct(self, final: bool = False) -> dict[str, Any]:
        """What your client did of what the document asks of callers: a row for each duty, with its clause.

        `final` says that your client is done: what it has begun and not finished is broken then.
        """
        seen: dict[str, Any] = self._port("GET", "conduct?final=true" if final else "conduct")
        return seen

    def assert_good_conduct(self, *, ignore: Collection[str] = ()) -> None:
        """Raises BadConduct if your client, which is done, broke a duty that this test gave an occasion for.

        `ignore` leaves duties out by their `id`. A duty without an occasion is `notSeen`: see `conduct`.
        """
        from ._conduct import check

        check(self, ignore)

    def objections(self, payee: str, invoice: str) -> list[dict[str, Any]]:
        """Everything for which the invoice cannot be financed now."""
        path = query("objections", {"payee": payee, "invoice": invoice})
        listed: list[dict[str, Any]] = self._port("GET", path)["objections"]
        return listed

    # The world itself

    def reset(self, repeat: bool = False) -> None:
        """Brings the world back to its start; with `repeat`, the same requests get the same bytes again."""
        self._port("POST", "reset", {"repeat": repeat})

    def fork(self) -> World:
        """A copy with keys of its own, which goes its own way."""
        made = self._port("POST", f"worlds/{self.id}/fork")
        # The copy is seen by the same platform.
        index = [each["key"] for each in self._keys].index(self.key)
        return World(self.url, made["id"], made["keys"], made["keys"][index]["key"])

    def delete(self) -> None:
        """Deletes the world: nothing more of it is sent. To delete it again does nothing."""
        if self._is_kept:
            return
        try:
            self._port("DELETE", f"worlds/{self.id}")
        except Refused as refused:
            if refused.status != 404:
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if value is not None and self._observer is not None:
            self._observer(self)
        self.delete()

    def __repr__(self) -> str:
        return f"World({self.id} at {self.url})"

    def _port(self, method: str, path: str, body: object = None, timeout: float = 60) -> Any:
        return self._caller.send(method, f"/_sim/{path}", body, timeout=timeout)


def instant(text: str) -> datetime:
    """A time of the mock, to the microsecond."""
    # Before Python 3.11 `fromisoformat` knows neither Z nor fractions of any length.
    whole, fraction = re.fullmatch(r"([^.Z]*)(?:\.(\d*))?Z", text).groups()  # type: ignore[union-attr]
    return datetime.fromisoformat(f"{whole}.{(fraction or '').ljust(6, '0')[:6]}+00:00")


def describe(delivery: Mapping[str, Any]) -> str:
    """A delivery in one line."""
    attempts: Sequence[Mapping[str, Any]] = delivery["attempts"]
    line = f"{subject(delivery['body'])}: {delivery['state']} after {len(attempts)} attempts"
    return f"{line}, {outcome(attempts[-1])}" if attempts else line


def outcome(attempt: Mapping[str, Any]) -> str:
    """What the receiver answered, or why it did not."""
    return str(attempt["status"] or attempt["problem"] or "no answer yet")
