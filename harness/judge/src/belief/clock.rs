//! The target's clock compared with ours, as far as responses show it.

use std::collections::{BTreeMap, BTreeSet};

use tideover_exchange::Response;
use tideover_exchange::evidence::Point;
use tideover_exchange::matcher::instants_apart;
use tideover_model::wire::field;
use tideover_model::{Clause, Timestamp};

use crate::comparison::is_near;

/// The target's clock. Others may move it forward, never back.
#[derive(Clone, Debug)]
pub(super) struct TargetClock {
    /// How far the clock is ahead of ours. `None` while no response has shown a time. Seconds.
    pub(super) ahead: Option<i64>,
    /// The clause on the lifetime of the link that first showed so, if one did.
    by: Option<Clause>,
    /// Whether someone else may move the clock unseen.
    pub(super) is_loose: bool,
    /// Whether our clock may have been set meanwhile.
    pub(super) is_ours_doubtful: bool,
    /// An apparent leap of the clock, which may also be a link that lives too long.
    leap: Option<Leap>,
    /// How far the clock is ahead by times that no sentence covers. Seconds.
    hints: BTreeSet<i64>,
    /// When each invitation expires, by the model's identifier.
    invitations: BTreeMap<String, String>,
    /// The unit to which the target may round the expiry of a link, by the clause on its lifetime: all shown so far are
    /// whole numbers of it. Seconds.
    units: BTreeMap<Clause, i64>,
}

/// The greatest unit to which an expiry may be rounded. Seconds.
const LARGEST_UNIT: i64 = 60;

fn greatest_common_divisor(one: i64, other: i64) -> i64 {
    if other == 0 { one } else { greatest_common_divisor(other, one % other) }
}

#[derive(Clone, Copy, Debug)]
struct Leap {
    /// How far the clock was ahead before. Seconds.
    from: i64,
    /// The clause on the lifetime of the link that shows the leap.
    life: Clause,
}

/// What the expiry of a link shows.
#[derive(Debug)]
pub(super) enum LinkReading {
    /// Nothing new, or a difference that the comparison finds.
    AsKnown,
    /// The clock was moved, our clock was set, or a link lives too long.
    Leap(Point),
    /// The clock was never moved, so an earlier link lives too long.
    Steady(Point),
}

impl TargetClock {
    pub(super) fn ours() -> TargetClock {
        TargetClock {
            ahead: Some(0),
            by: None,
            is_loose: false,
            is_ours_doubtful: false,
            leap: None,
            hints: BTreeSet::new(),
            invitations: BTreeMap::new(),
            units: BTreeMap::new(),
        }
    }

    /// Learns from the expiry of a link whose `life` is stated to which unit the target may round one.
    pub(super) fn learn_unit(&mut self, seen: &Response, life: Clause) {
        let expiry = seen.json().and_then(|body| body.get(field::EXPIRES_AT)?.as_str());
        if let Some(expiry) = expiry.and_then(Timestamp::parse) {
            let unit = greatest_common_divisor(self.unit(life), expiry.unix().abs());
            self.units.insert(life, unit);
        }
    }

    /// The unit to which the target may round the expiry of a link. Seconds.
    pub(super) fn unit(&self, life: Clause) -> i64 {
        self.units.get(&life).copied().unwrap_or(LARGEST_UNIT)
    }

    /// Whether the target shows its clock itself.
    pub(super) fn is_read(&self) -> bool {
        self.by.is_none() && !self.is_loose && !self.is_ours_doubtful
    }

    /// Makes it a clock that is known only from responses.
    pub(super) fn forget(&mut self) {
        *self = TargetClock { ahead: None, is_loose: true, ..TargetClock::ours() };
    }

    /// Whether a repeated invitation still has its earlier expiry, which says nothing about the time.
    pub(super) fn repeats_an_expiry(&mut self, predicted: &Response, seen: &Response) -> bool {
        let field = |answer: &Response, name| Some(answer.json()?.get(name)?.as_str()?.to_owned());
        let expiry = field(predicted, field::INVITE_ID).zip(field(seen, field::EXPIRES_AT));
        expiry.is_some_and(|(invitation, expires_at)| {
            self.invitations.insert(invitation, expires_at.clone()) == Some(expires_at)
        })
    }

    /// Learns how far the clock is ahead from the expiry of a link whose `life` is stated.
    pub(super) fn learn(&mut self, ahead: i64, life: Clause) -> LinkReading {
        let Some(known) = self.ahead else {
            (self.ahead, self.by) = (Some(ahead), Some(life));
            return LinkReading::AsKnown;
        };
        if is_near(known, ahead) {
            // The same time from a link of another lifetime confirms that the clock leapt.
            self.leap = self.leap.filter(|leap| leap.life == life);
            return LinkReading::AsKnown;
        }
        if let Some(leap) = self.leap.filter(|leap| is_near(leap.from, ahead)) {
            (self.ahead, self.leap) = (Some(leap.from), None);
            return LinkReading::Steady(
                leap.point(known - leap.from, "by the times before and after it"),
            );
        }
        if !self.is_loose {
            return LinkReading::AsKnown;
        }
        self.ahead = Some(ahead);
        if ahead < known {
            let point = self.set_back(known - ahead, life);
            return if self.is_ours_doubtful {
                LinkReading::Leap(point)
            } else {
                LinkReading::Steady(point)
            };
        }
        if self.hints.iter().any(|hint| is_near(*hint, ahead)) {
            return LinkReading::AsKnown;
        }
        let leap = Leap { from: known, life };
        self.leap = Some(leap);
        LinkReading::Leap(leap.point(ahead - known, "unless the clock was moved"))
    }

    /// The point for a link that shows an earlier time than the link before it. If one of them agrees with
    /// our clock, the other one is wrong.
    fn set_back(&self, seconds: i64, life: Clause) -> Point {
        let by_ours = self.by.filter(|_| !self.is_ours_doubtful);
        match by_ours.filter(|_| self.ahead.is_some_and(|ahead| is_near(ahead, 0))) {
            Some(by) => Leap { from: 0, life: by }.point(seconds, "by our clock and the next one"),
            None => {
                let shorter = format!("one that lives {seconds} seconds shorter");
                let proviso = if self.is_ours_doubtful {
                    "unless the clock of the recorder was set"
                } else {
                    "by the time seen before"
                };
                let seen = format!("{shorter}, {proviso}");
                Point { seen, ..Leap { from: 0, life }.point(seconds, "") }
            }
        }
    }

    /// Learns from other times that differ from the prediction.
    pub(super) fn learn_hints(&mut self, points: &[Point]) {
        let is_now = |point: &&Point| {
            let field = point.field.rsplit('.').next();
            !point.holds && matches!(field, Some("createdAt" | "requestedAt"))
        };
        let instant = |text: &str| text.trim_matches('"').to_owned();
        let times = points.iter().filter(is_now);
        self.hints.extend(
            times.filter_map(|point| {
                instants_apart(&instant(&point.expected), &instant(&point.seen))
            }),
        );
    }
}

impl Leap {
    fn point(self, seconds: i64, proviso: &str) -> Point {
        Point {
            clause: self.life,
            holds: false,
            field: field::EXPIRES_AT.into(),
            expected: "a link that lives as long as is stated".into(),
            seen: format!("one that lives {seconds} seconds longer, {proviso}"),
        }
    }
}
