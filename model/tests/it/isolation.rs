//! A platform's view does not depend on another platform's own businesses.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::Config;
use serde_json::Value;
use tideover_model::{Face, PlatformId};

use crate::generate::{Sharing, Step, Walk, steps};

/// Everything that the first platform sees on a walk. Numbers replace the names that the service generates,
/// because those depend on the order of their creation.
fn sight(steps: &[Step]) -> Vec<Value> {
    let mut walk = Walk::start();
    while walk.desk.service.poll_delivery().is_some() {}
    let mut names = BTreeMap::new();
    let mut seen = Vec::new();
    for step in steps {
        let (status, body) = walk.take(step);
        let mut queued: Vec<_> = std::iter::from_fn(|| walk.desk.service.poll_delivery()).collect();
        queued.retain(|delivery| delivery.platform == PlatformId::DEFAULT);
        if !matches!(step, Step::Call { platform: 1, .. } | Step::Act { platform: 1, .. }) {
            seen.push(Value::from(status));
            seen.push(serde_json::from_slice(&body).unwrap_or(Value::Null));
        }
        let events = queued.into_iter();
        seen.extend(events.map(|delivery| serde_json::from_slice(&delivery.body).expect("JSON")));
    }
    for value in &mut seen {
        mask(value, &mut names);
    }
    seen
}

const MINTED: [&str; 5] = ["inv_", "whs_", "whsec_", "evt_", "https://onboarding."];

fn mask(value: &mut Value, names: &mut BTreeMap<String, usize>) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| mask(item, names)),
        Value::Object(fields) => {
            let is_account = |(name, _): &(&String, &mut Value)| {
                ["accountNumber", "routingNumber"].contains(&name.as_str())
            };
            for field in fields.iter_mut() {
                if is_account(&field) {
                    *field.1 = Value::Null;
                }
                mask(field.1, names);
            }
        }
        Value::String(text) if MINTED.iter().any(|start| text.starts_with(start)) => {
            let next = names.len();
            *value = Value::from(*names.entry(text.clone()).or_insert(next));
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(Config { cases: 256, failure_persistence: None, ..Config::default() })]

    /// `5.authentication.4`, `5.authentication.4.2`, `1.general.3`, `gap.sharedBusiness`: both use the
    /// same names, but never the same tax id.
    #[test]
    fn another_platform_leaves_no_trace(steps in steps(Sharing::Apart, 50)) {
        let alone: Vec<Step> = steps
            .iter()
            .filter(|step| !matches!(
                step,
                Step::Call { platform: 1, .. } | Step::Act { platform: 1, .. }
            ))
            .cloned()
            .collect();
        prop_assert_eq!(sight(&steps), sight(&alone));
    }
}
