"""The methods are those that the operator port has."""

from __future__ import annotations

import pydoc
from typing import get_args

import pytest

from make_port import FILE, described
from tideover import Act, EventType, FaultOptions, JournalFilter, Mock, World, WorldOptions


def test_the_methods_are_those_of_the_port(tideover: Mock) -> None:
    assert described(tideover) == FILE.read_text(encoding="utf-8"), "python make_port.py writes it anew"


def test_help_lists_what_can_be_said() -> None:
    fault, world, journal = (
        pydoc.plain(pydoc.render_doc(each)) for each in (World.fault, Mock.world, World.journal)
    )
    for name in [*get_args(Act), *FaultOptions.__annotations__, *get_args(EventType), "request_advance"]:
        assert name in fault
    for name in WorldOptions.__annotations__:
        assert f"- {name}" in world
    for name in JournalFilter.__annotations__:
        assert f"- {name}" in journal


def test_an_option_that_a_world_does_not_have_is_refused(tideover: Mock) -> None:
    with pytest.raises(
        TypeError, match="no option expires_after_idle_second: did you mean expires_after_idle_s"
    ):
        tideover.world(expires_after_idle_second=1)  # type: ignore[call-arg]
