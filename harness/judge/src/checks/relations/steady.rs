//! What is fundable stays so until a write: reads, quotes and refusals don't change it (`4.quotes.2`,
//! `7.retrying.2`).
//!
//! A timed transition can make an invoice fundable, but never the reverse.

use std::collections::{BTreeMap, BTreeSet};

use tideover_exchange::{Exchange, Prepared};
use tideover_model::wire::field::{self, Fields};
use tideover_model::{ActionKind, OperationKind, clause};

use crate::checks::relations::ledger::{BusinessName, InvoiceName, business, invoice};
use crate::checks::{Check, Notes};

/// A read or quote: its caller, path and body.
type Question = (Option<String>, String, Vec<u8>);

#[derive(Default)]
pub(super) struct Steady {
    /// What was fundable since the last possible change.
    fundable: BTreeMap<Question, ()>,
    /// The invoices that were not fundable since the last possible change.
    unfundable: BTreeSet<InvoiceName>,
    /// Whether a request for an advance was refused since then.
    refused: bool,
    /// Businesses that a read showed as fully onboarded, or that got an advance.
    onboarded: BTreeSet<BusinessName>,
    /// Whether someone paid. The booking may make room under the limit.
    was_paid: bool,
}

impl Check for Steady {
    fn miss(&mut self, _sent: &Prepared) {
        self.forget();
    }

    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        match exchange.acts() {
            Some(ActionKind::PayorPays) => self.was_paid = true,
            Some(ActionKind::TaxIdFoundWrong | ActionKind::Reset) => self.onboarded.clear(),
            _ => {}
        }
        // What was lost may take effect between any two responses.
        if exchange.unsettled {
            self.forget();
        }
        self.check_refusal(exchange, notes);
        self.learn_onboarded(exchange);
        let refused = exchange.seen.is_refused();
        let reads = exchange.kind().is_some_and(OperationKind::reads);
        let Some(call) = exchange.call().filter(|_| refused || reads) else {
            self.forget();
            return;
        };
        self.refused |= refused && exchange.kind() == Some(OperationKind::RequestAdvance);
        let clause = match exchange.kind() {
            Some(OperationKind::Quote) if self.refused => clause!("2.quote.fundable"),
            Some(OperationKind::Quote) => clause!("4.quotes.2"),
            Some(OperationKind::GetInvoice) => clause!("2.invoice.fundable"),
            _ => return,
        };
        let Some(fundable) =
            exchange.seen.success_body().and_then(|body| Fields::of(body).fundable())
        else {
            return;
        };
        let question =
            (exchange.sent.authorization.clone(), call.path.clone(), call.body().to_vec());
        if let Some(invoice) = invoice(exchange).filter(|_| !fundable) {
            self.unfundable.insert(invoice);
        }
        if fundable {
            self.fundable.insert(question, ());
            return;
        }
        let was = self.fundable.remove(&question).is_some();
        notes.expect(exchange, clause, !was, field::FUNDABLE, || {
            ("true, as before: nothing was written since", "false")
        });
    }
}

impl Steady {
    fn forget(&mut self) {
        self.fundable.clear();
        self.unfundable.clear();
        self.refused = false;
    }

    fn learn_onboarded(&mut self, exchange: &Exchange<'_>) {
        if exchange.success_of(OperationKind::RequestAdvance).is_some() {
            self.onboarded.extend(invoice(exchange).map(|(payee, _)| payee));
        }
        let Some(answer) = exchange.success_of(OperationKind::GetBusiness) else { return };
        let met = answer[field::ONBOARDING].as_object();
        if met.is_some_and(|met| met.len() >= 4 && met.values().all(|met| *met == true)) {
            self.onboarded.extend(business(exchange));
        }
    }

    /// An unfundable invoice is not financed at once, unless a timed transition can have ended.
    fn check_refusal(&self, exchange: &Exchange<'_>, notes: &mut Notes) {
        let Some(answer) = exchange.success_of(OperationKind::RequestAdvance) else { return };
        let Some(name) = invoice(exchange).filter(|name| self.unfundable.contains(name)) else {
            return;
        };
        let is_first = Fields::of(answer).already_requested() == Some(false);
        if self.was_paid || !self.onboarded.contains(&name.0) {
            return;
        }
        notes.expect(
            exchange,
            clause!("2.invoice.fundable"),
            !is_first,
            "fundable before the advance",
            || ("true, since the advance is granted", "false, just before"),
        );
    }
}
