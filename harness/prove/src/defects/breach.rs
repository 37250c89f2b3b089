//! The places in the model's face where a defect can act.

use std::collections::BTreeMap;
use std::sync::Arc;

use tideover_model::exchange::Encoding;
use tideover_model::wire::reply::Reply;
use tideover_model::{
    Answer, Attempt, Delivery, Face, Happening, Impossible, Operation, Outcome, PlatformId,
    Receipt, Refusal, Timestamp,
};

use crate::defects::chosen::Skew;

type Answering = fn(&mut Behind<'_>, Operation) -> Answer;
type Happens = fn(&mut Behind<'_>, Happening) -> Result<Outcome, Impossible>;
/// Handler that gets the state now and the state at the arrival of the request.
type Racing = fn(&mut Behind<'_>, &mut dyn Face, Operation) -> Answer;
/// Replaces a receipt.
type AltersReceipt = fn(&mut DefectMemory, &Attempt, Receipt) -> Receipt;
type Authenticating = fn(&dyn Face, Option<&str>) -> Result<PlatformId, Refusal>;

/// The parts of the face that a defect overrides.
#[derive(Clone, Copy, Debug)]
pub(super) struct Breach {
    pub(super) answer: Option<Answering>,
    pub(super) reply: Option<fn(&mut Reply)>,
    pub(super) operation: Option<fn(&mut Operation)>,
    pub(super) happening: Option<Happens>,
    pub(super) authentication: Option<Authenticating>,
    /// Alters an attempt; false to drop it.
    pub(super) attempt: Option<fn(&mut DefectMemory, &mut Attempt) -> bool>,
    pub(super) receipt: Option<AltersReceipt>,
    pub(super) encoding: Option<Encoding>,
    pub(super) skew: Option<Skew>,
    /// Acts only while other requests are in flight.
    pub(super) race: Option<Racing>,
}

const NOTHING: Breach = Breach {
    answer: None,
    reply: None,
    operation: None,
    happening: None,
    authentication: None,
    attempt: None,
    receipt: None,
    encoding: None,
    skew: None,
    race: None,
};

/// Replaces the response to an operation.
pub(super) const fn answer(answer: Answering) -> Breach {
    Breach { answer: Some(answer), ..NOTHING }
}

/// Alters a successful reply.
pub(super) const fn reply(reply: fn(&mut Reply)) -> Breach {
    Breach { reply: Some(reply), ..NOTHING }
}

/// Alters the operation before it is handled.
pub(super) const fn operation(operation: fn(&mut Operation)) -> Breach {
    Breach { operation: Some(operation), ..NOTHING }
}

/// Replaces what a happening of the outside world does.
pub(super) const fn happening(happening: Happens) -> Breach {
    Breach { happening: Some(happening), ..NOTHING }
}

/// Replaces the authentication.
pub(super) const fn authentication(authentication: Authenticating) -> Breach {
    Breach { authentication: Some(authentication), ..NOTHING }
}

/// Alters or drops webhook attempts.
pub(super) const fn attempt(attempt: fn(&mut DefectMemory, &mut Attempt) -> bool) -> Breach {
    Breach { attempt: Some(attempt), ..NOTHING }
}

/// Replaces the receipt of a receiver.
pub(super) const fn receipt(receipt: AltersReceipt) -> Breach {
    Breach { receipt: Some(receipt), ..NOTHING }
}

/// Replaces the encoding of responses.
pub(super) const fn encoding(encoding: Encoding) -> Breach {
    Breach { encoding: Some(encoding), ..NOTHING }
}

/// Makes a choice that the service may not make.
pub(super) const fn choice(skew: Skew) -> Breach {
    Breach { skew: Some(skew), ..NOTHING }
}

/// Replaces the response if the state has changed since the arrival of the request.
pub(super) const fn race(race: Racing) -> Breach {
    Breach { race: Some(race), ..NOTHING }
}

impl Breach {
    /// The same, with happenings replaced.
    pub(super) const fn and_happening(self, happening: Happens) -> Breach {
        Breach { happening: Some(happening), ..self }
    }

    /// The same, with attempts altered.
    pub(super) const fn and_attempt(
        self,
        attempt: fn(&mut DefectMemory, &mut Attempt) -> bool,
    ) -> Breach {
        Breach { attempt: Some(attempt), ..self }
    }

    /// The same, with receipts replaced.
    pub(super) const fn and_receipt(self, receipt: AltersReceipt) -> Breach {
        Breach { receipt: Some(receipt), ..self }
    }
}

/// The service behind a defect, with the time and the caller of the request.
pub(super) struct Behind<'a> {
    pub(super) face: &'a mut dyn Face,
    pub(super) memory: &'a mut DefectMemory,
    pub(super) now: Timestamp,
    pub(super) caller: PlatformId,
}

impl Behind<'_> {
    /// The correct response.
    pub(super) fn answer(&mut self, operation: Operation) -> Answer {
        self.face.handle(self.now, self.caller, operation)
    }

    /// The correct outcome of a happening.
    pub(super) fn happen(&mut self, happening: Happening) -> Result<Outcome, Impossible> {
        self.face.happen(self.now, self.caller, happening)
    }

    /// A key of the memory: `parts`, for this caller.
    pub(super) fn key(&self, parts: &[&str]) -> String {
        format!("{} {}", self.caller.0, parts.join(" "))
    }
}

/// What a defect remembers until a reset.
#[derive(Clone, Debug, Default)]
pub(super) struct DefectMemory {
    counts: BTreeMap<String, u32>,
    replies: BTreeMap<String, Reply>,
    times: BTreeMap<String, Timestamp>,
    deliveries: BTreeMap<String, Arc<Delivery>>,
}

impl DefectMemory {
    /// Increments the counter of `key` and returns it.
    pub(super) fn count(&mut self, key: &str) -> u32 {
        let count = self.counts.entry(key.to_owned()).or_default();
        *count += 1;
        *count
    }

    /// The counter of `key`.
    pub(super) fn counted(&self, key: &str) -> u32 {
        self.counts.get(key).copied().unwrap_or_default()
    }

    /// The reply kept under `key`; keeps `reply` if there is none.
    pub(super) fn first(&mut self, key: String, reply: Reply) -> Reply {
        self.replies.entry(key).or_insert(reply).clone()
    }

    /// Keeps a reply under `key` and replaces the earlier one.
    pub(super) fn keep(&mut self, key: String, reply: Reply) {
        self.replies.insert(key, reply);
    }

    /// The reply kept under `key`.
    pub(super) fn kept(&self, key: &str) -> Option<&Reply> {
        self.replies.get(key)
    }

    /// Notes a time under `key`.
    pub(super) fn note(&mut self, key: String, time: Timestamp) {
        self.times.insert(key, time);
    }

    /// The time noted under `key`.
    pub(super) fn noted(&self, key: &str) -> Option<Timestamp> {
        self.times.get(key).copied()
    }

    /// Forgets the time noted under `key`.
    pub(super) fn forget(&mut self, key: &str) {
        self.times.remove(key);
    }

    /// Keeps a delivery under `key` and replaces the earlier one.
    pub(super) fn keep_delivery(&mut self, key: String, delivery: &Arc<Delivery>) {
        self.deliveries.insert(key, Arc::clone(delivery));
    }

    /// The delivery kept under `key`.
    pub(super) fn delivery(&self, key: &str) -> Option<Arc<Delivery>> {
        self.deliveries.get(key).cloned()
    }

    /// The keys of all noted times.
    pub(super) fn noted_keys(&self) -> Vec<String> {
        self.times.keys().cloned().collect()
    }
}
