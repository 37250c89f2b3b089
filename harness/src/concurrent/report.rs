//! What came of many races, for a person and for a program.

use std::fmt;
use std::time::Duration;

use serde_json::{Value, json};
use tideover_model::masked;

use crate::concurrent::history::Request;
use crate::concurrent::summary::{Failure, Summary};
use crate::report::curl_line;
use crate::target::Prepared;

/// What came of many races.
pub struct Told<'a> {
    /// What that is.
    pub summary: &'a Summary,
    /// By how many clients each was run.
    pub clients: usize,
    /// What was played against, in words.
    pub target: &'a str,
    /// The seed of the races.
    pub seed: u64,
    /// The key that steps of nobody in particular carry.
    pub api_key: &'a str,
    /// How long it took.
    pub took: Duration,
    /// The options that run the same races again.
    pub again: String,
    /// Why no more races were run, if that is so.
    pub ended: Option<String>,
    /// What stays in the target.
    pub left_behind: &'a [String],
}

impl fmt::Display for Told<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Told { summary, clients, target, seed, took, .. } = self;
        let Summary { cases, requests, unknown, parts, unexplained, failure } = summary;
        let seconds = took.as_secs_f64();
        writeln!(
            f,
            "{cases} races of {clients} clients against {target}, {seconds:.1} s, seed {seed}"
        )?;
        writeln!(f)?;
        writeln!(f, "requests  {requests}, {unknown} without an outcome")?;
        let [explained, undecided, inconclusive] = parts;
        writeln!(
            f,
            "parts     {explained} explained · {undecided} undecided · {inconclusive} inconclusive"
        )?;
        for one in unexplained {
            writeln!(f, "  race {}, {}", one.case, one.words)?;
        }
        writeln!(f)?;
        if let Some(ended) = &self.ended {
            writeln!(f, "ended     {ended}")?;
        }
        for left in self.left_behind {
            writeln!(f, "left      {left}")?;
        }
        match failure {
            None if *cases == 0 => writeln!(f, "nothing was raced for"),
            None => writeln!(f, "held: no answer contradicts the document, in whatever order"),
            Some(failure) => self.write_failure(f, failure),
        }
    }
}

impl Told<'_> {
    fn write_failure(&self, f: &mut fmt::Formatter<'_>, failure: &Failure) -> fmt::Result {
        for (index, contradiction) in failure.contradictions.iter().enumerate() {
            writeln!(f, "{}", contradiction.finding)?;
            writeln!(f)?;
            writeln!(
                f,
                "met in race {} of seed {}; first, one after the other:",
                failure.case, self.seed
            )?;
            for request in failure.leading_to(index) {
                writeln!(f, "  {}", self.curl(request))?;
            }
            writeln!(f, "then at once:")?;
            for request in failure.showing(index) {
                writeln!(f, "  {} &  # {}", self.curl(request), course(request))?;
            }
            writeln!(f, "  wait")?;
        }
        writeln!(f)?;
        let (case, clients, again) = (failure.case, self.clients, &self.again);
        writeln!(f, "again: tideover check --concurrency {clients} --case {case} {again}")
    }

    /// As a curl line; keys other than the target's are masked.
    fn curl(&self, request: &Request) -> String {
        let own = format!("Bearer {}", self.api_key);
        let authorization = request.sent.authorization.as_ref();
        let is_own = authorization.is_some_and(|header| *header == own);
        let authorization = authorization.map(|header| masked(header));
        let sent = Prepared { authorization, ..request.sent.clone() };
        curl_line(&sent, is_own)
    }

    /// For a program.
    pub fn as_json(&self) -> Value {
        let Told { summary, clients, target, seed, took, .. } = self;
        let [explained, undecided, inconclusive] = summary.parts;
        let unexplained: Vec<Value> = summary
            .unexplained
            .iter()
            .map(|one| json!({ "race": one.case, "words": one.words }))
            .collect();
        json!({
            "target": target,
            "seed": seed,
            "clients": clients,
            "races": summary.cases,
            "requests": summary.requests,
            "unknown": summary.unknown,
            "milliseconds": u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            "held": summary.failure.is_none() && summary.inconclusive() == 0,
            "parts": { "explained": explained, "undecided": undecided, "inconclusive": inconclusive },
            "unexplained": unexplained,
            "ended": self.ended,
            "leftBehind": self.left_behind,
            "failure": summary.failure.as_ref().map(|failure| self.failure_as_json(failure)),
        })
    }

    fn failure_as_json(&self, failure: &Failure) -> Value {
        let told = |request: &Request| {
            json!({
                "client": request.client,
                "called": request.called,
                "answered": request.answer.as_ref().map(|answer| answer.at),
                "curl": self.curl(request),
                "seen": request.answer.as_ref().map(|answer| &answer.seen),
            })
        };
        let found = failure.contradictions.iter().enumerate().map(|(index, contradiction)| {
            let before: Vec<Value> = failure.leading_to(index).map(told).collect();
            let at_once: Vec<Value> = failure.showing(index).map(told).collect();
            json!({ "finding": contradiction.finding, "before": before, "atOnce": at_once })
        });
        json!({ "race": failure.case, "findings": found.collect::<Vec<_>>() })
    }
}

/// When a request was under way, and what came of it.
fn course(request: &Request) -> String {
    let Request { client, called, answer, .. } = request;
    match answer {
        None => format!("client {client}, from {called} on: no answer"),
        Some(answer) => {
            let code = answer.seen.code().unwrap_or_default();
            let (at, status) = (answer.at, answer.seen.status);
            format!("client {client}, {called} to {at}: {status} {code}").trim_end().to_owned()
        }
    }
}

impl Failure {
    /// The requests that show a contradiction.
    fn showing(&self, contradiction: usize) -> impl Iterator<Item = &Request> {
        let requests = &self.contradictions[contradiction].requests;
        requests.iter().map(|one| &self.history.requests[*one])
    }

    /// What was written before them of what they touch.
    fn leading_to(&self, contradiction: usize) -> impl Iterator<Item = &Request> {
        let shown = &self.contradictions[contradiction].requests;
        let part = self.parts.iter().find(|part| shown.iter().any(|one| part.contains(one)));
        let first = shown.first().map(|one| &self.history.requests[*one]);
        part.into_iter()
            .flatten()
            .filter(|one| !shown.contains(one))
            .map(|one| &self.history.requests[*one])
            .filter(move |request| {
                let before = first.is_some_and(|first| request.precedes(first));
                before && !request.reads() && request.is_alone()
            })
    }
}

impl Request {
    /// Whether it was sent before a race or after it.
    fn is_alone(&self) -> bool {
        self.client == super::play::ALONE
    }
}
