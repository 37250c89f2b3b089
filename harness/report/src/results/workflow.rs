//! Issues as commands of a GitHub workflow, which become annotations.

use std::fmt::Write as _;

use crate::results::{Issue, Results, Severity};

/// The annotations of one kind that GitHub shows for a step.
const SHOWN: usize = 10;

/// The headline and the issues, one command on each line.
pub(crate) fn commands(results: &Results) -> String {
    let kind = if results.outcome.passes() { "notice" } else { "error" };
    let title = format!("tideover {}", results.command);
    let mut text = String::new();
    line(&mut text, kind, &title, &results.headline);
    for severity in [Severity::Error, Severity::Warning, Severity::Notice] {
        let kind = match severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Notice => "notice",
        };
        // The headline, and the line about the rest, may be of the same kind.
        let of_kind: Vec<&Issue> =
            results.issues.iter().filter(|issue| issue.severity == severity).collect();
        for issue in of_kind.iter().take(SHOWN - 2) {
            line(&mut text, kind, &format!("{} ({})", issue.rule, issue.place), &words(issue));
        }
        if let more @ 1.. = of_kind.len().saturating_sub(SHOWN - 2) {
            line(&mut text, kind, &title, &format!("and {more} more; see the summary"));
        }
    }
    text
}

fn words(issue: &Issue) -> String {
    let mut words = format!("{}\n{}", issue.title, issue.observation());
    if let Some(replay) = &issue.replay {
        let _ = write!(words, "\nreplay: {replay}");
    }
    words
}

fn line(text: &mut String, kind: &str, title: &str, message: &str) {
    let title = escaped(title).replace(':', "%3A").replace(',', "%2C");
    let _ = writeln!(text, "::{kind} title={title}::{}", escaped(message));
}

/// A message that stays on one line and in its command.
fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_ends_where_its_line_ends() {
        let mut text = String::new();
        line(&mut text, "error", "a, b: 5%", "first\r\n::set-env name=X::y");
        let expected = "::error title=a%2C b%3A 5%25::first%0D%0A::set-env name=X::y\n";
        assert_eq!(text, expected);
    }
}
