//! Choices of a service with a bug in what it decides.

use std::collections::BTreeMap;

use tideover_model::wire::reply::Remittance;
use tideover_model::words::UnlistedEvent;
use tideover_model::{
    BusinessId, Cents, Choices, Code, Offer, Profile, Reservation, Seconds, Seeded, Terms, Token,
    Transition,
};

/// What a service decides wrongly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Skew {
    /// Nothing.
    None,
    /// It compares what was outstanding at the decision before with the limit.
    ReadsLimitEarly,
    /// It does not look at the four requirements.
    SkipsRequirements,
}

/// Choices from a seed, with a skew.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Skewed {
    seeded: Seeded,
    skew: Skew,
    outstanding: BTreeMap<BusinessId, Cents>,
}

impl Skewed {
    pub(super) fn new(seed: u64, skew: Skew) -> Skewed {
        Skewed { seeded: Seeded { seed }, skew, outstanding: BTreeMap::new() }
    }
}

impl Choices for Skewed {
    fn remittance(&mut self, business: BusinessId) -> Remittance {
        self.seeded.remittance(business)
    }

    fn token(&mut self, purpose: Token, counter: u64) -> String {
        self.seeded.token(purpose, counter)
    }

    fn offer(&mut self, profile: &Profile, business: BusinessId, terms: Terms) -> Offer {
        self.seeded.offer(profile, business, terms)
    }

    fn fits(&mut self, profile: &Profile, business: BusinessId, outstanding: Cents) -> bool {
        let before = self.outstanding.insert(business, outstanding).unwrap_or(Cents::ZERO);
        let read = if self.skew == Skew::ReadsLimitEarly { before } else { outstanding };
        self.seeded.fits(profile, business, read)
    }

    fn reserves(&mut self, reservation: Reservation) -> bool {
        self.seeded.reserves(reservation)
    }

    fn refuses_with(&mut self, code: Code) -> bool {
        let skips = self.skew == Skew::SkipsRequirements && code == Code::BusinessNotEligible;
        !skips && self.seeded.refuses_with(code)
    }

    fn delay(&mut self, profile: &Profile, transition: Transition) -> Seconds {
        self.seeded.delay(profile, transition)
    }

    fn lateness(&mut self, profile: &Profile, delivery: u64) -> Seconds {
        self.seeded.lateness(profile, delivery)
    }

    fn unlisted_event(&mut self, event: u64) -> Option<UnlistedEvent> {
        self.seeded.unlisted_event(event)
    }

    fn is_duplicated(&mut self, profile: &Profile, delivery: u64) -> bool {
        self.seeded.is_duplicated(profile, delivery)
    }
}
