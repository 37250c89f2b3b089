//! Choices that the service may not make.

use tideover_model::wire::reply::Remittance;
use tideover_model::words::UnlistedEvent;
use tideover_model::{
    BusinessId, Cents, Choices, Code, Offer, Profile, Reservation, Seconds, Seeded, Terms, Token,
    Transition,
};

/// The choices of a seed, with one kind of choice replaced.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Chosen<C = Seeded> {
    choices: C,
    skew: Option<Skew>,
}

/// The choice that is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Skew {
    /// No limit is ever reached.
    NoLimit,
    /// The limit is a tenth too high.
    WideLimit,
    /// A face value of any size is financed in full.
    NoCap,
    /// The cap is a cent too high.
    CapOffByOne,
    /// The fee is deducted from the amount paid out.
    FeeTakenOff,
    /// Every token for this purpose is the same.
    Same(Token),
    /// Every accepted delivery is sent twice, which the document permits.
    Twice,
}

impl<C> Chosen<C> {
    pub(super) fn new(choices: C, skew: Option<Skew>) -> Chosen<C> {
        Chosen { choices, skew }
    }
}

impl<C: Choices> Choices for Chosen<C> {
    fn remittance(&mut self, business: BusinessId) -> Remittance {
        self.choices.remittance(business)
    }

    fn token(&mut self, purpose: Token, counter: u64) -> String {
        let counter = if self.skew == Some(Skew::Same(purpose)) { 0 } else { counter };
        self.choices.token(purpose, counter)
    }

    fn offer(&mut self, profile: &Profile, business: BusinessId, terms: Terms) -> Offer {
        let cap = match self.skew {
            Some(Skew::NoCap) => Cents(i64::MAX),
            Some(Skew::CapOffByOne) => profile.per_invoice_maximum + Cents(1),
            Some(Skew::FeeTakenOff) => {
                let offer = self.choices.offer(profile, business, terms);
                return Offer { advance: offer.advance - offer.fee, ..offer };
            }
            _ => return self.choices.offer(profile, business, terms),
        };
        let capped = Profile { per_invoice_maximum: cap, ..profile.clone() };
        self.choices.offer(&capped, business, terms)
    }

    fn fits(&mut self, profile: &Profile, business: BusinessId, outstanding: Cents) -> bool {
        let outstanding = match self.skew {
            Some(Skew::NoLimit) => Cents::ZERO,
            Some(Skew::WideLimit) => Cents(outstanding.0 / 11 * 10),
            _ => outstanding,
        };
        self.choices.fits(profile, business, outstanding)
    }

    fn reserves(&mut self, reservation: Reservation) -> bool {
        self.choices.reserves(reservation)
    }

    fn refuses_with(&mut self, code: Code) -> bool {
        self.choices.refuses_with(code)
    }

    fn delay(&mut self, profile: &Profile, transition: Transition) -> Seconds {
        self.choices.delay(profile, transition)
    }

    fn lateness(&mut self, profile: &Profile, delivery: u64) -> Seconds {
        self.choices.lateness(profile, delivery)
    }

    fn is_duplicated(&mut self, profile: &Profile, delivery: u64) -> bool {
        self.skew == Some(Skew::Twice) || self.choices.is_duplicated(profile, delivery)
    }

    fn unlisted_event(&mut self, event: u64) -> Option<UnlistedEvent> {
        self.choices.unlisted_event(event)
    }
}
