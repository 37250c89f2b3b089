//! The outcome of many races.

use std::collections::BTreeSet;
use std::time::Duration;

use tideover_exchange::evidence::finding::Finding;
use tideover_exchange::transcript::{Header, Lanes};

use crate::play::case::Played;
use crate::play::cases;
use crate::play::cases::Failure;
use crate::play::concurrent::contradictions::Contradiction;
use crate::play::concurrent::history::{History, TimedRequest};
use crate::play::concurrent::judgement::{Judgement, Part, judge};
use crate::play::concurrent::known::Known;
use crate::play::concurrent::linearise::OrderVerdict;

/// The outcome of many races.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// What any run counts. A case is a race, and a step a request.
    pub counted: cases::Summary,
    pub parts: Parts,
}

/// The judgements of the parts of all races.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    pub races: u64,
    /// Parts whose responses some order explains.
    pub explained: u64,
    /// Parts whose search reached its bound.
    pub undecided: u64,
    /// Parts whose responses no order explains, which alone violates nothing.
    pub inconclusive: u64,
    /// Parts with responses that contradict the document in every order.
    pub contradicted: u64,
    /// The first few undecided and inconclusive parts.
    pub unexplained: Vec<Unexplained>,
    /// Requests with an unknown outcome.
    pub unknown: u64,
}

/// A part without an order.
#[derive(Clone, Debug)]
pub struct Unexplained {
    /// The number of the race.
    pub case: u64,
    pub words: String,
}

/// A failure with a new cause.
#[derive(Clone, Debug)]
pub struct New {
    /// Its index among the failures.
    pub failure: usize,
    /// The earlier writes, by index, to what the failure touches.
    pub(super) leading: Vec<usize>,
    /// The requests that show it.
    pub(super) racing: Vec<usize>,
}

/// The number of parts without an order that are reported: more would say the same again.
const MOST_SHOWN: usize = 5;

impl Summary {
    /// Judges a race, and returns the failures with new causes.
    pub fn add(
        &mut self,
        header: &Header,
        case: u64,
        history: &History,
        known: &Known,
    ) -> Vec<New> {
        let judgement = judge(history, known);
        self.count(history, &judgement);
        self.parts.add(case, history, &judgement);
        let parts: Vec<_> = judgement.parts.into_iter().map(|part| part.requests).collect();
        let mut met: Vec<Finding> = Vec::new();
        let mut new = Vec::new();
        for one in judgement.contradictions {
            if met.iter().any(|known| known.is_same(&one.finding)) {
                continue;
            }
            met.push(one.finding.clone());
            let leading = leading_to(&one, history, &parts);
            let Contradiction { finding, requests: racing } = one;
            let failure = failure(header, case, history, &finding, (&leading, &racing));
            if self.counted.count(failure).is_some() {
                let failure = self.counted.failures.len() - 1;
                new.push(New { failure, leading, racing });
            }
        }
        new
    }

    fn count(&mut self, history: &History, judgement: &Judgement) {
        let counted = &mut self.counted;
        counted.cases += 1;
        counted.steps += history.requests.len() as u64;
        let unanswered = history.requests.iter().filter(|request| request.response.is_none());
        counted.unanswered += unanswered.count() as u64;
        counted.coverage.add(&judgement.coverage);
        counted.met.add(&judgement.met);
        counted.count_broken(judgement.contradictions.iter().map(|one| &one.finding));
        for request in history.requests.iter().filter(|_| history.is_timed) {
            if let (Some(kind), Some(took)) = (request.kind(), request.took()) {
                counted.latencies.record(kind, Duration::from_micros(took));
            }
        }
    }
}

impl Parts {
    /// The number of parts from which nothing can be concluded.
    pub fn open(&self) -> u64 {
        self.undecided + self.inconclusive
    }

    fn add(&mut self, case: u64, history: &History, judgement: &Judgement) {
        self.races += 1;
        self.unknown += history.unknown() as u64;
        for part in &judgement.parts {
            let contradicts = |one: &Contradiction| {
                one.requests.iter().any(|request| part.requests.contains(request))
            };
            if judgement.contradictions.iter().any(contradicts) {
                // Why no order explains its responses is known.
                self.contradicted += 1;
                continue;
            }
            let counted = match part.verdict {
                OrderVerdict::Explained(_) => &mut self.explained,
                OrderVerdict::Undecided => &mut self.undecided,
                OrderVerdict::Inconclusive(_) => &mut self.inconclusive,
            };
            *counted += 1;
            if self.unexplained.len() < MOST_SHOWN
                && let Some(words) = unexplained(history, part)
            {
                self.unexplained.push(Unexplained { case, words });
            }
        }
    }
}

/// A part without an order, in words.
fn unexplained(history: &History, part: &Part) -> Option<String> {
    let count = part.requests.len();
    Some(match &part.verdict {
        OrderVerdict::Explained(_) => return None,
        OrderVerdict::Undecided => format!("{count} requests: undecided, the search was ended"),
        OrderVerdict::Inconclusive(None) => format!("{count} requests: no order explains them"),
        OrderVerdict::Inconclusive(Some(stuck)) => {
            let request = &history.requests[stuck.request];
            let differs = stuck.differs.first().map(|(field, expected, seen)| {
                format!("{field}: expected {expected}, seen {seen}")
            });
            format!(
                "{count} requests: no order explains {} by client {}, after {} others: {}",
                request.described(),
                request.client,
                stuck.placed.len(),
                differs.unwrap_or_default(),
            )
        }
    })
}

/// The earlier writes to what the requests of a contradiction touch.
fn leading_to(
    contradiction: &Contradiction,
    history: &History,
    parts: &[Vec<usize>],
) -> Vec<usize> {
    let racing = &contradiction.requests;
    let part = parts.iter().find(|part| racing.iter().any(|one| part.contains(one)));
    let request = |index: &usize| &history.requests[*index];
    let first = racing.first().map(request);
    let leads = |index: &usize| {
        let before = first.is_some_and(|first| request(index).precedes(first));
        before && !request(index).reads() && request(index).is_alone() && !racing.contains(index)
    };
    part.into_iter().flatten().copied().filter(leads).collect()
}

/// The seed of the schedule of race `number`, where the target is in process.
pub(super) fn schedule_of(header: &Header, number: u64) -> u64 {
    header.seed.wrapping_add(number)
}

/// A finding in a race, with the requests that show it and those that led to it. It is not shrunk.
pub(super) fn failure(
    header: &Header,
    case: u64,
    history: &History,
    finding: &Finding,
    (leading, racing): (&[usize], &[usize]),
) -> Failure {
    let shown: BTreeSet<&usize> = leading.iter().chain(racing).collect();
    let shown: Vec<&TimedRequest> = shown.into_iter().map(|one| &history.requests[*one]).collect();
    let played = Played {
        answers: shown.iter().map(|request| (request.now, request.seen().cloned())).collect(),
        findings: vec![finding.clone()],
        ..Played::default()
    };
    let steps = shown.iter().map(|request| request.step.clone()).collect();
    let mut failure = Failure::of(header, case, steps, played);
    failure.steps_before = history.requests.len();
    failure.raced = shown.iter().map(|request| request.interval()).collect();
    let clients = shown.iter().map(|request| request.client).collect();
    failure.transcript.race = Some(Lanes { clients, schedule: schedule_of(header, case) });
    failure
}
