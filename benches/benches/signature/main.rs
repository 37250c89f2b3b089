//! The cost of verifying and signing, including header and hex, compared with a lower bound: the SHA-256
//! blocks to hash, each at the cost of a block of a large buffer in the same round.
//!
//! Another comparison is `hmac` with a prepared key, which hashes but neither reads nor writes a header. With
//! `--features peers` there are also `ring` and `aws-lc-rs`, and the two crates that verify whole webhooks,
//! `standardwebhooks` and `svix`. They take minutes to build, so they are optional.

#[cfg(feature = "peers")]
mod peers;

use std::fmt::Write;
use std::hint::black_box;
use std::io;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use sha2::block_api::compress256;
use tideover_benches::figures;
use tideover_benches::race::Entries;
use tideover_model::SigningKey;
use tideover_model::signature::{Rejection, TOLERANCE};

const SIZES: [usize; 6] = [256, 512, 1 << 10, 4 << 10, 64 << 10, 1 << 20];
const SECRET: &str = "whsec_4b1f0c6a92d84e57b3a60d15c78e29f4a1d7035c6be2984f";
const NOW: u64 = 1_767_225_600;
/// The signed bytes before the body.
const BEFORE: &[u8] = b"1767225600.";

fn main() -> io::Result<()> {
    let home = figures::home();
    for size in SIZES {
        // Text, because `svix` and `standardwebhooks` sign nothing else.
        let body = vec![b'x'; size];
        let bytes = u64::try_from(size).expect("64 bits");
        verify(&body).run("verify", bytes).save(&home)?;
        sign(&body).run("sign", bytes).save(&home)?;
    }
    hash().run("hash", 64 << 10).save(&home)?;
    refuse().run("refuse", 512).save(&home)
}

fn verify(body: &[u8]) -> Entries<'_> {
    let mut entries = Entries::new();
    let key = SigningKey::new(SECRET);
    let header = key.sign(NOW, body).to_string();
    entries.add("Tideover", move || {
        let judged = key.verify(Some(black_box(header.as_bytes())), black_box(body), NOW);
        assert_eq!(judged, Ok(()));
    });
    bare(&mut entries, body);
    #[cfg(feature = "peers")]
    peers::verify(&mut entries, body);
    entries
}

fn sign(body: &[u8]) -> Entries<'_> {
    let mut entries = Entries::new();
    let key = SigningKey::new(SECRET);
    let mut header = String::with_capacity(80);
    entries.add("Tideover", move || {
        header.clear();
        write!(header, "{}", key.sign(black_box(NOW), black_box(body))).expect("room");
        black_box(&header);
    });
    bare(&mut entries, body);
    #[cfg(feature = "peers")]
    peers::sign(&mut entries, body);
    entries
}

/// The blocks, and the libraries that only hash.
fn bare<'a>(entries: &mut Entries<'a>, body: &'a [u8]) {
    blocks(entries);
    let hmac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).expect("any length will do");
    entries.add("hmac", move || {
        let mut hmac = hmac.clone();
        hmac.update(black_box(BEFORE));
        hmac.update(black_box(body));
        hmac.finalize()
    });
    #[cfg(feature = "peers")]
    peers::bare(entries, body);
}

/// The best cost of a block.
fn blocks(entries: &mut Entries<'_>) {
    let blocks = vec![[7; 64]; 1024];
    entries.add("1024 blocks", move || {
        let mut state = [1; 8];
        compress256(&mut state, black_box(&blocks));
        state
    });
}

/// Our block function, compared with others.
fn hash() -> Entries<'static> {
    let mut entries = Entries::new();
    blocks(&mut entries);
    #[cfg(feature = "peers")]
    peers::hash(&mut entries);
    entries
}

/// Refusals, which must not cost a block.
fn refuse() -> Entries<'static> {
    let body = [b'x'; 512];
    let key = SigningKey::new(SECRET);
    let signed = key.sign(NOW, &body).to_string();
    let not_hex = format!("{}z", &signed[..signed.len() - 1]);
    let mut entries = Entries::new();
    for (name, header, now, rejection) in [
        ("malformed header", signed.replacen('=', ":", 1), NOW, Rejection::Malformed),
        ("not hexadecimal", not_hex, NOW, Rejection::NotHexadecimal),
        ("too old", signed.clone(), NOW + TOLERANCE + 1, Rejection::TooOld),
        ("too far in the future", signed, NOW - TOLERANCE - 1, Rejection::TooFarInTheFuture),
    ] {
        let key = key.clone();
        entries.add(name, move || {
            let judged = key.verify(Some(black_box(header.as_bytes())), black_box(&body), now);
            assert_eq!(judged, Err(rejection));
        });
    }
    entries
}
