//! The report as a page, in a real browser.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tideover_exchange::evidence::outcome::Outcome;
use tideover_report::document::{FindingReport, GapReport, LatencyReport, SeenValue, Status};
use tideover_report::{Report, WORDS, Word, html, junit};
use tokio::sync::OnceCell;

use crate::support::browser::{self, Browser};
use crate::support::races;
use crate::support::reports::{plan, report, with_defect};

/// A report with something in every part of it. It is played once for all tests.
async fn full() -> Report {
    static PLAYED: OnceCell<Report> = OnceCell::const_new();
    PLAYED.get_or_init(play).await.clone()
}

async fn play() -> Report {
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
        spans: Vec::new(),
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

/// Labels are whole, arrows stay between their lanes, and nothing is to be scrolled.
#[tokio::test]
async fn a_phone_shows_the_whole_sequence() {
    if browser::is_missing() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let browser = Browser::start(390, "light").await;
    browser.open(&written(&full().await, folder.path())).await;
    let lanes = "document.querySelectorAll('details').forEach(it => it.open = true); \
        return Array.from(document.querySelectorAll('.sequence'), it => it.querySelectorAll('.lanes span').length)";
    assert_eq!(browser.run(lanes).await, json!([2, 4, 5]));
    let fits = "return Array.from(document.querySelectorAll('.sequence'), sequence => { \
        const box = sequence.getBoundingClientRect(); \
        const inside = it => { const own = it.getBoundingClientRect(); \
            return own.left >= box.left && own.right <= box.right && own.height > 0; }; \
        return sequence.scrollWidth <= sequence.clientWidth \
            && Array.from(sequence.querySelectorAll('.label, .wire, .lanes span')).every(inside) \
            && Array.from(sequence.querySelectorAll('.label')).every(it => it.scrollWidth <= it.clientWidth); })";
    assert_eq!(browser.run(fits).await, json!([true, true, true]));
}

/// Whoever decides sees what was tested, when, by what, the outcome, how much was examined, and the next step.
#[tokio::test]
async fn the_first_screen_is_enough_to_decide() {
    let report = full().await;
    let page = html(&report).unwrap();
    let (_, header) = page.split_once("<header").unwrap();
    let (header, _) = header.split_once("</header>").unwrap();
    for text in [
        &*report.headline,
        "the model, in process",
        "2025-12-31 23:59 UTC",
        env!("CARGO_PKG_VERSION"),
        "1.2 s",
        report.ended(),
        "<b>Next:</b> Read the first finding",
    ] {
        assert!(header.contains(text), "{text}: {header}");
    }
    if browser::is_missing() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let browser = Browser::start(1280, "light").await;
    browser.open(&written(&report, folder.path())).await;
    let visible = "const bottom = it => document.querySelector(it).getBoundingClientRect().bottom; \
        return [bottom('.next') < window.innerHeight, bottom('.coverage') < window.innerHeight, \
            document.querySelectorAll('.coverage tr .bar').length, \
            document.querySelectorAll('.contents li').length]";
    assert_eq!(browser.run(visible).await, json!([true, true, 10, report.findings.len()]));
}

/// A run with three findings is read in a few screens, since what holds is folded.
#[tokio::test]
async fn a_page_is_short() {
    if browser::is_missing() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let report = full().await;
    assert_eq!(report.findings.len(), 3);
    let browser = Browser::start(1280, "light").await;
    browser.open(&written(&report, folder.path())).await;
    let height = browser.run("return document.documentElement.scrollHeight").await;
    assert!(height.as_u64() <= Some(8000), "{height} pixels");
    let order = "return Array.from(document.querySelectorAll('h2'), it => it.textContent)";
    let order = browser.run(order).await;
    let place = |title: &str| order.as_array().unwrap().iter().position(|it| it == title).unwrap();
    assert!(
        place("Findings") < place("Warnings") && place("Warnings") < place("Clauses"),
        "{order}"
    );
}

/// The clauses that are shown, by name.
const SHOWN: &str = "return Array.from(document.querySelectorAll('#clauses tbody tr')) \
    .filter(row => row.checkVisibility()).map(row => row.querySelector('th').textContent)";

#[tokio::test]
async fn the_clauses_are_folded_and_can_be_filtered() {
    if browser::is_missing() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let report = full().await;
    let browser = Browser::start(1100, "light").await;
    browser.open(&written(&report, folder.path())).await;
    let violated = json!(["2.invoice.fundable"]);
    assert_eq!(browser.run(SHOWN).await, violated, "only what is broken stands open");
    let choose = |status: &str| {
        format!(
            "const it = document.getElementById('filter-status'); it.value = '{status}'; \
             it.dispatchEvent(new Event('input', {{ bubbles: true }}))"
        )
    };
    browser.run(&choose("violated")).await;
    assert_eq!(browser.run(SHOWN).await, violated);
    let type_in = "const it = document.getElementById('filter-text'); it.value = 'fundable'; \
        it.dispatchEvent(new Event('input', { bubbles: true }))";
    browser.run(type_in).await;
    assert_eq!(browser.run(SHOWN).await, violated);
    let shown_count = browser.run("return document.getElementById('shown').textContent").await;
    assert_eq!(shown_count, format!("1 of {} shown", tideover_model::Clause::all().count()));
    let empty = type_in.replace("fundable", "");
    browser.run(&empty).await;
    browser.run(&choose("held")).await;
    let held = report.with_status(Status::Held);
    assert_eq!(browser.run(SHOWN).await.as_array().unwrap().len(), held, "folded ones open");
    browser.run(&choose("")).await;
    assert_eq!(browser.run(SHOWN).await, violated);
}

/// Each command has a button that copies exactly what it shows.
#[tokio::test]
async fn commands_can_be_copied() {
    if browser::is_missing() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let report = full().await;
    let browser = Browser::start(1100, "light").await;
    browser.open(&written(&report, folder.path())).await;
    let listen = "window.copied = []; Object.defineProperty(navigator, 'clipboard', \
        { value: { writeText: async text => { window.copied.push(text); } } }); \
        document.querySelectorAll('.copied button').forEach(it => it.click()); return window.copied";
    let copied = browser.run(listen).await;
    let mut expected = Vec::new();
    for finding in &report.findings {
        expected.extend(finding.replay.clone());
        expected.extend(finding.steps.iter().map(|step| step.curl.clone()));
    }
    let mut copied: Vec<&str> =
        copied.as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
    copied.sort_unstable();
    expected.sort_unstable();
    assert_eq!(copied, expected);
    let said = "return document.querySelector('.copied button').textContent";
    assert_eq!(browser.run(said).await, "Copied");
}

/// Words lead to their meaning, which the guide's glossary has, too.
#[tokio::test]
async fn words_are_explained() {
    let page = html(&full().await).unwrap();
    let glossary = crate::support::pages::page("docs/glossary.md");
    for Word { name, meaning } in WORDS {
        assert!(glossary.contains(&format!("| {name} | {meaning} |\n")), "{name}: {meaning}");
        assert!(page.contains(meaning), "{name}");
    }
    let links = page.split("class=\"word\" href=\"#").skip(1);
    let targets: Vec<&str> = links.map(|rest| rest.split('"').next().unwrap()).collect();
    assert!(targets.len() > 5, "{targets:?}");
    for target in targets {
        assert!(page.contains(&format!("id=\"{target}\"")), "{target}");
    }
}

/// A link of the first screen opens the finding that it leads to.
#[tokio::test]
async fn a_link_opens_what_is_folded() {
    if browser::is_missing() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let browser = Browser::start(390, "light").await;
    browser.open(&written(&full().await, folder.path())).await;
    let open = "const it = document.querySelector('#finding-2 > details'); it.open = false; \
        document.querySelector('.contents a[href=\"#finding-2\"]').click(); \
        return new Promise(done => setTimeout(() => done(it.open), 100))";
    assert_eq!(browser.run(open).await, true);
}

/// Without a script the page lacks the filter and the buttons, and nothing else.
#[tokio::test]
async fn a_page_works_without_a_script() {
    if browser::is_missing() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let page = html(&full().await).unwrap();
    let (before, _) = page.split_once("<script>").unwrap();
    let path = folder.path().join("plain.html");
    std::fs::write(&path, before).unwrap();
    let browser = Browser::start(390, "light").await;
    browser.open(&path).await;
    let state = "const shown = it => document.querySelector(it)?.checkVisibility() ?? false; \
        document.querySelectorAll('details').forEach(it => it.querySelector('summary').click()); \
        return [shown('form'), shown('button'), shown('.coverage .bar'), shown('.section tbody tr'), shown('.glossary')]";
    assert_eq!(browser.run(state).await, json!([false, false, true, true, true]));
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
            document.querySelector('.evidence pre') !== null]";
    assert_eq!(browser.run(hover).await, json!([true, 0, 1, true]));
    let seen = "return document.querySelectorAll('.evidence pre')[1].textContent";
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
    assert_eq!((read.tests, read.failures, read.errors), (report.clauses.len() + 1, 2, 0));
    let failed = |case: &&quick_junit::TestCase| {
        matches!(case.status, quick_junit::TestCaseStatus::NonSuccess { .. })
    };
    let names: Vec<&str> =
        suite.test_cases.iter().filter(failed).map(|case| case.name.as_str()).collect();
    assert_eq!(names[0], "outcome");
    assert!(names[1].starts_with("2.invoice.fundable "), "{names:?}");

    let mut known = report;
    known.findings.iter_mut().for_each(|finding| finding.known = true);
    known.outcome = Outcome::Pass;
    let read = quick_junit::Report::deserialize_from_str(&junit(&known).unwrap()).unwrap();
    assert_eq!(read.failures, 0);
}
