//! Names of worlds, and the keys that select them.
//!
//! Each world issues keys of its own, and two worlds may issue the same one. So the outer form of a key, which clients
//! use, has the name of its world: in world 7, `rap_sk_local` becomes `rap_sk_w7_local`.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// How every key begins.
const PREFIX: &str = "rap_sk_";

/// The number of a world; 0 is the default one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct WorldId(pub(crate) u64);

impl WorldId {
    /// The world that exists from the start.
    pub(crate) const DEFAULT: WorldId = WorldId(0);

    /// What its names follow from.
    pub(crate) fn number(self) -> u32 {
        u32::try_from(self.0 & u64::from(u32::MAX)).unwrap_or_default()
    }

    /// The outer form of this world's key.
    pub(crate) fn outer_key(self, inner: &str) -> String {
        match inner.strip_prefix(PREFIX) {
            Some(rest) if self != WorldId::DEFAULT => format!("{PREFIX}{self}_{rest}"),
            _ => inner.to_owned(),
        }
    }
}

impl fmt::Display for WorldId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            &WorldId::DEFAULT => f.write_str("default"),
            WorldId(number) => write!(f, "w{number}"),
        }
    }
}

impl FromStr for WorldId {
    type Err = ();

    fn from_str(name: &str) -> Result<WorldId, ()> {
        if name == "default" {
            return Ok(WorldId::DEFAULT);
        }
        let digits = name.strip_prefix('w').ok_or(())?;
        let number = digits.parse().map_err(|_| ())?;
        let id = WorldId(number);
        // One spelling for each world: no sign and no zeros in front.
        if number > 0 && id.to_string() == name { Ok(id) } else { Err(()) }
    }
}

/// The world that a key selects, and the key's inner form.
pub(crate) fn selected(key: &str) -> (WorldId, Cow<'_, str>) {
    let named = key.strip_prefix(PREFIX).and_then(|rest| rest.split_once('_'));
    match named.map(|(name, rest)| (name.parse(), rest)) {
        Some((Ok(id), rest)) if id != WorldId::DEFAULT => (id, format!("{PREFIX}{rest}").into()),
        _ => (WorldId::DEFAULT, key.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_selects_its_world() {
        for (key, id, inner) in [
            ("rap_sk_local", 0, "rap_sk_local"),
            ("rap_sk_w7_local", 7, "rap_sk_local"),
            ("rap_sk_w18446744073709551615_a_b", u64::MAX, "rap_sk_a_b"),
            ("rap_sk_default_local", 0, "rap_sk_default_local"),
            ("rap_sk_w0_local", 0, "rap_sk_w0_local"),
            ("rap_sk_w07_local", 0, "rap_sk_w07_local"),
            ("rap_sk_w+7_local", 0, "rap_sk_w+7_local"),
            ("rap_sk_w7", 0, "rap_sk_w7"),
            ("w7_local", 0, "w7_local"),
        ] {
            assert_eq!(selected(key), (WorldId(id), inner.into()), "{key}");
            assert_eq!(WorldId(id).outer_key(inner), key);
        }
    }
}
