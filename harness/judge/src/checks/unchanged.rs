//! Reads and refusals change nothing (`7.retrying.2`, `4.quotes.2`). In process, this compares the service
//! itself. Over HTTP, a repeated read returns the same until a write.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use tideover_exchange::{Exchange, PreparedCall, Response};
use tideover_model::{OperationKind, clause};

use crate::checks::{Check, Notes};

/// The caller and the path of a read.
type Resource = (Option<String>, String);

/// The responses to reads since the last possible change.
#[derive(Default)]
pub(super) struct Unchanged {
    read: BTreeMap<Resource, Response>,
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
        // What fails may have changed something before.
        if exchange.seen.status >= 500 {
            return;
        }
        if let Some(inside) = exchange.inside {
            let evidence = || ("as it was before", "something changed");
            notes.expect(exchange, clause, !inside.changed, "the service", evidence);
        }
        self.compare(exchange, call, notes);
    }
}

impl Unchanged {
    fn compare(&mut self, exchange: &Exchange<'_>, call: &PreparedCall, notes: &mut Notes) {
        if call.method != "GET" {
            return;
        }
        match self.read.entry((exchange.sent.authorization.clone(), call.path.clone())) {
            Entry::Vacant(unread) => {
                unread.insert(exchange.seen.clone());
            }
            Entry::Occupied(read) => {
                let before = read.get();
                let evidence = || (format!("{before:?}"), format!("{:?}", exchange.seen));
                let same = before == exchange.seen;
                notes.expect(exchange, clause!("7.retrying.2"), same, "body", evidence);
            }
        }
    }
}
