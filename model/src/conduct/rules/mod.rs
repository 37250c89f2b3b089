//! The rules, one for each duty.

mod access;
mod advances;
mod deliveries;
mod gap;
mod imports;
mod refusing;
mod repeats;
mod subscriptions;
mod unfinished;

use std::fmt;

use crate::conduct::card::Row;
use crate::conduct::duty::Duty;
use crate::conduct::fact::{Exchange, Fact, Trait};
use crate::conduct::received::Before;
use crate::identity::PlatformId;

/// Watches one duty.
pub(super) trait Rule: fmt::Debug + Send {
    /// Takes a fact, and writes down what it shows.
    fn take(&mut self, fact: &Fact<'_>, before: &Before, row: &mut Row);

    /// Writes down what is open, and what only the present state shows.
    fn settle(&self, row: &mut Row) {
        let _ = row;
    }
}

/// The rule of a duty.
pub(super) fn of(duty: Duty) -> Box<dyn Rule> {
    match duty {
        Duty::SendsKey => Box::new(access::SendsKey),
        Duty::KeepsKeyOnServer => Box::new(access::KeepsKeyOnServer),
        Duty::LooksBeforeResubscribing => Box::<subscriptions::Looks>::default(),
        Duty::RecoversSecret => Box::<subscriptions::Recovers>::default(),
        Duty::BacksOff => Box::<repeats::BacksOff>::default(),
        Duty::ChangesRefusedRequest => Box::<repeats::Refused>::default(),
        Duty::WaitsWhenThrottled => Box::<repeats::Throttled>::default(),
        Duty::FollowsUp => Box::<unfinished::FollowsUp>::default(),
        Duty::KeepsFile => Box::<imports::KeepsFile>::default(),
        Duty::ResumesImport => Box::<imports::Resumes>::default(),
        Duty::KeepsTerms => Box::<advances::KeepsTerms>::default(),
        Duty::PublishesAccount => Box::new(advances::Publishes),
        Duty::TakesAnySuccess => Box::new(advances::TakesAnySuccess),
        Duty::AcceptsDeliveries => Box::new(deliveries::Accepts),
        Duty::AnswersInPlace => Box::new(deliveries::InPlace),
        Duty::Verifies => Box::<deliveries::Verifies>::default(),
        Duty::ChecksAge => Box::<deliveries::ChecksAge>::default(),
        Duty::VerifiesRawBody => {
            Box::new(refusing::Refusing::of(Trait::Respaced).blaming(Trait::Reordered))
        }
        Duty::Deduplicates => Box::new(deliveries::Deduplicates),
        Duty::KeepsSequence => Box::new(deliveries::KeepsSequence),
        Duty::KeepsNewestState => Box::new(deliveries::KeepsNewest),
        Duty::IgnoresOccurredAt => Box::new(refusing::Refusing::of(Trait::Late)),
        Duty::KeepsInvoicesApart => Box::new(Unwatched),
        Duty::AcceptsUnknownEvents => Box::new(refusing::Refusing::of(Trait::UnknownEvent)),
        Duty::AcceptsUnknownValues => Box::new(refusing::Refusing::of(Trait::UnknownValue)),
        Duty::AcceptsUnknownFields => Box::new(refusing::Refusing::of(Trait::UnknownField)),
        Duty::ReadsAfterGap => Box::<gap::Reads>::default(),
    }
}

/// No fact shows it: only an examination does.
#[derive(Debug)]
struct Unwatched;

impl Rule for Unwatched {
    fn take(&mut self, _: &Fact<'_>, _: &Before, _: &mut Row) {}
}

/// A business or an invoice of a caller, as a key.
type SubjectKey = (Option<PlatformId>, String, Option<String>);

fn subject(caller: Option<PlatformId>, business: &str, invoice: Option<&str>) -> SubjectKey {
    (caller, business.to_owned(), invoice.map(str::to_owned))
}

impl Exchange<'_> {
    /// Whether the caller may have known how `number` ended when it sent this.
    fn came_after(&self, number: u64) -> bool {
        number < self.sent_after
    }
}
