"""Tests against Tideover, a mock of the Receivables Advance Partner API."""

from ._expect import BadConduct, NotDelivered, NotQuiet, NotRequested
from ._http import Refused, Unreachable
from ._mock import CannotStart, Mock
from ._port import (
    Act,
    DeliveryFilter,
    EventType,
    FaultOptions,
    JournalFilter,
    Scenario,
    VendorRoute,
    When,
    WorldOptions,
)
from ._signature import NotVerified, verify
from ._webhooks import Received, Webhooks
from ._world import World

__all__ = [
    "Act",
    "BadConduct",
    "CannotStart",
    "DeliveryFilter",
    "EventType",
    "FaultOptions",
    "JournalFilter",
    "Mock",
    "NotDelivered",
    "NotQuiet",
    "NotRequested",
    "NotVerified",
    "Received",
    "Refused",
    "Scenario",
    "Unreachable",
    "VendorRoute",
    "Webhooks",
    "When",
    "World",
    "WorldOptions",
    "verify",
]
