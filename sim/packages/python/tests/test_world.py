"""What a test does with its world."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta, timezone

import pytest

from tideover import Mock, NotDelivered, NotRequested, Refused, Webhooks, World

ADVANCE = {"payeeExternalId": "acme", "invoiceExternalId": "INV-1"}
START = datetime(2026, 1, 1, tzinfo=timezone.utc)

onboarded = pytest.mark.world(scenario="onboarded")


def state(world: World) -> str:
    invoice = world.request("GET", "/v1/organizations/acme/invoices/INV-1")
    return str(invoice["advance"]["state"])


def test_the_outside_world_acts(world: World) -> None:
    world.request("PUT", "/v1/organizations/acme", {"legalName": "Acme"})
    world.request("POST", "/v1/invitations", {"externalId": "acme", "email": "ada@acme.example"})
    world.vendor_accepts_invitation("acme", "ada@acme.example")
    world.vendor_confirms_tax_id("acme", "W9_UPLOAD", tax_id="12-3456789")
    world.vendor_adds_bank_account("acme", "000123456789", "021000021")
    world.vendor_signs_agreement(
        "acme", address={"line1": "1 Quay", "city": "Portland", "state": "OR", "postalCode": "97201"}
    )
    world.collection_account_opens("acme")
    business = world.request("GET", "/v1/organizations/acme")
    assert set(business["onboarding"].values()) == {True}
    assert business["complianceRoute"] == "W9_UPLOAD"
    world.tax_id_found_wrong("acme")
    world.mark_test_account("acme")
    assert world.act("markTestAccount", externalId="acme") == {"applied": True}


@onboarded
def test_an_advance_is_repaid(world: World) -> None:
    assert world.objections("acme", "INV-1") == []
    assert world.request("POST", "/v1/advances", ADVANCE)["alreadyRequested"] is False
    world.funding_starts("acme", "INV-1")
    assert state(world) == "FUNDING"
    world.funding_completes("acme", "INV-1")
    assert world.payor_pays("acme", "INV-1", 1_000_000)["applied"] == 1_000_000
    assert state(world) == "REPAID"
    assert [each["clause"] for each in world.objections("acme", "INV-1")] != []


@onboarded
def test_time_passes_when_the_test_says_so(world: World) -> None:
    assert world.now == START
    world.request("POST", "/v1/advances", ADVANCE)
    assert world.advance(seconds=29) == START + timedelta(seconds=29)
    assert state(world) == "REQUESTED"
    assert world.next_event() == START + timedelta(seconds=30)
    assert state(world) == "FUNDING"
    assert world.until_quiet() > START + timedelta(hours=1)
    assert state(world) == "FUNDED"
    tomorrow = START + timedelta(days=1)
    assert world.advance_to(tomorrow) == world.now == tomorrow
    assert world.advance_to("2026-02-01T00:00:00Z").month == 2
    assert world.advance(days=1, hours=1, minutes=1).hour == 1
    with pytest.raises(Refused, match="action_refused"):
        world.advance_to(START)
    with pytest.raises(ValueError, match=r"has no time zone; for UTC, give it tzinfo=timezone\.utc"):
        world.advance_to(datetime(2027, 1, 1))


@pytest.mark.world(scenario="onboarded", clock="running", speed=10_000)
def test_a_clock_can_run(world: World, webhooks: Webhooks) -> None:
    webhooks.subscribe(world)
    world.request("POST", "/v1/advances", ADVANCE)
    # An hour passes by itself.
    webhooks.wait_for("partner.loan.issued")
    assert world.now > START


def test_a_refusal_says_why(world: World) -> None:
    with pytest.raises(Refused) as refused:
        world.request("POST", "/v1/advances", ADVANCE)
    assert (refused.value.status, refused.value.code) == (404, "business_not_found")
    assert refused.value.clause == "4.advances.5"
    said = f"POST /v1/advances -> 404 business_not_found [4.advances.5]: {refused.value.prose}"
    assert str(refused.value) == said
    with pytest.raises(Refused) as refused:
        world.payor_pays("acme", "INV-1", 1)
    assert refused.value.clause is None


@pytest.mark.parametrize(
    ("method", "path", "said"),
    [
        ("GET", "v1/webhooks", "The path 'v1/webhooks' does not begin with a slash: '/v1/webhooks'"),
        ("GET", "http://localhost/v1/webhooks", "does not begin with a slash"),
        ("get", "/v1/webhooks", "HTTP methods are in upper case: 'GET', not 'get'"),
    ],
)
def test_a_request_that_is_none_is_explained(world: World, method: str, path: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        world.request(method, path)


def test_an_option_that_is_wrong_is_refused(tideover: Mock) -> None:
    with pytest.raises(Refused, match="scenario: expected fresh, onboarded"):
        tideover.world(scenario="bogus")  # type: ignore[arg-type]


def test_requests_fail(world: World) -> None:
    world.fault("upstreamFails", when="afterCommit", operation="sync_business", nth=1)
    world.fault("importStops", after_rows=1)
    with pytest.raises(Refused, match="502 upstream_failed"):
        world.request("PUT", "/v1/organizations/acme", {"legalName": "Acme"})
    world.clear_faults()
    assert world.request("PUT", "/v1/organizations/acme", {"legalName": "Acme"})["created"] is False
    world.upstream_fails(1)
    with pytest.raises(Refused, match="502"):
        world.request("GET", "/v1/webhooks")


def test_a_file_is_imported(world: World) -> None:
    file = (
        "externalId,payeeLegalName,payorLegalName,status,faceValue,issueDate,dueDate\n"
        "INV-1,Acme,Globex,ISSUED,5000,2026-01-01T00:00:00Z,2026-03-01T00:00:00Z\n"
    )
    report = world.request("PUT", "/v1/invoices/imports/january", file, content_type="text/csv")
    assert report["rowCount"] == 1
    assert world.request("GET", "/v1/invoices/imports/january") == report


def test_the_journal_has_what_the_client_did(world: World) -> None:
    with pytest.raises(Refused, match="400 invalid_request"):
        world.request("PUT", "/v1/organizations/acme", {"legalNam": "Acme"})
    [entry] = world.wait_for_requests(operation="sync_business", status="4xx")
    assert entry["code"] == "invalid_request"
    assert world.journal(payee="globex") == []
    assert [each["number"] for each in world.unexpected()] == [entry["number"]]
    with pytest.raises(NotRequested, match=r"Only 1 came of 2 requests with .*acme.* within 0 seconds"):
        world.wait_for_requests(2, timeout=0, payee="acme")


@onboarded
def test_a_webhook_is_expected(world: World, webhooks: Webhooks) -> None:
    with pytest.raises(NotDelivered, match="No webhook was sent at all"):
        world.expect_delivery("partner.loan.paid", timeout=0)
    webhooks.subscribe(world)
    # The client is slower than the test.
    client = threading.Thread(target=world.request, args=["POST", "/v1/advances", ADVANCE])
    client.start()
    created = world.expect_delivery("partner.loan.created", payee="acme", invoice="INV-1")
    client.join()
    assert created["attempts"][0]["status"] == 204
    with pytest.raises(NotDelivered) as missing:
        world.expect_delivery("partner.invoice.factoredUpdated", invoice="INV-1", timeout=0.2, state="FUNDED")
    assert "partner.loan.created (acme INV-1" in str(missing.value)
    assert "accepted after 1 attempts, 204" in str(missing.value)
    world.until_quiet()
    world.expect_delivery("partner.invoice.factoredUpdated", invoice="INV-1", state="FUNDED")
    assert world.deliveries(type="partner.loan.issued", state="accepted") != []


@pytest.mark.world(platforms=["second"])
def test_platforms_have_keys_of_their_own(world: World) -> None:
    first, second = world.platforms
    first.request("PUT", "/v1/organizations/acme", {"legalName": "Acme"})
    with pytest.raises(Refused, match="business_not_found"):
        second.request("GET", "/v1/organizations/acme")
    assert second.fork().request("GET", "/v1/webhooks") == []
    issued = world.issue_key(platform="third")["key"]
    world.revoke_key(key=issued)
    assert issued not in (first.key, second.key)


def test_a_world_starts_again(world: World, webhooks: Webhooks) -> None:
    webhooks.subscribe(world)
    first = webhooks.secret
    world.advance(days=1)
    world.reset()
    assert world.now == START
    webhooks.subscribe(world)
    second = webhooks.secret
    world.reset(repeat=True)
    webhooks.subscribe(world)
    assert first == webhooks.secret
    assert first != second


@onboarded
def test_a_copy_goes_its_own_way(world: World) -> None:
    with world.fork() as copy:
        copy.request("POST", "/v1/advances", ADVANCE)
        assert state(copy) == "REQUESTED"
    invoice = world.request("GET", "/v1/organizations/acme/invoices/INV-1")
    assert invoice["advance"] is None
    with pytest.raises(Refused, match="401 unauthorized"):
        copy.request("GET", "/v1/webhooks")
    copy.delete()
