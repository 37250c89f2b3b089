//! The keys, references and links that the target gave the run.

use std::collections::{BTreeMap, BTreeSet};
use tideover_model::ActionKind;
use tideover_model::wire::field;

use serde_json::Value;

use crate::exchange::{Prepared, PreparedAction, Seen};

/// What the target gave the run, so that the run may use it up.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// References of its own subscriptions, with the `Authorization` header that each was asked for with.
    pub references: BTreeMap<String, String>,
    /// Keys that it issued.
    pub keys: BTreeSet<String>,
    /// Those of them that the run has revoked.
    pub revoked: BTreeSet<String>,
    /// Links to onboarding sessions.
    pub sessions: BTreeSet<String>,
}

impl Given {
    /// Keeps what the answer to an action gives.
    pub fn learn(&mut self, sent: &Prepared, subscribes: bool, seen: &Seen) {
        let text =
            |name: &str| seen.json().and_then(|body| body.get(name)?.as_str()).map(str::to_owned);
        match &sent.action {
            PreparedAction::Call(_) if subscribes => {
                self.references.extend(text(field::REFERENCE).zip(sent.authorization.clone()));
            }
            PreparedAction::Call(call) if call.path == "/v1/onboarding-sessions" => {
                self.sessions.extend(text(field::URL));
            }
            PreparedAction::Act(fields) if ActionKind::of(fields) == Some(ActionKind::IssueKey) => {
                self.keys.extend(text(field::KEY));
            }
            PreparedAction::Act(fields)
                if ActionKind::of(fields) == Some(ActionKind::RevokeKey) =>
            {
                self.revoked
                    .extend(fields.get(field::KEY).and_then(Value::as_str).map(str::to_owned));
            }
            _ => {}
        }
    }
}
