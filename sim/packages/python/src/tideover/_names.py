"""Names of the operator port, as Python writes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from inspect import cleandoc
from typing import Any, TypeVar

_Method = TypeVar("_Method", bound=Callable[..., Any])

#: The words of this package for identifiers.
IDENTIFIERS = {"payee": "payeeExternalId", "invoice": "invoiceExternalId", "business": "externalId"}


def camel_case(name: str) -> str:
    """`after_rows` as `afterRows`."""
    first, *others = name.split("_")
    return first + "".join(other.capitalize() for other in others)


def snake_case(name: str) -> str:
    """`afterRows` as `after_rows`."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that somebody meant, if one is near."""
    return next(iter(get_close_matches(name, list(known), 1)), None)


def explained(*texts: str) -> Callable[[_Method], _Method]:
    """Lets `help` say of a method what the port says of its options."""

    def ended(method: _Method) -> _Method:
        # Python may run without docstrings.
        if method.__doc__ is not None:
            method.__doc__ = "\n".join([cleandoc(method.__doc__), *(f"\n{text.rstrip()}" for text in texts)])
        return method

    return ended
