//! What others do to bring about a state. Each function first removes every obstacle.

use tideover_model::wire::reply;
use tideover_model::wire::reply::Reply;
use tideover_model::{
    Address, BusinessDetails, Contact, FaceValue, Happening, InvoiceSync, Operation, Party,
    PlatformId, Timestamp, VendorRoute,
};

use crate::belief::reading::Revealed;
use crate::belief::hypothesis::Hypothesis;

/// A business as `hypothesis` shows it.
fn business(
    hypothesis: &Hypothesis,
    platform: PlatformId,
    payee: &str,
    now: Timestamp,
) -> Option<reply::Business> {
    match hypothesis.look(now, platform, Operation::GetBusiness { business: payee.to_owned() })? {
        Reply::Business(business) => Some(business),
        _ => None,
    }
}

/// The bank verifies any address it knows (`gap.addressKnown`).
pub(super) fn open_account(
    hypothesis: &mut Hypothesis,
    platform: PlatformId,
    payee: &str,
    now: Timestamp,
) -> bool {
    let opens = || Happening::CollectionAccountOpens { payee: payee.to_owned() };
    if hypothesis.happen(now, platform, opens()) {
        return true;
    }
    let Some(business) = business(hypothesis, platform, payee, now) else { return false };
    let contact = Contact { address: some_address(), ..Contact::default() };
    let details =
        BusinessDetails { legal_name: business.name.unwrap_or_default(), tax_id: None, contact };
    let sync = Operation::SyncBusiness { business: payee.to_owned(), details };
    hypothesis.operate(now, platform, Revealed::default(), sync) && hypothesis.happen(now, platform, opens())
}

/// The vendor claims its account, by an invitation or otherwise.
fn claim(hypothesis: &mut Hypothesis, platform: PlatformId, payee: &str, now: Timestamp) -> bool {
    let (business, email) = (payee.to_owned(), "somebody@vendor.example".to_owned());
    let invite = Operation::Invite { business, email: email.clone() };
    let payee = payee.to_owned();
    hypothesis.operate(now, platform, Revealed::default(), invite)
        && hypothesis.happen(now, platform, Happening::VendorAcceptsInvitation { payee, email })
}

/// A vendor's move. The vendor may have to claim its account first.
fn vendor(
    hypothesis: &mut Hypothesis,
    platform: PlatformId,
    payee: &str,
    now: Timestamp,
    happening: &Happening,
) -> bool {
    hypothesis.happen(now, platform, happening.clone())
        || claim(hypothesis, platform, payee, now) && hypothesis.happen(now, platform, happening.clone())
}

pub(super) fn clear(
    hypothesis: &mut Hypothesis,
    platform: PlatformId,
    payee: &str,
    route: VendorRoute,
    now: Timestamp,
) -> bool {
    let confirms = |tax_id| Happening::VendorConfirmsTaxId { payee: payee.into(), route, tax_id };
    vendor(hypothesis, platform, payee, now, &confirms(None))
        || (0..100).any(|number| {
            // Which tax id the vendor gave is unknown.
            let tax_id = format!("{}", 990_000_000 + number);
            hypothesis.happen(now, platform, confirms(Some(tax_id)))
        })
}

pub(super) fn sign(hypothesis: &mut Hypothesis, platform: PlatformId, payee: &str, now: Timestamp) -> bool {
    let payee_name = payee.to_owned();
    let signs = Happening::VendorSignsAgreement { payee: payee_name, address: some_address() };
    vendor(hypothesis, platform, payee, now, &signs)
}

pub(super) fn link_bank(
    hypothesis: &mut Hypothesis,
    platform: PlatformId,
    payee: &str,
    now: Timestamp,
) -> bool {
    let adds = Happening::VendorAddsBankAccount {
        payee: payee.to_owned(),
        account_number: "0000".into(),
        routing_number: "021000021".into(),
    };
    vendor(hypothesis, platform, payee, now, &adds)
}

/// Completes every missing requirement. `false` if none was missing.
pub(super) fn onboard(
    hypothesis: &mut Hypothesis,
    platform: PlatformId,
    payee: &str,
    now: Timestamp,
) -> bool {
    let Some(before) = business(hypothesis, platform, payee, now) else { return false };
    let met = before.onboarding;
    if !met.compliance {
        clear(hypothesis, platform, payee, VendorRoute::VendorAssertion, now);
    }
    if !met.contract {
        sign(hypothesis, platform, payee, now);
    }
    if !met.bank {
        link_bank(hypothesis, platform, payee, now);
    }
    !met.collection_account && open_account(hypothesis, platform, payee, now)
}

/// Another holder of the caller's key syncs some tax id.
pub(super) fn supply_tax_id(
    hypothesis: &mut Hypothesis,
    platform: PlatformId,
    payee: &str,
    now: Timestamp,
) -> bool {
    let known = |hypothesis: &Hypothesis| business(hypothesis, platform, payee, now);
    let Some(before) = known(hypothesis).filter(|business| !business.onboarding.compliance) else {
        return false;
    };
    (0..100).any(|number| {
        let details = BusinessDetails {
            legal_name: before.name.clone().unwrap_or_default(),
            tax_id: Some(format!("{}", 950_000_000 + number)),
            contact: Contact::default(),
        };
        let sync = Operation::SyncBusiness { business: payee.to_owned(), details };
        hypothesis.operate(now, platform, Revealed::default(), sync)
            && known(hypothesis).is_some_and(|business| business.onboarding.compliance)
    })
}

/// A tax id that comes with an invoice is filed, and clears nothing (`gap.partyTaxIdAndContact`).
pub(super) fn file_tax_id(
    hypothesis: &mut Hypothesis,
    platform: PlatformId,
    payee: &str,
    now: Timestamp,
) -> bool {
    let party = |business: &str, tax_id| Party {
        business: business.to_owned(),
        details: BusinessDetails {
            legal_name: business.to_owned(),
            tax_id,
            contact: Contact::default(),
        },
    };
    let on_file = |hypothesis: &Hypothesis| hypothesis.has_tax_id(now, platform, payee);
    // An unknown business would become the business that has the number.
    let lacks_one = on_file(hypothesis) == Some(false);
    let Some(face_value) = FaceValue::new(1).filter(|_| lacks_one) else { return false };
    (0..100).any(|number| {
        let sync = Operation::SyncInvoice(Box::new(InvoiceSync {
            invoice: "nobody's to know".into(),
            payee: party(payee, Some(format!("{}", 970_000_000 + number))),
            payor: party("somebody who owes", None),
            status: tideover_model::words::InvoiceStatus::Voided,
            face_value,
            issue_date: now,
            due_date: now,
        }));
        hypothesis.operate(now, platform, Revealed::default(), sync) && on_file(hypothesis) == Some(true)
    })
}

fn some_address() -> Address {
    let some = || Some("somewhere".to_owned());
    Address { line1: some(), line2: None, city: some(), state: some(), postal_code: some() }
}
