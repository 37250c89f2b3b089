//! Every failure has the documented shape (`7.shape.1`, `7.shape.error`, `7.shape.code`).

use serde_json::Value;
use tideover_exchange::Exchange;
use tideover_model::clause;

use crate::checks::{Check, Notes};

pub(super) struct ErrorShape;

impl Check for ErrorShape {
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        let Some(call) = exchange.call() else { return };
        // A redirect is no failure, and a server that refuses a path which spells nothing need not know the shape.
        let by_the_server = exchange.seen.is_refused() && call.is_misspelt();
        if exchange.seen.status < 400 || by_the_server {
            return;
        }
        let body = exchange.seen.json().and_then(Value::as_object);
        let shown = || format!("{:?}", exchange.seen.body);
        let evidence = || ("a JSON object", shown());
        notes.expect(exchange, clause!("7.shape.1"), body.is_some(), "body", evidence);
        let Some(body) = body else { return };
        for (name, clause) in
            [("error", clause!("7.shape.error")), ("code", clause!("7.shape.code"))]
        {
            let is_string = body.get(name).is_some_and(Value::is_string);
            notes.expect(exchange, clause, is_string, name, || ("a string", shown()));
        }
    }
}
