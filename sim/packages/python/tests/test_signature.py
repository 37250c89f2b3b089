"""Signatures, by the vectors of the repository and by the mock's own."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from email.message import Message
from pathlib import Path
from typing import Any

import pytest

from tideover import NotVerified, Webhooks, World, verify

VECTORS = Path(__file__).parents[4] / "fixtures/signature"
REASONS = {
    "absent": "missing",
    "malformed": "malformed",
    "notHexadecimal": "malformed",
    "tooOld": "stale",
    "tooFarInTheFuture": "stale",
    "digestDiffers": "wrong",
    None: None,
}
SECRET, BODY = "whsec_1f3a", b'{"id":"evt_1"}'


def verdict(vector: dict[str, Any]) -> str | None:
    headers = {} if vector["header"] is None else {"service-signature": vector["header"]}
    try:
        verify(vector["secret"], headers, bytes.fromhex(vector["bodyHex"]), now=vector["now"])
    except NotVerified as problem:
        return problem.reason
    return None


@pytest.mark.parametrize("file", ["accept.json", "reject.json", "open.json"])
def test_a_receiver_believes_what_the_service_says(file: str) -> None:
    vectors = json.loads((VECTORS / file).read_text(encoding="utf-8"))
    wrong = [
        (vector["name"], vector["rejection"], verdict(vector))
        for vector in vectors
        if verdict(vector) != REASONS[vector["rejection"]]
    ]
    assert wrong == []
    assert len(vectors) > 40


def signed(at: float) -> str:
    digest = hmac.new(SECRET.encode(), b"%d." % at + BODY, hashlib.sha256)
    return f"t={int(at)},v1={digest.hexdigest()}"


def test_a_signature_holds_for_a_while() -> None:
    now = int(time.time())
    verify(SECRET, {"Service-Signature": signed(now)}, BODY)
    with pytest.raises(NotVerified, match="stale: signed 10 seconds ago"):
        verify(SECRET, {"Service-Signature": signed(now)}, BODY, tolerance=5, now=now + 10)


def test_headers_are_those_of_any_framework() -> None:
    message = Message()
    message["SERVICE-SIGNATURE"] = signed(time.time())
    verify(SECRET, message, BODY)
    message["Service-Signature"] = signed(time.time())
    with pytest.raises(NotVerified, match="malformed"):
        verify(SECRET, message, BODY)


def test_only_raw_bytes_can_be_verified() -> None:
    with pytest.raises(TypeError, match="raw bytes"):
        verify(SECRET, {}, BODY.decode())  # type: ignore[arg-type]


def test_the_mock_signs_what_it_sends(world: World, webhooks: Webhooks) -> None:
    webhooks.subscribe(world)
    world.request("PUT", "/v1/organizations/acme", {"legalName": "Acmé Ltd"})
    webhooks.wait_for("partner.organization.added")
    [received] = webhooks.deliveries
    assert webhooks.secret is not None
    verify(webhooks.secret, received.headers, received.body)
    with pytest.raises(NotVerified, match="wrong"):
        verify("whsec_another", received.headers, received.body)
    with pytest.raises(NotVerified, match="wrong"):
        verify(webhooks.secret, received.headers, received.body + b" ")
