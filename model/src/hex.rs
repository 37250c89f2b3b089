//! Bytes as lower-case hexadecimal digits.

/// Appends `bytes`, at most 24 of them, to `text`.
pub(crate) fn push(text: &mut String, bytes: &[u8]) {
    let mut digits = [0; 48];
    let digits = &mut digits[..2 * bytes.len()];
    const_hex::encode_to_slice(bytes, digits).expect("two digits to a byte");
    text.push_str(str::from_utf8(digits).expect("digits"));
}
