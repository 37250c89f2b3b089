//! Reads and refusals change nothing (`7.retrying.2`, `4.quotes.2`): in process the service itself is
//! compared; over HTTP, what was read stays so while nothing but reads and refusals go on.

use std::collections::BTreeMap;

use tideover_model::{OperationKind, clause};

use crate::checks::{Check, Exchange, Notes};
use crate::target::{PreparedCall, Seen};

/// What was read since anything could change.
#[derive(Default)]
pub(super) struct Unchanged {
    read: BTreeMap<(Option<String>, String, String), Seen>,
}

impl Check for Unchanged {
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        let Some(call) = exchange.call() else {
            self.read.clear();
            return;
        };
        let refused = (400..=499).contains(&exchange.seen.status);
        let reads = exchange.kind().is_some_and(OperationKind::reads);
        if !reads && !refused {
            self.read.clear();
            return;
        }
        let clause = if reads && call.method == "POST" {
            clause!("4.quotes.2")
        } else {
            clause!("7.retrying.2")
        };
        if let Some(inside) = exchange.inside.filter(|_| exchange.seen.status != 502) {
            let seen = "something changed";
            notes.expect(
                exchange,
                clause,
                !inside.changed,
                "the service",
                "as it was before",
                seen,
            );
        }
        self.compare(exchange, call, notes);
    }
}

impl Unchanged {
    fn compare(&mut self, exchange: &Exchange<'_>, call: &PreparedCall, notes: &mut Notes) {
        if call.method != "GET" || exchange.seen.status == 502 {
            return;
        }
        let Some(resource) = exchange.resource() else { return };
        match self.read.get(&resource) {
            None => {
                self.read.insert(resource, exchange.seen.clone());
            }
            Some(before) => {
                let same = before == exchange.seen;
                let (expected, seen) = (format!("{before:?}"), format!("{:?}", exchange.seen));
                notes.expect(exchange, clause!("7.retrying.2"), same, "body", expected, seen);
            }
        }
    }
}
