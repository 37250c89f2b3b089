//! What an advance costs: the standard formula (`gap.pricing`).

use serde::{Deserialize, Serialize};

use crate::cents::{BasisPoints, Cents, FaceValue};
use crate::profile::Profile;

const WHOLE: u64 = 10_000;
const FEE_PERIOD_DAYS: u64 = 30;

/// The priced amounts of an advance (§2 Advance and quote amounts). Cents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Offer {
    /// What the payor owes.
    pub face_value: Cents,
    /// The eligible part: the face value, capped.
    pub financeable: Cents,
    /// What the business gets when the advance is issued.
    pub advance: Cents,
    /// The part of the payor's payment that the service keeps.
    pub fee: Cents,
}

impl Offer {
    /// The part of a full payment that the business gets, after advance and fee; never negative. Cents.
    pub fn forwarded(&self) -> Cents {
        (self.face_value - self.advance - self.fee).max(Cents::ZERO)
    }

    /// The amount that the payor's payments must recover. Cents.
    pub fn owed(&self) -> Cents {
        self.advance + self.fee
    }
}

/// The inputs of a price: the face value and the whole days until it is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Terms {
    /// What the payor owes.
    pub face_value: FaceValue,
    /// Days until it is due.
    pub days: u64,
}

/// A vendor's rates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rates {
    /// The share of the financeable amount that is paid out as the advance.
    pub advance: BasisPoints,
    /// The share of the financeable amount that is charged for 30 days.
    pub fee: BasisPoints,
}

/// The part of a face value that is eligible for an advance (§8, `8.perInvoiceMaximum`). Cents.
pub(crate) fn financeable(profile: &Profile, face_value: FaceValue) -> Cents {
    face_value.cents().min(profile.per_invoice_maximum)
}

/// The offer at `rates`.
pub(crate) fn price(profile: &Profile, rates: Rates, terms: Terms) -> Offer {
    let financeable = financeable(profile, terms.face_value);
    let advance = financeable.share_floor(u64::from(rates.advance), WHOLE);
    let fee_for_days = u64::from(rates.fee).saturating_mul(terms.days.max(1));
    let fee =
        financeable.share_ceil(fee_for_days, WHOLE * FEE_PERIOD_DAYS).min(financeable - advance);
    Offer { face_value: terms.face_value.cents(), financeable, advance, fee }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(face: i64, days: u64, rates: Rates) -> Offer {
        let face_value = FaceValue::new(face).unwrap();
        price(&Profile::default(), rates, Terms { face_value, days })
    }

    #[test]
    fn the_advance_rounds_down_and_the_fee_up() {
        let offer = offer(100_001, 30, Rates { advance: 8500, fee: 250 });
        assert_eq!((offer.advance, offer.fee), (Cents(85_000), Cents(2_501)));
        assert_eq!(offer.forwarded(), Cents(12_500));
    }

    #[test]
    fn the_excess_over_the_cap_is_forwarded() {
        let offer = offer(30_000_000, 30, Rates { advance: 9000, fee: 200 });
        assert_eq!(offer.financeable, Cents(25_000_000));
        assert_eq!(offer.forwarded(), Cents(30_000_000 - 22_500_000 - 500_000));
    }

    #[test]
    fn the_fee_never_exceeds_what_the_advance_leaves() {
        let offer = offer(1_000, 100_000, Rates { advance: 9500, fee: 400 });
        assert_eq!(
            (offer.advance, offer.fee, offer.forwarded()),
            (Cents(950), Cents(50), Cents(0))
        );
    }

    #[test]
    fn an_overdue_invoice_is_priced_for_a_day() {
        let rates = Rates { advance: 9000, fee: 300 };
        assert_eq!(offer(100_000, 0, rates), offer(100_000, 1, rates));
    }
}
