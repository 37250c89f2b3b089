"""Whether the service has signed a webhook (§6 Signature)."""

from __future__ import annotations

import hashlib
import hmac
import re
import time
from collections.abc import Iterable
from typing import Literal, Protocol

SIGNATURE_HEADER = "Service-Signature"
DELIVERY_HEADER = "Service-Delivery"

Reason = Literal["missing", "malformed", "stale", "wrong"]

# Visible ASCII, so that nothing is trimmed.
_FIELD = re.compile(r"([!-+\--<>-~]+)=([!-+\--~]+)")
_SECONDS = re.compile(r"0|[1-9][0-9]{0,19}")
_HEXADECIMAL = re.compile(r"(?:[0-9a-fA-F]{2})+")


class Headers(Protocol):
    """The headers of a request, as any framework has them."""

    def items(self) -> Iterable[tuple[str, str]]:
        """Names with values."""
        ...


class NotVerified(Exception):
    """The service did not just send these bytes: do not process them."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason: Reason = reason


def verify(
    secret: str, headers: Headers, body: bytes, tolerance: float = 300, *, now: float | None = None
) -> None:
    """Raises NotVerified unless the service has signed exactly these bytes, at most `tolerance` seconds ago.

    `body` is the raw body: JSON that was parsed and written again is another body.
    """
    if not isinstance(body, bytes):
        raise TypeError(f"body: expected the raw bytes of the request, got {type(body).__name__}")
    seconds, digest = _parsed(header(headers, SIGNATURE_HEADER))
    age = (time.time() if now is None else now) - int(seconds)
    if abs(age) > tolerance:
        raise NotVerified("stale", f"signed {abs(age):.0f} seconds {'ago' if age > 0 else 'ahead'}")
    expected = hmac.new(secret.encode(), seconds.encode() + b"." + body, hashlib.sha256).digest()
    if not hmac.compare_digest(expected, bytes.fromhex(digest)):
        raise NotVerified("wrong", "the digest is not that of this time and these bytes under this secret")


def header(headers: Headers, name: str) -> str | None:
    """The value of the header, whatever its case; several are joined as HTTP joins them."""
    values = [value for key, value in headers.items() if key.lower() == name.lower()]
    return ",".join(values) if values else None


def _parsed(signature: str | None) -> tuple[str, str]:
    """The time and the digest. Fields that are not known may stand beside them, in any order."""
    if signature is None:
        raise NotVerified("missing", f"there is no header {SIGNATURE_HEADER}")
    fields = [_FIELD.fullmatch(field) for field in signature.split(",")]
    named = [(field[1], field[2]) for field in fields if field]
    times = [value for name, value in named if name == "t"]
    digests = [value for name, value in named if name == "v1"]
    # A second value could be believed by one receiver and not by another.
    if len(named) < len(fields) or len(times) != 1 or len(digests) != 1:
        raise NotVerified("malformed", f"{SIGNATURE_HEADER} is not of the form t=...,v1=...")
    if not _SECONDS.fullmatch(times[0]) or int(times[0]) >= 1 << 64:
        raise NotVerified("malformed", "t is not a number of seconds")
    if not _HEXADECIMAL.fullmatch(digests[0]):
        raise NotVerified("malformed", "v1 is not hexadecimal")
    return times[0], digests[0]
