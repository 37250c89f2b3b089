//! Compares the books with the invoices.

use crate::cents::Cents;
use crate::choices::Choices;
use crate::face::Unbalanced;
use crate::identity::InvoiceId;
use crate::service::Service;
use crate::service::advances::{Advance, FundingStage, Waterfall};
use crate::service::invoices::Invoice;
use crate::service::ledger::Account;

/// The balances that the accounts should have, according to the invoices.
#[derive(Default)]
struct ExpectedBalances {
    out: Cents,
    held: Cents,
    fees: Cents,
    vendor: Cents,
    paid: Cents,
}

impl ExpectedBalances {
    fn add(&mut self, invoice: &Invoice, advance: &Advance) {
        let view = advance.view(invoice.paid_in);
        let Waterfall { advance: recovered, fee, forwarded } = advance.recovered(invoice.paid_in);
        self.out += view.amount_sent - recovered;
        // Once the vendor is paid, the service passes every cent on and holds none.
        self.held += if view.funded_at.is_some() { Cents::ZERO } else { invoice.paid_in };
        self.fees += fee;
        self.vendor += view.amount_sent + forwarded;
        self.paid += invoice.paid_in;
    }
}

impl<C: Choices> Service<C> {
    /// Compares the ledger, which sums transfers, with the invoices, which hold amounts.
    pub(super) fn audit_money(&self) -> Result<(), Unbalanced> {
        let mut expected = ExpectedBalances {
            vendor: self.unadvanced,
            paid: self.unadvanced,
            ..ExpectedBalances::default()
        };
        for invoice in self.invoices.values() {
            if invoice.paid_in < Cents::ZERO {
                let what = format!("an invoice collected {} cents", invoice.paid_in);
                return Err(Unbalanced(what));
            }
            if let Some(advance) = invoice.advance.as_deref().filter(|advance| advance.moves_money)
            {
                expected.add(invoice, advance);
            }
        }
        let suspense = self.ledger.balance(Account::Suspense);
        same("lent and not recovered", -expected.out, self.ledger.balance(Account::Funder))?;
        same("held until funding", expected.held, self.ledger.balance(Account::Held))?;
        same("earned as fees", expected.fees, self.ledger.balance(Account::Fees))?;
        same("received by vendors", expected.vendor, self.ledger.balance(Account::Vendor))?;
        same("paid by payors", -expected.paid - suspense, self.ledger.balance(Account::Payor))?;
        same("in the books altogether", Cents::ZERO, self.ledger.total())?;
        self.audit_outstanding()
    }

    /// Checks the index of outstanding amounts against the advances (`gap.outstanding`).
    fn audit_outstanding(&self) -> Result<(), Unbalanced> {
        let mut outstanding = vec![Cents::ZERO; self.businesses.len()];
        for (number, invoice) in (0..).zip(self.invoices.values()) {
            if let Some(advance) = &invoice.advance {
                let payee = self.relationship(self.payee(InvoiceId(number))).business;
                let recovered = match advance.stage {
                    FundingStage::Repaid { .. } => advance.offer.advance,
                    _ if !self.profile.readings.recovery_frees_room => Cents::ZERO,
                    _ => advance.recovered(invoice.paid_in).advance,
                };
                let limited = self.limited(payee);
                outstanding[limited.0 as usize] += advance.offer.advance - recovered;
            }
        }
        for (business, expected) in self.businesses.iter().zip(outstanding) {
            same("outstanding with a business", expected, business.outstanding)?;
        }
        Ok(())
    }
}

fn same(what: &str, invoices: Cents, ledger: Cents) -> Result<(), Unbalanced> {
    if invoices == ledger {
        return Ok(());
    }
    let what = format!("{what}: {invoices} cents by the invoices, {ledger} cents by the ledger");
    Err(Unbalanced(what))
}
