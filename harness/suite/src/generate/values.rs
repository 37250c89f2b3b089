//! The values in requests: boundary values beside ordinary ones.

use proptest::prelude::*;
use proptest::sample::select;
use tideover_exchange::{DAY, from_start};
use tideover_model::FaceValue;
use tideover_model::wire::schema::Domain;

use crate::generate::classes;
use crate::generate::draw::Draw;

/// Boundary face values in cents: the ends of the range, the rounding of fees, the cap.
pub(super) static FACE_VALUES: [i64; 8] =
    [1, 2, 99, 100, 25_000_000, 25_000_001, 30_000_000, FaceValue::MAX];

/// Valid face values in cents: boundary values and others.
pub(super) fn face_value() -> impl Strategy<Value = i64> {
    prop_oneof![
        6 => 10_000_i64..5_000_000,
        2 => select(&FACE_VALUES[..]),
        1 => 1_i64..=FaceValue::MAX,
    ]
}

/// An invalid face value, as JSON text.
pub(super) fn bad_number() -> impl Strategy<Value = &'static str> {
    select(vec![
        "0",
        "-1",
        "-0",
        "1e3",
        "1.0",
        "2147483648",
        "18446744073709551616",
        "99999999999999999999999999",
        "\"100\"",
        "null",
        "true",
        "[]",
        "{}",
    ])
}

/// An instant near the start of the world, or an unusual one.
pub(super) fn date() -> impl Strategy<Value = String> {
    let near = (0_u32..400).prop_map(day);
    let odd = select(vec![
        "2025-12-31T23:59:59Z",
        "2026-02-28T12:00:00.5+05:30",
        "2026-01-01t00:00:00z",
        "9999-12-31T23:59:59Z",
        "1970-01-01T00:00:00Z",
    ]);
    prop_oneof![9 => near, 1 => odd.prop_map(str::to_owned)]
}

/// An invoice status; ISSUED most often, since it alone can be financed.
pub(super) fn status() -> impl Strategy<Value = &'static str> {
    prop_oneof![7 => Just("ISSUED"), 1 => Just("PARTIALLY_PAID"), 1 => Just("PAID"), 1 => Just("VOIDED")]
}

/// A legal name.
pub(super) fn legal_name(draw: &mut Draw) -> String {
    classes::good_text(Domain::Text { least: 1 }, draw)
}

/// Nine digits in some spelling.
pub(super) fn spelled_tax_id(digits: u32) -> impl Strategy<Value = String> {
    let digits = format!("{digits:09}");
    select(vec![
        digits.clone(),
        format!("{}-{}", &digits[..2], &digits[2..]),
        format!(" {}.{} ", &digits[..4], &digits[4..]),
    ])
}

/// An invalid tax id.
pub(super) fn bad_tax_id(draw: &mut Draw) -> String {
    classes::bad_text(Domain::TaxId, draw)
}

/// An account number of valid length.
pub(super) fn account_number() -> impl Strategy<Value = String> {
    prop_oneof![
        select(vec!["0000", "1234", "12345678901234567"]).prop_map(str::to_owned),
        (10_000_u64..10_000_000_000).prop_map(|number| number.to_string()),
    ]
}

/// An invalid routing number.
pub(super) fn bad_routing_number(draw: &mut Draw) -> String {
    classes::bad_text(Domain::RoutingNumber, draw)
}

/// An invalid e-mail address.
pub(super) fn bad_email(draw: &mut Draw) -> String {
    classes::bad_text(Domain::Email, draw)
}

/// The origin of a webhook URL: the harness's inbox with some behavior, or a foreign host.
pub(super) fn receiver() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        4 => Just("${inbox}/accepts"),
        2 => Just("${inbox}/recovers"),
        1 => Just("${inbox}/fails"),
        1 => Just("${inbox}/gone"),
        1 => Just("https://hooks.example.com"),
    ]
}

/// Some delays of the retry schedule, and values around them. Seconds.
pub(super) fn retry_delay() -> impl Strategy<Value = u64> {
    select(vec![4, 5, 6, 305, 2105, 9305, 99_305])
}

/// A URL that no webhook may be sent to.
pub(super) fn bad_destination(draw: &mut Draw) -> String {
    classes::bad_text(Domain::Url, draw)
}

/// A kind of event.
pub(super) fn event_type() -> impl Strategy<Value = String> {
    select(tideover_model::words::EventType::ALL.to_vec()).prop_map(|event| {
        serde_json::to_value(event)
            .ok()
            .and_then(|name| name.as_str().map(str::to_owned))
            .unwrap_or_default()
    })
}

/// A move of the clock in seconds: a moment, the delay of a hidden transition, or the life of a link.
pub(super) fn seconds() -> impl Strategy<Value = u64> {
    prop_oneof![
        3 => select(vec![1, 29, 30, 60, 299, 300, 899, 900, 3600]),
        1 => select(vec![86_400, 30 * 86_400 - 1, 30 * 86_400]),
        1 => 0_u64..7200,
    ]
}

/// The instant so many days after the start of the case, as the target's clock shows it.
pub(super) fn day(days: u32) -> String {
    from_start(i64::from(days) * DAY)
}

/// A status with which a receiver does not accept a delivery, and does not end its subscription.
pub(super) fn refusing_status() -> impl Strategy<Value = u16> {
    (300_u16..600).prop_filter("410 ends a subscription", |status| *status != 410)
}
