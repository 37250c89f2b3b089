//! A signing key in a snapshot, for `#[serde(with)]`.
//!
//! [`SigningKey`] itself has no serialization, so that nothing else can write one down by mistake.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::signature::SigningKey;
use crate::signature::keyed::Keyed;

/// Writes the prepared form, which is enough to sign.
pub(crate) fn serialize<S: Serializer>(
    key: &Arc<SigningKey>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    key.0.serialize(serializer)
}

/// The inverse of [`serialize`].
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Arc<SigningKey>, D::Error> {
    Keyed::deserialize(deserializer).map(|keyed| Arc::new(SigningKey(keyed)))
}
