//! The choices of the service in every world, and the bugs that can be planted in it.

use tideover_model::wire::reply::Remittance;
use tideover_model::words::UnlistedEvent;
use tideover_model::{
    BusinessId, Cents, Choices, Code, Offer, Profile, Range, RateRanges, Reservation, Seconds,
    Seeded, Terms, Token, Transition, Webhooks,
};

use crate::explore::cast;

macro_rules! planted {
    ($($bug:ident $name:literal $words:literal;)*) => {
        /// A bug of the service, planted to see that the search finds it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Planted {
            $(#[doc = $words] $bug,)*
        }

        impl Planted {
            /// Every bug.
            pub const ALL: [Planted; [$(Planted::$bug,)*].len()] = [$(Planted::$bug,)*];

            /// Its stable name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Planted::$bug => $name,)*
                }
            }

            /// What goes wrong, in one sentence.
            pub fn words(self) -> &'static str {
                match self {
                    $(Planted::$bug => $words,)*
                }
            }
        }
    };
}

planted! {
    LimitForgotten "limit-forgotten" "An advance may exceed the limit.";
    OnboardingForgotten "onboarding-forgotten"
        "An advance needs an open collection account, and no other requirement.";
    RepaymentUnannounced "repayment-unannounced" "Nobody hears that an advance is repaid.";
    RetryRenamed "retry-renamed" "A retried delivery has another Service-Delivery.";
}

impl Planted {
    /// The bug of this name.
    pub fn named(name: &str) -> Option<Planted> {
        Planted::ALL.into_iter().find(|planted| planted.name() == name)
    }
}

/// Choices that follow from the question alone. Names count; prices, delays and the limit never vary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Chooser {
    pub(super) planted: Option<Planted>,
}

/// The assumed values: one advance fits the limit, two don't.
pub(super) fn profile() -> Profile {
    Profile {
        concentration_limit: Range::exactly(limit()),
        rates: RateRanges { advance: Range::exactly(8000), fee: Range::exactly(200) },
        webhooks: Webhooks { retries: vec![5], ..Webhooks::default() },
        ..Profile::default()
    }
}

/// The most that may be outstanding with the vendor. Cents.
pub(super) fn limit() -> Cents {
    Cents(cast::FACE_VALUE)
}

const SEEDED: Seeded = Seeded { seed: 0 };

impl Choices for Chooser {
    fn remittance(&mut self, business: BusinessId) -> Remittance {
        Remittance {
            account_number: format!("{:010}", business.0),
            routing_number: "021000021".into(),
        }
    }

    fn token(&mut self, purpose: Token, counter: u64) -> String {
        format!("{purpose:?}-{counter}")
    }

    fn offer(&mut self, profile: &Profile, business: BusinessId, terms: Terms) -> Offer {
        SEEDED.clone().offer(profile, business, terms)
    }

    fn fits(&mut self, profile: &Profile, business: BusinessId, outstanding: Cents) -> bool {
        self.planted == Some(Planted::LimitForgotten)
            || SEEDED.clone().fits(profile, business, outstanding)
    }

    fn reserves(&mut self, reservation: Reservation) -> bool {
        SEEDED.clone().reserves(reservation)
    }

    fn refuses_with(&mut self, code: Code) -> bool {
        self.planted != Some(Planted::OnboardingForgotten) || code != Code::BusinessNotEligible
    }

    fn delay(&mut self, _profile: &Profile, transition: Transition) -> Seconds {
        match transition {
            Transition::AccountOpens(..) => 120,
            Transition::FundingStarts(_) => 30,
            Transition::FundingCompletes(_) => 3600,
        }
    }

    fn lateness(&mut self, _profile: &Profile, _delivery: u64) -> Seconds {
        0
    }

    fn unlisted_event(&mut self, _event: u64) -> Option<UnlistedEvent> {
        None
    }

    fn is_duplicated(&mut self, _profile: &Profile, _delivery: u64) -> bool {
        false
    }
}
