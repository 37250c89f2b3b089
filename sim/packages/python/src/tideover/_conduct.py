"""What a client did of what the document asks of callers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ._expect import BadConduct
from ._timeline import line_of
from ._world import World, describe

_Rows = Sequence[Mapping[str, Any]]


def check(world: World, ignore: Collection[str]) -> None:
    """Raises BadConduct for the broken rows, with the requests and webhooks that show each."""
    conduct = world.conduct(final=True)
    unknown = set(ignore) - {row["id"] for row in conduct["rows"]}
    if unknown:
        raise ValueError(f"There is no such duty: {', '.join(sorted(unknown))}")
    broken = [row for row in conduct["rows"] if row["state"] == "broken" and row["id"] not in ignore]
    if broken:
        counts = conduct["counts"]
        head = f"{len(broken)} of {sum(counts.values())} duties broken in world {world.id}"
        raise BadConduct("\n\n".join([head, *_explained(broken, world)]))


def _explained(broken: _Rows, world: World) -> list[str]:
    requests = {entry["number"]: entry for entry in world.journal()}
    webhooks = {delivery["index"]: delivery for delivery in world.deliveries()}
    texts = []
    for row in broken:
        lines = [f"{row['id']} ({row['clause']}, {row['place']}): {row['words']}"]
        for number in row["requests"]:
            line = line_of(requests[number]) if number in requests else "no longer in the journal"
            lines.append(f"    request {number}: {line}")
        for number in row["deliveries"]:
            line = describe(webhooks[number]) if number in webhooks else "no longer in the log"
            lines.append(f"    delivery {number}: {line}")
        texts.append("\n".join(lines))
    return texts
