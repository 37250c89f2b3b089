//! What the target gave the run, and what the run may therefore delete or use up.

use std::collections::{BTreeMap, BTreeSet};
use tideover_exchange::{Prepared, PreparedAction, Response};
use tideover_model::wire::field;
use tideover_model::{ActionKind, OperationKind};

use serde_json::Value;

/// What the target gave the run, and what the run may therefore delete or use up.
#[derive(Clone, Debug, Default)]
pub struct Grants {
    /// References of its own subscriptions, with the `Authorization` header of each request.
    pub references: BTreeMap<String, String>,
    /// Keys that the run issued.
    pub keys: BTreeSet<String>,
    /// Issued keys that the run has revoked.
    pub revoked: BTreeSet<String>,
    /// Links to onboarding sessions.
    pub sessions: BTreeSet<String>,
}

impl Grants {
    /// Keeps what the response to a step gives.
    pub fn learn(&mut self, sent: &Prepared, subscribes: bool, seen: &Response) {
        let text =
            |name: &str| seen.json().and_then(|body| body.get(name)?.as_str()).map(str::to_owned);
        match &sent.action {
            PreparedAction::Call(_) if subscribes => {
                self.references.extend(text(field::REFERENCE).zip(sent.authorization.clone()));
            }
            PreparedAction::Call(_)
                if sent.kind() == Some(OperationKind::CreateOnboardingSession) =>
            {
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
