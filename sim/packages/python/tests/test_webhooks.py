"""The receiver."""

from __future__ import annotations

import hashlib
import hmac
import time
import urllib.error
import urllib.request

import pytest

from tideover import NotDelivered, Webhooks, World


def add(world: World, business: str) -> None:
    world.request("PUT", f"/v1/organizations/{business}", {"legalName": business})


def post(webhooks: Webhooks, body: bytes, seconds: float, delivery: str = "dlv_by_hand") -> int:
    """Sends as the service does; the signature has that age. Returns the status of the answer."""
    at = b"%d" % (time.time() - seconds)
    digest = hmac.new(str(webhooks.secret).encode(), at + b"." + body, hashlib.sha256).hexdigest()
    headers = {"Service-Signature": f"t={at.decode()},v1={digest}", "Service-Delivery": delivery}
    try:
        with urllib.request.urlopen(urllib.request.Request(webhooks.url, body, headers)) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def test_events_are_verified(world: World, webhooks: Webhooks) -> None:
    webhooks.subscribe(world)
    add(world, "acme")
    event = webhooks.wait_for("partner.organization.added", payee="acme")
    assert webhooks.events == [event]
    assert [each.status for each in webhooks.deliveries] == [204]


def test_only_chosen_events_come(world: World, webhooks: Webhooks) -> None:
    webhooks.subscribe(world, ["partner.organization.optedIn"])
    add(world, "acme")
    world.vendor_completes_onboarding("acme")
    assert world.wait_for_deliveries() == []
    assert [event["type"] for event in webhooks.events] == ["partner.organization.optedIn"]


def test_what_cannot_be_verified_is_refused(world: World, webhooks: Webhooks) -> None:
    webhooks.subscribe(world)
    webhooks.secret = "whsec_another"
    add(world, "acme")
    assert [each["attempts"][0]["status"] for each in world.wait_for_deliveries()] == [401]
    [received] = webhooks.deliveries
    assert received.problem is not None
    assert received.problem.reason == "wrong"
    assert webhooks.events == []


def test_a_secret_can_be_replaced(world: World, webhooks: Webhooks) -> None:
    reference = webhooks.subscribe(world)
    world.request("DELETE", f"/v1/webhooks/{reference}")
    webhooks.subscribe(world)
    assert len(webhooks.secrets) == 2
    add(world, "acme")
    webhooks.wait_for("partner.organization.added")


def test_a_stale_signature_is_refused(webhooks: Webhooks) -> None:
    webhooks.secret = "whsec_1"
    assert post(webhooks, b'{"type":"new"}', 330) == 401
    assert post(webhooks, b'{"type":"new"}', -330) == 401
    assert [str(each.problem)[:5] for each in webhooks.deliveries] == ["stale", "stale"]
    assert post(webhooks, b'{"type":"new"}', 250) == 204
    assert webhooks.events == [{"type": "new"}]


def test_without_a_secret_nothing_is_believed(webhooks: Webhooks) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(webhooks.url, b"{}")
    refused.value.close()
    assert refused.value.code == 401


def test_a_delivery_that_comes_twice_is_one_event(world: World, webhooks: Webhooks) -> None:
    webhooks.subscribe(world)
    add(world, "acme")
    world.resend(world.expect_delivery("partner.organization.added"))
    assert world.wait_for_deliveries() == []
    first, second = webhooks.deliveries
    assert first.delivery == second.delivery
    assert len(webhooks.events) == 1


def test_a_delivery_that_is_not_accepted_comes_again(world: World, webhooks: Webhooks) -> None:
    webhooks.subscribe(world)
    webhooks.answer(500, times=2)
    add(world, "acme")
    assert len(world.wait_for_deliveries()) == 1
    assert webhooks.events == []
    world.advance(minutes=6)
    webhooks.wait_for("partner.organization.added")
    assert [each.status for each in webhooks.deliveries] == [500, 500, 204]


def test_an_answer_that_is_none_is_refused(webhooks: Webhooks) -> None:
    with pytest.raises(TypeError, match="status: expected a whole number, got 'x'"):
        webhooks.answer("x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="status: expected a whole number from 200 to 599, got 99"):
        webhooks.answer(99)
    with pytest.raises(ValueError, match="times: expected a whole number from 1, got 0"):
        webhooks.answer(500, times=0)


def test_what_does_not_come_is_said(world: World, webhooks: Webhooks) -> None:
    with pytest.raises(NotDelivered, match="Nothing came at all: is http"):
        webhooks.wait_for("partner.loan.paid", timeout=0)
    webhooks.subscribe(world)
    add(world, "acme")
    webhooks.wait_for("partner.organization.added")
    with pytest.raises(NotDelivered) as missing:
        webhooks.wait_for("partner.organization.added", 0.01, payee="globex")
    assert str(missing.value) == (
        "partner.organization.added payee=globex did not come within 0.01 seconds. Instead came:\n"
        "  partner.organization.added (acme): answered 204"
    )


STANDS = (
    "The clock of the world stands at 2026-01-01T00:00:00Z, and the next thing happens at"
    " 2026-01-01T00:00:30Z: move it with until_quiet(), next_event() or advance()."
)
ADVANCE = {"payeeExternalId": "acme", "invoiceExternalId": "INV-1"}
onboarded = pytest.mark.world(scenario="onboarded")


@onboarded
def test_a_clock_that_stands_is_named(world: World, webhooks: Webhooks) -> None:
    # The client subscribes the receiver itself.
    subscription = world.request("POST", "/v1/webhooks", {"url": webhooks.url})
    webhooks.secret = subscription["secret"]
    with pytest.raises(NotDelivered, match=r"is http://.* subscribed to this event\?$"):
        webhooks.wait_for("partner.loan.issued", timeout=0)
    world.request("POST", "/v1/advances", ADVANCE)
    world.wait_for_deliveries()
    for wait in (webhooks.wait_for, world.expect_delivery):
        with pytest.raises(NotDelivered) as missing:
            wait("partner.loan.issued", timeout=0)
        assert str(missing.value).endswith(f"\n{STANDS}")
    with Webhooks() as other:
        other.subscribe(world)
        with pytest.raises(NotDelivered) as missing:
            other.wait_for("partner.loan.issued", timeout=0)
        assert str(missing.value).endswith(f"\n{STANDS}")
    world.until_quiet()
    with pytest.raises(NotDelivered) as missing:
        webhooks.wait_for("partner.loan.paid", timeout=0)
    assert "clock" not in str(missing.value)


def test_an_event_that_the_document_does_not_have_is_refused(world: World, webhooks: Webhooks) -> None:
    for wait in (webhooks.wait_for, world.expect_delivery):
        with pytest.raises(
            ValueError, match=r"no event partner.loan.payed: did you mean partner.loan.paid\?"
        ):
            wait("partner.loan.payed")  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="no event x: there are partner"):
            wait("x")  # type: ignore[arg-type]


def test_an_event_of_an_unlisted_type_can_be_waited_for(world: World, webhooks: Webhooks) -> None:
    webhooks.subscribe(world)
    world.fault("unknownEventType")
    add(world, "acme")
    assert webhooks.wait_for("partner.notice.sent", payee="acme")["type"] == "partner.notice.sent"
    assert world.expect_delivery("partner.notice.sent", payee="acme")["fault"] == "unknownEventType"


@onboarded
def test_a_field_that_no_event_has_is_named(world: World, webhooks: Webhooks) -> None:
    webhooks.subscribe(world, ["partner.invoice.factoredUpdated"])
    world.request("POST", "/v1/advances", ADVANCE)
    world.until_quiet()
    for wait in (webhooks.wait_for, world.expect_delivery):
        with pytest.raises(NotDelivered) as missing:
            wait("partner.invoice.factoredUpdated", timeout=0, status="FUNDED", sequence=3)
        said = str(missing.value)
        assert "\n  partner.invoice.factoredUpdated (acme INV-1 FUNDED, sequence 3): " in said
        fields = "invoiceExternalId, payeeExternalId, state"
        has = f"The data of partner.invoice.factoredUpdated has {fields}, and no field"
        assert f"\n{has} status. Did you mean state?\n" in said
        assert said.endswith(
            f"\n{has} sequence. It stands beside the data: read it from the event that comes."
        )


def test_what_is_given_up_was_not_accepted_either(world: World, webhooks: Webhooks) -> None:
    webhooks.subscribe(world)
    webhooks.answer(500, times=8)
    add(world, "acme")
    assert [each["state"] for each in world.wait_for_deliveries()] == ["retrying"]
    world.until_quiet()
    webhooks.answer(410)
    add(world, "globex")
    assert [each["state"] for each in world.wait_for_deliveries()] == ["givenUp", "revoked"]
