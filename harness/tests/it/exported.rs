//! Exported tests: each fails at the service with the defect, and passes at a right one, time after time.

use std::path::Path;
use std::process::{Command, Output};

use tideover_exchange::start;
use tideover_exchange::step::Action;
use tideover_exchange::transcript::{Header, Transcript};
use tideover_model::Profile;
use tideover_prove::defects::{self, Defect};
use tideover_report::export::{Language, Unexportable, export};
use tideover_sim::Mock;

use crate::support::command::tideover;
use crate::support::foreign::skip;

/// How many defects are shown in each language.
const SHOWN: usize = 10;

/// The catalogue from a place of its own on, in steps that lead to each defect once.
fn drawn() -> impl Iterator<Item = &'static Defect> {
    let all: Vec<&Defect> = defects::all().collect();
    let step = (all.len() / SHOWN..).find(|step| gcd(*step, all.len()) == 1).unwrap();
    (0..all.len()).map(move |turn| all[(7 + turn * step) % all.len()])
}

fn gcd(one: usize, other: usize) -> usize {
    if other == 0 { one } else { gcd(other, one % other) }
}

/// The languages whose tests are run here, each with the name of its file.
const LANGUAGES: [(Language, &str); 4] = [
    (Language::Pytest, "finding.py"),
    (Language::Vitest, "finding.test.ts"),
    (Language::Curl, "test.sh"),
    (Language::Go, "finding_test.go"),
];

fn missing(language: Language) -> String {
    format!("what runs a test for {language:?} is not installed")
}

/// What a test has printed: Go's tests print to stdout.
fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
}

/// The transcript of the first finding of a defect, if the run finds it.
fn finding(folder: &Path, defect: &str) -> Option<Transcript> {
    let save = folder.join("finding.jsonl");
    let check = tideover()
        .args(["check", "--seed", "2", "--cases", "200", "--max-findings", "1", "--defect", defect])
        .args(["--in-process", "--save", save.to_str().unwrap()])
        .output()
        .unwrap();
    (check.status.code() == Some(1)).then(|| Transcript::read(&save).unwrap())
}

/// What a test needs to run, and how it is run; `None` where that is not installed.
fn run(language: Language, folder: &Path, base: &str) -> Option<Output> {
    let (needs, file, command): (&[&str], &str, &str) = match language {
        Language::Curl => (&["bash", "curl", "jq"], "test.sh", "bash test.sh"),
        Language::Vitest => (&["vitest"], "finding.test.ts", "vitest run --root . 2>&1"),
        // Linked once, because that takes longer than the test.
        Language::Go => (
            &["go"],
            "finding_test.go",
            "[ -x test ] || go test -c -o test finding_test.go && ./test",
        ),
        _ => (
            &["python3"],
            "finding.py",
            "python3 -c 'import finding; [test() for name, test in vars(finding).items() if name.startswith(\"test_\")]'",
        ),
    };
    let is_there = |tool: &&str| Command::new(tool).arg("--version").output().is_ok();
    if !needs.iter().all(is_there) {
        return None;
    }
    assert!(folder.join(file).exists());
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(folder);
    shell.env("API_URL", base).env("API_KEY", "rap_sk_local").env("PYTHONDONTWRITEBYTECODE", "1");
    Some(shell.output().unwrap())
}

async fn served(defect: Option<&'static Defect>) -> Mock {
    let header = Header::new(9, start(), Profile::default());
    tideover_prove::embedded(&header, defect).await.unwrap().0
}

#[tokio::test]
async fn a_test_fails_at_the_defect_alone() {
    let right = served(None).await;
    let (mut exported, mut shown) = (0, 0);
    for defect in drawn() {
        if shown == SHOWN {
            break;
        }
        let (name, folder) = (defect.name, tempfile::tempdir().unwrap());
        let Some(transcript) = finding(folder.path(), name) else { continue };
        // What the last response does not show is in no test.
        if export(&transcript, Language::Pytest).await.is_err() {
            continue;
        }
        shown += 1;
        let wrong = served(Some(defect)).await;
        for (language, file) in LANGUAGES {
            let test = export(&transcript, language).await.unwrap();
            std::fs::write(folder.path().join(file), test).unwrap();
            let run = async |base: &str| {
                let (folder, base) = (folder.path().to_owned(), base.to_owned());
                let ran = tokio::task::spawn_blocking(move || run(language, &folder, &base));
                ran.await.unwrap()
            };
            let Some(failed) = run(wrong.url()).await else {
                skip(&missing(language));
                continue;
            };
            let said = said(&failed);
            assert_eq!(failed.status.code(), Some(1), "{name}, {language:?}: {said}");
            assert!(said.contains(&transcript.finding.as_ref().unwrap().clause), "{name}: {said}");
            // A service keeps what a test has left there.
            for _ in 0..2 {
                let passed = run(right.url()).await.unwrap();
                assert!(passed.status.success(), "{name}, {language:?}: {}", self::said(&passed));
            }
            exported += 1;
        }
        wrong.stop().await;
    }
    right.stop().await;
    assert_eq!((shown, exported % SHOWN), (SHOWN, 0), "a language runs some of them only");
}

/// What the last response alone does not show is refused, with the reason.
#[tokio::test]
async fn what_cannot_be_a_test_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let transcript = finding(folder.path(), "percent-sign-is-decoded-twice").unwrap();
    let refused = async |changed: Transcript| export(&changed, Language::Pytest).await.unwrap_err();
    let story = Transcript { finding: None, ..transcript.clone() };
    assert_eq!(refused(story).await, Unexportable::NoFinding);
    let mut foreign = transcript.clone();
    foreign.finding.as_mut().unwrap().clause = "\"\"\"; import os".to_owned();
    assert!(matches!(refused(foreign).await, Unexportable::NoClause(_)));
    // The service answered what the model does.
    let mut right = transcript.clone();
    let Action::Call(read) = &right.steps.last().unwrap().action else { panic!("{right:?}") };
    let named = read.path.rsplit('/').next().unwrap().replace("%25", "%");
    let last = right.recorded.last_mut().unwrap();
    last.body.as_mut().unwrap()["externalId"] = named.into();
    assert!(matches!(refused(right).await, Unexportable::NotInTheResponse { .. }));
}

/// What runs an Arazzo document takes a missing value for null, and compares whole values.
#[tokio::test]
async fn an_arazzo_document_states_what_it_can() {
    let folder = tempfile::tempdir().unwrap();
    let of = async |defect: &str| {
        export(&finding(folder.path(), defect).unwrap(), Language::Arazzo).await
    };
    let document: serde_json::Value =
        serde_json::from_str(&of("void-invoices-are-fundable").await.unwrap()).unwrap();
    let last = document["workflows"][0]["steps"].as_array().unwrap().last().unwrap();
    let condition = last["successCriteria"][0]["condition"].as_str().unwrap();
    assert_eq!(condition, "$response.body#/fundable == false");
    for defect in
        ["null-sync-reason-is-left-out", "percent-sign-is-decoded-twice", "bad-json-is-422"]
    {
        let refused = of(defect).await;
        assert!(matches!(refused, Err(Unexportable::Inexpressible(_))), "{defect}: {refused:?}");
    }
}

/// A transcript may come from anybody: nothing in it becomes code.
#[tokio::test]
async fn a_text_of_a_transcript_stays_a_text() {
    let folder = tempfile::tempdir().unwrap();
    let mut transcript = finding(folder.path(), "percent-sign-is-decoded-twice").unwrap();
    let text = "x'; \"; `id`; $(id); ${id}; \\\" + str(1); {{ id }}; {% id %}\n# \u{2028}id()";
    let text = serde_json::to_string(&text).unwrap();
    for step in &mut transcript.steps {
        let written = serde_json::to_string(step).unwrap();
        let changed = written.replace("\"V/3 Ü Ltd\"", &text);
        *step = serde_json::from_str(&changed).unwrap();
    }
    let right = served(None).await;
    for (language, file) in LANGUAGES {
        let test = export(&transcript, language).await.unwrap();
        std::fs::write(folder.path().join(file), test).unwrap();
        let (folder, base) = (folder.path().to_owned(), right.url().to_owned());
        let ran = tokio::task::spawn_blocking(move || run(language, &folder, &base)).await.unwrap();
        let Some(ran) = ran else {
            skip(&missing(language));
            continue;
        };
        assert!(ran.status.success(), "{language:?}: {}", said(&ran));
    }
    right.stop().await;
}
