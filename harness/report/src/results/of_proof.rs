//! Proofs as results: a case for each defect.

use std::time::Duration;

use tideover_exchange::evidence::outcome::Outcome;
use tideover_model::Timestamp;
use tideover_prove::Proof;
use tideover_prove::defects::Setup;

use crate::matrix::Matrix;
use crate::results::{Entry, EntryStatus, Issue, Results, Severity, fingerprint};

impl Results {
    /// The results of proofs that ended at `finished`. `is_whole`: all trials were made.
    pub fn of_proof(matrices: &[Matrix], is_whole: bool, finished: Timestamp) -> Results {
        let proofs = || matrices.iter().flat_map(|matrix| &matrix.proofs);
        let missed: Vec<&Proof> = proofs().filter(|proof| proof.is_missed()).collect();
        let outcome = match missed.len() {
            _ if !is_whole => Outcome::Interrupted,
            0 => Outcome::Pass,
            _ => Outcome::Fail,
        };
        let counts = matrices.iter().map(|matrix| {
            let (found, all) = (matrix.found(), matrix.proofs.len());
            format!("{found} of {all} defects found {}", matrix.setup.words())
        });
        let reason = counts.collect::<Vec<_>>().join("; ");
        let took: Duration = matrices.iter().map(|matrix| matrix.took).sum();
        let target = "the catalogue of defects";
        let mut results = Results::new("prove", target, outcome, &reason, (finished, took));
        results.cases.extend(proofs().map(case));
        results.issues = missed.into_iter().map(issue).collect();
        let seeds = matrices.first().map_or(0, |matrix| matrix.seeds);
        results.facts = vec![("seeds", seeds.to_string())];
        results
    }
}

fn case(proof: &Proof) -> Entry {
    let (status, own_status) = match (proof.survived(), proof.reason()) {
        (false, _) => (EntryStatus::Passed, "found"),
        (true, None) => (EntryStatus::Failed, "survived"),
        (true, Some(_)) => (EntryStatus::Skipped, "not detectable"),
    };
    let median = proof.requests(50).map(|requests| {
        let (found, tried) = (proof.found().count(), proof.trials.len());
        format!("{found} of {tried} seeds find it, half of them after {requests} requests")
    });
    Entry {
        id: format!("{}.{}", proof.setup.name(), proof.defect.name),
        name: proof.defect.words.to_owned(),
        suites: vec![proof.setup.words().to_owned(), proof.defect.clause.section().to_string()],
        status,
        own_status: own_status.to_owned(),
        message: median.or_else(|| proof.reason().map(str::to_owned)),
        details: None,
    }
}

fn issue(proof: &Proof) -> Issue {
    let (setup, defect) = (proof.setup.name(), proof.defect);
    let option = match proof.setup {
        Setup::Known => String::new(),
        Setup::Stranger | Setup::Caller => format!(" --as {setup}"),
    };
    Issue {
        fingerprint: fingerprint(&[setup, defect.name]),
        severity: Severity::Error,
        rule: defect.clause.name().to_owned(),
        place: defect.clause.place().to_owned(),
        title: defect.words.to_owned(),
        subject: defect.name.to_owned(),
        expected: "a finding".to_owned(),
        seen: format!("none over {} seeds", proof.trials.len()),
        replay: Some(format!("tideover prove{option} --defect {}", defect.name)),
        file: None,
    }
}
