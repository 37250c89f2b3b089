"""The example integration, against a world of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from integration import Books, Declined, Partner
from support import Endpoint

from tideover import World


@pytest.fixture
def books() -> Books:
    return Books()


@pytest.fixture
def endpoint(books: Books) -> Iterator[Endpoint]:
    endpoint = Endpoint(books)
    yield endpoint
    endpoint.stop()


@pytest.fixture
def partner(world: World) -> Partner:
    return Partner(world.url, world.key, backoff=0)


FIELDS = {
    "payee": {"externalId": "acme", "legalName": "Acme Ltd"},
    "payor": {"externalId": "globex", "legalName": "Globex Inc"},
    "faceValue": 1_000_000,
    "issueDate": "2026-01-01T00:00:00Z",
    "dueDate": "2026-03-02T00:00:00Z",
}


def onboard(partner: Partner, world: World) -> None:
    partner.sync_vendor("acme", "Acme Ltd", "12-3456789")
    partner.set_payout_account("acme", "000123456789", "021000021")
    partner.sync_invoice("acme", "INV-7", FIELDS)
    partner.invite("acme", "ada@acme.example")
    world.vendor_completes_onboarding("acme")


def test_an_advance_is_repaid(partner: Partner, books: Books, endpoint: Endpoint, world: World) -> None:
    books.secret = partner.subscribe(endpoint.url)
    partner.sync_vendor("acme", "Acme Ltd", "12-3456789")
    assert not partner.quote("acme", 1_000_000)["fundable"]
    onboard(partner, world)
    quoted = partner.quote("acme", 1_000_000)
    assert quoted["fundable"]
    advance = partner.request_advance("acme", "INV-7")
    assert advance["advanceAmount"] == quoted["advanceAmount"]
    assert advance["remittance"] == world.request("GET", "/v1/organizations/acme")["remittance"]
    world.until_quiet()
    world.payor_pays("acme", "INV-7", 1_000_000)
    assert world.wait_for_deliveries() == []
    assert partner.read_invoice("acme", "INV-7")["advance"]["state"] == "REPAID"
    assert books.advances == {("acme", "INV-7"): (4, "REPAID")}
    assert books.paid == [("acme", "INV-7")]
    assert world.unexpected() == []
    world.assert_good_conduct()


def test_what_comes_late_or_twice_changes_nothing(
    partner: Partner, books: Books, endpoint: Endpoint, world: World
) -> None:
    books.secret = partner.subscribe(endpoint.url)
    onboard(partner, world)
    assert world.wait_for_deliveries() == []
    # Both events of the request come late: after those of the funding, which overtake them.
    endpoint.down_for = 2
    partner.request_advance("acme", "INV-7")
    assert len(world.wait_for_deliveries()) == 2
    world.funding_starts("acme", "INV-7")
    world.expect_delivery("partner.invoice.factoredUpdated", invoice="INV-7", state="FUNDING")
    world.advance(seconds=5)
    assert world.wait_for_deliveries() == []
    assert books.ignored == ["out of date"]
    assert books.advances["acme", "INV-7"] == (2, "FUNDING")

    world.resend(world.expect_delivery("partner.loan.created"))
    assert world.wait_for_deliveries() == []
    assert books.ignored == ["out of date", "repeated"]


def test_a_lost_answer_costs_nothing(partner: Partner, endpoint: Endpoint, world: World) -> None:
    for operation in ("sync_business", "sync_invoice", "request_advance", "subscribe"):
        world.fault("connectionDrops", when="afterCommit", operation=operation, nth=1)
    world.fault("upstreamFails", when="beforeCommit", operation="quote", nth=1)
    secret = partner.subscribe(endpoint.url)
    onboard(partner, world)
    assert secret.startswith("whsec_")
    assert partner.quote("acme", 1_000_000)["fundable"]
    assert partner.request_advance("acme", "INV-7")["alreadyRequested"]
    assert len(world.journal(fault="connectionDrops.afterCommit")) == 4
    # The test does without pauses.
    world.assert_good_conduct(ignore=["backs-off"])


def test_a_refusal_is_not_repeated(partner: Partner, world: World) -> None:
    with pytest.raises(Declined) as declined:
        partner.request_advance("acme", "INV-7")
    assert declined.value.code == "business_not_found"
    assert len(world.journal(operation="request_advance")) == 1


def test_a_forgery_is_refused(books: Books) -> None:
    books.secret = "whsec_1"
    assert (
        books.receive({"Service-Signature": "t=1,v1=" + "0" * 64, "Service-Delivery": "dlv_1"}, b"{}") == 401
    )
    assert books.done == set()
