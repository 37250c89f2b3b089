//! A long run: what happens in a lane within a short time is one mark.

use std::collections::{BTreeMap, BTreeSet};

use crate::simulation::auditor::Totals;
use crate::simulation::picture::column::Column;
use crate::simulation::picture::drawing::{Cell, Drawing, Layout, TOP, Tick};
use crate::simulation::picture::mark::{Mark, Shape, counted};
use crate::simulation::picture::money::Areas;
use crate::simulation::plan::Plan;
use crate::simulation::queue::{DAY, HOUR, MINUTE, Moment, SECOND};
use crate::simulation::reached::Fault;
use crate::simulation::trace::Entry;
use crate::simulation::trace::clock;
use crate::simulation::world::Run;

const LAYOUT: Layout = Layout { lane: 41 };
/// The greatest number of bins.
const BINS: Moment = 100;
/// The height of a bin.
const BIN: i64 = 10;
/// The width of the fullest cell.
const FULLEST: u64 = 26;
/// The smallest distance between two times on the axis.
const TICK: u64 = 28;
/// The number of marks for which a cell has room.
const MARKS: usize = 4;

/// The spans that a bin, or the distance of two times on the axis, may have.
const SPANS: [Moment; 18] = [
    SECOND,
    5 * SECOND,
    15 * SECOND,
    MINUTE,
    5 * MINUTE,
    15 * MINUTE,
    HOUR,
    2 * HOUR,
    3 * HOUR,
    4 * HOUR,
    6 * HOUR,
    12 * HOUR,
    DAY,
    2 * DAY,
    5 * DAY,
    10 * DAY,
    50 * DAY,
    100 * DAY,
];

/// The time of a run in equal bins.
struct Bins {
    span: Moment,
    /// How many there are.
    count: Moment,
}

/// The entries of a lane within a bin.
#[derive(Default)]
struct Group {
    entries: u64,
    faults: Vec<Fault>,
}

/// The picture of a whole run.
pub(super) fn dense(plan: &Plan, run: &Run) -> Drawing {
    let bins = Bins::of(run.lasted);
    let bottom = bins.y(bins.count * bins.span);
    let money = Areas::of(LAYOUT.money(bottom), Totals::default(), &changes(&bins, &run.entries));
    let mut drawing = Drawing::new(LAYOUT, bottom, money);
    drawing.label = "The whole run".to_owned();
    drawing.ticks = bins.ticks(run);
    drawing.add_outages(LAYOUT, plan, (0, run.lasted), |at| bins.y(at));
    let restarts = run.entries.iter().filter(|it| it.fault == Some(Fault::ServiceRestarted));
    drawing.restarts = restarts.map(|entry| bins.y(entry.at)).collect();
    drawing.cells = cells(&bins, &run.entries);
    if let (Some(breach), Some(last)) = (&run.breach, run.entries.last()) {
        drawing.add_breach(breach, LAYOUT.x(Column::of(last.actor)));
    }
    drawing
}

impl Bins {
    fn of(lasted: Moment) -> Bins {
        let fits = |span: &Moment| lasted / span < BINS;
        let span = SPANS.into_iter().find(fits).unwrap_or((lasted / BINS / DAY + 1) * DAY);
        Bins { span, count: lasted / span + 1 }
    }

    /// The place of a moment.
    fn y(&self, at: Moment) -> i64 {
        let whole = i64::try_from(at / self.span).unwrap_or(0);
        let part = u128::from(at % self.span) * 10 / u128::from(self.span);
        TOP + whole * BIN + i64::try_from(part).unwrap_or(0)
    }

    fn ticks(&self, run: &Run) -> Vec<Tick> {
        let far_enough = |span: &Moment| span / self.span * BIN.unsigned_abs() >= TICK;
        let span = SPANS.into_iter().find(far_enough).unwrap_or(self.span * 4);
        let days: BTreeSet<u64> = run.entries.iter().map(|entry| entry.at / DAY).collect();
        let tick = |at: Moment| Tick {
            y: self.y(at),
            label: if at.is_multiple_of(DAY) {
                format!("day {}", at / DAY)
            } else {
                format!("{:02}:{:02}", at % DAY / HOUR, at % HOUR / MINUTE)
            },
            day: Some(at / DAY).filter(|day| days.contains(day)),
        };
        (0..=run.lasted / span).map(|number| tick(number * span)).collect()
    }
}

/// The money at the heights where it changes.
fn changes(bins: &Bins, entries: &[Entry]) -> Vec<(i64, Totals)> {
    let changes = entries.iter().filter_map(|entry| Some((bins.y(entry.at), entry.money?)));
    // The last change at a height wins.
    changes.collect::<BTreeMap<i64, Totals>>().into_iter().collect()
}

fn cells(bins: &Bins, entries: &[Entry]) -> Vec<Cell> {
    let mut groups: BTreeMap<(Moment, Column), Group> = BTreeMap::new();
    for entry in entries {
        let group = groups.entry((entry.at / bins.span, Column::of(entry.actor))).or_default();
        group.entries += 1;
        group.faults.extend(entry.fault);
    }
    let fullest = groups.values().map(|group| group.entries).max().unwrap_or(1);
    groups.into_iter().map(|(place, group)| group.cell(bins, place, fullest)).collect()
}

impl Group {
    fn cell(&self, bins: &Bins, (bin, lane): (Moment, Column), fullest: u64) -> Cell {
        let (middle, top) = (LAYOUT.x(lane), bins.y(bin * bins.span));
        // By the root, so that a single entry is still seen beside a hundred.
        let width = (FULLEST * FULLEST * self.entries / fullest).isqrt().max(3);
        let width = i64::try_from(width).unwrap_or(0);
        Cell {
            x: middle - width / 2,
            y: top + 1,
            width,
            height: BIN - 2,
            marks: marks(middle, top + BIN / 2, &self.faults),
            title: self.title(bins, bin, lane),
        }
    }

    fn title(&self, bins: &Bins, bin: Moment, lane: Column) -> String {
        let Group { entries, faults } = self;
        let (from, until) = (clock(bin * bins.span), clock((bin + 1) * bins.span));
        let mut title = format!("{}: {entries} from {from} to {until}", lane.name());
        for (fault, times) in counted(faults.iter().copied()) {
            title.push_str(&format!(", {} {times}", fault.name()));
        }
        title
    }
}

/// A mark for each kind of fault, side by side.
fn marks(middle: i64, y: i64, faults: &[Fault]) -> Vec<Mark> {
    let shapes = counted(faults.iter().map(|fault| Shape::of(*fault)));
    let shapes = &shapes[..shapes.len().min(MARKS)];
    let left = middle - 5 * (i64::try_from(shapes.len()).unwrap_or(1) - 1);
    (0..).zip(shapes).map(|(index, (shape, _))| Mark::at(left + 10 * index, y, *shape)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_any_length_has_few_bins() {
        for lasted in [0, 1, SECOND, 3 * HOUR, 16 * DAY, 400 * DAY, 100_000 * DAY, u64::MAX / 2] {
            let bins = Bins::of(lasted);
            assert!((1..=BINS).contains(&bins.count), "{lasted}: {}", bins.count);
            assert!(bins.y(lasted) < 2 * TOP + BIN * 100, "{lasted}");
        }
        assert_eq!(Bins::of(16 * DAY).span, 4 * HOUR);
    }
}
