//! Unknown limits, narrowed by observed values.

use std::collections::BTreeMap;

use serde_json::Value;
use tideover_exchange::evidence::Point;
use tideover_exchange::evidence::finding::OUTCOME;
use tideover_model::wire::field;
use tideover_model::{BusinessId, Cents, Range, clause};

use crate::belief::reading::amount;

/// A limit between two numbers: at least one of them, and less than the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// The greatest value that was within the limit.
    pub at_least: Option<i64>,
    /// The least value that was beyond the limit.
    pub less_than: Option<i64>,
}

impl Bounds {
    pub(crate) fn accept(&mut self, value: i64) {
        self.at_least = Some(self.at_least.map_or(value, |known| known.max(value)));
    }

    pub(crate) fn refuse(&mut self, value: i64) {
        self.less_than = Some(self.less_than.map_or(value, |known| known.min(value)));
    }

    pub(crate) fn is_possible(&self) -> bool {
        match (self.at_least, self.less_than) {
            (Some(within), Some(beyond)) => within < beyond,
            _ => true,
        }
    }

    /// The range of the limit, if a value was beyond it and some limit explains all values.
    pub fn range(&self) -> Option<Range<i64>> {
        let range = Range { min: self.at_least.unwrap_or(0), max: self.less_than? - 1 };
        (range.min <= range.max).then_some(range)
    }

    /// What is known of the limit, in words. `None` if nothing is known.
    pub fn in_words(&self, unit: &str) -> Option<String> {
        Some(match (self.at_least, self.less_than) {
            (None, None) => return None,
            (Some(within), None) => format!("at least {within} {unit}"),
            (Some(within), Some(beyond)) if beyond <= within => {
                format!("not one: {within} {unit} were within it, {beyond} beyond it")
            }
            (within, Some(beyond)) => {
                let within = within.unwrap_or(0);
                format!("at least {within} and less than {beyond} {unit}")
            }
        })
    }

    #[must_use]
    pub fn and(mut self, other: Bounds) -> Bounds {
        other.at_least.into_iter().for_each(|value| self.accept(value));
        other.less_than.into_iter().for_each(|value| self.refuse(value));
        self
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The size of a request body (`8.requestBodySize`). Bytes.
    pub body: Bounds,
    /// The same of a file, whose limit may be another one. Bytes.
    pub file: Bounds,
    /// The financed amount of an invoice (`8.perInvoiceMaximum`). Cents.
    pub invoice: Bounds,
    /// The amount outstanding, by business (`8.concentrationLimit`). Cents.
    pub outstanding: BTreeMap<BusinessId, Bounds>,
}

impl Limits {
    /// Learns the per-invoice maximum from a response with amounts. An amount below the face value is the
    /// maximum itself.
    pub(crate) fn learn_financeable(&mut self, face_value: i64, answer: &Value) -> Option<Point> {
        let financeable = amount(answer, field::FINANCEABLE_AMOUNT)?.0;
        self.invoice.accept(financeable);
        if financeable < face_value {
            self.invoice.refuse(financeable + 1);
        }
        Some(Point {
            clause: clause!("8.perInvoiceMaximum"),
            holds: self.invoice.is_possible(),
            field: field::FINANCEABLE_AMOUNT.into(),
            expected: "the face value, or the one maximum that caps it".into(),
            seen: format!("{financeable} of {face_value}; {}", in_words(self.invoice)),
        })
    }

    /// Learns from an outstanding amount that was within or beyond the limit of a business.
    pub(crate) fn learn_outstanding(
        &mut self,
        business: BusinessId,
        outstanding: Cents,
        fits: bool,
    ) -> Point {
        let bounds = self.outstanding.entry(business).or_default();
        if fits {
            bounds.accept(outstanding.0)
        } else {
            bounds.refuse(outstanding.0)
        }
        let holds = bounds.is_possible();
        Point {
            // What counts as outstanding, and since when, is not stated.
            clause: if holds {
                clause!("8.concentrationLimit")
            } else {
                clause!("gap.outstanding")
            },
            holds,
            field: OUTCOME.into(),
            expected: "one limit of what is outstanding".into(),
            seen: format!("{} outstanding; {}", outstanding.0, in_words(*bounds)),
        }
    }

    /// The limit of all bodies, or that of a body that is no file if files have another one. Bytes.
    pub fn of_bodies(&self) -> Bounds {
        let of_both = self.body.and(self.file);
        if of_both.is_possible() { of_both } else { self.body }
    }

    /// Learns from a body of this size that was accepted or was too large.
    pub(crate) fn learn_body(&mut self, bytes: usize, is_file: bool, fits: bool) -> Point {
        let length = i64::try_from(bytes).unwrap_or(i64::MAX);
        let bounds = if is_file { &mut self.file } else { &mut self.body };
        if fits {
            bounds.accept(length)
        } else {
            bounds.refuse(length)
        }
        Point {
            clause: clause!("8.requestBodySize"),
            holds: bounds.is_possible(),
            field: "status".into(),
            expected: "one limit of what a body may have".into(),
            seen: format!("{bytes} bytes; {}", in_words(*bounds)),
        }
    }
}

fn in_words(bounds: Bounds) -> String {
    let bound =
        |bound: Option<i64>| bound.map_or_else(|| "?".to_owned(), |cents| cents.to_string());
    format!("within {}, beyond {}", bound(bounds.at_least), bound(bounds.less_than))
}
