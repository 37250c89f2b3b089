//! What can be financed stays so while nothing but reads, quotes and refusals go on (`4.quotes.2`, `7.retrying.2`).
//!
//! What takes its time may make something fundable, and never the other way round.

use std::collections::BTreeMap;

use tideover_model::{OperationKind, clause};

use crate::checks::{Check, Exchange, Notes};
use crate::target::Prepared;

/// What is asked: whose request it is, its path, and its body.
type Question = (Option<String>, String, Vec<u8>);

#[derive(Default)]
pub(super) struct Steady {
    /// What was fundable since anything could change.
    fundable: BTreeMap<Question, ()>,
    /// Whether a request for an advance was refused since.
    refused: bool,
}

impl Check for Steady {
    fn miss(&mut self, _sent: &Prepared) {
        self.fundable.clear();
    }

    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        let refused = (400..500).contains(&exchange.seen.status);
        let reads = exchange.kind().is_some_and(OperationKind::reads);
        let Some(call) = exchange.call().filter(|_| refused || reads) else {
            self.fundable.clear();
            self.refused = false;
            return;
        };
        self.refused |= refused && exchange.kind() == Some(OperationKind::RequestAdvance);
        let clause = match exchange.kind() {
            Some(OperationKind::Quote) if self.refused => clause!("2.quote.fundable"),
            Some(OperationKind::Quote) => clause!("4.quotes.2"),
            Some(OperationKind::GetInvoice) => clause!("2.invoice.fundable"),
            _ => return,
        };
        let Some(told) =
            exchange.seen.told_in_success().and_then(|told| told["fundable"].as_bool())
        else {
            return;
        };
        let question =
            (exchange.sent.authorization.clone(), call.path.clone(), call.body().to_vec());
        if told {
            self.fundable.insert(question, ());
            return;
        }
        let was = self.fundable.remove(&question).is_some();
        notes.expect(exchange, clause, !was, "fundable", || {
            ("true, as before: nothing was written since", "false")
        });
    }
}
