//! The marks of faults: each kind has a shape of its own, since colour alone does not reach every reader.

use serde::Serialize;

use crate::simulation::reached::Fault;

/// A kind of fault, by its shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Shape {
    Cross,
    Hourglass,
    Arrows,
    Square,
    Diamond,
    Triangle,
    Ring,
}

impl Shape {
    pub(super) const ALL: [Shape; 7] = [
        Shape::Cross,
        Shape::Hourglass,
        Shape::Arrows,
        Shape::Square,
        Shape::Diamond,
        Shape::Triangle,
        Shape::Ring,
    ];

    /// The shape of a fault.
    pub(super) fn of(fault: Fault) -> Shape {
        match fault {
            Fault::RequestLost
            | Fault::AnswerLost
            | Fault::AnswerCut
            | Fault::ImportCut
            | Fault::PostLost
            | Fault::PostAnswerLost => Shape::Cross,
            Fault::AnswerLate
            | Fault::PostDelayed
            | Fault::SlowTransition
            | Fault::EventsOutOfOrder => Shape::Hourglass,
            Fault::RequestRepeated | Fault::PostRepeated => Shape::Arrows,
            Fault::UpstreamFailedBefore | Fault::UpstreamFailedAfter => Shape::Square,
            Fault::PostForged | Fault::SecretLost => Shape::Diamond,
            Fault::ReceiverDown | Fault::ReceiverDownLong => Shape::Triangle,
            Fault::ServiceRestarted => Shape::Ring,
        }
    }

    /// What faults of this kind have in common.
    pub(super) fn words(self) -> &'static str {
        match self {
            Shape::Cross => "lost or cut",
            Shape::Hourglass => "late",
            Shape::Arrows => "repeated",
            Shape::Square => "502",
            Shape::Diamond => "secrets and signatures",
            Shape::Triangle => "receiver down, as long as its bar",
            Shape::Ring => "restart",
        }
    }

    /// Its outline around a point.
    fn path(self, x: i64, y: i64) -> String {
        let (left, right, top, bottom) = (x - 4, x + 4, y - 4, y + 4);
        match self {
            Shape::Cross => {
                format!("M{left} {top}L{right} {bottom}M{left} {bottom}L{right} {top}")
            }
            Shape::Hourglass => format!("M{left} {top}H{right}L{left} {bottom}H{right}Z"),
            Shape::Arrows => {
                format!(
                    "M{left} {top}L{x} {y}L{left} {bottom}ZM{x} {top}L{right} {y}L{x} {bottom}Z"
                )
            }
            Shape::Square => format!("M{left} {top}H{right}V{bottom}H{left}Z"),
            Shape::Diamond => format!("M{x} {}L{} {y}L{x} {}L{} {y}Z", y - 5, x + 5, y + 5, x - 5),
            Shape::Triangle => format!("M{} {top}H{}L{x} {bottom}Z", x - 5, x + 5),
            Shape::Ring => format!("M{left} {y}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0M{x} {y}V{}", y - 6),
        }
    }
}

/// A fault in the picture.
#[derive(Debug, Serialize)]
pub(super) struct Mark {
    shape: Shape,
    path: String,
}

impl Mark {
    pub(super) fn at(x: i64, y: i64, shape: Shape) -> Mark {
        Mark { shape, path: shape.path(x, y) }
    }
}

/// Whether a message with this fault never arrives.
pub(super) fn never_arrives(fault: Fault) -> bool {
    matches!(fault, Fault::RequestLost | Fault::PostLost)
}

/// The distinct items, in order, with how often each is there.
pub(super) fn counted<T: Ord + Copy>(items: impl Iterator<Item = T>) -> Vec<(T, u64)> {
    let mut counts = std::collections::BTreeMap::new();
    for item in items {
        *counts.entry(item).or_insert(0) += 1;
    }
    counts.into_iter().collect()
}
