//! The rules of a world, with their counters.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

use crate::fault::decisions::Decisions;
use crate::fault::rule::Notice;
use crate::fault::{Act, Call, ImpossibleRule, Rule};

/// The most rules that a world has at once.
pub const MOST_RULES: usize = 100;

/// The rules of a world. A clone counts on its own.
///
/// The same rules, seed, requests and deliveries give the same faults. Each rule draws from its own stream of random numbers, so
/// that no rule changes when another fires.
///
/// ```
/// use tideover_sim::fault::{Act, Call, Faults, Rule, When};
///
/// let act = Act::UpstreamFails { when: When::BeforeCommit };
/// let mut faults = Faults::new(1, vec![Rule { nth: Some(2), ..Rule::always(act) }]).unwrap();
/// let call = Call { operation: None, identifiers: &[] };
/// assert!(faults.decide(&call).is_none());
/// assert_eq!(faults.decide(&call).unwrap().act, act);
/// assert_eq!((faults.entries()[0].matched, faults.entries()[0].fired), (2, 1));
/// ```
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Faults {
    seed: u64,
    /// The initial rules, which a reset restores.
    initial: Vec<Rule>,
    entries: Vec<FaultEntry>,
    /// The last number given to a rule.
    last: u64,
    /// What happens to deliveries. It outlives the rule that decided it, since their attempts go on.
    #[serde(default, skip_serializing_if = "Decisions::is_empty")]
    pub(super) decisions: Decisions,
}

/// A rule of a world, with its counters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultEntry {
    /// Its number in this world, from 1. No other rule gets it before a reset.
    pub id: u64,
    /// The rule.
    pub rule: Rule,
    /// How many requests or deliveries it has selected, whatever its number or its percentage is.
    pub matched: u64,
    /// How many it has acted on.
    pub fired: u64,
}

/// What happens to a request or to a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What happens.
    pub act: Act,
    /// The label of the rule.
    pub label: String,
}

/// Why a world rejects a rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultError {
    /// The rule is not possible.
    #[error(transparent)]
    Impossible(#[from] ImpossibleRule),
    /// The world would have more than [`MOST_RULES`].
    #[error("a world has at most {MOST_RULES} rules of faults; delete some first")]
    TooMany,
}

impl Faults {
    /// These rules, in order of precedence. Random numbers come from the seed.
    ///
    /// # Errors
    /// [`FaultError`]: too many rules, the first impossible one.
    pub fn new(seed: u64, rules: Vec<Rule>) -> Result<Faults, FaultError> {
        let mut faults = Faults { seed, initial: rules.clone(), ..Faults::default() };
        faults.add(rules)?;
        Ok(faults)
    }

    /// Checks rules that were read from a snapshot.
    pub(crate) fn check(&self) -> Result<(), FaultError> {
        if self.entries.len().max(self.initial.len()) > MOST_RULES {
            return Err(FaultError::TooMany);
        }
        let now = self.entries.iter().map(|entry| &entry.rule);
        self.initial.iter().chain(now).try_for_each(Rule::check)?;
        Ok(())
    }

    /// Adds rules after those that it has; returns their numbers.
    ///
    /// # Errors
    /// [`FaultError`]: too many rules, the first impossible one. Nothing is added then.
    pub fn add(&mut self, rules: Vec<Rule>) -> Result<Vec<u64>, FaultError> {
        if self.entries.len() + rules.len() > MOST_RULES {
            return Err(FaultError::TooMany);
        }
        rules.iter().try_for_each(Rule::check)?;
        let first = self.last + 1;
        for rule in rules {
            self.last += 1;
            self.entries.push(FaultEntry { id: self.last, rule, matched: 0, fired: 0 });
        }
        Ok((first..=self.last).collect())
    }

    /// Removes the rule of this number; false if there is none.
    pub fn remove(&mut self, id: u64) -> bool {
        let before = self.entries.len();
        self.entries.retain(|entry| entry.id != id);
        self.entries.len() < before
    }

    /// Removes all rules.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// Restores the initial rules, with all counters at zero.
    pub fn reset(&mut self) {
        let seed = self.seed;
        let initial = std::mem::take(&mut self.initial);
        *self = Faults::new(seed, initial).unwrap_or_default();
    }

    /// Whether it has no rules.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether nothing that happens changes it: it has no rules, and none acts on a delivery any more.
    pub(crate) fn are_at_rest(&self) -> bool {
        self.entries.is_empty() && self.decisions.is_empty()
    }

    /// How many rules and decisions it holds.
    pub(crate) fn weight(&self) -> usize {
        self.entries.len() + self.initial.len() + self.decisions.len()
    }

    /// Whether a rule may act on a delivery.
    pub(crate) fn concern_deliveries(&self) -> bool {
        self.entries.iter().any(|entry| matches!(entry.rule.act, Act::Delivery(_)))
    }

    /// The rules in order of precedence, with their counters.
    pub fn entries(&self) -> &[FaultEntry] {
        &self.entries
    }

    /// What happens to the next request: the act of the first rule that fires for it. Every rule that selects the
    /// request counts it.
    pub fn decide(&mut self, call: &Call<'_>) -> Option<Fault> {
        self.first_to_fire(|rule| rule.selects(call))
    }

    /// The same for the next delivery.
    pub(super) fn decide_delivery(&mut self, notice: &Notice) -> Option<Fault> {
        self.first_to_fire(|rule| rule.selects_delivery(notice))
    }

    fn first_to_fire(&mut self, selects: impl Fn(&Rule) -> bool) -> Option<Fault> {
        let mut decided = None;
        for entry in &mut self.entries {
            if !selects(&entry.rule) {
                continue;
            }
            entry.matched += 1;
            if decided.is_none() && entry.fires(self.seed) {
                entry.fired += 1;
                let Rule { act, .. } = entry.rule;
                decided = Some(Fault { act, label: entry.rule.label().to_owned() });
            }
        }
        decided
    }
}

impl FaultEntry {
    /// Whether the rule fires for what it has counted last.
    fn fires(&self, seed: u64) -> bool {
        let percentile = self.rule.percent.map_or(0, |_| percentile(seed, self.id, self.matched));
        self.rule.fires(self.matched, percentile)
    }
}

/// The random number, from 0 to 99, of the request or the delivery that a rule counts as `count`.
fn percentile(seed: u64, rule: u64, count: u64) -> u32 {
    let mut key = [0; 32];
    let parts = [seed.to_le_bytes(), rule.to_le_bytes(), count.to_le_bytes(), *b"faults  "];
    for (bytes, part) in key.chunks_exact_mut(8).zip(parts) {
        bytes.copy_from_slice(&part);
    }
    ChaCha8Rng::from_seed(key).next_u32() % 100
}

#[cfg(test)]
mod tests {
    use tideover_model::OperationKind;

    use super::*;
    use crate::fault::When;

    const DROP: Act = Act::ConnectionDrops { when: When::AfterCommit };
    const CALL: Call<'_> = Call { operation: Some(OperationKind::Quote), identifiers: &["acme"] };

    fn sometimes(percent: u32) -> Rule {
        Rule { percent: Some(percent), ..Rule::always(DROP) }
    }

    fn drawn(faults: &mut Faults, rule: usize) -> Vec<bool> {
        let mut fires = || {
            let before = faults.entries[rule].fired;
            faults.decide(&CALL);
            faults.entries[rule].fired > before
        };
        (0..200).map(|_| fires()).collect()
    }

    #[test]
    fn the_first_rule_that_fires_wins_and_every_rule_counts() {
        let second = Rule { nth: Some(2), label: Some("second".into()), ..Rule::always(DROP) };
        let other = Rule { operation: Some(OperationKind::Invite), ..Rule::always(DROP) };
        let rules = vec![other, second, Rule::always(Act::RequestRepeated)];
        let mut faults = Faults::new(1, rules).unwrap();
        let labels: Vec<_> = (0..3).map(|_| faults.decide(&CALL).unwrap().label).collect();
        assert_eq!(labels, ["requestRepeated", "second", "requestRepeated"]);
        let counts = faults.entries().iter().map(|entry| (entry.matched, entry.fired));
        assert_eq!(counts.collect::<Vec<_>>(), [(0, 0), (3, 1), (3, 2)]);
    }

    #[test]
    fn a_rate_depends_on_the_seed_and_on_no_other_rule() {
        let alone = drawn(&mut Faults::new(7, vec![sometimes(30)]).unwrap(), 0);
        let hits = alone.iter().filter(|fired| **fired).count();
        assert_eq!(hits, 53, "of 200");
        assert_eq!(alone, drawn(&mut Faults::new(7, vec![sometimes(30)]).unwrap(), 0));
        assert_ne!(alone, drawn(&mut Faults::new(8, vec![sometimes(30)]).unwrap(), 0));
        let mut two = Faults::new(7, vec![sometimes(30), sometimes(30)]).unwrap();
        assert_eq!(alone, drawn(&mut two.clone(), 0));
        assert_ne!(alone, drawn(&mut two, 1));
        assert!(drawn(&mut Faults::new(7, vec![sometimes(100)]).unwrap(), 0).iter().all(|it| *it));
    }

    #[test]
    fn a_seed_means_the_same_on_every_machine() {
        let drawn: Vec<u32> = (1..=8).map(|count| percentile(1, 1, count)).collect();
        assert_eq!(drawn, [63, 76, 44, 75, 54, 26, 59, 62]);
    }

    #[test]
    fn a_reset_restores_the_first_rules_and_their_streams() {
        let mut faults = Faults::new(7, vec![sometimes(30)]).unwrap();
        let first = drawn(&mut faults, 0);
        assert_eq!(faults.add(vec![sometimes(1), sometimes(2)]), Ok(vec![2, 3]));
        assert!(faults.remove(1) && !faults.remove(1));
        assert_eq!(faults.add(vec![sometimes(3)]), Ok(vec![4]));
        faults.reset();
        assert_eq!(faults.entries().len(), 1);
        assert_eq!(drawn(&mut faults, 0), first);
        faults.clear();
        assert!(faults.is_empty() && faults.decide(&CALL).is_none());
    }

    #[test]
    fn a_world_has_a_bounded_number_of_rules() {
        let many = |count| vec![Rule::always(DROP); count];
        assert_eq!(Faults::new(1, many(101)).unwrap_err(), FaultError::TooMany);
        let mut faults = Faults::new(1, many(99)).unwrap();
        assert_eq!(faults.add(many(2)), Err(FaultError::TooMany));
        assert_eq!(
            faults.add(vec![sometimes(0)]).unwrap_err().to_string().split(':').next(),
            Some("percent")
        );
        assert_eq!(faults.add(many(1)), Ok(vec![100]));
    }
}
