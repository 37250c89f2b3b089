"""The fixtures, in test suites of their own."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from support import is_up

from tideover import Mock
from tideover._http import Caller

SOURCES = Path(__file__).parents[1] / "src"


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """An empty suite that has the plugin."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(SOURCES), os.environ.get("PYTHONPATH", "")]))
    pytester.plugins = ["tideover.pytest_plugin"]
    return pytester


def test_a_failed_test_tells_the_story_of_its_world(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        """
        import pytest

        @pytest.mark.world(scenario="onboarded")
        def test_that_fails(world, webhooks):
            webhooks.subscribe(world)
            world.fault("upstreamFails", when="afterCommit", operation="request_advance", nth=2)
            fields = {"legalName": "Acme", "taxid": "1"}
            world.request("PUT", "/v1/organizations/acme", fields)
            advance = {"payeeExternalId": "acme", "invoiceExternalId": "INV-1"}
            world.request("POST", "/v1/advances", advance)
            world.payor_pays("acme", "INV-1", 5)
            world.advance(hours=2)
            world.request("POST", "/v1/advances", {**advance, "invoiceExternalId": "INV-2"})
        """
    )
    result = suite.runpytest_subprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            '>*world.request("POST", "/v1/advances", {**advance, "invoiceExternalId": "INV-2"})',
            "E*tideover.Refused: POST /v1/advances -> 502 upstream_failed [[]7.*]: *",
            "test_a_failed_test_tells_the_story_of_its_world.py:13: Refused",
            "*- Tideover: the world's timeline -*",
            "2026-01-01T00:00:00Z  POST /v1/webhooks -> 201  [[]4.webhooks.2]",
            "2026-01-01T00:00:00Z  fault upstreamFails.afterCommit",
            "2026-01-01T00:00:00Z  PUT /v1/organizations/acme -> 200  [[]4.businessSync.intro.1]",
            "    The field taxid is not known and was ignored. Did you mean taxId?",
            "2026-01-01T00:00:00Z  POST /v1/advances -> 201  [[]4.advances.1]",
            "2026-01-01T00:00:00Z    webhook partner.invoice.factoredUpdated (acme INV-1 REQUESTED*1) -> 204",
            "2026-01-01T00:00:00Z    webhook partner.loan.created (acme INV-1 *) -> 204",
            "2026-01-01T00:00:00Z  payor_pays payee=acme invoice=INV-1 amount=5",
            "2026-01-01T00:00:00Z  the clock moves to 2026-01-01T02:00:00Z",
            "2026-01-01T00:00:30Z    webhook partner.invoice.factoredUpdated (acme INV-1 FUNDING*2) -> 204",
            "2026-01-01T02:00:00Z  POST /v1/advances -> *  fault: upstreamFails.afterCommit",
            "The last refusal was *",
        ],
        consecutive=False,
    )
    assert "_http.py" not in result.stdout.str()
    assert "whsec_" not in result.stdout.str()


def test_a_refusal_is_explained_whoever_met_it(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        """
        import json, pytest, urllib.error, urllib.request

        @pytest.fixture
        def financed(world):
            body = json.dumps({"payeeExternalId": "acme", "invoiceExternalId": "INV-1"}).encode()
            headers = {"Authorization": f"Bearer {world.key}", "Content-Type": "application/json"}
            request = urllib.request.Request(world.url + "/v1/advances", body, headers)
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)

        def test_that_never_starts(financed):
            pass
        """
    )
    result = suite.runpytest_subprocess()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        [
            "*- Tideover: the world's timeline -*",
            "2026-01-01T00:00:00Z  POST /v1/advances -> 404 business_not_found  [[]4.advances.5]",
            "The last refusal was business_not_found, decided by clause 4.advances.5:",
            "    No business*",
        ]
    )


def test_a_world_of_a_fixture_of_the_user_tells_its_story(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        """
        import pytest

        @pytest.fixture
        def mine(tideover):
            with tideover.world() as world:
                yield world

        def test_that_fails(mine):
            assert mine.request("GET", "/v1/webhooks") == 1
        """
    )
    result = suite.runpytest_subprocess()
    result.stdout.fnmatch_lines(["2026-01-01T00:00:00Z  GET /v1/webhooks -> 200*"])


def test_worlds_that_the_test_makes_tell_their_stories(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        """
        def test_that_fails(tideover, world):
            other = tideover.world(scenario="onboarded")
            other.request("GET", "/v1/organizations/acme")
            with tideover.world() as gone:
                gone.now
            with tideover.world() as last:
                last.request("GET", "/v1/webhooks")
                assert last.request("GET", "/v1/webhooks") == 1

        def test_that_fails_with_one(tideover):
            with tideover.world() as world:
                assert world.request("GET", "/v1/webhooks") == 1
        """
    )
    result = suite.runpytest_subprocess()
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        [
            "*- Tideover: the timeline of world w1 -*",
            "Nothing: no request came with the key of World(w1 *",
            "*- Tideover: the timeline of world w2 -*",
            "2026-01-01T00:00:00Z  GET /v1/organizations/acme -> 200*",
            "*- Tideover: the timeline of world w3 -*",
            "World(w3 *) was deleted before.",
            "*- Tideover: the timeline of world w4 -*",
            "2026-01-01T00:00:00Z  GET /v1/webhooks -> 200*",
            "2026-01-01T00:00:00Z  GET /v1/webhooks -> 200*",
            "*- Tideover: the world's timeline -*",
            "2026-01-01T00:00:00Z  GET /v1/webhooks -> 200*",
        ]
    )
    assert result.stdout.str().count("Tideover: the") == 5


def test_the_worlds_of_a_failed_test_can_stay(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite.makepyfile(
        """
        import pytest

        @pytest.fixture
        def mine(tideover):
            with tideover.world() as world:
                yield world

        def test_that_passes(tideover, world, mine):
            with pytest.raises(ZeroDivisionError), tideover.world():
                1 / 0

        def test_that_fails(tideover, world, mine):
            with tideover.world():
                pass
            with tideover.world():
                1 / 0

        def test_that_never_starts(world, absent):
            pass
        """
    )
    monkeypatch.setenv("TIDEOVER_KEEP_FAILED", "1")
    monkeypatch.delenv("TIDEOVER_URL", raising=False)
    assert "The world stays" not in suite.runpytest_subprocess().stdout.str()
    with Mock() as mock:
        monkeypatch.setenv("TIDEOVER_URL", f"{mock.url}/")
        result = suite.runpytest_subprocess()
        result.assert_outcomes(passed=1, failed=1, errors=1)
        named = re.findall(rf"^The world stays: {mock.url}/_sim/\?world=(.*)", result.stdout.str(), re.M)
        assert len(named) == 4
        there = Caller(mock.url).send("GET", "/_sim/worlds")["worlds"]
        assert {each["id"] for each in there} == {"default", *named}


def blocks_of_the_readme() -> list[str]:
    text = (SOURCES.parent / "README.md").read_text(encoding="utf-8")
    return [block.partition("\n")[2] for block in text.split("```")[1::2]]


def test_the_test_of_the_readme_passes(suite: pytest.Pytester) -> None:
    test = blocks_of_the_readme()[1]
    assert test.strip().count("\n") < 15
    suite.makepyfile(test)
    suite.runpytest_subprocess("--strict-markers").assert_outcomes(passed=1)


def test_the_story_of_the_readme_is_what_is_printed(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        """
        def test_that_fails(world, webhooks):
            webhooks.subscribe(world)
            world.request("PUT", "/v1/organizations/acme", {"legalName": "Acme"})
            webhooks.wait_for("partner.organization.added")
            world.advance(minutes=5)
            advance = {"payeeExternalId": "acme", "invoiceExternalId": "INV-1"}
            world.request("POST", "/v1/advances", advance)
        """
    )
    assert blocks_of_the_readme()[2] in suite.runpytest_subprocess().stdout.str()


def test_markers_add_up(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        """
        import pytest
        pytestmark = pytest.mark.world(scenario="onboarded", platforms=2)

        @pytest.mark.world(scenario="funded")
        def test_the_closest_has_the_last_word(world):
            assert len(world.platforms) == 2
            assert world.request("GET", "/v1/organizations/acme/invoices/INV-1")["advance"]
        """
    )
    suite.runpytest_subprocess("--strict-markers").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("marker", "said"),
    [
        (
            '"funded"',
            "@pytest.mark.world('funded'): options are given by name, such as "
            '@pytest.mark.world(scenario="funded"). `pytest --markers` lists them.',
        ),
        (
            'scenaro="funded"',
            "@pytest.mark.world(scenaro='funded'): A world has no option scenaro: did you mean scenario?",
        ),
        ("x=1", "@pytest.mark.world(x=1): A world has no option x: it has clock, *"),
        (
            'scenario="founded"',
            "@pytest.mark.world(scenario='founded'): *scenario: expected fresh, onboarded*",
        ),
    ],
)
def test_a_marker_that_is_wrong_is_an_error(suite: pytest.Pytester, marker: str, said: str) -> None:
    suite.makepyfile(
        f"""
        import pytest

        @pytest.mark.world({marker})
        def test_it(world):
            pass
        """
    )
    result = suite.runpytest_subprocess("--strict-markers")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([said])
    assert len(result.outlines) < 20
    assert "During handling" not in result.stdout.str()


def test_a_mistake_ends_the_report_at_its_own_line(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        """
        def test_it(webhooks):
            webhooks.wait_for("partner.loan.isued")
        """
    )
    result = suite.runpytest_subprocess()
    result.stdout.fnmatch_lines(
        ["E*no event partner.loan.isued: did you mean partner.loan.issued?", "*.py:2: ValueError"]
    )
    assert "_expect.py" not in result.stdout.str()


def test_the_marker_lists_its_options(suite: pytest.Pytester) -> None:
    markers = suite.runpytest_subprocess("--markers").stdout
    markers.fnmatch_lines(
        [
            '@pytest.mark.world(scenario="onboarded", ...): how the test\'s world begins:',
            "- clock (still, running): *",
            "- scenario (fresh, onboarded, funded, repaid, at-the-limit): *",
        ]
    )


def test_nothing_starts_before_it_is_needed(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIDEOVER", "absent")
    suite.makepyfile("def test_of_something_else(): pass")
    suite.runpytest_subprocess().assert_outcomes(passed=1)


def test_a_mock_elsewhere_is_used(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue("tideover").url
    monkeypatch.setenv("TIDEOVER_URL", url)
    suite.makepyfile(f"def test_it(tideover, world): assert world.url == tideover.url == {url!r}")
    suite.runpytest_subprocess().assert_outcomes(passed=1)
    assert is_up(url)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://127.0.0.1:9", "No mock answers at http://127.0.0.1:9 (from the variable TIDEOVER_URL): *"),
        ("localhost:9", "'localhost:9' (from the variable TIDEOVER_URL) is no address of a mock: *"),
    ],
)
def test_a_mock_that_is_not_there_is_named(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, url: str, said: str
) -> None:
    monkeypatch.setenv("TIDEOVER_URL", url)
    suite.makepyfile("def test_it(world): pass")
    result = suite.runpytest_subprocess()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([said])
    assert len(result.outlines) < 20
    assert "During handling" not in result.stdout.str()


def test_the_mock_ends_with_the_tests(suite: pytest.Pytester) -> None:
    suite.makepyfile("def test_it(tideover): open('url', 'w').write(tideover.url)")
    suite.runpytest_subprocess().assert_outcomes(passed=1)
    assert not is_up((suite.path / "url").read_text())


MANY = """
    import json, pathlib, pytest

    @pytest.mark.world(scenario="onboarded")
    @pytest.mark.parametrize("number", range(200))
    def test_many(number, world, webhooks):
        reference = webhooks.subscribe(world)
        advance = {"payeeExternalId": "acme", "invoiceExternalId": "INV-1"}
        world.request("POST", "/v1/advances", advance)
        event = webhooks.wait_for("partner.loan.created")
        assert len(world.journal()) == 2
        # Only its own webhooks have come.
        assert world.wait_for_deliveries() == []
        assert len(webhooks.deliveries) == len(world.deliveries()) == 2
        seen = [world.id, world.key, reference, webhooks.secret, event["id"]]
        seen += [each.delivery for each in webhooks.deliveries]
        pathlib.Path(f"seen-{number}.json").write_text(json.dumps([world.url, seen]))
"""


def test_workers_share_one_mock_and_no_identifier(suite: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    suite.makepyfile(MANY)
    suite.runpytest_subprocess("-n", "4", "-p", "xdist").assert_outcomes(passed=200)
    seen = [json.loads(file.read_text()) for file in suite.path.glob("seen-*.json")]
    assert len(seen) == 200
    [url] = {url for url, _ in seen}
    assert not is_up(url)
    names = [name for _, each in seen for name in each]
    assert len(set(names)) == len(names) == 200 * 7


def test_a_worker_that_crashes_takes_no_mock_along(suite: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    suite.makepyfile(
        """
        import os, pytest

        @pytest.mark.parametrize("number", range(6))
        def test_it(number, world):
            with open("urls", "a") as file:
                print(world.url, file=file)
            if number == 0:
                os._exit(1)
        """
    )
    suite.runpytest_subprocess("-n", "2", "-p", "xdist").assert_outcomes(passed=5, failed=1)
    [url] = set((suite.path / "urls").read_text().split())
    assert not is_up(url)
