//! An invoice shown as fundable is not refused, and the reverse (`2.invoice.fundable.2`).

use std::collections::BTreeSet;

use serde_json::Value;
use tideover_exchange::{Exchange, PreparedCall};
use tideover_model::wire::field::{self, Fields};
use tideover_model::wire::schema::find;
use tideover_model::{Code, Operation, OperationKind, PlatformId, Status, clause};

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
    /// The businesses that have completed onboarding, by their platforms: nothing hidden is left that could make an
    /// invoice of theirs fundable. Forgotten with the next step that may change them.
    complete: BTreeSet<(Option<PlatformId>, String)>,
}

impl NotRefused {
    fn learn(&mut self, exchange: &Exchange<'_>) {
        let leaves_businesses = exchange.kind().is_some_and(|kind| {
            kind.reads()
                || matches!(kind, OperationKind::SyncInvoice | OperationKind::RequestAdvance)
        });
        if !leaves_businesses {
            self.complete.clear();
        }
        let Some(Operation::GetBusiness { business }) =
            exchange.call().and_then(PreparedCall::operation)
        else {
            return;
        };
        let Some(shown) = exchange.success_of(OperationKind::GetBusiness) else { return };
        let requirements = shown.get(field::ONBOARDING).and_then(Value::as_object);
        let documented = find(OperationKind::GetBusiness.reply_fields(), [field::ONBOARDING]);
        let is_complete = requirements.zip(documented).is_some_and(|(met, documented)| {
            let mut names = documented.within().iter().map(|field| field.name);
            names.all(|name| met.get(name) == Some(&Value::Bool(true)))
        });
        let named = (exchange.platform, business.clone());
        if is_complete {
            self.complete.insert(named)
        } else {
            self.complete.remove(&named)
        };
    }

    /// Whether the payee of an advance has completed onboarding.
    fn is_complete(&self, exchange: &Exchange<'_>) -> bool {
        let asked = exchange.asked_advance();
        asked.is_some_and(|(payee, _)| self.complete.contains(&(exchange.platform, payee)))
    }
}

impl Check for NotRefused {
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        let was_fundable = self.fundable.read.as_ref().is_some_and(|(.., fundable)| *fundable);
        // A refusal for an unlisted reason says nothing about the listed ones.
        let listed = exchange.seen.code().and_then(Code::parse).is_some_and(is_of_state);
        let otherwise = !exchange.seen.is_success() && !listed;
        self.learn(exchange);
        if exchange.unsettled
            || otherwise
            || (!was_fundable
                && exchange.kind() == Some(OperationKind::RequestAdvance)
                && !self.is_complete(exchange))
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
        // A request that cannot be read is refused for that.
        let is_unread = exchange.predicted_refusal.is_some_and(|(code, _)| !is_of_state(code));
        if !same || reader != exchange.platform || exchange.seen.status == 502 || is_unread {
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

/// Whether a refusal says something of what is asked about, and not of the request alone.
pub(super) fn is_of_state(code: Code) -> bool {
    matches!(code.status(), Status::Assumed(_) | Status::Documented(409))
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
