//! The interface through which the service gets everything that it is free to choose.
//!
//! The service asks for a choice by purpose, entity and counter, and doesn't know its source: a mock draws
//! choices from a seed, a judge takes them from the responses that it observed.

use std::fmt::Debug;
use std::hash::Hash;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

use crate::cents::Cents;
use crate::identity::{BusinessId, InvoiceId};
use crate::pricing::{Offer, Rates, Terms, price};
use crate::profile::{Profile, Range};
use crate::readings::Reading;
use crate::refusal::Code;
use crate::timestamp::Seconds;
use crate::wire::reply::Remittance;
use crate::words::UnlistedEvent;

/// The source of the service's choices.
///
/// The same question always gets the same answer. Whatever a source does not decide itself, the source at its
/// base decides: so one that is wrapped around another names only what it changes. [`Seeded`], at the bottom,
/// decides everything.
pub trait Choices: Clone + Eq + Hash + Debug + Send + 'static {
    /// The source that decides what this one leaves open.
    type Base: Choices;

    /// The base. Itself, for a source that decides everything.
    fn base(&mut self) -> &mut Self::Base;

    /// The same choices for a copy of the service, which share nothing with these.
    fn detached(&self) -> Self {
        self.clone()
    }

    /// The collection account of a business. `series` tells the names of a world, since its last reset, from others of
    /// the seed.
    fn remittance(&mut self, business: BusinessId, series: u64) -> Remittance {
        self.base().remittance(business, series)
    }

    /// The `counter`th name minted for a purpose.
    fn token(&mut self, purpose: Token, counter: u64) -> String {
        self.base().token(purpose, counter)
    }

    /// The service's offer to a business.
    fn offer(&mut self, profile: &Profile, business: BusinessId, terms: Terms) -> Offer {
        self.base().offer(profile, business, terms)
    }

    /// Whether `outstanding`, which includes the requested advance, is within a business's limit. Cents.
    fn fits(&mut self, profile: &Profile, business: BusinessId, outstanding: Cents) -> bool {
        self.base().fits(profile, business, outstanding)
    }

    /// Whether the service doesn't finance an invoice for a reason that the document does not state.
    fn reserves(&mut self, reservation: Reservation) -> bool {
        self.base().reserves(reservation)
    }

    /// Whether the service refuses with `code`, whose condition holds, when another code's condition may hold
    /// too (`gap.refusalPrecedence`, `gap.advancePrecedence`).
    fn refuses_with(&mut self, code: Code) -> bool {
        self.base().refuses_with(code)
    }

    /// How the service reads what can be read in two ways.
    fn reads_so(&mut self, profile: &Profile, reading: Reading) -> bool {
        self.base().reads_so(profile, reading)
    }

    /// How long a hidden transition takes. Seconds.
    fn delay(&mut self, profile: &Profile, transition: Transition) -> Seconds {
        self.base().delay(profile, transition)
    }

    /// The delay before the first attempt of a delivery. Seconds.
    fn lateness(&mut self, profile: &Profile, delivery: u64) -> Seconds {
        self.base().lateness(profile, delivery)
    }

    /// Whether the service repeats a delivery that the receiver accepted.
    fn is_duplicated(&mut self, profile: &Profile, delivery: u64) -> bool {
        self.base().is_duplicated(profile, delivery)
    }

    /// The event of an unlisted kind that the service sends beside the event of this number, if it sends one
    /// (`9.versioning.4`).
    fn unlisted_event(&mut self, event: u64) -> Option<UnlistedEvent> {
        self.base().unlisted_event(event)
    }

    /// The seed that all choices follow from, if they follow from one: then they can be written down. A source
    /// that changes what its base decides does not follow from the base's seed alone.
    fn seeded(&self) -> Option<Seeded> {
        None
    }
}

/// A reason not to finance an invoice that the document does not state (§7 Gaps in errors).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reservation {
    /// The payor has paid part of it already (`gap.alreadyCollected`).
    Collected,
    /// Its advance would be 0 cents (`gap.zeroAdvance`).
    ZeroAdvance,
    /// A reason that only the service knows.
    Unknown,
}

/// What a minted name is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Token {
    /// An API key.
    ApiKey,
    /// The `inviteId` of an invitation.
    Invitation,
    /// The last part of an onboarding link.
    SessionLink,
    /// The `reference` of a subscription.
    SubscriptionReference,
    /// The signing secret of a subscription.
    SubscriptionSecret,
    /// The `id` of an event.
    Event,
    /// The `Service-Delivery` of a delivery.
    Delivery,
}

impl Token {
    fn prefix(self) -> &'static str {
        match self {
            Token::ApiKey => "rap_sk_",
            Token::Invitation => "inv_",
            Token::SessionLink => "",
            Token::SubscriptionReference => "whs_",
            Token::SubscriptionSecret => "whsec_",
            Token::Event => "evt_",
            Token::Delivery => "dlv_",
        }
    }

    /// Random bytes in the name: credentials have more.
    fn strength(self) -> usize {
        match self {
            Token::ApiKey | Token::SessionLink | Token::SubscriptionSecret => 24,
            Token::Invitation | Token::SubscriptionReference | Token::Event | Token::Delivery => 12,
        }
    }
}

/// A transition that happens by itself after a delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Transition {
    /// The collection account opens; the number counts its attempts.
    AccountOpens(BusinessId, u32),
    /// REQUESTED becomes FUNDING.
    FundingStarts(InvoiceId),
    /// FUNDING becomes FUNDED.
    FundingCompletes(InvoiceId),
}

/// The number of the first business's collection account. 16 digits: an account number has at most 17.
const FIRST_ACCOUNTS: Range<u64> = Range { min: 1_000_000_000_000_000, max: 8_999_999_999_999_999 };

/// Choices drawn from a seed.
///
/// Each choice has its own generator, keyed by seed and question: an additional question changes no other
/// answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Seeded {
    /// The seed of every choice.
    pub seed: u64,
}

impl Seeded {
    /// The question is the generator's key. Only the first twelve bytes of a purpose count.
    fn draw(self, purpose: &str, entity: u32, counter: u64) -> ChaCha8Rng {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&self.seed.to_le_bytes());
        key[8..12].copy_from_slice(&entity.to_le_bytes());
        key[12..20].copy_from_slice(&counter.to_le_bytes());
        for (byte, letter) in key[20..].iter_mut().zip(purpose.bytes()) {
            *byte = letter;
        }
        ChaCha8Rng::from_seed(key)
    }

    /// A uniform draw from `range` for a question of someone else, who chooses a purpose that no choice has.
    pub fn draw_from(self, purpose: &str, entity: u32, counter: u64, range: Range<u64>) -> u64 {
        pick(&mut self.draw(purpose, entity, counter), range)
    }

    /// Each vendor has its own rates (`4.quotes.5`, `gap.rates`).
    fn rates(self, profile: &Profile, business: BusinessId) -> Rates {
        let mut draw = self.draw("rates", business.0, 0);
        let mut between = |range: Range<u32>| {
            let span = Range { min: u64::from(range.min), max: u64::from(range.max) };
            u32::try_from(pick(&mut draw, span)).unwrap_or(range.max)
        };
        Rates { advance: between(profile.rates.advance), fee: between(profile.rates.fee) }
    }

    /// One limit for every business (`8.concentrationLimit`).
    fn limit(self, Range { min, max }: Range<Cents>) -> Cents {
        let whole = |amount: Cents| u64::try_from(amount.0).unwrap_or(0);
        let drawn = pick(&mut self.draw("limit", 0, 0), Range { min: whole(min), max: whole(max) });
        i64::try_from(drawn).map_or(max, Cents)
    }
}

impl Choices for Seeded {
    type Base = Seeded;

    fn base(&mut self) -> &mut Seeded {
        self
    }

    fn seeded(&self) -> Option<Seeded> {
        Some(*self)
    }

    fn remittance(&mut self, business: BusinessId, series: u64) -> Remittance {
        // No two businesses share an account: they are numbered from a random place for each series.
        let first = pick(&mut self.draw("accounts", 0, series), FIRST_ACCOUNTS);
        let account_number = (first + u64::from(business.0)).to_string();
        let mut draw = self.draw("remittance", business.0, 0);
        let body = pick(&mut draw, Range { min: 10_000_000, max: 12_999_999 }).to_string();
        let routing_number = format!("{body}{}", crate::routing_number::check_digit(&body));
        Remittance { account_number, routing_number }
    }

    fn token(&mut self, purpose: Token, counter: u64) -> String {
        let mut bytes = [0; 24];
        let bytes = &mut bytes[..purpose.strength()];
        self.draw(purpose.prefix(), 0, counter).fill_bytes(bytes);
        let mut token = String::with_capacity(7 + 2 * bytes.len());
        token.push_str(purpose.prefix());
        crate::hex::push(&mut token, bytes);
        token
    }

    fn offer(&mut self, profile: &Profile, business: BusinessId, terms: Terms) -> Offer {
        price(profile, self.rates(profile, business), terms)
    }

    fn fits(&mut self, profile: &Profile, _business: BusinessId, outstanding: Cents) -> bool {
        let range = profile.concentration_limit;
        outstanding <= range.exact().unwrap_or_else(|| self.limit(range))
    }

    fn reserves(&mut self, reservation: Reservation) -> bool {
        match reservation {
            Reservation::Collected | Reservation::ZeroAdvance => true,
            Reservation::Unknown => false,
        }
    }

    fn refuses_with(&mut self, _code: Code) -> bool {
        true
    }

    fn reads_so(&mut self, profile: &Profile, reading: Reading) -> bool {
        profile.readings.get(reading)
    }

    fn delay(&mut self, profile: &Profile, transition: Transition) -> Seconds {
        let delays = &profile.delays;
        let (purpose, entity, counter, range) = match transition {
            Transition::AccountOpens(business, attempt) => {
                ("opens", business.0, attempt, delays.collection_account)
            }
            Transition::FundingStarts(invoice) => ("starts", invoice.0, 0, delays.funding_starts),
            Transition::FundingCompletes(invoice) => {
                ("completes", invoice.0, 0, delays.funding_completes)
            }
        };
        pick(&mut self.draw(purpose, entity, u64::from(counter)), range)
    }

    fn lateness(&mut self, profile: &Profile, delivery: u64) -> Seconds {
        match profile.webhooks.lateness {
            Range { min, max } if min == max => min,
            range => pick(&mut self.draw("late", 0, delivery), range),
        }
    }

    fn is_duplicated(&mut self, profile: &Profile, delivery: u64) -> bool {
        let percent = u64::from(profile.webhooks.duplicates);
        percent > 0
            && pick(&mut self.draw("twice", 0, delivery), Range { min: 1, max: 100 }) <= percent
    }

    fn unlisted_event(&mut self, _event: u64) -> Option<UnlistedEvent> {
        None
    }
}

/// A uniform draw from `range`.
fn pick(draw: &mut ChaCha8Rng, range: Range<u64>) -> u64 {
    let span = u128::from(range.max.saturating_sub(range.min)) + 1;
    let offset = (u128::from(draw.next_u64()) * span) >> 64;
    range.min + u64::try_from(offset).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_means_the_same_on_every_machine() {
        let mut choices = Seeded { seed: 1 };
        insta::assert_debug_snapshot!((
            choices.remittance(BusinessId(0), 0),
            choices.token(Token::Event, 0),
            choices.token(Token::SubscriptionSecret, 3),
            choices.rates(&Profile::default(), BusinessId(7)),
            choices.delay(&Profile::default(), Transition::AccountOpens(BusinessId(7), 0)),
        ));
    }

    #[test]
    fn remittances_have_valid_routing_numbers_and_distinct_accounts() {
        let mut choices = Seeded { seed: 3 };
        let accounts: Vec<_> = (0..100).map(|n| choices.remittance(BusinessId(n), 0)).collect();
        for account in &accounts {
            assert!(crate::routing_number::is_valid(&account.routing_number));
            let same =
                accounts.iter().filter(|other| other.account_number == account.account_number);
            assert_eq!(same.count(), 1);
        }
    }

    #[test]
    fn all_businesses_share_one_limit() {
        let concentration_limit = Range { min: Cents(1_000), max: Cents(2_000) };
        let profile = Profile { concentration_limit, ..Profile::default() };
        let limit = |seed, business| {
            let fits = |cents| Seeded { seed }.fits(&profile, BusinessId(business), Cents(cents));
            (0..=2_001).take_while(|cents| fits(*cents)).last().unwrap()
        };
        let drawn: Vec<i64> = (0..20).map(|seed| limit(seed, 1)).collect();
        assert!(drawn.iter().all(|cents| (1_000..=2_000).contains(cents)), "{drawn:?}");
        assert!(drawn.iter().any(|cents| *cents != drawn[0]), "{drawn:?}");
        assert_eq!(limit(3, 1), limit(3, 2));
    }

    #[test]
    fn rates_and_delays_stay_within_the_profile() {
        let profile = Profile::default();
        for seed in 0..200 {
            let mut choices = Seeded { seed };
            let rates = choices.rates(&profile, BusinessId(1));
            assert!((8000..=9500).contains(&rates.advance) && (100..=400).contains(&rates.fee));
            let delay = choices.delay(&profile, Transition::AccountOpens(BusinessId(1), 0));
            assert!((60..=300).contains(&delay));
        }
    }
}
