//! Grease changes only what its table allows: every refusal, and every documented field, is as without it.

use proptest::prelude::*;
use serde_json::Value;
use tideover_model::Profile;
use tideover_sim::grease::Freedom;
use tideover_sim::{Entry, World};

use crate::grease::{greased_world, plain_world, stories};
use crate::hostile::{block_on, sent};
use crate::support::{Answer, Caller};

/// Refusals that no sentence of the document asks for.
const OURS: [&str; 4] =
    ["gap.duplicateKeys", "gap.integerForm", "gap.nullOptional", "gap.emptyIdentifier"];

/// Values that a new member may replace, by field.
const REPLACED: [(&str, &[&str]); 3] = [
    ("complianceRoute", &["VENDOR_ASSERTION", "W9_UPLOAD"]),
    ("collectionState", &["PARTIALLY_COLLECTED"]),
    (
        "outcome",
        &["updated", "rejected", "accepted", "unchanged", "malformed", "differs", "heldByAnother"],
    ),
];

/// Listed members, which no other value may become.
const LISTED: [&str; 9] = [
    "VENDOR_ASSERTION",
    "W9_UPLOAD",
    "PARTNER_SUPPLIED",
    "UNCOLLECTED",
    "PARTIALLY_COLLECTED",
    "COLLECTED",
    "created",
    "updated",
    "statusOnly",
];

/// Whether a value may stand in place of another one in this field.
fn may_replace(name: &str, is_row: bool, plain: &Value, greased: &Value) -> bool {
    let (Some(plain), Some(greased)) = (plain.as_str(), greased.as_str()) else { return false };
    let is_member =
        REPLACED.iter().any(|(field, members)| *field == name && members.contains(&plain));
    (is_member && !LISTED.contains(&greased)) || (is_row && name == "code")
}

/// Everything of `plain` that is missing or different in `greased`.
fn differences(name: &str, is_row: bool, plain: &Value, greased: &Value, found: &mut Vec<String>) {
    match (plain, greased) {
        (Value::Object(plain), Value::Object(greased)) => {
            for (field, value) in plain {
                match greased.get(field) {
                    Some(other) => differences(field, is_row, value, other, found),
                    None => found.push(format!("{field} is missing")),
                }
            }
        }
        (Value::Array(plain), Value::Array(greased)) if plain.len() == greased.len() => {
            for (value, other) in plain.iter().zip(greased) {
                differences(name, name == "rows", value, other, found);
            }
        }
        (plain, greased) if plain == greased || may_replace(name, is_row, plain, greased) => {}
        _ => found.push(format!("{name}: {plain} became {greased}")),
    }
}

fn json(answer: &Answer) -> Value {
    serde_json::from_slice(&answer.body).unwrap_or_default()
}

/// What grease may not have done to a response.
fn overstepped(plain: &Answer, greased: &Answer, entry: &Entry) -> Vec<String> {
    let mut found = Vec::new();
    let (before, after) = (json(plain), json(greased));
    if plain.status < 300 {
        differences("", false, &before, &after, &mut found);
        if !(200..=202).contains(&greased.status) && !greased.body.is_empty() {
            found.push(format!("status {}", greased.status));
        }
    } else {
        let is_ours = entry.clause.is_some_and(|clause| OURS.contains(&clause.name()));
        if plain.status != greased.status || (before["code"] != after["code"] && !is_ours) {
            found.push(format!("{before} became {} {after}", greased.status));
        }
        let fields: Vec<_> = after.as_object().unwrap().keys().collect();
        if fields != ["code", "error"] || after["error"].as_str().is_none_or(str::is_empty) {
            found.push(format!("another shape: {after}"));
        }
    }
    let is_same = plain.status == greased.status && plain.body == greased.body;
    let is_timing = |it: &Freedom| {
        use Freedom::{FastAccount, FastFunding, SlowAccount, SlowFunding};
        matches!(it, FastAccount | FastFunding | SlowAccount | SlowFunding)
    };
    if is_same != entry.grease.iter().all(is_timing) {
        found.push(format!("the journal lists {:?}", entry.grease));
    }
    found
}

/// The same request to both worlds, and what grease may not have done.
struct Pair {
    plain: Caller,
    greased: Caller,
    world: World,
}

impl Pair {
    fn new(seed: u64, profile: &Profile) -> Pair {
        let world = greased_world(seed, profile.clone());
        let plain = Caller::of(&plain_world(seed, profile.clone()));
        Pair { plain, greased: Caller::of(&world), world }
    }

    fn judge(&self, plain: &Answer, greased: &Answer) -> Vec<String> {
        overstepped(plain, greased, self.world.journal().last().unwrap())
    }
}

#[tokio::test]
async fn documented_values_and_refusals_stay() {
    let (mut seen, mut changed) = (0, 0);
    for seed in 0..8 {
        // What takes time takes none, so that both worlds stay in step.
        let instant =
            "delays = { collection_account = 0, funding_starts = 0, funding_completes = 0 }";
        let pair = Pair::new(seed, &toml::from_str(instant).unwrap());
        for asked in stories(4) {
            let (plain, greased) = (asked.send(&pair.plain).await, asked.send(&pair.greased).await);
            if asked.is_partner_api() {
                let found = pair.judge(&plain, &greased);
                assert!(found.is_empty(), "seed {seed}, {asked:?}: {found:#?}");
                seen += 1;
                changed += usize::from(plain.body != greased.body);
            } else {
                assert_eq!(
                    (plain.status, &plain.body),
                    (greased.status, &greased.body),
                    "{asked:?}"
                );
            }
        }
    }
    assert_eq!((changed, seen), (634, 768));
}

async fn of_the_mock(caller: &Caller, sent: &crate::hostile::Sent) -> Answer {
    let mut request = axum::http::Request::builder()
        .method(sent.kind.method())
        .uri(&sent.path)
        .header(axum::http::header::AUTHORIZATION, sent.authorization);
    if let Some(content_type) = sent.content_type {
        request = request.header(axum::http::header::CONTENT_TYPE, content_type);
    }
    caller.send(request.body(axum::body::Body::from(sent.body.clone())).unwrap()).await
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, max_shrink_time: 20_000, ..Default::default() })]

    #[test]
    fn hostile_requests_get_the_same_refusals(
        seed in 0_u64..1000,
        requests in prop::collection::vec(sent(), 1..40),
    ) {
        let pair = Pair::new(seed, &Profile { body_limit: 2000, ..Profile::default() });
        for sent in requests {
            let plain = block_on(of_the_mock(&pair.plain, &sent));
            let greased = block_on(of_the_mock(&pair.greased, &sent));
            let found = pair.judge(&plain, &greased);
            prop_assert!(found.is_empty(), "{:?}: {:#?}", sent, found);
        }
    }
}

#[test]
fn the_comparison_sees_a_difference() {
    let differs = |plain: Value, greased: Value| {
        let mut found = Vec::new();
        differences("", false, &plain, &greased, &mut found);
        !found.is_empty()
    };
    let invoice = serde_json::json!({ "status": "ISSUED", "collectionState": "UNCOLLECTED" });
    for (field, value) in [("status", "PAID"), ("collectionState", "MOSTLY_COLLECTED")] {
        let mut other = invoice.clone();
        other[field] = value.into();
        assert!(differs(invoice.clone(), other));
    }
    let mut more = invoice.clone();
    more["tags"] = "x".into();
    assert!(!differs(invoice.clone(), more));
    assert!(differs(invoice, serde_json::json!({ "status": "ISSUED" })));
}
