//! Documents that no service wrote, each with a correct checksum.

use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::Config;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tideover_model::{Face, Receipt, Service, UnreadableSnapshot, pass};

use super::{full, state};
use crate::generate::{Sharing, Step, Walk, steps};

static FULL: LazyLock<Walk> = LazyLock::new(full);

/// A document with this state and its checksum.
fn sealed(state: &Value) -> Vec<u8> {
    let state = state.to_string();
    let checksum = const_hex::encode(Sha256::digest(&state));
    format!(
        r#"{{"format":"tideover-service","version":2,"checksum":"{checksum}","state":{state}}}"#
    )
    .into_bytes()
}

/// The paths of all values in `value`.
fn paths(value: &Value) -> Vec<String> {
    let within = |key: &str, value: &Value| -> Vec<String> {
        let key = key.replace('~', "~0").replace('/', "~1");
        paths(value).into_iter().map(|path| format!("/{key}{path}")).collect()
    };
    let mut found = vec![String::new()];
    match value {
        Value::Object(fields) => {
            found.extend(fields.iter().flat_map(|(key, value)| within(key, value)));
        }
        Value::Array(items) => {
            let items = items.iter().enumerate();
            found.extend(items.flat_map(|(index, value)| within(&index.to_string(), value)));
        }
        _ => {}
    }
    found
}

/// Another value of the same kind, which might be possible there.
fn another(value: &Value) -> Value {
    match value {
        Value::Null => json!(1),
        Value::Bool(yes) => json!(!yes),
        Value::Number(number) => json!(number.as_i64().map_or(1, |number| number.wrapping_add(1))),
        Value::String(text) => match text.as_bytes() {
            [year @ .., b'Z'] if year.contains(&b'T') => json!(text.replacen('2', "3", 1)),
            [.., b'0'] => json!(format!("{}1", &text[..text.len() - 1])),
            _ => json!(format!("{}0", &text[..text.len().saturating_sub(1)])),
        },
        Value::Array(items) => json!(items.iter().skip(1).collect::<Vec<_>>()),
        Value::Object(_) => json!({}),
    }
}

/// Each value of a snapshot matters: a different one is another service, or none.
#[test]
fn each_value_matters() {
    let service = &FULL.desk.service;
    let original = state(&service.snapshot().unwrap());
    let (mut refused, mut others) = (0, 0);
    for path in paths(&original) {
        let mut state = original.clone();
        let value = state.pointer_mut(&path).unwrap();
        let changed = another(value);
        // The fields of an object have their own paths.
        if value.is_object() || *value == changed {
            continue;
        }
        *value = changed;
        match Service::restore(&sealed(&state)) {
            Ok(restored) => {
                assert!(restored != *service, "{path} is ignored");
                others += 1;
            }
            Err(UnreadableSnapshot::Impossible(_)) => refused += 1,
            Err(error) => panic!("{path}: {error}"),
        }
    }
    assert_eq!((refused, others), (441, 656));
}

/// Nothing that a service does not check itself is missing, unknown or out of range.
#[test]
fn a_state_that_does_not_fit_itself_is_refused() {
    let original = state(&FULL.desk.service.snapshot().expect("seeded choices"));
    let with = |path: &str, value: Value| {
        let mut state = original.clone();
        *state.pointer_mut(path).unwrap_or_else(|| panic!("no {path}")) = value;
        Service::restore(&sealed(&state)).map(drop)
    };
    for (path, value) in [
        ("/platforms", json!([])),
        ("/keys/0/1/platform", json!(9)),
        ("/relationships/0/owner", json!(9)),
        ("/relationships/0/value/business", json!(99)),
        ("/relationships/1/name", original["relationships"][0]["name"].clone()),
        ("/invoices/0/owner", json!(99)),
        ("/invoices/0/value/payor", json!(99)),
        ("/invoices/0/value/paid_in", json!(-1)),
        ("/invoices/0/value/paid_in", json!(i64::MAX)),
        ("/invoices/0/value/advance/offer/advance", json!(i64::MAX)),
        ("/invoices/0/value/face_value", json!(0)),
        ("/imports/0/0/0", json!(9)),
        ("/imports/0/1/row_count", json!(0)),
        ("/invitations/0/0/0", json!(99)),
        ("/session_links/0/1/relationship", json!(99)),
        ("/subscriptions/0/0", json!(99)),
        ("/subscriptions/0/1/platform", json!(9)),
        ("/subscriptions/1/0", json!(0)),
        ("/subscribed", json!(u32::MAX)),
        ("/queues", json!([])),
        ("/queues/0/1/pending/0/attempts", json!(u32::MAX)),
        ("/queues/0/1/pending/0/position/begun", json!(1_000_000_000)),
        ("/queues/0/1/pending/0/delivery/platform", json!(9)),
        ("/queues/0/1/pending/0/delivery/number", json!(1_000_000)),
        ("/queues/0/1/pending/0/delivery/number", {
            original["queues"][0][1]["pending"][1]["delivery"]["number"].clone()
        }),
        ("/outbox/0/platform", json!(9)),
        ("/ledger/balances/0", json!(i64::MAX)),
        ("/ledger/balances/5", json!(i64::MAX)),
        ("/unadvanced", json!(i64::MAX)),
        ("/minted/0/1", json!(u64::MAX)),
        ("/businesses/0/outstanding", json!(i64::MIN)),
        ("/businesses/1/tax_id", json!("111111111")),
        ("/profile/webhooks/at_once", json!(0)),
        ("/profile/rates/advance", json!(20_000)),
    ] {
        let refused = with(path, value.clone());
        assert!(matches!(refused, Err(UnreadableSnapshot::Impossible(_))), "{path} = {value}");
    }
    let why = with("/invoices/0/value/payor", json!(99)).unwrap_err().to_string();
    let expected = "the snapshot's state is impossible: it names an unknown relationship: \
                    RelationshipId(99)";
    assert_eq!(why, expected);
    assert_eq!(with("/failing_requests", json!(2)), Ok(()));
}

/// A change of a state: what to do where.
#[derive(Clone, Debug)]
enum Change {
    Replace(Index, Value),
    Copy { from: Index, to: Index },
    Remove(Index),
    Repeat(Index),
    Another(Index),
}

fn change() -> impl Strategy<Value = Change> {
    let values = [
        json!(null),
        json!(true),
        json!(0),
        json!(1),
        json!(-1),
        json!(u32::MAX),
        json!(i64::MAX),
        json!(i64::MIN),
        json!(u64::MAX),
        json!(""),
        json!("é"),
        json!("9999-12-31T23:59:59.999Z"),
        json!("0000-01-01T00:00:00Z"),
        json!([]),
        json!({}),
    ];
    prop_oneof![
        2 => (any::<Index>(), select(values.to_vec())).prop_map(|(at, to)| Change::Replace(at, to)),
        3 => (any::<Index>(), any::<Index>()).prop_map(|(from, to)| Change::Copy { from, to }),
        1 => any::<Index>().prop_map(Change::Remove),
        1 => any::<Index>().prop_map(Change::Repeat),
        3 => any::<Index>().prop_map(Change::Another),
    ]
}

/// The name of the last part of a path: values under one name are of one kind.
fn kind(path: &str) -> &str {
    path.rsplit('/').find(|part| !part.chars().all(|c| c.is_ascii_digit())).unwrap_or_default()
}

fn picked<'a>(paths: &'a [String], at: &Index) -> &'a str {
    at.get::<String>(paths)
}

/// Another value from under the same name.
fn alike(state: &Value, paths: &[String], from: &Index, to: &str) -> Value {
    let alike: Vec<&String> = paths.iter().filter(|path| kind(path) == kind(to)).collect();
    state.pointer(alike[from.index(alike.len())]).expect("a path").clone()
}

fn apply(state: &mut Value, change: &Change) {
    let mut paths = paths(state);
    paths.retain(|path| !path.is_empty());
    let (at, value) = match change {
        Change::Replace(at, value) => (at, value.clone()),
        Change::Copy { from, to } => (to, alike(state, &paths, from, picked(&paths, to))),
        Change::Another(at) => (at, another(state.pointer(picked(&paths, at)).expect("a path"))),
        Change::Remove(at) => return remove(state, picked(&paths, at), 0),
        Change::Repeat(at) => return remove(state, picked(&paths, at), 2),
    };
    *state.pointer_mut(picked(&paths, at)).expect("a path") = value;
}

/// Removes an item or a field, and appends the item so many times.
fn remove(state: &mut Value, path: &str, times: usize) {
    let Some((parent, key)) = path.rsplit_once('/') else { return };
    match state.pointer_mut(parent).expect("a path") {
        Value::Array(items) => {
            let item = items.remove(key.parse::<usize>().expect("an index"));
            items.extend(std::iter::repeat_n(item, times));
        }
        Value::Object(fields) => {
            fields.remove(&key.replace("~1", "/").replace("~0", "~"));
        }
        _ => {}
    }
}

/// Uses a service in every way: nothing may panic.
fn exercise(service: Service, walk: &[Step]) {
    let mut other = FULL.clone();
    other.desk.service = service;
    let desk = &mut other.desk;
    desk.service.handle_restart(desk.now);
    desk.service.keys();
    assert_eq!(desk.service.audit(), Ok(()));
    let known = (0..2).all(|platform| {
        let desk = other.as_platform(platform);
        let header = format!("Bearer {}", desk.key);
        desk.service.platform_of(Some(&header)).is_some()
    });
    for step in walk.iter().filter(|_| known) {
        other.take(step);
    }
    let desk = &mut other.desk;
    let end = desk.now.after(3 * 24 * 3600);
    pass(&mut desk.service, desk.now, end, |_, attempt| {
        attempt.sign(desk.now);
        Receipt::Answered(if attempt.delivery.number % 2 == 0 { 500 } else { 200 })
    });
    while let Some(delivery) = desk.service.poll_delivery() {
        desk.service.is_live(&delivery);
        let _ = desk.service.resend(end, &delivery, 1);
        desk.service.next_attempt(&delivery);
    }
    let bytes = desk.service.snapshot().expect("seeded choices");
    assert!(Service::restore(&bytes).is_ok_and(|restored| restored == desk.service));
}

proptest! {
    #![proptest_config(Config { cases: 512, failure_persistence: None, ..Config::default() })]

    #[test]
    fn no_document_makes_a_service_panic(
        changes in prop::collection::vec(change(), 1..4),
        walk in steps(Sharing::Shared, 20),
    ) {
        let mut state = state(&FULL.desk.service.snapshot().expect("seeded choices"));
        for change in &changes {
            apply(&mut state, change);
        }
        match Service::restore(&sealed(&state)) {
            Ok(service) => exercise(service, &walk),
            Err(error) => prop_assert!(matches!(error, UnreadableSnapshot::Impossible(_)), "{error}"),
        }
    }

    #[test]
    fn arbitrary_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(Service::restore(&bytes).is_err());
    }

    #[test]
    fn arbitrary_states_are_refused(text in "[\\[\\]{}\",:a-z0-9 ]{0,60}") {
        let document = sealed(&Value::String(text.clone()));
        prop_assert!(Service::restore(&document).is_err());
        if let Ok(state) = serde_json::from_str::<Value>(&text) {
            prop_assert!(Service::restore(&sealed(&state)).is_err());
        }
    }
}
