//! The report of a run, as data.

use std::collections::BTreeSet;
use std::time::Duration;

use quick_junit::TestCaseStatus;
use serde_json::{Value, json};
use tideover_endpoint::embedded;
use tideover_exchange::evidence::finding::Verdict;
use tideover_exchange::evidence::outcome::{Demands, Outcome};
use tideover_exchange::start;
use tideover_exchange::target::{INBOX, service};
use tideover_judge::checks::registry::Needs;
use tideover_model::clause::Section;
use tideover_model::{Profile, clause};
use tideover_report::document::{
    ClauseKind, ClauseReport, Found, GapReport, LatencyReport, SeenValue, Status, schema,
};
use tideover_report::{Baseline, FinishedRun, html, junit};
use tideover_suite::play::cases;
use tideover_suite::play::cases::{InProcess, OverHttp, Plan, Summary};

use crate::support::reports::{SEED, plan, report, with_defect};

async fn right(plan: &Plan) -> Summary {
    let service = service(Profile::default(), SEED, INBOX);
    cases::check(&mut InProcess::new(service, start()), plan).await.unwrap()
}

#[test]
fn the_schema_matches_the_types() {
    insta::assert_json_snapshot!(schema());
}

#[tokio::test]
async fn a_report_matches_its_schema() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    let plan = plan(60);
    for summary in [right(&plan).await, with_defect("void-invoices-are-fundable", &plan).await] {
        let report = json!(report(&plan, &summary, None));
        let problems: Vec<_> = validator.iter_errors(&report).map(|it| it.to_string()).collect();
        assert!(problems.is_empty(), "{problems:?}");
    }
    let wrong = json!({ "version": 1 });
    assert!(!validator.is_valid(&wrong));
}

#[tokio::test]
async fn a_report_explains_the_status_of_every_clause() {
    let plan = plan(150);
    let report = report(&plan, &right(&plan).await, None);
    assert_eq!(report.outcome, Outcome::Pass);
    assert_eq!(report.clauses.len(), tideover_model::Clause::all().count());
    for clause in &report.clauses {
        match clause.status {
            Status::Held => assert!(clause.exercised > 0, "{clause:?}"),
            Status::Covered | Status::Argued => {
                assert!(clause.exercised == 0 && clause.reason.is_some(), "{clause:?}");
            }
            Status::NotObservable => assert!(clause.reason.is_some(), "{clause:?}"),
            other => panic!("{other:?}: {clause:?}"),
        }
    }
    assert!(report.warnings.is_empty(), "{:?}", report.warnings);
    assert!(report.latency.is_empty());
}

/// A run that met half of what its options reach passes in part, and says how much.
#[tokio::test]
async fn unmet_clauses_make_a_partial_pass() {
    let plan = plan(1);
    let report = report(&plan, &right(&plan).await, None);
    let unmet = |clause: &&ClauseReport| {
        clause.status == Status::NotMet && clause.kind == ClauseKind::Documented
    };
    let unmet = report.clauses.iter().filter(unmet).count() as u64;
    let extent = report.extent;
    assert_eq!(unmet, extent.reachable - extent.examined(), "{extent:?}");
    assert!(unmet > 50, "{extent:?}");
    assert_eq!(report.outcome, Outcome::Partial);
    let (examined, reachable) = (extent.examined(), extent.reachable);
    let scope = format!("PASS (partial: {examined} of {reachable} clauses in reach): ");
    assert!(report.headline.starts_with(&scope), "{}", report.headline);
    let printed = report.to_string();
    assert!(printed.starts_with(&report.headline), "{printed}");
    assert_eq!(printed.trim_end().lines().last(), Some(&*report.headline));
    assert!(!printed.contains("2.business.name,"), "no wall of names: {printed}");
}

/// A request that the gate holds back says nothing about whether the target answers.
#[tokio::test]
async fn unsent_requests_are_not_called_unanswered() {
    let plan = plan(1);
    let mut summary = right(&plan).await;
    summary.unsent = vec!["not sent: its key is not one of the run's own".to_owned(); 2];
    let warnings = report(&plan, &summary, None).warnings;
    let expected = "2 requests not sent, the first because its key is not one of the run's own";
    assert!(warnings.iter().any(|warning| warning == expected), "{warnings:?}");
    assert!(!warnings.iter().any(|warning| warning.contains("not answered")), "{warnings:?}");
}

/// A run that met nothing, where only requests can be sent.
#[test]
fn unmet_clauses_say_why() {
    let plan = plan(1);
    let run = FinishedRun {
        command: "check",
        shard: tideover_exchange::evidence::Shard::WHOLE,
        plan: &plan,
        summary: &Summary::default(),
        target: "nobody",
        offers: &[Needs::Requests, Needs::Writes],
        unproven: &[],
        finished: start(),
        took: Duration::ZERO,
        replay: &[],
        baseline: None,
        regressions: &[],
        ended: None,
        left_behind: &[],
        unjudged: 0,
        unasked: None,
        races: None,
        only_races: false,
        demands: &Demands::default(),
    };
    let report = run.report();
    for (name, status, reason) in [
        ("2.invoice.status", Status::NotMet, None),
        ("1.general.6", Status::NotMet, Some("a breach would show in 7.codes.unknown_endpoint")),
        (
            "1.service.3.3",
            Status::NotObservable,
            Some("only a service in process shows its inner state"),
        ),
        ("6.events.loan.created", Status::OutOfReach, Some("webhooks do not come to the suite")),
        (
            "4.payoutAccount.intro.1",
            Status::NotObservable,
            Some("not observable: no response shows which account an advance was paid to"),
        ),
        (
            "6.delivery.5.2",
            Status::NotObservable,
            Some(
                "not observable: the receiver decides which deliveries it drops; \
                 asked of receivers by receiver-check",
            ),
        ),
    ] {
        let clause = report.clauses.iter().find(|clause| clause.clause == name).unwrap();
        assert_eq!((clause.status, clause.reason.as_deref()), (status, reason), "{name}");
    }
}

/// A clause whose breach would show in a met clause is not itself met.
#[test]
fn a_covered_clause_is_not_held() {
    let plan = plan(1);
    let mut summary = Summary { steps: 1, ..Summary::default() };
    summary.met.meet(clause!("gap.ownStatuses"));
    let report = report(&plan, &summary, None);
    let of = |name: &str| report.clauses.iter().find(|clause| clause.clause == name).unwrap();
    assert_eq!((of("gap.ownStatuses").status, of("gap.ownStatuses").exercised), (Status::Held, 1));
    let argued = of("7.codes.self_dealing");
    assert_eq!((argued.status, argued.exercised), (Status::Argued, 0));
    let reason = "a breach would show in 4.advances.4, gap.ownStatuses";
    assert_eq!(argued.reason.as_deref(), Some(reason));
    assert_eq!((report.extent.proven, report.extent.argued), (0, 8));
    // A defect of the catalogue proves it.
    summary.met.meet(clause!("2.importReport.rows"));
    let proven = self::report(&plan, &summary, None);
    let covered =
        proven.clauses.iter().find(|clause| clause.clause == "4.imports.intro.1").unwrap();
    assert_eq!((covered.status, covered.exercised), (Status::Covered, 0));
    assert_eq!(proven.extent.proven, 2, "{:?}", proven.extent);
    assert_eq!(of("2.invoiceSync.status").status, Status::NotMet);
    let printed = report.to_string();
    let counts = " 1 held · 8 argued · ";
    assert!(printed.contains(counts) && printed.contains(" 1 assertion\n"), "{printed}");
    let read = quick_junit::Report::deserialize_from_str(&junit(&report).unwrap()).unwrap();
    let case = |name: &str| {
        let cases = &mut read.test_suites[0].test_cases.iter();
        cases.find(|case| case.name.starts_with(&format!("{name} "))).unwrap()
    };
    let is_success = |name| matches!(case(name).status, TestCaseStatus::Success { .. });
    assert!(is_success("7.codes.self_dealing") && !is_success("2.invoiceSync.status"));
    assert_eq!(case("7.codes.self_dealing").system_out.as_deref(), Some(reason));
}

#[tokio::test]
async fn a_run_over_http_reports_latencies() {
    let plan = plan(5);
    let (_mock, target) = embedded(&plan.header).await.unwrap();
    let summary = cases::check(&mut OverHttp::new(target), &plan).await.unwrap();
    let took = Duration::from_millis(1);
    let run = FinishedRun {
        command: "check",
        shard: tideover_exchange::evidence::Shard::WHOLE,
        plan: &plan,
        summary: &summary,
        target: "a mock",
        offers: Needs::OF_A_MOCK,
        unproven: &[],
        finished: start(),
        took,
        replay: &[],
        baseline: None,
        regressions: &[],
        ended: None,
        left_behind: &[],
        unjudged: 0,
        unasked: None,
        races: None,
        only_races: false,
        demands: &Demands::default(),
    };
    let report = run.report();
    assert_eq!(report.latency.len(), 14);
    for latency in &report.latency {
        assert!(latency.count > 0 && latency.median > 0, "{latency:?}");
        assert!(latency.median <= latency.percentile95 && latency.percentile95 <= latency.max);
    }
    let inside = report.clauses.iter().find(|clause| clause.clause == "1.service.3.3").unwrap();
    assert_eq!(inside.status, Status::NotObservable);
    assert!(inside.reason.as_ref().unwrap().contains("in process"));
}

/// The terminal shows the gaps of a target that is not ours, if it is asked to.
#[tokio::test]
async fn a_terminal_shows_gaps_and_latencies() {
    let plan = plan(1);
    let mut report = report(&plan, &right(&plan).await, None);
    assert!(!report.to_string().contains("where the document is silent:"));
    let gap = |place: &str, assumed: &str, seen: &[(&str, u64)]| GapReport {
        clause: "gap.ownStatuses".to_owned(),
        wording: "words".to_owned(),
        place: place.to_owned(),
        assumed: assumed.to_owned(),
        seen: seen
            .iter()
            .map(|(value, times)| SeenValue { value: (*value).to_owned(), times: Some(*times) })
            .collect(),
        constant: seen.len() == 1,
        spans: Vec::new(),
    };
    report.gaps = (0..12).map(|n| gap(&format!("code_{n}"), "404", &[("404", 3)])).collect();
    report.gaps.push(gap("self_dealing", "422", &[("409", 2), ("422", 1)]));
    report.gaps.push(gap("too_many_rows", "422", &[("400", 2)]));
    let operation = "POST /v1/quotes".to_owned();
    let (count, median, percentile95, max) = (12, 849, 1200, 40_000);
    report.latency = vec![LatencyReport { operation, count, median, percentile95, max }];
    let short = report.to_string();
    assert!(!short.contains("where the document is silent") && !short.contains("POST /v1/quotes"));
    let printed = format!("{report:#}");
    let (_, printed) = printed.split_once("\nseen where").unwrap();
    let (printed, _) = printed.split_once("\n\nexamined").unwrap();
    insta::assert_snapshot!(printed);
}

/// A run that passes takes a screen: outcome, coverage by section, next step.
#[tokio::test]
async fn a_terminal_report_fits_a_screen() {
    let plan = plan(150);
    let report = report(&plan, &right(&plan).await, None);
    let printed = report.to_string();
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!((lines[0], lines.last()), (&*report.headline, Some(&&*report.headline)));
    assert!(lines[1].contains("steps in 150 cases against the model, in process, 1.2 s"));
    for section in Section::all() {
        let bar = lines.iter().find(|line| line.trim_start().starts_with(&section.to_string()));
        assert!(bar.is_some_and(|line| line.contains('█')), "{section}: {printed}");
    }
    assert!(printed.contains("\nnext        Nothing to do."), "{printed}");
    assert!(lines.len() <= 24, "{} lines: {printed}", lines.len());
    let longest = lines.iter().map(|line| line.chars().count()).max();
    assert!(longest <= Some(110), "{printed}");
}

/// A long value is cut in the middle, and a long command says where it is whole.
#[tokio::test]
async fn a_terminal_shows_no_value_longer_than_a_line() {
    let plan = plan(60);
    let mut report = report(&plan, &with_defect("void-invoices-are-fundable", &plan).await, None);
    let finding = &mut report.findings[0];
    finding.found.seen = format!("begins {} ends", "and goes on ".repeat(400));
    finding.also.push(Found { expected: "x".repeat(4000), ..finding.found.clone() });
    finding.steps[0].words = format!("sync {}", "a body ".repeat(90));
    finding.steps[1].curl = format!("curl {}", "-H x ".repeat(400));
    finding.difference.as_mut().unwrap().changes[0].after = Some("y".repeat(900));
    report.warnings.push("it limits the run ".repeat(90));
    let printed = report.to_string();
    assert!(printed.contains("    seen      begins and goes on"), "{printed}");
    assert!(printed.contains("goes on and goes on  ends\n"), "{printed}");
    assert!(printed.contains("2,005 characters of curl: see --html or --json"), "{printed}");
    let commands = |line: &&str| line.contains("curl ") || line.contains("replay ");
    let long = printed.lines().filter(|line| line.chars().count() > 120 && !commands(line));
    assert_eq!(long.collect::<Vec<_>>(), [""; 0], "{printed}");
    assert!(printed.lines().all(|line| line.chars().count() <= 700), "{printed}");
    // Everything else has it whole.
    let whole = json!(report).to_string();
    assert!(whole.contains(&"x".repeat(4000)) && whole.contains(&"y".repeat(900)));
}

#[tokio::test]
async fn a_finding_shows_what_its_steps_change() {
    let plan = plan(60);
    let summary = with_defect("void-invoices-are-fundable", &plan).await;
    let report = report(&plan, &summary, None);
    let finding = &report.findings[0];
    assert_eq!(report.outcome, Outcome::Fail);
    assert_eq!(finding.found.clause, "2.invoice.fundable");
    assert_eq!((finding.steps.len(), finding.known), (2, false));
    assert_eq!(finding.replay.as_deref(), Some("tideover replay it"));
    let difference = finding.difference.as_ref().unwrap();
    assert_eq!(difference.step, 1);
    let status = difference.changes.iter().find(|change| change.field == "status").unwrap();
    assert_eq!((&status.before, status.after.as_deref()), (&None, Some("\"VOIDED\"")));
}

/// The headline names what came with a finding, too.
#[tokio::test]
async fn a_headline_names_every_broken_clause() {
    let plan = plan(60);
    let mut summary = with_defect("punctuated-tax-id-is-malformed", &plan).await;
    let came_with_it = summary.failures.pop().unwrap();
    summary.failures[0].findings.extend(came_with_it.findings);
    let report = report(&plan, &summary, None);
    let main: BTreeSet<&str> = violated(report.findings.iter().map(|one| &one.found));
    let also = violated(report.findings.iter().flat_map(|one| &one.also));
    let all: BTreeSet<&str> = main.union(&also).copied().collect();
    assert!(all.len() > main.len(), "{report}");
    let named = all.iter().filter(|clause| report.headline.contains(**clause)).count();
    let more = format!(" and {} more violated", all.len() - named);
    assert!(named == 3 && report.headline.contains(&more), "{}", report.headline);
}

fn violated<'a>(found: impl Iterator<Item = &'a Found>) -> BTreeSet<&'a str> {
    let violated = found.filter(|found| found.verdict == Verdict::Violated);
    violated.map(|found| &*found.clause).collect()
}

/// The last write before the read that shows it, and the sentence on what that write does.
#[tokio::test]
async fn a_finding_names_the_step_that_wrote_the_wrong_field() {
    let plan = plan(60);
    let name = "status-is-that-of-the-first-sync";
    let report = report(&plan, &with_defect(name, &plan).await, None);
    let of_a_read = report.findings.iter().find_map(|one| one.culprit.as_ref().map(|it| (one, it)));
    let (finding, culprit) = of_a_read.unwrap_or_else(|| panic!("{report}"));
    let written = &finding.steps[usize::try_from(culprit.step).unwrap() - 1];
    let effect =
        if written.words.starts_with("import") { "4.imports.2" } else { "4.invoiceSync.1" };
    assert_eq!(culprit.clause, effect, "{report}");
    assert_eq!(culprit.step, finding.steps.len() as u64 - 1, "{report}");
    let since = format!("the last write before it is step {} (", culprit.step);
    assert!(report.to_string().contains(&since), "{report}");
    assert!(html(&report).unwrap().contains("is the last write before it."));
}

/// A sync writes no `fundable`, and a quote writes nothing: what they do says nothing of the finding.
#[tokio::test]
async fn a_step_that_did_not_write_the_wrong_field_is_not_named() {
    let plan = plan(60);
    for name in ["void-invoices-are-fundable", "advanced-invoices-stay-fundable"] {
        let report = report(&plan, &with_defect(name, &plan).await, None);
        assert!(!report.findings.is_empty(), "{name}");
        assert!(report.findings.iter().all(|finding| finding.culprit.is_none()), "{report}");
    }
}

#[tokio::test]
async fn known_findings_pass_and_gone_ones_are_listed() {
    let plan = plan(60);
    let summary = with_defect("void-invoices-are-fundable", &plan).await;
    let mut former = json!(report(&plan, &summary, None));
    let gone = json!({ "fingerprint": "0", "clause": "c", "operation": "o", "field": "f" });
    former["findings"].as_array_mut().unwrap().push(gone);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("former.json");
    std::fs::write(&path, former.to_string()).unwrap();
    let baseline = Baseline::read(&path).unwrap();
    let again = report(&plan, &summary, Some(&baseline));
    assert!(again.outcome.passes(), "{}", again.headline);
    assert!(again.findings.iter().all(|finding| finding.known));
    assert_eq!(again.gone.len(), 1);
    let printed = again.to_string();
    assert!(printed.contains("known: the baseline has it"), "{printed}");
    assert!(printed.contains("gone: 0, c at o: f"), "{printed}");
    let other = with_defect("repeat-is-answered-as-the-first", &plan).await;
    assert_eq!(report(&plan, &other, Some(&baseline)).outcome, Outcome::Fail);

    for (text, named) in
        [("", "--json"), ("{}", "--json"), (r#"{"version":0,"findings":[]}"#, "version 0")]
    {
        std::fs::write(&path, text).unwrap();
        let problem = Baseline::read(&path).unwrap_err().to_string();
        assert!(problem.contains("former.json") && problem.contains(named), "{problem}");
    }
}

/// A report masks keys, secrets and account numbers.
#[tokio::test]
async fn secrets_are_masked_in_a_report() {
    let plan = plan(60);
    for defect in [
        "one-secret-for-all",
        "repeat-names-another-account",
        "refused-subscription-shows-the-secret",
        "revoked-keys-stay-good",
    ] {
        let summary = with_defect(defect, &plan).await;
        let written = json!(report(&plan, &summary, None)).to_string();
        for failure in &summary.failures {
            for seen in failure.answers.iter().filter_map(|(_, seen)| seen.as_ref()) {
                for secret in secrets(seen.json().unwrap_or(&Value::Null)) {
                    assert!(!written.contains(&secret), "{defect} reveals {secret}: {written}");
                }
            }
        }
    }
}

fn secrets(answer: &Value) -> Vec<String> {
    match answer {
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(name, value)| match value.as_str() {
                Some(text) if matches!(name.as_str(), "secret" | "key" | "accountNumber") => {
                    vec![text.to_owned()]
                }
                _ => secrets(value),
            })
            .collect(),
        Value::Array(items) => items.iter().flat_map(secrets).collect(),
        _ => Vec::new(),
    }
}
