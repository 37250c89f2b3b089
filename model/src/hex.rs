//! Bytes as lower-case hexadecimal digits.

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Appends `bytes` to `text`.
pub(crate) fn push(text: &mut String, bytes: &[u8]) {
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
}
