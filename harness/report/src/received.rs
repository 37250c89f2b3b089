//! The webhooks of a step, on a terminal.

use std::fmt;

use tideover_exchange::NO_ANSWER;

use crate::document::DeliveryReport;

/// The longest header and the longest body that are shown whole, in characters.
const LONGEST: usize = 320;

/// The headers that the document names begin with this. `--json` and `--html` have the others.
const DOCUMENTED: &str = "Service-";

/// So many webhooks of a step are shown from its beginning, and as many from its end.
const SHOWN: usize = 3;

/// Writes what was received with a step: each webhook with its documented headers and its body.
pub(super) fn write_received(
    f: &mut fmt::Formatter<'_>,
    deliveries: &[DeliveryReport],
) -> fmt::Result {
    let left_out = deliveries.len().saturating_sub(2 * SHOWN);
    for (index, delivery) in deliveries.iter().enumerate() {
        if left_out > 0 && index == SHOWN {
            writeln!(f, "     received {left_out} more; see --json or --html")?;
        }
        if left_out > 0 && (SHOWN..SHOWN + left_out).contains(&index) {
            continue;
        }
        write_one(f, delivery)?;
    }
    Ok(())
}

fn write_one(f: &mut fmt::Formatter<'_>, delivery: &DeliveryReport) -> fmt::Result {
    let DeliveryReport { event, path, answered, headers, body, text, .. } = delivery;
    let answered = match *answered {
        NO_ANSWER => "no answer".to_owned(),
        status => status.to_string(),
    };
    writeln!(f, "     received {event} on {path} → {answered}")?;
    for header in headers.iter().filter(|header| header.name.starts_with(DOCUMENTED)) {
        writeln!(f, "       {}", shortened(&format!("{}: {}", header.name, header.value)))?;
    }
    let body = body.as_ref().map(ToString::to_string).or_else(|| text.clone());
    match body {
        Some(body) => writeln!(f, "       {}", shortened(&body)),
        None => Ok(()),
    }
}

/// `text` in one line that is not too long.
fn shortened(text: &str) -> String {
    let line = text.replace(['\n', '\r'], " ");
    match line.char_indices().nth(LONGEST) {
        None => line,
        Some((end, _)) => format!("{}…", &line[..end]),
    }
}
