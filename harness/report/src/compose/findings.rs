//! The report of a finding.

use serde_json::Value;
use tideover_exchange::evidence::Reproduced;
use tideover_exchange::evidence::finding::{Finding, Verdict};
use tideover_exchange::step::Action;
use tideover_exchange::{Arrival, Body, Response};
use tideover_model::wire::field;
use tideover_suite::play::cases::{Failure, Noticed};

use crate::advice::advice;
use crate::culprit::culprit;
use crate::difference::difference;
use crate::document::{
    Actor, Answer, Blame, DeliveryReport, FindingReport, Found, HeaderReport, Party, StepReport,
};
use crate::{curl, plain, title};

impl FindingReport {
    pub fn of(failure: &Failure) -> FindingReport {
        let finding = failure.finding();
        let last = failure.answers.last().and_then(|(_, seen)| seen.as_ref());
        FindingReport {
            also: failure.findings.iter().skip(1).map(Found::from).collect(),
            first_case: failure.regression.is_none().then_some(failure.case),
            regression: failure.regression.clone(),
            steps_before: failure.steps_before as u64,
            runs: failure.probes as u64,
            shrunk: failure.is_small,
            reproduced: failure.reproduced,
            stability: failure.reproduced.map(Reproduced::stability),
            blame: Blame::of(finding.verdict, last),
            steps: steps(failure),
            culprit: culprit(failure),
            difference: failure.is_known.then(|| difference(&failure.transcript)).flatten(),
            ..FindingReport::without_steps(finding, failure.met, failure.met)
        }
    }

    /// The report of a finding that does not fail the run.
    pub(super) fn noticed(noticed: &Noticed, is_recorded: bool) -> FindingReport {
        let Noticed { finding, times, cases, first } = noticed;
        let (times, cases) = (*times, *cases);
        let report = match first {
            Some(first) => FindingReport { times, cases, ..FindingReport::of(first) },
            None => FindingReport::without_steps(finding, times, cases),
        };
        FindingReport { advice: Some(advice(finding, is_recorded).to_owned()), ..report }
    }

    fn without_steps(finding: &Finding, times: u64, cases: u64) -> FindingReport {
        FindingReport {
            fingerprint: finding.cause().fingerprint(),
            found: Found::from(finding),
            also: Vec::new(),
            known: false,
            times,
            cases,
            regression: None,
            first_case: None,
            steps_before: 0,
            runs: 0,
            shrunk: false,
            reproduced: None,
            stability: None,
            blame: Blame::of(finding.verdict, None),
            advice: None,
            steps: Vec::new(),
            culprit: None,
            difference: None,
            replay: None,
        }
    }
}

impl From<&Finding> for Found {
    fn from(finding: &Finding) -> Found {
        let Finding { clause, verdict, operation, field, expected, seen } = finding;
        Found {
            clause: clause.name().to_owned(),
            place: clause.place().to_owned(),
            wording: clause.wording().to_owned(),
            verdict: *verdict,
            operation: operation.clone(),
            field: field.clone(),
            expected: expected.clone(),
            seen: seen.clone(),
        }
    }
}

impl Blame {
    fn of(verdict: Verdict, last: Option<&Response>) -> Blame {
        let gateway = |seen: &Response| matches!(seen.status, 502..=504) && seen.json().is_none();
        let (who, why) = match verdict {
            _ if last.is_some_and(gateway) => (
                Party::Network,
                "A gateway's status without the document's body comes from something before the service.",
            ),
            Verdict::Violated => {
                (Party::Service, "The document says it, and the service does otherwise.")
            }
            Verdict::Stalled => (Party::Service, "A hidden transition did not happen in time."),
            Verdict::DiffersFromAssumption => (
                Party::Us,
                "The document leaves it open, and the service differs from our assumption.",
            ),
            Verdict::Inconclusive => (Party::Us, "The observations do not show who is at fault."),
        };
        Blame { who, why: why.to_owned() }
    }
}

fn steps(failure: &Failure) -> Vec<StepReport> {
    let steps = &failure.transcript.steps;
    let lines = curl(&failure.transcript, &failure.answers);
    let played = steps.iter().zip(&failure.answers).zip(lines);
    played
        .enumerate()
        .map(|(index, ((step, (at, seen)), curl))| StepReport {
            number: index as u64 + 1,
            actor: match &step.action {
                Action::Call(_) | Action::Deliveries => Actor::Caller,
                Action::Act(_) | Action::Advance(_) => Actor::Outside,
            },
            title: title(step),
            words: plain(step),
            curl,
            at: at.to_string(),
            answer: seen.as_ref().map_or_else(Answer::none, Answer::from),
            deliveries: {
                let arrivals = failure.arrivals.iter().filter(|(with, _)| *with == index);
                arrivals.map(|(_, arrival)| DeliveryReport::from(arrival)).collect()
            },
            interval: failure.raced.get(index).copied(),
        })
        .collect()
}

impl Answer {
    /// No response.
    fn none() -> Answer {
        Answer { status: 0, code: None, body: None, text: None }
    }
}

impl From<&Response> for Answer {
    fn from(seen: &Response) -> Answer {
        let text = match &seen.body {
            Body::Other(text) => Some(text.clone()),
            Body::Empty | Body::Json(_) => None,
        };
        let (status, code) = (seen.status, seen.code().map(str::to_owned));
        Answer { status, code, body: seen.masked_body(), text }
    }
}

impl From<&Arrival> for DeliveryReport {
    fn from(arrival: &Arrival) -> DeliveryReport {
        let body = arrival.body.json().unwrap_or(&Value::Null);
        let named = || body[field::TYPE].as_str();
        let event = arrival.event_type().or_else(named).unwrap_or("no known event");
        let header = |(name, value): (&str, &str)| HeaderReport {
            name: name.to_owned(),
            value: value.to_owned(),
        };
        DeliveryReport {
            event: event.to_owned(),
            path: arrival.path.clone(),
            answered: arrival.status,
            at: arrival.at.or(arrival.arrived).map(|at| at.to_string()),
            headers: arrival.all_headers().map(header).collect(),
            body: arrival.masked_body(),
            text: arrival.text(),
        }
    }
}
