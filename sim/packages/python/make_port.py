"""Writes `src/tideover/_port.py`: what the operator port offers, as its OpenAPI document describes it.

python make_port.py
"""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

from tideover import Mock
from tideover._http import Caller
from tideover._names import IDENTIFIERS, snake_case

LONGEST = 110

FILE = Path(__file__).parent / "src/tideover/_port.py"

HEAD = '''\
"""What the operator port offers. `make_port.py` writes this file from the port's own description."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

'''

#: Types with a name of their own here, by their names at the port.
NAMED = {
    "ActName": "Act",
    "EventType": "EventType",
    "Scenario": "Scenario",
    "VendorRoute": "VendorRoute",
    "When": "When",
}
UNLISTED = "The types that the document does not have, and the mock may send: by a fault, or greased."
WORDS = {name: word for word, name in IDENTIFIERS.items()}
TYPES = {"string": "str", "integer": "int", "boolean": "bool", "number": "float", "null": "None"}


class Port:
    """The description of the operator port, read for Python."""

    def __init__(self, document: dict[str, Any], api: dict[str, Any]) -> None:
        self.document = document
        self.schemas = document["components"]["schemas"]
        self.api = api
        operations = [each["operationId"] for path in api["paths"].values() for each in path.values()]
        self.values = {"operation": operations}

    def text(self) -> str:
        """The whole file."""
        rule = dict(self.schemas["FaultRule"]["properties"])
        del rule["act"]
        options = {
            "WorldOptions": self.schemas["NewWorld"]["properties"],
            "FaultOptions": rule,
            "JournalFilter": self.parameters("/_sim/journal"),
            "DeliveryFilter": self.parameters("/_sim/deliveries"),
        }
        parts = [
            *(alias(name, self.schemas[schema]["enum"]) for schema, name in NAMED.items()),
            alias("UnlistedEventType", self.schemas["EventType"]["x-unlisted"], UNLISTED),
            *(self.typed_dict(name, properties) for name, properties in options.items()),
            self.event_data(),
            *(listing(name, self.explained(properties)) for name, properties in options.items()),
            listing("Acts", self.acts()),
            self.actions(),
        ]
        return HEAD + "\n\n".join(part.rstrip() + "\n" for part in parts)

    def event_data(self) -> str:
        """The fields in the data of each event."""
        lines = ["#: The fields in the data of each event.", "EVENT_DATA: dict[str, tuple[str, ...]] = {"]
        for event in self.schemas["EventType"]["enum"]:
            body = self.api["webhooks"][event]["post"]["requestBody"]["content"]["application/json"]["schema"]
            data = self.of_api(self.of_api(body)["properties"]["data"])
            fields = [f'"{field}"' for field in data["properties"]]
            lines += call(f'    "{event}": (', fields, ",)," if len(fields) == 1 else "),")
        return "\n".join([*lines, "}"])

    def of_api(self, reference: dict[str, str]) -> Any:
        """What the description of the API means by a reference."""
        return self.api["components"]["schemas"][reference["$ref"].rsplit("/", 1)[1]]

    def explained(self, properties: dict[str, Any]) -> list[str]:
        """A line for each option: its values, if they are few, and what it is for."""
        lines = []
        for field, schema in properties.items():
            values = self.values.get(field) or self.values_of(schema)
            among = f" ({', '.join(map(str, values))})" if values else ""
            lines.append(f"{snake_case(field)}{among}: {description(schema)}")
        return lines

    def acts(self) -> list[str]:
        """A line for each act, with its options."""
        fields = self.schemas["FaultRule"]["x-fields"]
        lines = []
        for act in self.schemas["ActName"]["enum"]:
            options = [snake_case(field) for field in fields[act] if field != "act"]
            lines.append(f"{act}: {', '.join(options)}")
        return lines

    def values_of(self, schema: dict[str, Any]) -> list[str]:
        """The values that an option may have, if the description lists them."""
        if "$ref" in schema:
            return self.values_of(self.schemas[schema["$ref"].rsplit("/", 1)[1]])
        listed = [value for each in schema.get("oneOf", ()) for value in self.values_of(each)]
        return [*schema.get("enum", ()), *listed]

    def parameters(self, path: str) -> dict[str, Any]:
        """The parameters of a list, by their names."""
        listed = self.document["paths"][path]["get"]["parameters"]
        return {each["name"]: {**each["schema"], "description": each["description"]} for each in listed}

    def type_of(self, schema: dict[str, Any]) -> str:
        """A schema as a type."""
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[1]
            if name in NAMED:
                return NAMED[name]
            return self.type_of(self.schemas[name])
        if "enum" in schema:
            members = ", ".join(f'"{each}"' for each in schema["enum"])
            return f"Literal[{members}]"
        if "oneOf" in schema:
            return " | ".join(self.type_of(each) for each in schema["oneOf"])
        kind = schema.get("type")
        if isinstance(kind, list):
            return " | ".join(self.type_of({**schema, "type": each}) for each in kind)
        if kind == "array":
            return f"Sequence[{self.type_of(schema['items'])}]"
        return TYPES.get(str(kind), "Mapping[str, Any]")

    def typed_dict(self, name: str, properties: dict[str, Any]) -> str:
        """Options that may be given by name."""
        lines = [f"class {name}(TypedDict, total=False):"]
        for field, schema in properties.items():
            lines += comment(description(schema))
            lines += typed(f"    {snake_case(field)}: ", self.type_of(schema))
        return "\n".join(lines)

    def actions(self) -> str:
        """A method for each action."""
        listed = self.schemas["Action"]["discriminator"]["mapping"]
        names = [each["$ref"] for each in self.schemas["Action"]["oneOf"]]
        ordered = sorted(listed, key=lambda action: names.index(listed[action]))
        # A world has a `reset` of its own.
        methods = (self.method(name, listed[name]) for name in ordered if name != "reset")
        return ACTIONS + "\n".join(methods)

    def method(self, action: str, reference: str) -> str:
        """The method of an action: what it needs by place, what it may have by name."""
        schema = self.schemas[reference.rsplit("/", 1)[1]]
        fields = {name: each for name, each in schema["properties"].items() if name != "action"}
        needed = [name for name in schema["required"] if name in fields]
        optional = [name for name in fields if name not in needed]
        words = {name: WORDS.get(name, snake_case(name)) for name in needed + optional}
        types = {name: f"{words[name]}: {self.type_of(fields[name])}" for name in words}
        parameters = ["self", *(types[name] for name in needed), *(["*"] if optional else [])]
        parameters += [f"{types[name]} | None = None" for name in optional]
        sent = [f'"{action}"', *(f"{word}={word}" for word in words.values())]
        explained = [f"{word}: {description(fields[name])}" for name, word in words.items()]
        return "\n".join(
            [
                *call(f"    def {snake_case(action)}(", parameters, ") -> dict[str, Any]:"),
                *docstring(description(schema), explained),
                *call("        return self.act(", sent, ")"),
                "",
            ]
        )


def alias(name: str, values: list[str], about: str | None = None) -> str:
    """A type that has a name."""
    lines = [f"#: {about}"] if about else []
    return "\n".join(lines + call(f"{name} = Literal[", [f'"{each}"' for each in values], "]"))


def listing(name: str, lines: list[str]) -> str:
    """What `help` says of options: a line for each."""
    constant = snake_case(name).strip("_").upper() + "_HELP"
    wrapped = [part for line in lines for part in textwrap.wrap(f"- {line}", 95, subsequent_indent="  ")]
    return "\n".join([f'{constant} = """\\', *wrapped, '"""'])


def call(before: str, arguments: list[str], after: str) -> list[str]:
    """A list in parentheses, on one line if it fits."""
    line = before + ", ".join(arguments) + after
    if len(line) <= LONGEST:
        return [line]
    margin = " " * (len(before) - len(before.lstrip()))
    return [before, *(f"{margin}    {each}," for each in arguments), margin + after]


def typed(before: str, kind: str) -> list[str]:
    """A field with its type: the values of a long list below each other."""
    values, bracket, after = kind.partition("Literal[")[2].rpartition("]")
    if len(before + kind) <= LONGEST or not bracket:
        return [before + kind]
    return call(f"{before}Literal[", values.split(", "), bracket + after)


ACTIONS = '''\
class Actions:
    """What the outside world does: a method for each action of the operator port."""

    def act(self, action: str, **fields: Any) -> dict[str, Any]:
        """Plays an action by its name at the port."""
        raise NotImplementedError

'''


def description(schema: dict[str, Any]) -> str:
    """What a schema is for, in one line."""
    inner: dict[str, Any] = next((each for each in schema.get("oneOf", ()) if "description" in each), {})
    return " ".join(str(schema.get("description", inner.get("description", ""))).split())


def comment(text: str) -> list[str]:
    """What documentation tools read before a field."""
    return [f"    #: {line}" for line in textwrap.wrap(text, 100)]


def docstring(text: str, explained: list[str]) -> list[str]:
    """What a method does, and what it takes."""
    first, *rest = textwrap.wrap(text, 95)
    if not rest and not explained:
        return [f'        """{first}"""']
    lines = [*rest, *([""] if explained else [])]
    for each in explained:
        lines += textwrap.wrap(f"- {each}", 95, subsequent_indent="  ")
    return [f'        """{first}', *(f"        {line}".rstrip() for line in lines), '        """']


def described(mock: Mock) -> str:
    """The file for what this mock offers."""
    caller = Caller(mock.url)
    documents = [caller.send("GET", f"/_sim/{name}.json") for name in ("operator", "openapi")]
    return Port(*documents).text()


if __name__ == "__main__":
    with Mock() as mock:
        FILE.write_text(described(mock), encoding="utf-8")
