//! The outcome of many races.

use std::collections::BTreeSet;
use std::time::Duration;

use tideover_exchange::evidence::finding;
use tideover_exchange::evidence::finding::Finding;
use tideover_exchange::transcript::{Header, Lanes, Transcript};
use tideover_model::Clause;

use crate::play::cases;
use crate::play::cases::Failure;
use crate::play::concurrent::contradictions::Contradiction;
use crate::play::concurrent::history::{History, Request};
use crate::play::concurrent::judgement::{Judgement, Part, Verdict, judge};
use crate::play::concurrent::known::Known;

/// What came of many races.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// What is counted of any run: a case is a race, and a step a request.
    pub counted: cases::Summary,
    /// What was concluded of the order of the requests.
    pub parts: Parts,
}

/// What was concluded of the order of the requests: each race has parts that touch nothing of one another.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// How many races they are of.
    pub races: u64,
    /// An order explains every answer.
    pub explained: u64,
    /// The search ended before it found an order or had tried all.
    pub undecided: u64,
    /// No order explains the answers, which alone violates nothing.
    pub inconclusive: u64,
    /// Answers contradict the document, in whatever order.
    pub contradicted: u64,
    /// Those that are undecided or inconclusive, the first few.
    pub unexplained: Vec<Unexplained>,
    /// Requests with an unknown outcome.
    pub unknown: u64,
}

/// A part that no order was found for.
#[derive(Clone, Debug)]
pub struct Unexplained {
    /// In which race.
    pub case: u64,
    /// What of it is known, in words.
    pub words: String,
}

/// A failure whose cause was not met before.
#[derive(Clone, Debug)]
pub struct New {
    /// Where it stands among the failures.
    pub failure: usize,
    /// The requests, by index, that were written before of what it touches.
    pub(super) leading: Vec<usize>,
    /// Those that show it.
    pub(super) racing: Vec<usize>,
}

/// The most parts without an order that are reported.
const MOST_SHOWN: usize = 5;

impl Summary {
    /// Judges one more race, and reports failures with new causes.
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
        let unanswered = history.requests.iter().filter(|request| request.answer.is_none());
        counted.unanswered += unanswered.count() as u64;
        counted.coverage.add(&judgement.coverage);
        counted.met.add(&judgement.met);
        let broken: BTreeSet<Clause> =
            judgement.contradictions.iter().map(|one| one.finding.clause).collect();
        for clause in broken {
            counted.broken.entry(clause).or_insert((0, finding::Verdict::Violated)).0 += 1;
        }
        for request in history.requests.iter().filter(|_| history.is_timed) {
            if let (Some(kind), Some(took)) = (request.kind(), request.took()) {
                counted.latencies.record(kind, Duration::from_micros(took));
            }
        }
    }
}

impl Parts {
    /// How many nothing could be concluded of.
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
                // What no order explains there has its cause already.
                self.contradicted += 1;
                continue;
            }
            let counted = match part.verdict {
                Verdict::Explained(_) => &mut self.explained,
                Verdict::Undecided => &mut self.undecided,
                Verdict::Inconclusive(_) => &mut self.inconclusive,
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

/// What is known of a part that no order was found for, in words.
fn unexplained(history: &History, part: &Part) -> Option<String> {
    let count = part.requests.len();
    Some(match &part.verdict {
        Verdict::Explained(_) => return None,
        Verdict::Undecided => format!("{count} requests: undecided, the search was ended"),
        Verdict::Inconclusive(None) => format!("{count} requests: no order explains them"),
        Verdict::Inconclusive(Some(stuck)) => {
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

/// What was written before the requests that show a contradiction, of what they touch.
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

/// The seed of the order in which a target in process carries out the requests of race `number`.
pub(super) fn schedule_of(header: &Header, number: u64) -> u64 {
    header.seed.wrapping_add(number)
}

/// What requests of a race show, with those that led to it; it was not made small.
pub(super) fn failure(
    header: &Header,
    case: u64,
    history: &History,
    finding: &Finding,
    (leading, racing): (&[usize], &[usize]),
) -> Failure {
    let shown: BTreeSet<&usize> = leading.iter().chain(racing).collect();
    let shown: Vec<&Request> = shown.into_iter().map(|one| &history.requests[*one]).collect();
    let answer = |request: &&Request| {
        let seen = request.answer.as_ref().map(|answer| answer.seen.clone());
        (request.now, seen)
    };
    let clients = shown.iter().map(|request| request.client).collect();
    let steps = shown.iter().map(|request| request.step.clone()).collect();
    Failure {
        case,
        steps_before: history.requests.len(),
        probes: 0,
        is_small: false,
        reproduced: None,
        met: 1,
        unplayed: Vec::new(),
        findings: vec![finding.clone()],
        transcript: Transcript {
            finding: Some(finding.name()),
            race: Some(Lanes { clients, schedule: schedule_of(header, case) }),
            ..Transcript::new(header.clone(), steps)
        },
        answers: shown.iter().map(answer).collect(),
        arrivals: Vec::new(),
        raced: shown.iter().map(|request| request.interval()).collect(),
        is_known: false,
    }
}
