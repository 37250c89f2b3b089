//! The settings of a run against a live endpoint that is never reached.

use std::num::NonZeroU32;
use std::time::Duration;

use tideover_live::settings::{Accounts, ApiKey, Bank, Budget, Payor, Settings};

pub(crate) fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

pub(crate) fn settings() -> Settings {
    let bank = |account: &str, routing: &str| Bank {
        account_number: account.to_owned(),
        routing_number: routing.to_owned(),
    };
    let key = ApiKey::new("rap_sk_own".into());
    Settings {
        second_key: Some(ApiKey::new("rap_sk_second".into())),
        operator: Some("https://staging.example.com".into()),
        allow_writes: true,
        accounts: Accounts {
            listed: strings(&["acme-test"]),
            prefix: Some("test-".into()),
            payors: vec![Payor { identifier: "globex".into(), legal_name: "B".into() }],
            emails: strings(&["ann@own.example"]),
            tax_ids: strings(&["12-3456789"]),
            banks: vec![bank("000123456789", "021000021"), bank("55555", "011401533")],
        },
        budget: Budget { requests: 100, financed: 1000, subscriptions: 1, seconds: None },
        per_second: Some(NonZeroU32::MIN),
        timeout: Duration::from_secs(1),
        ..Settings::new("https://api.example.com".into(), key, "td-r1-".into())
    }
}
