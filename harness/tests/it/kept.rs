//! Failures that stay found: the folder of regressions, and the baseline as a file of its own.

use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::support::command::{serve, tideover};

const DEFECT: &str = "--defect percent-sign-is-decoded-twice";

fn run(folder: &Path, arguments: &str) -> Output {
    tideover().current_dir(folder).args(arguments.split_whitespace()).output().unwrap()
}

fn report(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

fn check(folder: &Path, arguments: &str) -> Output {
    run(folder, &format!("check --cases 30 --json --regressions kept {arguments}"))
}

#[test]
fn a_finding_is_kept_and_played_first_in_later_runs() {
    let folder = tempfile::tempdir().unwrap();
    let first = check(folder.path(), &format!("--seed 5 {DEFECT}"));
    assert_eq!(first.status.code(), Some(1));
    let kept = std::fs::read_dir(folder.path().join("kept")).unwrap();
    let kept: Vec<String> =
        kept.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let [file] = &kept[..] else { panic!("{kept:?}") };
    assert!(file.starts_with("2.invoice.externalId-"), "{file}");

    // One case of another seed would hardly meet it, and it is still there.
    let second = run(
        folder.path(),
        &format!("check --seed 40 --cases 1 --steps 1 --json --regressions kept {DEFECT}"),
    );
    assert_eq!(second.status.code(), Some(1));
    let second = report(&second);
    assert_eq!(second["regressions"][0]["standing"], "stillThere");
    assert_eq!(second["findings"][0]["regression"], format!("kept/{file}"));
    assert!(second["findings"][0]["replay"].as_str().unwrap().contains(file));

    let third = check(folder.path(), "--seed 5");
    assert!(third.status.success());
    assert_eq!(report(&third)["regressions"][0]["standing"], "gone");
    assert_eq!(std::fs::read_dir(folder.path().join("kept")).unwrap().count(), 1);
}

/// What is known does not end the run: it looks for what is new.
#[test]
fn a_kept_finding_does_not_count_as_enough() {
    let folder = tempfile::tempdir().unwrap();
    check(folder.path(), &format!("--seed 5 {DEFECT}"));
    let again = report(&check(folder.path(), &format!("--seed 5 --max-findings 1 {DEFECT}")));
    assert_eq!((&again["cases"], &again["ending"]), (&30.into(), &"complete".into()));
}

#[test]
fn a_kept_finding_is_played_against_a_live_endpoint() {
    let folder = tempfile::tempdir().unwrap();
    check(folder.path(), &format!("--seed 5 {DEFECT}"));
    let (_mock, ready) = serve(&[]);
    let url = ready["baseUrl"].as_str().unwrap();
    let live = format!(
        "check --target {url} --key rap_sk_local --sandbox --cases 1 --seed 1 --json --regressions kept"
    );
    let live = report(&run(folder.path(), &live));
    assert_eq!(live["regressions"][0]["standing"], "gone", "{}", live["regressions"]);
}

#[test]
fn a_folder_that_is_none_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    std::fs::create_dir(folder.path().join("kept")).unwrap();
    std::fs::write(folder.path().join("kept/a.jsonl"), "{}").unwrap();
    for (arguments, words) in
        [("--regressions file", "file"), ("--regressions kept", "a.jsonl, line 1")]
    {
        let output = run(folder.path(), &format!("check --cases 1 {arguments}"));
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn a_baseline_is_updated_and_pruned() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, output: &Output| {
        std::fs::write(folder.path().join(name), &output.stdout).unwrap();
    };
    let found = run(folder.path(), &format!("check --seed 5 --cases 40 --json {DEFECT}"));
    write("found.json", &found);
    write("clean.json", &run(folder.path(), "check --seed 5 --cases 5 --json"));
    let updated = run(folder.path(), "baseline update known.json found.json");
    assert!(String::from_utf8(updated.stdout).unwrap().starts_with("accepted: "));
    let accepts =
        run(folder.path(), &format!("check --seed 5 --cases 40 --baseline known.json {DEFECT}"));
    assert!(accepts.status.success());
    let again = run(folder.path(), "baseline update known.json found.json");
    assert_eq!(String::from_utf8(again.stdout).unwrap(), "known.json: 1 finding\n");

    let kept = run(folder.path(), "baseline prune known.json clean.json found.json");
    let refused = report(&found)["ending"] == "enoughFound";
    assert_eq!(kept.status.success(), !refused);
    let pruned = run(folder.path(), "baseline prune known.json clean.json");
    assert!(String::from_utf8(pruned.stdout).unwrap().starts_with("dropped: "));
    let fails =
        run(folder.path(), &format!("check --seed 5 --cases 40 --baseline known.json {DEFECT}"));
    assert_eq!(fails.status.code(), Some(1));
}

/// What a run that ended early did not meet may be there.
#[test]
fn a_run_that_ended_early_prunes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let early =
        "check --seed 5 --cases 40 --json --max-findings 1 --defect percent-sign-is-decoded-twice";
    std::fs::write(folder.path().join("early.json"), run(folder.path(), early).stdout).unwrap();
    run(folder.path(), "baseline update known.json early.json");
    let before = std::fs::read_to_string(folder.path().join("known.json")).unwrap();
    let refused = run(folder.path(), "baseline prune known.json early.json");
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8(refused.stderr).unwrap().contains("that ended early"));
    assert_eq!(std::fs::read_to_string(folder.path().join("known.json")).unwrap(), before);
}
