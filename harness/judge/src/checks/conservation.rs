//! Cents are never created or lost. Only an in-process run shows the books (`1.service.3.3`).

use tideover_exchange::Exchange;
use tideover_model::clause;

use crate::checks::{Check, Notes};

pub(super) struct Conservation;

impl Check for Conservation {
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        let Some(inside) = exchange.inside else { return };
        let clause = clause!("1.service.3.3");
        match &inside.audit {
            Ok(()) => notes.meet(clause),
            Err(problem) => {
                let evidence = || ("invoices and ledger agree", problem.as_str());
                notes.expect(exchange, clause, false, "the books", evidence);
            }
        }
    }
}
