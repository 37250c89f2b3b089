//! The events of a world.

use std::sync::Arc;

use tideover_model::{Attempt, Delivery, Receipt};
use tideover_sim::fault::Act;

use crate::simulation::client::{Lane, Request, Wake};
use crate::simulation::queue::Moment;

/// An event of the world.
pub(super) enum Event {
    Client(u32, Wake),
    Arrives(Box<Message>),
    Answered(Box<CallEnd>),
    /// Something is due in the service.
    Due,
    PostArrives {
        sent: Box<Sent>,
        answers: bool,
    },
    ForgedPostArrives(Box<Sent>),
    PostEnds {
        sent: Box<Sent>,
        receipt: Receipt,
    },
    Vendor {
        vendor: u32,
        platform: u32,
        step: Step,
    },
    Pays {
        vendor: u32,
        platform: u32,
        invoice: u32,
        cents: i64,
    },
    ReceiverDown {
        platform: u32,
        long: bool,
    },
    ReceiverUp(u32),
    SecretLost(u32),
    Restart {
        amid_attempts: bool,
    },
    Audit,
}

impl Event {
    /// Its kind, for the hash.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Event::Client(..) => "client",
            Event::Arrives(_) => "arrives",
            Event::Answered(_) => "answered",
            Event::Due => "due",
            Event::PostArrives { .. } => "post arrives",
            Event::ForgedPostArrives(_) => "forged post arrives",
            Event::PostEnds { .. } => "post ends",
            Event::Vendor { .. } => "vendor",
            Event::Pays { .. } => "pays",
            Event::ReceiverDown { .. } => "receiver down",
            Event::ReceiverUp(_) => "receiver up",
            Event::SecretLost(_) => "secret lost",
            Event::Restart { .. } => "restart",
            Event::Audit => "audit",
        }
    }
}

/// An attempt that the service sent.
#[derive(Clone)]
pub(super) struct Sent {
    pub(super) attempt: Attempt,
    /// The delivery as it goes out: the service may have taken freedoms with its body.
    pub(super) wire: Arc<Delivery>,
    /// The value of its `Service-Signature` header.
    pub(super) signature: Arc<str>,
    /// The number of restarts before it: a process learns nothing of the attempts of the one before.
    pub(super) restarts: u32,
}

/// A request on its way.
#[derive(Clone)]
pub(super) struct Message {
    pub(super) client: u32,
    pub(super) lane: Lane,
    pub(super) call: u64,
    pub(super) request: Request,
    pub(super) fault: Option<Act>,
    /// How long the answer takes; `None` if there is none in time.
    pub(super) answers_after: Option<Moment>,
    /// Keys the freedoms that the answer takes.
    pub(super) occasion: u64,
}

/// The end of a call, as it reaches the client: an answer, or the end of the wait for one.
pub(super) struct CallEnd {
    pub(super) client: u32,
    pub(super) lane: Lane,
    pub(super) call: u64,
    pub(super) response: Option<(u16, Vec<u8>)>,
}

impl Message {
    pub(super) fn answer(&self, response: Option<(u16, Vec<u8>)>) -> Event {
        let Message { client, lane, call, .. } = *self;
        Event::Answered(Box::new(CallEnd { client, lane, call, response }))
    }
}

/// A step of a vendor's onboarding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// It follows the link of an invitation.
    Accepts,
    /// It enters a tax id that is none.
    ConfirmsWrongly,
    /// It confirms its tax id.
    Confirms,
    /// It signs the agreement.
    Signs,
    /// It enters a bank account that is none.
    LinksWrongly,
    /// It links its bank account.
    Links,
    /// The service finds its tax id to be wrong.
    FoundWrong,
    /// It corrects its tax id.
    Corrects,
}
