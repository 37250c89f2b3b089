"""Starting and ending the mock."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import is_up

from tideover import CannotStart, Mock


def test_a_mock_is_there_until_it_is_stopped() -> None:
    with Mock() as mock:
        assert is_up(mock.url)
        assert mock.default_world.request("GET", "/v1/webhooks") == []
    assert not is_up(mock.url)
    mock.stop()


def test_a_mock_takes_the_options_of_serve() -> None:
    with Mock(api_key="my_sk_key", start="2030-05-01T00:00:00Z", grease=False, no_hints=True) as mock:
        assert mock.key == "my_sk_key"
        assert mock.default_world.now.year == 2030


def test_the_mock_of_somebody_else_goes_on(tideover: Mock) -> None:
    with Mock.at(tideover.url + "/") as mock, mock.world() as world:
        assert world.request("GET", "/v1/webhooks") == []
    assert is_up(tideover.url)


def test_a_mock_that_cannot_start_says_why() -> None:
    with pytest.raises(
        CannotStart, match=r"(?s)serve .*--clock bogus.* ended with exit code 2:.*running, still"
    ):
        Mock(clock="bogus")


def test_a_missing_program_says_where_it_was_looked_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TIDEOVER", str(tmp_path / "absent"))
    with pytest.raises(CannotStart, match="absent cannot be started"):
        Mock()
    monkeypatch.delenv("TIDEOVER")
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("sysconfig.get_path", lambda *_: str(tmp_path))
    with pytest.raises(CannotStart, match="`pip install tideover` brings it"):
        Mock()


@pytest.mark.skipif(os.name == "nt", reason="a script is no program there")
def test_the_program_beside_the_interpreter_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "tideover"
    program.write_text("#!/bin/sh\necho 'as you see' >&2\nexit 7\n")
    program.chmod(0o755)
    monkeypatch.delenv("TIDEOVER", raising=False)
    monkeypatch.setattr("sysconfig.get_path", lambda *_: str(tmp_path))
    with pytest.raises(CannotStart, match=r"(?s)exit code 7:\nas you see"):
        Mock()
