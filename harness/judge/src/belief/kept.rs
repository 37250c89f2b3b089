//! The hypotheses that are kept, and when they are too many.

use std::collections::BTreeMap;

use crate::belief::Observation;
use crate::belief::hidden::PriorState;
use crate::belief::hypothesis::Hypothesis;

/// The most hypotheses to keep.
///
/// Every one is played for every response, so the number is what a step may cost. Each thing that is undecided (a
/// reading, the platform of a key, a write without a response on which others depend) at most doubles them: 256 are eight
/// such things at once. A response decides most of them soon. Beyond that some are dropped, the dropped ones may be the
/// truth, and so a later contradiction is only inconclusive.
pub(super) const MOST_KEPT: usize = 256;

/// Hypotheses, and whether none was dropped because they were too many.
pub(super) struct Kept {
    pub(super) hypotheses: Vec<Hypothesis>,
    pub(super) are_all: bool,
}

impl Kept {
    /// Those that no other one covers, and of these as many as may be kept.
    pub(super) fn of(hypotheses: Vec<Hypothesis>) -> Kept {
        let mut hypotheses = distinct(hypotheses);
        let are_all = hypotheses.len() <= MOST_KEPT;
        hypotheses.truncate(MOST_KEPT);
        Kept { hypotheses, are_all }
    }

    /// The hypotheses, where each open request that matters for a response was carried out when it came, or not.
    pub(super) fn decided_for(
        mut hypotheses: Vec<Hypothesis>,
        observed: Observation<'_>,
        prior: PriorState,
    ) -> Kept {
        let mut are_all = true;
        loop {
            let mut is_any_decided = false;
            let mut decided = Vec::with_capacity(hypotheses.len());
            for hypothesis in hypotheses {
                match hypothesis.decided_once(observed, prior) {
                    None => decided.push(hypothesis),
                    Some(both) => {
                        is_any_decided = true;
                        decided.extend(both);
                    }
                }
            }
            if !is_any_decided {
                return Kept { hypotheses: decided, are_all };
            }
            let kept = Kept::of(decided);
            are_all &= kept.are_all;
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
