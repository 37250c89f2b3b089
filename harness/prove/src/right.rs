//! Right services, drawn by seed: the model under a random profile, seen as a stranger sees a service.
//!
//! The judge knows nothing of the profile. Whatever it accuses of violating the document, it accuses wrongly.

use std::sync::atomic::AtomicBool;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use tideover_exchange::evidence::finding::{Finding, Verdict};
use tideover_exchange::start;
use tideover_exchange::target::{INBOX, Unreachable};
use tideover_exchange::transcript::Header;
use tideover_judge::Outside;
use tideover_live::facilities::OTHER;
use tideover_model::{
    Cents, Code, Delays, Destinations, Face, Happening, Outcome, PlatformId, Profile, Range,
    RateRanges, Reading, Readings, Seeded, Service, Status, Success, Webhooks,
};
use tideover_suite::generate::DEFAULT_STEPS;
use tideover_suite::play::cases::{Failure, InProcess, Plan, Summary, check};
use tideover_suite::play::learn::Stated;

use crate::stranger::Strangers;
use crate::try_each;

/// What the suite has of a right service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// One key.
    OneKey,
    /// The keys of two platforms.
    TwoKeys,
    /// The keys of two platforms, and an operator port.
    Operator,
    /// The same, and an inbox.
    OperatorAndInbox,
}

impl Sight {
    /// All set-ups, from the least to the most.
    pub const ALL: [Sight; 4] =
        [Sight::OneKey, Sight::TwoKeys, Sight::Operator, Sight::OperatorAndInbox];

    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Sight::OneKey => "one key",
            Sight::TwoKeys => "two keys",
            Sight::Operator => "two keys and an operator port",
            Sight::OperatorAndInbox => "two keys, an operator port and an inbox",
        }
    }

    /// A right service with this profile, as the suite sees it.
    ///
    /// # Panics
    /// If the service does not issue a key to a second platform, which it always does.
    pub fn strangers(self, profile: Profile, seed: u64) -> Strangers {
        let destinations = match self {
            Sight::OperatorAndInbox => Destinations::PublicAnd(INBOX.to_owned()),
            Sight::OneKey | Sight::TwoKeys | Sight::Operator => Destinations::Public,
        };
        let mut service = Service::new(profile, Seeded { seed }).sending_to(destinations);
        let issue = Happening::IssueKey { platform: Some(OTHER.into()) };
        let issued = service.happen(start(), PlatformId::DEFAULT, issue);
        let Ok(Outcome::KeyIssued { key, .. }) = issued else { panic!("{issued:?}") };
        let world = InProcess::new(service, start());
        match self {
            Sight::OneKey => Strangers::with_one_key(world),
            Sight::TwoKeys => Strangers::with_one_key(world).and_key(&key),
            Sight::Operator => {
                Strangers::new(world, Outside::Controlled).and_key(&key).without_inbox()
            }
            Sight::OperatorAndInbox => Strangers::new(world, Outside::Controlled).and_key(&key),
        }
    }
}

/// The result of playing with a right service.
#[derive(Clone, Debug)]
pub struct Acquittal {
    /// The seed of the profile, of the service's choices and of the steps.
    pub seed: u64,
    /// What the suite had.
    pub sight: Sight,
    /// The steps that were played.
    pub steps: u64,
    /// A sentence of the document that the suite says is broken.
    pub accused: Option<Failure>,
    /// What it says of the run as a whole.
    pub whole: Vec<Finding>,
    /// A sentence about which it could conclude nothing.
    pub inconclusive: Option<Failure>,
}

impl Acquittal {
    /// Whether the suite says that a sentence of the document is broken.
    pub fn is_accused(&self) -> bool {
        self.accused.is_some() || !self.whole.is_empty()
    }
}

/// Plays `cases` cases with the right service of `seed`.
///
/// # Errors
/// [`Unreachable`] if the runtime cannot start.
pub fn acquit(seed: u64, sight: Sight, cases: u64) -> Result<Acquittal, Unreachable> {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime.map_err(|error| Unreachable(error.to_string()))?;
    let header = Header::new(seed, start(), Profile::default());
    let plan = Plan { header, first: 0, cases, steps: DEFAULT_STEPS, max_findings: 1 };
    let mut world = sight.strangers(profile(seed), seed ^ STRANGE);
    let mut summary = runtime.block_on(check(&mut world, &plan))?;
    summary.conclude(&Stated::default());
    let whole: Vec<Finding> = summary.violated_as_a_whole().cloned().collect();
    let Summary { steps, failures, noticed, .. } = summary;
    let is = |verdict| move |failure: &Failure| failure.verdict() == verdict;
    let first = noticed.into_values().filter_map(|noticed| noticed.first);
    let accused = failures.into_iter().find(is(Verdict::Violated));
    let inconclusive = first.into_iter().find(is(Verdict::Inconclusive));
    Ok(Acquittal { seed, sight, steps, accused, whole, inconclusive })
}

/// Plays `cases` cases with each right service of `seeds` in every set-up, on `threads` threads. Once `stop` is set, no
/// new service is begun.
///
/// # Errors
/// [`Unreachable`] if a runtime cannot start.
pub fn acquit_all(
    seeds: std::ops::Range<u64>,
    cases: u64,
    threads: usize,
    stop: &AtomicBool,
    progress: &(dyn Fn() + Sync),
) -> Result<Vec<Acquittal>, Unreachable> {
    let trials: Vec<(u64, Sight)> =
        seeds.flat_map(|seed| Sight::ALL.map(|sight| (seed, sight))).collect();
    let acquitted =
        try_each(&trials, threads, stop, progress, |(seed, sight)| acquit(*seed, *sight, cases));
    acquitted.into_iter().collect()
}

/// The service's choices must not follow from the seed of the steps.
const STRANGE: u64 = 1 << 40;

/// The profile of a right service: a value in every gap that a profile has.
pub fn profile(seed: u64) -> Profile {
    Draw(ChaCha8Rng::seed_from_u64(seed)).profile()
}

struct Draw(ChaCha8Rng);

impl Draw {
    fn profile(&mut self) -> Profile {
        Profile {
            body_limit: usize::try_from(self.wide(20_000, 2_000_000)).unwrap_or(usize::MAX),
            per_invoice_maximum: self.cents(10_000, 2_000_000_000),
            concentration_limit: Range::exactly(self.cents(1_000_000, 10_000_000_000)),
            quote_term_days: self.among(1, 120),
            session_links_live: self.flips(),
            rates: self.rates(),
            delays: Delays {
                collection_account: self.delay(),
                funding_starts: self.delay(),
                funding_completes: self.delay(),
            },
            webhooks: self.webhooks(),
            readings: self.readings(),
            success: Success::ALL.iter().map(|one| (*one, self.success(*one))).collect(),
            refusals: Code::ALL.into_iter().filter(is_own).map(|code| (code, self.own())).collect(),
        }
    }

    fn readings(&mut self) -> Readings {
        let drawn = Reading::ALL.map(|reading| (reading, self.flips()));
        drawn.into_iter().fold(Readings::default(), |all, (reading, it)| all.with(reading, it))
    }

    fn rates(&mut self) -> RateRanges {
        let (advance, fee) = (self.rate(1, 10_000), self.rate(0, 2_000));
        RateRanges { advance, fee }
    }

    fn rate(&mut self, least: u64, most: u64) -> Range<u32> {
        let [one, other] = [self.among(least, most), self.among(least, most)]
            .map(|rate| u32::try_from(rate).unwrap_or(0));
        Range { min: one.min(other), max: one.max(other) }
    }

    /// From nothing to a day.
    fn delay(&mut self) -> Range<u64> {
        match self.among(0, 3) {
            0 => Range::exactly(0),
            1 => Range { min: 1, max: self.among(1, 300) },
            _ => Range { min: 1, max: self.wide(1, 86_400) },
        }
    }

    /// About 28 hours of retries, each pause longer than the one before.
    fn webhooks(&mut self) -> Webhooks {
        let mut retries = vec![self.among(1, 60)];
        let factor = self.among(2, 5);
        while retries.iter().sum::<u64>() < 20 * 3600 {
            retries.push((retries[retries.len() - 1] * factor).min(9 * 3600));
        }
        let rest = (28 * 3600_u64).saturating_sub(retries.iter().sum());
        retries.extend((rest > 3600).then_some(rest));
        let window = retries.iter().sum::<u64>() + 60;
        let duplicates = u32::try_from(self.among(0, 3) * 10).unwrap_or(0);
        Webhooks { retries, window, duplicates, ..Webhooks::default() }
    }

    fn success(&mut self, success: Success) -> u16 {
        const WITH_BODY: [u16; 4] = [200, 201, 202, 207];
        let with_body = self.pick(&WITH_BODY);
        if success == Success::Unsubscribe && self.flips() { 204 } else { with_body }
    }

    fn own(&mut self) -> u16 {
        self.pick(&[400, 403, 404, 409, 410, 415, 422, 424])
    }

    fn cents(&mut self, least: u64, most: u64) -> Cents {
        Cents(i64::try_from(self.wide(least, most)).unwrap_or(i64::MAX))
    }

    /// A number between two others, small ones as often as large ones.
    fn wide(&mut self, least: u64, most: u64) -> u64 {
        let [low, high] = [least, most].map(|bound| u64::from(bound.max(1).ilog2()));
        let power = self.among(low, high);
        let (from, to) = (1_u64 << power, (1_u64 << power) * 2 - 1);
        self.among(from, to).clamp(least, most)
    }

    fn among(&mut self, least: u64, most: u64) -> u64 {
        least + self.0.next_u64() % (most - least + 1)
    }

    fn flips(&mut self) -> bool {
        self.among(0, 1) == 1
    }

    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[usize::try_from(self.among(0, all.len() as u64 - 1)).unwrap_or(0)]
    }
}

fn is_own(code: &Code) -> bool {
    matches!(code.status(), Status::Assumed(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_profile_is_possible() {
        for seed in 0..2000 {
            let profile = profile(seed);
            assert_eq!(profile.check(), Ok(()), "seed {seed}: {profile:?}");
        }
    }

    #[test]
    fn profiles_take_every_reading() {
        for reading in Reading::ALL {
            let read = |value| (0..50).any(|seed| profile(seed).readings.get(reading) == value);
            assert!(read(true) && read(false), "{reading:?}");
        }
    }
}
