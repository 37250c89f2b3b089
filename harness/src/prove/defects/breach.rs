//! The places where a defect can alter the model's face.

use std::collections::BTreeMap;
use std::sync::Arc;

use tideover_model::exchange::Encoding;
use tideover_model::wire::reply::Reply;
use tideover_model::{
    Answer, Attempt, Delivery, Face, Happening, Impossible, Operation, Outcome, PlatformId,
    Receipt, Refusal, Timestamp,
};

use crate::prove::defects::chosen::Skew;

type Answering = fn(&mut Behind<'_>, Operation) -> Answer;
type Happens = fn(&mut Behind<'_>, Happening) -> Result<Outcome, Impossible>;
/// A handler that acts on the state at the request's arrival. It gets the service now, and as it was then.
type Racing = fn(&mut Behind<'_>, &mut dyn Face, Operation) -> Answer;
/// What a receipt is taken for.
type Taking = fn(&mut DefectMemory, &Attempt, Receipt) -> Receipt;
type Authenticating = fn(&dyn Face, Option<&str>) -> Result<PlatformId, Refusal>;

/// What a defect overrides.
#[derive(Clone, Copy, Debug)]
pub(super) struct Breach {
    pub(super) answer: Option<Answering>,
    pub(super) reply: Option<fn(&mut Reply)>,
    pub(super) operation: Option<fn(&mut Operation)>,
    pub(super) happening: Option<Happens>,
    pub(super) authentication: Option<Authenticating>,
    /// Alters what is sent; false if it is not sent at all.
    pub(super) attempt: Option<fn(&mut DefectMemory, &mut Attempt) -> bool>,
    pub(super) receipt: Option<Taking>,
    pub(super) encoding: Option<Encoding>,
    pub(super) skew: Option<Skew>,
    /// What goes wrong only while other requests are under way.
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

/// An answer is another.
pub(super) const fn answer(answer: Answering) -> Breach {
    Breach { answer: Some(answer), ..NOTHING }
}

/// A success holds something else.
pub(super) const fn reply(reply: fn(&mut Reply)) -> Breach {
    Breach { reply: Some(reply), ..NOTHING }
}

/// A request is taken for another.
pub(super) const fn operation(operation: fn(&mut Operation)) -> Breach {
    Breach { operation: Some(operation), ..NOTHING }
}

/// Something else happens outside.
pub(super) const fn happening(happening: Happens) -> Breach {
    Breach { happening: Some(happening), ..NOTHING }
}

/// Other keys are let in.
pub(super) const fn authentication(authentication: Authenticating) -> Breach {
    Breach { authentication: Some(authentication), ..NOTHING }
}

/// A webhook is sent otherwise.
pub(super) const fn attempt(attempt: fn(&mut DefectMemory, &mut Attempt) -> bool) -> Breach {
    Breach { attempt: Some(attempt), ..NOTHING }
}

/// What a receiver answers is taken for something else.
pub(super) const fn receipt(receipt: Taking) -> Breach {
    Breach { receipt: Some(receipt), ..NOTHING }
}

/// An answer is written down otherwise.
pub(super) const fn encoding(encoding: Encoding) -> Breach {
    Breach { encoding: Some(encoding), ..NOTHING }
}

/// The service chooses otherwise.
pub(super) const fn choice(skew: Skew) -> Breach {
    Breach { skew: Some(skew), ..NOTHING }
}

/// An answer is another if something has changed since the request was called.
pub(super) const fn race(race: Racing) -> Breach {
    Breach { race: Some(race), ..NOTHING }
}

impl Breach {
    /// The same, and something else happens outside.
    pub(super) const fn and_happening(self, happening: Happens) -> Breach {
        Breach { happening: Some(happening), ..self }
    }

    /// The same, and webhooks are sent otherwise.
    pub(super) const fn and_attempt(
        self,
        attempt: fn(&mut DefectMemory, &mut Attempt) -> bool,
    ) -> Breach {
        Breach { attempt: Some(attempt), ..self }
    }

    /// The same, and what a receiver answers is taken for something else.
    pub(super) const fn and_receipt(self, receipt: Taking) -> Breach {
        Breach { receipt: Some(receipt), ..self }
    }
}

/// The service behind a defect, and who asks it when.
pub(super) struct Behind<'a> {
    pub(super) face: &'a mut dyn Face,
    pub(super) memory: &'a mut DefectMemory,
    pub(super) now: Timestamp,
    pub(super) caller: PlatformId,
}

impl Behind<'_> {
    /// What is right.
    pub(super) fn answer(&mut self, operation: Operation) -> Answer {
        self.face.handle(self.now, self.caller, operation)
    }

    /// What happens as it should.
    pub(super) fn happen(&mut self, happening: Happening) -> Result<Outcome, Impossible> {
        self.face.happen(self.now, self.caller, happening)
    }

    /// What a defect remembers something under: `parts`, of this caller.
    pub(super) fn key(&self, parts: &[&str]) -> String {
        format!("{} {}", self.caller.0, parts.join(" "))
    }
}

/// What a defect remembers, until everything is reset.
#[derive(Clone, Debug, Default)]
pub(super) struct DefectMemory {
    counts: BTreeMap<String, u32>,
    replies: BTreeMap<String, Reply>,
    times: BTreeMap<String, Timestamp>,
    deliveries: BTreeMap<String, Arc<Delivery>>,
}

impl DefectMemory {
    /// Counts one more of `key`; how many there are now.
    pub(super) fn count(&mut self, key: &str) -> u32 {
        let count = self.counts.entry(key.to_owned()).or_default();
        *count += 1;
        *count
    }

    /// How many of `key` were counted.
    pub(super) fn counted(&self, key: &str) -> u32 {
        self.counts.get(key).copied().unwrap_or_default()
    }

    /// The reply first kept under `key`; `reply` if none was.
    pub(super) fn first(&mut self, key: String, reply: Reply) -> Reply {
        self.replies.entry(key).or_insert(reply).clone()
    }

    /// Keeps a reply, in place of the one before.
    pub(super) fn keep(&mut self, key: String, reply: Reply) {
        self.replies.insert(key, reply);
    }

    /// What is kept under `key`.
    pub(super) fn kept(&self, key: &str) -> Option<&Reply> {
        self.replies.get(key)
    }

    /// Notes a time.
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

    /// Keeps a delivery, in place of the one before.
    pub(super) fn keep_delivery(&mut self, key: String, delivery: &Arc<Delivery>) {
        self.deliveries.insert(key, Arc::clone(delivery));
    }

    /// The delivery kept under `key`.
    pub(super) fn delivery(&self, key: &str) -> Option<Arc<Delivery>> {
        self.deliveries.get(key).cloned()
    }

    /// What times are noted under.
    pub(super) fn noted_keys(&self) -> Vec<String> {
        self.times.keys().cloned().collect()
    }
}
