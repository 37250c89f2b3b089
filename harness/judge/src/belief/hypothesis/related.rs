//! Which open requests a response depends on. Two requests are related if they are about the same business, about tax ids,
//! about the same import or about subscriptions, or if a third one is related to both.

use std::collections::BTreeSet;

use serde_json::Value;
use tideover_exchange::{Prepared, PreparedAction, PreparedCall};
use tideover_model::wire::field;
use tideover_model::wire::route::served_at;
use tideover_model::{Operation, OperationKind, PlatformId};

use crate::belief::hypothesis::Hypothesis;

/// Something that a request reads or changes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Thing {
    Business(PlatformId, String),
    /// By a tax id, one business becomes another, on any platform.
    TaxIds,
    Import(PlatformId, String),
    Subscriptions(PlatformId),
}

/// What a request reads or changes. `None` if it may be anything.
type Scope = Option<BTreeSet<Thing>>;

/// The members that name a business.
const NAMES: [&str; 2] = [field::EXTERNAL_ID, field::PAYEE_EXTERNAL_ID];

impl Hypothesis {
    /// The open requests that the response to `sent` depends on, as they came.
    pub(crate) fn related(&self, sent: &Prepared) -> Vec<usize> {
        if self.open.is_empty() {
            return Vec::new();
        }
        let Some(mut reached) = self.scope(sent) else { return (0..self.open.len()).collect() };
        let scopes: Vec<Scope> = self.open.iter().map(|open| self.scope(&open.sent)).collect();
        let mut related = BTreeSet::new();
        loop {
            let before = related.len();
            for (index, scope) in scopes.iter().enumerate() {
                let Some(scope) = scope else { return (0..self.open.len()).collect() };
                if !reached.is_disjoint(scope) && related.insert(index) {
                    reached.extend(scope.iter().cloned());
                }
            }
            if related.len() == before {
                return related.into_iter().collect();
            }
        }
    }

    fn scope(&self, sent: &Prepared) -> Scope {
        let platform = self.platform_of(sent).unwrap_or(PlatformId::DEFAULT);
        let mut scope = match &sent.action {
            // Such as a key that is revoked.
            PreparedAction::Act(_) => {
                let payee = self.subject(sent).payee?;
                BTreeSet::from([Thing::Business(platform, payee)])
            }
            PreparedAction::Call(call) => scope_of_call(platform, call),
            PreparedAction::Advance(_) | PreparedAction::Deliveries => BTreeSet::new(),
        };
        let is_by_tax_id = |thing: &Thing| match thing {
            Thing::Business(platform, name) => {
                self.has_tax_id(self.bare.now(), *platform, name) == Some(true)
            }
            _ => false,
        };
        if !self.tax_ids(sent).is_empty() || scope.iter().any(is_by_tax_id) {
            scope.insert(Thing::TaxIds);
        }
        Some(scope)
    }
}

/// What a request of the partner API is about, also if it is malformed.
fn scope_of_call(platform: PlatformId, call: &PreparedCall) -> BTreeSet<Thing> {
    let Some(way) = served_at(call.plain_path()) else { return BTreeSet::new() };
    let mut names = Vec::new();
    let identifiers = way.identifiers().unwrap_or_default();
    match way.kind {
        OperationKind::Subscribe
        | OperationKind::ListSubscriptions
        | OperationKind::Unsubscribe => return BTreeSet::from([Thing::Subscriptions(platform)]),
        OperationKind::ImportInvoices | OperationKind::GetImport => {
            let [import, _] = identifiers;
            let syncs = call.operation().map(Operation::syncs).unwrap_or_default();
            let parties = syncs.into_iter().flat_map(|sync| [&sync.payee, &sync.payor]);
            let parties = parties.map(|it| Thing::Business(platform, it.business.clone()));
            return parties.chain([Thing::Import(platform, import)]).collect();
        }
        _ => names.extend(identifiers.into_iter().filter(|name| !name.is_empty())),
    }
    if let Some(body) = call.body().json() {
        named_in(body, &mut names);
    }
    names.into_iter().map(|name| Thing::Business(platform, name)).collect()
}

fn named_in(value: &Value, names: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::String(text) if NAMES.contains(&name.as_str()) => {
                        names.push(text.clone());
                    }
                    value => named_in(value, names),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| named_in(item, names)),
        _ => {}
    }
}
