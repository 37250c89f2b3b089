//! The steps of a finding as a sequence diagram.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::exchange::NO_ANSWER;
use crate::report::document::{Actor, DeliveryReport, FindingReport, StepReport};

const LANE: usize = 200;
const MARGIN: usize = 50;
const TOP: usize = 52;
const ROW: usize = 34;

/// The number of characters of a label that fit between two lanes.
const ROOM: usize = 28;

/// A diagram with its layout.
#[derive(Debug, Serialize)]
pub(super) struct Sequence {
    width: usize,
    height: usize,
    lanes: Vec<Lane>,
    arrows: Vec<Arrow>,
}

/// A participant.
#[derive(Debug, Serialize)]
struct Lane {
    name: String,
    x: usize,
}

/// A message between two participants.
#[derive(Debug, Serialize)]
struct Arrow {
    from: usize,
    to: usize,
    /// The end of the line, short of `to` to leave room for the head.
    end: usize,
    middle: usize,
    y: usize,
    label: String,
    whole: String,
    is_answer: bool,
    /// Whether it is the last response, which shows the finding.
    is_last: bool,
}

impl Sequence {
    pub(super) fn of(finding: &FindingReport) -> Sequence {
        let steps = &finding.steps;
        let lanes: Vec<Lane> = names(steps)
            .into_iter()
            .enumerate()
            .map(|(index, name)| Lane { name, x: MARGIN + index * LANE })
            .collect();
        let at = |name: &str| lanes.iter().find(|lane| lane.name == name).map_or(0, |lane| lane.x);
        let service = at("service");
        let mut arrows = Vec::new();
        let messages = messages(steps);
        for (index, (step, is_answer)) in messages.iter().enumerate() {
            let actor = at(&actor(step));
            let mut say = |from, to, words: String, is_answer| {
                let y = TOP + ROW * (arrows.len() + 1);
                arrows.push(Arrow::new(from, to, y, words, is_answer));
            };
            if !*is_answer {
                say(actor, service, format!("{}. {}", step.number, step.title), false);
                continue;
            }
            for (delivery, times) in repeated(&step.deliveries) {
                let times = if times > 1 { format!(" × {times}") } else { String::new() };
                let event = delivery.event.trim_start_matches("partner.");
                let answered = match delivery.answered {
                    NO_ANSWER => "no answer".to_owned(),
                    status => status.to_string(),
                };
                let words = format!("{}. {event}{times}: {answered}", step.number);
                say(service, at("receiver"), words, false);
            }
            // Each arrow has the number of its step: others may be in flight.
            let mut answer = format!("{}. {}", step.number, step.answer);
            if index + 1 == messages.len() {
                let found = &finding.found;
                answer.push_str(&format!(", {}: {}", found.field, found.seen));
            }
            say(service, actor, answer, true);
        }
        if let Some(last) = arrows.last_mut() {
            last.is_last = true;
        }
        let width = MARGIN * 2 + LANE * (lanes.len() - 1);
        Sequence { width, height: TOP + ROW * (arrows.len() + 1), lanes, arrows }
    }
}

/// The participants from left to right. Racing clients stand side by side.
fn names(steps: &[StepReport]) -> Vec<String> {
    let mut names = Vec::new();
    let acts = |name: &str| steps.iter().any(|step| actor(step) == name);
    // There is no plain caller if all steps race.
    names.extend((acts("caller") || steps.is_empty()).then_some("caller".to_owned()));
    names.push("service".to_owned());
    let racers: BTreeSet<usize> = steps.iter().filter_map(StepReport::racer).collect();
    names.extend(racers.into_iter().map(client));
    names.extend(acts("outside world").then_some("outside world".to_owned()));
    let receives = steps.iter().any(|step| !step.deliveries.is_empty());
    names.extend(receives.then_some("receiver".to_owned()));
    names
}

/// The lane where a step begins.
fn actor(step: &StepReport) -> String {
    match (step.racer(), step.actor) {
        (Some(racer), _) => client(racer),
        (None, Actor::Caller) => "caller".to_owned(),
        (None, Actor::Outside) => "outside world".to_owned(),
    }
}

fn client(number: usize) -> String {
    format!("client {number}")
}

/// The requests and responses (true) of the steps, in order. Racing ones are in the order of their times.
fn messages(steps: &[StepReport]) -> Vec<(&StepReport, bool)> {
    let mut messages: Vec<(&StepReport, bool)> =
        steps.iter().flat_map(|step| [(step, false), (step, true)]).collect();
    messages.sort_by_key(|(step, is_answer)| match (step.interval, is_answer) {
        (None, _) => 0,
        (Some(interval), false) => interval.called,
        (Some(interval), true) => interval.answered.unwrap_or(u64::MAX),
    });
    messages
}

impl Arrow {
    fn new(from: usize, to: usize, y: usize, whole: String, is_answer: bool) -> Arrow {
        let room = ROOM * (from.abs_diff(to) / LANE);
        let label = match whole.char_indices().nth(room) {
            None => whole.clone(),
            Some((end, _)) => format!("{}…", &whole[..end]),
        };
        let end = if to > from { to - 8 } else { to + 8 };
        let middle = usize::midpoint(from, to);
        Arrow { from, to, end, middle, y, label, whole, is_answer, is_last: false }
    }
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
