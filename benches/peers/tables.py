"""The figures of compare.py as Markdown."""

MIB = 2**20


def markdown(figures):
    return "\n\n".join([heading(figures), table(figures)])


def heading(figures):
    machine = figures["machine"]
    versions = ", ".join(f"{tool['name']} {tool['version']}" for tool in figures["tools"])
    loads = [start["load"] for tool in figures["tools"] for start in tool["starts"]]
    return (
        f"{machine['cores']} cores, {machine['processor']}, {machine['system']}\n"
        f"{versions}\n"
        f"medians of {figures['turns']} turns, load {min(loads):.1f} to {max(loads):.1f}; "
        f"at most {figures['seconds']} s to hold {figures['objects']:,} objects"
    )


def table(figures):
    rows = [["mock", "start to first answer", "idle", "what it holds", "memory then", "each", "on disk", "needs"]]
    for tool in figures["tools"]:
        times = [start["milliseconds"] for start in tool["starts"]]
        rows.append(
            [
                f"{tool['name']} {tool['version']}",
                f"{brief(tool['milliseconds'])} ms ({brief(min(times))} to {brief(max(times))})",
                mebibytes(tool["resident"]),
                *held(tool),
                mebibytes(tool["bytes"]),
                tool["needs"] or "nothing",
            ]
        )
    return written(rows, "lrrlrrrl")


def held(tool):
    """The objects, the memory with them and what each of them takes."""
    holds = tool["held"]
    if holds is None:
        return [f"nothing: {tool['stateless']}", "—", "—"]
    each = (holds["after"] - holds["before"]) / holds["objects"]
    what = f"{holds['objects']:,} {holds['what']}, after {holds['seconds']:,.0f} s"
    return [what, mebibytes(holds["after"]), f"{each:,.0f} B"]


def mebibytes(size):
    return f"{size / MIB:,.0f} MiB"


def brief(milliseconds):
    return f"{milliseconds:,.1f}" if milliseconds < 20 else f"{milliseconds:,.0f}"


def written(table, columns):
    rule = [{"l": "---", "r": "---:"}[column] for column in columns]
    return "\n".join(f"| {' | '.join(row)} |" for row in [table[0], rule, *table[1:]])
