//! Drift: what a service does otherwise than before, where the document leaves it open.

use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::support::command::{serve, tideover};

fn run(folder: &Path, arguments: &[&str]) -> Output {
    tideover().current_dir(folder).args(arguments).output().unwrap()
}

/// Learns what a mock with this profile does, by a seed of its own.
fn learn(folder: &Path, profile: &str, seed: &str, file: &str) {
    std::fs::write(folder.join("profile.toml"), profile).unwrap();
    let path = folder.join("profile.toml");
    let (_mock, ready) = serve(&["--profile", path.to_str().unwrap()]);
    let url = ready["baseUrl"].as_str().unwrap();
    let target = ["--target", url, "--operator", url, "--key", "rap_sk_local", "--sandbox"];
    let all = [&["profile", "learn", "--out", file, "--cases", "60", "--seed", seed], &target[..]];
    let output = run(folder, &all.concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

fn diff(folder: &Path, files: &[&str]) -> Value {
    let output = run(folder, &[&["profile", "diff", "--json"], files].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn places(drift: &Value) -> Vec<String> {
    let rows = drift["rows"].as_array().unwrap().iter();
    rows.map(|row| format!("{} {}", row["clause"], row["place"]).replace('"', "")).collect()
}

#[test]
fn a_change_is_named_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    learn(folder, "", "1", "before.toml");
    learn(folder, "", "2", "same.toml");
    let same = diff(folder, &["before.toml", "same.toml"]);
    assert_eq!(places(&same), Vec::<String>::new());
    assert!(same["compared"].as_u64().unwrap() > 100, "{same}");

    let changed = "success.quote = 201\nrefusals.self_dealing = 403\nper_invoice_maximum = 9000000\n\
                   session_links_live = true\n";
    learn(folder, changed, "3", "after.toml");
    let drift = diff(folder, &["before.toml", "after.toml"]);
    assert_eq!(
        places(&drift),
        [
            "gap.successStatuses POST /v1/quotes",
            "gap.ownStatuses self_dealing",
            "gap.perInvoiceMaximum per_invoice_maximum",
            "gap.sessionsLive session_links_live",
        ]
    );
    assert!(drift["rows"].as_array().unwrap().iter().all(|row| row["reliedOn"] == true));

    let fails = |clause: &str| {
        let files = ["profile", "diff", "before.toml", "after.toml", "--fail-on", clause];
        run(folder, &files).status.code()
    };
    assert_eq!(
        ["gap.successStatuses", "any", "gap.rates", "gap.nothing"].map(fails),
        [Some(1), Some(1), Some(0), Some(2)]
    );
    let table = run(folder, &["profile", "diff", "before.toml", "after.toml", "--markdown"]);
    let table = String::from_utf8(table.stdout).unwrap();
    assert!(table.contains("| gap.ownStatuses | self_dealing | "), "{table}");
}

/// A scheduled job keeps one file.
#[test]
fn a_history_has_the_last_run() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    learn(folder, "", "1", "one.toml");
    learn(folder, "success.quote = 202\n", "2", "two.toml");
    let history = |file: &str| {
        let output = run(folder, &["profile", "diff", "--history", "runs.jsonl", file]);
        String::from_utf8(output.stdout).unwrap().lines().next().unwrap_or_default().to_owned()
    };
    assert_eq!(history("one.toml"), "no drift: the history begins with this run");
    assert!(history("two.toml").starts_with("drift: 1 difference of "));
    assert!(history("two.toml").starts_with("no drift: "));
    let runs = std::fs::read_to_string(folder.join("runs.jsonl")).unwrap();
    assert_eq!(runs.lines().count(), 3);
}

/// The mock and a check take a learned profile as it is.
#[test]
fn the_mock_does_what_was_learned() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let profile = "success = { quote = 202, sync_invoice = 201 }\nrefusals.self_dealing = 400\n\
                   per_invoice_maximum = 7000000\nquote_term_days = 45\nrates.advance = 9000\n";
    learn(folder, profile, "1", "learned.toml");
    let path = folder.join("learned.toml");
    let (_mock, ready) = serve(&["--profile", path.to_str().unwrap()]);
    let url = ready["baseUrl"].as_str().unwrap();
    let target = ["--target", url, "--operator", url, "--key", "rap_sk_local", "--sandbox"];
    let check = ["check", "--profile", "learned.toml", "--fail-on", "differs", "--seed", "5"];
    let output = run(folder, &[&check[..], &["--cases", "60"], &target[..]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn runs_that_have_nothing_in_common_conclude_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("empty.toml"), "observed = []\n").unwrap();
    std::fs::write(folder.join("plain.toml"), "quote_term_days = 30\n").unwrap();
    std::fs::write(folder.join("broken.toml"), "= 3").unwrap();
    let cases = [
        (&["empty.toml", "empty.toml"][..], Some(3), "no place to compare"),
        (&["empty.toml", "plain.toml"], Some(2), "it has no observations"),
        (&["empty.toml", "broken.toml"], Some(2), "neither a learned profile nor a report"),
        (&["empty.toml"], Some(2), "name two files"),
        (&["empty.toml", "empty.toml", "--history", "x"], Some(2), "name the later one alone"),
    ];
    for (arguments, code, words) in cases {
        let output = run(folder, &[&["profile", "diff"], arguments].concat());
        let said = [output.stdout, output.stderr].map(|it| String::from_utf8(it).unwrap()).concat();
        assert_eq!(output.status.code(), code, "{arguments:?}: {said}");
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
}
