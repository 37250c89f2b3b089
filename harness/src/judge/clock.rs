//! What the clock of a target shows beside ours, as far as its answers tell.

use std::collections::{BTreeMap, BTreeSet};

use tideover_model::Clause;

use crate::evidence::Point;
use crate::exchange::Seen;
use crate::exchange::matcher::instants_apart;

/// How far the clock of a target may be off. Seconds.
const CLOCKS_APART: u64 = 300;

/// The clock of a target: others may move it, and never back.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    /// How far it is ahead of ours; nothing while the target has told no time. Seconds.
    ahead: Option<i64>,
    /// How long the link lives that told so first, if one did.
    by: Option<Clause>,
    /// Whether somebody else may move it, unseen.
    is_loose: bool,
    /// Whether ours may have been set meanwhile.
    is_ours_doubtful: bool,
    /// How far it seemed to leap, which may as well be a link that lives too long.
    leap: Option<Leap>,
    /// How far it is ahead by times that no sentence is about. Seconds.
    hints: BTreeSet<i64>,
    /// When each invitation was said to expire, as the model calls it.
    invitations: BTreeMap<String, String>,
}

#[derive(Clone, Copy, Debug)]
struct Leap {
    /// How far the clock was ahead before. Seconds.
    from: i64,
    /// How long the link lives that tells of it.
    life: Clause,
}

/// What an answer says that tells when a link expires.
#[derive(Debug)]
pub(super) enum LinkReading {
    /// What is known already, or what is compared with that.
    AsKnown,
    /// That the clock was moved, or ours was set, or that a link lives too long.
    Leap(Point),
    /// That the clock was never moved, so that a link before lives too long.
    Steady(Point),
}

impl Clock {
    /// One that shows what ours does.
    pub(super) fn ours() -> Clock {
        Clock {
            ahead: Some(0),
            by: None,
            is_loose: false,
            is_ours_doubtful: false,
            leap: None,
            hints: BTreeSet::new(),
            invitations: BTreeMap::new(),
        }
    }

    /// One that only answers tell of.
    pub(super) fn forget(&mut self) {
        *self = Clock { ahead: None, is_loose: true, ..Clock::ours() };
    }

    /// Whether somebody else may have moved it since it was told.
    pub(super) fn loosen(&mut self, is_loose: bool) {
        self.is_loose = is_loose;
    }

    /// Whether somebody else may have moved it since it was told.
    pub(super) fn is_loose(&self) -> bool {
        self.is_loose
    }

    /// Ours may be set at any time.
    pub(super) fn doubt_ours(&mut self) {
        self.is_ours_doubtful = true;
    }

    /// How far it is ahead of ours, if that is known. Seconds.
    pub(super) fn ahead(&self) -> Option<i64> {
        self.ahead
    }

    /// Whether an invitation that is repeated is said to expire when it was said to before: that tells no time.
    pub(super) fn repeats_an_expiry(&mut self, predicted: &Seen, seen: &Seen) -> bool {
        let field = |answer: &Seen, name| Some(answer.json()?.get(name)?.as_str()?.to_owned());
        let told = field(predicted, "inviteId").zip(field(seen, "expiresAt"));
        told.is_some_and(|(invitation, expires_at)| {
            self.invitations.insert(invitation, expires_at.clone()) == Some(expires_at)
        })
    }

    /// Learns how far it is ahead from when a link expires, whose `life` is stated.
    pub(super) fn learn(&mut self, told: i64, life: Clause) -> LinkReading {
        let Some(known) = self.ahead else {
            (self.ahead, self.by) = (Some(told), Some(life));
            return LinkReading::AsKnown;
        };
        if is_near(known, told) {
            // What tells the same of another life makes it a leap of the clock.
            self.leap = self.leap.filter(|leap| leap.life == life);
            return LinkReading::AsKnown;
        }
        if let Some(leap) = self.leap.filter(|leap| is_near(leap.from, told)) {
            (self.ahead, self.leap) = (Some(leap.from), None);
            return LinkReading::Steady(
                leap.point(known - leap.from, "by the times before and after it"),
            );
        }
        if !self.is_loose {
            return LinkReading::AsKnown;
        }
        self.ahead = Some(told);
        if told < known {
            let point = self.set_back(known - told, life);
            return if self.is_ours_doubtful {
                LinkReading::Leap(point)
            } else {
                LinkReading::Steady(point)
            };
        }
        if self.hints.iter().any(|hint| is_near(*hint, told)) {
            return LinkReading::AsKnown;
        }
        let leap = Leap { from: known, life };
        self.leap = Some(leap);
        LinkReading::Leap(leap.point(told - known, "unless the clock was moved"))
    }

    /// That a link tells of an earlier time than one before it: which of them is wrong, our own clock tells if one
    /// of them agrees with it.
    fn set_back(&self, seconds: i64, life: Clause) -> Point {
        let by_ours = self.by.filter(|_| !self.is_ours_doubtful);
        match by_ours.filter(|_| self.ahead.is_some_and(|told| is_near(told, 0))) {
            Some(by) => Leap { from: 0, life: by }.point(seconds, "by our clock and the next one"),
            None => {
                let shorter = format!("one that lives {seconds} seconds shorter");
                let proviso = if self.is_ours_doubtful {
                    "unless the clock of the recorder was set"
                } else {
                    "by the time told before"
                };
                let seen = format!("{shorter}, {proviso}");
                Point { seen, ..Leap { from: 0, life }.point(seconds, "") }
            }
        }
    }

    /// Learns from other times that are not as predicted.
    pub(super) fn hear(&mut self, points: &[Point]) {
        let is_now = |point: &&Point| {
            let field = point.field.rsplit('.').next();
            !point.holds && matches!(field, Some("createdAt" | "requestedAt"))
        };
        let instant = |text: &str| text.trim_matches('"').to_owned();
        let told = points.iter().filter(is_now);
        self.hints.extend(
            told.filter_map(|point| {
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
            field: "expiresAt".into(),
            expected: "a link that lives as long as is stated".into(),
            seen: format!("one that lives {seconds} seconds longer, {proviso}"),
        }
    }
}

/// Whether two clocks are no further apart than clocks may be, by how far each is ahead. Seconds.
pub(crate) fn is_near(one: i64, other: i64) -> bool {
    one.abs_diff(other) <= CLOCKS_APART
}
