//! What others do at a target to bring about a state. Each deed first removes every obstacle: the document does not
//! say which steps a vendor or a bank takes on the way.

use std::ops::Range;

use serde_json::Value;
use tideover_exchange::{Prepared, PreparedAction};
use tideover_model::words::InvoiceStatus;
use tideover_model::{
    ActionKind, Address, BusinessDetails, Cents, Contact, FaceValue, Happening, InvoiceSync,
    Operation, Party, PlatformId, Timestamp, VendorRoute,
    wire::field,
    wire::reply::{Business, Reply},
};

use crate::belief::hypothesis::Hypothesis;
use crate::belief::reading::Revealed;

/// What someone does about one business of a hypothesis.
pub(crate) struct Deeds<'a> {
    pub(crate) hypothesis: &'a mut Hypothesis,
    pub(crate) platform: PlatformId,
    pub(crate) payee: &'a str,
    pub(crate) now: Timestamp,
}

// No response shows a tax id, so any one will do that nobody holds. Each source draws from numbers of its own, and
// the generator sends none of these. A hundred are enough, since few businesses of a run get a made-up one.
const SUPPLIED: Range<u32> = 950_000_000..950_000_100;
const FILED: Range<u32> = 970_000_000..970_000_100;
pub(crate) const PRIOR: Range<u32> = 980_000_000..980_000_100;
const GIVEN: Range<u32> = 990_000_000..990_000_100;

/// Whom no request invites: an address that a service must take.
const SOMEBODY: &str = "somebody@vendor.nobodys";

impl Deeds<'_> {
    pub(crate) fn operate(&mut self, revealed: Revealed, operation: Operation) -> bool {
        self.hypothesis.operate(self.now, self.platform, revealed, operation)
    }

    pub(crate) fn happen(&mut self, happening: Happening) -> bool {
        self.hypothesis.happen(self.now, self.platform, happening)
    }

    pub(crate) fn sync(&mut self, details: BusinessDetails) -> bool {
        let business = self.payee.to_owned();
        self.operate(Revealed::default(), Operation::SyncBusiness { business, details })
    }

    fn business(&self) -> Option<Business> {
        let read = Operation::GetBusiness { business: self.payee.to_owned() };
        match self.hypothesis.look(self.now, self.platform, read)? {
            Reply::Business(business) => Some(business),
            _ => None,
        }
    }

    /// Does what an action of the operator port requests. `false` if it is impossible.
    pub(super) fn act(&mut self, sent: &Prepared) -> bool {
        let PreparedAction::Act(fields) = &sent.action else { return false };
        match sent.acts() {
            Some(ActionKind::CollectionAccountOpens) => self.open_account(),
            Some(ActionKind::PayorPays) => {
                let amount = fields.get("amount").and_then(Value::as_i64).map(Cents);
                let invoice = fields.get(field::INVOICE_EXTERNAL_ID).and_then(Value::as_str);
                invoice.zip(amount).is_some_and(|(invoice, amount)| self.pay(invoice, amount))
            }
            Some(kind) => self.act_as_vendor(kind, sent),
            None => false,
        }
    }

    /// A vendor's move, with the values of the action if a vendor that has claimed its account can.
    fn act_as_vendor(&mut self, kind: ActionKind, sent: &Prepared) -> bool {
        let PreparedAction::Act(fields) = &sent.action else { return false };
        if self.claim() && self.play(sent) {
            return true;
        }
        let is_w9 = fields.get("route").is_some_and(|route| route == "W9_UPLOAD");
        let route = if is_w9 { VendorRoute::W9Upload } else { VendorRoute::VendorAssertion };
        match kind {
            ActionKind::VendorConfirmsTaxId => self.clear(route),
            ActionKind::VendorSignsAgreement => self.sign(),
            ActionKind::VendorAddsBankAccount => self.link_bank(),
            ActionKind::VendorCompletesOnboarding => self.onboard(),
            _ => false,
        }
    }

    fn play(&mut self, sent: &Prepared) -> bool {
        self.hypothesis.play(sent, Revealed::default(), self.now).0.is_success()
    }

    /// A payor pays, whether or not anybody has seen the account open.
    fn pay(&mut self, invoice: &str, amount: Cents) -> bool {
        let (now, platform, payee) = (self.now, self.platform, self.payee);
        self.hypothesis.service().book_payment(now, platform, payee, invoice, amount).is_ok()
    }

    /// The bank verifies any address it knows (`gap.addressKnown`).
    pub(crate) fn open_account(&mut self) -> bool {
        let opens = Happening::CollectionAccountOpens { payee: self.payee.to_owned() };
        if self.happen(opens.clone()) {
            return true;
        }
        let Some(business) = self.business() else { return false };
        let contact = Contact { address: some_address(), ..Contact::default() };
        let details = details(business.name.unwrap_or_default(), None);
        self.sync(BusinessDetails { contact, ..details }) && self.happen(opens)
    }

    /// The vendor claims its account, by an invitation or otherwise.
    fn claim(&mut self) -> bool {
        let (payee, email) = (self.payee.to_owned(), SOMEBODY.to_owned());
        let invite = Operation::Invite { business: payee.clone(), email: email.clone() };
        self.operate(Revealed::default(), invite)
            && self.happen(Happening::VendorAcceptsInvitation { payee, email })
    }

    /// A vendor's move. The vendor may have to claim its account first.
    fn vendor(&mut self, happening: Happening) -> bool {
        self.happen(happening.clone()) || self.claim() && self.happen(happening)
    }

    pub(crate) fn clear(&mut self, route: VendorRoute) -> bool {
        let payee = self.payee.to_owned();
        let confirms =
            |tax_id| Happening::VendorConfirmsTaxId { payee: payee.clone(), route, tax_id };
        self.vendor(confirms(None))
            || GIVEN.into_iter().any(|number| self.happen(confirms(Some(number.to_string()))))
    }

    pub(crate) fn sign(&mut self) -> bool {
        let (payee, address) = (self.payee.to_owned(), some_address());
        self.vendor(Happening::VendorSignsAgreement { payee, address })
    }

    pub(crate) fn link_bank(&mut self) -> bool {
        self.vendor(Happening::VendorAddsBankAccount {
            payee: self.payee.to_owned(),
            account_number: "0000".into(),
            routing_number: "021000021".into(),
        })
    }

    /// Completes every missing requirement. `false` if none was missing.
    pub(crate) fn onboard(&mut self) -> bool {
        let Some(before) = self.business() else { return false };
        let met = before.onboarding;
        if !met.compliance {
            self.clear(VendorRoute::VendorAssertion);
        }
        if !met.contract {
            self.sign();
        }
        if !met.bank {
            self.link_bank();
        }
        !met.collection_account && self.open_account()
    }

    /// Another holder of the caller's key syncs some tax id.
    pub(crate) fn supply_tax_id(&mut self) -> bool {
        let before = self.business().filter(|business| !business.onboarding.compliance);
        let Some(before) = before else { return false };
        self.sync_some_tax_id(SUPPLIED, &before.name.unwrap_or_default())
    }

    /// Syncs the first tax id that clears compliance: one that nobody holds.
    pub(crate) fn sync_some_tax_id(&mut self, mut numbers: Range<u32>, legal_name: &str) -> bool {
        numbers.any(|number| {
            self.sync(details(legal_name.to_owned(), Some(number.to_string())))
                && self.business().is_some_and(|business| business.onboarding.compliance)
        })
    }

    /// A tax id that comes with an invoice is filed, and clears nothing (`gap.partyTaxIdAndContact`).
    pub(crate) fn file_tax_id(&mut self) -> bool {
        let on_file =
            |deeds: &Self| deeds.hypothesis.has_tax_id(deeds.now, deeds.platform, deeds.payee);
        // An unknown business would become the business that has the number.
        let lacks_one = on_file(self) == Some(false);
        let Some(face_value) = FaceValue::new(1).filter(|_| lacks_one) else { return false };
        FILED.into_iter().any(|number| {
            let sync = Operation::SyncInvoice(Box::new(InvoiceSync {
                invoice: "nobody's to know".into(),
                payee: party(self.payee, Some(number.to_string())),
                payor: some_payor(),
                status: InvoiceStatus::Voided,
                face_value,
                issue_date: self.now,
                due_date: self.now,
            }));
            self.operate(Revealed::default(), sync) && on_file(self) == Some(true)
        })
    }
}

pub(crate) fn details(legal_name: String, tax_id: Option<String>) -> BusinessDetails {
    BusinessDetails { legal_name, tax_id, contact: Contact::default() }
}

pub(crate) fn party(business: &str, tax_id: Option<String>) -> Party {
    Party { business: business.to_owned(), details: details(business.to_owned(), tax_id) }
}

pub(crate) fn some_payor() -> Party {
    party("somebody who owes", None)
}

fn some_address() -> Address {
    let some = || Some("somewhere".to_owned());
    Address { line1: some(), line2: None, city: some(), state: some(), postal_code: some() }
}
