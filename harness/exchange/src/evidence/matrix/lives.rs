//! The states that no read shows whole: of imports, subscriptions, invitations, onboarding links and keys. They follow
//! from what was asked, how it was answered, and the clock.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use tideover_model::wire::field::{self, Fields};
use tideover_model::{ActionKind, Operation, PlatformId, Timestamp, bearer};

use crate::evidence::matrix::kind::{
    ACTIVE, Asked, DELETED, EXPIRED, FINISHED, Kind, LIVE, NEVER_ISSUED, NONE, REVOKED, UNFINISHED,
    USED, VALID,
};
use crate::{Exchange, Prepared, PreparedAction};

/// Something of a platform, by its identifier, its URL or its business.
type Named = (Option<PlatformId>, String);

/// What was made, and what became of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Lives {
    imports: BTreeMap<Named, Import>,
    subscriptions: BTreeMap<Named, Subscription>,
    invitations: BTreeMap<Named, Link>,
    sessions: BTreeMap<Named, Link>,
    revoked_keys: BTreeSet<String>,
}

#[derive(Clone, Debug)]
struct Import {
    state: &'static str,
    /// The digest of its file.
    file: [u8; 32],
}

#[derive(Clone, Debug)]
struct Subscription {
    state: &'static str,
    reference: String,
}

/// A link to one person, or to nobody in particular.
#[derive(Clone, Debug)]
struct Link {
    to: String,
    is_used: bool,
    expires: Timestamp,
}

impl Link {
    fn state(&self, now: Timestamp) -> &'static str {
        match self.is_used {
            true => USED,
            false if now >= self.expires => EXPIRED,
            false => ACTIVE,
        }
    }
}

/// What is asked of something, and the state in which it is.
type InState = (Kind, &'static str, Asked);

impl Lives {
    /// What the request asks, and of what in which state.
    pub(super) fn asked(&self, exchange: &Exchange<'_>) -> Vec<InState> {
        let Some(operation) = exchange.call().and_then(|call| call.operation()) else {
            return self.acted(exchange).into_iter().collect();
        };
        let kind = operation.kind();
        let plain = Asked::Operation(kind);
        let named = |name: &str| (exchange.platform, name.to_owned());
        let mut asked = vec![(Kind::Key, self.state_of_key(exchange), plain)];
        match operation {
            Operation::GetImport { import } => {
                let known = self.imports.get(&named(import));
                asked.extend(known.map(|it| (Kind::Import, it.state, plain)));
            }
            Operation::ImportInvoices { import, file } => {
                let of = |it: &Import| match it.file == file.digest {
                    true => (Kind::Import, it.state, plain),
                    false => (Kind::Import, it.state, Asked::Otherwise(kind)),
                };
                asked.extend(self.imports.get(&named(import)).map(of));
            }
            Operation::Subscribe { url, .. } => {
                let known = self.subscriptions.get(&named(url));
                asked.extend(known.map(|it| (Kind::Subscription, it.state, plain)));
            }
            Operation::ListSubscriptions | Operation::Unsubscribe { .. } => {
                let own = self.subscriptions.iter().filter(|((owner, _), it)| {
                    *owner == exchange.platform && is_meant(operation, it)
                });
                asked.extend(own.map(|(_, it)| (Kind::Subscription, it.state, plain)));
            }
            Operation::Invite { business, email } => {
                let of = |it: &Link| {
                    let is_same = it.to == *email;
                    let asked = if is_same { plain } else { Asked::Otherwise(kind) };
                    (Kind::Invitation, it.state(exchange.now), asked)
                };
                asked.extend(self.invitations.get(&named(business)).map(of));
            }
            Operation::CreateOnboardingSession { business } => {
                let known = self.sessions.get(&named(business));
                asked.extend(known.map(|it| (Kind::Session, it.state(exchange.now), plain)));
            }
            _ => {}
        }
        asked
    }

    /// What an action of the operator port asks.
    fn acted(&self, exchange: &Exchange<'_>) -> Option<InState> {
        let action = ActionKind::VendorAcceptsInvitation;
        if exchange.acts() != Some(action) {
            return None;
        }
        let link = self.invitations.get(&(exchange.platform, invited_by(exchange.sent)?))?;
        Some((Kind::Invitation, link.state(exchange.now), Asked::Action(action)))
    }

    fn state_of_key(&self, exchange: &Exchange<'_>) -> &'static str {
        match (exchange.platform, exchange.sent.authorization.as_deref().map(bearer)) {
            (_, None) => NONE,
            (_, Some(Some(key))) if self.revoked_keys.contains(key) => REVOKED,
            (Some(_), Some(_)) => VALID,
            (None, Some(_)) => NEVER_ISSUED,
        }
    }

    /// Follows what an exchange has changed.
    pub(super) fn follow(&mut self, exchange: &Exchange<'_>) {
        self.follow_revocations(exchange);
        if !exchange.seen.is_success() {
            return;
        }
        if let Some(action) = exchange.acts() {
            self.follow_action(action, exchange);
        }
        let Some(operation) = exchange.call().and_then(|call| call.operation()) else { return };
        let named = |name: &str| (exchange.platform, name.to_owned());
        let life = operation.kind().endpoint().link.as_ref().map_or(0, |link| link.life);
        let expires = exchange.now.after(life);
        match operation {
            Operation::ImportInvoices { import, file } => {
                let report = exchange.seen.json().map(Fields::of);
                let is_finished = report.and_then(|report| report.finished()) != Some(false);
                let state = if is_finished { FINISHED } else { UNFINISHED };
                self.imports.insert(named(import), Import { state, file: file.digest });
            }
            Operation::Subscribe { url, .. } => {
                let reference = exchange.seen.json().and_then(|body| body["reference"].as_str());
                let reference = reference.unwrap_or_default().to_owned();
                self.subscriptions.insert(named(url), Subscription { state: LIVE, reference });
            }
            Operation::Unsubscribe { .. } => {
                let all = self.subscriptions.iter_mut();
                let own = all.filter(|((owner, _), _)| *owner == exchange.platform);
                own.filter(|(_, it)| is_meant(operation, it))
                    .for_each(|(_, it)| it.state = DELETED);
            }
            Operation::Invite { business, email } => {
                let link = Link { to: email.clone(), is_used: false, expires };
                self.invitations.insert(named(business), link);
            }
            Operation::CreateOnboardingSession { business } => {
                let link = Link { to: String::new(), is_used: false, expires };
                self.sessions.insert(named(business), link);
            }
            _ => {}
        }
    }

    fn follow_action(&mut self, action: ActionKind, exchange: &Exchange<'_>) {
        match action {
            ActionKind::RevokeKey => {
                let own = exchange.sent.authorization.as_deref().and_then(bearer);
                let key = text_of_action(exchange.sent, "key").or(own);
                self.revoked_keys.extend(key.map(str::to_owned));
            }
            ActionKind::VendorAcceptsInvitation => {
                let business = invited_by(exchange.sent);
                let link =
                    business.and_then(|it| self.invitations.get_mut(&(exchange.platform, it)));
                link.into_iter().for_each(|link| link.is_used = true);
            }
            ActionKind::Reset => *self = Lives::default(),
            _ => {}
        }
    }

    /// A 410 revokes the subscription that the delivery was for (`6.delivery.2`).
    fn follow_revocations(&mut self, exchange: &Exchange<'_>) {
        for arrival in exchange.arrivals.iter().filter(|arrival| arrival.status == 410) {
            let all = self.subscriptions.iter_mut();
            let of_it =
                all.filter(|((_, url), it)| it.state == LIVE && url.ends_with(&arrival.path));
            of_it.for_each(|(_, it)| it.state = REVOKED);
        }
    }
}

/// Whether a request is about a subscription: a list is about each.
fn is_meant(operation: &Operation, subscription: &Subscription) -> bool {
    match operation {
        Operation::Unsubscribe { reference } => *reference == subscription.reference,
        _ => true,
    }
}

/// The business whose invitation an action accepts.
fn invited_by(sent: &Prepared) -> Option<String> {
    text_of_action(sent, field::PAYEE_EXTERNAL_ID).map(str::to_owned)
}

pub(super) fn text_of<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    fields.get(name).and_then(Value::as_str)
}

/// The text of a field of an action.
fn text_of_action<'a>(sent: &'a Prepared, name: &str) -> Option<&'a str> {
    let PreparedAction::Act(fields) = &sent.action else { return None };
    text_of(fields, name)
}
