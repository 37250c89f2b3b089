//! Which subscriptions of the inbox a run knows, with their secrets: what the checks of webhooks share.

use std::cell::OnceCell;

use serde_json::Value;
use tideover_model::signature::TOLERANCE;
use tideover_model::{Clause, OperationKind, SigningKey, Timestamp, clause};

use crate::exchange::matcher::texts;
use crate::exchange::{Arrival, Exchange, Prepared, PreparedAction, kind_of_event};
use crate::judge::checks::starts_anew;

/// Every subscription that the target has told a secret of.
#[derive(Default)]
pub(super) struct Subscriptions {
    known: Vec<Subscription>,
    /// Where subscriptions may lead whose secret was in an answer that never came.
    unknown: Vec<String>,
}

pub(super) struct Subscription {
    path: String,
    /// Empty if it was not told.
    reference: String,
    /// What the answer told that may be the secret (`gap.subscriptionForm`): first what is called so.
    secrets: Vec<Candidate>,
    /// The kinds that it was asked for; none where their form, which is not shown, says nothing to us.
    pub(super) event_types: Option<Vec<&'static str>>,
    ended: Option<Ending>,
}

/// A string that may be a secret; it is made a key once it is tried.
struct Candidate {
    secret: String,
    key: OnceCell<SigningKey>,
}

impl Candidate {
    fn key(&self) -> &SigningKey {
        self.key.get_or_init(|| SigningKey::new(&self.secret))
    }
}

/// Why a subscription gets nothing more.
#[derive(Clone, Copy)]
struct Ending {
    clause: Clause,
    /// When the attempt was signed that was answered 410: what comes with the same step and was signed at
    /// the same time was under way with it.
    at: Option<u64>,
    /// When it ended, by the target's clock, where that is known.
    since: Option<u64>,
}

/// How long an attempt may be under way, and how long nobody may tell a target that a subscription has ended.
/// Seconds.
const UNDER_WAY: u64 = 15;

impl Subscriptions {
    /// Learns from what was answered, before the arrivals of a step are looked at.
    pub(super) fn learn(&mut self, exchange: &Exchange<'_>) {
        if starts_anew(exchange) {
            self.known.clear();
        }
        if let Some(body) = exchange.success_of(OperationKind::Subscribe) {
            let told = Subscription::told(body, exchange);
            if told.as_ref().is_none_or(|one| !one.may_show_a_secret()) {
                self.unknown.extend(told.iter().map(|one| one.path.clone()));
            }
            self.known.extend(told);
        }
    }

    /// Learns of a request that was not answered.
    pub(super) fn miss(&mut self, sent: &Prepared) {
        let PreparedAction::Call(call) = &sent.action else { return };
        let body = call.body().json().unwrap_or(&Value::Null);
        if let Some(url) = body.get("url").and_then(Value::as_str) {
            self.unknown.extend(path_of(url));
        }
    }

    /// Whether an arrival may be of a subscription whose secret nobody knows.
    pub(super) fn may_be_unknown(&self, arrival: &Arrival) -> bool {
        self.unknown.iter().any(|path| leads_to(path, arrival))
    }

    /// Learns at the end of a step that a subscription has ended, if the step has deleted it: what came with
    /// it may have begun before.
    pub(super) fn learn_deletion(&mut self, exchange: &Exchange<'_>) {
        for ending in self.known.iter_mut().filter_map(|one| one.ended.as_mut()) {
            ending.at = None;
        }
        let deletes = exchange.kind() == Some(OperationKind::Unsubscribe);
        let Some(call) = exchange.call().filter(|_| deletes && exchange.seen.is_success()) else {
            return;
        };
        let reference = call.path.rsplit('/').next().unwrap_or_default();
        let since = exchange.its_time(exchange.now);
        let ending = Ending { clause: clause!("4.webhookDeletion.1"), at: None, since };
        for one in self.known.iter_mut().filter(|one| one.reference == reference) {
            one.ended.get_or_insert(ending);
        }
    }

    /// Learns that a subscription has ended, if an arrival was answered 410.
    pub(super) fn learn_answer(&mut self, arrival: &Arrival) {
        let gone = arrival.status == 410;
        if let Some(one) = self.known.iter_mut().find(|one| gone && one.has_signed(arrival)) {
            let at = arrival.signed_at();
            let ending = Ending { clause: clause!("6.delivery.2"), at, since: at };
            one.ended.get_or_insert(ending);
        }
    }

    /// The clauses by which subscriptions have ended.
    pub(super) fn endings(&self) -> impl Iterator<Item = Clause> {
        self.known.iter().filter_map(|one| Some(one.ended?.clause))
    }

    /// Whether an arrival may be of a subscription that has ended, or names what it wants.
    pub(super) fn may_not_want(&self, arrival: &Arrival) -> bool {
        let objects = |one: &Subscription| one.ended.is_some() || one.event_types.is_some();
        self.known.iter().any(|one| leads_to(&one.path, arrival) && objects(one))
    }

    /// The subscription that an arrival was signed for; one that has ended if no other was.
    pub(super) fn of(&self, arrival: &Arrival) -> Option<&Subscription> {
        let mut signed = self.known.iter().filter(|one| one.has_signed(arrival));
        let first = signed.next()?;
        if first.ended.is_none() {
            Some(first)
        } else {
            signed.find(|one| one.ended.is_none()).or(Some(first))
        }
    }
}

impl Subscription {
    /// The clause by which an arrival should not have come, if there is one.
    pub(super) fn forbids(&self, arrival: &Arrival) -> Option<Clause> {
        let ending = self.ended?;
        let with_it = ending.at.is_some() && arrival.signed_at() <= ending.at;
        (!with_it).then_some(ending.clause)
    }

    /// Whether an arrival may have been under way when the subscription ended: it came over a network, and was not
    /// signed later by the target's clock.
    pub(super) fn may_be_late(&self, exchange: &Exchange<'_>, arrival: &Arrival) -> bool {
        let Some((ending, signed_at)) = self.ended.zip(arrival.signed_at()) else { return false };
        let by_its_clock = exchange.its_time(exchange.now).map(|now| now + TOLERANCE);
        let was_before = ending.since.is_none_or(|since| signed_at <= since + UNDER_WAY);
        let by_another = by_its_clock.is_none_or(|latest| signed_at > latest);
        arrival.arrived.is_some() && (was_before || by_another)
    }

    /// A subscription as it was asked for, with what is told of it.
    fn told(body: &Value, exchange: &Exchange<'_>) -> Option<Subscription> {
        let text = |name: &str| body.get(name)?.as_str();
        let url = exchange.sent_field("url");
        let mut told = texts(body);
        told.sort_by_key(|told| Some(*told) != text("secret"));
        let candidate = |told: &str| Candidate { secret: told.to_owned(), key: OnceCell::new() };
        Some(Subscription {
            path: path_of(url.as_deref().or(text("url"))?)?,
            reference: text("reference").unwrap_or_default().to_owned(),
            secrets: told.into_iter().map(candidate).collect(),
            event_types: event_types(exchange.sent_json()),
            ended: None,
        })
    }

    /// Whether the answer told a text that may be a secret: any but what else a subscription is told with.
    fn may_show_a_secret(&self) -> bool {
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
        let header = arrival.signature.as_deref().map(str::as_bytes);
        let at = arrival.signed_at().unwrap_or_default();
        let signs = |one: &Candidate| one.key().verify(header, &arrival.body, at).is_ok();
        leads_to(&self.path, arrival) && self.secrets.iter().any(signs)
    }
}

/// The kinds of events that a request for a subscription names, if it names nothing else.
fn event_types(asked: Option<&Value>) -> Option<Vec<&'static str>> {
    let named = asked?.get("eventTypes")?.as_array().filter(|named| !named.is_empty())?;
    named.iter().map(kind_of_event).collect()
}

/// Whether what is sent to `path` arrives there: an inbox of many runs tells what follows the run's own.
fn leads_to(path: &str, arrival: &Arrival) -> bool {
    path.ends_with(&arrival.path)
}

/// The path of a URL.
fn path_of(url: &str) -> Option<String> {
    let (_, after_scheme) = url.split_once("://")?;
    Some(after_scheme.find('/').map_or("/", |start| &after_scheme[start..]).to_owned())
}
