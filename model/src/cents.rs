//! Money.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Neg, Sub, SubAssign};

use serde::{Deserialize, Serialize, Serializer};

/// Parts of ten thousand.
pub type BasisPoints = u32;

/// An amount of money in whole cents (§1 rule 1). Never a float.
///
/// Addition and subtraction panic on overflow: the model bounds every incoming amount, so that an overflow
/// is a defect of the model itself.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Cents(pub i64);

impl Cents {
    /// No money.
    pub const ZERO: Cents = Cents(0);

    /// This amount multiplied by `numerator / denominator`, rounded down. Cents.
    pub(crate) fn share_floor(self, numerator: u64, denominator: u64) -> Cents {
        let product = i128::from(self.0) * i128::from(numerator);
        Cents::saturated(product.div_euclid(i128::from(denominator)))
    }

    /// This amount multiplied by `numerator / denominator`, rounded up. Cents.
    pub(crate) fn share_ceil(self, numerator: u64, denominator: u64) -> Cents {
        let product = i128::from(self.0) * i128::from(numerator);
        Cents::saturated(-(-product).div_euclid(i128::from(denominator)))
    }

    fn saturated(amount: i128) -> Cents {
        Cents(i64::try_from(amount).unwrap_or(if amount < 0 { i64::MIN } else { i64::MAX }))
    }
}

impl Add for Cents {
    type Output = Cents;
    fn add(self, other: Cents) -> Cents {
        Cents(self.0.checked_add(other.0).expect("an amount of money overflowed"))
    }
}

impl Sub for Cents {
    type Output = Cents;
    fn sub(self, other: Cents) -> Cents {
        Cents(self.0.checked_sub(other.0).expect("an amount of money overflowed"))
    }
}

impl Neg for Cents {
    type Output = Cents;
    fn neg(self) -> Cents {
        Cents::ZERO - self
    }
}

impl AddAssign for Cents {
    fn add_assign(&mut self, other: Cents) {
        *self = *self + other;
    }
}

impl SubAssign for Cents {
    fn sub_assign(&mut self, other: Cents) {
        *self = *self - other;
    }
}

impl Sum for Cents {
    fn sum<I: Iterator<Item = Cents>>(amounts: I) -> Cents {
        amounts.fold(Cents::ZERO, Add::add)
    }
}

impl fmt::Display for Cents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The face value of an invoice: 1 to 2147483647 cents (§8, `8.faceValue`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FaceValue(u32);

impl FaceValue {
    /// The greatest face value, in cents.
    pub const MAX: i64 = 2_147_483_647;

    /// `None` unless `cents` is between 1 and [`FaceValue::MAX`].
    ///
    /// ```
    /// use tideover_model::{Cents, FaceValue};
    ///
    /// assert_eq!(FaceValue::new(100).map(FaceValue::cents), Some(Cents(100)));
    /// assert_eq!(FaceValue::new(0), None);
    /// ```
    pub fn new(cents: i64) -> Option<FaceValue> {
        match u32::try_from(cents) {
            Ok(amount) if amount > 0 && cents <= FaceValue::MAX => Some(FaceValue(amount)),
            _ => None,
        }
    }

    /// The amount in cents.
    pub fn cents(self) -> Cents {
        Cents(i64::from(self.0))
    }
}

impl Serialize for FaceValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.cents().serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_round_toward_the_named_side() {
        assert_eq!(Cents(101).share_floor(9000, 10_000), Cents(90));
        assert_eq!(Cents(101).share_ceil(9000, 10_000), Cents(91));
        assert_eq!(Cents(100).share_ceil(9000, 10_000), Cents(90));
    }

    #[test]
    fn face_value_is_positive_and_at_most_the_documented_maximum() {
        assert_eq!(FaceValue::new(0), None);
        assert_eq!(FaceValue::new(-1), None);
        assert_eq!(FaceValue::new(1).map(FaceValue::cents), Some(Cents(1)));
        assert!(FaceValue::new(2_147_483_647).is_some());
        assert_eq!(FaceValue::new(2_147_483_648), None);
    }
}
