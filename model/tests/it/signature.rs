//! Signatures, compared with another library's HMAC, and with one error at a time.

use std::fmt::Write;

use proptest::collection::vec;
use proptest::prelude::*;
use ring::hmac::{Context, HMAC_SHA256, Key};
use tideover_model::SigningKey;
use tideover_model::signature::{Rejection, TOLERANCE};

const NOW: u64 = 1_767_225_600;
const BODY: &[u8] = br#"{"type":"partner.invoice.paid"}"#;

fn key() -> SigningKey {
    SigningKey::new("whsec_0123456789abcdef")
}

/// The document's signature, made with another library.
fn oracle(secret: &str, at: u64, body: &[u8]) -> String {
    let mut mac = Context::with_key(&Key::new(HMAC_SHA256, secret.as_bytes()));
    mac.update(at.to_string().as_bytes());
    mac.update(b".");
    mac.update(body);
    let mut header = format!("t={at},v1=");
    for byte in mac.sign().as_ref() {
        write!(header, "{byte:02x}").expect("a string takes it");
    }
    header
}

/// Seconds with few and with many digits.
fn instants() -> impl Strategy<Value = u64> {
    (any::<u64>(), 0_u32..64).prop_map(|(number, shift)| number >> shift)
}

/// Secrets, times and bodies, with lengths around each edge of a block.
fn signed() -> impl Strategy<Value = (String, u64, Vec<u8>)> {
    ("\\PC{0,80}", instants(), vec(any::<u8>(), 0..300))
}

fn flipped(bytes: &[u8], bit: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[bit / 8] ^= 1 << (bit % 8);
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// `6.signature.1`
    #[test]
    fn a_signature_is_the_hmac_of_the_document((secret, at, body) in signed()) {
        let signature = SigningKey::new(&secret).sign(at, &body);
        prop_assert_eq!(signature.to_string(), oracle(&secret, at, &body));
    }

    /// `6.signature.4`
    #[test]
    fn a_signature_is_valid_for_its_time(
        (secret, at, body) in signed(),
        now in instants(),
        off in -2_i64 * TOLERANCE as i64..=2 * TOLERANCE as i64,
    ) {
        let header = oracle(&secret, at, &body);
        let key = SigningKey::new(&secret);
        for now in [now, at.saturating_add_signed(off)] {
            let judged = key.verify(Some(header.as_bytes()), &body, now);
            let late = i128::from(now) - i128::from(at);
            prop_assert_eq!(judged, match late {
                ..-300 => Err(Rejection::TooFarInTheFuture),
                -300..=300 => Ok(()),
                301.. => Err(Rejection::TooOld),
            });
        }
    }

    #[test]
    fn a_bit_of_the_body_counts((secret, at, body) in signed(), bit in any::<prop::sample::Index>()) {
        prop_assume!(!body.is_empty());
        let header = oracle(&secret, at, &body);
        let body = flipped(&body, bit.index(8 * body.len()));
        let judged = SigningKey::new(&secret).verify(Some(header.as_bytes()), &body, at);
        prop_assert_eq!(judged, Err(Rejection::DigestDiffers));
    }

    /// Hexadecimal digits may change their case (`gap.signatureHex`); every other change is rejected.
    #[test]
    fn a_bit_of_the_header_counts((secret, at, body) in signed(), bit in any::<prop::sample::Index>()) {
        let header = oracle(&secret, at, &body).into_bytes();
        let changed = flipped(&header, bit.index(8 * header.len()));
        let v1 = header.len() - 64;
        let same = changed[..v1] == header[..v1] && changed[v1..].eq_ignore_ascii_case(&header[v1..]);
        let judged = SigningKey::new(&secret).verify(Some(&changed), &body, at);
        prop_assert_eq!(judged.is_ok(), same, "{}", String::from_utf8_lossy(&changed));
    }

    #[test]
    fn a_bit_of_the_secret_counts((secret, at, body) in signed(), bit in any::<prop::sample::Index>()) {
        prop_assume!(!secret.is_empty());
        let header = oracle(&secret, at, &body);
        // Another secret, unless the bit makes it invalid UTF-8.
        let Ok(other) = String::from_utf8(flipped(secret.as_bytes(), bit.index(8 * secret.len()))) else {
            return Ok(());
        };
        let judged = SigningKey::new(&other).verify(Some(header.as_bytes()), &body, at);
        // RFC 2104 pads a short key with zeros: trailing zeros don't change a key.
        prop_assume!(secret.trim_end_matches('\0') != other.trim_end_matches('\0'));
        prop_assert_eq!(judged, Err(Rejection::DigestDiffers));
    }

    #[test]
    fn any_bytes_can_be_verified(header in vec(any::<u8>(), 0..120), body in vec(any::<u8>(), 0..80), now: u64) {
        prop_assert!(key().verify(Some(&header), &body, now).is_err());
    }
}

#[test]
fn rejections_follow_their_order() {
    let good = key().sign(NOW, BODY).to_string();
    let header = |header: &str, now| key().verify(Some(header.as_bytes()), BODY, now);
    assert_eq!(header(&good, NOW), Ok(()));
    assert_eq!(key().verify(None, BODY, NOW), Err(Rejection::Absent));
    // Each header also has every later error.
    assert_eq!(header("v1=xyz", 0), Err(Rejection::Malformed));
    assert_eq!(header("t=1767225600,v1=xyz", 0), Err(Rejection::NotHexadecimal));
    assert_eq!(header("t=1767225600,v1=00", NOW + 301), Err(Rejection::TooOld));
    assert_eq!(header("t=1767225600,v1=00", NOW - 301), Err(Rejection::TooFarInTheFuture));
    assert_eq!(header("t=1767225600,v1=00", NOW), Err(Rejection::DigestDiffers));
}

/// `6.signature.3` and `6.signature.4`
#[test]
fn a_rejection_names_the_rule() {
    for rejection in Rejection::ALL {
        let rule = match rejection {
            Rejection::TooOld | Rejection::TooFarInTheFuture => "6.signature.4",
            _ => "6.signature.3",
        };
        assert_eq!(rejection.clause().name(), rule);
    }
}

#[test]
fn a_secret_is_not_shown() {
    assert_eq!(format!("{:?}", key()), "SigningKey(…)");
}

#[test]
fn keys_are_equal_if_their_secrets_are() {
    assert_eq!(key(), key().clone());
    assert_ne!(key(), SigningKey::new("another"));
}

#[test]
fn signing_and_verifying_allocate_nothing() {
    let key = key();
    for size in [0, 42, 53, 512, 5000] {
        let body = vec![7; size];
        let header = key.sign(NOW, &body).to_string();
        let allocated = |judged, now| {
            allocation_counter::measure(|| {
                assert_eq!(key.verify(Some(header.as_bytes()), &body, now), judged);
            })
            .count_total
        };
        assert_eq!(allocated(Ok(()), NOW), 0);
        assert_eq!(allocated(Err(Rejection::TooOld), NOW + 301), 0);
    }
    // A control: the counter counts.
    assert_eq!(allocation_counter::measure(|| drop(vec![1])).count_total, 1);
}
