//! Listed codes, and the codes that came in their place (§7 Codes).

use std::collections::BTreeMap;

use tideover_exchange::Response;
use tideover_exchange::evidence::coverage::{Coverage, Group};
use tideover_exchange::evidence::finding::Finding;
use tideover_model::{Clause, Code};

/// How often a code must have been due before its absence is a finding. Two others in its place may be another
/// precedence.
const OFTEN: u64 = 3;

/// The listed codes in whose place others came: how often, and which came last.
///
/// One case proves nothing: codes may be added, and the choice among several refusals is open
/// (`gap.refusalPrecedence`). But the document removes no code.
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

    pub fn add(&mut self, other: &Replaced) {
        for (code, (times, instead)) in &other.codes {
            let (known, last) = self.codes.entry(*code).or_default();
            (*known, *last) = (*known + times, instead.clone());
        }
    }

    /// The codes that were due [`OFTEN`] and never came, except those that a service may split into finer ones.
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

/// Whether a code covers so much that a service may have finer ones.
fn is_broad(code: Code) -> bool {
    matches!(code, Code::InvalidRequest | Code::UnreadableRequest | Code::UpstreamFailed)
}
