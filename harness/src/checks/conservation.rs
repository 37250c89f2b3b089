//! Cents are neither made nor lost: seen in process alone, where the books are (`1.service.3.3`).

use tideover_model::clause;

use crate::checks::{Check, Exchange, Notes};

pub(super) struct Conservation;

impl Check for Conservation {
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        let Some(inside) = exchange.inside else { return };
        let problem = inside.audit.as_ref().err().cloned();
        let (clause, holds) = (clause!("1.service.3.3"), problem.is_none());
        let seen = problem.unwrap_or_default();
        notes.expect(exchange, clause, holds, "the books", "invoices and ledger agree", seen);
    }
}
