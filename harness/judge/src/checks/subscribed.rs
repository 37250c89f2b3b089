//! The subscriptions of the inbox that a run knows, with their secrets. The webhook checks share it.
//!
//! A subscription that is made anew is another one, even to the same URL: it has its own secret, and the secret that
//! signed an arrival says whose it is.

use std::cell::OnceCell;

use serde_json::Value;
use tideover_exchange::matcher::texts;
use tideover_exchange::target::inbox::before_redirect;
use tideover_exchange::target::path_of;
use tideover_exchange::{Arrival, Exchange, Prepared, PreparedAction, kind_of_event};
use tideover_model::signature::TOLERANCE;
use tideover_model::wire::field::{self, Fields};
use tideover_model::{
    ActionKind, Clause, OperationKind, PlatformId, SigningKey, Timestamp, clause,
};

use crate::callers::is_certain;
use crate::checks::is_reset;

/// The place of a subscription among those that a run knows, in the order in which they were made.
pub(super) type SubscriptionNumber = usize;

/// Every subscription whose creation was successful.
#[derive(Default)]
pub(super) struct KnownSubscriptions {
    known: Vec<KnownSubscription>,
    /// Paths of subscriptions whose secret no response showed.
    unknown: Vec<String>,
}

pub(super) struct KnownSubscription {
    path: String,
    /// The `Authorization` header of the request that made it.
    pub(super) owner: Option<String>,
    /// The platform that made it, if that is certain.
    pub(super) platform: Option<PlatformId>,
    /// Empty if no response showed it.
    pub(super) reference: String,
    /// Texts of the response that may be the secret (`gap.subscriptionForm`). The field `secret` comes first.
    secrets: Vec<CandidateSecret>,
    /// The requested event kinds. `None` if the request has none, or a form that we don't know.
    pub(super) event_types: Option<Vec<&'static str>>,
    pub(super) ended: Option<SubscriptionEnd>,
    /// Whether it may have ended unseen: a request to delete it got no response, or its key was revoked.
    pub(super) may_have_ended: bool,
}

/// A string that may be a secret. It becomes a key on first use.
struct CandidateSecret {
    secret: String,
    key: OnceCell<SigningKey>,
}

impl CandidateSecret {
    fn key(&self) -> &SigningKey {
        self.key.get_or_init(|| SigningKey::new(&self.secret))
    }
}

/// Why a subscription receives nothing more.
#[derive(Clone, Copy)]
pub(super) struct SubscriptionEnd {
    pub(super) clause: Clause,
    /// When the attempt answered with 410 was signed. Arrivals of the same step, signed no later, were in
    /// flight.
    at: Option<u64>,
    /// When it ended, by the clock of its signatures. `None` if unknown.
    since: Option<u64>,
    /// When the run learned of it, by the target's clock. `None` if unknown.
    pub(super) learned: Option<u64>,
}

/// How long an attempt may be in flight, and how long the end of a subscription may take to reach the target.
/// Seconds.
pub(super) const IN_FLIGHT: u64 = 15;

impl KnownSubscriptions {
    /// Learns from the response, before the arrivals of the step are checked.
    pub(super) fn learn(&mut self, exchange: &Exchange<'_>) {
        if is_reset(exchange) {
            self.known.clear();
        }
        if exchange.acts() == Some(ActionKind::RevokeKey) {
            self.known.iter_mut().for_each(|one| one.may_have_ended = true);
        }
        if let Some(body) = exchange.success_of(OperationKind::Subscribe) {
            let subscription = KnownSubscription::from_exchange(body, exchange);
            if subscription.as_ref().is_none_or(|one| !one.may_show_a_secret()) {
                self.unknown.extend(subscription.iter().map(|one| one.path.clone()));
            }
            self.known.extend(subscription);
        }
    }

    /// Learns from a request that got no response.
    pub(super) fn miss(&mut self, sent: &Prepared) {
        let PreparedAction::Call(call) = &sent.action else { return };
        if sent.kind() == Some(OperationKind::Unsubscribe) {
            let reference = referred(&call.path);
            for one in self.known.iter_mut().filter(|one| one.reference == reference) {
                one.may_have_ended = true;
            }
        }
        let body = call.body().json().unwrap_or(&Value::Null);
        if let Some(url) = Fields::of(body).url() {
            self.unknown.extend(path_of(url).map(str::to_owned));
        }
    }

    /// Whether an arrival may belong to a subscription whose secret is unknown.
    pub(super) fn may_be_unknown(&self, arrival: &Arrival) -> bool {
        self.unknown.iter().any(|path| leads_to(path, arrival))
    }

    /// Learns at the end of a step that the step deleted a subscription. Arrivals of the same step may have
    /// begun before.
    pub(super) fn learn_deletion(&mut self, exchange: &Exchange<'_>) {
        for ending in self.known.iter_mut().filter_map(|one| one.ended.as_mut()) {
            ending.at = None;
        }
        let deletes = exchange.kind() == Some(OperationKind::Unsubscribe);
        let Some(call) = exchange.call().filter(|_| deletes && exchange.seen.is_success()) else {
            return;
        };
        let reference = referred(&call.path);
        let since = exchange.its_time(exchange.now);
        let clause = clause!("4.webhookDeletion.1");
        let ending = SubscriptionEnd { clause, at: None, since, learned: since };
        for one in self.known.iter_mut().filter(|one| one.reference == reference) {
            one.ended.get_or_insert(ending);
        }
    }

    /// Learns that a subscription ended, if the response to an arrival was 410.
    pub(super) fn learn_response(&mut self, exchange: &Exchange<'_>, arrival: &Arrival) {
        let gone = arrival.status == 410;
        if let Some(one) = self.known.iter_mut().find(|one| gone && one.has_signed(arrival)) {
            let (clause, at) = (clause!("6.delivery.2"), arrival.signed_at());
            let learned = exchange.its_time(exchange.now);
            one.ended.get_or_insert(SubscriptionEnd { clause, at, since: at, learned });
        }
    }

    /// Whether a subscription led to where an arrival came.
    pub(super) fn lead_to(&self, arrival: &Arrival) -> bool {
        self.known.iter().any(|one| leads_to(&one.path, arrival))
    }

    /// Every subscription, in the order in which they were made.
    pub(super) fn iter(&self) -> impl Iterator<Item = &KnownSubscription> {
        self.known.iter()
    }

    /// A subscription by its number.
    pub(super) fn get(&self, number: SubscriptionNumber) -> Option<&KnownSubscription> {
        self.known.get(number)
    }

    /// The subscription that an arrival belongs to: the one whose secret signed it or, if none did, the only one
    /// that ever led there. `None` if that is unknown.
    pub(super) fn number_of(&self, arrival: &Arrival) -> Option<SubscriptionNumber> {
        let leading = || {
            let known = self.known.iter().enumerate();
            known.filter(|(_, one)| leads_to(&one.path, arrival)).map(|(number, _)| number)
        };
        let signed = leading().find(|number| self.known[*number].has_signed(arrival));
        signed.or_else(|| {
            let mut others = leading().filter(|_| !self.may_be_unknown(arrival));
            others.next().filter(|_| others.next().is_none())
        })
    }

    /// The secret that signed an arrival.
    pub(super) fn secret_of(&self, arrival: &Arrival) -> Option<&str> {
        self.known.iter().find_map(|one| one.signed_by(arrival))
    }

    /// The clauses by which subscriptions ended.
    pub(super) fn endings(&self) -> impl Iterator<Item = Clause> {
        self.known.iter().filter_map(|one| Some(one.ended?.clause))
    }

    /// Whether an arrival may belong to a subscription that ended or that names its event kinds.
    pub(super) fn may_not_want(&self, arrival: &Arrival) -> bool {
        let objects = |one: &KnownSubscription| one.ended.is_some() || one.event_types.is_some();
        self.known.iter().any(|one| leads_to(&one.path, arrival) && objects(one))
    }

    /// The subscription whose secret signed an arrival. Prefers one that has not ended.
    pub(super) fn of(&self, arrival: &Arrival) -> Option<&KnownSubscription> {
        let mut signed = self.known.iter().filter(|one| one.has_signed(arrival));
        let first = signed.next()?;
        if first.ended.is_none() {
            Some(first)
        } else {
            signed.find(|one| one.ended.is_none()).or(Some(first))
        }
    }
}

impl KnownSubscription {
    /// The clause that forbids an arrival, if any.
    pub(super) fn forbids(&self, arrival: &Arrival) -> Option<Clause> {
        let ending = self.ended?;
        let with_it = ending.at.is_some() && arrival.signed_at() <= ending.at;
        (!with_it).then_some(ending.clause)
    }

    /// Whether an arrival may have been in flight when the subscription ended: it came over a network, and
    /// was not signed later by the target's clock.
    pub(super) fn may_be_late(&self, exchange: &Exchange<'_>, arrival: &Arrival) -> bool {
        let Some((ending, signed_at)) = self.ended.zip(arrival.signed_at()) else { return false };
        let by_its_clock = exchange.its_time(exchange.now).map(|now| now + TOLERANCE);
        let was_before = ending.since.is_none_or(|since| signed_at <= since + IN_FLIGHT);
        let by_another = by_its_clock.is_none_or(|latest| signed_at > latest);
        arrival.arrived.is_some() && (was_before || by_another)
    }

    /// A subscription from its request and response.
    fn from_exchange(body: &Value, exchange: &Exchange<'_>) -> Option<KnownSubscription> {
        let text = |name: &str| body.get(name)?.as_str();
        let url = exchange.sent_field(field::URL);
        let mut shown = texts(body);
        shown.sort_by_key(|shown| Some(*shown) != text(field::SECRET));
        let candidate =
            |text: &str| CandidateSecret { secret: text.to_owned(), key: OnceCell::new() };
        Some(KnownSubscription {
            path: path_of(url.as_deref().or(text(field::URL))?)?.to_owned(),
            owner: exchange.sent.authorization.clone(),
            platform: caller_of(exchange),
            reference: text(field::REFERENCE).unwrap_or_default().to_owned(),
            secrets: shown.into_iter().map(candidate).collect(),
            event_types: event_types(exchange.sent_json()),
            ended: None,
            may_have_ended: false,
        })
    }

    /// Whether the response shows a text that may be a secret, besides the other fields of a subscription.
    pub(super) fn may_show_a_secret(&self) -> bool {
        self.secrets.iter().any(|candidate| {
            let text = &candidate.secret;
            let is_known = *text == self.reference
                || text.contains("://")
                || Timestamp::parse(text).is_some()
                || kind_of_event(&Value::String(text.clone())).is_some();
            !is_known && text.len() >= 8
        })
    }

    fn has_signed(&self, arrival: &Arrival) -> bool {
        self.signed_by(arrival).is_some()
    }

    fn signed_by(&self, arrival: &Arrival) -> Option<&str> {
        let header = arrival.signature.as_deref().map(str::as_bytes);
        let at = arrival.signed_at().unwrap_or_default();
        let signs = |one: &&CandidateSecret| one.key().verify(header, &arrival.body, at).is_ok();
        let mut candidates = self.secrets.iter().filter(|_| leads_to(&self.path, arrival));
        candidates.find(signs).map(|one| &*one.secret)
    }
}

/// The event kinds that a request for a subscription names, if all are known.
fn event_types(requested: Option<&Value>) -> Option<Vec<&'static str>> {
    let named = requested?.get(field::EVENT_TYPES)?.as_array().filter(|named| !named.is_empty())?;
    named.iter().map(kind_of_event).collect()
}

/// The reference in the path of a deletion.
pub(super) fn referred(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// The platform that sends a request, if that is certain.
pub(super) fn caller_of(exchange: &Exchange<'_>) -> Option<PlatformId> {
    exchange.platform.filter(|platform| is_certain(*platform))
}

/// Whether a delivery to `path` arrives there. A shared inbox shows only the path after the run's own prefix.
fn leads_to(path: &str, arrival: &Arrival) -> bool {
    path.ends_with(&arrival.path) || path.ends_with(&*before_redirect(&arrival.path))
}
