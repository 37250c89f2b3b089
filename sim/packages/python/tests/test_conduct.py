"""What a client did of what the document asks of callers."""

from __future__ import annotations

from typing import Literal

import pytest

from tideover import BadConduct, Refused, Webhooks, World

ACME = {"legalName": "Acme"}


ADVANCE = {"payeeExternalId": "acme", "invoiceExternalId": "INV-1"}


def fails_once(world: World, when: Literal["beforeCommit", "afterCommit"]) -> None:
    world.fault("upstreamFails", when=when, operation="sync_business", nth=1)
    with pytest.raises(Refused):
        world.request("PUT", "/v1/organizations/acme", ACME)


def state(world: World, duty: str, final: bool = False) -> str:
    return str(next(row["state"] for row in world.conduct(final)["rows"] if row["id"] == duty))


def test_a_right_client_passes(world: World) -> None:
    assert world.conduct()["counts"]["met"] == 0
    fails_once(world, "beforeCommit")
    world.advance(seconds=1)
    world.request("PUT", "/v1/organizations/acme", ACME)
    assert state(world, "backs-off") == "met"
    world.assert_good_conduct()


def test_a_wrong_client_fails_with_the_row_and_its_requests(world: World) -> None:
    for _ in range(2):
        with pytest.raises(Refused):
            world.request("POST", "/v1/advances", ADVANCE)
    with pytest.raises(BadConduct) as failure:
        world.assert_good_conduct()
    head, row = str(failure.value).split("\n\n")
    assert head.startswith("1 of ")
    assert head.endswith(f"duties broken in world {world.id}")
    said, first, second = row.splitlines()
    assert said.startswith("changes-refused-request (7.retrying.2, §7 Retrying rule 2): A refused write ")
    asked = "POST /v1/advances -> 404 business_not_found  [4.advances.5]"
    assert first.startswith("    request 0: ")
    assert first.endswith(asked)
    assert second.startswith("    request 1: ")
    assert second.endswith(asked)
    world.assert_good_conduct(ignore=["changes-refused-request"])
    with pytest.raises(ValueError, match="no such duty: sleeps"):
        world.assert_good_conduct(ignore=["sleeps"])


def test_a_client_that_is_done_has_nothing_open(world: World) -> None:
    fails_once(world, "afterCommit")
    assert state(world, "follows-up") == "notSeen"
    assert state(world, "follows-up", final=True) == "broken"
    with pytest.raises(BadConduct, match="follows-up"):
        world.assert_good_conduct()
    world.request("GET", "/v1/organizations/acme")
    world.assert_good_conduct()


def test_a_receiver_that_verifies_nothing_is_told_by_its_deliveries(world: World, webhooks: Webhooks) -> None:
    webhooks.subscribe(world)
    world.fault("signedWithAnotherSecret", event="partner.organization.added", nth=1)
    world.request("PUT", "/v1/organizations/acme", ACME)
    world.request("PUT", "/v1/organizations/globex", ACME)
    world.wait_for_deliveries()
    # The receiver of this package verifies.
    assert state(world, "verifies") == "met"
    world.assert_good_conduct()
