//! The choices of the service in every world, and the defects that can be planted in it.

use tideover_defects::{Defect, find_any};
use tideover_model::wire::reply::Remittance;
use tideover_model::{
    BusinessId, Cents, Choices, Profile, Range, RateRanges, Seconds, Seeded, Token, Transition,
    Webhooks,
};

use crate::explore::cast;

/// The defects that can be planted. None of them remembers anything: what a defect remembers does not tell states apart.
const PLANTED: [&str; 4] = [
    "limit-is-never-reached",
    "skips-requirements",
    "repayment-unannounced",
    "retries-have-names-of-their-own",
];

/// Every defect that can be planted.
pub fn planted() -> impl Iterator<Item = &'static Defect> {
    PLANTED.into_iter().filter_map(find_any)
}

/// The one of this name, or of one that it had before.
pub fn planted_named(name: &str) -> Option<&'static Defect> {
    planted().find(|defect| defect.has_name(name))
}

/// Choices that follow from the question alone. Names count; prices, delays and the limit never vary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct FixedChoices(pub(super) Seeded);

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

impl Choices for FixedChoices {
    type Base = Seeded;

    fn base(&mut self) -> &mut Seeded {
        &mut self.0
    }

    fn remittance(&mut self, business: BusinessId, _series: u64) -> Remittance {
        Remittance {
            account_number: format!("{:010}", business.0),
            routing_number: "021000021".into(),
        }
    }

    fn token(&mut self, purpose: Token, counter: u64) -> String {
        format!("{purpose:?}-{counter}")
    }

    fn delay(&mut self, _profile: &Profile, transition: Transition) -> Seconds {
        match transition {
            Transition::AccountOpens(..) => 120,
            Transition::FundingStarts(_) => 30,
            Transition::FundingCompletes(_) => 3600,
        }
    }
}
