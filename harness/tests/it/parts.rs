//! A check in parts: its parts add up to what one run would have said.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};

use crate::support::command::{serve, tideover};

/// What depends on time, and stays with the parts.
const OF_THE_MACHINE: [&str; 5] = ["began", "milliseconds", "latency", "shards", "reached"];

fn run(folder: &Path, arguments: &str) -> Output {
    let arguments = arguments.split_whitespace();
    tideover().current_dir(folder).args(arguments).output().unwrap()
}

fn check(folder: &Path, arguments: &str) -> String {
    let all = format!("check --seed 3 --cases 24 --max-findings 50 --json {arguments}");
    String::from_utf8(run(folder, &all).stdout).unwrap()
}

fn lasting(report: &str) -> Value {
    let mut report: Value = serde_json::from_str(report).unwrap();
    let fields = report.as_object_mut().unwrap();
    OF_THE_MACHINE.iter().for_each(|name| drop(fields.remove(*name)));
    for finding in fields["findings"].as_array_mut().unwrap() {
        // It names the file that its part has written.
        finding.as_object_mut().unwrap().remove("replay");
    }
    report
}

#[test]
fn parts_add_up_to_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let defect = "--defect void-invoices-are-fundable";
    let kept = format!("{defect} --regressions kept");
    // What this run finds, each later one plays first.
    check(folder.path(), &kept);
    for options in ["--in-process", defect, &kept] {
        let whole = check(folder.path(), options);
        let found = serde_json::from_str::<Value>(&whole).unwrap()["findings"].clone();
        assert_eq!(found != json!([]), options.contains("defect"), "{options}: {found}");
        for of in [2, 5] {
            let names: Vec<String> = (0..of)
                .map(|index| {
                    let part = check(folder.path(), &format!("{options} --shard {index}/{of}"));
                    let name = format!("{index}.json");
                    std::fs::write(folder.path().join(&name), part).unwrap();
                    name
                })
                .rev()
                .collect();
            let merged = run(folder.path(), &format!("merge --json {}", names.join(" ")));
            let merged = String::from_utf8(merged.stdout).unwrap();
            assert_eq!(lasting(&merged), lasting(&whole), "{options}, {of} parts");
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_and_a_missing_part_concludes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for index in [0, 1] {
        let part = check(folder.path(), &format!("--shard {index}/3"));
        std::fs::write(folder.path().join(format!("{index}.json")), part).unwrap();
    }
    std::fs::write(folder.path().join("whole.json"), check(folder.path(), "")).unwrap();
    std::fs::copy(folder.path().join("1.json"), folder.path().join("copy.json")).unwrap();
    let cases = [
        ("merge 0.json 1.json", Some(3), "a part is missing: 2/3"),
        ("merge 1.json copy.json", Some(2), "part 1/3 is there twice"),
        ("merge 0.json whole.json", Some(2), "the reports are of different runs"),
        ("check --shard 0/3", Some(2), "--seed"),
        ("check --seed 1 --cases 2 --shard 0/3", Some(2), "there are 2 cases, so that it has none"),
        ("check --seed 1 --shard 3/3", Some(2), "K from 0 to N-1"),
    ];
    for (arguments, code, words) in cases {
        let output = run(folder.path(), arguments);
        let said = [output.stdout, output.stderr].map(|it| String::from_utf8(it).unwrap()).concat();
        assert_eq!(output.status.code(), code, "{arguments}: {said}");
        assert!(said.contains(words), "{arguments}: {said}");
    }
}

/// The reports of a check, made from its parts.
#[test]
fn a_merged_run_has_every_report() {
    let folder = tempfile::tempdir().unwrap();
    for index in [0, 1] {
        let part = check(folder.path(), &format!("--shard {index}/2"));
        std::fs::write(folder.path().join(format!("{index}.json")), part).unwrap();
    }
    let merged = run(folder.path(), "merge 0.json 1.json --html x.html --junit x.xml");
    assert!(merged.status.success());
    let page = std::fs::read_to_string(folder.path().join("x.html")).unwrap();
    let junit = std::fs::read_to_string(folder.path().join("x.xml")).unwrap();
    assert!(page.contains("299") && junit.contains("<testsuites"));
}

/// Where requests differ in what is assumed of them, a gap has a row for each at one place.
#[test]
fn the_gaps_of_parts_add_up_row_by_row() {
    let folder = tempfile::tempdir().unwrap();
    let (_mock, ready) = serve(&[]);
    let url = ready["baseUrl"].as_str().unwrap();
    let names = ["0.json", "1.json"];
    for (index, name) in names.iter().enumerate() {
        let target = format!("--target {url} --operator {url} --key rap_sk_local --sandbox");
        let shard = format!("--seed 3 --cases 60 --shard {index}/2 --json {target}");
        let part = run(folder.path(), &format!("check {shard}"));
        std::fs::write(folder.path().join(name), part.stdout).unwrap();
    }
    let counts = |text: &[u8]| {
        let report: Value = serde_json::from_slice(text).unwrap();
        let mut counts: BTreeMap<[String; 4], u64> = BTreeMap::new();
        for gap in report["gaps"].as_array().unwrap() {
            let of = |name: &str| gap[name].as_str().unwrap().to_owned();
            for seen in gap["seen"].as_array().unwrap() {
                let Some(times) = seen["times"].as_u64() else { continue };
                let value = seen["value"].as_str().unwrap().to_owned();
                let key = [of("clause"), of("place"), of("assumed"), value];
                assert_eq!(counts.insert(key, times), None, "{gap}");
            }
        }
        counts
    };
    let mut sum = BTreeMap::new();
    for name in names {
        for (row, times) in counts(&std::fs::read(folder.path().join(name)).unwrap()) {
            *sum.entry(row).or_default() += times;
        }
    }
    let merged = run(folder.path(), "merge --json 0.json 1.json");
    assert_eq!(counts(&merged.stdout), sum);
    let advances = |row: &&[String; 4]| row[1] == "POST /v1/advances";
    assert!(sum.keys().filter(advances).count() > 1, "{sum:?}");
}
