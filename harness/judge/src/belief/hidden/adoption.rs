//! Businesses and invoices that predate the run, rebuilt from the first response about them.

use serde_json::Value;
use tideover_model::wire::field::{self, Fields};
use tideover_model::wire::reply::Reply;
use tideover_model::{
    BusinessDetails, Cents, Contact, FaceValue, Happening, InvoiceSync, Operation, Party,
    PlatformId, Timestamp, VendorRoute,
};

use crate::belief::hypothesis::deeds::{clear, link_bank, onboard, open_account, sign};
use crate::belief::reading::{Revealed, amount};
use crate::belief::hypothesis::Hypothesis;

/// Adds a business as the first response shows it.
pub(super) fn adopt_business(
    hypothesis: &mut Hypothesis,
    platform: PlatformId,
    payee: &str,
    answer: &Value,
    now: Timestamp,
) -> bool {
    let name = Fields::of(answer).name().unwrap_or(payee);
    let details =
        BusinessDetails { legal_name: name.to_owned(), tax_id: None, contact: Contact::default() };
    let sync = Operation::SyncBusiness { business: payee.to_owned(), details: details.clone() };
    if !hypothesis.operate(now, platform, Revealed::default(), sync) {
        return false;
    }
    let is_met = |name: &str| answer.get(field::ONBOARDING).is_some_and(|met| met[name] == true);
    match Fields::of(answer).compliance_route() {
        Some("PARTNER_SUPPLIED") => supply_tax_id(hypothesis, platform, payee, &details, now),
        Some("W9_UPLOAD") => {
            clear(hypothesis, platform, payee, VendorRoute::W9Upload, now);
        }
        Some(_) => {
            clear(hypothesis, platform, payee, VendorRoute::VendorAssertion, now);
        }
        None => {}
    }
    if is_met("contract") {
        sign(hypothesis, platform, payee, now);
    }
    if is_met("bank") {
        link_bank(hypothesis, platform, payee, now);
    }
    if is_met(field::COLLECTION_ACCOUNT) {
        open_account(hypothesis, platform, payee, now);
    }
    true
}

/// Lets a caller file a tax id that no one holds.
fn supply_tax_id(
    hypothesis: &mut Hypothesis,
    platform: PlatformId,
    payee: &str,
    details: &BusinessDetails,
    now: Timestamp,
) {
    for number in 0..100 {
        let tax_id = Some(format!("{}", 980_000_000 + number));
        let details = BusinessDetails { tax_id, ..details.clone() };
        let sync = Operation::SyncBusiness { business: payee.to_owned(), details };
        hypothesis.operate(now, platform, Revealed::default(), sync);
        let known = Operation::GetBusiness { business: payee.to_owned() };
        if let Some(Reply::Business(business)) = hypothesis.look(now, platform, known)
            && business.compliance_route.is_some()
        {
            return;
        }
    }
}

/// Adds an invoice as the first response shows it.
pub(super) fn adopt_invoice(
    hypothesis: &mut Hypothesis,
    platform: PlatformId,
    payee: &str,
    invoice: &str,
    answer: &Value,
    revealed: Revealed,
    now: Timestamp,
) -> bool {
    let text = |name: &str| answer.get(name).and_then(Value::as_str);
    let date = |name: &str| text(name).and_then(Timestamp::parse);
    let face_value = Fields::of(answer).face_value().and_then(FaceValue::new);
    let status = text(field::STATUS).and_then(tideover_model::words::InvoiceStatus::parse);
    let (Some(face_value), Some(status), Some(issue_date), Some(due_date)) =
        (face_value, status, date(field::ISSUE_DATE), date(field::DUE_DATE))
    else {
        return false;
    };
    let party = |business: &str| Party {
        business: business.to_owned(),
        details: BusinessDetails {
            legal_name: business.to_owned(),
            tax_id: None,
            contact: Contact::default(),
        },
    };
    let sync = |status| {
        Operation::SyncInvoice(Box::new(InvoiceSync {
            invoice: invoice.to_owned(),
            payee: party(payee),
            payor: party("somebody who owes"),
            status,
            face_value,
            issue_date,
            due_date,
        }))
    };
    let issued = tideover_model::words::InvoiceStatus::Issued;
    let advance = Fields::of(answer).advance();
    let first = if advance.is_some() { issued } else { status };
    if !hypothesis.operate(now, platform, revealed, sync(first)) {
        return false;
    }
    let collected = amount(answer, field::COLLECTED).unwrap_or(Cents::ZERO);
    if advance.is_some() || collected > Cents::ZERO {
        onboard(hypothesis, platform, payee, now);
    }
    let names = || (payee.to_owned(), invoice.to_owned());
    if let Some(advance) = advance {
        adopt_advance(hypothesis, platform, names, advance, revealed, now);
    }
    if collected > Cents::ZERO {
        let (payee, invoice) = names();
        let pays = Happening::PayorPays { payee, invoice, amount: collected };
        hypothesis.happen(now, platform, pays);
    }
    hypothesis.operate(now, platform, revealed, sync(status))
}

/// Requests an advance and brings it to the state that the first response shows.
fn adopt_advance(
    hypothesis: &mut Hypothesis,
    platform: PlatformId,
    names: impl Fn() -> (String, String),
    advance: Fields<'_>,
    revealed: Revealed,
    now: Timestamp,
) {
    let (payee, invoice) = names();
    let request = Operation::RequestAdvance { payee, invoice };
    hypothesis.operate(now, platform, revealed.granted(), request);
    let (payee, invoice) = names();
    hypothesis.estimate(platform, &payee, &invoice, revealed);
    let state = advance.state().unwrap_or_default();
    if state != "REQUESTED" {
        let (payee, invoice) = names();
        hypothesis.happen(now, platform, Happening::FundingStarts { payee, invoice });
    }
    if matches!(state, "FUNDED" | "REPAID") {
        let (payee, invoice) = names();
        hypothesis.happen(now, platform, Happening::FundingCompletes { payee, invoice });
    }
}
