//! What each event means, and which responses prove that it has come true (§6 Events).
//!
//! The document shows the meaning of an event. It shows neither which operation causes it nor how soon it comes.

use serde_json::Value;
use tideover_exchange::matcher::texts;
use tideover_model::clause::Family;
use tideover_model::wire::field::{self, Fields};
use tideover_model::words::{AdvanceState, EventType};
use tideover_model::{Clause, OperationKind, clause};

use crate::comparison::is_onboarded;

/// A successful response, as far as it proves what events mean.
#[derive(Clone, Copy, Debug)]
pub struct Proof<'a> {
    pub(crate) kind: OperationKind,
    pub(crate) body: &'a Value,
    /// Whether the payout account was replaced and the collection account is open. Which of the two is the destination
    /// of a business's funds is not shown.
    pub(crate) moves_funds: bool,
    /// Whether a sync lowered the face value, so that the payor need not have paid what is collected.
    pub(crate) was_lowered: bool,
}

/// An event and the responses that prove what it means.
struct Meaning {
    event: EventType,
    /// Whether the request has made it true.
    is_caused_by: fn(Proof<'_>) -> bool,
    /// Whether the response shows that it is true, since whenever.
    is_shown_by: fn(Proof<'_>) -> bool,
}

static MEANINGS: [Meaning; EventType::ALL.len()] = [
    Meaning {
        event: EventType::BusinessAdded,
        is_caused_by: |it| {
            it.kind == OperationKind::SyncBusiness && it.fields().created() == Some(true)
        },
        is_shown_by: |_| false,
    },
    Meaning {
        event: EventType::BusinessOptedIn,
        is_caused_by: |_| false,
        is_shown_by: |it| it.shows_onboarding(),
    },
    Meaning {
        event: EventType::RemittanceUpdated,
        is_caused_by: |it| it.moves_funds,
        is_shown_by: |_| false,
    },
    Meaning {
        event: EventType::InvoiceCreated,
        is_caused_by: |it| {
            it.kind == OperationKind::SyncInvoice && it.fields().outcome() == Some("created")
        },
        is_shown_by: |it| it.kind == OperationKind::GetInvoice,
    },
    Meaning {
        event: EventType::InvoicePaid,
        is_caused_by: |_| false,
        is_shown_by: |it| {
            let collected = it.body[field::COLLECTED].as_i64();
            it.kind == OperationKind::GetInvoice
                && collected.is_some()
                && collected == it.fields().face_value()
                && !it.was_lowered
        },
    },
    Meaning {
        event: EventType::FactoredUpdated,
        is_caused_by: |it| it.is_first_advance(),
        is_shown_by: |it| it.state().is_some(),
    },
    Meaning {
        event: EventType::AdvanceCreated,
        is_caused_by: |it| it.is_first_advance(),
        is_shown_by: |it| it.state().is_some(),
    },
    Meaning {
        event: EventType::AdvanceIssued,
        is_caused_by: |_| false,
        is_shown_by: |it| matches!(it.state(), Some(AdvanceState::Funded | AdvanceState::Repaid)),
    },
    Meaning {
        event: EventType::AdvancePaid,
        is_caused_by: |_| false,
        is_shown_by: |it| it.state() == Some(AdvanceState::Repaid),
    },
];

impl<'a> Proof<'a> {
    /// What the response to an operation proves by itself.
    pub fn of(kind: OperationKind, body: &'a Value) -> Proof<'a> {
        Proof { kind, body, moves_funds: false, was_lowered: false }
    }

    /// The events whose meaning the request has made true.
    pub fn caused(self) -> impl Iterator<Item = EventType> {
        let caused = MEANINGS.iter().filter(move |meaning| (meaning.is_caused_by)(self));
        caused.map(|meaning| meaning.event)
    }

    /// The events whose meaning the response shows to be true.
    pub fn shown(self) -> impl Iterator<Item = EventType> {
        let shown = MEANINGS.iter().filter(move |meaning| (meaning.is_shown_by)(self));
        shown.map(|meaning| meaning.event)
    }

    /// The financing state that a read of an invoice shows. The document doesn't name the field.
    pub(crate) fn state(self) -> Option<AdvanceState> {
        let advance = self.body.get(field::ADVANCE);
        let shown = texts(advance.filter(|_| self.kind == OperationKind::GetInvoice)?);
        AdvanceState::ALL.into_iter().find(|state| shown.contains(&state.name()))
    }

    fn fields(self) -> Fields<'a> {
        Fields::of(self.body)
    }

    pub(crate) fn is_first_advance(self) -> bool {
        self.kind == OperationKind::RequestAdvance
            && self.fields().already_requested() == Some(false)
    }

    /// An advance needs all four requirements, and so does `fundable` (`3.onboarding.2`, `2.invoice.fundable`,
    /// `2.quote.fundable`).
    fn shows_onboarding(self) -> bool {
        match self.kind {
            OperationKind::GetBusiness => is_onboarded(&self.body[field::ONBOARDING]),
            OperationKind::GetInvoice | OperationKind::Quote => {
                self.fields().fundable() == Some(true)
            }
            _ => self.is_first_advance(),
        }
    }
}

pub(crate) fn meaning_of(event: EventType) -> Clause {
    const MEANINGS: Family = Family::of("6.events.");
    let name = event.name().trim_start_matches("partner.");
    MEANINGS.find(name).unwrap_or(clause!("6.events.intro.1"))
}
