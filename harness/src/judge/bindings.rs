//! What the service mints, under the model's name and under the target's name.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// Two-way bindings between names, made on first sight. One name never stands for two things.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Bindings {
    seen: NameMap,
    predicted: NameMap,
}

/// The fields whose names can appear in requests. An account number may belong to someone else.
const REFERRED: [&str; 3] = ["key", "reference", "url"];

/// Names bound to names, by field.
type NameMap = BTreeMap<&'static str, BTreeMap<String, String>>;

impl Bindings {
    /// Whether the model's `predicted` can be the target's `seen`. Binds them if neither is bound.
    pub(crate) fn bind(&mut self, field: &'static str, predicted: &str, seen: &str) -> bool {
        let known = self.seen.get(field).and_then(|names| names.get(predicted));
        let taken = self.predicted.get(field).and_then(|names| names.get(seen));
        match (known, taken) {
            (None, None) => self.rename(field, predicted, seen),
            (Some(known), Some(taken)) => known == seen && taken == predicted,
            (Some(_), None) | (None, Some(_)) => false,
        }
    }

    /// Whether `seen` was never the name of anything but the model's `predicted`. Binds them if so.
    pub(crate) fn rename(&mut self, field: &'static str, predicted: &str, seen: &str) -> bool {
        let names = self.predicted.entry(field).or_default();
        let known = names.entry(seen.to_owned()).or_insert_with(|| predicted.to_owned());
        let is_its_own = known == predicted;
        if is_its_own {
            self.seen.entry(field).or_default().insert(predicted.to_owned(), seen.to_owned());
        }
        is_its_own
    }

    /// The target's name for the model's `predicted`.
    pub(crate) fn seen(&self, field: &'static str, predicted: &str) -> Option<&String> {
        self.seen.get(field)?.get(predicted)
    }

    /// `text` with the target's names replaced by the model's. Borrowed if it contains none.
    pub(crate) fn translate<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut translated = Cow::Borrowed(text);
        let named = REFERRED.iter().filter_map(|field| self.predicted.get(field));
        for (seen, predicted) in named.flatten() {
            // Short names occur in other words by chance.
            if seen.len() >= 8 && translated.contains(seen) {
                translated = translated.replace(seen, predicted).into();
            }
        }
        translated
    }
}
