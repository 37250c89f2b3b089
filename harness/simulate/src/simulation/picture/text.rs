//! Times, amounts and lines, as they are read.

use tideover_model::Cents;
use tideover_report::grouped;

use crate::simulation::queue::{DAY, HOUR, MINUTE, Moment, SECOND};

/// Cents in dollars: `$2,305,238.98`.
pub(super) fn dollars(cents: Cents) -> String {
    let sign = if cents.0 < 0 { "−" } else { "" };
    let cents = cents.0.unsigned_abs();
    format!("{sign}${}.{:02}", grouped(cents / 100), cents % 100)
}

/// Cents in dollars, rounded down to the few digits that a picture has room for: `$2.3M`.
pub(super) fn short_dollars(cents: u64) -> String {
    let dollars = cents / 100;
    let units = [("B", 1_000_000_000), ("M", 1_000_000), ("k", 1000)];
    match units.into_iter().find(|(_, unit)| dollars >= *unit) {
        Some((name, unit)) if dollars / unit >= 100 => format!("${}{name}", dollars / unit),
        Some((name, unit)) => format!("${}.{}{name}", dollars / unit, dollars % unit * 10 / unit),
        None => format!("${dollars}"),
    }
}

/// A span in its largest unit, rounded down: `3h`.
pub(super) fn span(milliseconds: Moment) -> String {
    let units = [("d", DAY), ("h", HOUR), ("m", MINUTE), ("s", SECOND)];
    match units.into_iter().find(|(_, unit)| milliseconds >= *unit) {
        Some((name, unit)) => format!("{}{name}", milliseconds / unit),
        None => format!("{milliseconds}ms"),
    }
}

/// A text in lines of limited length. What does not fit into `most` lines is left out, and said so by `…`.
pub(super) fn wrapped(text: &str, length: usize, most: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() && lines.len() < most {
        let (line, after) = match rest.char_indices().nth(length) {
            None => (rest, ""),
            Some((end, _)) if lines.len() + 1 == most => {
                let shorter = rest[..end].char_indices().next_back().map_or(end, |(end, _)| end);
                lines.push(format!("{}…", rest[..shorter].trim_end()));
                break;
            }
            Some((end, _)) => rest.split_at(place_to_break(rest, end)),
        };
        lines.push(line.trim_end().to_owned());
        rest = after.trim_start();
    }
    lines
}

/// The last space, slash or point of a line, if the line is at least half full there, or else its end.
fn place_to_break(text: &str, end: usize) -> usize {
    let line = &text[..end];
    if text[end..].starts_with(' ') {
        return end;
    }
    line.rfind([' ', '/', '.']).filter(|at| at * 2 >= end).unwrap_or(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::trace::clock;

    #[test]
    fn amounts_are_in_dollars() {
        assert_eq!(dollars(Cents(230_523_898)), "$2,305,238.98");
        assert_eq!(dollars(Cents(-5)), "−$0.05");
        assert_eq!(dollars(Cents(i64::MIN)), "−$92,233,720,368,547,758.08");
        assert_eq!(short_dollars(230_523_898), "$2.3M");
        assert_eq!(short_dollars(99_999), "$999");
        assert_eq!(short_dollars(100_000), "$1.0k");
        assert_eq!(short_dollars(12_034_500), "$120k");
    }

    #[test]
    fn times_are_since_the_start() {
        let at = 3 * DAY + 4 * HOUR + 5 * MINUTE + 6 * SECOND + 789;
        assert_eq!(clock(at), "3d 04:05:06.789");
        assert_eq!([span(0), span(59 * SECOND), span(DAY + HOUR)], ["0ms", "59s", "1d"]);
    }

    #[test]
    fn lines_break_at_spaces_and_slashes() {
        let text = "PUT /v1/organizations/v6/payout-account → 200";
        assert_eq!(wrapped(text, 30, 2), ["PUT /v1/organizations/v6", "/payout-account → 200"]);
        assert_eq!(wrapped(text, 30, 1), ["PUT /v1/organizations/v6/payo…"]);
        assert_eq!(wrapped("ééé", 2, 5), ["éé", "é"]);
        assert_eq!(wrapped(" 200 ", 30, 2), ["200"]);
        assert!(wrapped("", 30, 2).is_empty());
    }
}
