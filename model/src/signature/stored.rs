//! A signing key in a snapshot, for `#[serde(with)]`.
//!
//! [`SigningKey`] itself has no serialization, so that nothing else can write one down by mistake.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serializer};
use zeroize::Zeroizing;

use crate::signature::SigningKey;

/// Writes the secret.
pub(crate) fn serialize<S: Serializer>(
    key: &Arc<SigningKey>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&key.secret)
}

/// The inverse of [`serialize`].
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Arc<SigningKey>, D::Error> {
    let secret = String::deserialize(deserializer).map(Zeroizing::new)?;
    Ok(Arc::new(SigningKey::new(&secret)))
}
