//! Bytes as lower-case hexadecimal digits.

use serde::{Deserialize, Deserializer, Serializer, de::Error};

/// Appends `bytes`, at most 24 of them, to `text`.
pub(crate) fn push(text: &mut String, bytes: &[u8]) {
    let mut digits = [0; 48];
    let digits = &mut digits[..2 * bytes.len()];
    const_hex::encode_to_slice(bytes, digits).expect("two digits to a byte");
    text.push_str(str::from_utf8(digits).expect("digits"));
}

/// Serializes bytes as a string of digits, for `#[serde(with)]`.
pub(crate) fn serialize<S: Serializer>(
    bytes: &impl AsRef<[u8]>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&const_hex::encode(bytes))
}

/// The inverse of [`serialize`].
pub(crate) fn deserialize<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: TryFrom<Vec<u8>>,
{
    let digits = String::deserialize(deserializer)?;
    let bytes = const_hex::decode(digits).map_err(D::Error::custom)?;
    T::try_from(bytes).map_err(|_| D::Error::custom("the number of bytes is wrong"))
}
