//! The hand-written stories hold on the bare model and over HTTP, and every clause has a story or a reason.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use tideover_endpoint::embedded;
use tideover_exchange::step::Action;
use tideover_exchange::target::ModelTarget;
use tideover_exchange::transcript::Transcript;
use tideover_model::wire::route::route;
use tideover_model::{Clause, Code, OperationKind};
use tideover_suite::play::case::{Played, play};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/stories")
}

fn stories() -> Vec<(String, Transcript)> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .collect();
    paths.sort();
    paths
        .into_iter()
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, Transcript::read(&path).unwrap_or_else(|error| panic!("{error}")))
        })
        .collect()
}

fn assert_held(name: &str, story: &Transcript, played: &Played) {
    let mut problems = String::new();
    for (index, mismatch) in &played.mismatches {
        let note = story.steps[*index].note.as_deref().unwrap_or_default();
        problems.push_str(&format!("{name}, line {} ({note}): {mismatch:?}\n", index + 2));
    }
    for finding in &played.findings {
        problems.push_str(&format!("{name}, line {}: {finding}\n", played.answers.len() + 1));
    }
    assert!(problems.is_empty(), "\n{problems}");
    assert_eq!(played.answers.len(), story.steps.len(), "{name}");
}

#[tokio::test]
async fn every_story_holds_on_the_bare_model() {
    for (name, story) in stories() {
        let header = &story.header;
        let mut target = ModelTarget::new(header.profile.clone(), header.seed, header.start);
        let played = play(&mut target, header, &story.steps).await.unwrap();
        assert_held(&name, &story, &played);
    }
}

#[tokio::test]
async fn every_story_holds_over_http() {
    for (name, story) in stories() {
        let header = &story.header;
        let (_mock, mut target) = embedded(header).await.unwrap();
        let played = play(&mut target, header, &story.steps).await.unwrap();
        assert_held(&name, &story, &played);
    }
}

/// The clauses that no story meets, each with its reason.
fn unmet() -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(folder().join("UNMET.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn every_clause_has_a_story_or_a_reason() {
    let unmet = unmet();
    let mut met = BTreeSet::new();
    for (name, story) in stories() {
        for step in &story.steps {
            assert!(step.expect.is_some(), "{name}: a step without an expectation: {step:?}");
            met.extend(step.clauses.iter().cloned());
        }
    }
    for name in met.iter().chain(unmet.keys()) {
        assert!(Clause::find(name).is_some(), "there is no clause {name}");
    }
    for clause in Clause::all() {
        let name = clause.name();
        match (met.contains(name), unmet.get(name)) {
            (true, None) => {}
            (false, Some(reason)) => assert!(!reason.is_empty(), "{name} has no reason"),
            (true, Some(_)) => panic!("{name} is met, and is said not to be"),
            (false, None) => panic!("no story meets {name}, and none says why not"),
        }
    }
}

#[test]
fn the_stories_meet_every_operation_and_code() {
    let (mut codes, mut operations) = (BTreeSet::new(), BTreeSet::new());
    for (_, story) in stories() {
        for step in &story.steps {
            let Action::Call(call) = &step.action else { continue };
            if let Ok(route) = route(&call.method, &call.path) {
                operations.insert(route.kind);
            }
            let body = step.expect.as_ref().and_then(|expect| expect.body.as_ref());
            let code = body.and_then(|body| body.get("code")?.as_str());
            codes.extend(code.and_then(Code::parse));
        }
    }
    assert_eq!(codes, BTreeSet::from(Code::ALL));
    assert_eq!(operations, BTreeSet::from(OperationKind::ALL));
}

/// A transcript may come from anybody, and what it reads is sent to the target.
#[test]
fn a_transcript_reads_only_files_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let beside = |name: &str| folder.path().join(name);
    for made in ["stories", "imports", "elsewhere"] {
        std::fs::create_dir(beside(made)).unwrap();
    }
    for file in ["imports/clean.csv", "elsewhere/secret.csv", "stories/own.csv", "secret.csv"] {
        std::fs::write(beside(file), "externalId\n").unwrap();
    }
    let story = beside("stories/story.jsonl");
    let read = |name: &str| {
        let header = r#"{"tideover":1,"seed":1,"start":"2026-01-01T00:00:00Z"}"#;
        let call = serde_json::json!({ "call": { "method": "PUT", "path": "/v1/invoices/imports/x", "csv": name } });
        std::fs::write(&story, format!("{header}\n{call}\n")).unwrap();
        Transcript::read(&story).map_err(|error| error.to_string())
    };
    let Action::Call(call) = &read("clean.csv").unwrap().steps[0].action else { panic!() };
    assert_eq!(call.text.as_deref(), Some("externalId\n"));
    let absolute = beside("secret.csv").to_string_lossy().into_owned();
    for name in [
        "/etc/passwd",
        &absolute,
        "../secret.csv",
        "../stories/own.csv",
        "./clean.csv",
        "sub/clean.csv",
        "..",
        ".",
        "",
        "clean.csv/",
        "\\etc\\passwd",
        "C:secret.csv",
        "../imports/clean.csv",
    ] {
        let refused = read(name).unwrap_err();
        assert!(refused.contains("line 2") && refused.contains("no plain name"), "{refused}");
    }
    assert!(read("missing.csv").unwrap_err().contains("missing.csv"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        symlink("/etc/passwd", beside("imports/link.csv")).unwrap();
        symlink("clean.csv", beside("imports/inner.csv")).unwrap();
        for name in ["link.csv", "inner.csv"] {
            let refused = read(name).unwrap_err();
            assert!(refused.contains("through a link"), "{refused}");
        }
        std::fs::create_dir(beside("imports/folder.csv")).unwrap();
        assert!(read("folder.csv").unwrap_err().contains("no regular file"));
        // The folder itself may be a link to any other.
        std::fs::remove_dir_all(beside("imports")).unwrap();
        symlink("elsewhere", beside("imports")).unwrap();
        assert!(read("secret.csv").unwrap_err().contains("through a link"));
    }
}
