//! ABA routing numbers (§4 payout account rule 4, `8.routingNumber`).

/// Nine digits whose weighted sum (3 7 1, three times) is a multiple of ten.
///
/// Doesn't check whether a bank has the number.
///
/// ```
/// assert!(tideover_model::is_routing_number("021000021"));
/// assert!(!tideover_model::is_routing_number("021000022"));
/// ```
pub fn is_valid(number: &str) -> bool {
    number.len() == 9
        && number.bytes().all(|byte| byte.is_ascii_digit())
        && weighted_sum(number).is_multiple_of(10)
}

/// The ninth digit that completes eight digits to a routing number.
pub(crate) fn check_digit(eight_digits: &str) -> u32 {
    (10 - weighted_sum(eight_digits) % 10) % 10
}

fn weighted_sum(digits: &str) -> u32 {
    digits
        .bytes()
        .zip([3, 7, 1].into_iter().cycle())
        .map(|(digit, weight)| u32::from(digit & 15) * weight)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_digit_is_checked() {
        for valid in ["021000021", "011401533", "091000019", "000000000"] {
            assert!(is_valid(valid), "{valid}");
        }
        for invalid in ["021000022", "02100002", "0210000210", "02100002a", "", "０２１０００021"]
        {
            assert!(!is_valid(invalid), "{invalid}");
        }
    }

    #[test]
    fn the_check_digit_completes_a_number() {
        assert_eq!(check_digit("02100002"), 1);
        assert_eq!(check_digit("01140153"), 3);
    }
}
