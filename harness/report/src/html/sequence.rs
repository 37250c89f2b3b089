//! The steps of a finding as messages between lanes.

use std::collections::BTreeSet;

use serde::Serialize;
use tideover_exchange::NO_ANSWER;
use tideover_model::Timestamp;

use crate::document::{Actor, DeliveryReport, FindingReport, StepReport};
use crate::shortened::middle;

/// The most messages that are open at first, and how many of the last ones stay open if there are more.
const MOST: usize = 24;
const LAST: usize = 12;

/// The longest label, in characters.
const LABEL: usize = 120;

/// The messages of a finding. The template draws them.
#[derive(Debug, Serialize)]
pub(super) struct Sequence {
    lanes: Vec<String>,
    /// The first messages of a long sequence, which are folded.
    earlier: Vec<Message>,
    messages: Vec<Message>,
}

/// A message between two lanes.
#[derive(Debug, Serialize)]
struct Message {
    kind: Kind,
    /// The lanes, in words.
    route: String,
    /// The lane on the left, from 1.
    left: usize,
    /// The number of lanes that the arrow touches.
    span: usize,
    /// Whether the arrow points to the left.
    is_left: bool,
    label: String,
    /// The time since the first step, if it has passed.
    at: Option<String>,
    /// The index of the step that it begins.
    step: Option<usize>,
    /// Whether it is the last response, which shows the finding.
    is_last: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
enum Kind {
    Request,
    Answer,
    Webhook,
}

impl Sequence {
    pub(super) fn of(finding: &FindingReport) -> Sequence {
        let steps = &finding.steps;
        let lanes = lanes(steps);
        let mut messages = Vec::new();
        for (index, is_answer) in order(steps) {
            let step = &steps[index];
            let between = |kind, from: &str, to: &str, label: &str| {
                Message::new(&lanes, kind, from, to, label)
            };
            let actor = actor(step);
            if !is_answer {
                let label = format!("{}. {}", step.number, step.words);
                messages.push(Message {
                    at: passed(&steps[0].at, &step.at),
                    step: Some(index),
                    ..between(Kind::Request, &actor, SERVICE, &label)
                });
                continue;
            }
            for (delivery, times) in repeated(&step.deliveries) {
                let label = format!("{}. {}", step.number, webhook(delivery, times));
                messages.push(between(Kind::Webhook, SERVICE, RECEIVER, &label));
            }
            messages.push(between(Kind::Answer, SERVICE, &actor, &answer(step)));
        }
        if let Some(last) = messages.last_mut() {
            let seen = format!("{}, {}: {}", last.label, finding.found.field, finding.found.seen);
            last.label = middle(&seen, LABEL).into_owned();
            last.is_last = true;
        }
        let messages = fold(messages);
        Sequence { lanes, earlier: messages.0, messages: messages.1 }
    }
}

/// The first messages of a long sequence, and the rest, which begins with a request.
fn fold(mut messages: Vec<Message>) -> (Vec<Message>, Vec<Message>) {
    if messages.len() <= MOST {
        return (Vec::new(), messages);
    }
    let from = messages.len() - LAST;
    let request = messages[..=from].iter().rposition(|message| message.kind == Kind::Request);
    let rest = messages.split_off(request.unwrap_or(0));
    (messages, rest)
}

const CALLER: &str = "caller";
const SERVICE: &str = "service";
const OUTSIDE: &str = "outside world";
const RECEIVER: &str = "receiver";

/// The participants from left to right. Racing clients stand side by side.
fn lanes(steps: &[StepReport]) -> Vec<String> {
    let mut names = Vec::new();
    let acts = |name: &str| steps.iter().any(|step| actor(step) == name);
    // There is no plain caller if all steps race.
    names.extend(acts(CALLER).then_some(CALLER.to_owned()));
    names.push(SERVICE.to_owned());
    let racers: BTreeSet<usize> = steps.iter().filter_map(StepReport::racer).collect();
    names.extend(racers.into_iter().map(client));
    names.extend(acts(OUTSIDE).then_some(OUTSIDE.to_owned()));
    let receives = steps.iter().any(|step| !step.deliveries.is_empty());
    names.extend(receives.then_some(RECEIVER.to_owned()));
    names
}

/// The lane where a step begins.
fn actor(step: &StepReport) -> String {
    match (step.racer(), step.actor) {
        (Some(racer), _) => client(racer),
        (None, Actor::Caller) => CALLER.to_owned(),
        (None, Actor::Outside) => OUTSIDE.to_owned(),
    }
}

fn client(number: usize) -> String {
    format!("client {number}")
}

/// The requests and responses (true) of the steps, by index. Racing ones are in the order of their times.
fn order(steps: &[StepReport]) -> Vec<(usize, bool)> {
    let mut order: Vec<(usize, bool)> =
        (0..steps.len()).flat_map(|index| [(index, false), (index, true)]).collect();
    order.sort_by_key(|(index, is_answer)| match (steps[*index].interval, is_answer) {
        (None, _) => 0,
        (Some(interval), false) => interval.called,
        (Some(interval), true) => interval.answered.unwrap_or(u64::MAX),
    });
    order
}

/// The response in a few words, with the number of its request: others may be in flight.
fn answer(step: &StepReport) -> String {
    format!("{}. {}", step.number, step.answer)
}

fn webhook(delivery: &DeliveryReport, times: usize) -> String {
    let times = if times > 1 { format!(" × {times}") } else { String::new() };
    let answered = match delivery.answered {
        NO_ANSWER => "no answer".to_owned(),
        status => status.to_string(),
    };
    format!("webhook {}{times} → {answered}", delivery.event.trim_start_matches("partner."))
}

impl Message {
    fn new(lanes: &[String], kind: Kind, from: &str, to: &str, label: &str) -> Message {
        let at = |name: &str| lanes.iter().position(|lane| lane == name).map_or(1, |at| at + 1);
        let route = format!("{from} to {to}");
        let (from, to) = (at(from), at(to));
        Message {
            kind,
            route,
            left: from.min(to),
            span: from.abs_diff(to) + 1,
            is_left: to < from,
            label: middle(label, LABEL).into_owned(),
            at: None,
            step: None,
            is_last: false,
        }
    }
}

/// The time between two instants: `+5 s`, `+2 h 5 min`. `None` if none has passed.
fn passed(first: &str, at: &str) -> Option<String> {
    let (first, at) = (Timestamp::parse(first)?, Timestamp::parse(at)?);
    let seconds = u64::try_from(at.unix() - first.unix()).ok()?;
    let units = [(86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")];
    let mut rest = seconds;
    let parts = units.map(|(unit, name)| {
        let count = rest / unit;
        rest %= unit;
        (count, name)
    });
    let shown = parts.iter().skip_while(|(count, _)| *count == 0).take(2);
    let shown =
        shown.filter(|(count, _)| *count > 0).map(|(count, name)| format!("{count} {name}"));
    let shown: Vec<String> = shown.collect();
    (!shown.is_empty()).then(|| format!("+{}", shown.join(" ")))
}

/// Equal deliveries appear once, with their count.
fn repeated(deliveries: &[DeliveryReport]) -> Vec<(&DeliveryReport, usize)> {
    let mut counted: Vec<(&DeliveryReport, usize)> = Vec::new();
    for delivery in deliveries {
        let same = |(other, _): &&mut (&DeliveryReport, usize)| {
            (&other.event, &other.path, other.answered)
                == (&delivery.event, &delivery.path, delivery.answered)
        };
        match counted.iter_mut().find(same) {
            Some((_, times)) => *times += 1,
            None => counted.push((delivery, 1)),
        }
    }
    counted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_units_are_enough() {
        let since = |at| passed("2026-01-01T00:00:00Z", at);
        assert_eq!(since("2026-01-01T00:00:00Z"), None);
        assert_eq!(since("2026-01-01T00:00:05Z").unwrap(), "+5 s");
        assert_eq!(since("2026-01-01T02:05:09Z").unwrap(), "+2 h 5 min");
        assert_eq!(since("2026-01-02T00:05:00Z").unwrap(), "+1 d");
    }
}
