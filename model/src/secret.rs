//! Secrets that must never be printed.

use std::borrow::Borrow;
use std::fmt;

use serde::{Deserialize, Serialize};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// A key or a secret without its middle: its prefix and its last four characters, which grant no access.
///
/// ```
/// assert_eq!(tideover_model::masked("rap_sk_0123456789"), "rap_sk_…6789");
/// ```
pub fn masked(secret: &str) -> String {
    // The rest of the secret may contain an underscore too, so the prefix has a maximum length.
    const LONGEST_PREFIX: usize = 8;
    let prefix = secret.char_indices().take(LONGEST_PREFIX);
    let start = prefix.filter(|(_, sign)| *sign == '_').last().map_or(0, |(at, _)| at + 1);
    let end = secret.char_indices().rev().nth(3).map_or(start, |(index, _)| index.max(start));
    format!("{}…{}", &secret[..start], &secret[end..])
}

/// A key, a link or a signing secret. `Debug` does not show it, and dropping it wipes its memory. Only a
/// snapshot serializes it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Secret(String);

impl Secret {
    /// The text, which a response shows once.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl ZeroizeOnDrop for Secret {}

impl From<String> for Secret {
    fn from(text: String) -> Secret {
        Secret(text)
    }
}

/// Allows lookup by a caller's text.
impl Borrow<str> for Secret {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}
