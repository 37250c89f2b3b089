"""One mock for several processes, which find it by a folder."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ._mock import Mock, start


def mock(folder: Path) -> Mock:
    """The mock of all who share the folder: the first one who asks starts it."""
    with _locked(folder):
        found = folder / "mock.json"
        if not found.exists():
            process, ready = start()
            found.write_text(
                json.dumps({"url": ready["baseUrl"], "key": ready["apiKey"], "pid": process.pid})
            )
            # It is to survive this process, and Python is not to complain of that.
            process.returncode = 0
        shared = json.loads(found.read_text())
    return Mock.at(shared["url"], shared["key"])


def end(folder: Path) -> None:
    """Ends the mock, if there is one."""
    with _locked(folder):
        found = folder / "mock.json"
        if found.exists():
            # It may have ended by itself.
            with suppress(OSError):
                os.kill(json.loads(found.read_text())["pid"], signal.SIGTERM)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Only one process at a time goes on; the system frees the lock of one that dies."""
    with open(folder / "lock", "a+b") as file:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield
