//! The parser of the signature header: `t=<unix seconds>,v1=<hex>`.
//!
//! An ambiguous header is malformed, so that all receivers agree.

use crate::signature::Rejection;

/// The values in a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ParsedHeader<'a> {
    /// The digits of `t`: the signed form.
    pub(super) seconds: &'a [u8],
    /// Their value.
    pub(super) at: u64,
    /// `v1`; `None` if it is hexadecimal but not as long as a digest.
    pub(super) digest: Option<[u8; 32]>,
}

impl ParsedHeader<'_> {
    /// # Errors
    /// Malformed, then not hexadecimal.
    pub(super) fn parse(header: &[u8]) -> Result<ParsedHeader<'_>, Rejection> {
        ParsedHeader::usual(header).map_or_else(|| ParsedHeader::any(header), Ok)
    }

    /// Parses a header in the document's own form, as almost every header is.
    fn usual(header: &[u8]) -> Option<ParsedHeader<'_>> {
        let (start, v1) = header.split_last_chunk::<64>()?;
        let seconds = start.strip_prefix(b"t=")?.strip_suffix(b",v1=")?;
        let digest = Some(const_hex::decode_to_array(v1).ok()?);
        Some(ParsedHeader { seconds, at: unix(seconds)?, digest })
    }

    /// Parses fields in any order, with unknown ones between them (`gap.signatureFields`).
    fn any(header: &[u8]) -> Result<ParsedHeader<'_>, Rejection> {
        // `gap.signatureBytes`
        if !header.iter().all(u8::is_ascii_graphic) {
            return Err(Rejection::Malformed);
        }
        let (mut t, mut v1) = (None, None);
        for field in header.split(|byte| *byte == b',') {
            let (name, value) = split(field).ok_or(Rejection::Malformed)?;
            let known = match name {
                b"t" => &mut t,
                b"v1" => &mut v1,
                _ => continue,
            };
            if known.replace(value).is_some() {
                return Err(Rejection::Malformed);
            }
        }
        let (seconds, v1) = t.zip(v1).ok_or(Rejection::Malformed)?;
        let at = unix(seconds).ok_or(Rejection::Malformed)?;
        // `gap.signatureHex`
        if v1.len() % 2 != 0 || !v1.iter().all(u8::is_ascii_hexdigit) {
            return Err(Rejection::NotHexadecimal);
        }
        Ok(ParsedHeader { seconds, at, digest: const_hex::decode_to_array(v1).ok() })
    }
}

/// Name and value of a field, if it has both.
fn split(field: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = field.iter().position(|byte| *byte == b'=')?;
    let (name, value) = (&field[..end], &field[end + 1..]);
    (!name.is_empty() && !value.is_empty()).then_some((name, value))
}

/// The number that `digits` write, if in the usual way (`gap.signatureTime`).
fn unix(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || (digits.len() > 1 && digits[0] == b'0') {
        return None;
    }
    digits.iter().try_fold(0_u64, |number, digit| {
        let digit = digit.is_ascii_digit().then(|| u64::from(digit - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn both_parsers_agree_on_the_usual_form(header in "t=(0|[1-9][0-9]{0,19}),v1=[0-9a-fA-F]{64}") {
            let header = header.as_bytes();
            if let Some(read) = ParsedHeader::usual(header) {
                prop_assert_eq!(ParsedHeader::any(header), Ok(read));
            } else {
                // The seconds exceed 64 bits.
                prop_assert_eq!(ParsedHeader::any(header), Err(Rejection::Malformed));
            }
        }

        #[test]
        fn both_parsers_agree_on_almost_usual_headers(header in "t=[0-9,v=]{0,12},v1=[0-9a-fx,=v]{60,68}") {
            let header = header.as_bytes();
            if let Some(read) = ParsedHeader::usual(header) {
                prop_assert_eq!(ParsedHeader::any(header), Ok(read));
            }
        }
    }

    #[test]
    fn only_canonical_seconds_are_accepted() {
        for (digits, number) in
            [("0", 0), ("1767225600", 1_767_225_600), ("18446744073709551615", u64::MAX)]
        {
            assert_eq!(unix(digits.as_bytes()), Some(number));
        }
        for digits in ["", "00", "01", "+1", "-1", "1.0", "1e3", "1abc", "18446744073709551616"] {
            assert_eq!(unix(digits.as_bytes()), None, "{digits}");
        }
    }
}
