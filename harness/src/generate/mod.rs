//! Steps, made by walking with the model toward goals.
//!
//! Most steps are the next one that a goal lacks, so that deep states are reached; the others are repeats,
//! reads of what was just written, wrong identifiers, boundary values and requests of the wrong form. One
//! generator per case, from the seed and the case's number alone.

mod access;
mod files;
mod goals;
mod malformed;
mod money;
mod onboarding;
mod requests;
mod values;

use std::collections::BTreeSet;

use proptest::bool::weighted;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::Value;

use crate::step::{Action, Caller, Memory, Step};
use crate::target::{Bare, INBOX, Prepared, Seen};
use crate::transcript::Header;

use goals::Goal;

/// How many steps a case has, over HTTP and in process.
pub const DEFAULT_STEPS: u64 = 50;

/// The steps of case `number`: the same for the same header, on any machine.
pub fn case(header: &Header, number: u64, steps: u64) -> Vec<Step> {
    let mut walk = Walk::new(header, number);
    while (walk.steps.len() as u64) < steps {
        walk.go_on();
    }
    walk.steps
}

/// A case in the making, with the model that walks along.
struct Walk {
    runner: TestRunner,
    known: Bare,
    memory: Memory,
    steps: Vec<Step>,
    goal: Goal,
    /// Vendors that have accepted an invitation.
    claimed: BTreeSet<(String, String)>,
    /// Businesses whose address was synced.
    addressed: BTreeSet<(String, String)>,
    names: usize,
}

impl Walk {
    fn new(header: &Header, number: u64) -> Walk {
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&header.seed.to_le_bytes());
        seed[8..16].copy_from_slice(&number.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
        Walk {
            runner: TestRunner::new_with_rng(Config::default(), rng),
            known: Bare::new(header.profile.clone(), header.seed, header.start),
            memory: Memory::with_inbox(INBOX),
            steps: Vec::new(),
            // The first goals go round, so that a few cases reach every one of them.
            goal: Goal::first(number),
            claimed: BTreeSet::new(),
            addressed: BTreeSet::new(),
            names: 0,
        }
    }

    /// Adds a step or two.
    fn go_on(&mut self) {
        if self.steps.is_empty() && self.draw(weighted(0.4)) {
            // What the whole case does is heard of.
            self.play(requests::subscribe("${inbox}/accepts", None));
        }
        let chance = self.draw(0_u32..100);
        let step = match chance {
            0..8 => self.steps.last().cloned(),
            8..22 => Some(self.wander()),
            22..28 => Some(self.malformed()),
            _ => None,
        };
        let step = step.unwrap_or_else(|| self.next_toward_goal());
        let reads = self.play(step.clone());
        if !reads
            && self.draw(0_u32..100) < 40
            && let Some(read) = requests::read_back(&step)
        {
            self.play(read);
        }
    }

    fn next_toward_goal(&mut self) -> Step {
        for _ in 0..8 {
            if let Some(step) = self.step_toward_goal() {
                return step;
            }
            self.goal = self.any_goal();
        }
        self.wander()
    }

    /// Adds a step and plays it on the model; says whether it only reads.
    fn play(&mut self, mut step: Step) -> bool {
        // A repeat of a named step must not take its name.
        if self.steps.iter().any(|earlier| step.name.is_some() && earlier.name == step.name) {
            step.name = None;
        }
        let seen = self.send(&step);
        self.memory.keep(&step, seen.json());
        self.remember(&step, &seen);
        let reads = matches!(&step.action, Action::Call(call) if call.method == "GET");
        self.steps.push(step);
        reads
    }

    fn send(&mut self, step: &Step) -> Seen {
        let prepared = Prepared::from_step(step, &self.memory, tideover_model::Service::FIRST_KEY);
        let seen = self.known.play(&prepared);
        self.known.take_arrivals();
        seen
    }

    /// What `step` would be answered now; nothing is played.
    fn look(&self, step: &Step) -> Option<Value> {
        let prepared = Prepared::from_step(step, &self.memory, tideover_model::Service::FIRST_KEY);
        let seen = self.known.clone().play(&prepared);
        seen.json().filter(|_| seen.is_success()).cloned()
    }

    /// What no read tells.
    fn remember(&mut self, step: &Step, seen: &Seen) {
        if !seen.is_success() {
            return;
        }
        let caller = caller_name(&step.caller);
        match &step.action {
            Action::Act(fields) if fields["action"] == "vendorAcceptsInvitation" => {
                let payee = fields["payeeExternalId"].as_str().unwrap_or_default();
                self.claimed.insert((caller, payee.to_owned()));
            }
            Action::Call(call) => {
                let address =
                    call.body.as_ref().and_then(|body| body.get("contact")?.get("address"));
                if address.is_some_and(|address| address.get("postalCode").is_some()) {
                    self.addressed.insert((caller, call.path.clone()));
                }
            }
            _ => {}
        }
    }

    /// A value of `strategy`.
    fn draw<S: Strategy>(&mut self, strategy: S) -> S::Value {
        strategy.new_tree(&mut self.runner).expect("no strategy here rejects").current()
    }

    /// One of `choices`.
    fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        let index = self.draw(0..choices.len());
        choices[index].clone()
    }

    /// A name for a step, not used before.
    fn fresh_name(&mut self, what: &str) -> String {
        self.names += 1;
        format!("{what}{}", self.names)
    }
}

fn caller_name(caller: &Caller) -> String {
    match caller {
        Caller::Default => String::new(),
        Caller::Key(key) | Caller::Header(key) => key.clone(),
        Caller::Nobody => "nobody".to_owned(),
    }
}
