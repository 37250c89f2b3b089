//! Whether an invoice can be financed: decided once.
//!
//! `fundable`, `notFundableReason` and the refusal of an advance are three renderings of this answer
//! (§2 Invoice, `fundable`).

use crate::cents::Cents;
use crate::choices::Choices;
use crate::clause;
use crate::clause::Clause;
use crate::identity::{BusinessId, InvoiceId};
use crate::pricing::{Offer, Terms};
use crate::refusal::{Code, Refusal};
use crate::service::Service;
use crate::service::onboarding::Requirement;
use crate::timestamp::Timestamp;
use crate::wire::words::InvoiceStatus;

/// One failed requirement of an advance, in order of precedence (`gap.advancePrecedence`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Objection {
    /// An advance stands against the invoice.
    Advanced,
    /// Payee and payor are one business.
    SelfDealing,
    /// The caller doesn't say that it is ISSUED.
    NotIssued,
    /// The payor has paid something on it.
    Collected,
    /// It is too small to yield a cent.
    TooSmall,
    /// Not all four requirements are met: the first that is not.
    OnboardingIncomplete(Requirement),
    /// Too much would be outstanding.
    OverLimit,
}

impl Objection {
    /// The one sentence that says so. It names no amount (`2.invoice.notFundableReason`).
    pub(super) fn sentence(self) -> &'static str {
        match self {
            Objection::Advanced => "An advance already stands against this invoice.",
            Objection::SelfDealing => "The payee and the payor are the same business.",
            Objection::NotIssued => "Only an invoice with status ISSUED can be financed.",
            Objection::Collected => "The payor has already paid toward this invoice.",
            Objection::TooSmall => "The face value is too small to finance.",
            Objection::OnboardingIncomplete(unmet) => unmet.sentence(),
            Objection::OverLimit => {
                "The advance would exceed what may be outstanding with this business."
            }
        }
    }

    fn code_and_clause(self) -> (Code, Clause) {
        match self {
            Objection::Advanced => (Code::InvoiceNotFinanceable, clause!("2.invoice.fundable")),
            Objection::SelfDealing => (Code::SelfDealing, clause!("4.advances.4")),
            Objection::NotIssued => (Code::InvoiceNotFinanceable, clause!("3.invoice.1")),
            Objection::Collected => (Code::InvoiceNotFinanceable, clause!("gap.alreadyCollected")),
            Objection::TooSmall => (Code::InvoiceNotFinanceable, clause!("gap.zeroAdvance")),
            Objection::OnboardingIncomplete(_) => {
                (Code::BusinessNotEligible, clause!("3.onboarding.2.2"))
            }
            Objection::OverLimit => (Code::ConcentrationExceeded, clause!("4.advances.1")),
        }
    }
}

impl From<Objection> for Refusal {
    fn from(objection: Objection) -> Refusal {
        let (code, clause) = objection.code_and_clause();
        Refusal::new(code, clause).because(objection.sentence())
    }
}

impl<C: Choices> Service<C> {
    /// The offer for an invoice at `now`, or the first objection to it.
    pub(super) fn eligible_offer(
        &mut self,
        now: Timestamp,
        id: InvoiceId,
    ) -> Result<Offer, Objection> {
        let invoice = self.invoice(id);
        let payee = self.relationship(self.payee(id)).business;
        if invoice.advance.is_some() {
            return Err(Objection::Advanced);
        }
        // `gap.selfDealing`
        if payee == self.relationship(invoice.payor).business {
            return Err(Objection::SelfDealing);
        }
        if invoice.status != InvoiceStatus::Issued {
            return Err(Objection::NotIssued);
        }
        if invoice.paid_in > Cents::ZERO {
            return Err(Objection::Collected);
        }
        // `gap.daysToDueDate`
        let days = now.whole_days_until(invoice.due_date);
        let terms = Terms { face_value: invoice.face_value, days };
        let offer = self.choices.offer(&self.profile, payee, terms);
        self.object_to_amount(payee, &offer).map_or(Ok(offer), Err)
    }

    /// The first objection that has nothing to do with an invoice (§2 Quote response, `fundable`).
    pub(super) fn object_to_amount(
        &mut self,
        payee: BusinessId,
        offer: &Offer,
    ) -> Option<Objection> {
        if offer.advance == Cents::ZERO {
            return Some(Objection::TooSmall);
        }
        let business = self.business(payee);
        if let Some(unmet) = Requirement::first_unmet(business.onboarding()) {
            return Some(Objection::OnboardingIncomplete(unmet));
        }
        // `8.concentrationLimit`
        let outstanding = business.outstanding + offer.advance;
        let fits = self.choices.fits(&self.profile, payee, outstanding);
        (!fits).then_some(Objection::OverLimit)
    }
}
