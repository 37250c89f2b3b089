//! What the service mints, under the model's name and under the target's name.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Two-way bindings between names, made on first sight. One name never stands for two things. Copies share them until one
/// of them learns another name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Bindings {
    seen: Arc<NameMap>,
    predicted: Arc<NameMap>,
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
            (None, None) => {
                let bind = |names: &mut Arc<NameMap>, from: &str, to: &str| {
                    let names = Arc::make_mut(names).entry(field).or_default();
                    names.insert(from.to_owned(), to.to_owned());
                };
                bind(&mut self.seen, predicted, seen);
                bind(&mut self.predicted, seen, predicted);
                true
            }
            (Some(known), Some(taken)) => known == seen && taken == predicted,
            (Some(_), None) | (None, Some(_)) => false,
        }
    }

    /// The target's name for the model's `predicted`.
    pub(crate) fn seen(&self, field: &'static str, predicted: &str) -> Option<&String> {
        self.seen.get(field)?.get(predicted)
    }

    /// The model's name for the target's `seen`, if it is one, however short.
    pub(crate) fn predicted(&self, field: &'static str, seen: &str) -> Option<&String> {
        self.predicted.get(field)?.get(seen)
    }

    /// `text` with the target's names replaced by the model's. Borrowed if it contains none.
    pub(crate) fn translate<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let named = REFERRED.iter().filter_map(|field| self.predicted.get(field));
        // Short names occur in other words by chance.
        let known = named.flatten().filter(|(seen, _)| seen.len() >= 8 && text.contains(*seen));
        let mut known: Vec<(&String, &String)> = known.collect();
        if known.is_empty() {
            return Cow::Borrowed(text);
        }
        // A name may begin with another one.
        known.sort_by_key(|(seen, _)| Reverse(seen.len()));
        replaced(text, &known).into()
    }
}

/// The text with each whole name replaced, the first of `names` before the others.
fn replaced(text: &str, names: &[(&String, &String)]) -> String {
    let Some(((seen, predicted), shorter)) = names.split_first() else { return text.to_owned() };
    let continues = |next: Option<char>| next.is_some_and(|next| next.is_ascii_alphanumeric());
    let is_whole = |place: &usize| {
        let (before, after) = (&text[..*place], &text[*place + seen.len()..]);
        !continues(before.chars().next_back()) && !continues(after.chars().next())
    };
    let mut translated = String::with_capacity(text.len());
    let mut rest = 0;
    for place in text.match_indices(seen.as_str()).map(|(place, _)| place).filter(is_whole) {
        translated.push_str(&replaced(&text[rest..place], shorter));
        translated.push_str(predicted);
        rest = place + seen.len();
    }
    translated.push_str(&replaced(&text[rest..], shorter));
    translated
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_name_is_known_alone_and_in_no_text() {
        let mut bindings = Bindings::default();
        assert!(bindings.bind("reference", "whs_1", "7"));
        assert_eq!(bindings.predicted("reference", "7").map(String::as_str), Some("whs_1"));
        assert_eq!(bindings.predicted("reference", "8"), None);
        assert_eq!(bindings.translate("/v1/quotes/7"), "/v1/quotes/7");
    }

    #[test]
    fn a_name_that_begins_with_another_is_translated_whole() {
        let mut bindings = Bindings::default();
        for (predicted, seen) in [("first", "acme_sk_live_a"), ("second", "acme_sk_live_aB7")] {
            assert!(bindings.bind("key", predicted, seen));
        }
        assert_eq!(bindings.translate("Bearer acme_sk_live_a"), "Bearer first");
        assert_eq!(bindings.translate("Bearer acme_sk_live_aB7"), "Bearer second");
        assert_eq!(bindings.translate("Bearer acme_sk_live_aC8"), "Bearer acme_sk_live_aC8");
        assert_eq!(bindings.translate("/x/acme_sk_live_aB7/acme_sk_live_a"), "/x/second/first");
    }
}
