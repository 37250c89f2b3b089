//! Searches as results: a case for each invariant and each milestone of a world.

use std::time::Duration;

use tideover_exchange::evidence::outcome::Outcome;
use tideover_model::Timestamp;
use tideover_report::results::{Entry, EntryStatus, Issue, Results, Severity, fingerprint};

use crate::explore::chooser::Planted;
use crate::explore::milestone::Milestone;
use crate::explore::search::{Explored, INVARIANTS};
use crate::simulation::auditor::Invariant;

/// The results of searches that ended at `finished`.
pub fn results(
    searches: &[Explored],
    planted: Option<Planted>,
    is_interrupted: bool,
    finished: Timestamp,
) -> Results {
    let outcomes = searches.iter().map(Explored::outcome);
    let interrupted = is_interrupted.then_some(Outcome::Interrupted);
    // The worst comes first.
    let outcome = outcomes.chain(interrupted).min().unwrap_or(Outcome::Inconclusive);
    let breaches = searches.iter().filter(|explored| explored.counterexample.is_some()).count();
    let (worlds, states) = (searches.len(), searches.iter().map(|explored| explored.states));
    let states: usize = states.sum();
    let reason = match breaches {
        0 => format!("the invariants hold in {states} states of {worlds} worlds"),
        _ => format!("an invariant does not hold in {breaches} of {worlds} worlds"),
    };
    let took: Duration = searches.iter().map(|explored| explored.took).sum();
    let target = "small worlds, every order of actions";
    let mut results = Results::new("explore", target, outcome, &reason, (finished, took));
    results.cases.extend(searches.iter().flat_map(cases));
    results.issues = searches.iter().filter_map(|explored| issue(explored, planted)).collect();
    results.facts = vec![("worlds", worlds.to_string()), ("states", states.to_string())];
    results
}

fn cases(explored: &Explored) -> Vec<Entry> {
    let invariants = INVARIANTS.into_iter().map(|invariant| invariant_case(explored, invariant));
    let reached = explored.reached.iter().map(|milestone| (milestone, true));
    let missed = explored.missed.iter().map(|milestone| (milestone, false));
    let milestones = reached.chain(missed);
    let milestones =
        milestones.map(|(milestone, reached)| milestone_case(explored, *milestone, reached));
    invariants.chain(milestones).collect()
}

fn invariant_case(explored: &Explored, invariant: Invariant) -> Entry {
    let breach = explored.counterexample.as_ref();
    let breach = breach.filter(|found| found.breach.invariant == invariant);
    let (status, own_status) = match breach {
        Some(_) => (EntryStatus::Failed, "broken"),
        None if explored.is_exhausted => (EntryStatus::Passed, "held"),
        None => (EntryStatus::Skipped, "held so far"),
    };
    Entry {
        id: format!("{}.{invariant}", explored.world.name),
        name: invariant.words().to_owned(),
        suites: vec![explored.world.name.to_owned(), "invariants".to_owned()],
        status,
        own_status: own_status.to_owned(),
        message: breach.map(|found| found.breach.to_string()),
        details: breach.map(ToString::to_string),
    }
}

fn milestone_case(explored: &Explored, milestone: Milestone, reached: bool) -> Entry {
    let (status, own_status) = match reached {
        true => (EntryStatus::Passed, "reached"),
        false if explored.is_exhausted => (EntryStatus::Failed, "missed"),
        false => (EntryStatus::Skipped, "not reached so far"),
    };
    Entry {
        id: format!("{}.{}", explored.world.name, milestone.words()),
        name: milestone.words().to_owned(),
        suites: vec![explored.world.name.to_owned(), "milestones".to_owned()],
        status,
        own_status: own_status.to_owned(),
        message: None,
        details: None,
    }
}

fn issue(explored: &Explored, planted: Option<Planted>) -> Option<Issue> {
    let found = explored.counterexample.as_ref()?;
    let bug = planted.map_or_else(String::new, |planted| format!(" --bug {}", planted.name()));
    let (world, invariant) = (explored.world.name, found.breach.invariant);
    Some(Issue {
        fingerprint: fingerprint(&[world, invariant.name()]),
        severity: Severity::Error,
        rule: invariant.name().to_owned(),
        place: invariant.clause().place().to_owned(),
        title: invariant.words().to_owned(),
        subject: format!("{world}: {}", found.breach.subject),
        expected: String::new(),
        seen: format!("{}, after {} actions", found.breach.detail, found.steps.len()),
        replay: Some(format!("tideover explore --world {world}{bug}")),
        file: None,
    })
}
