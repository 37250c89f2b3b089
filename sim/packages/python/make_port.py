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

WORDS = {name: word for word, name in IDENTIFIERS.items()}
TYPES = {"string": "str", "integer": "int", "boolean": "bool", "number": "float", "null": "None"}


class Port:
    """The description of the operator port, read for Python."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.schemas = document["components"]["schemas"]

    def text(self) -> str:
        """The whole file."""
        rule = dict(self.schemas["FaultRule"]["properties"])
        acts = self.type_of(rule.pop("act"))[len("Literal[") : -1]
        parts = [
            "\n".join(call("Act = Literal[", acts.split(", "), "]")),
            self.typed_dict("WorldOptions", self.schemas["NewWorld"]["properties"]),
            self.typed_dict("FaultOptions", rule),
            self.typed_dict("JournalFilter", self.parameters("/_sim/journal")),
            self.typed_dict("DeliveryFilter", self.parameters("/_sim/deliveries")),
            self.actions(),
        ]
        return HEAD + "\n\n".join(part.rstrip() + "\n" for part in parts)

    def parameters(self, path: str) -> dict[str, Any]:
        """The parameters of a list, by their names."""
        listed = self.document["paths"][path]["get"]["parameters"]
        return {each["name"]: {**each["schema"], "description": each["description"]} for each in listed}

    def type_of(self, schema: dict[str, Any]) -> str:
        """A schema as a type."""
        if "$ref" in schema:
            return self.type_of(self.schemas[schema["$ref"].rsplit("/", 1)[1]])
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
    return Port(Caller(mock.url).send("GET", "/_sim/operator.json")).text()


if __name__ == "__main__":
    with Mock() as mock:
        FILE.write_text(described(mock), encoding="utf-8")
