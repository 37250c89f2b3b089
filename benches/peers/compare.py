#!/usr/bin/env python3
"""Measures Tideover's mock beside other mocks: start, memory and size.

    cargo build --profile dist
    python3 benches/peers/compare.py

It measures the time from the start of the process to its first successful answer, the resident memory right after
that answer, the memory with a million objects, and what is installed. The tools take turns, so that other load on
the machine hits all of them; the figures are medians. Prints Markdown; target/peers has the figures as JSON and the
tools' own output. The peers come from PyPI and npm in the versions of requirements.txt and package.json, each into
its own folder there. It needs Linux, Node and Java; without one of them the tools that need it are left out.
"""

import argparse
import contextlib
import json
import os
import platform
import signal
import sys
import time
from pathlib import Path
from statistics import median

sys.path.append(str(Path(__file__).resolve().parent.parent))
from machine import processor, say
from processes import connection, exchange, first_answer, resident, run
from tables import markdown
from tools import TOOLS, missing

ROOT = Path(__file__).resolve().parent.parent.parent
HOME = ROOT / "target/peers"
LOGS = HOME / "logs"
TIDEOVER = ROOT / "target/dist/tideover"

# Reads after a load, until the memory is measured: a runtime may give back what only the load took, and a log of the
# last hundred requests forgets them.
SETTLING_SECONDS = 10
READS_PER_SECOND = 20


def main():
    options = arguments()
    # Like Ctrl-C: stops all started processes.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if not options.tideover.is_file():
        sys.exit(f"{options.tideover} is missing: cargo build --profile dist, or --tideover PATH")
    if not Path("/proc/self/smaps_rollup").exists():
        sys.exit("the memory of a process is read from /proc: this needs Linux")
    LOGS.mkdir(parents=True, exist_ok=True)
    tools = installed(options)
    starts = measured_starts(tools, options.turns)
    figures = {
        "turns": options.turns,
        "objects": options.objects,
        "seconds": options.seconds,
        "machine": {"cores": os.cpu_count(), "processor": processor(), "system": platform.platform()},
        "tools": [figure(tool, starts[tool.name], held(tool, options)) for tool in tools],
    }
    options.json.write_text(json.dumps(figures, indent=1) + "\n")
    print(markdown(figures))
    say(f"the figures are in {options.json}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--tideover", type=Path, default=TIDEOVER, metavar="PATH", help="the binary (default: target/dist/tideover)"
    )
    parser.add_argument("--turns", type=int, default=11, help="how often each is started (default: %(default)s)")
    parser.add_argument(
        "--objects", type=int, default=1_000_000, help="how many each has to hold (default: %(default)s)"
    )
    parser.add_argument(
        "--seconds", type=int, default=180, help="after which a tool holds what it holds (default: %(default)s)"
    )
    parser.add_argument("--only", nargs="+", choices=TOOLS, default=list(TOOLS), help="only these tools")
    parser.add_argument("--json", type=Path, default=HOME / "figures.json", help="where the figures go")
    options = parser.parse_args()
    options.tideover = options.tideover.resolve()
    return options


def installed(options):
    """The tools that can run here, installed."""
    tools = []
    for name in options.only:
        if lacking := missing(name):
            say(f"{name}: left out, because there is no {' and no '.join(lacking)}")
            continue
        make, _ = TOOLS[name]
        tools.append(make(options.tideover, HOME))
        say(f"{tools[-1].name} {tools[-1].version} is installed")
    return tools


# What is measured


def measured_starts(tools, turns):
    """Milliseconds to the first answer, and the resident bytes then, of each tool in each turn."""
    starts = {tool.name: [] for tool in tools}
    for turn in range(1, turns + 1):
        for tool in tools:
            one = start(tool)
            starts[tool.name].append(one)
            say(f"turn {turn}: {tool.name}: {one['milliseconds']:,.1f} ms, load {one['load']:.1f}")
    return starts


def start(tool):
    with tool.started(LOGS) as process:
        first_answer(process, tool.first)
        milliseconds = 1000 * (time.perf_counter() - process.began)
        return {"milliseconds": milliseconds, "resident": resident(process), "load": os.getloadavg()[0]}


def held(tool, options):
    """What the tool holds after the load: the number of objects, the seconds that it took to answer, and the resident
    bytes before and after."""
    if tool.load is None:
        return None
    with tool.started(LOGS, holding=True) as process:
        first_answer(process, tool.load.first or tool.first)
        before = resident(process)
        objects, seconds = loaded(process, tool.load, options)
        settle(process, tool.load, objects)
        after = resident(process)
    say(f"{tool.name}: {objects:,} {tool.load.what} in {seconds:,.0f} s, {after / 2**20:,.0f} MiB")
    return {"what": tool.load.what, "objects": objects, "seconds": seconds, "before": before, "after": after}


def loaded(process, load, options):
    """Makes objects until there are as many as asked, or the time is over."""
    objects, seconds = 0, 0
    with contextlib.closing(connection(process.port)) as connected:
        for made, request in load.requests(options.objects):
            began = time.perf_counter()
            answered(process, connected, request, load.wanted)
            seconds += time.perf_counter() - began
            objects += made
            if seconds > options.seconds:
                break
    return objects, seconds


def settle(process, load, objects):
    """Reads objects for a while."""
    with contextlib.closing(connection(process.port)) as connected:
        for read in range(SETTLING_SECONDS * READS_PER_SECOND):
            number = read * 7919 % objects
            answered(process, connected, load.read(number), load.shown(number).encode())
            time.sleep(1 / READS_PER_SECOND)


def answered(process, connected, request, wanted):
    """Exits unless the answer is a success and has what is wanted."""
    status, body = exchange(connected, request)
    if not 200 <= status < 300 or wanted not in body:
        raise process.failure(f"{request.method} {request.path}: {status} {body[:500]}")


def figure(tool, starts, holds):
    return {
        "name": tool.name,
        "version": tool.version,
        "needs": tool.needs,
        "stateless": tool.stateless,
        "bytes": tool.size(),
        "starts": starts,
        "milliseconds": median(one["milliseconds"] for one in starts),
        "resident": median(one["resident"] for one in starts),
        "held": holds,
    }


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
