"""The order in which the report of a failed test tells what happened, also where the clock stands."""

from __future__ import annotations

import re

import pytest

from tideover import Refused, Webhooks, World
from tideover._timeline import timeline


def test_webhooks_stand_where_they_were_sent(world: World, webhooks: Webhooks) -> None:
    assert timeline(world).startswith("Nothing: no request came")
    webhooks.subscribe(world, ["partner.organization.added", "partner.organization.optedIn"])
    webhooks.answer(500)
    world.request("PUT", "/v1/organizations/acme", {"legalName": "Acme"})
    # The first delivery is the one that fails: the next ones must not overtake it.
    world.wait_for_deliveries()
    world.request("GET", "/v1/organizations/acme")
    world.vendor_completes_onboarding("acme")
    world.request("PUT", "/v1/organizations/globex", {"legalName": "Globex"})
    world.advance(seconds=5)
    world.request("GET", "/v1/organizations/globex")
    lines = [re.sub(r"^\S+ +| -> .*", "", line) for line in timeline(world).splitlines()]
    # Which of two retries comes first, and whether the second is due, depends on the speed of this machine.
    retries = [line for line in lines if line.endswith("attempt 2")]
    assert "webhook partner.organization.added (acme), attempt 2" in retries
    assert [line for line in lines[-1 - len(retries) : -1] if line in retries] == retries
    lines = [line for line in lines if line not in retries]
    assert lines == [
        "POST /v1/webhooks",
        "PUT /v1/organizations/acme",
        "webhook partner.organization.added (acme)",
        "GET /v1/organizations/acme",
        "vendor_completes_onboarding payee=acme",
        "webhook partner.organization.optedIn (acme)",
        "PUT /v1/organizations/globex",
        "webhook partner.organization.added (globex)",
        "the clock moves to 2026-01-01T00:00:05Z",
        "GET /v1/organizations/globex",
    ]


def test_a_long_story_is_cut(world: World) -> None:
    for _ in range(70):
        world.request("GET", "/v1/webhooks")
    first, *rest = timeline(world).splitlines()
    assert first == "(10 earlier lines are left out)"
    assert len(rest) == 60


@pytest.mark.world(scenario="onboarded")
def test_what_the_test_did_stands_in_order(world: World, webhooks: Webhooks) -> None:
    webhooks.subscribe(world)
    world.fault("deliveryLate", event="partner.loan.created", seconds=7)
    world.request("POST", "/v1/advances", {"payeeExternalId": "acme", "invoiceExternalId": "INV-1"})
    with pytest.raises(Refused):
        world.payor_pays("acme", "absent", 5)
    world.until_quiet()
    world.payor_pays("acme", "INV-1", 1_000_000)
    world.wait_for_deliveries()
    world.resend(world.deliveries()[0])
    world.wait_for_deliveries()
    assert [re.sub(r"^\S+ +| -> 20.*", "", line) for line in timeline(world).splitlines()] == [
        "POST /v1/webhooks",
        "fault deliveryLate",
        "POST /v1/advances",
        "webhook partner.invoice.factoredUpdated (acme INV-1 REQUESTED, sequence 1)",
        "payor_pays payee=acme invoice=absent amount=5 -> refused: no invoice of this payee was synced under"
        " this identifier",
        "the clock moves to 2026-01-01T01:00:30Z",
        "webhook partner.loan.created (acme INV-1 855500)",
        "webhook partner.invoice.factoredUpdated (acme INV-1 FUNDING, sequence 2)",
        "webhook partner.invoice.factoredUpdated (acme INV-1 FUNDED, sequence 3)",
        "webhook partner.loan.issued (acme INV-1 855500)",
        "payor_pays payee=acme invoice=INV-1 amount=1000000",
        "webhook partner.invoice.paid (acme INV-1 1000000)",
        "webhook partner.invoice.factoredUpdated (acme INV-1 REPAID, sequence 4)",
        "webhook partner.loan.paid (acme INV-1 855500)",
        "resend partner.invoice.factoredUpdated (acme INV-1 REQUESTED, sequence 1)",
        "webhook partner.invoice.factoredUpdated (acme INV-1 REQUESTED, sequence 1), attempt 2",
    ]


def test_a_fault_that_never_acted_is_marked(world: World) -> None:
    world.fault("upstreamFails", when="beforeCommit", operation="quote", label="cleared")
    world.fault("upstreamFails", when="beforeCommit", operation="get_business", label="met")
    with pytest.raises(Refused):
        world.request("GET", "/v1/organizations/acme")
    world.clear_faults()
    world.fault("requestThrottled", retry_after_seconds=1, nth=1, label="slow")
    world.fault("requestThrottled", retry_after_seconds=1, nth=9, label="slow")
    with pytest.raises(Refused):
        world.request("GET", "/v1/webhooks")
    lines = [line.partition("  ")[2] for line in timeline(world).splitlines()]
    assert [line for line in lines if "fault" in line.partition(" ->")[0]] == [
        "fault cleared  (never acted)",
        "fault met",
        "clear_faults",
        "fault slow",
        "fault slow  (never acted)",
    ]


@pytest.mark.world(faults=[{"act": "requestRepeated", "operation": "quote", "label": "from the start"}])
def test_a_fault_of_the_start_that_never_acted_is_named(world: World) -> None:
    world.request("GET", "/v1/webhooks")
    assert timeline(world).splitlines()[-1] == "The fault from the start never acted."


def test_a_refusal_by_a_fault_is_the_last_one(world: World) -> None:
    with pytest.raises(Refused):
        world.request("GET", "/v1/organizations/acme")
    world.fault("requestThrottled", retry_after_seconds=1, nth=1)
    with pytest.raises(Refused):
        world.request("GET", "/v1/webhooks")
    assert timeline(world).splitlines()[-2:] == [
        "The last refusal was too_many_requests; the request met the fault requestThrottled:",
        "    Too many requests; try again later.",
    ]


def test_a_world_without_requests_says_so(world: World) -> None:
    world.advance(seconds=1)
    moved, nothing = timeline(world).splitlines()
    assert moved == "2026-01-01T00:00:00Z  the clock moves to 2026-01-01T00:00:01Z"
    assert nothing == f"Nothing: no request came with the key of {world!r}."
