//! What was outstanding with a business once can be outstanding again (`8.concentrationLimit`).
//!
//! What counts as outstanding is not stated, so nothing is added up. The check compares two moments: all that may be
//! outstanding now was outstanding then, too, with more of no smaller invoices that is repaid since. So there is room.

use tideover_exchange::{Exchange, Prepared, PreparedAction};
use tideover_model::wire::field::Fields;
use tideover_model::words::AdvanceState;
use tideover_model::{Code, Operation, OperationKind, clause};

use crate::checks::meanings::Proof;
use crate::checks::relations::ledger::{
    BusinessName, InvoiceName, SyncedInvoices, acted_on_invoice, caller, invoice,
};
use crate::checks::{Check, Notes, is_reset};

/// So many advances of one size must be repaid where others are still outstanding: the fees of these may count only
/// later.
const ENOUGH: usize = 2;

/// An advance of the case. A moment is the number of a step.
#[derive(Debug)]
struct Granted {
    invoice: InvoiceName,
    /// The face value that it finances. Cents.
    face: i64,
    at: u64,
    /// When something happened to it or its invoice first. Less may be outstanding since.
    touched: Option<u64>,
    is_repaid: bool,
}

#[derive(Default)]
pub(super) struct FormerRoom {
    synced: SyncedInvoices,
    step: u64,
    granted: Vec<Granted>,
    /// Whom the limit refused an advance, and when.
    refused: Vec<(BusinessName, u64)>,
    /// When the clock was last moved: prices and transitions depend on it.
    moved: u64,
    /// Whether a request was lost that may have changed what is outstanding.
    is_unsure: bool,
}

impl Check for FormerRoom {
    fn miss(&mut self, _sent: &Prepared) {
        self.is_unsure = true;
    }

    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        if is_reset(exchange) {
            *self = FormerRoom::default();
        }
        self.step += 1;
        if let PreparedAction::Advance(_) = exchange.sent.action {
            self.moved = self.step;
        }
        self.learn_touched(exchange);
        self.synced.learn(exchange);
        match exchange.kind() {
            Some(OperationKind::GetInvoice) => self.learn_repaid(exchange),
            Some(OperationKind::RequestAdvance) => self.request(exchange, notes),
            _ => {}
        }
    }
}

impl FormerRoom {
    /// Learns from a sync of an invoice with an advance, and from what happens to it outside.
    fn learn_touched(&mut self, exchange: &Exchange<'_>) {
        let operation = exchange.call().and_then(|call| call.operation());
        let synced = operation
            .into_iter()
            .flat_map(Operation::syncs)
            .map(|sync| ((caller(exchange), sync.payee.business.clone()), sync.invoice.clone()));
        let named: Vec<InvoiceName> = synced.chain(acted_on_invoice(exchange)).collect();
        for one in self.granted.iter_mut().filter(|one| named.contains(&one.invoice)) {
            one.touched.get_or_insert(self.step);
        }
    }

    fn learn_repaid(&mut self, exchange: &Exchange<'_>) {
        let read = invoice(exchange).zip(exchange.seen.success_body());
        let Some((name, body)) = read else { return };
        let state = Proof::of(OperationKind::GetInvoice, body).state();
        for one in self.granted.iter_mut().filter(|one| one.invoice == name) {
            one.is_repaid |= state == Some(AdvanceState::Repaid);
        }
    }

    fn request(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        let Some(name) = invoice(exchange) else { return };
        let Some(face) = self.synced.face(&name) else { return };
        let answer = exchange.seen.success_body();
        if answer.and_then(|body| Fields::of(body).already_requested()) == Some(false) {
            let (at, touched, is_repaid) = (self.step, None, false);
            self.granted.push(Granted { invoice: name, face, at, touched, is_repaid });
            return;
        }
        if exchange.seen.code() != Some(Code::ConcentrationExceeded.name()) {
            return;
        }
        let room = self.former_room(&name.0, face).filter(|_| !self.is_unsure);
        notes.expect(exchange, clause!("8.concentrationLimit"), room.is_none(), "code", || {
            let (then, repaid) = room.unwrap_or_default();
            let due =
                format!("room: {repaid} of {then} advances of no smaller invoices are repaid");
            (due, Code::ConcentrationExceeded.name())
        });
        self.refused.push((name.0, self.step));
    }

    /// How many advances were outstanding at a moment with all that may be now, and how many of these are repaid, if
    /// they leave room for this face value. Cents.
    fn former_room(&self, payee: &BusinessName, face: i64) -> Option<(usize, usize)> {
        self.granted.iter().rev().map(|one| one.at).find_map(|then| {
            // The limit counted them as they were.
            let full = self.refused.iter().find(|(by, at)| by == payee && *at > then)?.1;
            let is_at_rest = |one: &Granted| one.at <= then && one.touched.is_none();
            let freed = |one: &&Granted| {
                let was_full = one.touched.is_some_and(|touched| touched > full);
                one.invoice.0 == *payee && one.at <= then && one.is_repaid && was_full
            };
            let (repaid, left): (Vec<&Granted>, Vec<&Granted>) =
                self.granted.iter().partition(freed);
            // Other names may be names of the same business.
            let is_same = self.moved < then && left.iter().all(|one| is_at_rest(one));
            let is_enough = repaid.len() >= ENOUGH || !repaid.is_empty() && left.is_empty();
            let is_greater = repaid.iter().all(|one| one.face >= face);
            let all = left.len() + repaid.len();
            (is_same && is_enough && is_greater).then_some((all, repaid.len()))
        })
    }
}
