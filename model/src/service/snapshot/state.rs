//! The state of a service as it is written: all but the indexes.

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::cents::Cents;
use crate::choices::{Choices, Seeded, Token};
use crate::delivery::Delivery;
use crate::destination::Destinations;
use crate::identity::{PlatformId, RelationshipId, SubscriptionId};
use crate::profile::Profile;
use crate::rows::Rows;
use crate::sealed::ImpossibleState;
use crate::secret::Secret;
use crate::service::Series;
use crate::service::Service;
use crate::service::businesses::{Business, Relationship};
use crate::service::deliveries::{Deliveries, Queue};
use crate::service::imports::Import;
use crate::service::invitations::{Invitation, SessionLink};
use crate::service::invoices::Invoice;
use crate::service::ledger::Ledger;
use crate::service::platforms::{Key, Platform};
use crate::service::settled::Settled;
use crate::service::subscriptions::Subscription;
use crate::shared::Shared;
use crate::table::Table;

/// A map as a list: its keys need not be strings, and none is lost if it stands there twice.
type Pairs<'a, K, V> = Vec<(Cow<'a, K>, Cow<'a, V>)>;

/// The names of these fields, and of all within them, are the form of version 2.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct State<'a> {
    profile: Cow<'a, Arc<Profile>>,
    destinations: Cow<'a, Destinations>,
    choices: Seeded,
    untouched_choices: Seeded,
    platforms: Cow<'a, Shared<Vec<Platform>>>,
    keys: Pairs<'a, Secret, Key>,
    businesses: Cow<'a, Rows<Business>>,
    relationships: Cow<'a, Table<Relationship>>,
    invoices: Cow<'a, Table<Invoice>>,
    imports: Pairs<'a, (PlatformId, String), Shared<Import>>,
    invitations: Pairs<'a, (RelationshipId, String), Invitation>,
    session_links: Pairs<'a, Secret, SessionLink>,
    subscriptions: Pairs<'a, SubscriptionId, Subscription>,
    subscribed: u32,
    queues: Pairs<'a, SubscriptionId, Queue>,
    outbox: Cow<'a, VecDeque<Arc<Delivery>>>,
    ledger: Cow<'a, Ledger>,
    unadvanced: Cents,
    minted: Pairs<'a, Token, u64>,
    /// Left out by releases that have one series.
    #[serde(default, skip_serializing_if = "Series::is_the_first")]
    series: Series,
    failing_requests: u32,
}

fn pairs<K: Clone, V: Clone>(map: &BTreeMap<K, V>) -> Pairs<'_, K, V> {
    map.iter().map(|(key, value)| (Cow::Borrowed(key), Cow::Borrowed(value))).collect()
}

/// The inverse of [`pairs`].
fn map<K: Clone + Ord, V: Clone>(
    what: &str,
    pairs: Pairs<'_, K, V>,
) -> Result<BTreeMap<K, V>, ImpossibleState> {
    let length = pairs.len();
    let pairs = pairs.into_iter().map(|(key, value)| (key.into_owned(), value.into_owned()));
    let map: BTreeMap<K, V> = pairs.collect();
    if map.len() == length {
        return Ok(map);
    }
    Err(ImpossibleState::new(format!("two of its {what} have one key")))
}

impl<'a> State<'a> {
    /// `None` if the choices do not follow from a seed.
    pub(super) fn of<C: Choices>(service: &'a Service<C>) -> Option<State<'a>> {
        // In full: a new field of the service must not be forgotten here.
        let Service {
            profile,
            destinations,
            choices,
            untouched_choices,
            platforms,
            keys,
            businesses,
            by_tax_id: _,
            relationships,
            invoices,
            imports,
            invitations,
            session_links,
            subscriptions,
            subscribed,
            most_subscriptions: _,
            deliveries,
            timers: _,
            outbox,
            ledger,
            unadvanced,
            minted,
            series,
            failing_requests,
        } = service;
        Some(State {
            profile: Cow::Borrowed(&profile.0),
            destinations: Cow::Borrowed(&destinations.0),
            choices: choices.seeded()?,
            untouched_choices: untouched_choices.0.seeded()?,
            platforms: Cow::Borrowed(platforms),
            keys: pairs(keys),
            businesses: Cow::Borrowed(businesses),
            relationships: Cow::Borrowed(relationships),
            invoices: Cow::Borrowed(invoices),
            imports: pairs(imports),
            invitations: pairs(invitations),
            session_links: pairs(session_links),
            subscriptions: pairs(subscriptions),
            subscribed: *subscribed,
            queues: pairs(deliveries.queues()),
            outbox: Cow::Borrowed(outbox),
            ledger: Cow::Borrowed(ledger),
            unadvanced: *unadvanced,
            minted: pairs(minted),
            series: *series,
            failing_requests: *failing_requests,
        })
    }

    /// The service in this state, with choices that follow from the written seed.
    pub(super) fn into_service<C: Choices>(
        self,
        choices: impl Fn(Seeded) -> C,
    ) -> Result<Service<C>, ImpossibleState> {
        let profile = self.profile.into_owned();
        let impossible = |error| ImpossibleState::new(format!("its profile: {error}"));
        profile.check().map_err(impossible)?;
        let queues = map("queues", self.queues)?;
        let mut service = Service {
            deliveries: Deliveries::restored(queues, &profile.webhooks)?.into(),
            profile: Settled(profile),
            destinations: Settled(self.destinations.into_owned()),
            choices: choices(self.choices),
            untouched_choices: Settled(choices(self.untouched_choices)),
            platforms: self.platforms.into_owned(),
            keys: map("keys", self.keys)?.into(),
            businesses: self.businesses.into_owned(),
            by_tax_id: Shared::default(),
            relationships: self.relationships.into_owned(),
            invoices: self.invoices.into_owned(),
            imports: map("imports", self.imports)?.into(),
            invitations: map("invitations", self.invitations)?.into(),
            session_links: map("session links", self.session_links)?.into(),
            subscriptions: map("subscriptions", self.subscriptions)?.into(),
            subscribed: self.subscribed,
            most_subscriptions: Settled(usize::MAX),
            timers: Shared::default(),
            outbox: self.outbox.into_owned(),
            ledger: self.ledger.into_owned(),
            unadvanced: self.unadvanced,
            minted: map("counters", self.minted)?.into(),
            series: self.series,
            failing_requests: self.failing_requests,
        };
        service.check_references()?;
        service.check_amounts()?;
        service.restore_indexes()?;
        Ok(service)
    }
}
