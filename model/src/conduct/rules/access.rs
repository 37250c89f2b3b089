//! How requests carry the key.

use crate::conduct::card::{Proof, Row};
use crate::conduct::fact::{Access, Fact};
use crate::conduct::received::Before;
use crate::conduct::rules::Rule;
use crate::refusal::Code;

/// §5 Authentication rule 1.
#[derive(Debug)]
pub(super) struct SendsKey;

impl Rule for SendsKey {
    fn take(&mut self, fact: &Fact<'_>, _: &Before, row: &mut Row) {
        let Fact::Exchange(exchange) = fact else { return };
        if exchange.kind.is_none() {
            return;
        }
        let code = exchange.answer.and_then(|answer| answer.code);
        match exchange.access {
            Access::None if code == Some(Code::Unauthorized) => {
                row.breach(&[Proof::Request(exchange.number)]);
            }
            Access::Key | Access::Browser if exchange.caller.is_some() => row.keep(),
            _ => {}
        }
    }
}

/// §5 Authentication rule 2. Nothing shows that no browser has the key.
#[derive(Debug)]
pub(super) struct KeepsKeyOnServer;

impl Rule for KeepsKeyOnServer {
    fn take(&mut self, fact: &Fact<'_>, _: &Before, row: &mut Row) {
        if let Fact::Exchange(exchange) = fact
            && exchange.access == Access::Browser
            && exchange.caller.is_some()
        {
            row.breach(&[Proof::Request(exchange.number)]);
        }
    }
}
