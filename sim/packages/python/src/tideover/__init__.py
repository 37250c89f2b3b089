"""Tests against Tideover, a mock of the Receivables Advance Partner API."""

from importlib.metadata import PackageNotFoundError, version

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
    UnlistedEventType,
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
    "UnlistedEventType",
    "Unreachable",
    "VendorRoute",
    "Webhooks",
    "When",
    "World",
    "WorldOptions",
    "__version__",
    "verify",
]

try:
    #: That of the program in the package.
    __version__ = version("tideover")
except PackageNotFoundError:
    # These are sources that nobody has installed.
    __version__ = "0+unknown"

# A report names an exception as a test does.
for _public in list(globals().values()):
    if isinstance(_public, type) and issubclass(_public, Exception):
        _public.__module__ = __name__
