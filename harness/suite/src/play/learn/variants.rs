//! The two variants of the response to a request for an advance (§2 Advance response).

use std::collections::BTreeSet;

use tideover_exchange::Exchange;
use tideover_exchange::evidence::finding::Finding;
use tideover_model::clause::Kind;
use tideover_model::wire::field::Fields;
use tideover_model::wire::schema::Field;
use tideover_model::{OperationKind, clause};

const KIND: OperationKind = OperationKind::RequestAdvance;

/// How many properties the smaller variant requires.
const OF_THE_SMALLER: usize = 4;

/// How many advances must be granted before a documented property that no response has is a finding: when each variant
/// comes is not shown.
const OFTEN: u64 = 12;

/// Which properties the responses had.
///
/// Which four the smaller variant requires is not shown, nor their names. But they are the same ones each time.
#[derive(Clone, Debug, Default)]
pub struct Variants {
    /// How many advances they granted.
    granted: u64,
    /// The documented properties that came.
    came: BTreeSet<&'static str>,
    /// The properties that all responses had that lacked a documented one.
    smaller: Option<BTreeSet<String>>,
}

fn documented() -> impl Iterator<Item = &'static Field> {
    KIND.reply_fields().iter().filter(|field| field.clause.kind() == Kind::Documented)
}

impl Variants {
    pub(crate) fn record(&mut self, exchange: &Exchange<'_>) {
        let Some(answer) = exchange.success_of(KIND) else { return };
        let Some(body) = answer.as_object() else { return };
        self.granted += u64::from(Fields::of(answer).already_requested() == Some(false));
        let names = documented().map(|field| field.name);
        let (here, missing): (Vec<_>, Vec<_>) = names.partition(|name| body.contains_key(*name));
        self.came.extend(here);
        if !missing.is_empty() {
            self.narrow(&body.keys().cloned().collect());
        }
    }

    fn narrow(&mut self, names: &BTreeSet<String>) {
        let known = self.smaller.get_or_insert_with(|| names.clone());
        known.retain(|name| names.contains(name));
    }

    pub fn add(&mut self, other: &Variants) {
        self.granted += other.granted;
        self.came.extend(&other.came);
        if let Some(names) = &other.smaller {
            self.narrow(names);
        }
    }

    /// The properties that never came, and a smaller variant that requires fewer than four.
    pub(crate) fn findings(&self) -> Vec<(Finding, u64)> {
        let finding = |clause, field: &str, expected: String, seen: String| {
            (Finding::new(clause, KIND.to_string(), field, expected, seen), self.granted.max(1))
        };
        let is_missing = |field: &&Field| self.granted >= OFTEN && !self.came.contains(field.name);
        let missing = documented().filter(is_missing).map(|field| {
            let expected = format!("in some responses, with {} advances granted", self.granted);
            finding(field.clause, field.name, expected, "in none of them".to_owned())
        });
        let few = self.smaller.as_ref().filter(|names| names.len() < OF_THE_SMALLER);
        let few = few.map(|names| {
            let shown: Vec<&str> = names.iter().map(String::as_str).collect();
            let expected = format!("{OF_THE_SMALLER} that each response without all six has");
            let seen = format!("{}: {}", names.len(), shown.join(", "));
            finding(clause!("2.advance.intro.2"), "properties", expected, seen)
        });
        missing.chain(few).collect()
    }
}
