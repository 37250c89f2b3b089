//! What opens something, and is never printed.

use std::borrow::Borrow;
use std::fmt;

use zeroize::{Zeroize, ZeroizeOnDrop};

/// A key or a secret, but for its middle: its prefix and its last four characters, which open nothing.
pub fn masked(secret: &str) -> String {
    // A secret may have the same sign in it: what stands before it is short.
    const LONGEST_PREFIX: usize = 8;
    let prefix = secret.char_indices().take(LONGEST_PREFIX);
    let start = prefix.filter(|(_, sign)| *sign == '_').last().map_or(0, |(at, _)| at + 1);
    let end = secret.char_indices().rev().nth(3).map_or(start, |(index, _)| index.max(start));
    format!("{}…{}", &secret[..start], &secret[end..])
}

/// A key, a link or a signing secret. Its `Debug` does not show it, and what it held is wiped once it is dropped.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Secret(String);

impl Secret {
    /// The text, to be shown once.
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

/// Found by what a caller shows.
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
