//! The result of a search, for a person and for a program.

use std::fmt;

use serde_json::{Value, json};
use tideover_exchange::evidence::outcome::Outcome;

use crate::explore::choices::planted;
use crate::explore::milestone::Milestone;
use crate::explore::search::{Explored, INVARIANTS};
use crate::explore::world::WORLDS;

impl Explored {
    /// Whether the invariants hold in every state, and every milestone was reached.
    pub fn outcome(&self) -> Outcome {
        if self.counterexample.is_some() {
            Outcome::Fail
        } else if !self.is_exhausted {
            Outcome::Inconclusive
        } else if self.missed.is_empty() {
            Outcome::Pass
        } else {
            Outcome::Fail
        }
    }

    /// The same as the text of the summary, for a program.
    pub fn as_json(&self) -> Value {
        let names = |milestones: &[Milestone]| -> Vec<&str> {
            milestones.iter().map(|milestone| milestone.words()).collect()
        };
        json!({
            "world": self.world.name,
            "outcome": self.outcome().name(),
            "states": self.states,
            "generated": self.generated,
            "depth": self.depth,
            "seconds": self.took.as_secs_f64(),
            "exhausted": self.is_exhausted,
            "invariants": INVARIANTS.map(|invariant| invariant.name()),
            "reached": names(&self.reached),
            "missed": names(&self.missed),
            "counterexample": self.counterexample,
        })
    }
}

impl fmt::Display for Explored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Explored { world, states, generated, depth, .. } = self;
        write!(f, "{}  {}: {states} states ", self.outcome(), world.name)?;
        write!(f, "({generated} generated), at most {depth} actions deep, ")?;
        write!(f, "{:.1} s", self.took.as_secs_f64())?;
        if let Some(found) = &self.counterexample {
            let (invariant, steps) = (found.breach.invariant, found.steps.len());
            write!(f, "\n  {invariant} ({}) fails after {steps} actions:\n", invariant.clause())?;
            return write!(f, "{found}");
        }
        if self.is_exhausted {
            write!(f, "\n  {} invariants hold in every state", INVARIANTS.len())?;
        } else {
            write!(f, "\n  {} invariants hold so far; the search ended early", INVARIANTS.len())?;
        }
        let wanted = self.reached.len() + self.missed.len();
        write!(f, "\n  {} of {wanted} milestones reached", self.reached.len())?;
        self.missed.iter().try_for_each(|missed| write!(f, "\n  never: {missed}"))
    }
}

/// The worlds and the bugs that can be planted, for a person.
pub fn list() -> String {
    let worlds = WORLDS.iter().map(|world| format!("{:<24}{}", world.name, world.words));
    let bugs = planted().map(|bug| format!("{:<33}{}", bug.name, bug.sentence()));
    let lines = |lines: Vec<String>| lines.join("\n  ");
    format!("worlds\n  {}\nbugs\n  {}", lines(worlds.collect()), lines(bugs.collect()))
}

/// The same, for a program.
pub fn list_as_json() -> Value {
    let worlds = WORLDS.iter().map(|world| json!({ "name": world.name, "words": world.words }));
    let bugs = planted().map(|bug| json!({ "name": bug.name, "words": bug.sentence() }));
    json!({
        "worlds": worlds.collect::<Vec<_>>(),
        "bugs": bugs.collect::<Vec<_>>(),
    })
}
