//! The parts of traffic. A request of one part cannot have changed anything in another.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use tideover_exchange::{PreparedAction, Response};
use tideover_model::wire::field::Fields;
use tideover_model::{Operation, OperationKind, Party};
use tideover_suite::play::touched::{Thing, Touched};

use crate::recorded::Recorded;
use crate::recorded::known::identifiers_in_path;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// The things that it names, and all that are joined with them.
    Of(usize),
    /// It is unknown what the request touches.
    Everything,
    /// The request touches nothing of any part.
    None,
}

impl Part {
    /// Whether what a request of one part changes may show in the other.
    pub(super) fn meets(self, other: Part) -> bool {
        match (self, other) {
            (Part::Everything, _) | (_, Part::Everything) => true,
            (Part::Of(one), Part::Of(other)) => one == other,
            (Part::None, _) | (_, Part::None) => false,
        }
    }
}

/// The parts so far. A request may join several into one.
#[derive(Debug, Default)]
pub(super) struct Parts {
    of: BTreeMap<Thing, usize>,
    things: BTreeMap<usize, Vec<Thing>>,
    next: usize,
    /// The payors as they were named with success, by their hashes. To name one again changes nothing of it, so that a payor
    /// of many vendors does not make one part of them all.
    settled: BTreeSet<u64>,
}

/// The most payors that are kept as settled.
const MOST_SETTLED: usize = 65_536;

/// Where a request belongs.
pub(super) struct Place {
    pub(super) part: Part,
    /// The parts that the request has joined into this one, if there were several.
    pub(super) joined: Vec<Part>,
}

impl Parts {
    /// The place of a request. It is unknown which keys belong to one platform, so all count as one. All its
    /// subscriptions count as one thing, because a list shows them all.
    pub(super) fn place(&mut self, one: &Recorded) -> Place {
        let alone = |part| Place { part, joined: Vec::new() };
        match self.touched(one) {
            Touched::Things(things) if things.is_empty() => alone(Part::None),
            Touched::Things(things) => self.join(things),
            Touched::Everything => alone(Part::Everything),
            Touched::InEveryPart | Touched::UrlsOf(_) | Touched::NotJudged => alone(Part::None),
        }
    }

    /// Forgets a part. Its things count as new from then on.
    pub(super) fn forget(&mut self, part: Part) {
        let Part::Of(part) = part else { return };
        for thing in self.things.remove(&part).unwrap_or_default() {
            self.of.remove(&thing);
        }
    }

    fn join(&mut self, things: Vec<Thing>) -> Place {
        let mut known: Vec<usize> =
            things.iter().filter_map(|thing| self.of.get(thing).copied()).collect();
        known.sort_unstable();
        known.dedup();
        // The largest takes the others in.
        let into = known.iter().copied().max_by_key(|part| self.things[part].len());
        let into = into.unwrap_or_else(|| {
            self.next += 1;
            self.next
        });
        let others = known.iter().filter(|part| **part != into);
        let moved = others.filter_map(|part| self.things.remove(part)).flatten();
        let moved: Vec<Thing> = moved.chain(things).collect();
        let all = self.things.entry(into).or_default();
        for thing in moved {
            if self.of.insert(thing.clone(), into) != Some(into) {
                all.push(thing);
            }
        }
        let joined = if known.len() > 1 { known } else { Vec::new() };
        Place { part: Part::Of(into), joined: joined.into_iter().map(Part::Of).collect() }
    }

    fn touched(&mut self, one: &Recorded) -> Touched {
        let PreparedAction::Call(call) = &one.sent.action else { return Touched::InEveryPart };
        let (platform, seen) = (String::new(), one.seen.as_ref());
        if one.sent.kind().is_some_and(OperationKind::is_about_subscriptions) {
            return Touched::Things(vec![Thing::Url(platform, String::new())]);
        }
        // What a service may have taken it for.
        let taken = call.corrected().unwrap_or(call);
        let Some(operation) = taken.operation() else {
            let is_refused = seen.is_some_and(Response::is_refused);
            return match one.sent.kind() {
                _ if is_refused => Touched::NotJudged,
                // Its path says which business it has changed.
                Some(OperationKind::SyncBusiness | OperationKind::SetPayoutAccount) => {
                    let named = identifiers_in_path(call.plain_path());
                    let business = |name: String| Thing::Business(platform.clone(), name);
                    Touched::Things(named.into_iter().map(business).collect())
                }
                kind if kind.is_none_or(OperationKind::reads) => Touched::NotJudged,
                _ => Touched::Everything,
            };
        };
        let body = seen.and_then(|seen| seen.json());
        let reference = body.and_then(|body| Fields::of(body).reference());
        let key = one.sent.authorization.as_deref();
        let hash = |party: &Party| hash_of(key, party);
        let touched = Touched::by(&platform, operation, reference, |party| {
            self.settled.contains(&hash(party))
        });
        // The rows of an import may fail one by one.
        if let (Operation::SyncInvoice(sync), true) =
            (operation, seen.is_some_and(Response::is_success))
        {
            if self.settled.len() >= MOST_SETTLED {
                self.settled.clear();
            }
            self.settled.insert(hash(&sync.payor));
        }
        touched
    }
}

fn hash_of(key: Option<&str>, party: &Party) -> u64 {
    let mut hasher = DefaultHasher::new();
    let details = &party.details;
    (key, &party.business, &details.legal_name, &details.tax_id, &details.contact)
        .hash(&mut hasher);
    hasher.finish()
}
