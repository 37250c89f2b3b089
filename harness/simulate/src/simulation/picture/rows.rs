//! A short run, or the end of a long one: each entry is a row.

use crate::simulation::auditor::Totals;
use crate::simulation::picture::column::{Column, number, reached_by};
use crate::simulation::picture::drawing::{
    AXIS, Arrow, Drawing, LINE, Layout, Line, Row, TOP, Tick,
};
use crate::simulation::picture::mark::{Mark, Shape, never_arrives};
use crate::simulation::picture::money::Areas;
use crate::simulation::picture::text::{span, wrapped};
use crate::simulation::plan::Plan;
use crate::simulation::queue::{DAY, Moment};
use crate::simulation::reached::Fault;
use crate::simulation::trace::clock;
use crate::simulation::trace::{Actor, Entry};
use crate::simulation::world::Run;

const LAYOUT: Layout = Layout { lane: 47 };
/// The number of characters of a line.
const LENGTH: usize = 41;
/// The number of lines of an entry.
const LINES: usize = 2;
/// The room of an arrow below its lines.
const ARROW: i64 = 18;
/// The room of the line before a new day.
const NEW_DAY: i64 = 18;
/// How far an arrow keeps from a lane: the circle with a number is there.
const CIRCLE: i64 = 8;

/// The rows while they are laid out.
struct Rows {
    y: i64,
    rows: Vec<Row>,
    ticks: Vec<Tick>,
    restarts: Vec<i64>,
    changes: Vec<(i64, Totals)>,
    /// Where the row of each moment begins.
    places: Vec<(Moment, i64)>,
}

/// The picture of the entries of a run from `first` on.
pub(super) fn rows(plan: &Plan, run: &Run, first: usize) -> Drawing {
    let (before, entries) = run.entries.split_at(first.min(run.entries.len()));
    let money = before.iter().rev().find_map(|entry| entry.money).unwrap_or_default();
    let rows = Rows::of(entries);
    let bottom = rows.y + 10;
    let areas = Areas::of(LAYOUT.money(bottom), money, &rows.changes);
    let mut drawing = Drawing::new(LAYOUT, bottom, areas);
    drawing.label = match before.len() {
        0 => "The whole run".to_owned(),
        _ => format!("The last {} entries before the breach", entries.len()),
    };
    let start = entries.first().map_or(0, |entry| entry.at);
    let places = rows.places;
    drawing.add_outages(LAYOUT, plan, (start, run.lasted), |at| {
        places.iter().find(|(moment, _)| *moment >= at).map_or(bottom, |(_, y)| *y)
    });
    drawing.rows = rows.rows;
    drawing.ticks = rows.ticks;
    drawing.restarts = rows.restarts;
    if let (Some(breach), Some(last)) = (&run.breach, entries.last()) {
        drawing.add_breach(breach, LAYOUT.x(Column::of(last.actor)));
    }
    drawing
}

impl Rows {
    fn of(entries: &[Entry]) -> Rows {
        let mut rows = Rows {
            y: TOP,
            rows: Vec::new(),
            ticks: Vec::new(),
            restarts: Vec::new(),
            changes: Vec::new(),
            places: Vec::new(),
        };
        let mut before = None;
        for entry in entries {
            rows.add(entry, before);
            before = Some(entry.at);
        }
        rows
    }

    fn add(&mut self, entry: &Entry, before: Option<Moment>) {
        let day = entry.at / DAY;
        if before.map(|at| at / DAY) != Some(day) {
            let label = format!("day {day}");
            self.ticks.push(Tick { y: self.y + NEW_DAY / 2, label, day: Some(day) });
            self.y += NEW_DAY;
        }
        self.places.push((entry.at, self.y));
        // Every event has this prefix.
        let text = entry.text.replace(" partner.", " ");
        let lines = self.lines(wrapped(&text, LENGTH, LINES));
        let fault = entry.fault.and_then(|fault| self.lines(vec![fault.name().to_owned()]).pop());
        let y = self.y + 11;
        self.y += ARROW + 2;
        if entry.fault == Some(Fault::ServiceRestarted) {
            self.restarts.push(y);
        }
        self.changes.extend(entry.money.map(|money| (y, money)));
        self.rows.push(row(entry, before, y, (lines, fault)));
    }

    /// Places lines of text.
    fn lines(&mut self, lines: Vec<String>) -> Vec<Line> {
        let mut place = |text| {
            self.y += LINE;
            Line { y: self.y, text }
        };
        lines.into_iter().map(&mut place).collect()
    }
}

fn row(entry: &Entry, before: Option<Moment>, y: i64, text: (Vec<Line>, Option<Line>)) -> Row {
    let from = LAYOUT.x(Column::of(entry.actor));
    let arrow = reached_by(entry).map(|lane| arrow(entry, from, LAYOUT.x(lane), y));
    let mark = entry.fault.map(|fault| {
        let x = match &arrow {
            Some(Arrow { head: None, end, .. }) => *end,
            Some(Arrow { start, end, .. }) => i64::midpoint(*start, *end),
            None => from + 16,
        };
        Mark::at(x, y, Shape::of(fault))
    });
    let fault = entry.fault.map_or_else(String::new, |fault| format!(" ({})", fault.name()));
    let since = before.map(|before| entry.at.saturating_sub(before)).filter(|since| *since > 0);
    Row {
        y,
        lines: text.0,
        fault: text.1,
        from,
        number: number(entry.actor),
        arrow,
        mark,
        after: since.map(|since| format!("+{}", span(since))),
        title: format!("{} {}: {}{fault}", clock(entry.at), entry.actor, entry.text.trim()),
    }
}

/// The arrow of an entry. It ends half-way if the message is lost.
fn arrow(entry: &Entry, from: i64, to: i64, y: i64) -> Arrow {
    let towards = if to > from { 1 } else { -1 };
    let is_lost = entry.fault.is_some_and(never_arrives);
    let end = if is_lost { i64::midpoint(from, to) } else { to - 3 * towards };
    let base = end - 7 * towards;
    Arrow {
        start: from + CIRCLE * towards,
        end,
        head: (!is_lost).then(|| format!("M{end} {y}L{base} {}V{}Z", y - 4, y + 4)),
        is_answer: match entry.actor {
            Actor::Service => !entry.text.starts_with("sends "),
            Actor::Receiver(_) => true,
            Actor::Platform(_) | Actor::Vendor(_) | Actor::Payor(_) => false,
        },
    }
}

const _: () = assert!(AXIS + 5 * LAYOUT.lane < 300, "the money needs room beside the lanes");
