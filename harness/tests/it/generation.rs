//! What is generated: the same for the same seed, and deep.

use std::collections::BTreeSet;

use serde_json::Value;
use tideover_endpoint::embedded;
use tideover_exchange::evidence::coverage::Group;
use tideover_exchange::evidence::matrix::Kind;
use tideover_exchange::start;
use tideover_exchange::step::{Action, Step};
use tideover_exchange::target::{INBOX, service};
use tideover_exchange::transcript::Header;
use tideover_model::wire::route::route;
use tideover_model::{ActionKind, Destinations, OperationKind, Profile};
use tideover_prove::defects;
use tideover_suite::generate;
use tideover_suite::play::case::{play, play_case};
use tideover_suite::play::cases;
use tideover_suite::play::cases::{InProcess, OverHttp, Plan, Testbed};

use crate::support::command::tideover;

fn plan(seed: u64, cases: u64) -> Plan {
    let header = Header::new(seed, start(), Profile::default());
    Plan { header, first: 0, cases, steps: generate::DEFAULT_STEPS, max_findings: 1 }
}

fn assert_everything_is_reached(summary: &cases::Summary) {
    assert!(summary.failures.is_empty(), "{:#?}", summary.failures);
    for group in Group::ALL {
        for (name, count) in summary.coverage.of(group) {
            assert!(count > 0, "{}: {name} was never reached", group.title());
        }
    }
}

#[test]
fn the_same_seed_makes_the_same_steps() {
    let header = plan(5, 1).header;
    for case in [0, 3, 77] {
        let steps = generate::case(&header, case, 60);
        assert_eq!(steps, generate::case(&header, case, 60));
        assert_ne!(steps, generate::case(&header, case + 1, 60));
    }
    let other = plan(6, 1).header;
    assert_ne!(generate::case(&header, 0, 60), generate::case(&other, 0, 60));
}

/// Nobody's import is to stop for the interruption of another case.
#[test]
fn each_interruption_has_its_import() {
    let mut interrupted = 0;
    let headers = (1..=20).map(|seed| plan(seed, 1).header);
    for (header, case) in
        headers.flat_map(|header| (0..generate::round()).map(move |case| (header.clone(), case)))
    {
        let steps = generate::case(&header, case, 40);
        let interrupts = |step: &Step| step.acts() == Some(ActionKind::InterruptNextImport);
        let Some(last) = steps.iter().rposition(interrupts) else { continue };
        let import = |step: &Step| step.kind() == Some(OperationKind::ImportInvoices);
        assert!(steps[last..].iter().any(import), "case {case} of seed {}", header.seed);
        interrupted += 1;
    }
    assert!(interrupted >= 20, "{interrupted}");
}

/// The identifiers under which a case syncs invoices.
fn invoices_of(steps: &[Step]) -> BTreeSet<String> {
    let synced = steps.iter().filter(|step| step.kind() == Some(OperationKind::SyncInvoice));
    let name = |step: &Step| {
        let Action::Call(call) = &step.action else { return None };
        let route = route(&call.method, &call.path).ok()?;
        let [name, _] = route.identifiers().ok()?;
        Some(name)
    };
    synced.filter_map(name).collect()
}

/// Whether two identifiers differ in one thing only.
type Differ<'a> = &'a dyn Fn(&str, &str) -> bool;

/// A service may confuse any of them, so that none is left to the seed. The last pair differs in a random sign.
#[test]
fn each_run_has_invoices_whose_names_differ_in_one_thing() {
    let without_last = |name: &str| name.chars().rev().skip(1).collect::<String>();
    let differences: [(&str, Differ<'_>); 9] = [
        ("case", &|one, other| one.to_uppercase() == other),
        ("a space at the end", &|one, other| format!("{one} ") == other),
        ("Unicode form", &|one, other| one.replace('é', "e\u{301}") == other),
        ("what is percent-encoded", &|one, other| one.replace("%41", "A") == other),
        ("a dot", &|one, other| one.replace('.', "") == other),
        ("a slash", &|one, other| one.replace('/', "") == other),
        ("a plus for a space", &|one, other| one.replace(' ', "+") == other),
        ("a zero in front", &|one, other| one.replace("01", "1") == other),
        ("the last of many signs", &|one, other| {
            one.len() > 50 && without_last(one) == without_last(other)
        }),
    ];
    for seed in 1..=4 {
        let header = plan(seed, 1).header;
        let cases: Vec<BTreeSet<String>> = (0..generate::round())
            .map(|case| invoices_of(&generate::case(&header, case, generate::DEFAULT_STEPS)))
            .collect();
        for (words, differ) in differences {
            let has_pair = |names: &BTreeSet<String>| {
                let is_of_pair =
                    |one: &String| names.iter().any(|other| one != other && differ(one, other));
                names.iter().any(is_of_pair)
            };
            assert!(cases.iter().any(has_pair), "seed {seed}: {words}");
        }
    }
}

/// Plays a case against `world`: held against what was predicted of it, and with a model that plays along.
async fn assert_prediction<W: Testbed>(world: &mut W, header: &Header, case: u64) {
    let walked = world.walked(header, case, generate::DEFAULT_STEPS);
    let alone = generate::case(header, case, generate::DEFAULT_STEPS);
    assert_eq!(walked.steps, alone);
    let prediction = play_case(&mut world.fresh().await.unwrap(), header, &walked).await;
    let played = play(&mut world.fresh().await.unwrap(), header, &alone).await.unwrap();
    assert_eq!(format!("{prediction:?}"), format!("{played:?}"), "case {case}");
}

#[tokio::test]
async fn a_prediction_equals_the_model_that_plays_along() {
    let header = plan(3, 1).header;
    let mut world = InProcess::new(service(Profile::default(), 3, INBOX), start());
    for case in 0..15 {
        assert_prediction(&mut world, &header, case).await;
    }
    for (case, defect) in (0..).zip(defects::all()) {
        let inbox = Destinations::PublicAnd(INBOX.to_owned());
        let mut world = InProcess::new(defect.service(Profile::default(), 3, inbox), start());
        assert_prediction(&mut world, &header, case).await;
    }
    // Somebody else's names: nothing is sent as it was prepared with ours.
    let mut other = InProcess::new(service(Profile::default(), 4, INBOX), start());
    for case in 0..15 {
        assert_prediction(&mut other, &header, case).await;
    }
}

#[tokio::test]
async fn a_run_in_process_reaches_every_state() {
    let plan = plan(1, 200);
    let service = service(Profile::default(), 1, INBOX);
    let mut world = InProcess::new(service, start());
    let summary = cases::check(&mut world, &plan).await.unwrap();
    assert_everything_is_reached(&summary);
}

#[tokio::test]
async fn a_default_run_reaches_every_state() {
    let plan = plan(2, 400);
    let (_mock, target) = embedded(&plan.header).await.unwrap();
    let mut world = OverHttp::new(target);
    let summary = cases::check(&mut world, &plan).await.unwrap();
    assert_everything_is_reached(&summary);
    let operations: u64 =
        summary.coverage.of(Group::Operation).iter().map(|(_, count)| *count).sum();
    assert_eq!(operations, 16_641);
}

/// Codes that follow from a state are met in every state from which they follow.
fn assert_refused_wherever_its_condition_holds(matrix: &[Value]) {
    let refused_in = |subject: &str, code: &str| -> BTreeSet<String> {
        let of_it = matrix.iter().filter(|it| it["subject"] == subject);
        let states = of_it.flat_map(|it| it["asked"].as_array().unwrap());
        let is_refused = |state: &&Value| {
            state["refusals"].as_array().unwrap().iter().any(|refusal| refusal["code"] == code)
        };
        let names = states.filter(is_refused).map(|state| state["state"].as_str().unwrap());
        names.map(str::to_owned).collect()
    };
    let states_of = |kind: Kind, holds: fn(&str) -> bool| -> BTreeSet<String> {
        kind.states().into_iter().filter(|state| holds(state)).collect()
    };
    // Not all four requirements are met.
    let expected = states_of(Kind::Business, |state| state.split(" · ").count() < 4);
    assert_eq!(refused_in("business", "business_not_eligible"), expected);
    // No advance, and a status that permits none.
    let expected = states_of(Kind::Invoice, |state| {
        state.starts_with("no advance") && !state.ends_with("ISSUED")
    });
    let refused = refused_in("invoice", "invoice_not_financeable");
    assert!(refused.is_superset(&expected), "{:?}", expected.difference(&refused));
    let all = |kind: Kind| states_of(kind, |_| true);
    assert_eq!(refused_in("import", "already_imported"), all(Kind::Import));
    assert_eq!(refused_in("subscription", "already_subscribed"), ["live".to_owned()].into());
    let ended = ["deleted", "revoked"].map(str::to_owned);
    assert_eq!(refused_in("subscription", "subscription_not_found"), ended.into());
    let keys = ["never issued", "none", "revoked"].map(str::to_owned);
    assert_eq!(refused_in("key", "unauthorized"), keys.into());
}

/// Whatever can be asked of an invoice, a business or anything else that has states is asked in each of them.
#[test]
fn no_request_is_left_out_in_any_state() {
    let output = tideover().args(["check", "--seed", "12", "--json"]).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let matrix = report["stateMatrix"].as_array().unwrap();
    assert_eq!(matrix.len(), 7);
    for subject in matrix {
        assert_eq!(subject["missing"], serde_json::json!([]), "{}", subject["subject"]);
        assert_eq!(subject["unmet"], serde_json::json!([]), "{}", subject["subject"]);
    }
    for subject in &matrix[..2] {
        assert!(subject["pairs"].as_u64().unwrap() >= 160, "{subject}");
    }
    assert_refused_wherever_its_condition_holds(matrix);
}
