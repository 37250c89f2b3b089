"""What a test expects of webhooks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from ._names import nearest
from ._port import EVENT_DATA, UnlistedEventType

#: Each field in the data of some event.
ANY_DATA = tuple(dict.fromkeys(field for data in EVENT_DATA.values() for field in data))

#: The fields in the data of each event that may come. An unlisted event stands for any other.
SENT_DATA = {**EVENT_DATA, **dict.fromkeys(get_args(UnlistedEventType), ANY_DATA)}


class Unmet(AssertionError):
    """What a test waited for did not happen."""


class NotDelivered(Unmet):
    """The expected webhook did not come."""

    def __init__(
        self, expected: Expected, timeout: float, came: Sequence[str], nothing: str, stands: str | None
    ) -> None:
        instead = "".join(["Instead came:", *(f"\n  {line}" for line in came)]) if came else nothing
        hints = [*expected.doubts(), *([stands] if stands else [])]
        said = f"{expected} did not come within {timeout:g} seconds. {instead}"
        super().__init__("\n".join([said, *hints]))


class NotRequested(Unmet):
    """The client did not send what was waited for."""


class NotQuiet(Unmet):
    """Something is still to happen."""


class BadConduct(Unmet):
    """The client broke a duty that the document gives its callers."""


class Expected:
    """An event of this type whose data has these values."""

    def __init__(
        self, event: str, payee: str | None, invoice: str | None, data: Mapping[str, object]
    ) -> None:
        if event not in SENT_DATA:
            near = nearest(event, SENT_DATA)
            hint = f"did you mean {near}?" if near else f"there are {', '.join(EVENT_DATA)}."
            raise ValueError(f"The document has no event {event}: {hint}")
        self.event = event
        self.payee = payee
        self.data = dict(data) if invoice is None else {"invoiceExternalId": invoice, **data}

    def is_met_by(self, event: Mapping[str, Any]) -> bool:
        """Whether the body of a webhook is that event."""
        data = event.get("data") or {}
        # Events of organizations name the business itself, all others the payee of an invoice.
        payee = data.get("payeeExternalId", data.get("externalId"))
        return (
            event.get("type") == self.event
            and self.payee in (None, payee)
            and all(data.get(name) == value for name, value in self.data.items())
        )

    def doubts(self) -> Iterator[str]:
        """What is expected of the data, and is not in it."""
        known = SENT_DATA[self.event]
        for name in self.data:
            if name not in known:
                near = nearest(name, known)
                hint = f" Did you mean {near}?" if near else ""
                if name == "sequence":
                    hint = " It stands beside the data: read it from the event that comes."
                yield f"The data of {self.event} has {', '.join(known)}, and no field {name}.{hint}"

    def __str__(self) -> str:
        about = {"payee": self.payee, **self.data} if self.payee is not None else self.data
        return " ".join([self.event, *(f"{name}={value}" for name, value in about.items())])


def subject(event: Mapping[str, Any]) -> str:
    """The event and its data in few words."""
    values = " ".join(str(value) for value in (event.get("data") or {}).values())
    sequence = f", sequence {event['sequence']}" if "sequence" in event else ""
    return f"{event.get('type', 'no event')} ({values}{sequence})"
