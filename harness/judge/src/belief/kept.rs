//! The hypotheses that are kept, and when they are too many.

use std::collections::BTreeMap;

use crate::belief::Observation;
use crate::belief::hidden::PriorState;
use crate::belief::hypothesis::Hypothesis;
use crate::belief::hypothesis::open::Undecided;

/// The most hypotheses to keep.
///
/// Every one is played for every response, so the number is what a step may cost. Each thing that is undecided (a
/// reading, the platform of a key, a write without a response on which others depend) at most doubles them: 256 are eight
/// such things at once. A response decides most of them soon. A response that needs more is not judged. Only where
/// the clock moves, or where keys may belong to too many platforms, are some dropped: the dropped ones may be the truth, and
/// so a later contradiction is only inconclusive.
pub(super) const MOST_KEPT: usize = 256;

/// Hypotheses, and whether none was dropped because they were too many.
pub(super) struct Kept {
    pub(super) hypotheses: Vec<Hypothesis>,
    pub(super) are_all: bool,
}

impl Kept {
    /// Those that no other one covers, and of these as many as may be kept.
    pub(super) fn of(hypotheses: Vec<Hypothesis>) -> Kept {
        if hypotheses.len() < 2 {
            return Kept { hypotheses, are_all: true };
        }
        let mut hypotheses = distinct(hypotheses);
        let are_all = hypotheses.len() <= MOST_KEPT;
        hypotheses.truncate(MOST_KEPT);
        Kept { hypotheses, are_all }
    }

    /// The same, sorted: those that are explained together stand together, the plainest first.
    pub(super) fn plainest_first(mut hypotheses: Vec<Hypothesis>) -> Kept {
        hypotheses.sort_by(|one, other| {
            let (settled, unsettled) = (one.open.len(), other.open.len());
            let (one, other) = (one.readings(), other.readings());
            let by_readings = one.len().cmp(&other.len()).then_with(|| other.cmp(one));
            by_readings.then(settled.cmp(&unsettled))
        });
        Kept::of(hypotheses)
    }

    /// The hypotheses, where each open request that matters for a response was carried out when it came, or not. Ends when
    /// they are too many: then some are still undecided.
    pub(super) fn decided_for(
        mut hypotheses: Vec<Hypothesis>,
        observed: Observation<'_>,
        prior: PriorState,
    ) -> Kept {
        hypotheses.iter_mut().for_each(|one| one.reopen_late(observed));
        loop {
            let mut is_any_decided = false;
            let mut decided = Vec::with_capacity(hypotheses.len());
            for hypothesis in hypotheses {
                match hypothesis.decided_once(observed, prior) {
                    Undecided::Nothing => decided.push(hypothesis),
                    Undecided::Both(both) => {
                        is_any_decided = true;
                        decided.extend(both);
                    }
                    Undecided::TooMuch => {
                        return Kept { hypotheses: vec![hypothesis], are_all: false };
                    }
                }
            }
            if !is_any_decided {
                return Kept { hypotheses: decided, are_all: true };
            }
            let kept = Kept::of(decided);
            if !kept.are_all {
                return kept;
            }
            hypotheses = kept.hypotheses;
        }
    }
}

/// The hypotheses that no other one covers.
fn distinct(all: Vec<Hypothesis>) -> Vec<Hypothesis> {
    let mut hypotheses: Vec<Hypothesis> = Vec::with_capacity(all.len());
    let mut alike: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for hypothesis in all {
        let alike = alike.entry(hypothesis.fingerprint()).or_default();
        if alike.iter().any(|kept| hypotheses[*kept].covers(&hypothesis)) {
            continue;
        }
        match alike.iter().find(|kept| hypothesis.covers(&hypotheses[**kept])) {
            Some(kept) => hypotheses[*kept] = hypothesis,
            None => {
                alike.push(hypotheses.len());
                hypotheses.push(hypothesis);
            }
        }
    }
    hypotheses
}
