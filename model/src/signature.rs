//! The signature of a delivery, and its verification (§6 Signature, `5.authentication.6`).
//!
//! ```
//! use tideover_model::SigningKey;
//! use tideover_model::signature::Rejection;
//!
//! let key = SigningKey::new("whsec_1f3a");
//! let header = key.sign(1_767_225_600, b"{}").to_string();
//! let judge = |body, now| key.verify(Some(header.as_bytes()), body, now);
//! assert_eq!(judge(b"{}", 1_767_225_900), Ok(()));
//! assert_eq!(judge(b"{}", 1_767_225_901), Err(Rejection::TooOld));
//! assert_eq!(judge(b"{ }", 1_767_225_600), Err(Rejection::DigestDiffers));
//! ```

mod header;
pub(crate) mod stored;

use std::fmt;
use std::hash::{Hash, Hasher};

use const_hex::Buffer;
use constant_time_eq::constant_time_eq_32;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::{ZeroizeOnDrop, Zeroizing};

use crate::clause;
use crate::clause::Clause;
use crate::timestamp::Seconds;
use header::ParsedHeader;

/// The header that carries the signature (`6.signature.intro.1`).
pub const HEADER: &str = "Service-Signature";

/// The header that names a delivery, the same at each of its attempts (`6.delivery.3.2`).
pub const DELIVERY_HEADER: &str = "Service-Delivery";

/// How far a timestamp may be off, either way, this value included (`6.signature.4`, `8.signatureAge`).
pub const TOLERANCE: Seconds = 300;

/// When a header says that it was signed, in seconds since the start of 1970; `None` if the header is malformed.
pub fn signed_at(header: &str) -> Option<u64> {
    ParsedHeader::parse(header.as_bytes()).ok().map(|parsed| parsed.at)
}

/// A subscription's signing secret, prepared once for any number of deliveries.
///
/// `Debug` shows nothing of it, and dropping wipes it. `==` does not take constant time: don't use it on untrusted
/// input.
#[derive(Clone)]
pub struct SigningKey {
    /// The states of both hashes after the key, cloned for each message. They are as secret as the secret: the
    /// features `zeroize` of `hmac` and `sha2` wipe every clone.
    prepared: Hmac<Sha256>,
    /// For snapshots and comparisons: `hmac` gives no state away.
    secret: Zeroizing<Box<str>>,
}

impl SigningKey {
    /// The key of this secret: its UTF-8 bytes, as the service showed them once (`gap.subscriptionForm`).
    pub fn new(secret: &str) -> SigningKey {
        let prepared = Hmac::new_from_slice(secret.as_bytes()).expect("a key may have any length");
        SigningKey { prepared, secret: Zeroizing::new(secret.into()) }
    }

    /// Signs the raw `body` as sent `at` seconds after the start of 1970 (`6.signature.1`, `6.signature.2`).
    pub fn sign(&self, at: u64, body: &[u8]) -> Signature {
        let mut seconds = itoa::Buffer::new();
        let digest = self.digest(seconds.format(at).as_bytes(), body);
        Signature { at, digest }
    }

    /// Verifies the `header` of the raw `body`, `now` seconds after the start of 1970. Allocates nothing, and
    /// hashes nothing until header and time are valid (`gap.signaturePrecedence`).
    ///
    /// # Errors
    /// [`Rejection`], in the order of its variants.
    pub fn verify(&self, header: Option<&[u8]>, body: &[u8], now: u64) -> Result<(), Rejection> {
        let ParsedHeader { seconds, at, digest } =
            ParsedHeader::parse(header.ok_or(Rejection::Absent)?)?;
        if at < now.saturating_sub(TOLERANCE) {
            return Err(Rejection::TooOld);
        }
        if at > now.saturating_add(TOLERANCE) {
            return Err(Rejection::TooFarInTheFuture);
        }
        // `6.signature.3.2`: a digest of another length needs no comparison.
        match digest {
            Some(digest) if constant_time_eq_32(&digest, &self.digest(seconds, body)) => Ok(()),
            Some(_) | None => Err(Rejection::DigestDiffers),
        }
    }

    /// The digest of `<seconds>.<body>`.
    fn digest(&self, seconds: &[u8], body: &[u8]) -> [u8; 32] {
        let mut mac = self.prepared.clone();
        mac.update(seconds);
        mac.update(b".");
        mac.update(body);
        mac.finalize().into_bytes().into()
    }
}

impl PartialEq for SigningKey {
    fn eq(&self, other: &SigningKey) -> bool {
        self.secret == other.secret
    }
}

impl Eq for SigningKey {}

impl Hash for SigningKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.secret.hash(state);
    }
}

impl ZeroizeOnDrop for SigningKey {}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningKey(…)")
    }
}

/// The signature of an attempt. `Display` writes the header's value: `t=<unix seconds>,v1=<hex>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Signature {
    at: u64,
    digest: [u8; 32],
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut hex = Buffer::<32>::new();
        f.write_str("t=")?;
        f.write_str(itoa::Buffer::new().format(self.at))?;
        f.write_str(",v1=")?;
        f.write_str(hex.format(&self.digest))
    }
}

/// The reason why a receiver rejects a delivery: the first that applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Rejection {
    /// There is no header.
    #[error("there is no Service-Signature header")]
    Absent,
    /// The header violates its form (`gap.signatureFields`, `gap.signatureTime`, `gap.signatureBytes`).
    #[error("the signature is malformed: it must be t=<unix seconds>,v1=<hex>")]
    Malformed,
    /// `v1` is not hexadecimal (`gap.signatureHex`).
    #[error("v1 is not hexadecimal")]
    NotHexadecimal,
    /// Signed longer ago than [`TOLERANCE`].
    #[error("the timestamp is more than 300 seconds old")]
    TooOld,
    /// Signed later than now by more than [`TOLERANCE`].
    #[error("the timestamp is more than 300 seconds in the future")]
    TooFarInTheFuture,
    /// The signature belongs to another secret, another timestamp or another body.
    #[error("the digest is not that of this timestamp and these bytes under this secret")]
    DigestDiffers,
}

impl Rejection {
    /// All of them, in the order of the checks.
    pub const ALL: [Rejection; 6] = [
        Rejection::Absent,
        Rejection::Malformed,
        Rejection::NotHexadecimal,
        Rejection::TooOld,
        Rejection::TooFarInTheFuture,
        Rejection::DigestDiffers,
    ];

    /// A stable name, for programs.
    pub const fn name(self) -> &'static str {
        match self {
            Rejection::Absent => "absent",
            Rejection::Malformed => "malformed",
            Rejection::NotHexadecimal => "notHexadecimal",
            Rejection::TooOld => "tooOld",
            Rejection::TooFarInTheFuture => "tooFarInTheFuture",
            Rejection::DigestDiffers => "digestDiffers",
        }
    }

    /// The document's rule.
    pub const fn clause(self) -> Clause {
        match self {
            Rejection::Absent
            | Rejection::Malformed
            | Rejection::NotHexadecimal
            | Rejection::DigestDiffers => clause!("6.signature.3"),
            Rejection::TooOld | Rejection::TooFarInTheFuture => clause!("6.signature.4"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wipes<T: ZeroizeOnDrop>() {}

    /// It does not compile without the feature `zeroize` of the hash, of which a prepared key is made. `Hmac` has no
    /// such mark itself.
    #[test]
    fn each_part_of_a_key_is_wiped() {
        wipes::<Sha256>();
        wipes::<Zeroizing<Box<str>>>();
    }
}
