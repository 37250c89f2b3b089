//! The report as a page, in a real browser.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tideover_harness::evidence::outcome::Outcome;
use tideover_harness::report::document::{FindingReport, GapReport, LatencyReport, SeenValue};
use tideover_harness::report::{Report, html, junit};

use crate::support::browser::{self, Browser};
use crate::support::races;
use crate::support::reports::{plan, report, with_defect};

/// A report with something in every part of it.
async fn full() -> Report {
    let plan = plan(60);
    let summary = with_defect("void-invoices-are-fundable", &plan).await;
    let mut report = report(&plan, &summary, None);
    // Its diagram is wider than a phone.
    let wide = with_defect("every-sequence-is-one", &plan).await;
    report.findings.push(FindingReport::of(&wide.failures[0]));
    let (races, defect) = (races::plan(10), "race-lets-two-first-requests-through");
    let raced = races::with_defect(defect, &races).await;
    report.findings.push(FindingReport::of(&raced.counted.failures[0]));
    let operation = "GET /v1/organizations/{payeeExternalId}/invoices/{externalId}".to_owned();
    let (count, median, percentile95, max) = (12, 800, 1200, 40_000);
    report.latency.push(LatencyReport { operation, count, median, percentile95, max });
    report.gaps.push(GapReport {
        clause: "gap.bodyLimit".to_owned(),
        wording: "A body may have at most 1048576 bytes.".to_owned(),
        place: "body_limit".to_owned(),
        assumed: "1048576".to_owned(),
        seen: vec![SeenValue { value: "at least 1048576".to_owned(), times: Some(3) }],
        constant: true,
    });
    report.warnings.push("nothing was left behind".to_owned());
    report
}

fn written(report: &Report, folder: &Path) -> PathBuf {
    let path = folder.join("report.html");
    std::fs::write(&path, html(report).unwrap()).unwrap();
    path
}

#[tokio::test]
async fn a_page_fits_a_phone_and_loads_nothing() {
    if browser::is_missing() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let page = written(&full().await, folder.path());
    let mut backgrounds = Vec::new();
    for scheme in ["light", "dark"] {
        let browser = Browser::start(360, scheme).await;
        browser.open(&page).await;
        assert_eq!(browser.run("return window.innerWidth").await, 360);
        let width = browser.run("return document.documentElement.scrollWidth").await;
        assert_eq!(width, 360, "the page is wider than the phone");
        let opened = "document.querySelectorAll('details').forEach(it => it.open = true); \
            return document.documentElement.scrollWidth";
        assert_eq!(browser.run(opened).await, 360, "the page is wider once it is opened");
        backgrounds
            .push(browser.run("return getComputedStyle(document.body).backgroundColor").await);
        assert_eq!(browser.log("browser").await, Vec::<Value>::new());
        let requests = browser.requests().await;
        assert!(requests.iter().all(|url| url.starts_with("file://")), "{requests:?}");
        assert_eq!(requests.len(), 1, "{requests:?}");
    }
    assert_ne!(backgrounds[0], backgrounds[1]);
}

#[tokio::test]
async fn the_clauses_can_be_filtered() {
    if browser::is_missing() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let report = full().await;
    let browser = Browser::start(1100, "light").await;
    browser.open(&written(&report, folder.path())).await;
    let shown = "return Array.from(document.querySelectorAll('#clauses tbody tr')) \
        .filter(row => row.offsetParent !== null).map(row => row.querySelector('th').textContent)";
    assert_eq!(browser.run(shown).await.as_array().unwrap().len(), report.clauses.len());
    let choose = "const it = document.getElementById('filter-status'); it.value = 'violated'; \
        it.dispatchEvent(new Event('input', { bubbles: true }))";
    browser.run(choose).await;
    let violated = json!(["2.invoice.fundable", "2.invoice.notFundableReason"]);
    assert_eq!(browser.run(shown).await, violated);
    let type_in = "const it = document.getElementById('filter-text'); it.value = 'Reason'; \
        it.dispatchEvent(new Event('input', { bubbles: true }))";
    browser.run(type_in).await;
    assert_eq!(browser.run(shown).await, json!(["2.invoice.notFundableReason"]));
    let shown_count = browser.run("return document.getElementById('shown').textContent").await;
    assert_eq!(shown_count, format!("1 of {} shown", tideover_model::Clause::all().count()));
}

const EVIL: &str = "</script></style><script>window.wasRun = true</script>\
    <img src=x onerror=\"window.wasRun = true\">\" onmouseover='window.wasRun = true' &";

/// A report in which everything that comes from outside is hostile.
async fn hostile() -> Report {
    let mut report = full().await;
    report.target = EVIL.to_owned();
    report.warnings.push(EVIL.to_owned());
    report.left_behind.push(EVIL.to_owned());
    let finding = &mut report.findings[0];
    for text in [&mut finding.found.expected, &mut finding.found.seen, &mut finding.found.field] {
        *text = EVIL.to_owned();
    }
    finding.replay = Some(EVIL.to_owned());
    for step in &mut finding.steps {
        step.title = EVIL.to_owned();
        step.words = EVIL.to_owned();
        step.curl = EVIL.to_owned();
        step.answer.code = Some(EVIL.to_owned());
        step.answer.body = Some(json!({ EVIL: EVIL }));
    }
    let difference = finding.difference.as_mut().unwrap();
    difference.changes[0].subject = EVIL.to_owned();
    difference.changes[0].after = Some(EVIL.to_owned());
    report.gaps[0].seen[0].value = EVIL.to_owned();
    report
}

#[tokio::test]
async fn scripts_in_responses_do_not_run() {
    let report = hostile().await;
    let page = html(&report).unwrap();
    assert!(!page.contains("<img") && !page.contains("window.wasRun = true</script>"));
    assert_eq!(page.matches("<script").count(), 1);
    if browser::is_missing() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let browser = Browser::start(360, "light").await;
    browser.open(&written(&report, folder.path())).await;
    let hover = "document.querySelectorAll('*') \
        .forEach(it => it.dispatchEvent(new Event('mouseover', { bubbles: true }))); \
        return [window.wasRun === undefined, document.images.length, document.scripts.length, \
            document.querySelector('article dd code') !== null]";
    assert_eq!(browser.run(hover).await, json!([true, 0, 1, true]));
    let seen = "return document.querySelectorAll('.evidence code')[3].textContent";
    assert_eq!(browser.run(seen).await, EVIL);
    assert_eq!(browser.run("return document.documentElement.scrollWidth").await, 360);
    assert_eq!(browser.log("browser").await, Vec::<Value>::new());
}

/// A script that gets into the page does not run.
#[tokio::test]
async fn a_foreign_script_is_blocked() {
    if browser::is_missing() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("altered.html");
    let page = html(&full().await).unwrap();
    std::fs::write(&path, page.replace("<main>", "<main><script>window.wasRun = 1</script>"))
        .unwrap();
    let browser = Browser::start(360, "light").await;
    browser.open(&path).await;
    assert_eq!(browser.run("return window.wasRun === undefined").await, true);
    let logged = browser.log("browser").await;
    assert!(
        logged.iter().any(|it| it.to_string().contains("Content Security Policy")),
        "{logged:?}"
    );
}

/// A run may leave much behind, so its findings come first.
#[tokio::test]
async fn leftovers_are_folded_after_the_findings() {
    let mut report = full().await;
    assert!(!html(&report).unwrap().contains("Left behind"));
    report.left_behind = vec!["business test-td-1".to_owned(), "invoice td-1-r1".to_owned()];
    let page = html(&report).unwrap();
    let (before, after) = page.split_once("Left behind").unwrap();
    assert!(before.contains("</article>") && !before.contains("business test-td-1"));
    let (folded, _) = after.split_once("</details>").unwrap();
    assert!(folded.contains("could not delete: 2</summary>"), "{folded}");
    assert!(folded.contains("business test-td-1") && folded.contains("invoice td-1-r1"));
}

#[tokio::test]
async fn junit_has_a_test_case_per_clause() {
    let report = hostile().await;
    let written = junit(&report).unwrap();
    let read = quick_junit::Report::deserialize_from_str(&written).unwrap();
    let suite = &read.test_suites[0];
    // The first is the outcome itself.
    assert_eq!((read.tests, read.failures, read.errors), (report.clauses.len() + 1, 3, 0));
    let failed = |case: &&quick_junit::TestCase| {
        matches!(case.status, quick_junit::TestCaseStatus::NonSuccess { .. })
    };
    let names: Vec<&str> =
        suite.test_cases.iter().filter(failed).map(|case| case.name.as_str()).collect();
    assert_eq!(names[0], "outcome");
    assert!(names[1].starts_with("2.invoice.fundable "), "{names:?}");
    assert!(names[2].starts_with("2.invoice.notFundableReason "), "{names:?}");

    let mut known = report;
    known.findings.iter_mut().for_each(|finding| finding.known = true);
    known.outcome = Outcome::Pass;
    let read = quick_junit::Report::deserialize_from_str(&junit(&known).unwrap()).unwrap();
    assert_eq!(read.failures, 0);
}
