//! What the service minted, as the model calls it and as the target does.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// Names bound on first sight, both ways: one name never stands for two things.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Bindings {
    seen: Names,
    predicted: Names,
}

/// The fields whose names requests can tell: an account number may be that of somebody else.
const REFERRED: [&str; 3] = ["key", "reference", "url"];

/// Names for names, by the field that they stand in.
type Names = BTreeMap<&'static str, BTreeMap<String, String>>;

/// Whether `name` stands for `other`; it does from now on if it stood for nothing.
fn stands_for(names: &mut Names, field: &'static str, name: &str, other: &str) -> bool {
    let names = names.entry(field).or_default();
    if let Some(known) = names.get(name) {
        return known == other;
    }
    names.insert(name.to_owned(), other.to_owned());
    true
}

impl Bindings {
    /// Whether `seen` may be what the model calls `predicted`; it is from now on.
    pub(crate) fn bind(&mut self, field: &'static str, predicted: &str, seen: &str) -> bool {
        let known = stands_for(&mut self.seen, field, predicted, seen);
        let taken = stands_for(&mut self.predicted, field, seen, predicted);
        known && taken
    }

    /// Whether nothing but what the model calls `predicted` was called `seen` before; it is from now on.
    pub(crate) fn rename(&mut self, field: &'static str, predicted: &str, seen: &str) -> bool {
        let is_its_own = stands_for(&mut self.predicted, field, seen, predicted);
        if is_its_own {
            self.seen.entry(field).or_default().insert(predicted.to_owned(), seen.to_owned());
        }
        is_its_own
    }

    /// What the target calls what the model calls `predicted`.
    pub(crate) fn seen(&self, field: &'static str, predicted: &str) -> Option<&String> {
        self.seen.get(field)?.get(predicted)
    }

    /// `text` with the target's names replaced by the model's; borrowed where none stands in it.
    pub(crate) fn translate<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut translated = Cow::Borrowed(text);
        let named = REFERRED.iter().filter_map(|field| self.predicted.get(field));
        for (seen, predicted) in named.flatten() {
            // Short names stand in other words by chance.
            if seen.len() >= 8 && translated.contains(seen) {
                translated = translated.replace(seen, predicted).into();
            }
        }
        translated
    }
}
