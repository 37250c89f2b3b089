//! A limit that nobody states, filled by the advances of one vendor: the greatest amounts until one is refused, then
//! halves.

use tideover_exchange::step::Step;
use tideover_model::FaceValue;

use crate::generate::files::COLUMNS;
use crate::generate::{requests as make, values};

/// The number of invoices with the greatest face value, which come first. They leave less than one of them below the
/// limit.
pub(super) const LARGEST: usize = 9;

/// The face values of the invoices, in cents. Each half of the one before follows the greatest.
pub(super) const FACE_VALUES: [i64; 24] = {
    let mut values = [FaceValue::MAX; 24];
    let mut index = LARGEST;
    while index < values.len() {
        values[index] = values[index - 1] / 2;
        index += 1;
    }
    values
};

/// Days from the start to a due date that no case reaches.
const LATE: u32 = 23_000;

/// A file with an invoice for each face value: `f1`, `f2` and so on.
pub(super) fn rows(payee: &str) -> String {
    let (issued, due) = (values::day(0), values::day(LATE));
    let row = |(index, face): (usize, &i64)| {
        let number = index + 1;
        format!("f{number},{payee},V,P,ISSUED,{face},{issued},{due}\n")
    };
    format!("{COLUMNS}{}", FACE_VALUES.iter().enumerate().map(row).collect::<String>())
}

/// The request of an advance of the invoice with this number, counted from one.
pub(super) fn ask(vendor: &str, number: usize) -> Step {
    make::request_advance(vendor, &format!("f{number}"))
}

/// How many of the invoices a vendor requests advances of.
#[derive(Clone, Copy)]
pub(super) struct Filling {
    greatest: usize,
    halves: usize,
}

impl Filling {
    /// To the last cents.
    pub(super) const WHOLE: Filling =
        Filling { greatest: LARGEST, halves: FACE_VALUES.len() - LARGEST };
    /// Until no great amount fits. The first halves are often still more than the per-invoice maximum, and count as such.
    pub(super) const SHORT: Filling = Filling { greatest: 5, halves: 12 };

    /// The number of its steps: the import, and the requests.
    pub(super) const fn steps(self) -> usize {
        1 + self.greatest + self.halves
    }

    /// Step `number` of a vendor that meets every requirement. `None` once all are sent.
    pub(super) fn step(self, vendor: &str, number: usize) -> Option<Step> {
        let unasked = if number > self.greatest { LARGEST - self.greatest } else { 0 };
        match number {
            0 => Some(make::import("filling", rows(vendor))),
            number if number < self.steps() => Some(ask(vendor, number + unasked)),
            _ => None,
        }
    }
}
