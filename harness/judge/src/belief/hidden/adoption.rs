//! Businesses and invoices that predate the run, rebuilt from the first response about them.

use serde_json::Value;
use tideover_model::wire::field::{self, Fields};
use tideover_model::wire::reply::Reply;
use tideover_model::words::InvoiceStatus;
use tideover_model::{Cents, FaceValue, Happening, InvoiceSync, Operation, Timestamp, VendorRoute};

use crate::belief::hypothesis::deeds::{Deeds, PRIOR, details, party, some_payor};
use crate::belief::reading::{Revealed, amount};

impl Deeds<'_> {
    /// Adds the business as the first response shows it.
    pub(super) fn adopt_business(&mut self, answer: &Value) -> bool {
        let name = Fields::of(answer).name().unwrap_or(self.payee);
        if !self.sync(details(name.to_owned(), None)) {
            return false;
        }
        match Fields::of(answer).compliance_route() {
            Some("PARTNER_SUPPLIED") => self.sync_some_tax_id(PRIOR, name),
            Some("W9_UPLOAD") => self.clear(VendorRoute::W9Upload),
            Some(_) => self.clear(VendorRoute::VendorAssertion),
            None => false,
        };
        let met = &answer[field::ONBOARDING];
        if met[field::CONTRACT] == true {
            self.sign();
        }
        if met[field::BANK] == true {
            self.link_bank();
        }
        if met[field::COLLECTION_ACCOUNT] == true {
            self.open_account();
        }
        true
    }

    /// Adds an invoice as the first response shows it.
    pub(super) fn adopt_invoice(
        &mut self,
        invoice: &str,
        answer: &Value,
        revealed: Revealed,
    ) -> bool {
        let text = |name: &str| answer.get(name).and_then(Value::as_str);
        let date = |name: &str| text(name).and_then(Timestamp::parse);
        let face_value = Fields::of(answer).face_value().and_then(FaceValue::new);
        let status = text(field::STATUS).and_then(InvoiceStatus::parse);
        let (Some(face_value), Some(status), Some(issue_date), Some(due_date)) =
            (face_value, status, date(field::ISSUE_DATE), date(field::DUE_DATE))
        else {
            return false;
        };
        let payee = party(self.payee, None);
        let sync = |status| {
            Operation::SyncInvoice(Box::new(InvoiceSync {
                invoice: invoice.to_owned(),
                payee: payee.clone(),
                payor: some_payor(),
                status,
                face_value,
                issue_date,
                due_date,
            }))
        };
        let advance = Fields::of(answer).advance();
        // An advance was requested while the invoice was ISSUED.
        let first = if advance.is_some() { InvoiceStatus::Issued } else { status };
        if !self.operate(revealed, sync(first)) {
            return false;
        }
        let collected = amount(answer, field::COLLECTED).unwrap_or(Cents::ZERO);
        if advance.is_some() || collected > Cents::ZERO {
            self.onboard();
        }
        if let Some(advance) = advance {
            self.adopt_advance(invoice, advance, revealed);
        }
        if collected > Cents::ZERO {
            let (payee, invoice) = (self.payee.to_owned(), invoice.to_owned());
            self.happen(Happening::PayorPays { payee, invoice, amount: collected });
        }
        self.operate(revealed, sync(status))
    }

    /// Makes the payee the payor of an invoice: no response shows who owes it, and a tax id that nobody has seen may have
    /// made two identifiers one business.
    pub(super) fn owe_itself(&mut self, invoice: &str) -> bool {
        let names = (self.payee.to_owned(), invoice.to_owned());
        let read = Operation::GetInvoice { payee: names.0, invoice: names.1 };
        let Some(Reply::Invoice(known)) = self.hypothesis.look(self.now, self.platform, read)
        else {
            return false;
        };
        let Some(face_value) = FaceValue::new(known.face_value.0) else { return false };
        if known.advance.is_some() {
            return false;
        }
        let sync = InvoiceSync {
            invoice: invoice.to_owned(),
            payee: party(self.payee, None),
            payor: party(self.payee, None),
            status: known.status,
            face_value,
            issue_date: known.issue_date,
            due_date: known.due_date,
        };
        self.operate(Revealed::default(), Operation::SyncInvoice(Box::new(sync)))
    }

    /// Requests an advance and brings it to the state that the first response shows.
    fn adopt_advance(&mut self, invoice: &str, advance: Fields<'_>, revealed: Revealed) {
        let names = || (self.payee.to_owned(), invoice.to_owned());
        let [(payee, invoice), starts, completes] = [names(), names(), names()];
        self.operate(revealed.granted(), Operation::RequestAdvance { payee, invoice });
        let (payee, invoice) = starts;
        self.hypothesis.estimate(self.platform, &payee, &invoice, revealed);
        let state = advance.state().unwrap_or_default();
        if state != "REQUESTED" {
            self.happen(Happening::FundingStarts { payee, invoice });
        }
        if matches!(state, "FUNDED" | "REPAID") {
            let (payee, invoice) = completes;
            self.happen(Happening::FundingCompletes { payee, invoice });
        }
    }
}
