//! Payments by payors, and their distribution (§1, §2 `forwardedAtPayment`).

use crate::cents::{Cents, FaceValue};
use crate::choices::Choices;
use crate::happening::{Impossible, Outcome};
use crate::identity::{InvoiceId, PlatformId};
use crate::readings::Reading;
use crate::service::Service;
use crate::service::advances::Waterfall;
use crate::service::ledger::Account;
use crate::service::subscriptions::EventSubject;
use crate::timestamp::Timestamp;
use crate::words::{CollectionState, EventType};

impl<C: Choices> Service<C> {
    /// The payor pays into the collection account. The excess over the face value goes to suspense.
    pub(super) fn payor_pays(
        &mut self,
        now: Timestamp,
        platform: PlatformId,
        payee: &str,
        invoice: &str,
        amount: Cents,
    ) -> Result<Outcome, Impossible> {
        let id = self.named_invoice(platform, payee, invoice)?;
        let business = self.business(self.relationship(self.payee(id)).business);
        if business.remittance().is_none() {
            return Err(Impossible::new("the collection account is not open"));
        }
        self.book(now, id, amount)
    }

    /// Books a payment whether or not the collection account is open. Another service may open it earlier
    /// (`gap.accountOpening`), or know another way for a payor to pay.
    ///
    /// # Errors
    /// [`Impossible`] if nobody knows the invoice, or the amount is not 1 to 2147483647 cents.
    pub fn book_payment(
        &mut self,
        now: Timestamp,
        platform: PlatformId,
        payee: &str,
        invoice: &str,
        amount: Cents,
    ) -> Result<Outcome, Impossible> {
        let id = self.named_invoice(platform, payee, invoice)?;
        self.book(now, id, amount)
    }

    fn book(
        &mut self,
        now: Timestamp,
        id: InvoiceId,
        amount: Cents,
    ) -> Result<Outcome, Impossible> {
        if !(1..=FaceValue::MAX).contains(&amount.0) {
            return Err(Impossible::new("the amount must be 1 to 2147483647 cents"));
        }
        let business = self.business(self.relationship(self.payee(id)).business);
        let test_account = business.test_account;
        let owed = self.invoice(id).face_value.cents() - self.invoice(id).collected();
        let is_capped = amount <= owed || self.reads_so(Reading::CappedPayments);
        let applied = if is_capped { amount.min(owed) } else { amount };
        let invoice = self.invoice(id);
        let suspense = amount - applied;
        let moves_money =
            invoice.advance.as_ref().map_or(!test_account, |advance| advance.moves_money);
        if moves_money {
            self.ledger.transfer(Account::Payor, Account::Suspense, suspense);
            self.ledger.transfer(Account::Payor, Account::Held, applied);
        }
        self.collect(now, id, applied, moves_money);
        Ok(Outcome::Paid { applied, suspense })
    }

    fn collect(&mut self, now: Timestamp, id: InvoiceId, applied: Cents, moves_money: bool) {
        let invoice = self.invoice_mut(id);
        let before = invoice.collection_state();
        let paid_before = invoice.paid_in;
        invoice.paid_in += applied;
        self.announce_collection(now, id, before);
        match &self.invoice(id).advance {
            None if moves_money => {
                self.unadvanced += applied;
                self.ledger.transfer(Account::Held, Account::Vendor, applied);
            }
            None => {}
            Some(advance) => {
                let recovered = advance.recovered(paid_before);
                self.apply_collections(id, recovered);
                if self.repay_if_recovered(now, id) {
                    self.emit(now, EventType::AdvancePaid, EventSubject::Advance(id));
                }
            }
        }
    }

    /// Distributes new payments down the waterfall, starting from `before`.
    pub(super) fn apply_collections(&mut self, id: InvoiceId, before: Waterfall) {
        let invoice = self.invoice(id);
        let Some(advance) = &invoice.advance else { return };
        let after = advance.recovered(invoice.paid_in);
        let recovered = after.advance - before.advance;
        if advance.moves_money {
            let (fee, forwarded) = (after.fee - before.fee, after.forwarded - before.forwarded);
            self.ledger.transfer(Account::Held, Account::Funder, recovered);
            self.ledger.transfer(Account::Held, Account::Fees, fee);
            self.ledger.transfer(Account::Held, Account::Vendor, forwarded);
        }
        if self.profile.readings.recovery_frees_room {
            let business = self.relationship(self.payee(id)).business;
            self.owe(business, -recovered);
        }
    }

    /// `6.events.invoice.paid`: the whole face value has now been collected (`gap.eventCauses`).
    pub(super) fn announce_collection(
        &mut self,
        now: Timestamp,
        id: InvoiceId,
        before: CollectionState,
    ) {
        let invoice = self.invoice(id);
        let after = invoice.collection_state();
        let is_paid = before != CollectionState::Collected && after == CollectionState::Collected;
        if is_paid && !invoice.is_announced_as_paid {
            self.invoice_mut(id).is_announced_as_paid = !self.profile.readings.paid_again;
            self.emit(now, EventType::InvoicePaid, EventSubject::Collection(id));
        }
    }
}
