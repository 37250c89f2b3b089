//! A run: steps played against a target, each answer looked at by every check.

use std::collections::BTreeMap;

use tideover_model::{Clause, Face, Seeded, Service, Timestamp};

use crate::checks::{Checks, Exchange, Inside, Notes};
use crate::coverage::Coverage;
use crate::finding::Finding;
use crate::matcher::{Mismatch, mismatches};
use crate::step::{Memory, Step};
use crate::target::{Bare, Prepared, Seen, Target, Unreachable, service};
use crate::transcript::Header;

/// What `${inbox}` stands for where there is none: webhooks go nowhere.
pub const NO_INBOX: &str = "https://inbox.invalid";

/// What came of a run.
#[derive(Clone, Debug, Default)]
pub struct Played {
    /// When each step was played and what was answered.
    pub answers: Vec<(Timestamp, Seen)>,
    /// How often each clause was met.
    pub met: BTreeMap<Clause, u64>,
    /// What was reached.
    pub coverage: Coverage,
    /// The findings of the last step: a run ends with the first step that has any.
    pub findings: Vec<Finding>,
    /// Where an answer was not what the transcript expects, by the index of the step.
    pub mismatches: Vec<(usize, Mismatch)>,
}

impl Played {
    /// Whether nothing was found and every expectation held.
    pub fn held(&self) -> bool {
        self.findings.is_empty() && self.mismatches.is_empty()
    }
}

/// A target in process, that lets itself be looked into.
pub trait Observed: Target {
    /// What can be seen of it, after the step that was sent last.
    fn inside(&mut self) -> Option<Inside>;
}

impl<F> Observed for Bare<F>
where
    F: tideover_model::Face + std::hash::Hash,
{
    fn inside(&mut self) -> Option<Inside> {
        let changed = self.has_changed();
        Some(Inside { changed, audit: self.face().audit() })
    }
}

impl Observed for crate::target::Http {
    fn inside(&mut self) -> Option<Inside> {
        None
    }
}

/// Plays `steps` against `target`, which is in the world of `header` and has played nothing yet.
///
/// # Errors
/// [`Unreachable`] if the target does not answer.
pub async fn play<T: Observed>(
    target: &mut T,
    header: &Header,
    steps: &[Step],
) -> Result<Played, Unreachable> {
    let mut run = Run::new(header, target.inbox());
    for (index, step) in steps.iter().enumerate() {
        run.step(target, index, step).await?;
        if !run.played.findings.is_empty() {
            break;
        }
    }
    Ok(run.played)
}

struct Run {
    shadow: Bare,
    shadow_memory: Memory,
    memory: Memory,
    checks: Checks,
    played: Played,
}

impl Run {
    fn new(header: &Header, inbox: Option<&str>) -> Run {
        let memory = Memory::with_inbox(inbox.unwrap_or(NO_INBOX));
        let shadow = match inbox {
            None => Service::new(header.profile.clone(), Seeded { seed: header.seed }),
            Some(origin) => service(header.profile.clone(), header.seed, origin),
        };
        Run {
            shadow: Bare::over(shadow, header.start),
            shadow_memory: memory.clone(),
            memory,
            checks: Checks::default(),
            played: Played::default(),
        }
    }

    async fn step<T: Observed>(
        &mut self,
        target: &mut T,
        index: usize,
        step: &Step,
    ) -> Result<(), Unreachable> {
        let sent = Prepared::from_step(step, &self.memory, target.api_key());
        let since = self.shadow.now();
        let seen = target.send(&sent).await?;
        let arrivals = target.arrivals().await?;
        self.memory.keep(step, seen.json());

        let shadowed = Prepared::from_step(step, &self.shadow_memory, self.shadow.api_key());
        let platform = self.shadow.face().platform_of(shadowed.authorization.as_deref());
        let predicted = self.shadow.play(&shadowed);
        let predicted_arrivals = self.shadow.take_arrivals();
        self.shadow_memory.keep(step, predicted.json());

        let inside = target.inside();
        let exchange = Exchange {
            sent: &sent,
            seen: &seen,
            predicted: &predicted,
            predicted_refusal: self.shadow.refused(),
            platform,
            since,
            now: self.shadow.now(),
            arrivals: &arrivals,
            predicted_arrivals: &predicted_arrivals,
            inside: inside.as_ref(),
        };
        let mut notes = Notes::default();
        self.checks.observe(&exchange, &mut notes);
        self.played.coverage.record(&exchange);
        self.expect(index, step, &seen);
        for (clause, times) in notes.met {
            *self.played.met.entry(clause).or_default() += times;
        }
        // What is made small is the worst of them.
        notes.findings.sort_by_key(Finding::verdict);
        self.played.findings = notes.findings;
        self.played.answers.push((self.shadow.now(), seen));
        Ok(())
    }

    /// Holds an answer against what a hand-written transcript expects.
    fn expect(&mut self, index: usize, step: &Step, seen: &Seen) {
        let Some(expect) = &step.expect else { return };
        if expect.status != seen.status {
            let mismatch = Mismatch {
                field: "status".into(),
                expected: expect.status.to_string(),
                seen: serde_json::to_string(seen).unwrap_or_default(),
            };
            self.played.mismatches.push((index, mismatch));
        }
        if let Some(body) = expect.body.as_ref().filter(|body| !body.is_null()) {
            let expected = self.memory.resolve_value(body);
            let found = mismatches(&expected, seen.json());
            self.played.mismatches.extend(found.into_iter().map(|mismatch| (index, mismatch)));
        }
    }
}
