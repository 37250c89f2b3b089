//! Where the money is, as areas beside an axis: what payors paid to the left, what vendors got to the right.

use serde::Serialize;
use tideover_model::Cents;

use crate::simulation::auditor::Totals;
use crate::simulation::picture::text::short_dollars;

/// The areas of the money.
#[derive(Debug, Serialize)]
pub(super) struct Areas {
    /// Where the axis is.
    axis: i64,
    left: i64,
    right: i64,
    top: i64,
    bottom: i64,
    /// Paid and in suspense: `paid` covers the inner part of it.
    suspense: String,
    paid: String,
    advanced: String,
    outstanding: String,
    /// The greatest amounts, which reach the edges.
    most_paid: String,
    most_advanced: String,
}

/// The room for the areas.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    pub(super) left: i64,
    pub(super) right: i64,
    pub(super) top: i64,
    pub(super) bottom: i64,
}

impl Areas {
    /// The areas of what was `before`, and of each change at its height. `None` if there is no money.
    pub(super) fn of(room: Room, before: Totals, changes: &[(i64, Totals)]) -> Option<Areas> {
        let all = || changes.iter().map(|(_, totals)| *totals).chain([before]);
        let most_paid = all().map(received).max().unwrap_or(0);
        let most_advanced =
            all().map(|totals| amount(totals.advanced).max(amount(totals.outstanding))).max();
        let most_advanced = most_advanced.unwrap_or(0);
        let whole = i128::from(most_paid) + i128::from(most_advanced);
        if whole == 0 {
            return None;
        }
        let Room { left, right, top, bottom } = room;
        let wide = |cents: u64| {
            let units = i128::from(cents) * i128::from(right - left) / whole;
            i64::try_from(units).unwrap_or(0)
        };
        let axis = left + wide(most_paid);
        let area = |x: &dyn Fn(Totals) -> i64| {
            let mut path = format!("M{axis} {top}H{}", x(before));
            for (y, totals) in changes {
                path.push_str(&format!("V{y}H{}", x(*totals)));
            }
            path + &format!("V{bottom}H{axis}Z")
        };
        Some(Areas {
            axis,
            left,
            right,
            top,
            bottom,
            suspense: area(&|totals| axis - wide(received(totals))),
            paid: area(&|totals| axis - wide(amount(totals.paid))),
            advanced: area(&|totals| axis + wide(amount(totals.advanced))),
            outstanding: area(&|totals| axis + wide(amount(totals.outstanding))),
            most_paid: short_dollars(most_paid),
            most_advanced: short_dollars(most_advanced),
        })
    }
}

/// What the payors paid in all.
fn received(totals: Totals) -> u64 {
    amount(totals.paid).saturating_add(amount(totals.suspense))
}

/// An amount that can be drawn. A broken service may show a negative one.
fn amount(cents: Cents) -> u64 {
    u64::try_from(cents.0).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: Room = Room { left: 0, right: 100, top: 10, bottom: 90 };

    fn totals(paid: i64, suspense: i64, advanced: i64, outstanding: i64) -> Totals {
        let [paid, suspense, advanced, outstanding] =
            [paid, suspense, advanced, outstanding].map(Cents);
        Totals { paid, suspense, advanced, outstanding }
    }

    #[test]
    fn amounts_run_from_the_axis_to_the_edges() {
        let changes = [(30, totals(0, 0, 4000, 4000)), (60, totals(5000, 1000, 4000, 1000))];
        let areas = Areas::of(ROOM, Totals::default(), &changes).unwrap();
        assert_eq!(areas.axis, 60);
        assert_eq!(areas.paid, "M60 10H60V30H60V60H10V90H60Z");
        assert_eq!(areas.suspense, "M60 10H60V30H60V60H0V90H60Z");
        assert_eq!(areas.advanced, "M60 10H60V30H100V60H100V90H60Z");
        assert_eq!(areas.outstanding, "M60 10H60V30H100V60H70V90H60Z");
        assert_eq!((areas.most_paid.as_str(), areas.most_advanced.as_str()), ("$60", "$40"));
    }

    #[test]
    fn the_greatest_and_negative_amounts_can_be_drawn() {
        let changes = [(30, totals(i64::MAX, i64::MAX, i64::MAX, -1))];
        let areas = Areas::of(ROOM, Totals::default(), &changes).unwrap();
        assert!((0..=100).contains(&areas.axis));
        assert!(Areas::of(ROOM, Totals::default(), &[(30, totals(0, 0, 0, -1))]).is_none());
    }
}
