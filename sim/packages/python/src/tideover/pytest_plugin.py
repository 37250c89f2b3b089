"""Fixtures for pytest: one mock for all tests, a world for each, and its story where a test fails."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Generator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, get_args

import pytest

from . import _shared
from ._expect import Unmet
from ._http import Refused, Unreachable, is_named
from ._mock import CannotStart, Mock
from ._port import WORLD_OPTIONS_HELP, Scenario
from ._timeline import timeline
from ._webhooks import Webhooks
from ._world import World

#: The folder by which the workers of pytest-xdist find one mock; the controller has it and ends the mock.
_FOLDER = pytest.StashKey[Path]()
_WORLDS = pytest.StashKey[list[World]]()
#: The stories of worlds that are deleted already.
_STORIES = pytest.StashKey[dict[World, str]]()
#: Worlds that an error has ended in the test that runs, and that are deleted once it has passed.
_PUT_OFF = pytest.StashKey[list[World]]()
#: The test that runs.
_ITEM = pytest.StashKey[pytest.Item]()


def pytest_configure(config: pytest.Config) -> None:
    """Makes the marker known."""
    config.addinivalue_line(
        "markers", f'world(scenario="onboarded", ...): how the test\'s world begins:\n{WORLD_OPTIONS_HELP}'
    )
    config.stash[_PUT_OFF] = []


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tells a worker of pytest-xdist where the shared mock is to be found."""
    stash = node.config.stash
    if _FOLDER not in stash:
        stash[_FOLDER] = Path(tempfile.mkdtemp(prefix="tideover-"))
    node.workerinput["tideover"] = str(stash[_FOLDER])


def pytest_unconfigure(config: pytest.Config) -> None:
    """Ends what the workers have shared: the controller is the last to go, also if a worker crashed."""
    folder = config.stash.get(_FOLDER, None)
    if folder is not None:
        _shared.end(folder)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def tideover(request: pytest.FixtureRequest) -> Iterator[Mock]:
    """The mock of all tests. If the variable TIDEOVER_URL has the address of one, it is that one."""
    url, worker = os.environ.get("TIDEOVER_URL"), getattr(request.config, "workerinput", {})
    try:
        is_shared = "tideover" in worker
        mock = Mock.at(url) if url else _shared.mock(Path(worker["tideover"])) if is_shared else Mock()
    except (CannotStart, ValueError) as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None
    mock._observer = lambda world: _note(request.config.stash[_ITEM], world)
    with mock:
        yield mock


@pytest.fixture
def world(request: pytest.FixtureRequest, tideover: Mock) -> Iterator[World]:
    """A world for this test alone. `@pytest.mark.world(scenario="onboarded")` says how it begins."""
    options: dict[str, Any] = {}
    # The closest marker comes first, and has the last word.
    for marker in reversed(list(request.node.iter_markers("world"))):
        if marker.args:
            pytest.fail(_by_name(marker), pytrace=False)
        options.update(marker.kwargs)
    try:
        made = tideover.world(**options)
    except (Refused, TypeError) as error:
        said = ", ".join(f"{name}={value!r}" for name, value in options.items())
        raise pytest.fail.Exception(f"@pytest.mark.world({said}): {error}", pytrace=False) from None
    except Unreachable as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None
    _note(request.node, made)
    with made as world:
        yield world


@pytest.fixture
def webhooks(request: pytest.FixtureRequest) -> Iterator[Webhooks]:
    """A receiver for this test alone."""
    with Webhooks() as webhooks:
        # Your client may subscribe it to any of them.
        webhooks._worlds = request.node.stash.setdefault(_WORLDS, [])
        yield webhooks


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Remembers whose worlds are made from now on."""
    item.config.stash[_ITEM] = item


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, None]:
    """Adds the story of its worlds to the report of a failed test."""
    if call.excinfo is not None and not item.config.option.fulltrace:
        _shorten(call.excinfo.value)
    outcome = yield
    report: pytest.TestReport = outcome.get_result()
    # Once the test is taken down, its worlds are deleted.
    if report.failed and report.when != "teardown":
        item.config.stash[_PUT_OFF].clear()
        worlds = _worlds(item)
        for world in worlds:
            world._is_kept = _stays(world)
            title = "the world's timeline" if len(worlds) == 1 else f"the timeline of world {world.id}"
            story = item.stash.get(_STORIES, {}).get(world) or _story(world)
            report.sections.append((f"Tideover: {title}", story))
    elif report.when == "teardown":
        _delete(item.config.stash[_PUT_OFF])


def _by_name(marker: pytest.Mark) -> str:
    """How to write a marker whose options have no names."""
    first = marker.args[0]
    scenario = first if first in get_args(Scenario) else "onboarded"
    given = ", ".join(map(repr, marker.args))
    return (
        f"@pytest.mark.world({given}): options are given by name, such as"
        f' @pytest.mark.world(scenario="{scenario}"). `pytest --markers` lists them.'
    )


def _worlds(item: pytest.Item) -> list[World]:
    """The worlds that the test and its fixtures have made."""
    arguments = getattr(item, "funcargs", {}).values()
    worlds: dict[tuple[str, str], World] = {}
    for world in [*item.stash.get(_WORLDS, []), *(each for each in arguments if isinstance(each, World))]:
        worlds.setdefault((world.url, world.id), world)
    return list(worlds.values())


def _note(item: pytest.Item, world: World) -> None:
    """Lets the report of the test tell of the world, even if the error leaves the block of its `with`."""
    item.stash.setdefault(_WORLDS, []).append(world)
    stories = item.stash.setdefault(_STORIES, {})

    def end(world: World) -> None:
        if not _stays(world):
            stories[world] = _story(world)
        elif not world._is_kept:
            # The test passes if it expects the error.
            world._is_kept = True
            item.config.stash[_PUT_OFF].append(world)

    world._observer = end


def _delete(put_off: list[World]) -> None:
    """Deletes the worlds whose test has not failed after all."""
    while put_off:
        world = put_off.pop()
        world._is_kept = False
        # The mock may be gone.
        with suppress(Refused, OSError):
            world.delete()


def _stays(world: World) -> bool:
    """Whether it outlives a test that fails: a variable asks for it, and the mock outlives the tests."""
    return bool(os.environ.get("TIDEOVER_KEEP_FAILED")) and is_named(world.url)


def _shorten(error: BaseException) -> None:
    """Lets the report end at the user's own line, if what failed is not this package."""
    if not isinstance(error, (Refused, Unmet, Unreachable, ValueError, TypeError)):
        return
    here, last, each = Path(__file__).parent, None, error.__traceback__
    while each is not None:
        if Path(each.tb_frame.f_code.co_filename).parent != here:
            last = each
        each = each.tb_next
    if last is not None:
        last.tb_next = None


def _story(world: World) -> str:
    try:
        stays = f"\n\nThe world stays: {world.url}/_sim/?world={world.id}" if _stays(world) else ""
        return timeline(world) + stays
    except Refused as refused:
        if refused.status == 401:
            return f"{world!r} was deleted before."
        return f"{world!r} cannot say what happened: {refused}"
    except Exception as error:  # The report of the test is worth more than that of the mock.
        return f"{world!r} cannot say what happened: {error}"
