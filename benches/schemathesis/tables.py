"""The figures of compare.py as Markdown."""

from statistics import median

# The goals for Tideover, in multiples of Schemathesis' stateful phase.
ASKED = {"over a socket": 50, "router": 1000}


def markdown(figures):
    parts = [heading(figures)]
    if figures["throughput"]:
        parts.append(throughput(figures["throughput"]))
    if figures["defects"]:
        parts.append(defects(figures["defects"]))
    return "\n\n".join(parts)


def heading(figures):
    machine = figures["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in figures["versions"].items())
    used = "one of them used" if figures["sharedCore"] else "all of them used"
    return (
        f"{machine['cores']} cores, {used}, {machine['processor']}, {machine['system']}\n"
        f"{versions}\n"
        f"seed {figures['seed']}; medians of {figures['turns']} turns; {figures['seconds']} s for each run of Schemathesis, "
        f"{figures['strangerRequests']} requests for each run against a foreign service"
    )


def throughput(rows):
    base = rates(rows[0])
    table = [["requests sent and judged", "requests/s", ": Schemathesis", "in each turn", "asked", "load"]]
    for row in rows:
        ratios = [one / other for one, other in zip(rates(row), base, strict=True)]
        asked = next((times for where, times in ASKED.items() if where in row["what"]), None)
        asked = None if row is rows[0] else asked
        goal = "" if asked is None else f"{asked}: {'met' if median(ratios) >= asked else 'not met'}"
        turns = ", ".join(f"{ratio:,.0f}" for ratio in ratios)
        load = max(turn["load"] for turn in row["turns"])
        speed = f"{median(rates(row)):,.0f}"
        table.append([row["what"], speed, f"{median(ratios):,.1f}", turns, goal, f"{load:.1f}"])
    return written(table, "lrrrrr")


def rates(row):
    """Requests a second, turn by turn."""
    return [turn["requests"] / turn["seconds"] for turn in row["turns"]]


def defects(rows):
    right, *drawn = rows
    tools = {
        "schemathesis": "Schemathesis",
        "dredd": "Dredd",
        "knowing": "Tideover, in process",
        "stranger": "Tideover, a foreign service",
        "helped": "the same with an operator port",
    }
    table = [["defect", "what it does", *tools.values()]]
    complaints = (f"complaints: {len(right['looked'][who]['reported'])}" for who in tools)
    table.append(["*none*", right["words"], *complaints])
    for row in drawn:
        table.append([row["name"], row["words"], *(outcome(row["looked"][who]) for who in tools)])
    found = [sum(bool(row["looked"][who]["reported"]) for row in drawn) for who in tools]
    table.append(["found", "", *(f"{times} of {len(drawn)}" for times in found)])
    parts = [written(table, "llrrrrr"), "Schemathesis says of the right service:"]
    parts.append(listed(right["looked"]["schemathesis"]["reported"]))
    new = [f"{row['name']}: {one}" for row in drawn for one in row["looked"]["schemathesis"]["reported"]]
    parts += ["What it says beyond that:", listed(new)]
    return "\n\n".join(parts)


def listed(lines):
    return "\n".join(f"- {line}" for line in lines) or "- nothing"


def outcome(looked):
    return f"{'found' if looked['reported'] else '-'}, {looked['requests']:,}"


def written(table, columns):
    rule = [{"l": "---", "r": "---:"}[column] for column in columns]
    return "\n".join(f"| {' | '.join(row)} |" for row in [table[0], rule, *table[1:]])
