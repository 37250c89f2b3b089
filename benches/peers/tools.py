"""The tools: how each is installed and run, what its first answer is, and what it can hold."""

import contextlib
import json
import shutil
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

import loads
from processes import Request, first_answer, free_port, on_disk, run, started

HERE = Path(__file__).resolve().parent
# localstripe writes all it holds to this file, and offers no other.
LOCALSTRIPE_FILE = Path("/tmp/localstripe.pickle")


@dataclass
class Tool:
    name: str
    version: str
    # The command line without the port, and the option that has it.
    command: list
    first: Request
    # All that is installed for this tool alone.
    installed: list
    # What it needs besides, or None.
    needs: str | None = None
    port: str = "--port"
    load: loads.Load | None = None
    # The command line to hold objects, if that is another.
    holding: list | None = None
    # Why it holds nothing.
    stateless: str | None = None
    # A file that it overwrites wherever it runs.
    overwrites: Path | None = None

    def size(self):
        return sum(on_disk(path) for path in self.installed)

    @contextlib.contextmanager
    def started(self, logs, holding=False):
        port = free_port()
        command = [*((self.holding if holding else None) or self.command), self.port, port]
        with set_aside(self.overwrites), started(command, port, logs / f"{self.name}.txt") as process:
            yield process


@contextlib.contextmanager
def set_aside(path):
    """Leaves a file of the user's as it was."""
    if path is None:
        yield
        return
    aside = path.with_name(f"{path.name}.aside")
    if path.exists():
        path.rename(aside)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        if aside.exists():
            aside.rename(path)


def tideover(binary, _home):
    return Tool(
        name="Tideover",
        version=run(binary, "--version").split()[-1],
        command=[binary, "serve"],
        first=loads.sync_business(),
        installed=[binary],
        load=loads.IMPORTS,
    )


def prism(binary, home):
    folder, version = npm("@stoplight/prism-cli", home)
    program = folder / "node_modules/@stoplight/prism-cli/dist/index.js"
    return Tool(
        name="Prism",
        version=version,
        command=["node", program, "mock", "--host", "127.0.0.1", document(binary, home)],
        first=loads.sync_business(),
        installed=[folder / "node_modules"],
        needs=f"Node {run('node', '--version')[1:]}",
        stateless="answers from the schema",
    )


def mockoon(binary, home):
    folder, version = npm("@mockoon/cli", home)
    start = ["node", folder / "node_modules/@mockoon/cli/bin/run.js", "start", "--hostname", "127.0.0.1"]
    start += ["--disable-log-to-file"]
    bucket = home / "mockoon-bucket.json"
    bucket.write_text(json.dumps(data_bucket()))
    return Tool(
        name="Mockoon",
        version=version,
        command=[*start, "--data", document(binary, home)],
        first=loads.sync_business(),
        installed=[folder / "node_modules"],
        needs=f"Node {run('node', '--version')[1:]}",
        load=loads.BUCKET,
        holding=[*start, "--repair", "--max-request-body-size", 10**9, "--data", bucket],
    )


def wiremock(_binary, home):
    folder, version = npm("wiremock", home)
    [jar] = folder.glob("node_modules/wiremock/build/*.jar")
    stubs = home / "wiremock-stubs"
    (stubs / "mappings").mkdir(parents=True, exist_ok=True)
    (stubs / "mappings/sync-business.json").write_text(json.dumps(stub()))
    return Tool(
        name="WireMock",
        version=version,
        command=["java", "-jar", jar, "--bind-address", "127.0.0.1", "--root-dir", stubs],
        first=loads.sync_business(),
        installed=[jar],
        needs=f"Java {run('java', '--version').split()[1]}",
        stateless="answers from stubs",
    )


def localstripe(_binary, home):
    folder, version = pip("localstripe", home)
    return Tool(
        name="localstripe",
        version=version,
        command=[folder / "bin/python", folder / "bin/localstripe", "--from-scratch"],
        first=loads.create_customer(0),
        installed=list(folder.glob("lib/python*/site-packages")),
        needs=f"Python {sys.version.split()[0]}",
        load=loads.CUSTOMERS,
        overwrites=LOCALSTRIPE_FILE,
    )


def moto(_binary, home):
    folder, version = pip("moto", home)
    return Tool(
        name="moto",
        version=version,
        command=[folder / "bin/python", folder / "bin/moto_server", "--host", "127.0.0.1"],
        first=loads.create_table(),
        installed=list(folder.glob("lib/python*/site-packages")),
        needs=f"Python {sys.version.split()[0]}",
        load=loads.ITEMS,
    )


# By name, each with the programs that it takes to install and run it.
TOOLS = {
    "tideover": (tideover, []),
    "localstripe": (localstripe, []),
    "moto": (moto, []),
    "mockoon": (mockoon, ["node", "npm"]),
    "prism": (prism, ["node", "npm"]),
    "wiremock": (wiremock, ["java", "npm"]),
}


def missing(name):
    """The programs that a tool takes and that are not there."""
    return [program for program in TOOLS[name][1] if shutil.which(program) is None]


# How they are installed


def npm(package, home):
    """Installs a package of package.json in its own folder; returns that and the version."""
    version = json.loads((HERE / "package.json").read_text())["dependencies"][package]
    folder = home / package.rpartition("/")[2]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text(json.dumps({"private": True, "dependencies": {package: version}}))
    run("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", directory=folder)
    return folder, version


def pip(package, home):
    """Installs a package of requirements.txt in an environment that has nothing else, not even pip."""
    lines = (HERE / "requirements.txt").read_text().split()
    [requirement] = [line for line in lines if line.partition("==")[0].partition("[")[0] == package]
    installer, folder = home / "pip", home / package
    for environment in (installer, folder):
        if not (environment / "bin/python").exists():
            venv.create(environment, with_pip=environment == installer)
    run(installer / "bin/python", "-m", "pip", "--python", folder / "bin/python", "install", "--quiet", requirement)
    return folder, requirement.partition("==")[2]


# What they are given


def document(binary, home):
    """The mock's own OpenAPI document, in a file."""
    path, port = home / "openapi.json", free_port()
    ask = Request("GET", "/_sim/openapi.json")
    with started([binary, "serve", "--port", port], port, home / "openapi.txt") as process:
        path.write_bytes(first_answer(process, ask))
    return path


def stub():
    """The stub of WireMock for the request that the other mocks of this API are asked first."""
    answer = {"externalId": "acme", "created": True, "reason": "A new business."}
    asked = {"method": "PUT", "urlPathPattern": "/v1/organizations/[^/]+"}
    return {"request": asked, "response": {"status": 200, "jsonBody": answer}}


def data_bucket():
    """An environment of Mockoon: a data bucket, and the route that makes, reads and changes its entries."""
    bucket, route = "00000000-0000-4000-8000-000000000002", "00000000-0000-4000-8000-000000000003"
    answer = {
        "uuid": "00000000-0000-4000-8000-000000000004",
        "statusCode": 200,
        "bodyType": "DATABUCKET",
        "databucketID": "held",
        "crudKey": "externalId",
        "disableTemplating": True,
        "default": True,
    }
    return {
        "uuid": "00000000-0000-4000-8000-000000000001",
        "lastMigration": 33,
        "name": "invoices",
        "data": [{"uuid": bucket, "id": "held", "name": "invoices", "value": "[]"}],
        "rootChildren": [{"type": "route", "uuid": route}],
        "routes": [{"uuid": route, "type": "crud", "endpoint": "invoices", "responses": [answer]}],
    }
