//! Where a history can be split: no two parts touch the same thing.
//!
//! Joined are the businesses of one request (payee and payor, those of an import's rows), the identifiers that one
//! tax id may link, the imports and the webhook URLs, each by its platform. A payor that was synced before anybody
//! named it joins nothing: naming it changes nothing of it (`gap.syncedParty`).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use tideover_model::wire::field::{self, Fields};
use tideover_model::{ActionKind, Contact, InvoiceSync, Operation, Party};

use crate::exchange::PreparedAction;
use crate::play::concurrent::history::{History, Request};

/// What requests touch.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Thing {
    Business(Platform, String),
    TaxId(String),
    Import(Platform, String),
    Url(Platform, String),
    Reference(Platform, String),
    /// A request that is refused before its content matters.
    Nothing,
}

/// A platform, by what it was called when its key was issued, or by its key.
type Platform = String;

/// What a request touches.
enum Touched {
    Things(Vec<Thing>),
    /// What every part must see, though it changes nothing of what another does: a new key, the time.
    InEveryPart,
    /// Every URL of a platform, and nothing of it changes.
    UrlsOf(Platform),
    Everything,
    /// What the order of requests says nothing of.
    NotJudged,
}

/// The requests of each part, by index, in the order in which they were called.
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

/// Things that are in one part: disjoint sets.
#[derive(Default)]
struct Joined {
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

    fn join(&mut self, things: &[Thing]) {
        let Some((first, others)) = things.split_first() else { return };
        let mut first = self.number(first);
        for other in others {
            first = self.root(first);
            let other = self.number(other);
            let other = self.root(other);
            self.parents[other] = first;
        }
    }

    fn part_of(&self, thing: &Thing) -> usize {
        self.numbers.get(thing).map_or(0, |number| self.root(*number))
    }

    fn urls(&self) -> Vec<(usize, Platform)> {
        let url = |(thing, number): (&Thing, &usize)| match thing {
            Thing::Url(platform, _) | Thing::Reference(platform, _) => {
                Some((self.root(*number), platform.clone()))
            }
            _ => None,
        };
        self.numbers.iter().filter_map(url).collect()
    }
}

/// What is known of a whole history before its requests are read.
struct Reader {
    /// Which platform a key was issued to.
    platforms: BTreeMap<String, Platform>,
    /// Payors that were there before they were named as such.
    settled: BTreeSet<(Platform, String)>,
}

impl Reader {
    fn of(history: &History) -> Reader {
        let mut reader = Reader { platforms: BTreeMap::new(), settled: BTreeSet::new() };
        for request in &history.requests {
            if let PreparedAction::Act(fields) = &request.sent.action
                && let Some(key) = request.success().and_then(|answer| answer.seen.json())
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

    fn platform(&self, request: &Request) -> Platform {
        let key = request.sent.authorization.clone().unwrap_or_default();
        self.platforms.get(&key).cloned().unwrap_or(key)
    }

    /// Payors that were synced before the first request that names them was sent, and that those requests describe
    /// nothing of but a name.
    fn settled_payors(&self, history: &History) -> BTreeSet<(Platform, String)> {
        let mut synced: BTreeMap<(Platform, String), u64> = BTreeMap::new();
        let mut named: BTreeMap<(Platform, String), u64> = BTreeMap::new();
        for (_, request, operation) in history.operations() {
            let platform = self.platform(request);
            if let Operation::SyncBusiness { business, .. } = operation
                && let Some(answer) = request.success()
            {
                let at = synced.entry((platform.clone(), business.clone())).or_insert(answer.at);
                *at = (*at).min(answer.at);
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

    fn touched_by(&self, request: &Request, operation: &Operation) -> Touched {
        let platform = self.platform(request);
        let business = |name: &str| Thing::Business(platform.clone(), name.to_owned());
        let mut things = match operation {
            Operation::GetInvoice { payee: name, .. }
            | Operation::RequestAdvance { payee: name, .. }
            | Operation::SetPayoutAccount { business: name, .. }
            | Operation::GetBusiness { business: name }
            | Operation::Quote { business: name, .. }
            | Operation::Invite { business: name, .. }
            | Operation::CreateOnboardingSession { business: name } => vec![business(name)],
            Operation::SyncBusiness { business: name, details } => {
                let tax_id = details.tax_id.as_deref().and_then(tax_id);
                [business(name)].into_iter().chain(tax_id).collect()
            }
            Operation::SyncInvoice(_) => Vec::new(),
            Operation::GetImport { import } | Operation::ImportInvoices { import, .. } => {
                vec![Thing::Import(platform.clone(), import.clone())]
            }
            Operation::Subscribe { url, .. } => {
                let body = request.success().and_then(|answer| answer.seen.json());
                let reference = body.and_then(|body| Fields::of(body).reference());
                let reference = reference.map(|one| Thing::Reference(platform.clone(), one.into()));
                [Thing::Url(platform.clone(), url.clone())].into_iter().chain(reference).collect()
            }
            Operation::ListSubscriptions => return Touched::UrlsOf(platform),
            Operation::Unsubscribe { reference } => {
                vec![Thing::Reference(platform.clone(), reference.clone())]
            }
        };
        for sync in operation.syncs() {
            things.extend(self.parties(&platform, sync));
        }
        Touched::Things(things)
    }

    fn parties(&self, platform: &Platform, sync: &InvoiceSync) -> Vec<Thing> {
        let business = |party: &Party| Thing::Business(platform.clone(), party.business.clone());
        let tax_id = |party: &Party| party.details.tax_id.as_deref().and_then(tax_id);
        let mut things = vec![business(&sync.payee)];
        things.extend(tax_id(&sync.payee));
        things.extend(tax_id(&sync.payor));
        let payor = (platform.clone(), sync.payor.business.clone());
        if !self.settled.contains(&payor) {
            things.push(business(&sync.payor));
        }
        things
    }
}

fn is_plain(party: &Party) -> bool {
    party.details.tax_id.is_none() && party.details.contact == Contact::default()
}

/// What a tax id may link: its digits, however they are spelled.
fn tax_id(spelled: &str) -> Option<Thing> {
    let digits: String = spelled.chars().filter(char::is_ascii_digit).collect();
    (!digits.is_empty()).then_some(Thing::TaxId(digits))
}
