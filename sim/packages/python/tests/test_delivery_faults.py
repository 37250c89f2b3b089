"""Each fault of deliveries: the example's receiver survives it, and one with a mistake does not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, get_args

import pytest
from integration import Books
from support import Endpoint

from tideover import Mock, NotVerified, Refused, Webhooks, World, verify
from tideover._port import Act
from tideover._timeline import timeline

STATE = "partner.invoice.factoredUpdated"
PAID = "partner.loan.paid"
STATES = (None, "REQUESTED", "FUNDING", "FUNDED", "REPAID")


class Believing(Books):
    """Verifies no signature."""

    def receive(self, headers: Mapping[str, str], body: bytes) -> int:
        self._process(json.loads(body))
        return 204


class Rewriting(Books):
    """Verifies the body that it has parsed and written again."""

    def receive(self, headers: Mapping[str, str], body: bytes) -> int:
        written = json.dumps(json.loads(body), separators=(",", ":"), ensure_ascii=False)
        return super().receive(headers, written.encode())


class Timeless(Books):
    """Believes a signature of any age."""

    def receive(self, headers: Mapping[str, str], body: bytes) -> int:
        try:
            verify(self.secret, headers, body, tolerance=1e12)
        except NotVerified:
            return 401
        self._process(json.loads(body))
        return 204


class Forgetful(Books):
    """Does not remember which deliveries it has processed."""

    def receive(self, headers: Mapping[str, str], body: bytes) -> int:
        self.done.clear()
        return super().receive(headers, body)


class Trusting(Books):
    """Takes the last event for the newest."""

    def _process(self, event: Mapping[str, Any]) -> None:
        if event["type"] == STATE:
            self.advances.clear()
        super()._process(event)


class Choosy(Books):
    """Knows exactly these types, these fields and these states."""

    def receive(self, headers: Mapping[str, str], body: bytes) -> int:
        event = json.loads(body)
        is_known = event["type"].split(".")[1] in ("organization", "invoice", "loan")
        is_known = is_known and event["data"].get("state") in STATES
        if not is_known or not set(event) <= {"id", "type", "occurredAt", "sequence", "data"}:
            return 400
        return super().receive(headers, body)


#: For each act: the rule, and a receiver that does not survive it.
ACTS: dict[Act, tuple[dict[str, Any], type[Books]]] = {
    "deliveryLate": ({"event": STATE, "nth": 1, "seconds": 7200}, Trusting),
    "deliveryDuplicated": ({"event": PAID}, Forgetful),
    "deliverySwapped": ({"event": STATE, "nth": 2}, Trusting),
    "deliveryDropped": ({"event": STATE, "nth": 1, "attempts": 4}, Trusting),
    "unknownEventType": ({"event": "partner.loan.created"}, Choosy),
    "unknownField": ({"invoice": "INV-1"}, Choosy),
    "unknownValue": ({"event": STATE, "nth": 1}, Choosy),
    "bodyIndented": ({"event": PAID}, Rewriting),
    "signedWithAnotherSecret": ({"event": PAID}, Believing),
    "signedAnHourAgo": ({"event": PAID, "attempts": 2}, Timeless),
}
#: What the attempts of such a delivery are answered, if not one with 204.
EXPECTED: dict[Act, list[int | None]] = {
    "deliveryDuplicated": [204, 204],
    "deliveryDropped": [None, None, None, None, 204],
    "signedWithAnotherSecret": [401, 204],
    "signedAnHourAgo": [401, 401, 204],
}


def mistakes(world: World, books: Books, act: Act | None) -> list[str]:
    """Plays an advance up to its repayment, with one fault if any; returns what the receiver got wrong."""
    found = []
    endpoint = Endpoint(books)
    try:
        subscribed = world.request("POST", "/v1/webhooks", {"url": endpoint.url})
        books.secret = subscribed["secret"]
        if act is not None:
            world.fault(act, **ACTS[act][0])
        invoice = {"payeeExternalId": "acme", "invoiceExternalId": "INV-1"}
        world.request("POST", "/v1/advances", invoice)
        world.until_quiet()
        if books.advances != {("acme", "INV-1"): (3, "FUNDED")}:
            found.append(f"funded, and it has {books.advances}")
        world.payor_pays("acme", "INV-1", 1_000_000)
        world.until_quiet()
    finally:
        endpoint.stop()
    if books.advances != {("acme", "INV-1"): (4, "REPAID")}:
        found.append(f"repaid, and it has {books.advances}")
    if books.paid != [("acme", "INV-1")]:
        found.append(f"paid once, and it has {books.paid}")
    deliveries = world.deliveries()
    assert {delivery["fault"] for delivery in deliveries} - {None} == ({act} if act else set())
    for delivery in deliveries:
        answers = [attempt["status"] for attempt in delivery["attempts"]]
        if answers != EXPECTED.get(delivery["fault"], [204]):
            found.append(f"{delivery['event']}: it answers {answers}")
    return found


@pytest.mark.world(scenario="onboarded")
@pytest.mark.parametrize("act", ACTS)
def test_a_right_receiver_survives(world: World, act: Act) -> None:
    assert mistakes(world, Books(), act) == []


@pytest.mark.world(scenario="onboarded")
@pytest.mark.parametrize("act", ACTS)
def test_a_wrong_receiver_does_not(tideover: Mock, world: World, act: Act) -> None:
    wrong = ACTS[act][1]
    assert mistakes(world, wrong(), act) != []
    with tideover.world(scenario="onboarded") as calm:
        assert mistakes(calm, wrong(), None) == [], "without the fault nobody notices"


def test_every_act_of_deliveries_is_played() -> None:
    of_requests = {"upstreamFails", "connectionDrops", "answerCut", "importStops", "answerDelayed"}
    of_requests |= {"requestRepeated", "requestThrottled"}
    assert set(get_args(Act)) - of_requests == set(ACTS)


def test_a_throttled_request_says_when_to_come_again(world: World) -> None:
    world.fault("requestThrottled", retry_after_seconds=3, nth=1)
    with pytest.raises(Refused) as refused:
        world.request("GET", "/v1/webhooks")
    assert (refused.value.status, refused.value.code) == (429, "too_many_requests")
    assert world.request("GET", "/v1/webhooks") == []
    [throttled, _] = world.journal()
    assert throttled["fault"] == "requestThrottled"
    assert throttled["response"]["headers"]["retry-after"] == "3"


def test_the_timeline_says_what_a_fault_did(world: World, webhooks: Webhooks) -> None:
    webhooks.subscribe(world)
    world.fault("unknownField", label="one more")
    world.request("PUT", "/v1/organizations/acme", {"legalName": "Acme"})
    assert world.wait_for_deliveries() == []
    assert "(acme new) -> 204  fault: one more" in timeline(world)


def test_a_rule_for_deliveries_selects_no_requests(world: World) -> None:
    with pytest.raises(Refused, match="operation: deliveryDropped has only the fields"):
        world.fault("deliveryDropped", operation="request_advance")
