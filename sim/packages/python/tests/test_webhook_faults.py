# test_webhook_faults.py
from __future__ import annotations

from typing import Any

import pytest

from tideover import Webhooks, World


def newest(events: list[dict[str, Any]]) -> dict[tuple[str, str], tuple[int, str]]:
    """The state of each invoice: that with the greatest sequence."""
    states: dict[tuple[str, str], tuple[int, str]] = {}
    for event in events:
        if event["type"] == "partner.invoice.factoredUpdated":
            invoice = event["data"]["payeeExternalId"], event["data"]["invoiceExternalId"]
            held, _ = states.get(invoice, (0, ""))
            if event["sequence"] > held:
                states[invoice] = event["sequence"], event["data"]["state"]
    return states


@pytest.mark.world(scenario="onboarded")
def test_an_older_state_never_wins(world: World, webhooks: Webhooks) -> None:
    webhooks.subscribe(world, ["partner.invoice.factoredUpdated"])
    world.fault("deliverySwapped", event="partner.invoice.factoredUpdated", nth=2)
    world.request("POST", "/v1/advances", {"payeeExternalId": "acme", "invoiceExternalId": "INV-1"})
    world.until_quiet()
    assert [event["sequence"] for event in webhooks.events] == [1, 3, 2]
    assert newest(webhooks.events) == {("acme", "INV-1"): (3, "FUNDED")}


@pytest.mark.world(scenario="onboarded")
def test_a_repeated_delivery_is_one_event(world: World, webhooks: Webhooks) -> None:
    webhooks.subscribe(world, ["partner.loan.issued"])
    world.fault("deliveryDuplicated", event="partner.loan.issued", nth=1)
    world.request("POST", "/v1/advances", {"payeeExternalId": "acme", "invoiceExternalId": "INV-1"})
    world.until_quiet()
    first, second = webhooks.deliveries
    assert first.delivery == second.delivery
    assert len(webhooks.events) == 1
