//! The sequence of an event.

use std::fmt;

use serde_json::Value;

/// Whether one sequence is greater than another is all that the document says of it (§6 Delivery rule 5), so it may be any
/// number, or a text of one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sequence {
    billionths: i128,
}

const BILLION: i128 = 1_000_000_000;

impl Sequence {
    /// `None` if the value is not a number.
    pub fn of(value: &Value) -> Option<Sequence> {
        let text = match value {
            Value::Number(number) => number.to_string(),
            Value::String(text) => text.clone(),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
        };
        text.parse().ok().and_then(Sequence::whole).or_else(|| Sequence::fraction(&text))
    }

    fn whole(number: i128) -> Option<Sequence> {
        Some(Sequence { billionths: number.checked_mul(BILLION)? })
    }

    fn fraction(text: &str) -> Option<Sequence> {
        let number: f64 = text.parse().ok().filter(|number: &f64| number.is_finite())?;
        let billionths = format!("{number:.9}").replace('.', "").parse().ok()?;
        Some(Sequence { billionths })
    }
}

impl From<u32> for Sequence {
    fn from(number: u32) -> Sequence {
        Sequence { billionths: i128::from(number) * BILLION }
    }
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.billionths / BILLION, (self.billionths % BILLION).abs());
        match part {
            0 => write!(f, "{whole}"),
            _ => {
                let sign = if self.billionths < 0 && whole == 0 { "-" } else { "" };
                let digits = format!("{part:09}");
                write!(f, "{sign}{whole}.{}", digits.trim_end_matches('0'))
            }
        }
    }
}

impl fmt::Debug for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn any_number_is_a_sequence() {
        let of = |value| Sequence::of(&value);
        let all = [json!(-3), json!("-2"), json!(0), json!("1.5"), json!(1.75), json!(1e3)];
        let all: Vec<Sequence> = all.into_iter().filter_map(of).collect();
        assert!(all.len() == 6 && all.is_sorted(), "{all:?}");
        let shown: Vec<String> = all.iter().map(Sequence::to_string).collect();
        assert_eq!(shown, ["-3", "-2", "0", "1.5", "1.75", "1000"]);
        assert_eq!(of(json!("03")), of(json!(3)));
        for none in [json!(null), json!(true), json!("three"), json!([3]), json!("inf"), json!("")]
        {
            assert_eq!(Sequence::of(&none), None, "{none}");
        }
    }
}
