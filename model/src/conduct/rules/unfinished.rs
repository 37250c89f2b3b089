//! Writes that failed, or whose outcome the caller does not know.

use crate::conduct::card::{Proof, Row};
use crate::conduct::fact::{AttemptSeen, Exchange, Fact, Outcome};
use crate::conduct::received::Before;
use crate::conduct::recent::Recent;
use crate::conduct::rules::{Rule, SubjectKey, subject};
use crate::endpoint::OperationKind;
use crate::operation::{Operation, Subject};
use crate::words::EventType;

/// §7 Retrying rule 3. A subscription is no part of it: it has rules of its own.
#[derive(Debug, Default)]
pub(super) struct FollowsUp {
    /// The number of the first such write of each kind about each subject.
    unknown: Recent<(SubjectKey, OperationKind), u64>,
}

/// The writes that are safe to repeat (§4 Idempotency summary), and the deletion.
const WRITES: [OperationKind; 7] = [
    OperationKind::SyncBusiness,
    OperationKind::SyncInvoice,
    OperationKind::SetPayoutAccount,
    OperationKind::RequestAdvance,
    OperationKind::ImportInvoices,
    OperationKind::Invite,
    OperationKind::Unsubscribe,
];

/// The reads that show what a write has done.
fn shows(read: OperationKind, write: OperationKind) -> bool {
    use OperationKind as Kind;
    match write {
        Kind::SyncBusiness | Kind::SetPayoutAccount | Kind::Invite => read == Kind::GetBusiness,
        Kind::SyncInvoice | Kind::RequestAdvance => read == Kind::GetInvoice,
        Kind::ImportInvoices => read == Kind::GetImport,
        Kind::Unsubscribe => read == Kind::ListSubscriptions,
        _ => false,
    }
}

fn key_of(exchange: &Exchange<'_>, operation: &Operation) -> SubjectKey {
    let (name, invoice) = match operation.subject() {
        Subject::Business(name) | Subject::Import(name) => (name, None),
        Subject::Invoice { payee, invoice } => (payee, Some(invoice)),
        // A list shows of each subscription whether it is there.
        Subject::Subscription(_) | Subject::Subscriptions | Subject::Destination(_) => ("", None),
    };
    subject(exchange.caller, name, invoice)
}

impl FollowsUp {
    fn take_exchange(&mut self, exchange: &Exchange<'_>, row: &mut Row) {
        let (Some(kind), Some(operation)) = (exchange.kind, exchange.operation) else { return };
        let key = key_of(exchange, operation);
        let outcome = exchange.outcome();
        let is_known = matches!(outcome, Outcome::Done | Outcome::Refused | Outcome::Doubtful);
        let mut is_repeat = false;
        for write in WRITES {
            // A repeat is one whatever its answer: how often to try is not stated.
            if kind != write && !(shows(kind, write) && is_known) {
                continue;
            }
            let entry = (key.clone(), write);
            if self.unknown.get(&entry).is_some_and(|number| exchange.came_after(*number)) {
                self.unknown.remove(&entry);
                row.keep();
                is_repeat |= kind == write;
            }
        }
        let entry = (key, kind);
        let is_open = !is_known && !is_repeat && self.unknown.get(&entry).is_none();
        if WRITES.contains(&kind) && is_open {
            self.unknown.insert(entry, exchange.number);
        }
    }

    /// Some events show that a write was carried out.
    fn take_attempt(&mut self, attempt: &AttemptSeen<'_>, before: &Before) {
        let write = match EventType::parse(attempt.delivery.event.name()) {
            Some(EventType::BusinessAdded) => OperationKind::SyncBusiness,
            Some(EventType::InvoiceCreated) => OperationKind::SyncInvoice,
            Some(EventType::AdvanceCreated | EventType::FactoredUpdated) => {
                OperationKind::RequestAdvance
            }
            _ => return,
        };
        if let Some(business) = &before.business
            && attempt.is_genuine()
            && attempt.is_accepted()
        {
            let key = subject(Some(attempt.delivery.platform), business, before.invoice.as_deref());
            self.unknown.remove(&(key, write));
        }
    }
}

impl Rule for FollowsUp {
    fn take(&mut self, fact: &Fact<'_>, before: &Before, row: &mut Row) {
        match fact {
            Fact::Exchange(exchange) => self.take_exchange(exchange, row),
            Fact::Attempt(attempt) => self.take_attempt(attempt, before),
            _ => {}
        }
    }

    fn settle(&self, row: &mut Row) {
        for number in self.unknown.values() {
            row.leave_open(Proof::Request(*number));
        }
    }
}
