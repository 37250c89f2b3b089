"""What the package is called, and by what."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import get_args

import tideover as package
from tideover import Act, Mock
from tideover._mock import program

SOURCES = Path(__file__).parents[1] / "src"


def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(SOURCES), **variables}
    command = [sys.executable, "-B", "-m", "tideover", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def test_the_module_runs_the_program() -> None:
    ran = run("--version")
    assert ran.returncode == 0
    assert ran.stdout == subprocess.check_output([program(), "--version"], text=True)
    assert run("serve", "--clock", "bogus").returncode == 2


def test_a_missing_program_is_said_in_a_line(tmp_path: Path) -> None:
    ran = run("serve", TIDEOVER="", PATH="", HOME=str(tmp_path))
    assert ran.returncode == 1
    assert ran.stderr.startswith("The program tideover is not beside this Python")


def test_what_is_public_has_one_name() -> None:
    assert isinstance(package.__version__, str)
    public = [getattr(package, name) for name in package.__all__]
    exceptions = [each for each in public if isinstance(each, type) and issubclass(each, Exception)]
    assert len(exceptions) == 8
    assert {each.__module__ for each in exceptions} == {"tideover"}


def test_the_readme_names_what_there_is(tideover: Mock) -> None:
    readme = (SOURCES.parent / "README.md").read_text(encoding="utf-8")
    for act in get_args(Act):
        assert f"`{act}`" in readme
    for page in {"", *re.findall(r"/_sim/guide/#([a-z.-]+)", readme)}:
        with urllib.request.urlopen(f"{tideover.url}/_sim/guide/{page}") as answer:
            assert answer.status == 200
    # What stands beside the package in its repository is not in the wheel.
    assert not re.search(r"\]\(|examples/|make_port", readme)
