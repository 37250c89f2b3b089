//! Listed codes, and the codes that came in their place (§7 Codes).

use std::collections::{BTreeMap, BTreeSet};

use tideover_exchange::Exchange;
use tideover_exchange::evidence::coverage::{Coverage, Group};
use tideover_exchange::evidence::finding::Finding;
use tideover_model::{Code, OperationKind};

/// How often a code must have been due before its absence is a finding. Two others in its place may be another
/// precedence.
const OFTEN: u64 = 3;

/// The same where a listed code came whose condition is not shown to hold, but may.
const OFTEN_IF_LISTED: u64 = 8;

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
    codes: BTreeMap<Code, Others>,
    /// Whether an advance was granted: a service that grants none may have a reason that is not shown.
    has_granted: bool,
}

/// The status of a refusal for the rate of requests, which is not shown (§8).
pub(super) const TOO_MANY: u16 = 429;

/// What came in place of a code.
#[derive(Clone, Debug, Default)]
struct Others {
    times: u64,
    codes: BTreeSet<String>,
    operations: BTreeSet<OperationKind>,
    has_listed: bool,
}

impl Others {
    fn add(&mut self, other: &Others) {
        self.times += other.times;
        self.codes.extend(other.codes.iter().cloned());
        self.operations.extend(&other.operations);
        self.has_listed |= other.has_listed;
    }

    /// Whether they stand for `code`, if it never came.
    fn replace(&self, code: Code) -> bool {
        match is_broad(code) {
            false if self.has_listed => self.times >= OFTEN_IF_LISTED,
            false => self.times >= OFTEN,
            true => {
                self.times >= OFTEN_IF_BROAD
                    && self.codes.len() == 1
                    && self.operations.len() >= OPERATIONS_IF_BROAD
            }
        }
    }
}

impl Replaced {
    pub(crate) fn learn(&mut self, exchange: &Exchange<'_>) {
        self.has_granted |= exchange.success_of(OperationKind::RequestAdvance).is_some();
    }

    /// Counts that a response came where `due` was.
    pub(crate) fn record(&mut self, due: Code, exchange: &Exchange<'_>) {
        let seen = exchange.seen;
        if seen.status == TOO_MANY {
            return;
        }
        let instead = format!("{} {}", seen.status, seen.code().unwrap_or_default());
        self.codes.entry(due).or_default().add(&Others {
            times: 1,
            codes: BTreeSet::from([instead]),
            operations: exchange.kind().into_iter().collect(),
            has_listed: seen.code().and_then(Code::parse).is_some(),
        });
    }

    pub fn add(&mut self, other: &Replaced) {
        for (code, others) in &other.codes {
            self.codes.entry(*code).or_default().add(others);
        }
        self.has_granted |= other.has_granted;
    }

    /// The codes that were due often and never came.
    pub(crate) fn doubts(&self, coverage: &Coverage) -> Vec<(Finding, u64)> {
        let came: BTreeMap<String, u64> = coverage.of(Group::Code).into_iter().collect();
        let never = |code: &Code| came.get(code.name()).is_none_or(|times| *times == 0);
        let replaced = self.codes.iter().filter(|(code, others)| {
            let is_sure = self.has_granted || !others.has_listed;
            is_sure && others.replace(**code) && never(code)
        });
        let doubt = |(code, others): (&Code, &Others)| {
            let instead: Vec<&str> = others.codes.iter().map(String::as_str).collect();
            let seen = format!("{} each of {} times", instead.join(" or "), others.times);
            let finding = Finding::new(code.clause(), "any request", "code", code.name(), seen);
            (finding, others.times)
        };
        replaced.map(doubt).collect()
    }
}

/// Whether a code covers so much that a service may have finer ones.
fn is_broad(code: Code) -> bool {
    matches!(code, Code::InvalidRequest | Code::UnreadableRequest | Code::UpstreamFailed)
}
