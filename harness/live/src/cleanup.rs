//! Cleanup after a run: deletes its own subscriptions and reports what stays behind.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use tideover_exchange::target::Unanswered;
use tideover_exchange::{Prepared, PreparedAction, PreparedCall, Response};
use tideover_model::wire::field;
use tideover_model::{ActionKind, OperationKind};
use url::Url;

use crate::session::{Purpose, Session, Subscriber};

impl Session {
    /// Deletes the run's own subscriptions, revokes the keys that it issued, and returns what stays behind.
    /// These requests don't count against the budget, but they pass the gate.
    pub async fn clean_up(&self) -> Vec<String> {
        let mut left = self.unsubscribe(None).await;
        if let (true, Some(inbox)) = (self.state().plays.is_in_doubt(), &self.inbox_url) {
            left.push(format!(
                "perhaps a subscription to {inbox}/…: a request for one got no response"
            ));
        }
        left.extend(self.revoke_keys().await);
        left.extend(self.state().left_behind.iter().cloned());
        left
    }

    /// Deletes the subscriptions of the plays that ended.
    pub(crate) async fn tidy(&self) {
        for play in self.take_ended() {
            self.unsubscribe(Some(play)).await;
        }
    }

    /// Deletes the subscriptions of a play, or of the whole run: those that it created, and listed ones that lead to
    /// its own part of the inbox. Returns what it could not delete.
    async fn unsubscribe(&self, play: Option<u64>) -> Vec<String> {
        // The list keeps a key until its subscriptions are gone, because an interrupt may repeat this.
        let subscribers = self.state().plays.subscribers.clone();
        let is_meant = |one: &Subscriber| play.is_none_or(|play| one.play == play);
        let keys: BTreeSet<String> =
            subscribers.into_iter().filter(is_meant).map(|one| one.key).collect();
        let mut left = Vec::new();
        for key in keys {
            let before = left.len();
            self.unsubscribe_all_of(&key, play, &mut left).await;
            if left.len() == before {
                let mut state = self.state();
                state.plays.subscribers.retain(|one| one.key != key || !is_meant(one));
            }
        }
        if self.outage().is_some() {
            // The requests of the cleanup may be what brings the target down.
            self.state().give_up_subscriptions(&left);
        }
        left
    }

    async fn unsubscribe_all_of(&self, key: &str, play: Option<u64>, left: &mut Vec<String>) {
        let list = Prepared { authorization: Some(key.to_owned()), ..self.list() };
        let own = self.own_part(play);
        let sending = (play.unwrap_or(0), purpose_at_end(play));
        // A list may be incomplete or show URLs in another form, so known references are added.
        let mut references = self.given_to(key, play);
        let answered = self.send_to_end(sending.0, &list, sending.1).await;
        match &answered {
            Ok(seen) => {
                let listed = own_among(own.as_deref(), seen.success_body());
                if !listed.is_empty() {
                    // The list includes any subscription whose request got no response.
                    self.state().plays.forget_doubts(play);
                }
                references.extend(listed);
            }
            Err(unanswered) => left.push(format!(
                "perhaps subscriptions to {}: {unanswered}",
                own.unwrap_or_default()
            )),
        }
        for reference in references {
            self.state().grants.references.insert(reference.clone(), key.to_owned());
            match self.delete(key, &reference, sending).await {
                Ok(seen) if seen.is_success() || seen.code() == Some("subscription_not_found") => {
                    self.state().forget_subscription(&reference);
                }
                Ok(seen) => left.push(format!(
                    "subscription {reference}: the response to its deletion was {}",
                    seen.status
                )),
                Err(unanswered)
                    if answered.is_err() || self.lists(&list, &reference, sending).await =>
                {
                    left.push(format!("subscription {reference}: {unanswered}"));
                }
                Err(_) => {
                    self.state().forget_subscription(&reference);
                }
            }
        }
    }

    /// The references of the subscriptions that a key created, in a play or in all.
    fn given_to(&self, key: &str, play: Option<u64>) -> BTreeSet<String> {
        let state = self.state();
        let is_meant = |reference: &str| play.is_none_or(|play| state.plays.is_of(play, reference));
        let references = state.grants.references.iter();
        let own = references.filter(|(reference, owner)| *owner == key && is_meant(reference));
        own.map(|(reference, _)| reference.clone()).collect()
    }

    /// The part of the inbox of a play, or of the whole run.
    fn own_part(&self, play: Option<u64>) -> Option<String> {
        let inbox = self.inbox_url.as_deref()?;
        Some(play.map_or_else(|| inbox.to_owned(), |play| format!("{inbox}/{play}")))
    }

    /// Whether a subscription still exists, or may exist because no list could be read.
    async fn lists(&self, list: &Prepared, reference: &String, sending: (u64, Purpose)) -> bool {
        let listed = self.send_to_end(sending.0, list, sending.1).await;
        let body = listed.as_ref().ok().and_then(Response::success_body);
        body.is_none_or(|body| subscriptions(Some(body)).contains_key(reference))
    }

    async fn delete(
        &self,
        key: &str,
        reference: &str,
        (play, purpose): (u64, Purpose),
    ) -> Result<Response, Unanswered> {
        let kind = OperationKind::Unsubscribe;
        let call = PreparedCall::new(kind.method(), kind.path_with(&[reference]), None, Vec::new());
        let authorization = Some(key.to_owned());
        let step = Prepared { authorization, action: PreparedAction::Call(call) };
        self.send_to_end(play, &step, purpose).await
    }

    async fn revoke_keys(&self) -> Vec<String> {
        let keys: Vec<String> = {
            let grants = &self.state().grants;
            grants.keys.difference(&grants.revoked).cloned().collect()
        };
        let mut left = Vec::new();
        for key in keys {
            let fields = Map::from_iter([("key".to_owned(), json!(key))]);
            let authorization = Some(self.own_authorization());
            let step = Prepared {
                authorization,
                action: PreparedAction::Act(ActionKind::RevokeKey.with(fields)),
            };
            let answered = self.send_to_end(0, &step, Purpose::EndOfRun).await;
            if !answered.is_ok_and(|seen| seen.is_success()) {
                left.push(format!("the key {}", tideover_model::masked(&key)));
            }
        }
        left
    }
}

/// The purpose of the cleanup after a play, or after the run.
fn purpose_at_end(play: Option<u64>) -> Purpose {
    if play.is_some() { Purpose::EndOfCase } else { Purpose::EndOfRun }
}

/// The subscriptions in a list that lead to `own` part of the inbox, in any form of the URL.
fn own_among(own: Option<&str>, list: Option<&Value>) -> BTreeSet<String> {
    let Some(own) = own else { return BTreeSet::new() };
    let own = format!("{}/", normal(own));
    let is_own = |url: &String| normal(url).starts_with(&own);
    let listed = subscriptions(list).into_iter();
    let listed = listed.filter(|(_, url)| url.as_ref().is_some_and(is_own));
    listed.map(|(reference, _)| reference).collect()
}

/// The subscriptions in a list, at any depth: the reference, and the URL if it is shown.
fn subscriptions(list: Option<&Value>) -> BTreeMap<String, Option<String>> {
    let mut found = BTreeMap::new();
    let mut waiting: Vec<&Value> = list.into_iter().collect();
    while let Some(value) = waiting.pop() {
        match value {
            Value::Array(items) => waiting.extend(items),
            Value::Object(fields) => match text(fields, field::REFERENCE) {
                Some(reference) => {
                    found.insert(reference, text(fields, field::URL));
                }
                None => waiting.extend(fields.values()),
            },
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    found
}

/// A URL in its normal form.
fn normal(url: &str) -> String {
    Url::parse(url).map_or_else(|_| url.to_owned(), String::from)
}

fn text(fields: &Map<String, Value>, name: &str) -> Option<String> {
    fields.get(name)?.as_str().map(str::to_owned)
}
