//! The signature vectors for other languages, made with another tool: our verifier agrees with all of them.

use std::collections::BTreeSet;

use serde::Deserialize;
use tideover_model::signature::Rejection;
use tideover_model::{Clause, SigningKey};

const ACCEPT: &str = include_str!("../../../fixtures/signature/accept.json");
const REJECT: &str = include_str!("../../../fixtures/signature/reject.json");
const OPEN: &str = include_str!("../../../fixtures/signature/open.json");

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Vector {
    name: String,
    clause: String,
    secret: String,
    /// One character per byte.
    header: Option<String>,
    body_hex: String,
    body_text: Option<String>,
    now: u64,
    rejection: Option<String>,
}

impl Vector {
    fn header(&self) -> Option<Vec<u8>> {
        let byte = |letter| u8::try_from(letter).expect("a byte");
        self.header.as_ref().map(|header| header.chars().map(byte).collect())
    }

    fn body(&self) -> Vec<u8> {
        let digits = self.body_hex.as_bytes().chunks(2);
        let pair = |pair| std::str::from_utf8(pair).expect("ASCII");
        digits.map(|digits| u8::from_str_radix(pair(digits), 16).expect("hex")).collect()
    }

    fn clause(&self) -> Clause {
        Clause::find(&self.clause).unwrap_or_else(|| panic!("no clause {}", self.clause))
    }

    fn judged(&self) -> Result<(), Rejection> {
        let key = SigningKey::new(&self.secret);
        key.verify(self.header().as_deref(), &self.body(), self.now)
    }
}

/// The vectors of a file, after a check that our verifier agrees with each.
fn played(file: &str) -> Vec<Vector> {
    let vectors: Vec<Vector> = serde_json::from_str(file).expect("an array of vectors");
    for vector in &vectors {
        let rejection = vector.judged().err().map(Rejection::name);
        assert_eq!(rejection, vector.rejection.as_deref(), "{}", vector.name);
        if let Some(text) = &vector.body_text {
            assert_eq!(vector.body(), text.as_bytes(), "{}", vector.name);
        }
    }
    vectors
}

#[test]
fn accepted_vectors_verify_and_sign_alike() {
    for vector in played(ACCEPT) {
        assert_eq!(vector.rejection, None, "{}", vector.name);
        vector.clause();
        let header = vector.header.as_deref().expect("a header");
        let t = header.split([',', '=']).nth(1).and_then(|t| t.parse().ok()).expect("a time");
        let signature = SigningKey::new(&vector.secret).sign(t, &vector.body());
        assert_eq!(signature.to_string(), header, "{}", vector.name);
    }
}

#[test]
fn rejected_vectors_cover_every_reason() {
    let mut seen = BTreeSet::new();
    for vector in played(REJECT) {
        let rejection = vector.judged().expect_err(&vector.name);
        assert_eq!(rejection.clause(), vector.clause(), "{}", vector.name);
        seen.insert(rejection.name());
    }
    assert_eq!(seen, Rejection::ALL.map(Rejection::name).into());
}

#[test]
fn open_vectors_follow_the_assumptions() {
    let met: BTreeSet<Clause> = played(OPEN).iter().map(Vector::clause).collect();
    for clause in Clause::all().filter(|clause| clause.name().starts_with("gap.signature")) {
        assert!(met.contains(&clause), "no vector for {clause}");
    }
}
