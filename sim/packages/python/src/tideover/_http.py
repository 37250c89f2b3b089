"""Requests to the mock: JSON over HTTP, never through a proxy."""

from __future__ import annotations

import http.client
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode, urlsplit

CLAUSE_HEADER = "Tideover-Clause"


class Refused(Exception):
    """The answer was no success."""

    def __init__(self, request: str, status: int, code: str, clause: str | None, prose: str) -> None:
        super().__init__(request, status, code, clause, prose)
        self.request = request
        self.status = status
        #: The stable token by which a client decides.
        self.code = code
        #: The clause of the document that decided the answer; None if the mock does not say it.
        self.clause = clause
        #: The sentence for a log. It may change at any time.
        self.prose = prose

    def __str__(self) -> str:
        clause = f" [{self.clause}]" if self.clause else ""
        return f"{self.request} -> {self.status} {self.code}{clause}: {self.prose}"


class Unreachable(ConnectionError):
    """No mock answers at the address."""


class Caller:
    """Sends requests to one address with one API key."""

    def __init__(self, url: str, key: str | None = None) -> None:
        self.url = url.rstrip("/")
        self.key = key

    def send(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        content_type: str = "application/json",
        timeout: float = 60,
    ) -> Any:
        """The body of the answer. Text and bytes that are not JSON by their type are sent as they are."""
        is_raw = isinstance(body, (str, bytes)) and content_type != "application/json"
        content = None if body is None else body if is_raw else json.dumps(body)
        data = content.encode() if isinstance(content, str) else content
        with self._answer(method, path, data, content_type, timeout) as answer:
            text = answer.read()
            if answer.status >= 300:
                raise _refused(f"{method} {path}", answer, text)
        return json.loads(text) if text else None

    def lines(self, path: str, timeout: float) -> Iterator[bytes]:
        """The lines of a stream, until it ends or is silent for that long."""
        with self._answer("GET", path, None, "", timeout) as answer:
            yield from answer

    @contextmanager
    def _answer(
        self, method: str, path: str, data: object, content_type: str, timeout: float
    ) -> Iterator[http.client.HTTPResponse]:
        target = urlsplit(self.url)
        connect = http.client.HTTPSConnection if target.scheme == "https" else http.client.HTTPConnection
        connection = connect(target.netloc, timeout=timeout)
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        if data is not None:
            headers["Content-Type"] = content_type
        try:
            try:
                connection.connect()
            except OSError as error:
                there = f"at {self.url}{_origin(self.url)}: {error}"
                raise Unreachable(f"No mock answers {there}. Is it stopped, or not started?") from None
            connection.request(method, target.path + path, data, headers)  # type: ignore[arg-type]
            yield connection.getresponse()
        finally:
            connection.close()


def address(url: str) -> str:
    """The URL of a mock without its last slash; ValueError if it is none."""
    url = url.rstrip("/")
    target = urlsplit(url)
    if target.scheme not in ("http", "https") or not target.netloc:
        raise ValueError(
            f"{url!r}{_origin(url)} is no address of a mock: it begins with http://, as http://127.0.0.1:4010"
        )
    return url


def is_named(url: str) -> bool:
    """Whether the variable TIDEOVER_URL has this address: somebody else runs the mock."""
    return url != "" and os.environ.get("TIDEOVER_URL", "").rstrip("/") == url


def _origin(url: str) -> str:
    return " (from the variable TIDEOVER_URL)" if is_named(url) else ""


def query(path: str, filters: dict[str, Any]) -> str:
    """The path with those parameters that have a value."""
    given = {name: value for name, value in filters.items() if value is not None}
    return f"{path}?{urlencode(given)}" if given else path


def _refused(request: str, answer: http.client.HTTPResponse, text: bytes) -> Refused:
    try:
        failure = json.loads(text)
        code, prose = str(failure["code"]), str(failure["error"])
    except (ValueError, KeyError, TypeError):
        # It is not the mock that answered.
        code, prose = "", text.decode(errors="replace")
    return Refused(request, answer.status, code, answer.getheader(CLAUSE_HEADER), prose)
