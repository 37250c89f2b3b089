//! Wrong services that follow from the tables, drawn by seed.
//!
//! A mutation *shows* if the suite finds it where it knows what a right service answers to each request. Of those, a
//! stranger has to find as many as it can.

use std::sync::atomic::AtomicBool;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use tideover_defects::generated::{Mutation, Operator, mutations};
use tideover_exchange::target::Unreachable;

use crate::defects::Defect;
use crate::{Proof, ProofBudget, Setup, prove};

/// A mutation that was drawn, and what found it.
pub struct Drawn {
    pub operator: Operator,
    pub defect: &'static Defect,
    /// Requests until it showed, to the suite that knows the service. `None`: it did not show.
    pub shown: Option<u64>,
    /// Requests until each stranger found it.
    pub found: Vec<(Setup, Option<u64>)>,
}

/// How many mutations of an operator were drawn, show, and were found in a setup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    pub drawn: usize,
    pub shown: usize,
    pub found: usize,
}

impl Rate {
    /// The share that was found of those that show, with the bounds of the Wilson interval at 95 %. In per cent.
    #[expect(clippy::float_arithmetic, reason = "a figure for a reader, on which nothing depends")]
    pub fn interval(self) -> Option<(f64, f64, f64)> {
        const Z: f64 = 1.96;
        if self.shown == 0 {
            return None;
        }
        let count = |number: usize| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
        let (shown, share) = (count(self.shown), count(self.found) / count(self.shown));
        let middle = share + Z * Z / (2.0 * shown);
        let width = Z * (share * (1.0 - share) / shown + Z * Z / (4.0 * shown * shown)).sqrt();
        let whole = 1.0 + Z * Z / shown;
        Some((share * 100.0, (middle - width) / whole * 100.0, (middle + width) / whole * 100.0))
    }
}

/// `count` different mutations, drawn by `seed`.
pub fn sample(seed: u64, count: usize) -> Vec<Mutation> {
    let mut left = mutations();
    let mut draw = ChaCha8Rng::seed_from_u64(seed);
    let mut drawn = Vec::with_capacity(count.min(left.len()));
    while drawn.len() < count && !left.is_empty() {
        let most = left.len() as u64;
        drawn.push(left.swap_remove(usize::try_from(draw.next_u64() % most).unwrap_or(0)));
    }
    drawn
}

/// Plays with each of `mutations`: first as one who knows the service, then, if it shows, in each of `setups`.
///
/// # Errors
/// [`Unreachable`] if the runtime cannot start, or the service in process does not respond.
pub fn try_drawn(
    mutations: &[Mutation],
    setups: &[Setup],
    threads: usize,
    stop: &AtomicBool,
    progress: &(dyn Fn() + Sync),
) -> Result<Vec<Drawn>, Unreachable> {
    let defects: Vec<&'static Defect> = mutations.iter().map(Mutation::plant).collect();
    let tried = |setup: Setup, defects: &[&'static Defect]| {
        let budget = ProofBudget {
            seeds: 1..=1,
            requests: Setup::Stranger.requests(),
            steps: tideover_suite::generate::DEFAULT_STEPS,
        };
        prove(setup, defects, &budget, threads, stop, progress)
    };
    let known = tried(Setup::Known, &defects)?;
    let drawn = mutations.iter().zip(&known).map(|(mutation, proof)| Drawn {
        operator: mutation.operator,
        defect: proof.defect,
        shown: first_found(proof),
        found: Vec::new(),
    });
    let mut drawn: Vec<Drawn> = drawn.collect();
    let visible = |one: &&mut Drawn| one.shown.is_some();
    let planted: Vec<&'static Defect> =
        drawn.iter_mut().filter(visible).map(|one| one.defect).collect();
    for setup in setups {
        // The proofs have the order of the defects.
        let proofs = tried(*setup, &planted)?;
        for (one, proof) in drawn.iter_mut().filter(visible).zip(&proofs) {
            one.found.push((*setup, first_found(proof)));
        }
    }
    Ok(drawn)
}

fn first_found(proof: &Proof) -> Option<u64> {
    proof.found().next().map(|(trial, _)| trial.requests)
}

/// The rate of `operator`, or of all, in `setup`.
pub fn rate(drawn: &[Drawn], operator: Option<Operator>, setup: Setup) -> Rate {
    let of_it = || drawn.iter().filter(|one| operator.is_none_or(|it| one.operator == it));
    let is_found = |one: &&Drawn| one.found.iter().any(|(it, at)| *it == setup && at.is_some());
    Rate {
        drawn: of_it().count(),
        shown: of_it().filter(|one| one.shown.is_some()).count(),
        found: of_it().filter(is_found).count(),
    }
}
