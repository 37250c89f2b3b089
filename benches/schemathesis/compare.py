#!/usr/bin/env python3
"""Measures Tideover beside Schemathesis and Dredd, against the same mock on the same machine.

    cargo build --profile dist
    python3 benches/schemathesis/compare.py --seed 1

It measures how many requests each tool sends and judges per second, as the median of several turns, and which
of some defects, drawn by the seed from the catalogue, each tool finds. Each tool shares one core with the
mock, if the system permits that: waking another core for each request takes longer than judging the request,
and the delay differs between machines. Prints Markdown; target/schemathesis has the figures as JSON and the
tools' own reports. Schemathesis comes from PyPI, into a separate virtual environment there, and Dredd from npm.
Dredd sends one example for each documented answer, so only what it finds is compared, not its speed.
"""

import argparse
import contextlib
import json
import os
import platform
import random
import shutil
import signal
import subprocess
import sys
import venv
from pathlib import Path
from urllib.request import urlopen
from xml.etree import ElementTree

sys.path.append(str(Path(__file__).resolve().parent.parent))
from machine import processor, say
from tables import markdown

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
HOME = ROOT / "target/schemathesis"
RUNS = HOME / "runs"
ENVIRONMENT = HOME / "venv"
DREDD = HOME / "node_modules/dredd"
TIDEOVER = ROOT / "target/dist/tideover"

# Runs on the correct service first: no defect causes the complaints in these runs.
BASELINE_SEEDS = 3
# The maximum number of requests to find a defect in a foreign service.
STRANGER_REQUESTS = 2500
# Test data as a service's operator would provide it.
TEST_DATA = {
    "account-prefix": ["test-"],
    "email": ["qa@example.com", "qb@example.com"],
    "tax-id": ["12-3456789", "98-7654321", "11-1111111"],
    "bank": ["000123456789:021000021", "000987654321:011401533"],
}


def main():
    options = arguments()
    # Like Ctrl-C: stops all started processes.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if not TIDEOVER.is_file():
        sys.exit(f"{TIDEOVER} is missing: cargo build --profile dist")
    install()
    RUNS.mkdir(exist_ok=True)
    if options.only != "defects":
        run("cargo", "bench", "-p", "tideover-benches", "--bench", "steps", "--no-run", directory=ROOT)
    figures = {
        "seed": options.seed,
        "seconds": options.seconds,
        "turns": options.turns,
        "strangerRequests": STRANGER_REQUESTS,
        "baselineSeeds": BASELINE_SEEDS,
        "versions": versions(),
        "sharedCore": share_one_core(),
        "machine": {"cores": os.cpu_count(), "processor": processor(), "system": platform.platform()},
        "throughput": [] if options.only == "defects" else throughput(options),
        "defects": [] if options.only == "throughput" else defects(options),
    }
    options.json.write_text(json.dumps(figures, indent=1) + "\n")
    print(markdown(figures))
    say(f"the figures are in {options.json}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1, help="of all that is drawn (default: %(default)s)")
    parser.add_argument(
        "--seconds", type=int, default=30, help="for each run of Schemathesis (default: %(default)s)"
    )
    parser.add_argument(
        "--turns", type=int, default=3, help="how often the speed of each is measured (default: %(default)s)"
    )
    parser.add_argument("--json", type=Path, default=HOME / "figures.json", help="where the figures go")
    parser.add_argument(
        "--defects", type=int, default=12, help="how many are drawn (default: %(default)s)", metavar="N"
    )
    parser.add_argument("--only", choices=["throughput", "defects"], help="measure nothing else")
    return parser.parse_args()


# What is measured


def throughput(options):
    """Requests sent and judged per second. The tools take turns, because other load on the machine changes over
    time."""
    rows = {}
    for turn in range(1, options.turns + 1):
        for what, requests, seconds in measured(options):
            load = os.getloadavg()[0]
            rows.setdefault(what, []).append({"requests": requests, "seconds": seconds, "load": load})
            say(f"turn {turn}: {what}: {requests / seconds:,.0f} requests/s, load {load:.1f}")
    return [{"what": what, "turns": turns} for what, turns in rows.items()]


def measured(options):
    """Name, requests and seconds of each measurement: first Schemathesis, the base of the comparison."""
    with serving(options.seed) as mock:
        stateful = schemathesis(mock, options.seed, options.seconds, "stateful", "throughput")
    counted(stateful)
    yield "Schemathesis, stateful phase, over a socket", *stateful["stateful"]
    with serving(options.seed) as mock:
        sent = ["--seed", options.seed, "--max-requests", 20_000, "--max-findings", 1]
        report = stranger(mock, *sent, name="throughput")
    yield "Tideover, over a socket, a mock that it knows nothing of", *played(report)
    report = check("--seed", options.seed, "--cases", 1000, name="embedded")
    yield "Tideover, over a socket, the embedded mock", *played(report)
    yield "Tideover, through the mock's router", *router()
    report = check("--seed", options.seed, "--cases", 4000, "--in-process", name="in-process")
    yield "Tideover, in process", *played(report)


def counted(run):
    """Exits if the number of requests that Schemathesis reports differs from the mock's, except for its probes."""
    sent, _ = run["stateful"]
    if not 0 <= run["requests"] - sent <= 0.01 * sent + 10:
        sys.exit(f"Schemathesis reports {sent} requests, the mock was sent {run['requests']}")


def defects(options):
    """The findings of each tool for the drawn defects. The first row has the complaints about the correct service."""
    catalogue = json.loads(output(TIDEOVER, "prove", "--list", "--json"))["defects"]
    drawn = random.Random(options.seed).sample(catalogue, min(options.defects, len(catalogue)))
    right = {"name": None, "words": "nothing: the right service", "looked": looked(None, options)}
    for seed in range(options.seed + 1, options.seed + BASELINE_SEEDS):
        again = explored(None, seed, options)
        first = right["looked"]["schemathesis"]
        first["reported"] = sorted({*first["reported"], *again["reported"]})
        first["requests"] += again["requests"]
    rows = [right]
    for defect in drawn:
        row = {**defect, "looked": looked(defect["name"], options)}
        for who, found in row["looked"].items():
            usual = right["looked"][who]["reported"]
            found["reported"] = [one for one in found["reported"] if one not in usual]
        rows.append(row)
        finders = [who for who, found in row["looked"].items() if found["reported"]]
        say(f"{defect['name']}: found by {', '.join(finders) or 'nobody'}")
    return rows


def looked(defect, options):
    """The findings of each tool for a mock with `defect`, or without any, and the requests it took."""
    named = ["--defect", defect] if defect else []
    kept = ["--seed", options.seed, "--max-findings", 1]
    knowing = check(*kept, "--in-process", *named, name=f"{defect or 'right'}.knowing", held=(0, 1, 3))
    looked = {"schemathesis": explored(defect, options.seed, options), "dredd": exampled(defect, options.seed)}
    looked["knowing"] = violations(knowing)
    for who in ["stranger", "helped"]:
        with serving(options.seed, defect) as mock:
            operator = ["--operator", mock["baseUrl"]] if who == "helped" else []
            budget = ["--max-requests", STRANGER_REQUESTS, *operator]
            name = f"{defect or 'right'}.{who}"
            looked[who] = violations(stranger(mock, *kept, *budget, name=name, held=(0, 1, 3)))
    return looked


def explored(defect, seed, options):
    with serving(options.seed, defect) as mock:
        run = schemathesis(mock, seed, options.seconds, None, f"{defect or 'right'}-{seed}")
    return {"reported": sorted(run["failures"]), "requests": run["requests"]}


def exampled(defect, seed):
    """The findings of Dredd: for each documented answer, in what the answer to its example differs."""
    kept = RUNS / f"{defect or 'right'}.dredd.xml"
    with serving(seed, defect) as mock:
        command = ["node", DREDD / "bin/dredd", mock["baseUrl"] + "/_sim/openapi.json", mock["baseUrl"]]
        command += ["--header", f"Authorization: Bearer {mock['apiKey']}", "--loglevel", "error"]
        run(*command, "--reporter", "xunit", "--output", kept, held=(0, 1), output=RUNS / "dredd.txt", directory=HOME)
    cases = list(ElementTree.parse(kept).iter("testcase"))
    reported = {f"{case.get('name')}: {said(failure)}" for case in cases for failure in case.iter("failure")}
    return {"reported": sorted(reported), "requests": len(cases)}


def said(failure):
    """What Dredd says to a failure, without the request and the answer that follow it."""
    return failure.text.partition("\n\n")[0].removeprefix("Message:").strip().replace("\n", "; ")


def violations(report):
    """The violated clauses, and the requests until then."""
    violated = [finding["clause"] for finding in report["findings"] if finding["verdict"] == "violated"]
    return {"reported": violated, "requests": report["steps"]}


# The two tools


def schemathesis(mock, seed, seconds, phases, name):
    """Runs Schemathesis; returns its requests and findings, and keeps its own report under `name`."""
    events = RUNS / f"{name}.schemathesis.ndjson"
    command = [ENVIRONMENT / "bin/schemathesis", "run", mock["baseUrl"] + "/_sim/openapi.json"]
    command += ["--header", f"Authorization: Bearer {mock['apiKey']}", "--max-time", seconds, "--seed", seed]
    command += ["--generation-database", "none", "--report", "ndjson", "--report-ndjson-path", events]
    command += ["--phases", phases] if phases else []
    run(*command, held=(0, 1), output=RUNS / f"{name}.schemathesis.txt", directory=HOME)
    with urlopen(mock["baseUrl"] + "/_sim/journal") as answer:
        journal = json.load(answer)
    read = {"requests": journal["dropped"] + len(journal["entries"]), "failures": set()}
    # The phase repeats until the time is over: count the requests of all its turns.
    sent, seconds, began = 0, 0, None
    for line in events.read_text().splitlines():
        [(kind, event)] = json.loads(line).items()
        if kind == "PhaseStarted" and event["phase"]["name"] == "stateful":
            began = event["timestamp"]
        elif kind == "PhaseFinished" and event["phase"]["name"] == "stateful":
            seconds += event["timestamp"] - began
        elif kind == "ScenarioFinished":
            recorder = event["recorder"]
            sent += len(recorder.get("interactions", {})) if event["phase"] == "stateful" else 0
            read["failures"].update(failures(recorder))
    read["stateful"] = sent, seconds
    return read


def failures(recorder):
    """The kinds of failure in a scenario: the check, the operation and the status."""
    for case, checks in recorder.get("checks", {}).items():
        answer = recorder.get("interactions", {}).get(case, {}).get("response") or {}
        for failed in (check for check in checks if check["status"] == "failure"):
            yield f"{failed['name']}: {failed['failure_info']['failure']['operation']}: {answer.get('status_code')}"


def check(*options, name, held=(0,)):
    """The report of `tideover check`, kept under `name`."""
    kept = RUNS / f"{name}.json"
    command = [TIDEOVER, "check", *options, "--json", "--save", RUNS / f"{name}.failure.jsonl"]
    run(*command, held=held, output=kept)
    return json.loads(kept.read_text().splitlines()[-1])


def stranger(mock, *options, name, held=(0,)):
    """The report of a check of a foreign service, known only from its responses."""
    given = ["--target", mock["baseUrl"], "--key", mock["apiKey"], "--allow-writes"]
    given += [part for option, values in TEST_DATA.items() for value in values for part in (f"--{option}", value)]
    given += ["--requests-per-second", 1_000_000, "--max-financed", 10**12, "--max-subscriptions", 1000]
    given += ["--cases", 10_000, "--steps", 40, "--journal", RUNS / f"{name}.journal.jsonl"]
    return check(*given, *options, name=name, held=held)


def router():
    """The steps that the suite's benchmark played through the router, and the seconds they took."""
    bench = ["cargo", "bench", "-p", "tideover-benches", "--bench", "steps", "--", "through the router"]
    run(*bench, output=RUNS / "router.txt", directory=ROOT)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    kept = target / "criterion/steps/through the router/new"
    steps = json.loads((kept / "benchmark.json").read_text())["throughput"]["Elements"]
    return steps, json.loads((kept / "estimates.json").read_text())["median"]["point_estimate"] / 1e9


def played(report):
    return report["steps"], report["milliseconds"] / 1000


# Processes


@contextlib.contextmanager
def serving(seed, defect=None):
    """Runs a mock on a free port; yields the line that it prints."""
    command = [TIDEOVER, "serve", "--port", "0", "--json", "--seed", str(seed)]
    command += ["--defect", defect] if defect else []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield json.loads(process.stdout.readline())
        finally:
            process.terminate()


def run(*command, held=(0,), output=None, directory=RUNS):
    """Runs a program to its end; exits if its exit code is not in `held`."""
    command = [str(part) for part in command]
    with open(output, "w") if output else contextlib.nullcontext() as file:
        ended = subprocess.run(command, cwd=directory, stdout=file, stderr=subprocess.PIPE, text=True)
    if ended.returncode not in held:
        sys.exit(f"{' '.join(command)}\nended with {ended.returncode}: {ended.stderr}")


def output(*command):
    return subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE, text=True).stdout


def install():
    """Installs Schemathesis in its own environment, and Dredd beside it."""
    python = ENVIRONMENT / "bin/python"
    if not python.is_file():
        venv.create(ENVIRONMENT, with_pip=True)
    RUNS.mkdir(parents=True, exist_ok=True)
    run(python, "-m", "pip", "install", "--quiet", "--requirement", HERE / "requirements.txt")
    shutil.copy(HERE / "package.json", HOME)
    run("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", directory=HOME, output=RUNS / "npm.txt")


def share_one_core():
    """Restricts all processes started from now on to one core; returns whether that worked."""
    if not hasattr(os, "sched_setaffinity"):
        return False
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    return True


def versions():
    packages = json.loads(output(ENVIRONMENT / "bin/python", "-m", "pip", "list", "--format", "json"))
    installed = {package["name"]: package["version"] for package in packages}
    return {
        "tideover": output(TIDEOVER, "--version").split()[-1],
        "commit": output("git", "-C", ROOT, "rev-parse", "--short", "HEAD").strip(),
        "rustc": output("rustc", "--version").split()[1],
        "python": platform.python_version(),
        "dredd": json.loads((DREDD / "package.json").read_text())["version"],
        **{name: installed[name] for name in ["schemathesis", "hypothesis", "requests"]},
    }


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
