//! Splits a history into parts that have nothing in common.
//!
//! A payor that was synced before any request named it joins nothing, because naming it changes nothing
//! (`gap.syncedParty`). Otherwise a few payors would join all vendors.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use tideover_exchange::PreparedAction;
use tideover_model::wire::field::{self, Fields};
use tideover_model::{ActionKind, Contact, Operation, Party};

use crate::play::concurrent::history::{History, TimedRequest};
use crate::play::touched::{Joined, Platform, Thing, Touched, tax_id};

/// The requests of each part, by index, in the order of their calls.
pub(super) fn parts(history: &History) -> Vec<Vec<usize>> {
    let reader = Reader::of(history);
    let touched: Vec<Touched> =
        (0..history.requests.len()).map(|request| reader.touched(history, request)).collect();
    let all_in_one = touched.iter().any(|one| matches!(one, Touched::Everything));
    let mut joined = Joined::default();
    for one in &touched {
        if let Touched::Things(things) = one {
            joined.join(things);
        }
    }
    let mut parts: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, one) in touched.iter().enumerate() {
        if all_in_one && !matches!(one, Touched::NotJudged) {
            parts.entry(0).or_default().push(index);
        } else if let Touched::Things(things) = one
            && let Some(thing) = things.first()
        {
            parts.entry(joined.part_of(thing)).or_default().push(index);
        }
    }
    let urls: Vec<(usize, Platform)> = joined.urls();
    for (index, one) in touched.iter().enumerate().filter(|_| !all_in_one) {
        for (name, part) in &mut parts {
            let seen = match one {
                Touched::InEveryPart => true,
                Touched::UrlsOf(platform) => urls.contains(&(*name, platform.clone())),
                Touched::Things(_) | Touched::Everything | Touched::NotJudged => false,
            };
            if seen {
                part.push(index);
            }
        }
    }
    let mut parts: Vec<Vec<usize>> = parts.into_values().collect();
    for part in &mut parts {
        part.sort_unstable();
    }
    parts
}

/// What the whole history says about platforms and payors.
struct Reader {
    /// The platform of each issued key.
    platforms: BTreeMap<String, Platform>,
    /// Payors that were synced before any request named them.
    settled: BTreeSet<(Platform, String)>,
}

impl Reader {
    fn of(history: &History) -> Reader {
        let mut reader = Reader { platforms: BTreeMap::new(), settled: BTreeSet::new() };
        for request in &history.requests {
            if let PreparedAction::Act(fields) = &request.sent.action
                && let Some(key) = request.success().and_then(|response| response.seen.json())
                && let Some(key) = Fields::of(key).key()
            {
                let platform = match fields.get("platform").and_then(Value::as_str) {
                    Some(name) => format!("platform {name}"),
                    None => reader.platform(request),
                };
                reader.platforms.insert(format!("Bearer {key}"), platform);
            }
        }
        reader.settled = reader.settled_payors(history);
        reader
    }

    fn platform(&self, request: &TimedRequest) -> Platform {
        let key = request.sent.authorization.clone().unwrap_or_default();
        self.platforms.get(&key).cloned().unwrap_or(key)
    }

    /// Payors that were synced before the first request that names them was sent. Those requests give no detail of them
    /// but a name.
    fn settled_payors(&self, history: &History) -> BTreeSet<(Platform, String)> {
        let mut synced: BTreeMap<(Platform, String), u64> = BTreeMap::new();
        let mut named: BTreeMap<(Platform, String), u64> = BTreeMap::new();
        for (_, request, operation) in history.operations() {
            let platform = self.platform(request);
            if let Operation::SyncBusiness { business, .. } = operation
                && let Some(response) = request.success()
            {
                let payor = (platform.clone(), business.clone());
                let at = synced.entry(payor).or_insert(response.at);
                *at = (*at).min(response.at);
            }
            for sync in operation.syncs() {
                let payor = (platform.clone(), sync.payor.business.clone());
                let at = if is_plain(&sync.payor) { request.called } else { 0 };
                let first = named.entry(payor).or_insert(at);
                *first = (*first).min(at);
            }
        }
        let before = |(payor, first): (_, u64)| {
            synced.get(&payor).is_some_and(|synced| *synced < first).then_some(payor)
        };
        named.into_iter().filter_map(before).collect()
    }

    fn touched(&self, history: &History, index: usize) -> Touched {
        let request = &history.requests[index];
        match &request.sent.action {
            PreparedAction::Call(_) => match history.operation(index) {
                Some(operation) => self.touched_by(request, operation),
                None => Touched::Things(vec![Thing::Nothing]),
            },
            PreparedAction::Act(fields) => {
                let text = |name: &str| fields.get(name).and_then(Value::as_str);
                match (
                    ActionKind::of(fields),
                    text(field::PAYEE_EXTERNAL_ID).or(text(field::EXTERNAL_ID)),
                ) {
                    (Some(ActionKind::IssueKey), _) => Touched::InEveryPart,
                    (_, Some(business)) => {
                        let business = Thing::Business(self.platform(request), business.into());
                        let tax_id = text(field::TAX_ID).and_then(tax_id);
                        Touched::Things([business].into_iter().chain(tax_id).collect())
                    }
                    _ => Touched::Everything,
                }
            }
            PreparedAction::Advance(_) => Touched::InEveryPart,
            PreparedAction::Deliveries => Touched::NotJudged,
        }
    }

    fn touched_by(&self, request: &TimedRequest, operation: &Operation) -> Touched {
        let platform = self.platform(request);
        let body = request.success().and_then(|response| response.seen.json());
        let reference = body.and_then(|body| Fields::of(body).reference());
        let is_settled =
            |payor: &Party| self.settled.contains(&(platform.clone(), payor.business.clone()));
        Touched::by(&platform, operation, reference, is_settled)
    }
}

fn is_plain(party: &Party) -> bool {
    party.details.tax_id.is_none() && party.details.contact == Contact::default()
}
