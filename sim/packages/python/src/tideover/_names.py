"""Names of the operator port, as Python writes them."""

from __future__ import annotations

#: The words of this package for identifiers.
IDENTIFIERS = {"payee": "payeeExternalId", "invoice": "invoiceExternalId", "business": "externalId"}


def camel_case(name: str) -> str:
    """`after_rows` as `afterRows`."""
    first, *others = name.split("_")
    return first + "".join(other.capitalize() for other in others)


def snake_case(name: str) -> str:
    """`afterRows` as `after_rows`."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
