"""What happened in a world, for the report of a failed test."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from ._expect import subject
from ._world import World, instant, outcome

#: Nobody reads more.
_LONGEST = 60

_Entry = Mapping[str, Any]


def timeline(world: World) -> str:
    """Requests and webhooks in order, and the last refusal with its reason."""
    requests, deliveries = world.journal(), world.deliveries()
    lines = _in_order(requests, deliveries)
    if not lines:
        return f"Nothing: no request came with the key of {world!r}."
    if len(lines) > _LONGEST:
        lines = [f"({len(lines) - _LONGEST} earlier lines are left out)", *lines[-_LONGEST:]]
    refused = next((each for each in reversed(requests) if each["code"] is not None), None)
    return "\n".join(lines + (_refusal(refused) if refused else []))


def _in_order(requests: Sequence[_Entry], deliveries: Sequence[_Entry]) -> list[str]:
    times = [instant(request["time"]) for request in requests]
    causes = {event["index"]: place for place, each in enumerate(requests) for event in each["events"]}
    sent = [(delivery, attempt) for delivery in deliveries for attempt in delivery["attempts"]]
    sent.sort(key=lambda each: (instant(each[1]["at"]), each[0]["index"]))
    lines = [(place, 1, line_of(request)) for place, request in enumerate(requests)]
    lines += [(_place(*each, times, causes), 0, _sent(*each)) for each in sent]
    return [line for _, _, line in sorted(lines, key=lambda each: each[:2])]


def _place(delivery: _Entry, attempt: _Entry, times: list[datetime], causes: dict[int, int]) -> int:
    """How many requests came before an attempt, as far as the clock and the numbers of deliveries tell it."""
    index, first_attempt = delivery["index"], attempt["number"] == 1
    if first_attempt and index in causes:
        return causes[index] + 1
    at = instant(attempt["at"])
    earliest, latest = bisect_left(times, at), bisect_right(times, at)
    has_moved = earliest > 0
    if first_attempt:
        earliest = max([earliest, *(place + 1 for other, place in causes.items() if other < index)])
        latest = min([latest, *(place for other, place in causes.items() if other > index)])
    # What the clock brings comes when it moves, so before the requests of that time. Before it ever moved, it
    # is the outside world that acts, mostly after what the client has done.
    return earliest if has_moved and attempt["cause"] != "resent" else latest


def line_of(entry: _Entry) -> str:
    """A request in one line: what it asked for, what was decided, and why."""
    query = f"?{entry['query']}" if entry.get("query") else ""
    status = " ".join(str(each) for each in (entry["status"], entry["code"]) if each is not None)
    clause = f"  [{entry['clause']}]" if entry["clause"] else ""
    fault = f"  fault: {entry['fault']}" if entry.get("fault") else ""
    hints = [entry.get("note"), *entry.get("warnings", ())]
    line = (
        f"{entry['time']}  {entry['method']} {entry['path']}{query} -> {status or 'no answer'}{clause}{fault}"
    )
    return "\n".join([line, *(f"    {hint}" for hint in hints if hint)])


def _sent(delivery: _Entry, attempt: _Entry) -> str:
    again = f", attempt {attempt['number']}" if attempt["number"] > 1 else ""
    fault = f"  fault: {delivery['fault']}" if delivery.get("fault") else ""
    return f"{attempt['at']}    webhook {subject(delivery['body'])}{again} -> {outcome(attempt)}{fault}"


def _refusal(entry: _Entry) -> list[str]:
    try:
        prose = json.loads(entry["response"]["body"]["text"])["error"]
    except (KeyError, TypeError, ValueError):
        prose = "its prose was not kept"
    clause = f", decided by clause {entry['clause']}" if entry["clause"] else ""
    return ["", f"The last refusal was {entry['code']}{clause}:", f"    {prose}"]
