//! Cases that are played at once: the same steps and findings as one after another, and no accusation.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};
use tideover_endpoint::wall_time;
use tideover_live::exploration::Exploration;
use tideover_live::session::StopReason;
use tideover_live::settings::{Budget, Settings};
use tideover_model::{Destinations, Profile};
use tideover_prove::defects;
use tideover_sim::{Builder, Mock, NoNames, SigningTime};
use tideover_suite::play::cases::Plan;
use tokio::process::Command;

use crate::support::live;
use crate::support::slow::{Slow, busy, slow};

/// What a run printed and left.
struct Ran {
    code: Option<i32>,
    report: Value,
    /// What each play sent: the case in the journal, and the methods and paths or actions, without names.
    sent: BTreeMap<u64, Vec<String>>,
}

fn still() -> Builder {
    let builder = Mock::builder().resolver(NoNames).start_at(wall_time());
    builder.signing(SigningTime::Virtual)
}

async fn run(folder: &Path, mock: &Mock, url: &str, arguments: &[&str]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tideover"));
    command.current_dir(folder).env("TIDEOVER_KEY", mock.api_key());
    command.args(["check", "--json", "--sandbox", "--target", url, "--seed", "1"]);
    let output = command.args(["--journal", "journal.jsonl"]).args(arguments).output();
    let output = output.await.unwrap();
    let report = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{error}: {}", String::from_utf8_lossy(&output.stderr));
    });
    let journal = std::fs::read_to_string(folder.join("journal.jsonl")).unwrap();
    Ran { code: output.status.code(), report, sent: sent(&journal) }
}

fn sent(journal: &str) -> BTreeMap<u64, Vec<String>> {
    let mut sent: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    // The requests without an answer yet, each with its case.
    let mut under_way: BTreeMap<u64, u64> = BTreeMap::new();
    let mut races: BTreeSet<u64> = BTreeSet::new();
    for line in journal.lines().skip(1) {
        let line: Value = serde_json::from_str(line).unwrap();
        if let Some(number) = line["answers"].as_u64() {
            under_way.remove(&number);
        }
        let Some(case) = line["case"].as_u64().filter(|case| *case > 0) else { continue };
        let call = &line["call"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let parts = text(&call["path"]);
        let form: Vec<&str> = parts.split('/').take(3).collect();
        let what = [text(&call["method"]), form.join("/"), text(&line["act"]["action"])];
        sent.entry(case).or_default().push(what.join(" "));
        if under_way.values().any(|other| *other == case) {
            races.insert(case);
        }
        under_way.extend(line["number"].as_u64().map(|number| (number, case)));
    }
    // In which order the clients of a race go on is up to the target.
    for case in races {
        sent.entry(case).and_modify(|sent| sent.sort());
    }
    sent
}

/// How often each clause was met, and what was found.
fn outcome(report: &Value) -> (Vec<(&Value, &Value)>, Vec<Value>) {
    let clauses = report["clauses"].as_array().unwrap();
    let met = clauses.iter().map(|clause| (&clause["clause"], &clause["exercised"])).collect();
    let shown = |finding: &Value| {
        let steps = finding["steps"].as_array().unwrap();
        let words: Vec<&Value> = steps.iter().map(|step| &step["title"]).collect();
        json!([finding["clause"], finding["field"], finding["firstCase"], words])
    };
    let findings = report["findings"].as_array().unwrap();
    (met, findings.iter().map(shown).collect())
}

fn most(slow: &Slow) -> usize {
    slow.seen.most.load(Ordering::SeqCst)
}

/// A defect shows in some cases, so that the run has something to find, and to make small.
#[tokio::test]
async fn the_number_of_workers_changes_neither_steps_nor_findings() {
    let folder = tempfile::tempdir().unwrap();
    let mut before: Option<Ran> = None;
    for workers in ["1", "5"] {
        let defect = defects::find("void-invoices-are-fundable").unwrap();
        let face = defect.service(Profile::default(), 1, Destinations::Public);
        let mock = still().face(Box::new(face)).start().await.unwrap();
        let target = slow(&mock, Duration::from_millis(2)).await;
        // Cases are cut where the time seems too short, which depends on how fast the machine is.
        let budget = ["--max-requests", "1200", "--max-seconds", "900"];
        let arguments = [&["--workers", workers, "--max-findings", "9"], &budget[..]].concat();
        let ran = run(folder.path(), &mock, &target.url, &arguments).await;
        assert_eq!(ran.report["workers"].to_string(), workers);
        // A race has four clients of its own.
        assert!(most(&target) >= if workers == "1" { 4 } else { 5 }, "{}", most(&target));
        let Some(one) = before.replace(ran) else { continue };
        let many = before.as_ref().unwrap();
        assert_eq!((one.code, many.code), (Some(1), Some(1)));
        assert_eq!(outcome(&one.report), outcome(&many.report));
        assert_eq!(one.report["steps"], many.report["steps"]);
        assert_eq!(one.sent.len(), many.sent.len());
        for (case, sent) in &one.sent {
            assert_eq!(sent, &many.sent[case], "play {case}");
        }
    }
}

/// The clock is everybody's: nothing else is under way while a case moves it, and nobody is accused.
#[tokio::test]
async fn what_moves_the_clock_is_played_alone() {
    let folder = tempfile::tempdir().unwrap();
    let listen = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (listen, inbox) = (listen.to_string(), format!("http://{listen}"));
    let mock = still().webhooks(Destinations::Local).start().await.unwrap();
    let target = slow(&mock, Duration::from_millis(2)).await;
    let everything =
        ["--operator", &target.url, "--webhook-listen", &listen, "--webhook-url", &inbox];
    let arguments = [&everything[..], &["--workers", "6", "--max-requests", "1500"]].concat();
    let ran = run(folder.path(), &mock, &target.url, &arguments).await;
    assert_eq!(ran.code, Some(0), "{:#}", ran.report["findings"]);
    assert_eq!(target.seen.disturbed.load(Ordering::SeqCst), 0);
    assert!(most(&target) > 1, "the other cases are played at once");
    let times = |activity: &str| {
        let parts = ran.report["time"].as_array().unwrap();
        let part = parts.iter().find(|part| part["activity"] == activity);
        part.map_or(0, |part| part["times"].as_u64().unwrap())
    };
    assert!(times("moves of the clock") > 10, "{:#}", ran.report["time"]);
}

/// Each endpoint gets the events of all cases under way, and each list shows their subscriptions.
#[tokio::test]
async fn no_case_is_accused_because_of_another() {
    for seed in ["2", "3", "4"] {
        let folder = tempfile::tempdir().unwrap();
        let listen = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let (listen, inbox) = (listen.to_string(), format!("http://{listen}"));
        let builder = Mock::builder().resolver(NoNames).webhooks(Destinations::Local);
        let mock = builder.start().await.unwrap();
        let target = slow(&mock, Duration::from_millis(2)).await;
        let with_inbox = ["--webhook-listen", &listen, "--webhook-url", &inbox, "--seed", seed];
        let arguments = [&with_inbox[2..4], &with_inbox[..2], &["--workers", "8"]].concat();
        let arguments = [&arguments[..], &["--max-requests", "1500"]].concat();
        let ran = run(folder.path(), &mock, &target.url, &arguments).await;
        assert_eq!(ran.code, Some(0), "seed {seed}: {:#}", ran.report["findings"]);
        assert!(most(&target) >= 8, "{}", most(&target));
        assert_eq!(ran.report["leftBehind"], json!([]));
    }
}

#[tokio::test]
async fn the_latency_decides_how_many_are_played_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let mock = still().start().await.unwrap();
    let target = slow(&mock, Duration::from_millis(25)).await;
    let ran = run(folder.path(), &mock, &target.url, &["--max-requests", "150"]).await;
    let workers = ran.report["workers"].as_u64().unwrap();
    assert!((4..=8).contains(&workers), "{workers}");
}

#[tokio::test]
async fn a_target_that_asks_to_wait_gets_fewer_requests_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let mock = still().start().await.unwrap();
    let target = busy(&mock, Duration::from_millis(25), 4).await;
    let short = ["--max-requests", "450", "--steps", "8"];
    let ran = run(folder.path(), &mock, &target.url, &short).await;
    assert_eq!(ran.code, Some(0), "{:#}", ran.report["findings"]);
    let course = target.seen.course.lock().unwrap().clone();
    // The races that close the run have clients of their own.
    let alone = &course[..course.len() * 17 / 20];
    let (early, late) = alone.split_at(alone.len() * 3 / 4);
    let [early, late] = [early, late].map(|part| part.iter().max().copied().unwrap());
    assert!(early >= 4 && late <= early / 2, "{early} at once, then {late}");
}

#[test]
fn writes_to_test_accounts_have_one_worker() {
    let check = |more: &[&str]| {
        let mut command = crate::support::command::tideover();
        command.args(["check", "--target", "http://127.0.0.1:1", "--key", "rap_sk_k"]);
        let output = command.args(more).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let writes = ["--allow-writes", "--account-prefix", "test-", "--workers", "2"];
    let (code, complaint) = check(&writes);
    assert!(code == Some(2) && complaint.contains("workers needs a sandbox"), "{complaint}");
    let (code, complaint) = check(&["--sandbox", "--workers", "65"]);
    assert!(code == Some(2) && complaint.contains("at most 64"), "{complaint}");
    let (code, _) = check(&["--workers", "2"]);
    assert_eq!(code, Some(3), "reads are independent");
}

/// With an operator port and an inbox, every state is met, and everything is asked in each.
#[tokio::test]
async fn the_default_budget_sends_each_request_in_each_state() {
    let folder = tempfile::tempdir().unwrap();
    let mock = still().webhooks(Destinations::Local).start().await.unwrap();
    let url = mock.url().to_owned();
    let listen = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (listen, inbox) = (listen.to_string(), format!("http://{listen}"));
    let everything = ["--operator", &url, "--webhook-listen", &listen, "--webhook-url", &inbox];
    let ran = run(folder.path(), &mock, &url, &everything).await;
    assert_eq!(ran.code, Some(0), "{:#}", ran.report["findings"]);
    let matrices = ran.report["stateMatrix"].as_array().unwrap();
    let sizes =
        matrices.iter().map(|it| [&it["states"], &it["requests"]].map(|it| it.as_u64().unwrap()));
    let sizes: Vec<[u64; 2]> = sizes.collect();
    assert_eq!(sizes, [[52, 7], [10, 16], [2, 3], [3, 3], [3, 3], [2, 1], [4, 14]]);
    for matrix in matrices {
        assert_eq!((&matrix["missing"], &matrix["unmet"]), (&json!([]), &json!([])), "{matrix:#}");
    }
}

/// The beginning of a run meets most of what the whole run meets.
#[tokio::test]
async fn a_sixth_of_the_budget_meets_nine_tenths_of_the_clauses() {
    let listen = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (listen, inbox) = (listen.to_string(), format!("http://{listen}"));
    let folder = tempfile::tempdir().unwrap();
    for has_everything in [true, false] {
        let destinations = if has_everything { Destinations::Local } else { Destinations::Public };
        let mock = still().webhooks(destinations).start().await.unwrap();
        let url = mock.url().to_owned();
        let everything = ["--operator", &url, "--webhook-listen", &listen, "--webhook-url", &inbox];
        let mut arguments = vec!["--max-requests", "5000"];
        arguments.extend(everything.iter().filter(|_| has_everything));
        let ran = run(folder.path(), &mock, &url, &arguments).await;
        let reached: Vec<(u64, u64)> = ran.report["reached"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| (one["requests"].as_u64().unwrap(), one["clauses"].as_u64().unwrap()))
            .collect();
        let (_, all) = *reached.last().unwrap();
        let sixth = reached.iter().take_while(|(requests, _)| *requests <= 5000 / 6);
        let (_, early) = *sixth.last().unwrap();
        assert!(early * 10 >= all * 9, "{early} of {all} with everything: {has_everything}");
    }
}

/// Where every request has its price, a part of the budget is kept as soon as there is something to shrink.
#[tokio::test]
async fn a_quarter_of_a_live_budget_is_kept_for_shrinking() {
    let defect = defects::find("void-invoices-are-fundable").unwrap();
    let face = defect.service(Profile::default(), 1, Destinations::Public);
    let mock = Mock::builder().resolver(NoNames).face(Box::new(face)).start().await.unwrap();
    let settings = live::settings(&mock);
    let budget = Budget { requests: 1000, ..settings.budget };
    let begun = live::begin(Settings { budget, ..settings }, None).await;
    let plan = Plan { header: live::header(), first: 0, cases: 60, steps: 40, max_findings: 2 };
    let (session, world) = (begun.session, begun.world);
    let mut exploration = Exploration::new(&plan, Rc::clone(&session), world, None);
    let _ = exploration.run(|_| {}).await;
    assert!(matches!(session.ended(), Some(StopReason::Spent(_))), "{:?}", session.ended());
    assert!(session.requests() <= 1000);
    let [failure] = exploration.summary.failures.as_slice() else { panic!("one is found") };
    assert!(failure.probes > 0 && failure.transcript.steps.len() < failure.steps_before);
    let explored = exploration.effort().reached.last().unwrap().requests;
    assert!((600..=750).contains(&explored), "{explored}");
}

/// A race is begun only when it fits into a tenth of what was sent.
#[tokio::test]
async fn races_take_a_tenth_of_the_budget() {
    let folder = tempfile::tempdir().unwrap();
    let mock = still().start().await.unwrap();
    let races = async |requests: &str| {
        let ran = run(folder.path(), &mock, mock.url(), &["--max-requests", requests]).await;
        let races = ran.report["races"]["races"].as_u64().unwrap();
        (races, ran.report["cases"].as_u64().unwrap())
    };
    let (few, cases) = races("150").await;
    assert!(few == 0 && cases > 0, "{few} races in {cases} cases");
    let (more, _) = races("2000").await;
    assert!((2..=4).contains(&more), "{more} races of some 60 requests");
}

/// What is found does not end the exploration, and is made small with a budget of its own.
#[tokio::test]
async fn a_finding_does_not_end_the_exploration() {
    let folder = tempfile::tempdir().unwrap();
    let explore = async |name: Option<&str>| {
        let builder = still();
        let builder = match name.map(|name| defects::find(name).unwrap()) {
            None => builder,
            Some(defect) => {
                let face = defect.service(Profile::default(), 1, Destinations::Public);
                builder.face(Box::new(face))
            }
        };
        let mock = builder.start().await.unwrap();
        run(folder.path(), &mock, mock.url(), &["--max-requests", "900"]).await
    };
    let right = explore(None).await;
    let wrong = explore(Some("void-invoices-are-fundable")).await;
    assert_eq!((right.code, wrong.code), (Some(0), Some(1)));
    let requests = |ran: &Ran| ran.report["reached"].as_array().unwrap().last().unwrap().clone();
    let (right_end, wrong_end) = (requests(&right), requests(&wrong));
    let [right_end, wrong_end] =
        [right_end, wrong_end].map(|end| end["requests"].as_u64().unwrap());
    assert!(right_end > 800 && wrong_end > 800, "{right_end} and {wrong_end} requests");
    let finding = &wrong.report["findings"][0];
    let steps = finding["steps"].as_array().unwrap().len() as u64;
    assert!(steps < finding["stepsBefore"].as_u64().unwrap(), "{finding:#}");
    assert_eq!(wrong.report["ending"], "spent");
}
