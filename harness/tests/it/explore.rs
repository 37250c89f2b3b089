//! The exhaustive search: its counts are stable, it reaches every milestone, it finds what is planted, and the states
//! that it takes for one behave as one.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use proptest::prelude::*;
use serde_json::Value;
use tideover_model::{Consequence, Timestamp};
use tideover_simulate::explore::{
    Bounds, Explored, INVARIANTS, Observation, Search, SmallWorld, State, WORLDS, planted,
    planted_named,
};
use tideover_simulate::simulation::auditor::Invariant;

use crate::support::pages::page;

fn explore(world: &str, bug: Option<&str>) -> Explored {
    explore_with(NonZeroUsize::MIN, world, bug)
}

fn explore_with(threads: NonZeroUsize, world: &str, bug: Option<&str>) -> Explored {
    let planted = bug.map(|bug| planted_named(bug).unwrap());
    let bounds = Bounds { threads, states: None, depth: None };
    let world = SmallWorld::named(world).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    Search { world, planted, bounds, stop }.explore(&|_| {})
}

/// SmallWorld, states, generated states, depth.
const COUNTS: [(&str, usize, usize, usize); WORLDS.len()] = [
    ("limit", 3709, 15_441, 16),
    ("onboarding", 1510, 3886, 14),
    ("import", 1852, 4793, 15),
    ("deliveries", 10_320, 30_039, 14),
    ("all", 24_254, 82_612, 21),
];

#[test]
fn every_world_has_its_states_and_its_milestones() {
    for (world, (name, states, generated, depth)) in WORLDS.iter().zip(COUNTS) {
        assert_eq!(world.name, name);
        let explored = explore(name, None);
        assert_eq!(explored.counterexample, None, "{name}");
        assert_eq!(explored.missed, [], "{name}");
        assert!(explored.is_exhausted, "{name}");
        let seen = (explored.states, explored.generated, explored.depth);
        assert_eq!(seen, (states, generated, depth), "{name}");
    }
}

#[test]
fn more_threads_find_the_same_states_and_a_way_as_short() {
    let two = NonZeroUsize::new(2).unwrap();
    let explored = explore_with(two, "import", None);
    let seen = ("import", explored.states, explored.generated);
    assert!(
        COUNTS.iter().any(|(world, states, generated, _)| seen == (*world, *states, *generated))
    );
    let found = explore_with(two, "import", Some("limit-is-never-reached")).counterexample.unwrap();
    assert_eq!(found.steps.len(), 3);
}

/// Bug, world, invariant, actions of the shortest counterexample.
const FOUND: [(&str, &str, Invariant, usize); 9] = [
    ("limit-is-never-reached", "limit", Invariant::LimitHeld, 4),
    ("limit-is-never-reached", "import", Invariant::LimitHeld, 3),
    ("limit-is-never-reached", "onboarding", Invariant::LimitHeld, 9),
    ("skips-requirements", "onboarding", Invariant::FourRequirements, 7),
    ("skips-requirements", "deliveries", Invariant::FourRequirements, 3),
    ("repayment-unannounced", "limit", Invariant::EventsFollowState, 5),
    ("repayment-unannounced", "import", Invariant::EventsFollowState, 5),
    ("retries-have-names-of-their-own", "deliveries", Invariant::DeliveryConstant, 3),
    ("retries-have-names-of-their-own", "all", Invariant::DeliveryConstant, 3),
];

#[test]
fn every_planted_bug_is_found_on_the_shortest_way() {
    for planted in planted() {
        assert!(FOUND.iter().any(|(found, ..)| *found == planted.name), "{planted}");
    }
    for (bug, world, invariant, actions) in FOUND {
        let found = explore(world, Some(bug)).counterexample.unwrap();
        assert!(INVARIANTS.contains(&invariant));
        assert_eq!((found.breach.invariant, found.steps.len()), (invariant, actions), "{world}");
    }
}

/// What was seen, without names and dates, in an order of its own: that of events to several platforms may vary.
fn comparable(seen: &[Observation]) -> Vec<String> {
    let mut lines: Vec<String> = seen.iter().map(without_names_and_dates).collect();
    lines.sort();
    lines
}

fn without_names_and_dates(seen: &Observation) -> String {
    match seen {
        Observation::Answered(Ok(reply)) => {
            undated(serde_json::to_value(reply).unwrap()).to_string()
        }
        Observation::Queued(delivery) => {
            let mut body: Value = serde_json::from_slice(&delivery.body).unwrap();
            body["id"].take();
            format!("{} {}", delivery.platform.0, undated(body))
        }
        Observation::Attempted { delivery, number, consequence } => {
            let is_again = matches!(consequence, Consequence::Again(_));
            let effect = if is_again { String::new() } else { format!("{consequence:?}") };
            format!("{} {number} {effect}", delivery.event.name())
        }
        Observation::Answered(Err(_)) | Observation::Happened(_) | Observation::Passed(_) => {
            format!("{seen:?}")
        }
    }
}

fn undated(value: Value) -> Value {
    match value {
        Value::String(text) if Timestamp::parse(&text).is_some() => Value::from("a date"),
        Value::Array(values) => values.into_iter().map(undated).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (name, undated(value))).collect()
        }
        value => value,
    }
}

/// The deliveries that wait for another attempt, by platform and identity.
type Waiting = BTreeSet<(u32, String)>;

fn follow(waiting: &mut Waiting, seen: &[Observation]) {
    for seen in seen {
        let Observation::Attempted { delivery, consequence, .. } = seen else { continue };
        let platform = delivery.platform.0;
        match consequence {
            Consequence::Again(_) => drop(waiting.insert((platform, delivery.id.clone()))),
            Consequence::Revoked => waiting.retain(|(of, _)| *of != platform),
            _ => drop(waiting.remove(&(platform, delivery.id.clone()))),
        }
    }
}

/// Takes the same actions in a state that is brought to its normal form after each action, and in one that never is.
/// A delivery that waits keeps its name in both.
fn walk_in_both(world: &SmallWorld, picks: &[usize]) -> Result<(State, State), TestCaseError> {
    let mut normal = world.start(None);
    let mut raw = normal.clone();
    let mut waiting = Waiting::new();
    for pick in picks {
        let possible: Vec<usize> = world.possible(&normal).collect();
        let number = possible[pick % possible.len()];
        let action = world.action(number);
        let (next, seen) = world.step(&normal, number);
        let (raw_next, raw_seen) = world.step(&raw, number);
        prop_assert_eq!(comparable(&seen), comparable(&raw_seen), "{}", action);
        prop_assert_eq!(next.is_some(), raw_next.is_some(), "{}", action);
        follow(&mut waiting, &seen);
        if let (Some(next), Some(raw_next)) = (next, raw_next) {
            (normal, raw) = (next.normal(), raw_next);
        }
        prop_assert!(!waiting.is_empty() || normal == raw.clone().normal(), "{}", action);
    }
    Ok((normal, raw))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn states_that_are_one_behave_as_one(
        world in 0..WORLDS.len(),
        picks in prop::collection::vec(0_usize..1000, 1..60),
    ) {
        walk_in_both(&WORLDS[world], &picks)?;
    }
}

/// The walk above would prove nothing if the two states never differed.
#[test]
fn time_and_names_do_run_apart() {
    let world = SmallWorld::named("deliveries").unwrap();
    let picks: Vec<usize> = (0..60).collect();
    let (normal, raw) = walk_in_both(world, &picks).unwrap();
    assert_ne!(normal, raw);
}

fn tideover(arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tideover"));
    let output = command.arg("explore").args(arguments).output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn the_command_passes_fails_and_knows_when_it_did_not_finish() {
    let (code, printed) = tideover(&["--world", "import", "--json"]);
    let line: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!((code, &line["outcome"]), (Some(0), &Value::from("PASS")));
    assert_eq!(line["missed"], Value::Array(Vec::new()));
    let import_states = line["generated"].as_u64().unwrap();

    let (code, printed) = tideover(&["--world", "import", "--bug", "limit-forgotten", "--json"]);
    let line: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!((code, &line["outcome"]), (Some(1), &Value::from("FAIL")));
    assert_eq!(line["counterexample"]["breach"]["invariant"], "limit-held");

    for bound in ["--depth", "--max-states"] {
        let (code, printed) = tideover(&["--world", "import", bound, "3"]);
        assert_eq!(code, Some(3), "{printed}");
        assert!(printed.starts_with("INCONCLUSIVE  import: "), "{printed}");
    }
    for (depth, states) in [("0", 1), ("1", 5), ("3", 66)] {
        let (_, printed) = tideover(&["--world", "import", "--depth", depth, "--json"]);
        let line: Value = serde_json::from_str(&printed).unwrap();
        assert_eq!(
            (&line["depth"].to_string(), &line["states"]),
            (&depth.to_owned(), &states.into())
        );
    }
    let (_, printed) = tideover(&["--world", "import", "--max-states", "10", "--json"]);
    let line: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(line["generated"], 10);
    let all = import_states.to_string();
    let one_less = (import_states - 1).to_string();
    for (most, exit) in [(&all, 0), (&one_less, 3)] {
        let (code, printed) = tideover(&["--world", "import", "--max-states", most]);
        assert_eq!(code, Some(exit), "{printed}");
    }
    let (code, _) = tideover(&["--world", "nowhere"]);
    assert_eq!(code, Some(2));
}

/// The blocks of the guide are what is printed, but for the time that it takes.
#[test]
fn the_guide_shows_what_is_printed() {
    let text = page("docs/explore.md");
    let blocks = text.split("```console\n$ tideover explore").skip(1);
    let mut compared = 0;
    for block in blocks {
        let (command, rest) = block.split_once('\n').unwrap();
        let (shown, _) = rest.split_once("```").unwrap();
        let (_, printed) = tideover(&command.split_whitespace().collect::<Vec<_>>());
        assert_eq!(timeless(shown), timeless(&printed), "{command}");
        compared += 1;
    }
    assert_eq!(compared, 3);
}

/// The lines, without the times at their ends.
fn timeless(text: &str) -> Vec<&str> {
    let lines = text.trim_end().lines();
    lines.map(|line| line.split_once(" deep, ").map_or(line, |(before, _)| before)).collect()
}
