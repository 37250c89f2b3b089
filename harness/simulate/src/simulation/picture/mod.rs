//! A run as a page: a picture in which time runs down, and the entries in words.

mod column;
mod dense;
mod drawing;
mod list;
mod mark;
mod money;
mod rows;
mod text;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use minijinja::value::Serde;
use minijinja::{Environment, Error, Value};
use serde::Serialize;
use sha2::{Digest, Sha256};
use tideover_report::grouped;

use crate::simulation::auditor::Breach;
use crate::simulation::bugs::Bug;
use crate::simulation::plan::Plan;
use crate::simulation::reached::{Fault, Reached};
use crate::simulation::trace::clock;
use crate::simulation::world::Run;

use column::Column;
use drawing::Drawing;
use list::{Day, Money};
use mark::{Mark, Shape};

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("filter.js");

/// The greatest number of entries of which each has a row in the picture.
const SHORT: usize = 100;
/// The number of entries before a breach that have a row, if not all have one.
const LAST: usize = 40;

/// What a page says of a run beside what the plan and the run say.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts<'a> {
    /// The planted bug, if there is one.
    pub bug: Option<Bug>,
    /// The command that plays the run again.
    pub replay: Option<&'a str>,
}

/// The data of the template.
#[derive(Serialize)]
struct Page<'a> {
    tideover: &'static str,
    seed: u64,
    hash: String,
    lasted: String,
    events: String,
    platforms: u32,
    vendors: usize,
    start: String,
    bug: Option<BugView>,
    replay: Option<&'a str>,
    breach: Option<BreachView<'a>>,
    drawings: Vec<Drawing>,
    money: Money,
    lanes: Vec<ColumnCount>,
    shapes: Vec<ShapeView>,
    reached: Vec<Counted>,
    days: Vec<Day<'a>>,
    entries: usize,
    entry_count: String,
    is_short: bool,
    style: &'static str,
    script: &'static str,
    script_hash: String,
}

/// A planted bug.
#[derive(Serialize)]
struct BugView {
    name: &'static str,
    words: String,
}

/// The breach in words.
#[derive(Serialize)]
struct BreachView<'a> {
    name: &'static str,
    words: &'static str,
    clause: String,
    at: String,
    date_time: String,
    breach: &'a Breach,
}

/// The number of entries of a lane.
#[derive(Serialize)]
struct ColumnCount {
    lane: Column,
    entries: usize,
}

/// A kind of fault, with the faults of it that the run met.
#[derive(Serialize)]
struct ShapeView {
    mark: Mark,
    words: &'static str,
    faults: Vec<Counted>,
}

/// Something, with how often it was there.
#[derive(Serialize)]
struct Counted {
    name: &'static str,
    times: u32,
}

/// A traced run as an HTML page. The page loads nothing, and everything on it can be read without its script.
///
/// # Errors
/// Those of the template, which has none.
pub fn picture(facts: Facts<'_>, plan: &Plan, run: &Run) -> Result<String, Error> {
    let mut environment = Environment::new();
    // The suffix `.html` turns escaping on.
    environment.add_template("page.html", PAGE)?;
    let page = Page::of(facts, plan, run);
    environment.get_template("page.html")?.render(Value::from(Serde(&page)))
}

impl Page<'_> {
    fn of<'a>(facts: Facts<'a>, plan: &Plan, run: &'a Run) -> Page<'a> {
        let lane = |lane: Column| ColumnCount {
            lane,
            entries: run.entries.iter().filter(|entry| Column::of(entry.actor) == lane).count(),
        };
        let reached =
            Reached::ALL.map(|it| Counted { name: it.name(), times: run.counts.reached(it) });
        Page {
            tideover: env!("CARGO_PKG_VERSION"),
            seed: plan.seed,
            hash: run.hash.to_string(),
            lasted: clock(run.lasted),
            events: grouped(run.events),
            platforms: plan.platforms,
            vendors: plan.vendors.len(),
            start: plan.start.to_string(),
            bug: facts.bug.map(|bug| BugView { name: bug.name(), words: bug.words() }),
            replay: facts.replay,
            breach: run.breach.as_ref().map(|breach| BreachView::of(plan, run, breach)),
            drawings: drawings(plan, run),
            money: Money::of(run.totals),
            lanes: Column::ALL.map(lane).into(),
            shapes: Shape::ALL.into_iter().filter_map(|shape| ShapeView::of(shape, run)).collect(),
            reached: reached.into_iter().filter(|it| it.times > 0).collect(),
            days: list::days(plan, &run.entries),
            entries: run.entries.len(),
            entry_count: grouped(run.entries.len() as u64),
            is_short: run.entries.len() <= SHORT,
            style: STYLE,
            script: SCRIPT,
            // No other script can run, whatever an entry contains.
            script_hash: STANDARD.encode(Sha256::digest(SCRIPT)),
        }
    }
}

/// A short run has one picture. A long one has one of the whole, and one of what leads to its breach. Without
/// a trace there is none.
fn drawings(plan: &Plan, run: &Run) -> Vec<Drawing> {
    let entries = run.entries.len();
    if entries == 0 {
        return Vec::new();
    }
    if entries <= SHORT {
        return vec![rows::rows(plan, run, 0)];
    }
    let before_breach = run.breach.as_ref().map(|_| rows::rows(plan, run, entries - LAST));
    before_breach.into_iter().chain([dense::dense(plan, run)]).collect()
}

impl BreachView<'_> {
    fn of<'a>(plan: &Plan, run: &Run, breach: &'a Breach) -> BreachView<'a> {
        BreachView {
            name: breach.invariant.name(),
            words: breach.invariant.words(),
            clause: breach.invariant.clause().to_string(),
            at: clock(run.lasted),
            date_time: plan.start.after_milliseconds(run.lasted).to_string(),
            breach,
        }
    }
}

impl ShapeView {
    fn of(shape: Shape, run: &Run) -> Option<ShapeView> {
        let faults = Fault::ALL.into_iter().filter(|fault| Shape::of(*fault) == shape);
        let faults = faults.map(|it| Counted { name: it.name(), times: run.counts.met(it) });
        let faults: Vec<Counted> = faults.filter(|it| it.times > 0).collect();
        let view = ShapeView { mark: Mark::at(7, 7, shape), words: shape.words(), faults };
        (!view.faults.is_empty()).then_some(view)
    }
}
