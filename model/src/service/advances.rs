//! Advances, from REQUESTED to REPAID (§4 `POST /v1/advances`, §3 Financing state).

use serde::{Deserialize, Serialize};

use crate::cents::Cents;
use crate::choices::{Choices, Transition};
use crate::clause;
use crate::face::Answer;
use crate::happening::{Impossible, Outcome};
use crate::identity::{BusinessId, InvoiceId, PlatformId};
use crate::pricing::Offer;
use crate::refusal::Refusal;
use crate::service::Service;
use crate::service::eligibility::Objection;
use crate::service::ledger::Account;
use crate::service::requirements::Requirement;
use crate::service::subscriptions::EventSubject;
use crate::service::timers::Timer;
use crate::timestamp::{Shift, Timestamp};
use crate::wire::reply;
use crate::wire::reply::{AdvanceRepeated, AdvanceRequested, Remittance, Reply};
use crate::words::{AdvanceState, EventType};

/// An advance: priced at its request, unchanged since.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Advance {
    pub(super) offer: Offer,
    pub(super) requested_at: Timestamp,
    /// False for a test account: none of its cents enter the ledger (`5.authentication.5`,
    /// `gap.testAccount`).
    pub(super) moves_money: bool,
    pub(super) stage: FundingStage,
}

/// The progress of an advance (`3.advance.1`). It skips no stage (`gap.advanceTransitions`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) enum FundingStage {
    Requested { funding_starts_at: Timestamp },
    Funding { funded_due_at: Timestamp },
    Funded { at: Timestamp },
    Repaid { funded_at: Timestamp, at: Timestamp },
}

impl FundingStage {
    pub(super) fn state(self) -> AdvanceState {
        match self {
            FundingStage::Requested { .. } => AdvanceState::Requested,
            FundingStage::Funding { .. } => AdvanceState::Funding,
            FundingStage::Funded { .. } => AdvanceState::Funded,
            FundingStage::Repaid { .. } => AdvanceState::Repaid,
        }
    }

    fn funded_at(self) -> Option<Timestamp> {
        match self {
            FundingStage::Requested { .. } | FundingStage::Funding { .. } => None,
            FundingStage::Funded { at } => Some(at),
            FundingStage::Repaid { funded_at, .. } => Some(funded_at),
        }
    }
}

/// The distribution of the payor's payments: first to the advance, then to the fee, then to the business
/// (`gap.waterfall`). Cents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Waterfall {
    pub(super) advance: Cents,
    pub(super) fee: Cents,
    pub(super) forwarded: Cents,
}

impl Waterfall {
    pub(super) fn of(offer: &Offer, paid_in: Cents) -> Waterfall {
        let advance = paid_in.min(offer.advance);
        let fee = (paid_in - advance).min(offer.fee);
        Waterfall { advance, fee, forwarded: paid_in - advance - fee }
    }
}

impl FundingStage {
    fn shift(&mut self, shift: Shift) {
        match self {
            FundingStage::Requested { funding_starts_at: at }
            | FundingStage::Funding { funded_due_at: at }
            | FundingStage::Funded { at } => *at = shift.ahead(*at),
            FundingStage::Repaid { funded_at, at } => {
                (*funded_at, *at) = (shift.ahead(*funded_at), shift.ahead(*at));
            }
        }
    }
}

impl Advance {
    pub(super) fn shift(&mut self, shift: Shift) {
        self.requested_at = shift.ahead(self.requested_at);
        self.stage.shift(shift);
    }

    /// The part of `paid_in` that has been applied: nothing until the vendor is paid. Cents.
    pub(super) fn recovered(&self, paid_in: Cents) -> Waterfall {
        match self.stage.funded_at() {
            None => Waterfall::default(),
            Some(_) => Waterfall::of(&self.offer, paid_in),
        }
    }

    /// `gap.advanceObject`
    pub(super) fn view(&self, paid_in: Cents) -> reply::Advance {
        let recovered = self.recovered(paid_in);
        let funded_at = self.stage.funded_at();
        reply::Advance {
            state: self.stage.state(),
            advance_amount: self.offer.advance,
            fee_total: self.offer.fee,
            amount_sent: if funded_at.is_some() { self.offer.advance } else { Cents::ZERO },
            amount_owed: self.offer.owed() - recovered.advance - recovered.fee,
            requested_at: self.requested_at,
            funded_at,
            repaid_at: match self.stage {
                FundingStage::Repaid { at, .. } => Some(at),
                FundingStage::Requested { .. }
                | FundingStage::Funding { .. }
                | FundingStage::Funded { .. } => None,
            },
        }
    }
}

impl<C: Choices> Service<C> {
    /// `POST /v1/advances`. Refusals about eligibility are 409 (`4.advances.3`).
    pub(super) fn request_advance(
        &mut self,
        now: Timestamp,
        caller: PlatformId,
        payee: &str,
        invoice: &str,
    ) -> Answer {
        // §4 advances rule 5.
        let unsynced = clause!("4.advances.5");
        let payee = self.known_relationship(caller, payee, unsynced)?;
        let own_404 = |refusal| Refusal { clause: unsynced, ..refusal };
        let id = self.known_invoice(payee, invoice, unsynced).map_err(own_404)?;
        let business = self.relationship(payee).business;
        // `4.advances.2`, `4.advances.2.2`: idempotency comes before the business rules.
        if let Some(advance) = &self.invoice(id).advance {
            return Ok(Reply::AdvanceRepeated(AdvanceRepeated {
                already_requested: true,
                advance_amount: advance.offer.advance,
                fee_total: advance.offer.fee,
                remittance: self.open_account(business)?,
            }));
        }
        let offer = self.eligible_offer(now, id)?;
        let remittance = self.open_account(business)?;
        self.create_advance(now, id, business, offer);
        Ok(Reply::AdvanceRequested(AdvanceRequested {
            already_requested: false,
            amounts: offer.into(),
            remittance,
        }))
    }

    /// Every advance response has the account that payors pay into (`3.onboarding.4.2`).
    fn open_account(&self, business: BusinessId) -> Result<Remittance, Refusal> {
        let remittance = self.business(business).remittance().cloned();
        let unmet = Objection::OnboardingIncomplete(Requirement::CollectionAccount);
        remittance.ok_or_else(|| unmet.into())
    }

    /// `4.advances.1`, `6.events.loan.created`. Ignores any quote: the offer is a new price
    /// (`2.amounts.feeTotal.2`).
    fn create_advance(
        &mut self,
        now: Timestamp,
        id: InvoiceId,
        business: BusinessId,
        offer: Offer,
    ) {
        let wait = self.choices.delay(&self.profile, Transition::FundingStarts(id));
        let funding_starts_at = now.after(wait);
        let advance = Advance {
            offer,
            requested_at: now,
            moves_money: !self.business(business).test_account,
            stage: FundingStage::Requested { funding_starts_at },
        };
        self.invoice_mut(id).advance = Some(Box::new(advance));
        self.owe(business, offer.advance);
        self.set_timer(funding_starts_at, Timer::FundingStarts(id));
        self.emit(now, EventType::FactoredUpdated, EventSubject::Financing(id));
        self.emit(now, EventType::AdvanceCreated, EventSubject::Advance(id));
    }

    /// Changes the amount outstanding with a business; nothing else does (`gap.outstanding`).
    pub(super) fn owe(&mut self, business: BusinessId, amount: Cents) {
        let limited = self.limited(business);
        self.business_mut(limited).outstanding += amount;
    }

    /// REQUESTED → FUNDING.
    pub(super) fn start_funding(&mut self, now: Timestamp, id: InvoiceId) {
        let wait = self.choices.delay(&self.profile, Transition::FundingCompletes(id));
        let funded_due_at = now.after(wait);
        self.set_stage(now, id, FundingStage::Funding { funded_due_at });
        self.set_timer(funded_due_at, Timer::FundingCompletes(id));
    }

    /// FUNDING → FUNDED: the vendor gets the money without a deduction (`2.amounts.advanceAmount.2`), and
    /// earlier payments of the payor are applied.
    pub(super) fn complete_funding(&mut self, now: Timestamp, id: InvoiceId) {
        self.set_stage(now, id, FundingStage::Funded { at: now });
        let Some(advance) = &self.invoice(id).advance else { return };
        let (amount, moves_money) = (advance.offer.advance, advance.moves_money);
        if moves_money {
            self.ledger.transfer(Account::Funder, Account::Vendor, amount);
        }
        self.apply_collections(id, Waterfall::default());
        let repaid = self.repay_if_recovered(now, id);
        self.emit(now, EventType::AdvanceIssued, EventSubject::Advance(id));
        if repaid {
            self.emit(now, EventType::AdvancePaid, EventSubject::Advance(id));
        }
    }

    /// FUNDED → REPAID once advance and fee are recovered. Returns whether it changed the state; the caller
    /// emits `loan.paid`, in the transaction's order of events.
    pub(super) fn repay_if_recovered(&mut self, now: Timestamp, id: InvoiceId) -> bool {
        let invoice = self.invoice(id);
        let Some(advance) = &invoice.advance else { return false };
        let FundingStage::Funded { at: funded_at } = advance.stage else { return false };
        let recovered = invoice.paid_in >= advance.offer.owed();
        if recovered {
            let (payee, whole) = (self.payee(id), advance.offer.advance);
            self.set_stage(now, id, FundingStage::Repaid { funded_at, at: now });
            if !self.profile.readings.recovery_frees_room {
                self.owe(self.relationship(payee).business, -whole);
            }
        }
        recovered
    }

    fn set_stage(&mut self, now: Timestamp, id: InvoiceId, stage: FundingStage) {
        if let Some(advance) = &mut self.invoice_mut(id).advance {
            advance.stage = stage;
            self.emit(now, EventType::FactoredUpdated, EventSubject::Financing(id));
        }
    }

    /// The advance of a happening, and how far it is.
    pub(super) fn named_advance(
        &self,
        platform: PlatformId,
        payee: &str,
        invoice: &str,
    ) -> Result<(InvoiceId, FundingStage), Impossible> {
        let id = self.named_invoice(platform, payee, invoice)?;
        let advance = self.invoice(id).advance.as_ref();
        advance
            .map(|advance| (id, advance.stage))
            .ok_or(Impossible::new("no advance was requested against this invoice"))
    }

    /// Forces REQUESTED → FUNDING at once.
    pub(super) fn funding_starts_early(
        &mut self,
        now: Timestamp,
        (id, stage): (InvoiceId, FundingStage),
    ) -> Result<Outcome, Impossible> {
        let FundingStage::Requested { funding_starts_at } = stage else {
            return Err(Impossible::new("funding starts only from REQUESTED"));
        };
        self.clear_timer(funding_starts_at, Timer::FundingStarts(id));
        self.start_funding(now, id);
        Ok(Outcome::Applied)
    }

    /// Forces FUNDING → FUNDED at once.
    pub(super) fn funding_completes_early(
        &mut self,
        now: Timestamp,
        (id, stage): (InvoiceId, FundingStage),
    ) -> Result<Outcome, Impossible> {
        let FundingStage::Funding { funded_due_at } = stage else {
            return Err(Impossible::new("funding completes only from FUNDING"));
        };
        self.clear_timer(funded_due_at, Timer::FundingCompletes(id));
        self.complete_funding(now, id);
        Ok(Outcome::Applied)
    }
}
