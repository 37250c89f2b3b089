//! What a picture consists of, with its layout.

use serde::Serialize;

use crate::simulation::auditor::Breach;
use crate::simulation::picture::column::Column;
use crate::simulation::picture::mark::Mark;
use crate::simulation::picture::money::{Areas, Room};
use crate::simulation::picture::text::wrapped;
use crate::simulation::plan::{Outage, Plan};
use crate::simulation::queue::Moment;
use crate::simulation::trace::clock;

/// The width of a picture: that of a phone.
const WIDTH: i64 = 360;
/// Where the lanes begin, right of the times.
pub(super) const AXIS: i64 = 38;
/// Where time begins, below the names of the lanes.
pub(super) const TOP: i64 = 42;
/// The room below the last moment, for the breach.
const END: i64 = 14;
/// The height of a line of text.
pub(super) const LINE: i64 = 12;
/// The number of receivers whose outages stand side by side.
const SIDE_BY_SIDE: u32 = 3;

/// A picture of a run, or of a part of it. Time runs down.
#[derive(Debug, Serialize)]
pub(super) struct Drawing {
    pub(super) label: String,
    width: i64,
    height: i64,
    /// Where time begins and ends.
    top: i64,
    bottom: i64,
    /// Where the lanes begin and end.
    left: i64,
    right: i64,
    lanes: Vec<ColumnView>,
    pub(super) ticks: Vec<Tick>,
    outages: Vec<OutageBar>,
    /// Where the service restarts.
    pub(super) restarts: Vec<i64>,
    pub(super) cells: Vec<Cell>,
    pub(super) rows: Vec<Row>,
    money: Option<Areas>,
    breach: Option<BreachView>,
}

/// A lane with its place.
#[derive(Debug, Serialize)]
struct ColumnView {
    name: &'static str,
    x: i64,
    /// Where its name is. Neighbours are at different heights, so that there is room for each.
    y: i64,
}

/// A time beside the lanes.
#[derive(Debug, Serialize)]
pub(super) struct Tick {
    pub(super) y: i64,
    pub(super) label: String,
    /// The day in the list that it leads to.
    pub(super) day: Option<u64>,
}

/// A time in which a receiver is down.
#[derive(Debug, Serialize)]
struct OutageBar {
    x: i64,
    y: i64,
    height: i64,
    title: String,
}

/// All entries of a lane within a short time.
#[derive(Debug, Serialize)]
pub(super) struct Cell {
    pub(super) x: i64,
    pub(super) y: i64,
    pub(super) width: i64,
    pub(super) height: i64,
    pub(super) marks: Vec<Mark>,
    pub(super) title: String,
}

/// An entry.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) y: i64,
    pub(super) lines: Vec<Line>,
    /// The name of the fault.
    pub(super) fault: Option<Line>,
    pub(super) from: i64,
    pub(super) number: Option<u32>,
    pub(super) arrow: Option<Arrow>,
    pub(super) mark: Option<Mark>,
    /// The time since the entry before.
    pub(super) after: Option<String>,
    pub(super) title: String,
}

/// A line of text.
#[derive(Debug, Serialize)]
pub(super) struct Line {
    pub(super) y: i64,
    pub(super) text: String,
}

/// An arrow to another lane.
#[derive(Debug, Serialize)]
pub(super) struct Arrow {
    pub(super) start: i64,
    pub(super) end: i64,
    /// Its head, if it arrives.
    pub(super) head: Option<String>,
    pub(super) is_answer: bool,
}

/// The breach at its place.
#[derive(Debug, Serialize)]
struct BreachView {
    x: i64,
    y: i64,
    octagon: String,
    lines: Vec<Line>,
}

/// The horizontal layout.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// The width of a lane.
    pub(super) lane: i64,
}

impl Layout {
    /// The middle of a lane.
    pub(super) fn x(self, lane: Column) -> i64 {
        let index = Column::ALL.into_iter().take_while(|other| *other != lane).count();
        AXIS + self.lane * i64::try_from(index).unwrap_or(0) + self.lane / 2
    }

    fn lanes(self) -> Vec<ColumnView> {
        let lanes = Column::ALL.into_iter().zip([14, 26].into_iter().cycle());
        lanes.map(|(lane, y)| ColumnView { name: lane.name(), x: self.x(lane), y }).collect()
    }

    /// Where the lanes end.
    fn right(self) -> i64 {
        AXIS + self.lane * 5
    }

    /// The room for the money of a picture that ends at `bottom`.
    pub(super) fn money(self, bottom: i64) -> Room {
        Room { left: self.right() + 8, right: WIDTH - 2, top: TOP, bottom }
    }
}

impl Drawing {
    /// A picture without entries.
    pub(super) fn new(layout: Layout, bottom: i64, money: Option<Areas>) -> Drawing {
        Drawing {
            label: String::new(),
            width: WIDTH,
            height: bottom + END,
            top: TOP,
            bottom,
            left: AXIS,
            right: layout.right(),
            lanes: layout.lanes(),
            ticks: Vec::new(),
            outages: Vec::new(),
            restarts: Vec::new(),
            cells: Vec::new(),
            rows: Vec::new(),
            money,
            breach: None,
        }
    }

    /// Adds the outages of receivers between two moments. `y` is the place of a moment.
    pub(super) fn add_outages(
        &mut self,
        layout: Layout,
        plan: &Plan,
        (from, until): (Moment, Moment),
        y: impl Fn(Moment) -> i64,
    ) {
        let happens = |outage: &&Outage| {
            outage.platform < plan.platforms && outage.from <= until && outage.until >= from
        };
        for outage in plan.faults.outages.iter().filter(happens) {
            let offset = i64::from(outage.platform % SIDE_BY_SIDE) * 6;
            let (start, end) = (y(outage.from.max(from)), y(outage.until.min(until)));
            self.outages.push(OutageBar {
                x: layout.x(Column::Receiver) - layout.lane / 2 + 2 + offset,
                y: start,
                height: (end - start).max(2),
                title: format!(
                    "receiver {} is down from {} to {}",
                    outage.platform,
                    clock(outage.from),
                    clock(outage.until)
                ),
            });
        }
    }

    /// Adds the breach at the end, in the lane of the last entry.
    pub(super) fn add_breach(&mut self, breach: &Breach, x: i64) {
        let y = self.bottom;
        let text = format!("{}: {}", breach.invariant, breach.subject);
        let lines = wrapped(&text, 46, 3);
        let lines = (1..).zip(lines).map(|(number, text)| Line { y: y + 12 + LINE * number, text });
        let lines: Vec<Line> = lines.collect();
        self.height = lines.last().map_or(y, |line| line.y) + END;
        self.breach = Some(BreachView { x, y, octagon: octagon(x, y), lines });
    }
}

/// The shape of a sign that says stop.
fn octagon(x: i64, y: i64) -> String {
    let (wide, narrow) = (10, 4);
    format!(
        "M{} {}H{}L{} {}V{}L{} {}H{}L{} {}V{}Z",
        x - narrow,
        y - wide,
        x + narrow,
        x + wide,
        y - narrow,
        y + narrow,
        x + narrow,
        y + wide,
        x - narrow,
        x - wide,
        y + narrow,
        y - narrow
    )
}
