//! The steps of a finding as a sequence diagram: who asks whom, and what is answered.

use serde::Serialize;

use crate::report::document::{Actor, DeliveryReport, FindingReport};

const LANE: usize = 200;
const MARGIN: usize = 50;
const TOP: usize = 52;
const ROW: usize = 34;

/// How many characters of a label there is room for between two lanes.
const ROOM: usize = 28;

/// A diagram, laid out.
#[derive(Debug, Serialize)]
pub(super) struct Sequence {
    width: usize,
    height: usize,
    lanes: Vec<Lane>,
    arrows: Vec<Arrow>,
}

/// Somebody who takes part.
#[derive(Debug, Serialize)]
struct Lane {
    name: &'static str,
    x: usize,
}

/// Something said by one to another.
#[derive(Debug, Serialize)]
struct Arrow {
    from: usize,
    to: usize,
    /// Where its line begins and ends: the head takes room.
    end: usize,
    middle: usize,
    y: usize,
    label: String,
    whole: String,
    is_answer: bool,
    /// Whether it is the last answer, with which the finding came.
    is_last: bool,
}

impl Sequence {
    pub(super) fn of(finding: &FindingReport) -> Sequence {
        let steps = &finding.steps;
        let outside = steps.iter().any(|step| step.actor == Actor::Outside);
        let receiver = steps.iter().any(|step| !step.deliveries.is_empty());
        let mut names = vec!["caller", "service"];
        names.extend(outside.then_some("outside world"));
        names.extend(receiver.then_some("receiver"));
        let lanes: Vec<Lane> = names
            .into_iter()
            .enumerate()
            .map(|(index, name)| Lane { name, x: MARGIN + index * LANE })
            .collect();
        let at = |name| lanes.iter().find(|lane| lane.name == name).map_or(0, |lane| lane.x);
        let mut arrows = Vec::new();
        for step in steps {
            let actor = match step.actor {
                Actor::Caller => at("caller"),
                Actor::Outside => at("outside world"),
            };
            let service = at("service");
            let mut say = |from, to, words: String, is_answer| {
                let y = TOP + ROW * (arrows.len() + 1);
                arrows.push(Arrow::new(from, to, y, words, is_answer));
            };
            say(actor, service, format!("{}. {}", step.number, step.title), false);
            for (delivery, times) in repeated(&step.deliveries) {
                let times = if times > 1 { format!(" × {times}") } else { String::new() };
                let event = delivery.event.trim_start_matches("partner.");
                let words = format!("{event}{times}: {}", delivery.answered);
                say(service, at("receiver"), words, false);
            }
            let is_last = step.number == steps.len() as u64;
            let found = &finding.found;
            let seen = || format!("{}, {}: {}", step.answer, found.field, found.seen);
            let answer = if is_last { seen() } else { step.answer.to_string() };
            say(service, actor, answer, true);
        }
        if let Some(last) = arrows.last_mut() {
            last.is_last = true;
        }
        let width = MARGIN * 2 + LANE * (lanes.len() - 1);
        Sequence { width, height: TOP + ROW * (arrows.len() + 1), lanes, arrows }
    }
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

/// What is the same is told once, with how often it came.
fn repeated(deliveries: &[DeliveryReport]) -> Vec<(&DeliveryReport, usize)> {
    let mut told: Vec<(&DeliveryReport, usize)> = Vec::new();
    for delivery in deliveries {
        let same = |(other, _): &&mut (&DeliveryReport, usize)| {
            (&other.event, &other.path, other.answered)
                == (&delivery.event, &delivery.path, delivery.answered)
        };
        match told.iter_mut().find(same) {
            Some((_, times)) => *times += 1,
            None => told.push((delivery, 1)),
        }
    }
    told
}
