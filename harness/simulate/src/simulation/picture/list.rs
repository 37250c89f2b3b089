//! The entries in words, by day.

use serde::Serialize;
use tideover_model::Timestamp;

use crate::simulation::auditor::Totals;
use crate::simulation::picture::column::Column;
use crate::simulation::picture::mark::{Mark, Shape};
use crate::simulation::picture::text::dollars;
use crate::simulation::plan::Plan;
use crate::simulation::queue::DAY;
use crate::simulation::trace::Entry;
use crate::simulation::trace::clock;

/// The entries of a day.
#[derive(Debug, Serialize)]
pub(super) struct Day<'a> {
    pub(super) number: u64,
    date: String,
    pub(super) faults: usize,
    pub(super) entries: Vec<EntryView<'a>>,
}

/// An entry in words.
#[derive(Debug, Serialize)]
pub(super) struct EntryView<'a> {
    lane: Column,
    clock: String,
    date_time: String,
    who: String,
    text: &'a str,
    fault: Option<FaultView>,
    money: Option<Money>,
}

/// A fault, with its mark.
#[derive(Debug, Serialize)]
pub(super) struct FaultView {
    pub(super) name: &'static str,
    pub(super) mark: Mark,
}

/// Where the money is, in dollars.
#[derive(Debug, Serialize)]
pub(super) struct Money {
    paid: String,
    suspense: String,
    advanced: String,
    outstanding: String,
}

impl Money {
    pub(super) fn of(totals: Totals) -> Money {
        let Totals { paid, suspense, advanced, outstanding } = totals;
        let [paid, suspense, advanced, outstanding] =
            [paid, suspense, advanced, outstanding].map(dollars);
        Money { paid, suspense, advanced, outstanding }
    }
}

/// The entries of a run, by the days since its start.
pub(super) fn days<'a>(plan: &Plan, entries: &'a [Entry]) -> Vec<Day<'a>> {
    let of_one_day = |one: &Entry, other: &Entry| one.at / DAY == other.at / DAY;
    let days = entries.chunk_by(of_one_day).filter_map(|entries| {
        let number = entries.first()?.at / DAY;
        let date = plan.start.after_milliseconds(number.saturating_mul(DAY)).to_string();
        Some(Day {
            number,
            date: date.split('T').next().unwrap_or_default().to_owned(),
            faults: entries.iter().filter(|entry| entry.fault.is_some()).count(),
            entries: entries.iter().map(|entry| EntryView::of(plan.start, entry)).collect(),
        })
    });
    days.collect()
}

impl EntryView<'_> {
    fn of(start: Timestamp, entry: &Entry) -> EntryView<'_> {
        EntryView {
            lane: Column::of(entry.actor),
            clock: clock(entry.at),
            date_time: start.after_milliseconds(entry.at).to_string(),
            who: entry.actor.to_string(),
            text: entry.text.trim(),
            fault: entry.fault.map(|fault| FaultView {
                name: fault.name(),
                mark: Mark::at(7, 7, Shape::of(fault)),
            }),
            money: entry.money.map(Money::of),
        }
    }
}
