//! The two variants of the response to a request for an advance (§2 Advance response).

use std::collections::BTreeSet;

use tideover_exchange::Exchange;
use tideover_exchange::evidence::finding::Finding;
use tideover_model::wire::field::Fields;
use tideover_model::wire::schema::Field;
use tideover_model::{OperationKind, clause};

const KIND: OperationKind = OperationKind::RequestAdvance;

/// How many properties the smaller variant requires.
const OF_THE_SMALLER: usize = 4;

/// How many properties the larger variant requires.
const OF_THE_LARGER: usize = 6;

/// How many advances must be granted before a documented property is missing in the larger variant.
const OFTEN: u64 = 12;

/// Which properties the responses had.
///
/// Which four the smaller variant requires is not shown, nor their names, nor when it comes. But they are the same ones
/// each time. And where first responses always have more than repeated ones, the first ones are of the larger variant.
#[derive(Clone, Debug, Default)]
pub struct Variants {
    /// How many advances they granted.
    granted: u64,
    /// The documented properties that came.
    came: BTreeSet<&'static str>,
    /// The properties that all responses had that lacked a documented one.
    smaller: Common,
    /// Those that all responses had that granted an advance.
    first: Common,
    /// Those that all responses had to a repeated request.
    repeated: Common,
}

/// The names that some objects have in common, if there was any object.
#[derive(Clone, Debug, Default)]
struct Common(Option<BTreeSet<String>>);

impl Common {
    fn narrow(&mut self, names: &BTreeSet<String>) {
        let known = self.0.get_or_insert_with(|| names.clone());
        known.retain(|name| names.contains(name));
    }

    fn add(&mut self, other: &Common) {
        if let Some(names) = &other.0 {
            self.narrow(names);
        }
    }

    fn count(&self) -> Option<usize> {
        self.0.as_ref().map(BTreeSet::len)
    }
}

fn documented() -> impl Iterator<Item = &'static Field> {
    KIND.reply_fields().iter().filter(|field| field.is_documented())
}

impl Variants {
    pub(crate) fn record(&mut self, exchange: &Exchange<'_>) {
        let Some(answer) = exchange.success_of(KIND) else { return };
        let Some(body) = answer.as_object() else { return };
        let names: BTreeSet<String> = body.keys().cloned().collect();
        match Fields::of(answer).already_requested() {
            Some(false) => {
                self.granted += 1;
                self.first.narrow(&names);
            }
            Some(true) => self.repeated.narrow(&names),
            None => {}
        }
        let (here, missing): (Vec<&Field>, Vec<&Field>) =
            documented().partition(|field| body.contains_key(field.name));
        self.came.extend(here.iter().map(|field| field.name));
        if !missing.is_empty() {
            self.smaller.narrow(&names);
        }
    }

    pub fn add(&mut self, other: &Variants) {
        self.granted += other.granted;
        self.came.extend(&other.came);
        self.smaller.add(&other.smaller);
        self.first.add(&other.first);
        self.repeated.add(&other.repeated);
    }

    /// Whether first responses are of the larger variant.
    fn shows_both(&self) -> bool {
        let counts = self.first.count().zip(self.repeated.count());
        counts.is_some_and(|(first, repeated)| first >= OF_THE_LARGER && repeated < first)
            && self.granted >= OFTEN
    }

    /// The properties that never came, and a smaller variant that requires fewer than four.
    pub(crate) fn findings(&self) -> Vec<(Finding, u64)> {
        let finding = |clause, field: &str, expected: String, seen: String| {
            (Finding::new(clause, KIND.to_string(), field, expected, seen), self.granted.max(1))
        };
        let is_missing = |field: &&Field| self.shows_both() && !self.came.contains(field.name);
        let missing = documented().filter(is_missing).map(|field| {
            let expected = format!("in some responses, with {} advances granted", self.granted);
            finding(field.clause, field.name, expected, "in none of them".to_owned())
        });
        let few = self.smaller.0.as_ref().filter(|names| names.len() < OF_THE_SMALLER);
        let few = few.map(|names| {
            let shown: Vec<&str> = names.iter().map(String::as_str).collect();
            let expected = format!("{OF_THE_SMALLER} that each response without all six has");
            let seen = format!("{}: {}", names.len(), shown.join(", "));
            finding(clause!("2.advance.intro.2"), "properties", expected, seen)
        });
        missing.chain(few).collect()
    }
}
