//! Which open requests a response depends on. Two requests are related if they are about the same business, about tax ids,
//! about the same import or about subscriptions, or if a third one is related to both.

use std::collections::BTreeSet;

use tideover_exchange::{Prepared, PreparedAction, PreparedCall, within};
use tideover_model::wire::route::{route, served_at};
use tideover_model::wire::schema::{Role, documented};
use tideover_model::{Operation, PlatformId};

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

/// What a request of the partner API is about, also if it is malformed: what its path, its body and its rows name.
fn scope_of_call(platform: PlatformId, call: &PreparedCall) -> BTreeSet<Thing> {
    let path = call.plain_path();
    let Some(way) = route(&call.method, path).ok().or_else(|| served_at(path)) else {
        return BTreeSet::new();
    };
    if way.kind.is_about_subscriptions() {
        return BTreeSet::from([Thing::Subscriptions(platform)]);
    }
    let in_path = way.kind.path_roles().iter().zip(way.identifiers().unwrap_or_default());
    let in_body = documented(way.kind.fields()).into_iter().filter_map(|place| {
        let name = within(call.body().json()?, place.path)?.as_str()?;
        Some((&place.field.role, name.to_owned()))
    });
    let syncs = call.operation().map(Operation::syncs).unwrap_or_default();
    let parties = syncs.into_iter().flat_map(|sync| [&sync.payee, &sync.payor]);
    let in_rows = parties.map(|party| (&Role::Business, party.business.clone()));
    let named = in_path.chain(in_body).chain(in_rows);
    named.filter_map(|(role, name)| Thing::named(platform, role, name)).collect()
}

impl Thing {
    /// What a name of this role names.
    fn named(platform: PlatformId, role: &Role, name: String) -> Option<Thing> {
        match role {
            Role::Business => Some(Thing::Business(platform, name)),
            Role::Import => Some(Thing::Import(platform, name)),
            _ => None,
        }
    }
}
