//! An invoice shown as fundable is not refused, and the reverse (`2.invoice.fundable.2`).

use serde_json::Value;
use tideover_exchange::Exchange;
use tideover_model::wire::field::{self, Fields};
use tideover_model::{Code, OperationKind, PlatformId, Status, clause};

use crate::checks::{Check, Notes};

/// The last invoice read: its platform, its path, and whether it is fundable.
#[derive(Default)]
pub(super) struct Fundable {
    read: Option<(Option<PlatformId>, String, bool)>,
}

/// The same check for a target whose hidden moves can make an invoice fundable, but never the reverse. Only
/// the harness moves the outside world.
#[derive(Default)]
pub(super) struct NotRefused {
    fundable: Fundable,
}

impl Check for NotRefused {
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        let was_fundable = self.fundable.read.as_ref().is_some_and(|(.., fundable)| *fundable);
        // A refusal for an unlisted reason says nothing about the listed ones.
        let listed = exchange.seen.code().and_then(Code::parse).is_some_and(|code| {
            matches!(code.status(), Status::Assumed(_) | Status::Documented(409))
        });
        let otherwise = !exchange.seen.is_success() && !listed;
        if exchange.unsettled
            || otherwise
            || (!was_fundable && exchange.kind() == Some(OperationKind::RequestAdvance))
        {
            self.fundable.read = None;
        }
        self.fundable.observe(exchange, notes);
    }
}

impl Check for Fundable {
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        let Some(kind) = exchange.kind() else {
            self.read = None;
            return;
        };
        if let Some(invoice) = exchange.success_of(OperationKind::GetInvoice) {
            let fundable = Fields::of(invoice).fundable();
            let path = exchange.call().map(|call| call.path.clone()).unwrap_or_default();
            self.read = fundable.map(|fundable| (exchange.platform, path, fundable));
            reason_goes_with_it(exchange, invoice, notes);
        } else if kind == OperationKind::RequestAdvance {
            self.compare(exchange, notes);
        } else if !kind.reads() {
            self.read = None;
        }
    }
}

impl Fundable {
    fn compare(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        let Some((reader, path, fundable)) = self.read.take() else { return };
        let Some((payee, invoice)) = exchange.asked_advance() else { return };
        let same = path == OperationKind::GetInvoice.path_of(&[&payee, &invoice]);
        if !same || reader != exchange.platform || exchange.seen.status == 502 {
            return;
        }
        let clause = clause!("2.invoice.fundable.2");
        let status = || exchange.seen.status.to_string();
        if fundable {
            let accepted = exchange.seen.is_success();
            let evidence = || ("a success: it was shown as fundable", status());
            notes.expect(exchange, clause, accepted, "status", evidence);
        } else {
            let repeat = exchange.seen.json().and_then(|body| Fields::of(body).already_requested());
            let made = exchange.seen.is_success() && repeat != Some(true);
            let evidence = || ("a refusal: it was shown as not fundable", status());
            notes.expect(exchange, clause, !made, "status", evidence);
        }
    }
}

fn reason_goes_with_it(exchange: &Exchange<'_>, invoice: &Value, notes: &mut Notes) {
    let fundable = Fields::of(invoice).fundable().unwrap_or_default();
    let reason = invoice.get(field::NOT_FUNDABLE_REASON);
    let fits = match reason {
        Some(Value::Null) => fundable,
        Some(Value::String(_)) => !fundable,
        _ => false,
    };
    let clause = clause!("2.invoice.notFundableReason");
    notes.expect(exchange, clause, fits, field::NOT_FUNDABLE_REASON, || {
        let shown = reason.unwrap_or(&Value::Null);
        ("a reason if and only if not fundable", format!("fundable {fundable}, reason {shown}"))
    });
}
