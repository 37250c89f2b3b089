//! The variable values that we assume where the document is silent.

mod webhooks;

use std::collections::BTreeMap;

use serde::de::Error;
use serde::{Deserialize, Serialize};

use crate::cents::{BasisPoints, Cents};
use crate::endpoint::Success;
use crate::readings::Readings;
use crate::refusal::{Code, Status};
use crate::timestamp::Seconds;

pub use webhooks::Webhooks;

/// The assumed values. The default is the standard profile.
///
/// Every field stands for a gap in the document; the gap's clause names the field.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Profile {
    /// The maximum size of a request body in bytes (`gap.bodyLimit`). A range in a file gives its maximum.
    #[serde(deserialize_with = "greatest")]
    pub body_limit: usize,
    /// The maximum financed cents of an invoice (`gap.perInvoiceMaximum`).
    pub per_invoice_maximum: Cents,
    /// The maximum outstanding cents of a business: one limit for all businesses (`gap.concentrationLimit`).
    pub concentration_limit: Range<Cents>,
    /// The days until the due date that a quote assumes (`gap.quoteTerm`).
    pub quote_term_days: u64,
    /// Whether the links of onboarding sessions resolve (`gap.sessionsLive`).
    pub session_links_live: bool,
    /// The rates of vendors (`gap.rates`).
    pub rates: RateRanges,
    /// How long hidden transitions take (`gap.accountOpening`, `gap.advanceTransitions`).
    pub delays: Delays,
    /// How the service sends webhooks (`gap.retrySchedule`, `gap.lateness`, `gap.duplicates`).
    pub webhooks: Webhooks,
    /// How the service reads what can be read in two ways (`gap.sharedBusiness`, `gap.oneTaxIdTwoIdentifiers`,
    /// `gap.selfDealing`, `gap.overpayment`, `gap.faceValueLowered`, `gap.wrongTaxIdStruck`,
    /// `gap.rejectedTaxId`, `gap.revokedReference`).
    #[serde(skip_serializing_if = "Readings::is_standard")]
    pub readings: Readings,
    /// Success statuses that differ from the standard ones (`gap.successStatuses`).
    pub success: BTreeMap<Success, u16>,
    /// Statuses of refusals where the document leaves them open (`gap.ownStatuses`).
    pub refusals: BTreeMap<Code, u16>,
}

/// The ranges of vendors' rates; each vendor has its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RateRanges {
    /// The share of the financeable amount that is paid out.
    pub advance: Range<BasisPoints>,
    /// The share of the financeable amount that is charged for 30 days.
    pub fee: Range<BasisPoints>,
}

/// How long hidden transitions take, in seconds.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Delays {
    /// From the last requirement met to the collection account's opening.
    pub collection_account: Range<Seconds>,
    /// From REQUESTED to FUNDING.
    pub funding_starts: Range<Seconds>,
    /// From FUNDING to FUNDED.
    pub funding_completes: Range<Seconds>,
}

/// A value between two bounds, both included. In a file: a number, or `{ min = 1, max = 2 }`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "RangeForm<T>", into = "RangeForm<T>")]
pub struct Range<T: Copy + PartialEq> {
    /// The least value.
    pub min: T,
    /// The greatest value.
    pub max: T,
}

impl<T: Copy + PartialEq> Range<T> {
    /// The range with the single value `value`.
    pub const fn exactly(value: T) -> Range<T> {
        Range { min: value, max: value }
    }

    /// Its value, if it has only one.
    pub fn exact(&self) -> Option<T> {
        (self.min == self.max).then_some(self.min)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "expected a whole number, or { min = …, max = … }"
)]
enum RangeForm<T> {
    Exactly(T),
    Between { min: T, max: T },
}

impl<T: Copy + PartialEq> From<RangeForm<T>> for Range<T> {
    fn from(form: RangeForm<T>) -> Range<T> {
        match form {
            RangeForm::Exactly(value) => Range::exactly(value),
            RangeForm::Between { min, max } => Range { min, max },
        }
    }
}

impl<T: Copy + PartialEq> From<Range<T>> for RangeForm<T> {
    fn from(range: Range<T>) -> RangeForm<T> {
        if range.min == range.max {
            RangeForm::Exactly(range.min)
        } else {
            RangeForm::Between { min: range.min, max: range.max }
        }
    }
}

fn greatest<'de, D: serde::Deserializer<'de>>(from: D) -> Result<usize, D::Error> {
    let range: Range<usize> = Range::deserialize(from)?;
    within("body_limit", range, usize::MAX, "bytes").map_err(D::Error::custom)?;
    Ok(range.max)
}

impl Default for Profile {
    fn default() -> Profile {
        Profile {
            body_limit: 1_048_576,
            per_invoice_maximum: Cents(25_000_000),
            concentration_limit: Range::exactly(Cents(100_000_000)),
            quote_term_days: 30,
            session_links_live: false,
            rates: RateRanges::default(),
            delays: Delays::default(),
            webhooks: Webhooks::default(),
            readings: Readings::default(),
            success: BTreeMap::new(),
            refusals: BTreeMap::new(),
        }
    }
}

impl Default for RateRanges {
    fn default() -> RateRanges {
        RateRanges { advance: Range { min: 8000, max: 9500 }, fee: Range { min: 100, max: 400 } }
    }
}

impl Default for Delays {
    fn default() -> Delays {
        Delays {
            collection_account: Range { min: 60, max: 300 },
            funding_starts: Range::exactly(30),
            funding_completes: Range::exactly(3600),
        }
    }
}

/// An impossible value in a profile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct ImpossibleValue {
    /// The path of the field, as in a profile file.
    pub field: String,
    /// The error, and the permitted values.
    pub problem: String,
}

impl ImpossibleValue {
    fn new(field: impl Into<String>, problem: impl Into<String>) -> ImpossibleValue {
        ImpossibleValue { field: field.into(), problem: problem.into() }
    }
}

/// The longest hidden delay in seconds: a year.
const LONGEST_DELAY: Seconds = 366 * 24 * 3600;

/// The highest limit in cents.
const MOST_CENTS: i64 = 1_000_000_000_000_000;

impl Profile {
    /// The HTTP status of a success.
    pub fn success_status(&self, success: Success) -> u16 {
        self.success.get(&success).copied().unwrap_or(success.assumed_status())
    }

    /// The HTTP status of a refusal.
    pub fn refusal_status(&self, code: Code) -> u16 {
        match code.status() {
            Status::Documented(status) => status,
            Status::Assumed(status) => self.refusals.get(&code).copied().unwrap_or(status),
        }
    }

    /// Whether every value is possible.
    ///
    /// # Errors
    /// The first impossible value, in the order of the fields.
    ///
    /// ```
    /// let profile = tideover_model::Profile { quote_term_days: 0, ..Default::default() };
    /// let problem = profile.check().unwrap_err();
    /// assert_eq!(problem.field, "quote_term_days");
    /// ```
    pub fn check(&self) -> Result<(), ImpossibleValue> {
        if self.body_limit == 0 || self.body_limit > 1 << 30 {
            return Err(ImpossibleValue::new("body_limit", "must be 1 to 1073741824 bytes"));
        }
        positive("per_invoice_maximum", self.per_invoice_maximum)?;
        let Range { min: Cents(min), max: Cents(max) } = self.concentration_limit;
        positive("concentration_limit", Cents(min))?;
        within("concentration_limit", Range { min, max }, MOST_CENTS, "cents")?;
        if !(1..=36_500).contains(&self.quote_term_days) {
            return Err(ImpossibleValue::new("quote_term_days", "must be 1 to 36500 days"));
        }
        within("rates.advance", self.rates.advance, 10_000, "basis points")?;
        within("rates.fee", self.rates.fee, 10_000, "basis points")?;
        let Delays { collection_account, funding_starts, funding_completes } = self.delays;
        within("delays.collection_account", collection_account, LONGEST_DELAY, "seconds")?;
        within("delays.funding_starts", funding_starts, LONGEST_DELAY, "seconds")?;
        within("delays.funding_completes", funding_completes, LONGEST_DELAY, "seconds")?;
        self.webhooks.check()?;
        self.check_success_statuses()?;
        self.check_refusal_statuses()
    }

    fn check_success_statuses(&self) -> Result<(), ImpossibleValue> {
        for (success, status) in &self.success {
            let field = || format!("success.{}", wire_name(success));
            if !(200..=299).contains(status) {
                let problem = format!("{status} is no success: must be 200 to 299");
                return Err(ImpossibleValue::new(field(), problem));
            }
            if [204, 205].contains(status) && *success != Success::Unsubscribe {
                let problem = format!("{status} has no body, but this answer has one");
                return Err(ImpossibleValue::new(field(), problem));
            }
        }
        Ok(())
    }

    fn check_refusal_statuses(&self) -> Result<(), ImpossibleValue> {
        for (code, status) in &self.refusals {
            let field = format!("refusals.{code}");
            if let Status::Documented(documented) = code.status() {
                let problem =
                    format!("the document states {documented}, so no profile can vary it");
                return Err(ImpossibleValue::new(field, problem));
            }
            if !(400..=499).contains(status) {
                let problem = format!("{status} is no refusal: must be 400 to 499");
                return Err(ImpossibleValue::new(field, problem));
            }
        }
        Ok(())
    }
}

fn wire_name(success: &Success) -> String {
    serde_json::to_value(success)
        .ok()
        .and_then(|name| name.as_str().map(str::to_owned))
        .unwrap_or_default()
}

fn positive(field: &str, amount: Cents) -> Result<(), ImpossibleValue> {
    if (1..=MOST_CENTS).contains(&amount.0) {
        Ok(())
    } else {
        Err(ImpossibleValue::new(field, format!("must be 1 to {MOST_CENTS} cents")))
    }
}

fn within<T>(field: &str, range: Range<T>, most: T, unit: &str) -> Result<(), ImpossibleValue>
where
    T: Copy + PartialOrd + std::fmt::Display,
{
    if range.min > range.max {
        let problem = format!("min {} is more than max {}", range.min, range.max);
        Err(ImpossibleValue::new(field, problem))
    } else if range.max > most {
        Err(ImpossibleValue::new(field, format!("must be at most {most} {unit}")))
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_profile_is_possible() {
        assert_eq!(Profile::default().check(), Ok(()));
    }

    #[test]
    fn an_impossible_value_is_named() {
        let impossible = |toml: &str| {
            let profile: Profile = toml::from_str(toml).unwrap();
            profile.check().unwrap_err().to_string()
        };
        assert_eq!(impossible("body_limit = 0"), "body_limit: must be 1 to 1073741824 bytes");
        assert_eq!(
            impossible("rates.fee = { min = 3, max = 2 }"),
            "rates.fee: min 3 is more than max 2"
        );
        assert_eq!(
            impossible("concentration_limit = { min = 0, max = 2 }"),
            "concentration_limit: must be 1 to 1000000000000000 cents"
        );
        assert_eq!(
            impossible("concentration_limit = { min = 3, max = 2 }"),
            "concentration_limit: min 3 is more than max 2"
        );
        assert_eq!(
            impossible("success.quote = 204"),
            "success.quote: 204 has no body, but this answer has one"
        );
        assert_eq!(
            impossible("refusals.self_dealing = 200"),
            "refusals.self_dealing: 200 is no refusal: must be 400 to 499"
        );
        assert_eq!(
            impossible("refusals.unauthorized = 403"),
            "refusals.unauthorized: the document states 401, so no profile can vary it"
        );
    }

    #[test]
    fn an_unknown_field_is_named() {
        let error = toml::from_str::<Profile>("concentration = 1").unwrap_err();
        assert!(error.to_string().contains("concentration"), "{error}");
    }

    #[test]
    fn a_range_of_body_limits_means_its_maximum() {
        let read = |toml: &str| toml::from_str::<Profile>(toml).map_err(|error| error.to_string());
        assert_eq!(read("body_limit = { min = 5, max = 10 }").unwrap().body_limit, 10);
        let error = read("body_limit = { min = 10, max = 5 }").unwrap_err();
        assert!(error.contains("body_limit: min 10 is more than max 5"), "{error}");
        for field in ["body_limit", "concentration_limit"] {
            let error = read(&format!("{field} = {{ min = 1, max = 5, most = 9 }}")).unwrap_err();
            assert!(error.contains("or { min = …, max = … }"), "{error}");
        }
    }

    #[test]
    fn a_profile_survives_serialization() {
        let toml = "concentration_limit = 5\nrates.advance = 9000\nrefusals.too_many_rows = 413\n";
        let profile: Profile = toml::from_str(toml).unwrap();
        let json = serde_json::to_string(&profile).unwrap();
        assert_eq!(serde_json::from_str::<Profile>(&json).unwrap(), profile);
    }
}
