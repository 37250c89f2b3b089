//! Listed codes, and the codes that came in their place (§7 Codes).

use std::collections::BTreeMap;

use tideover_exchange::Response;
use tideover_exchange::evidence::coverage::{Coverage, Group};
use tideover_exchange::evidence::finding::Finding;
use tideover_model::{Clause, Code};

/// So often a code must have been due before it is doubted that the service has it.
const OFTEN: u64 = 3;

/// The listed codes in whose place others came: how often, and which came last.
///
/// Once proves nothing: codes may be added, and the choice among several refusals is open
/// (`gap.refusalPrecedence`). None is removed.
#[derive(Clone, Debug, Default)]
pub struct Replaced {
    codes: BTreeMap<Code, (u64, String)>,
}

impl Replaced {
    /// Counts that `seen` came where `due` was.
    pub(crate) fn record(&mut self, due: Code, seen: &Response) {
        let instead = format!("{} {}", seen.status, seen.code().unwrap_or_default());
        let (times, last) = self.codes.entry(due).or_default();
        (*times, *last) = (*times + 1, instead);
    }

    /// Adds what another run has seen.
    pub fn add(&mut self, other: &Replaced) {
        for (code, (times, instead)) in &other.codes {
            let (known, last) = self.codes.entry(*code).or_default();
            (*known, *last) = (*known + times, instead.clone());
        }
    }

    /// The codes that were due often and never came, of which a finer one would not do as well.
    pub(crate) fn doubts(&self, coverage: &Coverage) -> Vec<(Finding, u64)> {
        let came: BTreeMap<String, u64> = coverage.of(Group::Code).into_iter().collect();
        let never = |code: &Code| came.get(code.name()).is_none_or(|times| *times == 0);
        let doubted = self
            .codes
            .iter()
            .filter(|(code, (times, _))| *times >= OFTEN && never(code) && !is_broad(**code));
        let doubt = |(code, (times, instead)): (&Code, &(u64, String))| {
            let clause = Clause::find(&format!("7.codes.{code}"))?;
            let finding = Finding::new(clause, "any request", "code", code.name(), instead.clone());
            Some((finding, *times))
        };
        doubted.filter_map(doubt).collect()
    }
}

/// Whether a code stands for so much that a service may have finer ones.
fn is_broad(code: Code) -> bool {
    matches!(code, Code::InvalidRequest | Code::UnreadableRequest | Code::UpstreamFailed)
}
