//! The tax ids that were sent, and by which sentence one of them clears compliance, or does not.

use std::collections::{BTreeMap, BTreeSet};

use tideover_exchange::Prepared;
use tideover_model::{Clause, Operation, clause, is_punctuated_tax_id, is_tax_id, tax_id_digits};

/// A business, by its caller and its identifier.
type Name = (String, String);

/// What each sync of a business sent as its tax id, as it was spelled.
#[derive(Clone, Debug, Default)]
pub(super) struct TaxIds {
    sent: BTreeMap<Name, Vec<Option<String>>>,
    /// The businesses whose compliance a response has shown as cleared.
    cleared: BTreeSet<Name>,
    /// Whether a tax id was found to be wrong.
    is_any_wrong: bool,
}

impl TaxIds {
    pub(super) fn learn(&mut self, business: Name, tax_id: Option<&str>) {
        self.sent.entry(business).or_default().push(tax_id.map(str::to_owned));
    }

    pub(super) fn learn_cleared(&mut self, business: Name) {
        self.cleared.insert(business);
    }

    pub(super) fn learn_mistake(&mut self) {
        self.is_any_wrong = true;
    }

    /// Whether such a tax id was sent for a business for which another one was sent before.
    pub(super) fn is_replacing(&self, spelled: &str) -> bool {
        self.sent.keys().any(|business| {
            let differs = self.first(business).is_some_and(|first| !is_same(first, spelled));
            differs && self.of(business).any(|one| is_same(one, spelled))
        })
    }

    /// The sentence that is broken if compliance is not as expected: `is_cleared`, or not.
    pub(super) fn broken_by(&self, business: &Name, is_cleared: bool) -> Option<Clause> {
        let last = self.of(business).last()?;
        if !is_cleared {
            return self.why_not(business, last);
        }
        let first = self.first(business)?;
        let are_punctuated = self.of(business).all(is_punctuated_tax_id);
        // A tax id that was never seen to clear anything was perhaps not taken for its punctuation.
        let was_taken = self.cleared.contains(business) || !are_punctuated;
        if was_taken && self.sent.get(business)?.last()?.is_none() {
            return Some(clause!("4.businessSync.intro.2"));
        }
        if !is_same(first, last) {
            return None;
        }
        Some(match are_punctuated {
            true => clause!("2.businessSync.taxId"),
            false => clause!("4.businessSync.1"),
        })
    }

    /// The sentence that is broken if the result of a tax id is another one. `seen` is JSON.
    pub(super) fn of_result(&self, business: &Name, sent: &Prepared, seen: &str) -> Option<Clause> {
        let Operation::SyncBusiness { details, .. } = sent.call()?.operation()? else {
            return None;
        };
        let spelled = details.tax_id.as_deref()?;
        let is_taken = ["\"accepted\"", "\"unchanged\""].contains(&seen);
        match is_taken {
            true => self.why_not(business, spelled),
            false if !is_tax_id(spelled) => None,
            // The correction of a wrong one is not taken.
            false if self.is_any_wrong => Some(clause!("4.businessSync.1.2")),
            false if is_punctuated_tax_id(spelled) => Some(clause!("2.businessSync.taxId")),
            false => Some(clause!("4.businessSync.1")),
        }
    }

    /// By which sentence a tax id clears nothing.
    fn why_not(&self, business: &Name, spelled: &str) -> Option<Clause> {
        let differs = self.first(business).is_some_and(|first| !is_same(first, spelled));
        let is_anothers = || {
            let mut others = self.sent.keys().filter(|other| *other != business);
            others.any(|other| self.of(other).any(|one| is_same(one, spelled)))
        };
        if !is_tax_id(spelled) || is_anothers() {
            Some(clause!("4.businessSync.2"))
        } else if self.is_any_wrong {
            Some(clause!("4.businessSync.1.2"))
        } else {
            differs.then_some(clause!("4.businessSync.2"))
        }
    }

    /// The tax ids that were sent for a business, in order.
    fn of(&self, business: &Name) -> impl Iterator<Item = &str> {
        self.sent.get(business).into_iter().flatten().flatten().map(String::as_str)
    }

    /// The first of them that can be one.
    fn first(&self, business: &Name) -> Option<&str> {
        self.of(business).find(|spelled| is_tax_id(spelled))
    }
}

/// Whether two spellings have the same digits.
fn is_same(one: &str, other: &str) -> bool {
    tax_id_digits(one) == tax_id_digits(other)
}
