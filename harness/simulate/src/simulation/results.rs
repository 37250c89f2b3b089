//! Simulated worlds as results: a case for each invariant.

use std::time::Duration;

use tideover_exchange::evidence::outcome::Outcome;
use tideover_model::Timestamp;
use tideover_report::results::{Entry, EntryStatus, Issue, Results, Severity, fingerprint};

use crate::simulation::auditor::{Breach, Invariant};
use crate::simulation::campaign::Found;

/// What worlds came to.
pub struct Worlds<'a> {
    /// The outcome.
    pub outcome: Outcome,
    /// The outcome in a few words, without the word of the outcome.
    pub reason: &'a str,
    /// The seeds, in words.
    pub seeds: &'a str,
    /// The findings, of the lowest seeds.
    pub findings: &'a [Found],
    /// Further facts by name.
    pub facts: Vec<(&'static str, String)>,
    /// The command that runs the world of a seed again.
    pub replay: &'a dyn Fn(u64) -> String,
}

impl Worlds<'_> {
    /// The results of worlds that ended at `finished`.
    pub fn results(&self, finished: Timestamp, took: Duration) -> Results {
        let target = format!("the simulated world, {}", self.seeds);
        let span = (finished, took);
        let mut results = Results::new("simulate", target, self.outcome, self.reason, span);
        results.cases.extend(Invariant::ALL.map(|invariant| self.case(invariant)));
        results.issues = self.findings.iter().map(|found| self.issue(found)).collect();
        results.facts.clone_from(&self.facts);
        results
    }

    fn case(&self, invariant: Invariant) -> Entry {
        let mut found = self.findings.iter().filter(|found| found.breach.invariant == invariant);
        let first = found.next();
        Entry {
            id: invariant.name().to_owned(),
            name: invariant.words().to_owned(),
            suites: vec!["invariants".to_owned(), invariant.clause().section().to_string()],
            status: if first.is_some() { EntryStatus::Failed } else { EntryStatus::Passed },
            own_status: if first.is_some() { "broken" } else { "held" }.to_owned(),
            message: first.map(|found| format!("seed {}: {}", found.seed, found.breach)),
            details: None,
        }
    }

    fn issue(&self, found: &Found) -> Issue {
        let Breach { invariant, subject, detail } = &found.breach;
        Issue {
            fingerprint: fingerprint(&[invariant.name(), &found.seed.to_string()]),
            severity: Severity::Error,
            rule: invariant.name().to_owned(),
            place: invariant.clause().place().to_owned(),
            title: invariant.words().to_owned(),
            subject: format!("seed {}, {subject}", found.seed),
            expected: String::new(),
            seen: detail.clone(),
            replay: Some((self.replay)(found.seed)),
            file: None,
        }
    }
}
