//! Cleanup after a run: deletes its own subscriptions and reports what stays behind.

use std::collections::{BTreeMap, BTreeSet};
use tideover_model::ActionKind;
use tideover_model::wire::field;

use serde_json::{Map, Value, json};
use url::Url;

use crate::endpoint::Unanswered;
use crate::exchange::{Prepared, PreparedAction, PreparedCall, Seen};
use crate::live::session::{Purpose, Session};

impl Session {
    /// Deletes the run's own subscriptions, revokes the keys that it issued, and returns what stays behind.
    /// These requests don't count against the budget, but they pass the gate.
    pub async fn clean_up(&self) -> Vec<String> {
        let mut left = self.unsubscribe(Purpose::EndOfRun).await;
        if let (1.., Some(inbox)) = (self.state().in_doubt, &self.inbox_url) {
            left.push(format!(
                "perhaps a subscription to {inbox}/…: a request for one got no response"
            ));
        }
        left.extend(self.revoke_keys().await);
        left.extend(self.state().left_behind.iter().cloned());
        left
    }

    /// Deletes the run's own subscriptions: those that it created, and listed ones that lead to the run's own
    /// part of the inbox. Returns what it could not delete.
    pub(super) async fn unsubscribe(&self, purpose: Purpose) -> Vec<String> {
        // The list keeps a key until its subscriptions are gone, because an interrupt may repeat this.
        let subscribers = self.state().subscribers.clone();
        let mut left = Vec::new();
        for key in subscribers {
            let before = left.len();
            self.unsubscribe_all_of(&key, purpose, &mut left).await;
            if left.len() == before {
                self.state().subscribers.retain(|subscriber| *subscriber != key);
            }
        }
        if self.outage().is_some() {
            // The requests of the cleanup may be what brings the target down.
            self.state().give_up_subscriptions(&left);
        }
        left
    }

    async fn unsubscribe_all_of(&self, key: &str, purpose: Purpose, left: &mut Vec<String>) {
        let list = Prepared { authorization: Some(key.to_owned()), ..self.get("/v1/webhooks") };
        // A list may be incomplete or show URLs in another form, so known references are added.
        let mut references = self.given_to(key);
        let answered = self.send_to_end(&list, purpose).await;
        match &answered {
            Ok(seen) => {
                let listed = self.own_among(seen.success_body());
                if !listed.is_empty() {
                    // The list includes any subscription whose request got no response.
                    self.state().in_doubt = 0;
                }
                references.extend(listed);
            }
            Err(unanswered) => left.push(format!(
                "perhaps subscriptions to {}: {unanswered}",
                self.inbox_url.as_deref().unwrap_or_default()
            )),
        }
        for reference in references {
            self.state().grants.references.insert(reference.clone(), key.to_owned());
            match self.delete(key, &reference, purpose).await {
                Ok(seen) if seen.is_success() || seen.code() == Some("subscription_not_found") => {
                    self.state().forget_subscription(&reference);
                }
                Ok(seen) => left.push(format!(
                    "subscription {reference}: the response to its deletion was {}",
                    seen.status
                )),
                Err(unanswered)
                    if answered.is_err() || self.lists(&list, &reference, purpose).await =>
                {
                    left.push(format!("subscription {reference}: {unanswered}"));
                }
                Err(_) => {
                    self.state().forget_subscription(&reference);
                }
            }
        }
    }

    /// The references of the subscriptions that a key created.
    fn given_to(&self, key: &str) -> BTreeSet<String> {
        let grants = &self.state().grants.references;
        let own = grants.iter().filter(|(_, owner)| *owner == key);
        own.map(|(reference, _)| reference.clone()).collect()
    }

    /// The subscriptions in a list that lead to the run's own part of the inbox, in any form of the URL.
    fn own_among(&self, list: Option<&Value>) -> BTreeSet<String> {
        let Some(inbox) = &self.inbox_url else { return BTreeSet::new() };
        let inbox = format!("{}/", normal(inbox));
        let is_own = |url: &String| normal(url).starts_with(&inbox);
        let own =
            subscriptions(list).into_iter().filter(|(_, url)| url.as_ref().is_some_and(is_own));
        own.map(|(reference, _)| reference).collect()
    }

    /// Whether a subscription still exists, or may exist because no list could be read.
    async fn lists(&self, list: &Prepared, reference: &String, purpose: Purpose) -> bool {
        let listed = self.send_to_end(list, purpose).await;
        let body = listed.as_ref().ok().and_then(Seen::success_body);
        body.is_none_or(|body| subscriptions(Some(body)).contains_key(reference))
    }

    async fn delete(
        &self,
        key: &str,
        reference: &str,
        purpose: Purpose,
    ) -> Result<Seen, Unanswered> {
        let path = format!("/v1/webhooks/{reference}");
        let call = PreparedCall::new("DELETE", path, None, Vec::new());
        let authorization = Some(key.to_owned());
        let step = Prepared { authorization, action: PreparedAction::Call(call) };
        self.send_to_end(&step, purpose).await
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
            if !self.send_to_end(&step, Purpose::EndOfRun).await.is_ok_and(|seen| seen.is_success())
            {
                left.push(format!("the key {}", tideover_model::masked(&key)));
            }
        }
        left
    }
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
