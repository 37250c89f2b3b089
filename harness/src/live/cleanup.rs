//! After a run: its own subscriptions are deleted, and what stays is told.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::live::session::Session;
use crate::target::{Prepared, PreparedAction, PreparedCall, Seen, Unanswered};

impl Session {
    /// Deletes the run's own subscriptions, revokes the keys that it issued, and says what is left behind.
    /// This is not counted in the budget, and goes through the gate all the same.
    pub async fn clean_up(&self) -> Vec<String> {
        let mut left = self.unsubscribe().await;
        if let (1.., Some(inbox)) = (self.state().in_doubt, &self.inbox_url) {
            left.push(format!(
                "perhaps a subscription to {inbox}/…: one was asked for and not answered"
            ));
        }
        left.extend(self.revoke_keys().await);
        left.extend(self.state().left_behind.iter().cloned());
        left
    }

    /// Deletes the run's own subscriptions: those that it was given, and those that the target lists with
    /// the run's own part of the inbox. What could not be deleted.
    pub(super) async fn unsubscribe(&self) -> Vec<String> {
        // Kept until it is done: this may be interrupted, and is then done again.
        let subscribers = self.state().subscribers.clone();
        let mut left = Vec::new();
        for key in subscribers {
            let before = left.len();
            self.unsubscribe_all_of(&key, &mut left).await;
            if left.len() == before {
                self.state().subscribers.retain(|subscriber| *subscriber != key);
            }
        }
        left
    }

    async fn unsubscribe_all_of(&self, key: &str, left: &mut Vec<String>) {
        let list = Prepared { authorization: Some(key.to_owned()), ..self.get("/v1/webhooks") };
        let given = self.state().given.references.clone();
        let references: Vec<String> = match self.send_uncounted(&list).await {
            Ok(seen) if seen.is_success() && seen.json().is_some() => {
                let listed = subscriptions(seen.json());
                let is_own = |url: &str| {
                    let rest = self.inbox_url.as_deref().and_then(|inbox| url.strip_prefix(inbox));
                    rest.is_some_and(|rest| rest.starts_with('/'))
                };
                let own = |reference: &String, url: &Option<String>| match url {
                    Some(url) => is_own(url),
                    // It does not say which is whose: only what the run was given is its own.
                    None => given.contains(reference),
                };
                listed
                    .into_iter()
                    .filter(|(reference, url)| own(reference, url))
                    .map(|(reference, _)| reference)
                    .collect()
            }
            // What was given is deleted unseen.
            Ok(_) => given.into_iter().collect(),
            Err(unanswered) => {
                left.push(format!(
                    "perhaps subscriptions to {}: {unanswered}",
                    self.inbox_url.as_deref().unwrap_or_default()
                ));
                return;
            }
        };
        if !references.is_empty() {
            // Whatever was not answered is among what is listed.
            self.state().in_doubt = 0;
        }
        for reference in references {
            self.state().given.references.insert(reference.clone());
            match self.delete(key, &reference).await {
                Ok(seen) if seen.is_success() || seen.code() == Some("subscription_not_found") => {
                    self.state().given.references.remove(&reference);
                }
                Ok(seen) => left.push(format!(
                    "subscription {reference}: its deletion was answered {}",
                    seen.status
                )),
                Err(unanswered) if self.lists(&list, &reference).await => {
                    left.push(format!("subscription {reference}: {unanswered}"));
                }
                Err(_) => {
                    self.state().given.references.remove(&reference);
                }
            }
        }
    }

    /// Whether a subscription is still there, as far as that is told.
    async fn lists(&self, list: &Prepared, reference: &String) -> bool {
        let listed = self.send_uncounted(list).await;
        let told = listed.ok().filter(|seen| seen.is_success() && seen.json().is_some());
        told.is_none_or(|seen| subscriptions(seen.json()).contains_key(reference))
    }

    async fn delete(&self, key: &str, reference: &str) -> Result<Seen, Unanswered> {
        let path = format!("/v1/webhooks/{reference}");
        let call = PreparedCall::new("DELETE", path, None, Vec::new());
        let authorization = Some(key.to_owned());
        self.send_uncounted(&Prepared { authorization, action: PreparedAction::Call(call) }).await
    }

    async fn revoke_keys(&self) -> Vec<String> {
        let keys: Vec<String> = {
            let given = &self.state().given;
            given.keys.difference(&given.revoked).cloned().collect()
        };
        let mut left = Vec::new();
        for key in keys {
            let fields = json!({ "action": "revokeKey", "key": key });
            let Value::Object(fields) = fields else { continue };
            let authorization = Some(self.own_authorization());
            let step = Prepared { authorization, action: PreparedAction::Act(fields) };
            if !self.send_uncounted(&step).await.is_ok_and(|seen| seen.is_success()) {
                left.push(format!("the key {}", tideover_model::masked(&key)));
            }
        }
        left
    }
}

/// The subscriptions in a list, whatever it is wrapped in: reference, and URL if it tells it.
fn subscriptions(list: Option<&Value>) -> BTreeMap<String, Option<String>> {
    let mut found = BTreeMap::new();
    let mut waiting: Vec<&Value> = list.into_iter().collect();
    while let Some(value) = waiting.pop() {
        match value {
            Value::Array(items) => waiting.extend(items),
            Value::Object(fields) => match text(fields, "reference") {
                Some(reference) => {
                    found.insert(reference, text(fields, "url"));
                }
                None => waiting.extend(fields.values()),
            },
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    found
}

fn text(fields: &Map<String, Value>, name: &str) -> Option<String> {
    fields.get(name)?.as_str().map(str::to_owned)
}
