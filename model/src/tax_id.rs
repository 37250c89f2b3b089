//! Tax ids (§2 Business sync request, `taxId`).

use std::fmt;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How many digits a tax id has (`gap.taxIdForm`).
pub const DIGITS: usize = 9;

/// A well-formed tax id: nine digits (`gap.taxIdForm`). Never shown, not even in `Debug`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct TaxId([u8; DIGITS]);

/// Whether `text` is a tax id, ignoring punctuation and spaces (`gap.taxIdForm`).
///
/// ```
/// assert!(tideover_model::is_tax_id("12-3456789"));
/// assert!(!tideover_model::is_tax_id("12-345678"));
/// ```
pub fn is_valid(text: &str) -> bool {
    TaxId::parse(text).is_some()
}

/// The digits of a tax id: what it is without punctuation and spaces, however it is spelled.
pub fn digits(spelled: &str) -> String {
    spelled.chars().filter(char::is_ascii_digit).collect()
}

/// Whether a tax id is spelled with anything but digits.
pub fn is_punctuated(spelled: &str) -> bool {
    !spelled.bytes().all(|byte| byte.is_ascii_digit())
}

impl TaxId {
    /// The tax id in `text`, ignoring punctuation and spaces. `None` if it is malformed.
    pub(crate) fn parse(text: &str) -> Option<TaxId> {
        let mut digits = [0; DIGITS];
        let mut found = 0;
        for character in text.chars() {
            if character.is_ascii_digit() {
                *digits.get_mut(found)? = u8::try_from(character).ok()?;
                found += 1;
            } else if character.is_alphanumeric() {
                return None;
            }
        }
        (found == DIGITS).then_some(TaxId(digits))
    }

    /// Whether its first two digits, which name an office, are any.
    pub(crate) fn has_prefix(self) -> bool {
        !self.0.starts_with(b"00")
    }
}

impl fmt::Debug for TaxId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TaxId(…)")
    }
}

/// Only a snapshot serializes it.
impl Serialize for TaxId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0.escape_ascii())
    }
}

impl<'de> Deserialize<'de> for TaxId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<TaxId, D::Error> {
        let text = String::deserialize(deserializer)?;
        TaxId::parse(&text).ok_or_else(|| D::Error::custom("a tax id is malformed"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn punctuation_is_ignored() {
        assert_eq!(TaxId::parse("12-3456789"), TaxId::parse("123456789"));
        assert_eq!(TaxId::parse(" 12.345/6789 "), TaxId::parse("123-45-6789"));
        assert_ne!(TaxId::parse("123456789"), TaxId::parse("123456780"));
    }

    #[test]
    fn a_tax_id_is_exactly_nine_digits() {
        for malformed in ["", "12-345678", "1234567890", "12345678A", "١٢٣٤٥٦٧٨٩", "--"] {
            assert_eq!(TaxId::parse(malformed), None, "{malformed}");
        }
    }
}
