//! What may have happened without being told: the moves by which an answer is explained.

use serde_json::Value;
use tideover_model::wire::reply::Reply;
use tideover_model::{
    Address, BusinessDetails, Cents, Contact, FaceValue, Happening, InvoiceSync, Operation,
    OperationKind, Party, PlatformId, Timestamp, VendorRoute,
};

use crate::judge::reading::{Told, amount};
use crate::judge::world::{Subject, World};
use crate::target::{Prepared, Seen};

/// Who moves the outside world of a target: the vendor, the bank, the payor, the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outside {
    /// The harness alone, through the operator port: only what takes its time happens by itself.
    Ours,
    /// Anybody, at any time.
    Open,
}

/// What of that which a run names may have been known to the target before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Before {
    /// Nothing.
    Nothing,
    /// Tax ids: some business may hold them.
    TaxIds,
    /// Anything.
    Anything,
}

/// Something that may have happened.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Move {
    /// A request that was not answered has been carried out.
    CarriedOut(usize),
    AccountOpened(String),
    FundingStarted(String, String),
    FundingCompleted(String, String),
    /// The vendor has cleared compliance.
    Cleared(String, VendorRoute),
    Signed(String),
    BankLinked(String),
    /// All of that.
    Onboarded(String),
    /// The tax id turned out to be wrong.
    FoundWrong(String),
    Paid(String, String, Cents),
    /// A receiver has answered 410, and the subscription is gone.
    Revoked(String),
    /// The import that is asked for stops after so many rows.
    Interrupted(usize),
    /// A business that nobody named holds the tax id.
    HeldBefore(String),
    /// The same, and then the request that tells it and was not answered has been carried out.
    HeldAndCarriedOut(String, usize),
    /// The vendor has given a tax id, which is not confirmed.
    Filed(String),
    /// The business was known before anything was sent, and so was its invoice.
    WasThere(String, Option<String>),
}

/// What may have happened in `world` before `sent` was answered with `seen`.
pub(crate) fn moves(
    world: &World,
    sent: &Prepared,
    seen: &Seen,
    now: Timestamp,
    outside: Outside,
    before: Before,
) -> Vec<Move> {
    let mut moves: Vec<Move> = (0..world.open.len()).map(Move::CarriedOut).collect();
    let Subject { platform, payee, invoice } = world.subject(sent);
    if before > Before::Nothing {
        moves.extend(world.tax_ids(sent).into_iter().map(Move::HeldBefore));
        let tells = |(index, open)| {
            let held = world.tax_ids(open).into_iter();
            held.map(move |tax_id| Move::HeldAndCarriedOut(tax_id, index))
        };
        moves.extend(world.open.iter().enumerate().flat_map(tells));
    }
    moves.extend(interruption(sent, seen));
    moves.extend(revocations(world, sent, platform, now));
    let Some(payee) = payee else { return moves };
    let known = world.look(now, platform, Operation::GetBusiness { business: payee.clone() });
    if known.is_none() && before == Before::Anything {
        moves.push(Move::WasThere(payee.clone(), invoice.clone()));
    }
    moves.push(Move::AccountOpened(payee.clone()));
    if let Some(invoice) = invoice.clone() {
        if known.is_some() && before == Before::Anything {
            moves.push(Move::WasThere(payee.clone(), Some(invoice.clone())));
        }
        moves.push(Move::FundingStarted(payee.clone(), invoice.clone()));
        moves.push(Move::FundingCompleted(payee.clone(), invoice));
    }
    if outside == Outside::Ours && !world.has_strangers() {
        return moves;
    }
    if let Some(invoice) = invoice {
        let told = seen.json().and_then(|body| amount(body, "collected"));
        let before = match world.look(
            now,
            platform,
            Operation::GetInvoice { payee: payee.clone(), invoice: invoice.clone() },
        ) {
            Some(Reply::Invoice(invoice)) => invoice.collected,
            _ => Cents::ZERO,
        };
        if let Some(more) = told.map(|told| told - before).filter(|more| more.0 > 0) {
            moves.push(Move::Paid(payee.clone(), invoice, more));
        }
    }
    moves.extend([
        Move::Cleared(payee.clone(), VendorRoute::VendorAssertion),
        Move::Cleared(payee.clone(), VendorRoute::W9Upload),
        Move::Signed(payee.clone()),
        Move::BankLinked(payee.clone()),
        Move::Onboarded(payee.clone()),
        Move::Filed(payee.clone()),
        Move::FoundWrong(payee),
    ]);
    moves
}

/// What the inbox answers 410 to is revoked once something was sent there (`6.delivery.2`): when, is nobody's to
/// say.
fn revocations(world: &World, sent: &Prepared, platform: PlatformId, now: Timestamp) -> Vec<Move> {
    let asks =
        [OperationKind::Subscribe, OperationKind::ListSubscriptions, OperationKind::Unsubscribe];
    if !sent.kind().is_some_and(|kind| asks.contains(&kind)) {
        return Vec::new();
    }
    let listed = world.look(now, platform, Operation::ListSubscriptions);
    let Some(Reply::Subscriptions(listed)) = listed else { return Vec::new() };
    let gone = listed.into_iter().filter(|one| one.url.contains("/gone"));
    gone.map(|one| Move::Revoked(one.reference)).collect()
}

/// An import may stop at any row (`4.imports.7`): how many were done is seen in its report.
fn interruption(sent: &Prepared, seen: &Seen) -> Vec<Move> {
    let report = seen.json().filter(|_| sent.kind() == Some(OperationKind::ImportInvoices));
    let stopped = report.filter(|report| report["finished"] == false);
    let rows = stopped.and_then(|report| report["rows"].as_array()).map(Vec::len);
    // Those that were done before are in it, too.
    rows.into_iter().flat_map(|rows| (0..=rows).rev()).take(8).map(Move::Interrupted).collect()
}

impl Move {
    /// Makes it happen in `world`; `false` if it cannot have happened.
    pub(crate) fn apply(
        &self,
        world: &mut World,
        platform: PlatformId,
        seen: &Seen,
        now: Timestamp,
    ) -> bool {
        let told = Told::by(seen);
        match self.clone() {
            Move::CarriedOut(index) => world.carry_out(index, told, now),
            Move::AccountOpened(payee) => open_account(world, platform, &payee, now),
            Move::FundingStarted(payee, invoice) => {
                world.happen(now, platform, Happening::FundingStarts { payee, invoice })
            }
            Move::FundingCompleted(payee, invoice) => {
                world.happen(now, platform, Happening::FundingCompletes { payee, invoice })
            }
            Move::Paid(payee, invoice, amount) => {
                world.happen(now, platform, Happening::PayorPays { payee, invoice, amount })
            }
            Move::Revoked(reference) => {
                let unsubscribe = Operation::Unsubscribe { reference };
                world.operate(now, platform, Told::default(), unsubscribe)
            }
            Move::Interrupted(after_rows) => {
                world.happen(now, platform, Happening::InterruptNextImport { after_rows })
            }
            Move::FoundWrong(payee) => {
                world.happen(now, platform, Happening::TaxIdFoundWrong { payee })
            }
            Move::HeldBefore(tax_id) => world.make_stranger(platform, tax_id, now),
            Move::HeldAndCarriedOut(tax_id, index) => {
                world.make_stranger(platform, tax_id, now) && world.carry_out(index, told, now)
            }
            Move::Filed(payee) => file_tax_id(world, platform, &payee, now),
            Move::Cleared(payee, route) => clear(world, platform, &payee, route, now),
            Move::Signed(payee) => sign(world, platform, &payee, now),
            Move::BankLinked(payee) => link_bank(world, platform, &payee, now),
            Move::Onboarded(payee) => onboard(world, platform, &payee, now),
            Move::WasThere(payee, invoice) => {
                let Some(answer) = seen.json().filter(|_| seen.is_success()) else { return false };
                match invoice {
                    None => adopt_business(world, platform, &payee, answer, now),
                    Some(invoice) => {
                        adopt_invoice(world, platform, &payee, &invoice, answer, told, now)
                    }
                }
            }
        }
    }
}

/// The bank verifies whatever address it knows (`gap.addressKnown`).
fn open_account(world: &mut World, platform: PlatformId, payee: &str, now: Timestamp) -> bool {
    let opens = || Happening::CollectionAccountOpens { payee: payee.to_owned() };
    if world.happen(now, platform, opens()) {
        return true;
    }
    let known = world.look(now, platform, Operation::GetBusiness { business: payee.to_owned() });
    let Some(Reply::Business(business)) = known else { return false };
    let contact = Contact { address: some_address(), ..Contact::default() };
    let details =
        BusinessDetails { legal_name: business.name.unwrap_or_default(), tax_id: None, contact };
    let sync = Operation::SyncBusiness { business: payee.to_owned(), details };
    world.operate(now, platform, Told::default(), sync) && world.happen(now, platform, opens())
}

/// The vendor has claimed its account, by an invitation or otherwise.
fn claim(world: &mut World, platform: PlatformId, payee: &str, now: Timestamp) -> bool {
    let (business, email) = (payee.to_owned(), "somebody@vendor.example".to_owned());
    let invite = Operation::Invite { business, email: email.clone() };
    let payee = payee.to_owned();
    world.operate(now, platform, Told::default(), invite)
        && world.happen(now, platform, Happening::VendorAcceptsInvitation { payee, email })
}

/// A vendor's move, for which it may have to claim its account first.
fn vendor(
    world: &mut World,
    platform: PlatformId,
    payee: &str,
    now: Timestamp,
    happening: &Happening,
) -> bool {
    world.happen(now, platform, happening.clone())
        || claim(world, platform, payee, now) && world.happen(now, platform, happening.clone())
}

fn clear(
    world: &mut World,
    platform: PlatformId,
    payee: &str,
    route: VendorRoute,
    now: Timestamp,
) -> bool {
    let confirms = |tax_id| Happening::VendorConfirmsTaxId { payee: payee.into(), route, tax_id };
    vendor(world, platform, payee, now, &confirms(None))
        || (0..100).any(|number| {
            // Which one the vendor gave is nobody's to know.
            let tax_id = format!("{}", 990_000_000 + number);
            world.happen(now, platform, confirms(Some(tax_id)))
        })
}

fn sign(world: &mut World, platform: PlatformId, payee: &str, now: Timestamp) -> bool {
    let payee_name = payee.to_owned();
    let signs = Happening::VendorSignsAgreement { payee: payee_name, address: some_address() };
    vendor(world, platform, payee, now, &signs)
}

fn link_bank(world: &mut World, platform: PlatformId, payee: &str, now: Timestamp) -> bool {
    let adds = Happening::VendorAddsBankAccount {
        payee: payee.to_owned(),
        account_number: "0000".into(),
        routing_number: "021000021".into(),
    };
    vendor(world, platform, payee, now, &adds)
}

/// Whatever is missing is there; `false` if nothing was.
fn onboard(world: &mut World, platform: PlatformId, payee: &str, now: Timestamp) -> bool {
    let business = || Operation::GetBusiness { business: payee.to_owned() };
    let Some(Reply::Business(before)) = world.look(now, platform, business()) else {
        return false;
    };
    let met = before.onboarding;
    if !met.compliance {
        clear(world, platform, payee, VendorRoute::VendorAssertion, now);
    }
    if !met.contract {
        sign(world, platform, payee, now);
    }
    if !met.bank {
        link_bank(world, platform, payee, now);
    }
    !met.collection_account && open_account(world, platform, payee, now)
}

/// What comes with an invoice is filed, and clears nothing (`gap.partyTaxIdAndContact`).
fn file_tax_id(world: &mut World, platform: PlatformId, payee: &str, now: Timestamp) -> bool {
    let party = |business: &str, tax_id| Party {
        business: business.to_owned(),
        details: BusinessDetails {
            legal_name: business.to_owned(),
            tax_id,
            contact: Contact::default(),
        },
    };
    let on_file = |world: &World| {
        let read = Operation::GetBusiness { business: payee.to_owned() };
        let told = world.look(now, platform, read);
        matches!(told, Some(Reply::Business(business)) if business.tax_id_on_file)
    };
    let Some(face_value) = FaceValue::new(1).filter(|_| !on_file(world)) else { return false };
    (0..100).any(|number| {
        let sync = Operation::SyncInvoice(Box::new(InvoiceSync {
            invoice: "nobody's to know".into(),
            payee: party(payee, Some(format!("{}", 970_000_000 + number))),
            payor: party("somebody who owes", None),
            status: tideover_model::wire::words::InvoiceStatus::Voided,
            face_value,
            issue_date: now,
            due_date: now,
        }));
        world.operate(now, platform, Told::default(), sync) && on_file(world)
    })
}

fn some_address() -> Address {
    let some = || Some("somewhere".to_owned());
    Address { line1: some(), line2: None, city: some(), state: some(), postal_code: some() }
}

/// A business, as its first answer tells it.
fn adopt_business(
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
    if !world.operate(now, platform, Told::default(), sync) {
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

/// A caller has filed some tax id that nobody holds.
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
        world.operate(now, platform, Told::default(), sync);
        let known = Operation::GetBusiness { business: payee.to_owned() };
        if let Some(Reply::Business(business)) = world.look(now, platform, known)
            && business.compliance_route.is_some()
        {
            return;
        }
    }
}

/// An invoice, as its first answer tells it.
fn adopt_invoice(
    world: &mut World,
    platform: PlatformId,
    payee: &str,
    invoice: &str,
    answer: &Value,
    told: Told,
    now: Timestamp,
) -> bool {
    let text = |name: &str| answer.get(name).and_then(Value::as_str);
    let date = |name: &str| text(name).and_then(Timestamp::parse);
    let face_value = answer.get("faceValue").and_then(Value::as_i64).and_then(FaceValue::new);
    let status = text("status").and_then(tideover_model::wire::words::InvoiceStatus::parse);
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
    let issued = tideover_model::wire::words::InvoiceStatus::Issued;
    let advance = answer.get("advance").filter(|advance| advance.is_object());
    let names = || (payee.to_owned(), invoice.to_owned());
    if !world.operate(now, platform, told, sync(if advance.is_some() { issued } else { status })) {
        return false;
    }
    let collected = amount(answer, "collected").unwrap_or(Cents::ZERO);
    if advance.is_some() || collected > Cents::ZERO {
        onboard(world, platform, payee, now);
    }
    if let Some(advance) = advance {
        let (payee, invoice) = names();
        let request = Operation::RequestAdvance { payee, invoice };
        world.operate(now, platform, told.granted(), request);
        let (payee, invoice) = names();
        world.estimate(platform, &payee, &invoice, told);
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
    world.operate(now, platform, told, sync(status))
}
