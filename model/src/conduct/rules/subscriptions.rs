//! Subscriptions whose outcome, or whose secret, the caller does not know.

use crate::conduct::card::{Proof, Row};
use crate::conduct::fact::{Exchange, Fact, Outcome};
use crate::conduct::received::Before;
use crate::conduct::recent::Recent;
use crate::conduct::rules::Rule;
use crate::endpoint::OperationKind;
use crate::identity::PlatformId;
use crate::operation::Operation;
use crate::refusal::Code;

/// A caller and a destination.
type Destination = (Option<PlatformId>, String);

fn destination(exchange: &Exchange<'_>) -> Option<Destination> {
    match exchange.operation {
        Some(Operation::Subscribe { url, .. }) => Some((exchange.caller, url.clone())),
        _ => None,
    }
}

/// §7 Retrying rule 3, second sentence. A 502 is no part of it: rule 1 permits to repeat after one.
#[derive(Debug, Default)]
pub(super) struct Looks {
    /// The subscription requests whose outcome the caller does not know.
    doubts: Recent<Destination, Doubt>,
}

#[derive(Debug)]
struct Doubt {
    number: u64,
    /// When a late answer ends the doubt, by the wall clock.
    until: Option<u64>,
}

impl Doubt {
    fn lasts_for(&self, exchange: &Exchange<'_>) -> bool {
        match self.until {
            None => exchange.came_after(self.number),
            Some(until) => exchange.came_after(self.number) && exchange.sent.wall < until,
        }
    }
}

impl Rule for Looks {
    fn take(&mut self, fact: &Fact<'_>, _: &Before, row: &mut Row) {
        let Fact::Exchange(exchange) = fact else { return };
        let caller = exchange.caller;
        if exchange.kind == Some(OperationKind::ListSubscriptions) {
            if !matches!(exchange.outcome(), Outcome::Done | Outcome::Doubtful) {
                return;
            }
            let in_doubt = |(who, _): &Destination, doubt: &Doubt| {
                *who == caller && exchange.came_after(doubt.number)
            };
            if self.doubts.iter().any(|(key, doubt)| in_doubt(key, doubt)) {
                row.keep();
            }
            return self.doubts.retain(|key, doubt| !in_doubt(key, doubt));
        }
        if exchange.kind == Some(OperationKind::Unsubscribe) {
            // The caller knows a reference: it has seen the list or an answer.
            return self.doubts.retain(|(who, _), _| *who != caller);
        }
        let Some(key) = destination(exchange) else { return };
        if let Some(doubt) = self.doubts.get(&key)
            && doubt.lasts_for(exchange)
        {
            row.breach(&[Proof::Request(doubt.number), Proof::Request(exchange.number)]);
        }
        match exchange.outcome() {
            Outcome::Unknown => {
                self.doubts.insert(key, Doubt { number: exchange.number, until: None });
            }
            Outcome::Doubtful => {
                let until = Some(exchange.ended.wall);
                self.doubts.insert(key, Doubt { number: exchange.number, until });
            }
            Outcome::Done | Outcome::Refused | Outcome::Failed => {
                self.doubts.remove(&key);
            }
        }
    }
}

/// §4 Recovering a lost webhook secret.
#[derive(Debug, Default)]
pub(super) struct Recovers {
    /// What is known of the secret of each destination.
    secrets: Recent<Destination, Secret>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Secret {
    /// An answer showed it.
    Shown,
    /// Some answer may have shown it.
    Perhaps,
    /// No answer showed it: the subscription was made, and the answer to this request did not arrive or says that it is
    /// there already.
    Lost(u64),
    /// The service failed, and may have made the subscription.
    Failed,
    /// It was lost, and the caller has deleted a subscription since.
    Dropped,
}

impl Recovers {
    /// A subscription of the caller is gone, and needs no secret. Which one it was makes no difference.
    fn drop(&mut self, caller: Option<PlatformId>) {
        self.secrets.retain(|(who, _), secret| {
            *secret = match secret {
                _ if *who != caller => *secret,
                Secret::Lost(_) | Secret::Dropped => Secret::Dropped,
                // Another one may be gone, and the secret of this one is known.
                Secret::Shown | Secret::Perhaps => Secret::Perhaps,
                Secret::Failed => return false,
            };
            true
        });
    }
}

impl Rule for Recovers {
    fn take(&mut self, fact: &Fact<'_>, _: &Before, row: &mut Row) {
        let Fact::Exchange(exchange) = fact else { return };
        if exchange.kind == Some(OperationKind::Unsubscribe) {
            if exchange.outcome() == Outcome::Done {
                self.drop(exchange.caller);
            }
            return;
        }
        let Some(key) = destination(exchange) else { return };
        let number = exchange.number;
        let was = self.secrets.get(&key).copied();
        let code = exchange.answer.and_then(|answer| answer.code);
        let now = match exchange.outcome() {
            Outcome::Done if matches!(was, Some(Secret::Lost(_) | Secret::Dropped)) => {
                row.keep();
                Some(Secret::Shown)
            }
            Outcome::Done => Some(Secret::Shown),
            Outcome::Unknown if exchange.is_carried_out() => Some(Secret::Lost(number)),
            // Without the failure, the caller may know the secret from before the watch began.
            Outcome::Refused
                if code == Some(Code::AlreadySubscribed) && was == Some(Secret::Failed) =>
            {
                Some(Secret::Lost(number))
            }
            Outcome::Failed if was.is_none() => Some(Secret::Failed),
            Outcome::Doubtful if exchange.is_carried_out() => Some(Secret::Perhaps),
            _ => was,
        };
        if let Some(now) = now {
            self.secrets.insert(key, now);
        }
    }

    fn settle(&self, row: &mut Row) {
        for secret in self.secrets.values() {
            if let Secret::Lost(number) = secret {
                row.leave_open(Proof::Request(*number));
            }
        }
    }
}
