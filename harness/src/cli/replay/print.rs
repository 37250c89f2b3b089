//! What `tideover replay` prints.

use std::io;

use serde_json::json;
use tideover_exchange::transcript::{FindingName, Transcript};
use tideover_report::plain;
use tideover_suite::play::replay::Replay;

use crate::cli::{Outcome, Output};

/// Prints the play that shows the finding, or the last one.
pub(super) fn print(
    output: &Output,
    transcript: &Transcript,
    replay: &Replay<'_>,
    left_behind: &[String],
    outcome: Outcome,
) -> io::Result<()> {
    if let Some(name) = &transcript.finding {
        print_headline(output, name, replay)?;
    }
    if let Some(story) = &transcript.header.story {
        output.print(story, || json!({ "story": story }))?;
    }
    print_steps(output, transcript, replay)?;
    for finding in &replay.shown.findings {
        output.print(format!("\n{finding}"), || json!({ "finding": finding }))?;
    }
    let (count, of) = (replay.shown.answers.len(), transcript.steps.len());
    let verdict = match (replay.unanswered(), &transcript.finding) {
        (_, Some(_)) => reproduced(replay),
        _ if !replay.shown.held() => "did not hold".to_owned(),
        (0, None) => "held".to_owned(),
        (none, None) => format!("inconclusive, {none} without an answer"),
    };
    output.print(format!("\n{count} of {of} steps played: {verdict}"), || {
        json!({
            "steps": count,
            "held": replay.shown.held(),
            "outcome": outcome,
            "expectedFinding": transcript.finding,
            "reproduced": replay.reproduced,
        })
    })?;
    for (_, finding) in &replay.shown.noticed {
        output.print(format!("\n{finding}"), || json!({ "noticed": finding }))?;
    }
    for left in left_behind {
        output.print(format!("left behind: {left}"), || json!({ "leftBehind": left }))?;
    }
    Ok(())
}

/// Prints whether the finding was reproduced, before anything else. A program finds that in the last line.
fn print_headline(output: &Output, name: &FindingName, replay: &Replay<'_>) -> io::Result<()> {
    let FindingName { fingerprint, clause, operation, field } = name;
    let words = if replay.finding().is_some() { "REPRODUCED" } else { "NOT REPRODUCED" };
    let plays = &replay.reproduced;
    let mut text = format!(
        "{words}  {} of {}: {clause}, {operation}: {field} ({fingerprint})",
        plays.times, plays.plays
    );
    if let Some(why) = &replay.ended {
        text.push_str(&format!("\n  ended early: {why}"));
    }
    output.print(text + "\n", || json!({ "expectedFinding": name }))
}

fn reproduced(replay: &Replay<'_>) -> String {
    let (times, plays) = (replay.reproduced.times, replay.reproduced.plays);
    match (times, replay.shown.findings.is_empty()) {
        (0, true) => format!("not reproduced in {plays}, nothing else found"),
        (0, false) => format!("not reproduced in {plays}, another finding instead"),
        _ => format!("reproduced {times} of {plays}"),
    }
}

fn print_steps(output: &Output, transcript: &Transcript, replay: &Replay<'_>) -> io::Result<()> {
    let played = &replay.shown;
    for (index, (at, seen)) in played.answers.iter().enumerate() {
        let step = &transcript.steps[index];
        let client = transcript.race.as_ref().map_or(0, |race| race.clients[index]);
        let client = if client > 0 { format!(" client {client}:") } else { String::new() };
        let note = step.note.as_deref().map(|note| format!("   {note}\n   ")).unwrap_or_default();
        let answer = match seen {
            None => "no answer".to_owned(),
            Some(seen) => seen
                .code()
                .map_or_else(|| seen.status.to_string(), |code| format!("{} {code}", seen.status)),
        };
        let number = index + 1;
        let received: Vec<_> = played
            .arrivals
            .iter()
            .filter(|(with, _)| *with == index)
            .map(|(_, arrival)| arrival)
            .collect();
        let mut text = format!("{number}.{client}{note} {} → {answer}", plain(step));
        for arrival in &received {
            text.push_str(&format!("\n   received {arrival}"));
        }
        output.print(
            text,
            || json!({ "step": number, "at": at, "seen": seen, "received": received }),
        )?;
        for (_, mismatch) in played.mismatches.iter().filter(|(at, _)| *at == index) {
            let (field, expected, seen) = (&mismatch.field, &mismatch.expected, &mismatch.seen);
            output.print(
                format!("   NOT AS EXPECTED, {field}: expected {expected}, seen {seen}"),
                || json!({ "step": number, "field": field, "expected": expected, "seen": seen }),
            )?;
        }
    }
    Ok(())
}
