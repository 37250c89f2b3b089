//! What may have happened without being told: the moves by which an answer is explained.

mod adoption;
mod deeds;

use std::collections::BTreeSet;

use tideover_model::wire::reply::Reply;
use tideover_model::{
    ActionKind, Cents, Happening, Operation, OperationKind, PlatformId, Timestamp, VendorRoute,
};

use crate::endpoint::inbox::is_gone;
use crate::exchange::{Prepared, PreparedAction, Seen};
use crate::judge::comparison::is_known_outcome;
use crate::judge::hidden::adoption::{adopt_business, adopt_invoice};
use crate::judge::hidden::deeds::{
    clear, file_tax_id, link_bank, onboard, open_account, sign, supply_tax_id,
};
use crate::judge::reading::{Revealed, amount};
use crate::judge::world::{Subject, Unclear, World};

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
    /// The caller has synced a tax id elsewhere.
    Supplied(String),
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
    moves.extend(revocations(world, sent, platform, now, outside));
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
        let unstated: &[fn(String) -> Move] = match world.unclear(platform, &payee) {
            Some(Unclear::Cleared) => &[Move::Supplied, Move::Filed, Move::FoundWrong],
            Some(Unclear::OnFile) => &[Move::Filed],
            None => &[],
        };
        moves.extend(unstated.iter().map(|unstated| unstated(payee.clone())));
        return moves;
    }
    if let Some(invoice) = invoice {
        let revealed = seen.json().and_then(|body| amount(body, "collected"));
        let before = match world.look(
            now,
            platform,
            Operation::GetInvoice { payee: payee.clone(), invoice: invoice.clone() },
        ) {
            Some(Reply::Invoice(invoice)) => invoice.collected,
            _ => Cents::ZERO,
        };
        if let Some(more) = revealed.map(|revealed| revealed - before).filter(|more| more.0 > 0) {
            moves.push(Move::Paid(payee.clone(), invoice, more));
        }
    }
    moves.extend([
        Move::Cleared(payee.clone(), VendorRoute::VendorAssertion),
        Move::Cleared(payee.clone(), VendorRoute::W9Upload),
        Move::Supplied(payee.clone()),
        Move::Signed(payee.clone()),
        Move::BankLinked(payee.clone()),
        Move::Onboarded(payee.clone()),
        Move::Filed(payee.clone()),
        Move::FoundWrong(payee),
    ]);
    moves
}

/// What answers 410 is revoked once something was sent there (`6.delivery.2`): when, is nobody's to say. The inbox
/// does so where it is told to; what others do, who may have deleted it as well, is not known.
fn revocations(
    world: &World,
    sent: &Prepared,
    platform: PlatformId,
    now: Timestamp,
    outside: Outside,
) -> Vec<Move> {
    let asks =
        [OperationKind::Subscribe, OperationKind::ListSubscriptions, OperationKind::Unsubscribe];
    if !sent.kind().is_some_and(|kind| asks.contains(&kind)) {
        return Vec::new();
    }
    let listed = world.look(now, platform, Operation::ListSubscriptions);
    let Some(Reply::Subscriptions(listed)) = listed else { return Vec::new() };
    let may_be_gone = |url: &str| match world.hears(url) {
        true => is_gone(url),
        false => outside == Outside::Open,
    };
    let gone = listed.into_iter().filter(|one| may_be_gone(&one.url));
    gone.map(|one| Move::Revoked(one.reference)).collect()
}

/// An import may stop at any row (`4.imports.7`): how many were done is seen in its report, which may list those that
/// were not, too.
fn interruption(sent: &Prepared, seen: &Seen) -> Vec<Move> {
    let report = seen.json().filter(|_| sent.kind() == Some(OperationKind::ImportInvoices));
    let stopped = report.filter(|report| report["finished"] == false);
    let Some(rows) = stopped.and_then(|report| report["rows"].as_array()) else {
        return Vec::new();
    };
    let at_least = rows.iter().filter(|row| is_known_outcome(&row["outcome"])).count();
    // Those that were done before are in it, too.
    let downwards = |rows: usize| (0..=rows).rev().take(8);
    let done: BTreeSet<usize> = downwards(rows.len()).chain(downwards(at_least)).collect();
    done.into_iter().rev().map(Move::Interrupted).collect()
}

/// Does in `world` what an action asks for, whatever stands in its way; `false` where that cannot be done.
pub(crate) fn do_as_the_port_says(
    world: &mut World,
    sent: &Prepared,
    platform: PlatformId,
    now: Timestamp,
) -> bool {
    let PreparedAction::Act(fields) = &sent.action else { return false };
    let Some(payee) = world.subject(sent).payee else { return false };
    let is_w9 = fields.get("route").is_some_and(|route| route == "W9_UPLOAD");
    let route = if is_w9 { VendorRoute::W9Upload } else { VendorRoute::VendorAssertion };
    match sent.acts() {
        Some(ActionKind::VendorConfirmsTaxId) => clear(world, platform, &payee, route, now),
        Some(ActionKind::VendorSignsAgreement) => sign(world, platform, &payee, now),
        Some(ActionKind::VendorAddsBankAccount) => link_bank(world, platform, &payee, now),
        Some(ActionKind::CollectionAccountOpens) => open_account(world, platform, &payee, now),
        _ => false,
    }
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
        let revealed = Revealed::by(seen);
        match self.clone() {
            Move::CarriedOut(index) => world.carry_out(index, revealed, now),
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
                world.operate(now, platform, Revealed::default(), unsubscribe)
            }
            Move::Interrupted(after_rows) => {
                world.happen(now, platform, Happening::InterruptNextImport { after_rows })
            }
            Move::FoundWrong(payee) => {
                world.happen(now, platform, Happening::TaxIdFoundWrong { payee })
            }
            Move::HeldBefore(tax_id) => world.make_stranger(platform, tax_id, now),
            Move::HeldAndCarriedOut(tax_id, index) => {
                world.make_stranger(platform, tax_id, now) && world.carry_out(index, revealed, now)
            }
            Move::Filed(payee) => file_tax_id(world, platform, &payee, now),
            Move::Supplied(payee) => supply_tax_id(world, platform, &payee, now),
            Move::Cleared(payee, route) => clear(world, platform, &payee, route, now),
            Move::Signed(payee) => sign(world, platform, &payee, now),
            Move::BankLinked(payee) => link_bank(world, platform, &payee, now),
            Move::Onboarded(payee) => onboard(world, platform, &payee, now),
            Move::WasThere(payee, invoice) => {
                let Some(answer) = seen.success_body() else { return false };
                match invoice {
                    None => adopt_business(world, platform, &payee, answer, now),
                    Some(invoice) => {
                        adopt_invoice(world, platform, &payee, &invoice, answer, revealed, now)
                    }
                }
            }
        }
    }
}
