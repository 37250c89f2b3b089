//! The table of conduct over the planted bugs of the simulation's client: each is named by its row, and a right client by
//! none.

use std::io::Read;
use std::process::Command;

use serde_json::Value;
use tideover_model::conduct::{Card, Duty, State};
use tideover_simulate::simulation::plan::{Plan, Size};
use tideover_simulate::simulation::{Bug, conduct};

use crate::support::command::serve;

const SMALL: Size = Size { platforms: 2, businesses: 8, days: 14 };

fn broken(card: &Card) -> Vec<&'static str> {
    card.broken().map(|row| row.duty().id()).collect()
}

fn accuses_nobody(seeds: std::ops::Range<u64>) {
    let mut met = [false; Duty::ALL.len()];
    for seed in seeds {
        let card = conduct(&Plan::draw(seed, SMALL), None);
        let accused: Vec<String> = card.broken().map(ToString::to_string).collect();
        assert_eq!(accused, [""; 0], "seed {seed}");
        for (met, row) in met.iter_mut().zip(card.rows()) {
            *met |= row.state() == State::Met;
        }
    }
    // What nothing in the simulation shows is not seen.
    let unseen = Duty::ALL.into_iter().zip(met).filter(|(_, met)| !met);
    assert_eq!(
        unseen.map(|(duty, _)| duty.id()).collect::<Vec<_>>(),
        [
            "keeps-key-on-server",
            "waits-when-throttled",
            "checks-age",
            "keeps-invoices-apart",
            "accepts-unknown-values",
        ]
    );
}

#[test]
fn a_right_client_breaks_no_row() {
    accuses_nobody(0..60);
}

/// `cargo test --release -p tideover-harness --test it in_a_thousand -- --ignored`
#[test]
#[ignore = "it takes a minute without optimisation; .ci/nightly runs it"]
fn a_right_client_breaks_no_row_in_a_thousand_seeds() {
    accuses_nobody(0..1000);
}

/// The end of `serve` says how the client behaved.
#[cfg(unix)]
#[tokio::test]
async fn serve_ends_with_the_conduct_of_the_caller() {
    let (mut served, ready) = serve(&["--clock", "still"]);
    let url = format!("{}/v1/organizations/acme", ready["baseUrl"].as_str().unwrap());
    let client = crate::support::plain::client();
    client.put(&url).body(r#"{"legalName":"Acme"}"#).send().await.unwrap();
    client.put(&url).bearer_auth("rap_sk_local").body("{}").send().await.unwrap();
    let id = served.0.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    let mut printed = String::new();
    served.0.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
    let ending: Value = serde_json::from_str(printed.lines().last().unwrap()).unwrap();
    assert_eq!(ending["world"], "default");
    assert_eq!(ending["conduct"]["broken"], 1);
    assert_eq!(ending["broken"][0]["id"], "sends-key");
    assert_eq!(ending["broken"][0]["requests"], serde_json::json!([0]));
}

/// Each clause of the examination of receivers has its row.
#[test]
fn the_examination_feeds_the_same_table() {
    for case in tideover_receiver::examination("1", tideover_sim::wall_time()) {
        assert!(Duty::of(case.clause).is_some(), "{} has no duty", case.clause);
    }
}

/// Some bugs also have consequences that break other rows: in some world, each breaks its own row and no other.
#[test]
fn each_planted_bug_of_the_client_breaks_its_row() {
    let mut bugs = 0;
    for bug in Bug::all() {
        let Some(duty) = bug.neglects() else { continue };
        let alone =
            |seed: u64| broken(&conduct(&Plan::draw(seed, SMALL), Some(bug))) == [duty.id()];
        assert!((0..200).any(alone), "{bug} does not break {}", duty.id());
        bugs += 1;
    }
    assert_eq!(bugs, 13);
}
