//! Results as Markdown: the summary of a step, or a comment.

use std::fmt::Write as _;

use crate::figures::duration;
use crate::results::{Coverage, EntryStatus, Issue, Results, Severity, VERSION, bar};
use crate::shortened::middle;

/// The issues that the table shows.
const ISSUES: usize = 25;

/// The cases that the list of what is broken shows.
const CASES: usize = 25;

/// The longest value in a cell, in characters.
const CELL: usize = 120;

pub(crate) fn summary(results: &Results) -> String {
    let mark = if results.outcome.passes() { "✅" } else { "❌" };
    let mut text = format!("## {mark} {}\n\n", plain(&results.headline));
    let facts = results.facts.iter().map(|(name, value)| format!("{name} {}", code(value)));
    let _ = writeln!(
        text,
        "`tideover {}` {VERSION}, {}, {}\n",
        results.command,
        code(&results.target),
        facts.chain([duration(results.took)]).collect::<Vec<_>>().join(", ")
    );
    write_issues(&mut text, &results.issues);
    for note in &results.notes {
        let _ = writeln!(text, "- {}", plain(note));
    }
    text.push('\n');
    write_coverage(&mut text, &results.coverage);
    write_cases(&mut text, results);
    text
}

fn write_issues(text: &mut String, issues: &[Issue]) {
    if issues.is_empty() {
        return;
    }
    text.push_str("| | rule | where | expected | seen |\n| --- | --- | --- | --- | --- |\n");
    for issue in issues.iter().take(ISSUES) {
        let mark = match issue.severity {
            Severity::Error => "❌",
            Severity::Warning => "⚠️",
            Severity::Notice => "ℹ️",
        };
        let Issue { rule, place, title, subject, expected, seen, .. } = issue;
        let cells = [subject, expected, seen].map(|cell| code(cell));
        let _ = writeln!(
            text,
            "| {mark} | **{}** {}<br>{} | {} |",
            plain(rule),
            plain(place),
            plain(title),
            cells.join(" | ")
        );
    }
    if let more @ 1.. = issues.len().saturating_sub(ISSUES) {
        let _ = writeln!(text, "\nand {more} more");
    }
    let replays: Vec<&str> =
        issues.iter().take(ISSUES).filter_map(|issue| issue.replay.as_deref()).collect();
    if !replays.is_empty() {
        let _ = writeln!(text, "\nReplay:\n\n{}", block(&replays.join("\n")));
    }
    text.push('\n');
}

fn write_coverage(text: &mut String, coverage: &[Coverage]) {
    if coverage.is_empty() {
        return;
    }
    text.push_str(
        "| part | | examined | in reach | broken |\n| --- | --- | ---: | ---: | ---: |\n",
    );
    for Coverage { part, examined, reachable, broken } in coverage {
        let bar = bar(*examined, *reachable, 10);
        let part = plain(part);
        let _ = writeln!(text, "| {part} | `{bar}` | {examined} | {reachable} | {broken} |");
    }
    text.push('\n');
}

/// The counts of the cases, and those that are broken, where no issue shows them.
fn write_cases(text: &mut String, results: &Results) {
    let counts = EntryStatus::ALL.map(|status| (results.count(status), status.name()));
    let counts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, words)| format!("{count} {words}"))
        .collect();
    let _ = writeln!(text, "{} cases: {}\n", results.cases.len(), counts.join(", "));
    if !results.issues.is_empty() {
        return;
    }
    let is_broken = |status| matches!(status, EntryStatus::Failed | EntryStatus::Broken);
    let broken: Vec<_> = results.cases.iter().filter(|case| is_broken(case.status)).collect();
    for case in broken.iter().take(CASES) {
        let message = case.message.as_deref().unwrap_or(&case.own_status);
        let _ =
            writeln!(text, "- **{}** {}: {}", plain(&case.id), plain(&case.name), code(message));
    }
    if !broken.is_empty() {
        text.push('\n');
    }
}

/// Text in which Markdown and HTML have no meaning.
fn plain(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\r' => written.push(' '),
            '<' => written.push_str("&lt;"),
            '&' => written.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' => {
                written.push('\\');
                written.push(character);
            }
            character => written.push(character),
        }
    }
    written
}

/// A value as code, in one line that fits a cell.
fn code(value: &str) -> String {
    if value.is_empty() {
        return String::new();
    }
    let line = middle(&value.replace(['\n', '\r'], " "), CELL).into_owned();
    // HTML rather than backticks: it needs no count of the backticks within, and no exception for a pipe.
    let line = line.replace('&', "&amp;").replace('<', "&lt;").replace('|', "&#124;");
    format!(
        "<code>{}</code>",
        line.replace('`', "&#96;").replace('*', "&#42;").replace('_', "&#95;")
    )
}

/// Lines as a block of code that nothing within them ends.
fn block(lines: &str) -> String {
    let longest = lines.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}sh\n{lines}\n{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_cannot_leave_their_cell() {
        assert_eq!(code("a|b `c` <i>\nd"), "<code>a&#124;b &#96;c&#96; &lt;i> d</code>");
        assert_eq!(plain("# *x* | <b>\n"), "\\# \\*x\\* \\| &lt;b> ");
        assert_eq!(block("a ```` b"), "`````sh\na ```` b\n`````");
    }
}
