//! The picture of a simulated run, as a page in a real browser.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tideover_simulate::simulation::auditor::{Breach, Invariant};
use tideover_simulate::simulation::picture::{Facts, picture};
use tideover_simulate::simulation::plan::{Outage, Plan, Size};
use tideover_simulate::simulation::reached::Fault;
use tideover_simulate::simulation::trace::Actor;
use tideover_simulate::simulation::{Bug, Run, run};

use crate::support::browser::{self, Browser};

const PHONE: u32 = 390;
const HOUR: u64 = 3_600_000;

/// A run of 14 days, with an outage and a restart.
fn long() -> (Plan, Run) {
    let mut plan = Plan::draw(9, Size::default());
    plan.faults.outages = vec![Outage { platform: 1, from: 20 * HOUR, until: 50 * HOUR }];
    let run = run(&plan, None, true);
    assert_eq!(run.breach, None);
    assert_eq!(run.entries.len(), 3936);
    (plan, run)
}

/// The first entries of a world, ended by a breach, with some faults in them.
fn short() -> (Plan, Run) {
    let (plan, mut run) = long();
    run.entries.truncate(40);
    run.lasted = run.entries[39].at;
    run.breach = Some(Breach {
        invariant: Invariant::OneAdvance,
        subject: "invoice i1 of v1".to_owned(),
        detail: "a second advance was created".to_owned(),
    });
    for (entry, fault) in run.entries.iter_mut().step_by(3).zip(Fault::ALL) {
        entry.fault = Some(fault);
    }
    (plan, run)
}

/// A long run that ends with a breach.
fn long_failure() -> (Plan, Run) {
    let (plan, mut run) = long();
    run.breach = short().1.breach;
    (plan, run)
}

fn drawn((plan, run): &(Plan, Run)) -> String {
    picture(Facts::default(), plan, run).unwrap()
}

fn written(drawn: &str, folder: &Path) -> PathBuf {
    let path = folder.join("run.html");
    std::fs::write(&path, drawn).unwrap();
    path
}

#[test]
fn the_same_run_gives_the_same_page() {
    assert_eq!(drawn(&long()), drawn(&long()));
}

#[test]
fn a_page_names_what_repeats_the_run() {
    let (plan, run) = short();
    let bug = Bug::find("advances-twice");
    let facts = Facts { bug, replay: Some("tideover simulate --replay 'a b'") };
    let page = picture(facts, &plan, &run).unwrap();
    let expected =
        [&run.hash.to_string(), env!("CARGO_PKG_VERSION"), "advances-twice", &bug.unwrap().words()];
    for text in expected {
        assert!(page.contains(text), "{text}");
    }
    assert!(page.contains("seed <b>9</b>") && page.contains("--replay &#x27;a b&#x27;"));
}

/// Without a script, in text alone.
#[test]
fn everything_is_in_the_list() {
    let (plan, mut run) = long();
    run.entries[0].at = 93_784_005;
    let page = picture(Facts::default(), &plan, &run).unwrap();
    let (_, list) = page.split_once("<h2 id=\"entries-title\">").unwrap();
    assert_eq!(list.matches("<li data-lane").count(), run.entries.len());
    assert!(list.contains("1d 02:03:04.005") && list.contains("2026-01-02T02:03:04.005Z"));
    let moved = run.entries.iter().filter(|entry| entry.money.is_some()).count();
    assert_eq!(list.matches("<span class=\"sum\">paid $").count(), moved);
    let hit = run.entries.iter().filter(|entry| entry.fault.is_some()).count();
    assert_eq!(list.matches("class=\"hit\"").count(), hit);
    assert_eq!((hit, moved), (158, 154));
}

#[test]
fn a_long_failure_also_shows_the_last_entries_as_rows() {
    let page = drawn(&long_failure());
    assert!(page.contains("The last 40 entries before the breach"));
    assert_eq!(page.matches("class=\"row\"").count(), 40);
    assert_eq!(page.matches("class=\"octagon\"").count(), 2);
    let page = drawn(&long());
    assert_eq!(page.matches("class=\"row\"").count(), 0);
    assert_eq!(page.matches("class=\"cell\"").count(), 248);
}

#[test]
fn a_run_that_was_not_traced_says_so() {
    let (plan, mut run) = long();
    run.entries.clear();
    let page = picture(Facts::default(), &plan, &run).unwrap();
    assert!(page.contains("The run was not traced.") && !page.contains("class=\"picture\""));
}

#[tokio::test]
async fn a_page_fits_a_phone_and_loads_nothing() {
    if browser::is_missing() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for (run, scheme) in [(long(), "light"), (short(), "dark"), (long_failure(), "dark")] {
        let browser = Browser::start(PHONE, scheme).await;
        browser.open(&written(&drawn(&run), folder.path())).await;
        let width = "return document.documentElement.scrollWidth";
        assert_eq!(browser.run(width).await, PHONE, "the page is wider than the phone");
        let opened = "document.querySelectorAll('details').forEach(it => it.open = true); \
            return document.documentElement.scrollWidth";
        assert_eq!(browser.run(opened).await, PHONE, "the page is wider once it is opened");
        // Letters of at least eight pixels, and nothing beyond the edges of a picture.
        let picture = "return Array.from(document.querySelectorAll('.picture')).every(it => { \
            const box = it.getBoundingClientRect(); const scale = box.width / it.viewBox.baseVal.width; \
            return Array.from(it.querySelectorAll('text')).every(text => { \
                const own = text.getBoundingClientRect(); \
                return parseFloat(getComputedStyle(text).fontSize) * scale >= 8 \
                    && own.left >= box.left - 1 && own.right <= box.right + 1; }); })";
        assert_eq!(browser.run(picture).await, true);
        assert_eq!(browser.log("browser").await, Vec::<Value>::new());
        let requests = browser.requests().await;
        assert!(requests.len() == 1 && requests[0].starts_with("file://"), "{requests:?}");
    }
}

#[tokio::test]
async fn the_picture_shows_faults_outages_restarts_and_money() {
    if browser::is_missing() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (plan, run) = long();
    let browser = Browser::start(1280, "light").await;
    browser.open(&written(&drawn(&(plan, run.clone())), folder.path())).await;
    let count =
        |selector: &str| format!("return document.querySelectorAll('.picture {selector}').length");
    let lanes = "return Array.from(document.querySelectorAll('.lane-name'), it => it.textContent)";
    let expected = json!(["platform", "service", "receiver", "vendor", "payor"]);
    assert_eq!(browser.run(lanes).await, expected);
    assert_eq!(browser.run(&count(".outage")).await, 1);
    assert_eq!(browser.run(&count(".restart")).await, run.counts.met(Fault::ServiceRestarted));
    assert_eq!(browser.run(&count(".breach")).await, 0);
    for area in ["paid", "suspense", "advanced", "outstanding"] {
        let seen = format!(
            "const box = document.querySelector('.picture .{area}').getBoundingClientRect(); \
            return box.width > 1 && box.height > 50"
        );
        assert_eq!(browser.run(&seen).await, true, "{area}");
    }
    let outage = "const it = document.querySelector('.outage'); \
        return [it.textContent, Number(it.getAttribute('height'))]";
    let outage = browser.run(outage).await;
    assert_eq!(outage[0], "receiver 1 is down from 0d 20:00:00.000 to 2d 02:00:00.000");
    // A run of this length has bins of six hours, each ten units high.
    assert_eq!(outage[1], 50);
}

#[tokio::test]
async fn a_short_run_shows_each_fault_by_a_shape_and_its_name() {
    if browser::is_missing() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (plan, run) = short();
    let browser = Browser::start(PHONE, "light").await;
    browser.open(&written(&drawn(&(plan, run.clone())), folder.path())).await;
    let hit = "return Array.from(document.querySelectorAll('.row')).filter(it => \
        it.querySelector('.shape')).map(it => it.querySelector('.line.fault').textContent)";
    let names = run.entries.iter().filter_map(|entry| Some(entry.fault?.name()));
    assert_eq!(browser.run(hit).await, json!(names.collect::<Vec<_>>()));
    let shapes = "return new Set(Array.from(document.querySelectorAll('.row .shape'), \
        it => it.getAttribute('class') + it.getAttribute('d').replace(/[\\d. ]/g, ''))).size";
    assert!(browser.run(shapes).await.as_u64().unwrap() >= 6);
    let open = "return Array.from(document.querySelectorAll('details.day')).every(it => it.open)";
    assert_eq!(browser.run(open).await, true);
    assert_eq!(browser.run("return document.querySelectorAll('.row').length").await, 40);
}

#[tokio::test]
async fn the_breach_is_at_its_place_and_in_words() {
    if browser::is_missing() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let run = short();
    let browser = Browser::start(PHONE, "light").await;
    browser.open(&written(&drawn(&run), folder.path())).await;
    let text = browser.run("return document.getElementById('breach').innerText").await;
    let breach = run.1.breach.unwrap();
    let words =
        [breach.invariant.name(), breach.invariant.words(), &breach.subject, &breach.detail];
    for words in words {
        assert!(text.as_str().unwrap().contains(words), "{words}");
    }
    let below = "const y = it => document.querySelector(it).getBoundingClientRect().top; \
        const rows = document.querySelectorAll('.row .actor'); \
        return y('.octagon') > rows[rows.length - 1].getBoundingClientRect().top";
    assert_eq!(browser.run(below).await, true);
    let label = "return document.querySelector('.picture .what').textContent";
    assert_eq!(browser.run(label).await, "one-advance: invoice i1 of v1");
}

/// What the list shows.
const SHOWN: &str = "return Array.from(document.querySelectorAll('.entries li')) \
    .filter(it => it.checkVisibility()).map(it => [it.dataset.lane, it.classList.contains('hit')])";

#[tokio::test]
async fn the_entries_can_be_filtered() {
    if browser::is_missing() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (plan, run) = long();
    let browser = Browser::start(1280, "light").await;
    browser.open(&written(&drawn(&(plan, run.clone())), folder.path())).await;
    assert_eq!(browser.run(SHOWN).await, json!([]), "the days of a long run are folded");
    browser.run("document.getElementById('faults-only').click()").await;
    let shown = browser.run(SHOWN).await;
    let hit = run.entries.iter().filter(|entry| entry.fault.is_some());
    let lane = |actor: Actor| match actor {
        Actor::Platform(_) => "platform",
        Actor::Service => "service",
        Actor::Receiver(_) => "receiver",
        Actor::Vendor(_) => "vendor",
        Actor::Payor(_) => "payor",
    };
    let hit: Vec<Value> = hit.map(|entry| json!([lane(entry.actor), true])).collect();
    assert_eq!(shown, json!(hit), "a few results are shown at once");
    browser.run("document.querySelector('[name=lane][value=platform]').click()").await;
    let others: Vec<&Value> = hit.iter().filter(|it| it[0] != "platform").collect();
    assert_eq!(browser.run(SHOWN).await, json!(others));
    let counted = browser.run("return document.getElementById('shown').textContent").await;
    assert_eq!(counted, format!("{} of {} shown", others.len(), run.entries.len()));
    let type_in = "const it = document.getElementById('containing'); it.value = 'RESTARTS'; \
        it.dispatchEvent(new Event('input', { bubbles: true }))";
    browser.run(type_in).await;
    assert_eq!(browser.run(SHOWN).await, json!([["service", true]]));
    let days = "return Array.from(document.querySelectorAll('.day')) \
        .filter(it => it.checkVisibility()).length";
    assert_eq!(browser.run(days).await, 1);
}

#[tokio::test]
async fn the_days_of_the_picture_lead_to_the_list() {
    if browser::is_missing() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let browser = Browser::start(PHONE, "light").await;
    browser.open(&written(&drawn(&long()), folder.path())).await;
    let focus = "const it = document.querySelector('.picture a[href=\"#day-3\"]'); it.focus(); \
        const has = document.activeElement === it; \
        it.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true })); return has";
    assert_eq!(browser.run(focus).await, true, "a keyboard reaches it");
    let open = "return new Promise(done => setTimeout(() => done(Array.from( \
        document.querySelectorAll('.day[open]'), it => it.id)), 100))";
    assert_eq!(browser.run(open).await, json!(["day-3"]));
}

const EVIL: &str = "</script></style></svg><script>window.wasRun = true</script>\
    <img src=x onerror=\"window.wasRun = true\">\" onmouseover='window.wasRun = true' &";

#[tokio::test]
async fn scripts_in_texts_are_shown_as_text() {
    let (plan, mut run) = short();
    run.entries.iter_mut().for_each(|entry| entry.text = EVIL.to_owned());
    let breach = run.breach.as_mut().unwrap();
    (breach.subject, breach.detail) = (EVIL.to_owned(), EVIL.to_owned());
    let facts = Facts { replay: Some(EVIL), ..Facts::default() };
    let page = picture(facts, &plan, &run).unwrap();
    assert!(!page.contains("<img") && page.matches("<script").count() == 1);
    if browser::is_missing() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let browser = Browser::start(PHONE, "light").await;
    browser.open(&written(&page, folder.path())).await;
    let hover = "document.querySelectorAll('*') \
        .forEach(it => it.dispatchEvent(new Event('mouseover', { bubbles: true }))); \
        return [window.wasRun === undefined, document.images.length, document.scripts.length]";
    assert_eq!(browser.run(hover).await, json!([true, 0, 1]));
    let texts = "return [document.querySelector('.entries .what').textContent, \
        document.querySelector('#breach dl').textContent, document.querySelector('pre').textContent]";
    let texts = browser.run(texts).await;
    for text in texts.as_array().unwrap() {
        assert!(text.as_str().unwrap().contains(EVIL), "{text}");
    }
    assert_eq!(browser.run("return document.documentElement.scrollWidth").await, PHONE);
    assert_eq!(browser.log("browser").await, Vec::<Value>::new());
}

/// A script that gets into the page does not run.
#[tokio::test]
async fn a_foreign_script_is_blocked() {
    if browser::is_missing() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let page = drawn(&short()).replace("<main>", "<main><script>window.wasRun = 1</script>");
    let browser = Browser::start(PHONE, "light").await;
    browser.open(&written(&page, folder.path())).await;
    assert_eq!(browser.run("return window.wasRun === undefined").await, true);
    let logged = browser.log("browser").await;
    assert!(logged.iter().any(|it| it.to_string().contains("Content Security Policy")));
}
