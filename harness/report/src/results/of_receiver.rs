//! The scorecard of a receiver as results: a case for each delivery.

use std::time::Duration;

use tideover_exchange::evidence::outcome::Outcome;
use tideover_model::Timestamp;
use tideover_receiver::{CaseResult, Scorecard, Verdict};

use crate::results::{Entry, EntryStatus, Issue, Results, Severity, fingerprint};

impl Results {
    /// The results of an examination that ended at `finished`; with the reason, if nothing reached the receiver.
    pub fn of_receiver(
        scorecard: &Scorecard,
        finished: Timestamp,
        took: Duration,
        unreached: Option<&str>,
    ) -> Results {
        let outcome = match scorecard.count(Verdict::Failed) {
            _ if unreached.is_some() => Outcome::Inconclusive,
            0 if scorecard.is_complete() => Outcome::Pass,
            0 => Outcome::Interrupted,
            _ => Outcome::Fail,
        };
        let counts = format!("{} of {} deliveries", scorecard.counts(), scorecard.results().len());
        let reason = match (unreached, scorecard.doubt()) {
            (Some(why), _) => format!("{why}; nothing was examined"),
            (None, Some(doubt)) => format!("{doubt} {counts}"),
            (None, None) => counts,
        };
        let (url, span) = (scorecard.url(), (finished, took));
        let mut results = Results::new("receiver-check", url, outcome, &reason, span);
        results.cases.extend(scorecard.results().iter().enumerate().map(case));
        results.issues = scorecard.results().iter().filter_map(issue).collect();
        results.issues.sort_by_key(|issue| issue.severity);
        results.facts = vec![("run", scorecard.run().to_owned())];
        results.notes = scorecard.notes();
        results
    }
}

fn case((index, result): (usize, &CaseResult)) -> Entry {
    let clause = result.clause;
    Entry {
        id: format!("{}#{}", clause.name(), index + 1),
        name: format!("{} {}", result.required(), result.sent),
        suites: vec![format!("{} {}", clause.place(), clause.wording())],
        status: match result.verdict() {
            Verdict::Passed => EntryStatus::Passed,
            Verdict::Failed => EntryStatus::Failed,
            Verdict::Differs | Verdict::Unseen => EntryStatus::Skipped,
        },
        own_status: result.verdict().name().to_owned(),
        message: result.remark(),
        details: Some(format!("delivery {}\nanswer   {}", result.delivery, result.answer)),
    }
}

fn issue(result: &CaseResult) -> Option<Issue> {
    let severity = match result.verdict() {
        Verdict::Failed => Severity::Error,
        Verdict::Differs => Severity::Notice,
        Verdict::Passed | Verdict::Unseen => return None,
    };
    let clause = result.clause;
    Some(Issue {
        fingerprint: fingerprint(&[clause.name(), &result.sent]),
        severity,
        rule: clause.name().to_owned(),
        place: clause.place().to_owned(),
        title: clause.wording().to_owned(),
        subject: result.sent.clone(),
        expected: result.required().to_owned(),
        seen: match result.remark() {
            None => result.answer.to_string(),
            Some(remark) => format!("{}: {remark}", result.answer),
        },
        replay: None,
        file: None,
    })
}
