//! What happened, as far as it says something about the caller.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::delivery::{Cause, Delivery};
use crate::endpoint::OperationKind;
use crate::identity::PlatformId;
use crate::operation::Operation;
use crate::refusal::Code;
use crate::signature::TOLERANCE;
use crate::timestamp::Timestamp;

/// Something that happened.
#[derive(Clone, Copy, Debug)]
pub enum Fact<'a> {
    /// The caller sent a request, and got an answer or none.
    Exchange(Exchange<'a>),
    /// An attempt of a delivery ended, or somebody else sent the receiver one.
    Attempt(AttemptSeen<'a>),
    /// The service gave a delivery up.
    GivenUp(&'a Delivery),
    /// A payor paid into the account that the caller had named.
    Payment {
        /// Whether that is the collection account.
        right: bool,
    },
    /// The caller has read an advance.
    Read(Held),
}

/// A point in time by two clocks. A test may move the one while the other hardly moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// By the world's clock.
    pub world: Timestamp,
    /// By the wall clock. Milliseconds.
    pub wall: u64,
}

impl Moment {
    /// The milliseconds until `later`, by the clock that says more.
    pub(super) fn until(self, later: Moment) -> u64 {
        let world = self.world.milliseconds_until(later.world);
        world.max(later.wall.saturating_sub(self.wall))
    }
}

/// A request of the caller, and its outcome.
#[derive(Clone, Copy, Debug)]
pub struct Exchange<'a> {
    /// Its number, in the order in which exchanges ended.
    pub number: u64,
    /// The number of exchanges that had ended when it was sent: the caller may have known their answers.
    pub sent_after: u64,
    /// When it was sent.
    pub sent: Moment,
    /// When its answer came, or should have come.
    pub ended: Moment,
    /// How often the state of the world had changed when it was answered, by anything but this request; `None` if a change
    /// may have gone unseen, and the answer depends on the state.
    pub changes: Option<u64>,
    /// The caller, as far as its key and its request say.
    pub caller: Option<PlatformId>,
    /// The endpoint, if there is one.
    pub kind: Option<OperationKind>,
    /// What was asked, if it was understood.
    pub operation: Option<&'a Operation>,
    /// What distinguishes it from other requests, if all of it is known.
    pub request: Option<RequestId>,
    /// How it carries its key.
    pub access: Access,
    /// What the service answered; `None` if the request did not reach it.
    pub answer: Option<Answered<'a>>,
    /// What of the answer reached the caller.
    pub arrival: Arrival,
    /// The seconds after which the answer asks the caller to come again.
    pub retry_after: Option<u32>,
    /// Whether the caller took the answer for a success, if that is known.
    pub taken: Option<bool>,
}

/// An answer of the service.
#[derive(Clone, Copy, Debug)]
pub struct Answered<'a> {
    /// The HTTP status.
    pub status: u16,
    /// The code of a refusal, if it is one of the document's.
    pub code: Option<Code>,
    /// The body.
    pub body: &'a [u8],
}

/// What of an answer reached the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// All of it.
    Whole,
    /// All of it, so late that the caller may have given up.
    Late,
    /// Nothing, or only a part.
    Lost,
}

/// How a request carries its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// As a bearer token.
    Key,
    /// Not at all, or not as a bearer token.
    None,
    /// As a bearer token, from a script in a browser.
    Browser,
}

/// What distinguishes a request from others: equal requests have equal ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(u64);

impl RequestId {
    /// The identity of a request with these parts.
    pub fn of(parts: &[&[u8]]) -> RequestId {
        let mut hasher = DefaultHasher::new();
        parts.hash(&mut hasher);
        RequestId(hasher.finish())
    }
}

/// An attempt of a delivery, and the receiver's answer.
#[derive(Clone, Copy, Debug)]
pub struct AttemptSeen<'a> {
    /// The delivery, as it was sent.
    pub delivery: &'a Delivery,
    /// How it was made.
    pub making: Making,
    /// The time in its signature. Seconds since the start of 1970.
    pub signed_at: i64,
    /// What is special about it.
    pub traits: Traits,
    /// The HTTP status of the answer.
    pub status: Option<u16>,
    /// Whether the receiver acted on it, if that is known.
    pub acted: Option<bool>,
    /// How the state of the advance that the caller holds has changed, if that is known.
    pub held: Option<Held>,
}

/// The state of an advance in the caller's own copy: its place in the life of an advance, from 1; 0 for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// Before.
    pub before: u32,
    /// Afterwards.
    pub after: u32,
}

/// How an attempt was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Making {
    /// As the service makes it.
    Genuine,
    /// With a signature that the subscription's secret does not make.
    Forged,
    /// With a signature that is too old.
    Old,
}

/// Something special about a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Trait {
    /// Its event has a type that the document does not list.
    UnknownEvent,
    /// Its event has a field that the document does not show.
    UnknownField,
    /// Its event has an enumerated value that the document does not list.
    UnknownValue,
    /// Its event has other white space than usual.
    Respaced,
    /// Its event has another order of fields than usual. Most software keeps it when it parses a body and writes it again.
    Reordered,
    /// Its first attempt comes more than 300 seconds after the event.
    Late,
}

impl Trait {
    /// [`Trait::Late`], if this is the first attempt of a delivery, and so late that a receiver that took `occurredAt` for
    /// the age of the delivery would refuse it.
    pub fn of_lateness(cause: Cause, queued_at: Timestamp, begun_at: Timestamp) -> Option<Trait> {
        let is_late = cause == Cause::Late && begun_at > queued_at.after(TOLERANCE);
        is_late.then_some(Trait::Late)
    }
}

/// What is special about a delivery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Traits(u8);

impl Traits {
    /// With one more.
    #[must_use]
    pub const fn with(self, it: Trait) -> Traits {
        Traits(self.0 | 1 << it as u8)
    }

    /// Whether this is one of them.
    pub const fn has(self, it: Trait) -> bool {
        self.0 & 1 << it as u8 != 0
    }

    /// Whether there is one, and all are among `others`.
    pub const fn are_only(self, others: Traits) -> bool {
        self.0 != 0 && self.0 & !others.0 == 0
    }

    /// Whether one of them is among `others`.
    pub const fn have_any(self, others: Traits) -> bool {
        self.0 & others.0 != 0
    }
}

/// How an exchange ended for the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// With a success.
    Done,
    /// With a refusal.
    Refused,
    /// With a failure of the service.
    Failed,
    /// The caller cannot know how.
    Unknown,
    /// The caller may know how, or not.
    Doubtful,
}

impl Exchange<'_> {
    pub(super) fn outcome(&self) -> Outcome {
        let Some(answer) = self.answer else { return Outcome::Unknown };
        match (self.arrival, answer.status) {
            (Arrival::Lost, _) => Outcome::Unknown,
            (Arrival::Late, _) => Outcome::Doubtful,
            (Arrival::Whole, 200..=299) => Outcome::Done,
            (Arrival::Whole, 500..) => Outcome::Failed,
            (Arrival::Whole, _) => Outcome::Refused,
        }
    }

    /// Whether the service has carried it out for certain, whatever reached the caller.
    pub(super) fn is_carried_out(&self) -> bool {
        self.answer.is_some_and(|answer| (200..300).contains(&answer.status))
    }

    /// Whether it changes nothing.
    pub(super) fn reads(&self) -> bool {
        self.kind.is_some_and(OperationKind::reads)
    }
}

impl AttemptSeen<'_> {
    pub(super) fn is_accepted(&self) -> bool {
        matches!(self.status, Some(200..=299))
    }

    pub(super) fn is_genuine(&self) -> bool {
        self.making == Making::Genuine
    }
}
