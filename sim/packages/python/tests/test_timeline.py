"""The order in which the report of a failed test tells what happened, also where the clock stands."""

from __future__ import annotations

import re

from tideover import Webhooks, World
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
        "webhook partner.organization.optedIn (acme)",
        "PUT /v1/organizations/globex",
        "webhook partner.organization.added (globex)",
        "GET /v1/organizations/globex",
    ]


def test_a_long_story_is_cut(world: World) -> None:
    for _ in range(70):
        world.request("GET", "/v1/webhooks")
    first, *rest = timeline(world).splitlines()
    assert first == "(10 earlier lines are left out)"
    assert len(rest) == 60
