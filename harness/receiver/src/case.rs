//! One delivery to a receiver, and what the document requires of it.

use std::sync::Arc;

use tideover_model::{Clause, SigningKey};

/// A secret that no subscription was given.
const GUESSED_SECRET: &str = "a secret that the subscription never had";

/// One delivery, by the service or by an attacker.
#[derive(Clone, Debug)]
pub struct Case {
    /// The delivery in words.
    pub sent: String,
    pub clause: Clause,
    pub required: Required,
    /// The `Service-Delivery` header.
    pub delivery: String,
    pub body: Arc<[u8]>,
    /// How the `Service-Signature` header is made.
    pub seal: Seal,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Required {
    Accepted,
    /// It accepts the delivery and takes up a newer state. A probe that shows this change can also show
    /// the effect of later cases.
    TakenUp,
    /// It accepts the delivery and takes up a newer state, although the delivery looks stale. If a probe
    /// shows such changes, a missing one is a failure.
    New,
    /// It accepts the delivery and keeps its state.
    Dropped,
    Rejected,
}

/// How a `Service-Signature` header is made.
#[derive(Clone, Debug)]
pub enum Seal {
    /// Made by the service, at this offset from now in seconds.
    Signed(i64),
    /// Made by the service, for another body.
    Stolen(Arc<[u8]>),
    /// Made without the secret.
    Guessed,
    /// Made by an attacker from the digest of a header at this offset from now in seconds.
    Altered(i64, Alteration),
    /// No header.
    Absent,
}

/// Makes a header from the current time and the digest of another header.
pub type Alteration = fn(now: u64, digest: &str) -> String;

impl Required {
    /// Whether the service itself may send it.
    pub fn is_genuine(self) -> bool {
        self != Required::Rejected
    }
}

impl Case {
    /// The `Service-Signature` header at `now`, in seconds since 1970.
    pub fn signature(&self, key: &SigningKey, now: u64) -> Option<String> {
        match &self.seal {
            Seal::Signed(offset) => Some(signed(key, now, *offset, &self.body)),
            Seal::Stolen(body) => Some(signed(key, now, 0, body)),
            Seal::Guessed => Some(signed(&SigningKey::new(GUESSED_SECRET), now, 0, &self.body)),
            Seal::Altered(offset, alter) => {
                let header = signed(key, now, *offset, &self.body);
                let digest = header.split_once(",v1=").map_or("", |(_, digest)| digest);
                Some(alter(now, digest))
            }
            Seal::Absent => None,
        }
    }
}

fn signed(key: &SigningKey, now: u64, offset: i64, body: &[u8]) -> String {
    key.sign(now.saturating_add_signed(offset), body).to_string()
}
