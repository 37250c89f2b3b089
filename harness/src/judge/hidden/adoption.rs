//! Businesses and invoices that predate the run, rebuilt from the first response about them.

use serde_json::Value;
use tideover_model::wire::reply::Reply;
use tideover_model::{
    BusinessDetails, Cents, Contact, FaceValue, Happening, InvoiceSync, Operation, Party,
    PlatformId, Timestamp, VendorRoute,
};

use crate::judge::hidden::deeds::{clear, link_bank, onboard, open_account, sign};
use crate::judge::reading::{Revealed, amount};
use crate::judge::world::World;

/// Adds a business as the first response shows it.
pub(super) fn adopt_business(
    world: &mut World,
    platform: PlatformId,
    payee: &str,
    answer: &Value,
    now: Timestamp,
) -> bool {
    let name = answer.get("name").and_then(Value::as_str).unwrap_or(payee);
    let details =
        BusinessDetails { legal_name: name.to_owned(), tax_id: None, contact: Contact::default() };
    let sync = Operation::SyncBusiness { business: payee.to_owned(), details: details.clone() };
    if !world.operate(now, platform, Revealed::default(), sync) {
        return false;
    }
    let is_met = |name: &str| answer.get("onboarding").is_some_and(|met| met[name] == true);
    match answer.get("complianceRoute").and_then(Value::as_str) {
        Some("PARTNER_SUPPLIED") => supply_tax_id(world, platform, payee, &details, now),
        Some("W9_UPLOAD") => {
            clear(world, platform, payee, VendorRoute::W9Upload, now);
        }
        Some(_) => {
            clear(world, platform, payee, VendorRoute::VendorAssertion, now);
        }
        None => {}
    }
    if is_met("contract") {
        sign(world, platform, payee, now);
    }
    if is_met("bank") {
        link_bank(world, platform, payee, now);
    }
    if is_met("collectionAccount") {
        open_account(world, platform, payee, now);
    }
    true
}

/// Lets a caller file a tax id that no one holds.
fn supply_tax_id(
    world: &mut World,
    platform: PlatformId,
    payee: &str,
    details: &BusinessDetails,
    now: Timestamp,
) {
    for number in 0..100 {
        let tax_id = Some(format!("{}", 980_000_000 + number));
        let details = BusinessDetails { tax_id, ..details.clone() };
        let sync = Operation::SyncBusiness { business: payee.to_owned(), details };
        world.operate(now, platform, Revealed::default(), sync);
        let known = Operation::GetBusiness { business: payee.to_owned() };
        if let Some(Reply::Business(business)) = world.look(now, platform, known)
            && business.compliance_route.is_some()
        {
            return;
        }
    }
}

/// Adds an invoice as the first response shows it.
pub(super) fn adopt_invoice(
    world: &mut World,
    platform: PlatformId,
    payee: &str,
    invoice: &str,
    answer: &Value,
    revealed: Revealed,
    now: Timestamp,
) -> bool {
    let text = |name: &str| answer.get(name).and_then(Value::as_str);
    let date = |name: &str| text(name).and_then(Timestamp::parse);
    let face_value = answer.get("faceValue").and_then(Value::as_i64).and_then(FaceValue::new);
    let status = text("status").and_then(tideover_model::words::InvoiceStatus::parse);
    let (Some(face_value), Some(status), Some(issue_date), Some(due_date)) =
        (face_value, status, date("issueDate"), date("dueDate"))
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
    let advance = answer.get("advance").filter(|advance| advance.is_object());
    let names = || (payee.to_owned(), invoice.to_owned());
    if !world.operate(
        now,
        platform,
        revealed,
        sync(if advance.is_some() { issued } else { status }),
    ) {
        return false;
    }
    let collected = amount(answer, "collected").unwrap_or(Cents::ZERO);
    if advance.is_some() || collected > Cents::ZERO {
        onboard(world, platform, payee, now);
    }
    if let Some(advance) = advance {
        let (payee, invoice) = names();
        let request = Operation::RequestAdvance { payee, invoice };
        world.operate(now, platform, revealed.granted(), request);
        let (payee, invoice) = names();
        world.estimate(platform, &payee, &invoice, revealed);
        let state = advance.get("state").and_then(Value::as_str).unwrap_or_default();
        if state != "REQUESTED" {
            let (payee, invoice) = names();
            world.happen(now, platform, Happening::FundingStarts { payee, invoice });
        }
        if matches!(state, "FUNDED" | "REPAID") {
            let (payee, invoice) = names();
            world.happen(now, platform, Happening::FundingCompletes { payee, invoice });
        }
    }
    if collected > Cents::ZERO {
        let (payee, invoice) = names();
        let pays = Happening::PayorPays { payee, invoice, amount: collected };
        world.happen(now, platform, pays);
    }
    world.operate(now, platform, revealed, sync(status))
}
