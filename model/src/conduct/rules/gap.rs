//! Deliveries that the receiver missed for good.

use crate::conduct::card::{Proof, Row};
use crate::conduct::fact::{AttemptSeen, Exchange, Fact, Outcome};
use crate::conduct::received::Before;
use crate::conduct::recent::Recent;
use crate::conduct::rules::{Rule, SubjectKey, subject};
use crate::delivery::Delivery;
use crate::operation::Operation;
use crate::timestamp::Timestamp;
use crate::words::EventType;

/// §8 Webhook retry window: the service does not send again what it gave up.
#[derive(Debug, Default)]
pub(super) struct Reads {
    /// The deliveries that nothing made up for yet: the latest of each subject and kind of news.
    missed: Recent<(SubjectKey, News), u64>,
    /// When each subject was last read, or announced by news of the kind.
    known: Recent<(SubjectKey, News), Timestamp>,
}

/// What an event says that the caller cannot know from its own requests. Later news of the same kind makes up for earlier
/// ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum News {
    Onboarded,
    Account,
    Collected,
    Financed,
}

impl News {
    const ALL: [News; 4] = [News::Onboarded, News::Account, News::Collected, News::Financed];

    fn of(delivery: &Delivery) -> Option<News> {
        match EventType::parse(delivery.event.name())? {
            EventType::BusinessAdded | EventType::InvoiceCreated | EventType::AdvanceCreated => {
                None
            }
            EventType::BusinessOptedIn => Some(News::Onboarded),
            EventType::RemittanceUpdated => Some(News::Account),
            EventType::InvoicePaid => Some(News::Collected),
            EventType::FactoredUpdated | EventType::AdvanceIssued | EventType::AdvancePaid => {
                Some(News::Financed)
            }
        }
    }
}

impl Reads {
    fn take_read(&mut self, exchange: &Exchange<'_>, row: &mut Row) {
        let key = match exchange.operation {
            // The answer to an advance shows that the four requirements are met, and where to pay.
            Some(Operation::RequestAdvance { payee, .. }) => subject(exchange.caller, payee, None),
            Some(Operation::GetBusiness { business }) => subject(exchange.caller, business, None),
            Some(Operation::GetInvoice { payee, invoice }) => {
                subject(exchange.caller, payee, Some(invoice))
            }
            _ => return,
        };
        if exchange.outcome() != Outcome::Done {
            return;
        }
        for news in News::ALL {
            let key = (key.clone(), news);
            if self.missed.remove(&key).is_some() {
                row.keep();
            }
            self.learn(key, exchange.sent.world);
        }
    }

    fn take_attempt(&mut self, attempt: &AttemptSeen<'_>, before: &Before) {
        if attempt.is_genuine()
            && attempt.is_accepted()
            && let Some(key) = key_of(attempt.delivery, before)
        {
            self.missed.remove(&key);
            self.learn(key, attempt.delivery.queued_at);
        }
    }

    fn learn(&mut self, key: (SubjectKey, News), at: Timestamp) {
        let known = self.known.get(&key).map_or(at, |known| at.max(*known));
        self.known.insert(key, known);
    }

    fn take_given_up(&mut self, delivery: &Delivery, before: &Before) {
        let Some(key) = key_of(delivery, before) else { return };
        if self.known.get(&key).is_none_or(|known| *known < delivery.queued_at) {
            self.missed.insert(key, delivery.number);
        }
    }
}

fn key_of(delivery: &Delivery, before: &Before) -> Option<(SubjectKey, News)> {
    let business = before.business.as_deref()?;
    let key = subject(Some(delivery.platform), business, before.invoice.as_deref());
    Some((key, News::of(delivery)?))
}

impl Rule for Reads {
    fn take(&mut self, fact: &Fact<'_>, before: &Before, row: &mut Row) {
        match fact {
            Fact::Exchange(exchange) => self.take_read(exchange, row),
            Fact::Attempt(attempt) => self.take_attempt(attempt, before),
            Fact::GivenUp(delivery) => self.take_given_up(delivery, before),
            Fact::Payment { .. } | Fact::Read(_) => {}
        }
    }

    fn settle(&self, row: &mut Row) {
        for number in self.missed.values() {
            row.leave_open(Proof::Delivery(*number));
        }
    }
}
