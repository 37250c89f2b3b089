//! One delivery to a receiver, and what the document requires of it.

use std::sync::Arc;

use tideover_model::{Clause, SigningKey};

/// A secret that no subscription was given.
const GUESSED_SECRET: &str = "a secret that the subscription never had";

/// One delivery, of the service or of an attacker.
#[derive(Clone, Debug)]
pub struct Case {
    /// What is sent, in words.
    pub sent: String,
    /// The document's rule.
    pub clause: Clause,
    /// What the rule requires.
    pub required: Required,
    /// The `Service-Delivery` header.
    pub delivery: String,
    /// The raw body.
    pub body: Arc<[u8]>,
    /// How the `Service-Signature` header is made.
    pub seal: Seal,
}

/// What is required of a receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Required {
    /// It accepts the delivery.
    Accepted,
    /// It accepts the delivery, and holds a newer state than before: where a probe sees that, it can see
    /// what the cases after it do.
    TakenUp,
    /// It accepts the delivery, which looks like one that must be dropped, and holds a newer state than
    /// before: where a probe sees such changes, one that isn't there is a failure.
    New,
    /// It accepts the delivery, and holds the state that it held before.
    Dropped,
    /// It rejects the delivery.
    Rejected,
}

/// How a `Service-Signature` header is made.
#[derive(Clone, Debug)]
pub enum Seal {
    /// As the service makes it, so many seconds from now.
    Signed(i64),
    /// As the service makes it, for another body.
    Stolen(Arc<[u8]>),
    /// By somebody who does not know the secret.
    Guessed,
    /// By an attacker, of the digest of a header that the service made so many seconds from now.
    Altered(i64, Alteration),
    /// There is none.
    Absent,
}

/// A header made of the present time and the digest of another.
pub type Alteration = fn(now: u64, digest: &str) -> String;

impl Required {
    /// Whether the service itself may send it.
    pub fn is_genuine(self) -> bool {
        self != Required::Rejected
    }
}

impl Case {
    /// The `Service-Signature` header, `now` so many seconds after the start of 1970.
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
