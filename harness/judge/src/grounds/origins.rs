//! By which request a business or an invoice came to be, whether a response has shown it since, and which request came
//! after a business was shown to meet all four requirements.
//!
//! A business or an invoice is shown once a request that needs it succeeds. That the request which creates it succeeds
//! shows nothing: a service may accept it and not carry it out. A response that denies what was shown breaks the
//! sentence on its own value. If it was never shown, the request that should have brought it about did not.

use std::collections::{BTreeMap, BTreeSet};

use tideover_exchange::{Prepared, Response};
use tideover_model::wire::field::{self, Fields};
use tideover_model::{ActionKind, Clause, InvoiceSync, Operation, OperationKind, Subject, clause};

use crate::comparison::is_onboarded;
use crate::grounds::terms::{InvoiceKey, key_of};
use crate::grounds::{caller, name_of};

/// A business, by its caller and its identifier.
type Name = (String, String);

/// What requests have brought about.
#[derive(Clone, Debug, Default)]
pub(super) struct Origins {
    /// The sentence by which each business came to be; none once a response has shown it.
    businesses: BTreeMap<Name, Option<Clause>>,
    invoices: BTreeMap<InvoiceKey, Option<Clause>>,
    /// The businesses that were shown to meet all four requirements, with the last write since.
    onboarded: BTreeMap<Name, Option<OperationKind>>,
    /// The businesses that got an advance.
    granted: BTreeSet<Name>,
    /// The businesses that a read has shown to meet all four requirements.
    read: BTreeSet<Name>,
}

impl Origins {
    pub(super) fn learn(&mut self, sent: &Prepared, seen: &Response) {
        if sent.acts() == Some(ActionKind::TaxIdFoundWrong) {
            self.onboarded.clear();
        }
        let Some(operation) = sent.call().and_then(|call| call.operation()) else { return };
        match operation {
            Operation::SyncBusiness { business, .. } => {
                let name = name_of(sent, business);
                self.touch(&name, operation.kind());
                self.create(name, clause!("4.businessSync.intro.1"));
            }
            Operation::SyncInvoice(sync) => {
                let of = [clause!("4.invoiceSync.3"), clause!("4.invoiceSync.3")];
                self.learn_sync((sent, operation.kind()), sync, of, clause!("4.invoiceSync.1"));
            }
            Operation::ImportInvoices { .. } => {
                for sync in operation.syncs() {
                    let of = [&sync.payee, &sync.payor].map(|party| match party.is_derived() {
                        true => clause!("4.imports.5"),
                        false => clause!("4.imports.5.4"),
                    });
                    self.learn_sync((sent, operation.kind()), sync, of, clause!("4.imports.2"));
                }
            }
            _ => self.learn_shown(sent, operation, seen),
        }
    }

    fn learn_sync(
        &mut self,
        (sent, kind): (&Prepared, OperationKind),
        sync: &InvoiceSync,
        of_parties: [Clause; 2],
        of_invoice: Clause,
    ) {
        for (party, by) in [&sync.payee, &sync.payor].into_iter().zip(of_parties) {
            let name = name_of(sent, &party.business);
            self.touch(&name, kind);
            self.create(name, by);
        }
        self.invoices.entry(key_of(&caller(sent), sync)).or_insert(Some(of_invoice));
    }

    fn learn_shown(&mut self, sent: &Prepared, operation: &Operation, seen: &Response) {
        let subject = operation.subject();
        let Some(business) = subject.business() else { return };
        let name = name_of(sent, business);
        if let Subject::Invoice { payee, invoice } = subject {
            self.invoices.insert((caller(sent), payee.to_owned(), invoice.to_owned()), None);
        }
        self.businesses.insert(name.clone(), None);
        let body = seen.success_body();
        match operation {
            Operation::GetBusiness { .. }
                if body.is_some_and(|body| is_onboarded(&body[field::ONBOARDING])) =>
            {
                self.read.insert(name.clone());
                self.onboarded.insert(name, None);
            }
            Operation::RequestAdvance { .. }
                if body.map(Fields::of).and_then(Fields::already_requested) == Some(false) =>
            {
                self.granted.insert(name.clone());
                self.onboarded.insert(name, None);
            }
            Operation::SetPayoutAccount { .. } => self.touch(&name, operation.kind()),
            _ => {}
        }
    }

    fn create(&mut self, business: Name, by: Clause) {
        self.businesses.entry(business).or_insert(Some(by));
    }

    fn touch(&mut self, business: &Name, kind: OperationKind) {
        if let Some(last) = self.onboarded.get_mut(business) {
            *last = Some(kind);
        }
    }

    /// The sentence that is broken if the business of a request is unknown.
    pub(super) fn of_business(&self, sent: &Prepared) -> Option<Clause> {
        let business = sent.call()?.operation()?.subject().business()?;
        *self.businesses.get(&name_of(sent, business))?
    }

    /// The sentence that is broken if the invoice of a request is unknown.
    pub(super) fn of_invoice(&self, sent: &Prepared) -> Option<Clause> {
        let Subject::Invoice { payee, invoice } = sent.call()?.operation()?.subject() else {
            return None;
        };
        *self.invoices.get(&(caller(sent), payee.to_owned(), invoice.to_owned()))?
    }

    /// The sentence that is broken if the business of a request does not meet all four requirements any more: that on
    /// the last write since it did, whose effects do not include that. `field` is what shows it.
    pub(super) fn undone_by(&self, sent: &Prepared, field: &str) -> Option<Clause> {
        let business = sent.call()?.operation()?.subject().business()?;
        undone_by((*self.onboarded.get(&name_of(sent, business))?)?, field)
    }

    /// Whether only a granted advance shows that the business of a request meets all four requirements.
    pub(super) fn is_granted(&self, sent: &Prepared) -> bool {
        let operation = sent.call().and_then(|call| call.operation());
        let business = operation.and_then(|operation| operation.subject().business());
        let name = business.map(|business| name_of(sent, business));
        name.is_some_and(|name| self.granted.contains(&name) && !self.read.contains(&name))
    }
}

/// The sentence on a write that a business breaks which met all four requirements before it, and does not after it.
pub fn undone_by(write: OperationKind, field: &str) -> Option<Clause> {
    match write {
        OperationKind::SyncInvoice => Some(clause!("4.invoiceSync.3")),
        OperationKind::ImportInvoices => Some(clause!("4.imports.2")),
        OperationKind::SyncBusiness => Some(clause!("4.businessSync.intro.2")),
        OperationKind::SetPayoutAccount if field == field::REMITTANCE => {
            Some(clause!("3.onboarding.4.2"))
        }
        _ => None,
    }
}
