//! Listed codes, and the codes that came in their place (§7 Codes).

use std::collections::{BTreeMap, BTreeSet};

use tideover_exchange::Exchange;
use tideover_exchange::evidence::finding::Finding;
use tideover_model::{Code, OperationKind};

use super::media_types::is_refused_for_its_type;

/// How often a code must have been due before its absence is a finding. Two others in its place may be another
/// precedence.
const OFTEN: u64 = 3;

/// The same where a listed code came whose condition is not shown to hold, but may.
const OFTEN_IF_LISTED: u64 = 8;

/// The same where a code comes elsewhere, but never at one kind of request: fewer requests show it there, and a reason
/// that is not shown may hold for all of them.
const OFTEN_AT_ONE: u64 = 4;
const OFTEN_AT_ONE_IF_LISTED: u64 = 20;

/// The same for a code that covers so much that a service may have finer ones, and in how many operations: only one other
/// code in place of all of them is no finer one.
const OFTEN_IF_BROAD: u64 = 20;
const OPERATIONS_IF_BROAD: usize = 3;

/// The listed codes in whose place others came.
///
/// One case proves nothing: codes may be added, and the choice among several refusals is open
/// (`gap.refusalPrecedence`). But the document removes no code.
#[derive(Clone, Debug, Default)]
pub struct Replaced {
    codes: BTreeMap<Place, Others>,
    /// The codes that came.
    came: BTreeSet<Place>,
    /// Whether an advance was granted: a service that grants none may have a reason that is not shown.
    has_granted: bool,
}

/// A code at a kind of request, if the path is served.
type Place = (Code, Option<OperationKind>);

/// The status of a refusal for the rate of requests, which is not shown (§8).
pub(super) const TOO_MANY: u16 = 429;

/// What came in place of a code.
#[derive(Clone, Debug, Default)]
struct Others {
    times: u64,
    codes: BTreeSet<String>,
    /// At how many kinds of requests.
    operations: usize,
    has_listed: bool,
}

impl Others {
    /// Adds others of the same place.
    fn add(&mut self, other: &Others) {
        self.times += other.times;
        self.codes.extend(other.codes.iter().cloned());
        self.operations = 1;
        self.has_listed |= other.has_listed;
    }

    /// Adds those of another place.
    fn join(&mut self, other: &Others) {
        let operations = self.operations + 1;
        self.add(other);
        self.operations = operations;
    }

    /// Whether they stand for `code`, if it never came.
    fn replace(&self, code: Code) -> bool {
        match is_broad(code) {
            false if self.has_listed => self.times >= OFTEN_IF_LISTED,
            false => self.times >= OFTEN,
            true => {
                self.times >= OFTEN_IF_BROAD
                    && self.codes.len() == 1
                    && self.operations >= OPERATIONS_IF_BROAD
            }
        }
    }

    /// Whether they stand for `code` at one kind of request, if it came elsewhere.
    fn replace_at_one(&self, code: Code) -> bool {
        let often = if self.has_listed { OFTEN_AT_ONE_IF_LISTED } else { OFTEN_AT_ONE };
        !is_broad(code) && self.codes.len() == 1 && self.times >= often
    }

    fn finding(&self, code: Code, operation: impl Into<String>) -> (Finding, u64) {
        let instead: Vec<&str> = self.codes.iter().map(String::as_str).collect();
        let seen = format!("{} each of {} times", instead.join(" or "), self.times);
        (Finding::new(code.clause(), operation, "code", code.name(), seen), self.times)
    }
}

impl Replaced {
    pub(crate) fn learn(&mut self, exchange: &Exchange<'_>) {
        self.has_granted |= exchange.success_of(OperationKind::RequestAdvance).is_some();
        if let Some(code) = exchange.seen.code().and_then(Code::parse) {
            self.came.insert((code, exchange.kind()));
        }
    }

    /// Counts that a response came where `due` was.
    pub(crate) fn record(&mut self, due: Code, exchange: &Exchange<'_>) {
        let seen = exchange.seen;
        // A service may take no file of ours: `MediaTypes` tells.
        if seen.status == TOO_MANY || is_refused_for_its_type(exchange) {
            return;
        }
        let instead = format!("{} {}", seen.status, seen.code().unwrap_or_default());
        self.codes.entry((due, exchange.kind())).or_default().add(&Others {
            times: 1,
            codes: BTreeSet::from([instead]),
            operations: 1,
            has_listed: seen.code().and_then(Code::parse).is_some(),
        });
    }

    pub fn add(&mut self, other: &Replaced) {
        for (place, others) in &other.codes {
            self.codes.entry(*place).or_default().add(others);
        }
        self.came.extend(&other.came);
        self.has_granted |= other.has_granted;
    }

    /// The codes that were due often and never came, anywhere or at one kind of request.
    pub(crate) fn doubts(&self) -> Vec<(Finding, u64)> {
        let mut everywhere: BTreeMap<Code, Others> = BTreeMap::new();
        for ((code, _), others) in &self.codes {
            everywhere.entry(*code).or_default().join(others);
        }
        let comes = |code: Code| self.came.iter().any(|(came, _)| *came == code);
        let is_sure = |others: &Others| self.has_granted || !others.has_listed;
        let nowhere = everywhere
            .iter()
            .filter(|(code, others)| !comes(**code) && is_sure(others) && others.replace(**code))
            .map(|(code, others)| others.finding(*code, "any request"));
        let not_there = self.codes.iter().filter_map(|((code, kind), others)| {
            let is_found = comes(*code)
                && !self.came.contains(&(*code, *kind))
                && is_sure(others)
                && others.replace_at_one(*code);
            let operation = kind.filter(|_| is_found)?.to_string();
            Some(others.finding(*code, operation))
        });
        nowhere.chain(not_there).collect()
    }
}

/// Whether a code covers so much that a service may have finer ones.
fn is_broad(code: Code) -> bool {
    matches!(code, Code::InvalidRequest | Code::UnreadableRequest | Code::UpstreamFailed)
}
