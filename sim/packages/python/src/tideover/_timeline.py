"""What happened in a world, for the report of a failed test."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ._expect import subject
from ._names import snake_case
from ._world import World, instant, outcome

#: Nobody reads more.
_LONGEST = 60

_Entry = Mapping[str, Any]


def timeline(world: World) -> str:
    """What came and what the test did, in order, and the last refusal with its reason."""
    requests, deliveries = world.journal(), world.deliveries()
    acts: list[_Entry] = world._port("GET", "interventions")["interventions"]
    idle, others = _idle(acts, world._port("GET", "faults")["faults"], [*requests, *deliveries])
    lines = _in_order(requests, acts, deliveries, idle)
    if len(lines) > _LONGEST:
        lines = [f"({len(lines) - _LONGEST} earlier lines are left out)", *lines[-_LONGEST:]]
    lines += [f"The fault {label} never acted." for label in others]
    if not requests:
        lines.append(f"Nothing: no request came with the key of {world!r}.")
    refused = next((each for each in reversed(requests) if (each["status"] or 0) >= 400), None)
    return "\n".join(lines + (_refusal(refused) if refused else []))


def _in_order(
    requests: Sequence[_Entry], acts: Sequence[_Entry], deliveries: Sequence[_Entry], idle: Collection[int]
) -> list[str]:
    # What the test did stands before the request whose number it names.
    keyed = [((each["number"], 1, 0), each) for each in requests]
    keyed += [((each["nextRequest"], 0, each["number"]), each) for each in acts]
    happened = [each for _, each in sorted(keyed, key=lambda each: each[0])]
    webhooks = {delivery["id"]: subject(delivery["body"]) for delivery in deliveries}
    lines = [
        (place, 1, _done(each, webhooks, each["number"] in idle) if "kind" in each else line_of(each))
        for place, each in enumerate(happened)
    ]
    sent = [(delivery, attempt) for delivery in deliveries for attempt in delivery["attempts"]]
    sent.sort(key=lambda each: (instant(each[1]["at"]), each[0]["index"]))
    places = _Places(happened)
    lines += [(places.of(*each), 0, _sent(*each)) for each in sent]
    return [line for _, _, line in sorted(lines, key=lambda each: each[:2])]


class _Places:
    """Behind how many of the things that happened an attempt of a webhook stands."""

    def __init__(self, happened: Sequence[_Entry]) -> None:
        self._times = [instant(each["time"]) for each in happened]
        self._causes = {
            event["index"]: place + 1
            for place, each in enumerate(happened)
            for event in each.get("events", ())
        }
        #: Behind which act of the test a delivery stands at least: the number of the first one after it.
        self._acts = [
            (each["nextDelivery"], place + 1) for place, each in enumerate(happened) if "kind" in each
        ]
        self._resent: dict[str, list[int]] = {}
        for place, each in enumerate(happened):
            if each.get("kind") == "resent":
                self._resent.setdefault(each["delivery"], []).append(place + 1)
        self._last: dict[str, int] = {}

    def of(self, delivery: _Entry, attempt: _Entry) -> int:
        """The place of the next attempt: those of one delivery come in order."""
        place = max(self._place(delivery, attempt), self._last.get(delivery["id"], 0))
        self._last[delivery["id"]] = place
        return place

    def _place(self, delivery: _Entry, attempt: _Entry) -> int:
        index, cause = delivery["index"], attempt["cause"]
        if cause == "resent" and self._resent.get(delivery["id"]):
            return self._resent[delivery["id"]].pop(0)
        if cause == "event" and index in self._causes:
            return self._causes[index]
        # What the clock brings comes with the move that began before it, so before what follows at its time.
        moved = bisect_left(self._times, instant(attempt["at"]))
        acts = (place for first, place in self._acts if first <= index)
        return max([moved, *acts]) if cause == "event" else moved


def _idle(
    acts: Sequence[_Entry], rules: Sequence[_Entry], met: Sequence[_Entry]
) -> tuple[set[int], list[str]]:
    """What never acted: the numbers of the acts that added such a fault, and those that no act has added."""
    acted = {each["fault"] for each in met}
    # Each rule that is still there counts for itself, even if another one has its label.
    live: dict[str, list[_Entry]] = {}
    for rule in rules:
        live.setdefault(rule["label"], []).append(rule)
    idle = set()
    for act in reversed(acts):
        if act["kind"] == "faultAdded":
            same = live.get(act["fault"])
            if not (same.pop()["fired"] if same else act["fault"] in acted):
                idle.add(act["number"])
    return idle, [label for label, rest in live.items() for rule in rest if not rule["fired"]]


def _done(act: _Entry, webhooks: Mapping[str, str], is_idle: bool) -> str:
    """What the test did, in one line."""
    refused = f" -> refused: {act['refused']}" if act["refused"] else ""
    return f"{act['time']}  {_said(act, webhooks)}{refused}{'  (never acted)' if is_idle else ''}"


def _said(act: _Entry, webhooks: Mapping[str, str]) -> str:
    kind = str(act["kind"])
    if kind == "action":
        about = {name: act[name] for name in ("payee", "invoice", "amount") if act[name] is not None}
        return " ".join([snake_case(act["action"]), *(f"{name}={value}" for name, value in about.items())])
    if kind == "clockMoved":
        return (
            "the clock stays" if act["until"] == act["time"] else f"the clock moves to {act['until'] or '…'}"
        )
    if kind == "resent":
        return f"resend {webhooks.get(act['delivery'], act['delivery'])}"
    known = {"faultAdded": "fault", "faultRemoved": "fault removed:", "faultsCleared": "clear_faults"}
    return " ".join([known.get(kind, kind), *([act["fault"]] if act["fault"] else [])])


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
        failure = json.loads(entry["response"]["body"]["text"])
        code, prose = failure["code"], failure["error"]
    except (KeyError, TypeError, ValueError):
        code, prose = entry["code"], "its prose was not kept"
    clause = f", decided by clause {entry['clause']}" if entry["clause"] else ""
    fault = f"; the request met the fault {entry['fault']}" if entry["fault"] else ""
    return ["", f"The last refusal was {code or entry['status']}{clause}{fault}:", f"    {prose}"]
