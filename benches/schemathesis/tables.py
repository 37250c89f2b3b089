"""The figures of compare.py as Markdown."""

# What is asked of Tideover, in multiples of Schemathesis' stateful phase.
ASKED = {"over a socket": 50, "router": 1000}


def markdown(figures):
    parts = [heading(figures), throughput(figures["throughput"])]
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
        f"seed {figures['seed']}; {figures['seconds']} s for each run of Schemathesis, "
        f"{figures['strangerRequests']} requests for each of a stranger"
    )


def throughput(rows):
    base = rate(rows[0])
    table = [["requests sent and judged", "requests/s", ": Schemathesis", "asked", "load"]]
    for row in rows:
        ratio = rate(row) / base
        asked = next((times for where, times in ASKED.items() if where in row["what"]), None)
        asked = None if row is rows[0] else asked
        told = "" if asked is None else f"{asked}: {'met' if ratio >= asked else 'not met'}"
        table.append([row["what"], f"{rate(row):,.0f}", f"{ratio:,.1f}", told, f"{row['load']:.1f}"])
    return written(table, "lrrrr")


def rate(row):
    return row["requests"] / row["seconds"]


def defects(rows):
    right, *drawn = rows
    tools = {
        "schemathesis": "Schemathesis",
        "knowing": "Tideover, in process",
        "stranger": "Tideover, a stranger",
        "helped": "the same with an operator port",
    }
    table = [["defect", "what it does", *tools.values()]]
    complaints = (f"complaints: {len(right['looked'][who]['told'])}" for who in tools)
    table.append(["*none*", right["words"], *complaints])
    for row in drawn:
        table.append([row["name"], row["words"], *(outcome(row["looked"][who]) for who in tools)])
    found = [sum(bool(row["looked"][who]["told"]) for row in drawn) for who in tools]
    table.append(["found", "", *(f"{times} of {len(drawn)}" for times in found)])
    parts = [written(table, "llrrrr"), "Schemathesis says of the right service:"]
    parts.append(listed(right["looked"]["schemathesis"]["told"]))
    new = [f"{row['name']}: {told}" for row in drawn for told in row["looked"]["schemathesis"]["told"]]
    parts += ["What it says beyond that:", listed(new)]
    return "\n\n".join(parts)


def listed(lines):
    return "\n".join(f"- {line}" for line in lines) or "- nothing"


def outcome(looked):
    return f"{'found' if looked['told'] else '-'}, {looked['requests']:,}"


def written(table, columns):
    rule = [{"l": "---", "r": "---:"}[column] for column in columns]
    return "\n".join(f"| {' | '.join(row)} |" for row in [table[0], rule, *table[1:]])
