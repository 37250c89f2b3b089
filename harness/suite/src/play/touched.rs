//! What requests touch, so that a history splits into parts that have nothing in common.
//!
//! The order of two requests in different parts says nothing, and a search through two parts costs their sum, not
//! their product: as a whole, 12 of 20 histories of a toy model stayed undecided; in parts, all were decided.
//!
//! A request joins the businesses that it names (payee and payor, those of an import's rows) and the identifiers that
//! a tax id may link. Identifiers, imports and URLs count per platform.

use std::collections::BTreeMap;

use tideover_model::{InvoiceSync, Operation, Party, Subject, tax_id_digits};

/// What requests touch.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Thing {
    /// A business.
    Business(Platform, String),
    /// The digits of a tax id.
    TaxId(String),
    /// An import.
    Import(Platform, String),
    /// A webhook URL.
    Url(Platform, String),
    /// A subscription.
    Reference(Platform, String),
    /// A request that is refused for its form. All of them are in one part.
    Nothing,
}

/// The name of a platform when its key was issued, or its key.
pub(crate) type Platform = String;

/// What a request touches.
#[derive(Clone, Debug)]
pub enum Touched {
    /// These things.
    Things(Vec<Thing>),
    /// What each part must see, although it joins none of them: a new key, a move of the clock.
    InEveryPart,
    /// Every URL of a platform, without a change.
    UrlsOf(Platform),
    /// It is unknown what: the history does not split.
    Everything,
    /// Nothing that depends on an order.
    NotJudged,
}

impl Touched {
    /// What an operation of a platform touches. `reference` is that of the subscription that it created. A settled
    /// payor is not touched: to name it again changes nothing of it.
    pub fn by(
        platform: &Platform,
        operation: &Operation,
        reference: Option<&str>,
        is_settled: impl Fn(&Party) -> bool,
    ) -> Touched {
        let platform_of = || platform.clone();
        let own = match operation.subject() {
            Subject::Business(name) | Subject::Invoice { payee: name, .. } => {
                Thing::Business(platform_of(), name.to_owned())
            }
            Subject::Import(import) => Thing::Import(platform_of(), import.to_owned()),
            Subject::Destination(url) => Thing::Url(platform_of(), url.to_owned()),
            Subject::Subscription(name) => Thing::Reference(platform_of(), name.to_owned()),
            Subject::Subscriptions => return Touched::UrlsOf(platform_of()),
        };
        let other = match operation {
            Operation::SyncBusiness { details, .. } => details.tax_id.as_deref().and_then(tax_id),
            Operation::Subscribe { .. } => {
                reference.map(|one| Thing::Reference(platform_of(), one.to_owned()))
            }
            _ => None,
        };
        let mut things: Vec<Thing> = [own].into_iter().chain(other).collect();
        for sync in operation.syncs() {
            things.extend(parties(platform, sync, is_settled(&sync.payor)));
        }
        Touched::Things(things)
    }
}

fn parties(platform: &Platform, sync: &InvoiceSync, is_settled: bool) -> Vec<Thing> {
    let business = |party: &Party| Thing::Business(platform.clone(), party.business.clone());
    let tax_id = |party: &Party| party.details.tax_id.as_deref().and_then(tax_id);
    let mut things = vec![business(&sync.payee)];
    things.extend(tax_id(&sync.payee));
    things.extend(tax_id(&sync.payor));
    if !is_settled {
        things.push(business(&sync.payor));
    }
    things
}

/// The digits of a tax id: they may link two identifiers, in whatever spelling.
pub(crate) fn tax_id(spelled: &str) -> Option<Thing> {
    let digits = tax_id_digits(spelled);
    (!digits.is_empty()).then_some(Thing::TaxId(digits))
}

/// Which things are in one part: disjoint sets (union-find).
#[derive(Default)]
pub struct Joined {
    numbers: BTreeMap<Thing, usize>,
    parents: Vec<usize>,
}

impl Joined {
    fn number(&mut self, thing: &Thing) -> usize {
        if let Some(number) = self.numbers.get(thing) {
            return *number;
        }
        self.numbers.insert(thing.clone(), self.parents.len());
        self.parents.push(self.parents.len());
        self.parents.len() - 1
    }

    fn root(&self, mut number: usize) -> usize {
        while self.parents[number] != number {
            number = self.parents[number];
        }
        number
    }

    /// Puts things into one part.
    pub fn join(&mut self, things: &[Thing]) {
        let Some((first, others)) = things.split_first() else { return };
        let mut first = self.number(first);
        for other in others {
            first = self.root(first);
            let other = self.number(other);
            let other = self.root(other);
            self.parents[other] = first;
        }
    }

    /// The number of the part of a thing.
    pub fn part_of(&self, thing: &Thing) -> usize {
        self.numbers.get(thing).map_or(0, |number| self.root(*number))
    }

    /// The parts with a subscription of a platform.
    pub(crate) fn urls(&self) -> Vec<(usize, Platform)> {
        let url = |(thing, number): (&Thing, &usize)| match thing {
            Thing::Url(platform, _) | Thing::Reference(platform, _) => {
                Some((self.root(*number), platform.clone()))
            }
            _ => None,
        };
        self.numbers.iter().filter_map(url).collect()
    }
}
