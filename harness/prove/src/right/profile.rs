//! The profile of a right service, drawn by seed.

use tideover_model::{
    Cents, Code, Delays, Profile, Range, RateRanges, Reading, Readings, Status, Success, Webhooks,
};

use crate::right::draw::Draw;

/// The profile of a right service: a value in every gap that a profile has.
pub fn profile(seed: u64) -> Profile {
    let mut profile = Draw::of_seed(seed).profile();
    profile.webhooks.lateness = Draw::of_seed(seed ^ LATENESS).lateness();
    let mut rules = Draw::of_seed(seed ^ RULES);
    profile.readings = rules.readings(profile.readings, |reading| !reading.is_inferred());
    profile
}

/// Separate the draws of how late events come, and of readings that nobody infers, from others of the seed.
const LATENESS: u64 = 0x1a7e << 32;
const RULES: u64 = 0x2b1e << 32;

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
            readings: self.readings(Readings::default(), Reading::is_inferred),
            success: Success::ALL.iter().map(|one| (*one, self.success(*one))).collect(),
            refusals: Code::ALL.into_iter().filter(is_own).map(|code| (code, self.own())).collect(),
        }
    }

    fn readings(&mut self, others: Readings, drawn: impl Fn(Reading) -> bool) -> Readings {
        let drawn = Reading::ALL.into_iter().filter(|reading| drawn(*reading));
        drawn.fold(others, |all, reading| all.with(reading, self.flips()))
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

    /// Nothing says when the first attempt is made: at once, or up to ten minutes later.
    fn lateness(&mut self) -> Range<u64> {
        match self.among(0, 2) {
            0 => Range::exactly(0),
            _ => Range { min: 0, max: self.wide(1, 600) },
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
