//! What must hold once the world is quiet: nothing is left to do, and each copy equals the service's state.

use tideover_model::wire::reply::Reply;
use tideover_model::words::CollectionState;
use tideover_model::{Operation, PlatformId};

use crate::simulation::auditor::Invariant;
use crate::simulation::client::{BusinessCopy, InvoiceCopy, invoice_name, vendor_name};
use crate::simulation::queue::DAY;
use crate::simulation::world::World;

impl World<'_> {
    /// Reports that something still goes on after the time to settle.
    pub(super) fn report_unsettled(&mut self) {
        let days = self.now / DAY - self.plan.days;
        let detail = format!("something is still going on {days} days after the last fault");
        self.auditor.report(Invariant::Settled, "the world", detail);
    }

    /// Checks everything at the end of a run.
    pub(super) fn check_settled(&mut self) {
        let at = self.time();
        self.auditor.check_all(&mut *self.server, at);
        for client in 0..self.plan.platforms {
            if let Some(busy) = self.clients[client as usize].busy() {
                let subject = format!("platform {client}");
                let detail = format!("it still waits with {busy}");
                self.auditor.report(Invariant::Settled, subject, detail);
            }
            self.check_copy(client);
        }
    }

    /// Compares a client's copy of the state with the service's.
    fn check_copy(&mut self, client: u32) {
        let customers = self.clients[client as usize].customers.all();
        let mut businesses = Vec::new();
        let mut invoices = Vec::new();
        for customer in customers {
            businesses.push((customer.number, customer.copy.clone()));
            let copies = customer.invoices.iter();
            let begun = copies.filter(|(_, it)| it.begun);
            invoices.extend(begun.map(|(number, it)| (customer.number, *number, it.copy.clone())));
        }
        for (vendor, copy) in businesses {
            self.check_business_copy(client, vendor, &copy);
        }
        for (vendor, invoice, copy) in invoices {
            self.check_invoice_copy(client, vendor, invoice, &copy);
        }
    }

    fn check_business_copy(&mut self, client: u32, vendor: u32, copy: &BusinessCopy) {
        if !copy.synced {
            return;
        }
        let at = self.time();
        let name = vendor_name(client, vendor);
        let subject = format!("{name} at platform {client}");
        let question = Operation::GetBusiness { business: name };
        let Ok(Reply::Business(business)) = self.server.handle(at, PlatformId(client), question)
        else {
            let detail = "the client synced it, and the service does not know it";
            return self.auditor.report(Invariant::Converged, subject, detail);
        };
        let account = business.remittance.map(|remittance| remittance.account_number);
        let (held, shown) = (copy.onboarding, business.onboarding);
        // Only that all of them are met has an event. What was met stays so, but for a wrong tax id.
        let is_ahead = (held.contract && !shown.contract)
            || (held.bank && !shown.bank)
            || (held.collection_account && !shown.collection_account);
        if copy.account != account {
            let shown = |account: &Option<String>| account.as_deref().unwrap_or("none").to_owned();
            let (held, open) = (shown(&copy.account), shown(&account));
            let detail = format!("the client has account {held}, the service {open}");
            self.auditor.report(Invariant::Converged, subject, detail);
        } else if shown.is_complete() && !held.is_complete() {
            let detail = "it has completed onboarding, and the client does not know";
            self.auditor.report(Invariant::Converged, subject, detail);
        } else if is_ahead {
            let detail = format!("the client has {held:?}, the service {shown:?}");
            self.auditor.report(Invariant::Converged, subject, detail);
        }
    }

    fn check_invoice_copy(&mut self, client: u32, vendor: u32, number: u32, copy: &InvoiceCopy) {
        let at = self.time();
        let (payee, invoice) = (vendor_name(client, vendor), invoice_name(client, number));
        let subject = format!("invoice {invoice} of {payee} at platform {client}");
        let question = Operation::GetInvoice { payee, invoice };
        let Ok(Reply::Invoice(invoice)) = self.server.handle(at, PlatformId(client), question)
        else {
            let detail = "the service does not know it";
            return self.auditor.report(Invariant::Converged, subject, detail);
        };
        let advance = invoice.advance.as_ref();
        let is_collected = invoice.collection_state == CollectionState::Collected;
        // A part of the face value is collected without an event: a client knows it as of its last read.
        let is_behind = !is_collected && copy.collected < invoice.collected.0;
        let seen = InvoiceCopy {
            synced: true,
            status: Some(invoice.status),
            face_value: invoice.face_value.0,
            collected: if is_behind { copy.collected } else { invoice.collected.0 },
            is_collected,
            state: advance.map(|advance| advance.state),
            amounts: advance.map(|it| (it.advance_amount.0, it.fee_total.0)),
        };
        if *copy != seen {
            let detail = format!("the client has: {copy}; the service: {seen}");
            self.auditor.report(Invariant::Converged, subject, detail);
        } else if advance.is_some() && !self.published.contains_key(&(client, vendor)) {
            let detail = "it has an advance, and no payor knows where to pay";
            self.auditor.report(Invariant::Converged, subject, detail);
        }
    }
}
