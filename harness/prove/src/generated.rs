//! Wrong services that follow from the tables, drawn by seed.
//!
//! A mutation is *triggered* in a setup if its requests lead to any response or event that a right service, which gets the
//! same requests, does not give: the others are a hole of the generator, or of its budget. It *shows* if a sentence of the
//! document is found broken, by the suite that knows what a right service answers to each of those requests, or by the
//! one that does not; what is triggered and does not show is equal or lawful in the judgement of both. Of those that
//! show, the one that does not know has to find as many as it can.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use tideover_defects::generated::{Mutation, Operator, mutations};
use tideover_exchange::evidence::latency::percentile;
use tideover_exchange::target::Unreachable;
use tideover_model::clause::Section;

use crate::defects::Defect;
use crate::{Attempt, Proof, ProofBudget, Setup, prove_by};

/// A mutation that was drawn, and what found it.
pub struct Drawn {
    pub operator: Operator,
    pub defect: &'static Defect,
    /// The setups in which it changes anything.
    pub triggered: Vec<Setup>,
    /// The setups in which it shows.
    pub shown: Vec<Sighting>,
}

/// A mutation that shows in a setup. Requests until each found it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sighting {
    pub setup: Setup,
    /// The suite that knows the service.
    pub known: Option<u64>,
    /// The suite that does not.
    pub found: Option<u64>,
}

impl Drawn {
    /// Whether it shows in `setup` and is not found.
    pub fn is_missed(&self, setup: Setup) -> bool {
        self.shown.iter().any(|one| one.setup == setup && one.found.is_none())
    }

    /// Whether it changes something in `setup`, and nothing that the suite takes for a violation, whatever it knows.
    pub fn is_lawful(&self, setup: Setup) -> bool {
        !self.is_untriggered(setup) && !self.shown.iter().any(|one| one.setup == setup)
    }

    /// Whether no request of `setup` has met it.
    pub fn is_untriggered(&self, setup: Setup) -> bool {
        !self.triggered.contains(&setup)
    }
}

/// Mutations that have something in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    Of(Operator),
    /// Those that break a clause of this section first.
    In(Section),
    All,
}

impl Group {
    /// All groups: the operators, the sections, the whole.
    pub fn all() -> impl Iterator<Item = Group> {
        let operators = Operator::ALL.into_iter().map(Group::Of);
        operators.chain(Section::all().map(Group::In)).chain([Group::All])
    }

    /// What its name is of: an operator, or all of them, or a section.
    pub fn kind(self) -> &'static str {
        match self {
            Group::In(_) => "section",
            Group::Of(_) | Group::All => "operator",
        }
    }

    fn holds(self, one: &Drawn) -> bool {
        match self {
            Group::Of(operator) => one.operator == operator,
            Group::In(section) => one.defect.clause.section() == section,
            Group::All => true,
        }
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Group::Of(operator) => operator.fmt(f),
            Group::In(section) => section.fmt(f),
            Group::All => f.pad("all"),
        }
    }
}

/// How many mutations of a group were drawn, were triggered, show, and were found in a setup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    pub drawn: usize,
    pub triggered: usize,
    pub shown: usize,
    pub found: usize,
}

impl Rate {
    /// How many the requests never met.
    pub fn untriggered(self) -> usize {
        self.drawn - self.triggered
    }

    /// How many changed something that the suite, which knows the service, takes for equal or lawful.
    pub fn lawful(self) -> usize {
        self.triggered - self.shown
    }

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

/// How many mutations are tried together: what a run that is stopped loses at most.
const TOGETHER: usize = 40;

/// Plays with each of `mutations` in each of `setups`: first as one who knows the service, then, if it shows, as one who
/// does not. A run that is stopped returns those that it has tried in all setups.
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
    try_in_parts(mutations, TOGETHER, setups, threads, stop, progress)
}

fn try_in_parts(
    mutations: &[Mutation],
    together: usize,
    setups: &[Setup],
    threads: usize,
    stop: &AtomicBool,
    progress: &(dyn Fn() + Sync),
) -> Result<Vec<Drawn>, Unreachable> {
    let mut drawn = Vec::new();
    for some in mutations.chunks(together) {
        let tried = try_some(some, setups, threads, stop, progress)?;
        if stop.load(Ordering::Relaxed) {
            break;
        }
        drawn.extend(tried);
    }
    Ok(drawn)
}

fn try_some(
    mutations: &[Mutation],
    setups: &[Setup],
    threads: usize,
    stop: &AtomicBool,
    progress: &(dyn Fn() + Sync),
) -> Result<Vec<Drawn>, Unreachable> {
    let planted: Vec<&'static Defect> = mutations.iter().map(Mutation::plant).collect();
    let with_shown = |(mutation, defect): (&Mutation, &&'static Defect)| Drawn {
        operator: mutation.operator,
        defect,
        triggered: Vec::new(),
        shown: Vec::new(),
    };
    let mut drawn: Vec<Drawn> = mutations.iter().zip(&planted).map(with_shown).collect();
    for setup in setups {
        let tried = |attempt, defects: &[&'static Defect]| {
            prove_by(attempt, *setup, defects, &budget(*setup), threads, stop, progress)
        };
        let compared = tried(Attempt::Knowing, &planted)?;
        for (one, proof) in drawn.iter_mut().zip(&compared) {
            let differs = proof.trials.iter().any(|trial| trial.differs);
            one.triggered.extend(differs.then_some(*setup));
        }
        let is_triggered = |one: &&mut Drawn| one.triggered.contains(setup);
        let triggered: Vec<&'static Defect> =
            drawn.iter_mut().filter(is_triggered).map(|one| one.defect).collect();
        // The proofs have the order of the defects.
        let mut plain = tried(Attempt::Strict, &triggered)?.into_iter();
        for (one, known) in drawn.iter_mut().zip(&compared) {
            let Some(proof) = is_triggered(&one).then(|| plain.next()).flatten() else { continue };
            let (known, found) = (first_found(known), first_found(&proof));
            let shows = known.is_some() || found.is_some();
            one.shown.extend(shows.then_some(Sighting { setup: *setup, known, found }));
        }
    }
    Ok(drawn)
}

fn budget(setup: Setup) -> ProofBudget {
    let steps = tideover_suite::generate::DEFAULT_STEPS;
    ProofBudget { seeds: 1..=1, requests: setup.requests(), steps }
}

fn first_found(proof: &Proof) -> Option<u64> {
    proof.found().next().map(|(trial, _)| trial.requests)
}

/// The rate of `group` in `setup`.
pub fn rate(drawn: &[Drawn], group: Group, setup: Setup) -> Rate {
    let of_it = || drawn.iter().filter(|one| group.holds(one));
    let shown = || of_it().flat_map(|one| &one.shown).filter(|one| one.setup == setup);
    Rate {
        drawn: of_it().count(),
        triggered: of_it().filter(|one| one.triggered.contains(&setup)).count(),
        shown: shown().count(),
        found: shown().filter(|one| one.found.is_some()).count(),
    }
}

/// The median number of requests until `setup` found a mutation.
pub fn median(drawn: &[Drawn], setup: Setup) -> Option<u64> {
    let shown = drawn.iter().flat_map(|one| &one.shown).filter(|one| one.setup == setup);
    percentile(shown.filter_map(|one| one.found).collect(), 50)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    /// A run that is stopped has what it tried before.
    #[test]
    fn a_run_that_is_stopped_has_what_was_tried_in_all_setups() {
        let (sample, stop, trials) = (sample(1, 3), AtomicBool::new(false), AtomicUsize::new(0));
        // The first mutation has one trial or two.
        let progress =
            || stop.store(trials.fetch_add(1, Ordering::Relaxed) >= 2, Ordering::Relaxed);
        let tried = try_in_parts(&sample, 1, &[Setup::Caller], 1, &stop, &progress).unwrap();
        assert!((1..3).contains(&tried.len()), "{}", tried.len());
        let names: Vec<&str> = tried.iter().map(|one| one.defect.name).collect();
        assert!(sample.iter().map(Mutation::name).zip(names).all(|(one, tried)| one == tried));
    }

    /// How many of the mutations with these names are triggered, show and are found.
    fn found_by(setup: Setup, names: &[&str]) -> [usize; 3] {
        let wanted = |mutation: &Mutation| names.contains(&mutation.name().as_str());
        let mutations: Vec<Mutation> = mutations().into_iter().filter(wanted).collect();
        assert_eq!(mutations.len(), names.len());
        let tried = try_drawn(&mutations, &[setup], 2, &AtomicBool::new(false), &|| ()).unwrap();
        let rate = rate(&tried, Group::All, setup);
        [rate.triggered, rate.shown, rate.found]
    }

    /// Mistakes that show only with what the suite makes for them: a name of a party that is longer than a column, two
    /// vendors to which the same happens, a failure that is announced to each endpoint, a body that is too large for it.
    #[test]
    fn a_stranger_finds_what_needs_a_story_of_its_own() {
        let names = [
            "request-syncinvoice-reads-payor-legalname-up-to-32-characters",
            "event-partner-invoice-factoredupdated-has-a-lower-sequence-each-time",
            "event-partner-loan-issued-comes-once",
            "code-quote-answers-invalid-request-in-place-of-upstream-failed",
            "code-invite-answers-business-not-found-in-place-of-payload-too-large",
        ];
        assert_eq!(found_by(Setup::Stranger, &names), [5; 3]);
    }

    /// When the smaller response to a request for an advance comes is open, and what it has. But it is always the same.
    /// Which name a business shows is open, but not that all show one. And a forbidden destination fails each time.
    #[test]
    fn a_stranger_finds_what_only_all_responses_together_show() {
        let names = [
            "field-advanceamount-of-requestadvance-is-under-another-name",
            "field-feetotal-of-requestadvance-is-under-another-name-where-amounts-are-large",
            "field-name-of-getbusiness-is-always-the-same",
            "code-destination-refused-is-answered-with-upstream-failed",
            "code-upstream-failed-is-answered-with-status-500",
        ];
        assert_eq!(found_by(Setup::Stranger, &names), [5; 3]);
    }

    /// A date is read back as it was sent, and a session that ends a minute early is not rounded where others show seconds.
    #[test]
    fn a_stranger_finds_times_that_are_a_unit_off() {
        let names = [
            "request-syncinvoice-reads-issuedate-1-seconds-earlier",
            "field-issuedate-of-getinvoice-is-1-seconds-earlier-where-amounts-are-large",
            "time-expiresat-of-createonboardingsession-is-60-seconds-earlier-for-some-subjects",
        ];
        assert_eq!(found_by(Setup::Stranger, &names), [3; 3]);
    }

    /// An advance is issued when its money has arrived, and a business opts in when nothing is left to do.
    #[test]
    fn a_stranger_finds_events_before_their_cause() {
        let names = [
            "event-partner-organization-optedin-comes-with-partner-organization-added",
            "event-partner-invoice-paid-comes-with-partner-invoice-created",
            "event-partner-loan-issued-comes-with-partner-loan-created",
            "event-partner-loan-paid-comes-with-partner-loan-created",
            "event-partner-loan-paid-comes-with-partner-loan-issued",
        ];
        assert_eq!(found_by(Setup::Stranger, &names), [5; 3]);
    }

    /// Of those that show, a stranger finds nineteen of twenty, and half of them soon; a caller nine of ten.
    #[test]
    #[ignore = "takes minutes; the nightly job runs it"]
    fn a_drawn_sample_is_found_within_the_budget() {
        let setups = [Setup::Stranger, Setup::Caller];
        let stop = AtomicBool::new(false);
        let drawn = try_drawn(&sample(1, 200), &setups, 2, &stop, &|| ()).unwrap();
        for (setup, least) in [(Setup::Stranger, 95), (Setup::Caller, 90)] {
            let Rate { shown, found, .. } = rate(&drawn, Group::All, setup);
            assert!(shown >= 50 && found * 100 >= shown * least, "{found} of {shown}: {setup:?}");
        }
        assert!(median(&drawn, Setup::Stranger).is_some_and(|requests| requests <= 300));
    }

    /// No state of the service makes a request valid that has no right key.
    #[test]
    fn a_caller_finds_a_failure_in_place_of_a_refusal_without_a_key() {
        let names = [
            "code-unsubscribe-answers-with-status-500-in-place-of-unauthorized",
            "code-unsubscribe-answers-with-upstream-failed-in-place-of-unauthorized",
        ];
        assert_eq!(found_by(Setup::Caller, &names), [2; 3]);
    }

    /// Whether a request has to be refused may be open. That one crashes, whenever it is sent, is no answer in any case.
    #[test]
    fn a_caller_finds_a_request_that_crashes_where_others_are_answered() {
        let names = [
            "code-quote-answers-with-status-500-in-place-of-business-not-found",
            "code-getimport-answers-with-status-500-in-place-of-import-not-found",
        ];
        assert_eq!(found_by(Setup::Caller, &names), [2; 3]);
    }
}
