"""Starts the mock, and makes worlds in it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import weakref
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ._http import Caller, address
from ._names import camel_case, explained, nearest
from ._port import WORLD_OPTIONS_HELP, WorldOptions
from ._world import World

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

#: So that a test decides when time passes, reads the same dates every day, and receives webhooks.
DEFAULTS = {"port": 0, "webhooks": "local", "clock": "still", "start": "2026-01-01T00:00:00Z"}


class CannotStart(RuntimeError):
    """There is no mock."""


class Mock:
    """A mock on a free port, which ends with `stop`, with the block of a `with`, or with the program.

    Options are those of `tideover serve`, with underscores: `Mock(port=4010, seed=7, grease=True)`.
    """

    #: Hears of each world that is made here.
    _observer: Callable[[World], object] | None = None

    def __init__(self, **options: str | int | bool | os.PathLike[str] | None) -> None:
        process, ready = start(**options)
        self.url: str = ready["baseUrl"]
        #: The key of the default world.
        self.key: str = ready["apiKey"]
        self._stop: Callable[[], object] = weakref.finalize(self, end, process)

    @classmethod
    def at(cls, url: str, key: str = "rap_sk_local") -> Self:
        """A mock that somebody else has started, and will end; ValueError if the URL is none."""
        mock = cls.__new__(cls)
        mock.url, mock.key = address(url), key
        mock._stop = lambda: None
        return mock

    @explained("All options may be left out:", WORLD_OPTIONS_HELP)
    def world(self, **options: Unpack[WorldOptions]) -> World:
        """A world of its own: state, clock, keys, journal, faults, webhooks."""
        for name in options:
            if name not in WorldOptions.__annotations__:
                near = nearest(name, WorldOptions.__annotations__)
                known = (
                    f"did you mean {near}?" if near else f"it has {', '.join(WorldOptions.__annotations__)}."
                )
                raise TypeError(f"A world has no option {name}: {known}")
        body = {camel_case(name): value for name, value in options.items()}
        made = Caller(self.url).send("POST", "/_sim/worlds", body)
        world = World(self.url, made["id"], made["keys"])
        if self._observer is not None:
            self._observer(world)
        return world

    @property
    def default_world(self) -> World:
        """The world that is there from the start."""
        return World(self.url, "default", [{"platform": "local", "key": self.key}])

    def stop(self) -> None:
        """Ends the mock. To end it again does nothing."""
        self._stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"Mock({self.url})"


def start(**options: object) -> tuple[subprocess.Popen[str], dict[str, Any]]:
    """A process that serves, and what it says once it is ready."""
    command = [program(), "serve", "--json", *_arguments({**DEFAULTS, **options})]
    # A file: nobody reads a pipe while the tests run, and a full one would stop the mock.
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
        try:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, **_APART)
        except OSError as error:
            raise CannotStart(f"{command[0]} cannot be started: {error}") from error
        assert process.stdout is not None
        with process.stdout:
            # All that it ever says there.
            line = process.stdout.readline()
        if line:
            return process, json.loads(line)
        code = process.wait()
        errors.seek(0)
        complaint = errors.read().strip()
        raise CannotStart(f"{' '.join(command)} ended with exit code {code}:\n{complaint}")


def end(process: subprocess.Popen[str]) -> None:
    """Ends the process, whatever it does."""
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def program() -> str:
    """The file of the program: that of the variable TIDEOVER, that of this Python, or that of the PATH."""
    if named := os.environ.get("TIDEOVER"):
        return named
    name = "tideover.exe" if os.name == "nt" else "tideover"
    folders = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user")]
    beside = (Path(folder, name) for folder in folders)
    found = next((str(path) for path in beside if path.is_file()), None) or shutil.which("tideover")
    if found is None:
        raise CannotStart(
            f"The program tideover is not beside this Python, in {' or '.join(folders)}, and not on the PATH."
            " The wheel of the package brings it. The variable TIDEOVER can name the file instead."
        )
    return found


def _arguments(options: dict[str, object]) -> list[str]:
    given = {f"--{name.replace('_', '-')}": value for name, value in options.items()}
    arguments: list[str] = []
    for name, value in given.items():
        if value is True:
            arguments.append(name)
        elif value is not None and value is not False:
            arguments += [name, str(value)]
    return arguments


# Ctrl-C ends the tests, and they end the mock: its worlds are still there for the last steps of a test.
_APART: dict[str, Any]
if sys.platform == "win32":
    _APART = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
else:
    _APART = {"start_new_session": True}
