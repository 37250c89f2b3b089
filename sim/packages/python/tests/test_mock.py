"""Starting and ending the mock."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from support import is_up

from tideover import CannotStart, Mock, Unreachable


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


def test_a_mock_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    mock = Mock()
    world = mock.world()
    mock.stop()
    for ask in (mock.world, lambda: world.now, lambda: world.expect_delivery("partner.loan.paid", timeout=1)):
        with pytest.raises(Unreachable, match=f"No mock answers at {mock.url}: .*refused.* Is it stopped"):
            ask()
    monkeypatch.setenv("TIDEOVER_URL", f"{mock.url}/")
    with pytest.raises(Unreachable, match=rf"{mock.url} \(from the variable TIDEOVER_URL\): "):
        Mock.at(mock.url).world()


@pytest.mark.parametrize("url", ["127.0.0.1:4010", "localhost:4010", "", "ftp://localhost"])
def test_a_url_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match=f"'{url}' is no address of a mock: it begins with http://"):
        Mock.at(url)


def test_a_mock_takes_the_port_that_it_is_given() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with Mock(port=port) as mock:
        assert mock.url == f"http://127.0.0.1:{port}"
        assert is_up(mock.url)


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
    with pytest.raises(CannotStart, match="The wheel of the package brings it"):
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
