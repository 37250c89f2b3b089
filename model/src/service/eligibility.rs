//! The one decision whether an invoice can be financed.
//!
//! `fundable`, `notFundableReason` and the refusal of an advance all show this decision (§2 Invoice,
//! `fundable`).

use crate::cents::Cents;
use crate::choices::{Choices, Reservation};
use crate::clause;
use crate::clause::Clause;
use crate::identity::{BusinessId, InvoiceId};
use crate::pricing::{Offer, Terms};
use crate::refusal::{Code, Refusal};
use crate::service::Service;
use crate::service::requirements::Requirement;
use crate::timestamp::Timestamp;
use crate::words::InvoiceStatus;

/// A failed requirement of an advance, in order of precedence (`gap.advancePrecedence`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Objection {
    /// The invoice already has an advance.
    Advanced,
    /// Payee and payor are one business.
    SelfDealing,
    /// The caller did not sync it as ISSUED.
    NotIssued,
    /// The payor has paid part of it.
    Collected,
    /// The service has its own reasons.
    Reserved,
    /// Its advance would be 0 cents.
    TooSmall,
    /// Not all four requirements are met: the first unmet one.
    OnboardingIncomplete(Requirement),
    /// The collection account is not open, and waits for an address (`3.requirement.collectionAccount.3`).
    AddressUnknown,
    /// Too much would be outstanding.
    OverLimit,
}

impl Objection {
    /// The sentence that explains it, without an amount (`2.invoice.notFundableReason`).
    pub(super) fn sentence(self) -> &'static str {
        match self {
            Objection::Advanced => "An advance already stands against this invoice.",
            Objection::SelfDealing => "The payee and the payor are the same business.",
            Objection::NotIssued => "Only an invoice with status ISSUED can be financed.",
            Objection::Collected => "The payor has already paid toward this invoice.",
            Objection::TooSmall => "The face value is too small to finance.",
            Objection::Reserved => "The invoice cannot be financed.",
            Objection::OnboardingIncomplete(unmet) => unmet.sentence(),
            Objection::AddressUnknown => {
                "The business has not completed onboarding: \
                 its collection account does not open before its whole address is known."
            }
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
            Objection::Reserved => (Code::InvoiceNotFinanceable, clause!("gap.notFinanceable")),
            Objection::OnboardingIncomplete(_) | Objection::AddressUnknown => {
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

/// Who hears the objections.
trait Hearing {
    /// Whether one objection is enough.
    const ONE: bool;

    /// Hears an objection that holds.
    fn hear(&mut self, objection: Objection) -> Result<(), Objection>;
}

/// The first objection decides.
struct Decision;

impl Hearing for Decision {
    const ONE: bool = true;

    fn hear(&mut self, objection: Objection) -> Result<(), Objection> {
        Err(objection)
    }
}

/// Nothing decides, until all objections are heard.
#[derive(Default)]
struct Inquiry(Vec<Objection>);

impl Hearing for Inquiry {
    const ONE: bool = false;

    fn hear(&mut self, objection: Objection) -> Result<(), Objection> {
        self.0.push(objection);
        Ok(())
    }
}

impl<C: Choices> Service<C> {
    /// The offer for an invoice at `now`, or the first objection to it.
    pub(super) fn eligible_offer(
        &mut self,
        now: Timestamp,
        id: InvoiceId,
    ) -> Result<Offer, Objection> {
        self.examine(now, id, &mut Decision)
    }

    /// Every objection to an advance against an invoice at `now`, in order of precedence.
    pub(super) fn objections_to(&mut self, now: Timestamp, id: InvoiceId) -> Vec<Refusal> {
        let mut inquiry = Inquiry::default();
        // An inquiry ends with no objection.
        let _ = self.examine(now, id, &mut inquiry);
        inquiry.0.into_iter().map(Refusal::from).collect()
    }

    fn examine<H: Hearing>(
        &mut self,
        now: Timestamp,
        id: InvoiceId,
        hearing: &mut H,
    ) -> Result<Offer, Objection> {
        let invoice = self.invoice(id);
        let payee = self.relationship(self.payee(id)).business;
        if invoice.advance.is_some() {
            hearing.hear(Objection::Advanced)?;
        }
        let payor = self.relationship(invoice.payor).business;
        let issued = invoice.status == InvoiceStatus::Issued;
        let collected = invoice.paid_in > Cents::ZERO;
        // `gap.daysToDueDate`
        let days = match self.profile.readings.days_rounded_down {
            true => now.whole_days_until(invoice.due_date),
            false => now.begun_days_until(invoice.due_date),
        };
        let terms = Terms { face_value: invoice.face_value, days };
        let own = self.are_one_party(payee, payor);
        self.raise(own, Objection::SelfDealing, hearing)?;
        self.raise(!issued, Objection::NotIssued, hearing)?;
        let collected = collected && self.choices.reserves(Reservation::Collected);
        self.raise(collected, Objection::Collected, hearing)?;
        let reserved = self.choices.reserves(Reservation::Unknown);
        self.raise(reserved, Objection::Reserved, hearing)?;
        let offer = self.choices.offer(&self.profile, payee, terms);
        self.examine_amount(payee, &offer, hearing).map(|()| offer)
    }

    /// The first objection that doesn't depend on an invoice (§2 Quote response, `fundable`).
    pub(super) fn object_to_amount(
        &mut self,
        payee: BusinessId,
        offer: &Offer,
    ) -> Result<(), Objection> {
        self.examine_amount(payee, offer, &mut Decision)
    }

    fn examine_amount<H: Hearing>(
        &mut self,
        payee: BusinessId,
        offer: &Offer,
        hearing: &mut H,
    ) -> Result<(), Objection> {
        let nothing =
            offer.advance == Cents::ZERO && self.choices.reserves(Reservation::ZeroAdvance);
        self.raise(nothing, Objection::TooSmall, hearing)?;
        let business = self.business(payee);
        // `8.concentrationLimit`
        let limited = self.limited(payee);
        let outstanding = self.business(limited).outstanding + offer.advance;
        let unmet = Requirement::unmet(business.onboarding());
        for unmet in unmet.take(if H::ONE { 1 } else { usize::MAX }) {
            let objection = match unmet {
                Requirement::CollectionAccount if !self.knows_address(payee) => {
                    Objection::AddressUnknown
                }
                unmet => Objection::OnboardingIncomplete(unmet),
            };
            self.raise(true, objection, hearing)?;
        }
        let fits = self.choices.fits(&self.profile, limited, outstanding);
        self.raise(!fits, Objection::OverLimit, hearing)
    }

    /// Lets the objection be heard, if it holds and takes precedence (`gap.advancePrecedence`).
    fn raise<H: Hearing>(
        &mut self,
        holds: bool,
        objection: Objection,
        hearing: &mut H,
    ) -> Result<(), Objection> {
        let refuses = holds && self.choices.refuses_with(objection.code_and_clause().0);
        if refuses { hearing.hear(objection) } else { Ok(()) }
    }
}
