"""Processes: runs them, asks them over HTTP, and reads their memory from /proc."""

import contextlib
import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

# The maximum time until a tool answers, and for one request.
PATIENCE_SECONDS = 120
# Between two attempts to reach a tool that starts.
PAUSE_SECONDS = 0.0002
STOPPING_SECONDS = 10


class Request(NamedTuple):
    method: str
    path: str
    body: bytes | str | None = None
    headers: dict = {}


class Started(NamedTuple):
    process: subprocess.Popen
    port: int
    log: Path
    # On the clock of time.perf_counter.
    began: float

    def failure(self, why):
        return SystemExit(f"{why}\n{self.log.read_text(errors='replace')[-2000:]}")


@contextlib.contextmanager
def started(command, port, log, environment=None):
    """Runs a program in a session of its own; stops the whole session at the end."""
    command = [str(part) for part in command]
    settings = {"env": {**os.environ, **(environment or {})}, "start_new_session": True, "cwd": log.parent}
    with open(log, "w") as file:
        began = time.perf_counter()
        process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, **settings)
    try:
        yield Started(process, port, log, began)
    finally:
        stop(process)


def stop(process):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(STOPPING_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def connection(port):
    return http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)


def exchange(connected, request):
    connected.request(request.method, request.path, request.body, request.headers)
    answer = connected.getresponse()
    return answer.status, answer.read()


def first_answer(run, request):
    """Asks until the answer is a success; returns its body."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    seen = "no answer"
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError, http.client.HTTPException), contextlib.closing(connection(run.port)) as one:
            status, body = exchange(one, request)
            if 200 <= status < 300:
                return body
            seen = f"{status} {body[:500]}"
        if run.process.poll() is not None:
            raise run.failure(f"{run.process.args} ended with {run.process.returncode}")
        time.sleep(PAUSE_SECONDS)
    raise run.failure(f"{run.process.args}: {seen}")


def resident(run):
    """The resident bytes of all processes of the session."""
    return 1024 * sum(rss(process) for process in Path("/proc").glob("[0-9]*") if session(process) == run.process.pid)


def session(process):
    with contextlib.suppress(OSError):
        # The name in parentheses may contain spaces.
        return int((process / "stat").read_text().rpartition(")")[2].split()[3])


def rss(process):
    with contextlib.suppress(OSError):
        for line in (process / "smaps_rollup").read_text().splitlines():
            if line.startswith("Rss:"):
                return int(line.split()[1])
    return 0


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def on_disk(path):
    """The bytes that a file, or a folder with all that is in it, takes on the disk."""
    parts = [path] if path.is_file() else [path, *path.rglob("*")]
    return sum(512 * part.lstat().st_blocks for part in parts)


def run(*command, directory=None):
    """Runs a program to its end; exits if it fails. Returns what it prints."""
    command = [str(part) for part in command]
    ended = subprocess.run(command, cwd=directory, capture_output=True, text=True)
    if ended.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with {ended.returncode}: {ended.stderr}")
    return (ended.stdout + ended.stderr).strip()
