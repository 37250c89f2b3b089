"""The methods are those that the operator port has."""

from __future__ import annotations

from make_port import FILE, described
from tideover import Mock


def test_the_methods_are_those_of_the_port(tideover: Mock) -> None:
    assert described(tideover) == FILE.read_text(encoding="utf-8"), "python make_port.py writes it anew"
