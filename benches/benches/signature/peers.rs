//! The alternatives that a user has.

use std::hint::black_box;

use axum::http::{HeaderMap, HeaderValue};
use tideover_benches::race::Entries;

use super::{BEFORE, SECRET};

const ID: &str = "msg_1";

/// The libraries that verify webhooks by a scheme like ours: they sign id, time and body.
pub(crate) fn verify<'a>(entries: &mut Entries<'a>, body: &'a [u8]) {
    // They read the wall clock themselves.
    let now = now();
    let svix = svix();
    let signature = svix.sign(ID, now, body).expect("text");
    let headers = headers(&signature, now);
    let standard = standard();
    entries.add("standardwebhooks", {
        let headers = headers.clone();
        move || standard.verify(black_box(body), black_box(&headers)).expect("valid")
    });
    entries.add("svix", move || {
        svix.verify(black_box(body), black_box(&headers)).expect("valid");
    });
}

pub(crate) fn sign<'a>(entries: &mut Entries<'a>, body: &'a [u8]) {
    let (now, svix, standard) = (now(), svix(), standard());
    entries.add("standardwebhooks", move || standard.sign(ID, now, black_box(body)).expect("text"));
    entries.add("svix", move || svix.sign(ID, now, black_box(body)).expect("text"));
}

/// The libraries that only hash.
pub(crate) fn bare<'a>(entries: &mut Entries<'a>, body: &'a [u8]) {
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, SECRET.as_bytes());
    entries.add("ring", move || {
        let mut hmac = ring::hmac::Context::with_key(&key);
        hmac.update(black_box(BEFORE));
        hmac.update(black_box(body));
        hmac.sign()
    });
    let key = aws_lc_rs::hmac::Key::new(aws_lc_rs::hmac::HMAC_SHA256, SECRET.as_bytes());
    entries.add("aws-lc-rs", move || {
        let mut hmac = aws_lc_rs::hmac::Context::with_key(&key);
        hmac.update(black_box(BEFORE));
        hmac.update(black_box(body));
        hmac.sign()
    });
}

/// The same number of blocks, and the one that SHA-256 adds.
pub(crate) fn hash(entries: &mut Entries<'_>) {
    let bytes = vec![7; 64 << 10];
    entries.add("ring", {
        let bytes = bytes.clone();
        move || ring::digest::digest(&ring::digest::SHA256, black_box(&bytes))
    });
    entries.add("aws-lc-rs", move || {
        aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, black_box(&bytes))
    });
}

fn svix() -> svix::webhooks::Webhook {
    svix::webhooks::Webhook::from_bytes(SECRET.as_bytes().to_vec()).expect("a secret")
}

fn standard() -> standardwebhooks::Webhook {
    standardwebhooks::Webhook::from_bytes(SECRET.as_bytes().to_vec()).expect("a secret")
}

fn headers(signature: &str, now: i64) -> HeaderMap {
    let value = |text: &str| HeaderValue::from_str(text).expect("ASCII");
    HeaderMap::from_iter(
        [
            ("webhook-id", ID.to_owned()),
            ("webhook-timestamp", now.to_string()),
            ("webhook-signature", signature.to_owned()),
        ]
        .map(|(name, text)| (axum::http::HeaderName::from_static(name), value(&text))),
    )
}

fn now() -> i64 {
    tideover_sim::wall_time().unix()
}
