//! The options of a run, for the command that replays a finding.
//!
//! A replay runs under the permissions of the run that found it. So each option is carried over as it was given, unless
//! this file says otherwise: nobody can forget a new one.

use clap::{Args, Command};
use serde_json::Value;
use tideover_report::quoted;

use crate::cli::live::LiveOptions;
use crate::cli::live::headers::concealed;
use crate::cli::live::options::BankOption;

/// The options that a replay does not get, and why.
const OWN: [(&str, &str); 4] = [
    ("config", "what it holds is carried over, option by option"),
    ("workers", "a replay plays one case"),
    ("journal", "a replay must not overwrite the journal of the run"),
    ("run", "the names of a replay must be new"),
];

impl LiveOptions {
    /// The same options for a replay command. Shell variables stand for keys, tax ids and account numbers: those of
    /// the curl lines.
    pub(super) fn replay_options(&self) -> String {
        let given = serde_json::to_value(self).unwrap_or_default();
        let known = LiveOptions::augment_args(Command::new("replay"));
        let mut words = String::new();
        for option in known.get_arguments() {
            let (id, Some(name)) = (option.get_id().as_str(), option.get_long()) else { continue };
            for value in self.values(id, &given[id]) {
                words.push_str(&format!(" --{name}{value}"));
            }
        }
        words
    }

    /// What follows the name of an option, each time that it is given.
    fn values(&self, id: &str, given: &Value) -> Vec<String> {
        let secret = |value: &Option<String>, variable: &str| {
            value.iter().map(|_| format!(" \"${variable}\"")).collect()
        };
        match id {
            _ if OWN.iter().any(|(own, _)| *own == id) => Vec::new(),
            "key" => secret(&self.key, "API_KEY"),
            "second_key" => secret(&self.second_key, "OTHER_KEY"),
            "headers" => concealed(&self.headers).map(|it| format!(" {}", quoted(&it))).collect(),
            "tax_ids" => {
                (1..).zip(&self.tax_ids).map(|(n, _)| format!(" \"$TAX_ID_{n}\"")).collect()
            }
            "banks" => {
                let bank = |(n, BankOption(bank)): (u32, &BankOption)| {
                    format!(" \"$ACCOUNT_{n}:{}\"", bank.routing_number)
                };
                (1..).zip(&self.banks).map(bank).collect()
            }
            _ => plain(given),
        }
    }
}

/// The values of an option that may be shown; a flag has none.
fn plain(given: &Value) -> Vec<String> {
    match given {
        Value::Null | Value::Bool(false) | Value::Object(_) => Vec::new(),
        Value::Bool(true) => vec![String::new()],
        Value::Number(number) => vec![format!(" {number}")],
        Value::String(text) => vec![format!(" {}", quoted(text))],
        Value::Array(items) => items.iter().flat_map(plain).collect(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::cli::live::options::parse;

    /// Each option of a live endpoint, with a value of its own.
    const ALL: &str = r#"
        target = "https://api.example.com"
        key_env = "KEY"
        second_key_env = "SECOND"
        operator = "https://op.example.com"
        webhook_listen = "127.0.0.1:8443"
        webhook_url = "https://hooks.example.com/it's"
        ca = "a b.pem"
        client_cert = "own.pem"
        headers = ["X-One: $ONE", "X-Two: hidden-value"]
        sandbox = true
        tax_id_range = "200000000-300000000"
        allow_writes = true
        allow_disturbance = true
        accounts = ["acme", "other"]
        account_prefix = "test-"
        payors = ["globex=Globex Inc"]
        emails = ["qa@example.com"]
        tax_ids = ["98-7654321", "98-7654322"]
        banks = ["000123456789:021000021"]
        max_requests = 77
        max_seconds = 78
        max_financed = 79
        max_subscriptions = 80
        requests_per_second = 81
        timeout = 82
        workers = 3
        restart = "make it's"
        journal = "journal.jsonl"
        run = "run"
    "#;

    fn all() -> LiveOptions {
        let mut options = parse(ALL).unwrap();
        options.key = Some("secret-key".into());
        options.second_key = Some("second-secret".into());
        options.config = Some("live.toml".into());
        options
    }

    #[test]
    fn each_option_is_carried_over_or_named_as_own() {
        let words = all().replay_options();
        let known = LiveOptions::augment_args(Command::new("replay"));
        let own: BTreeSet<&str> = OWN.iter().map(|(id, _)| *id).collect();
        for option in known.get_arguments() {
            let (id, name) = (option.get_id().as_str(), option.get_long().unwrap());
            let is_carried = words.split(' ').any(|word| word == format!("--{name}"));
            assert_eq!(is_carried, !own.contains(id), "--{name} in {words}");
        }
        for (id, _) in OWN {
            assert!(known.get_arguments().any(|option| option.get_id() == id), "{id}");
        }
    }

    #[test]
    fn values_are_quoted_and_secrets_are_variables() {
        let words = format!("{} ", all().replay_options());
        for expected in [
            r" --webhook-url 'https://hooks.example.com/it'\''s' ",
            " --ca 'a b.pem' ",
            " --key \"$API_KEY\" ",
            " --second-key \"$OTHER_KEY\" ",
            " --header 'X-One: $ONE' --header 'X-Two: $HEADER_2' ",
            " --sandbox --tax-id-range '200000000-300000000' ",
            " --account 'acme' --account 'other' ",
            " --payor 'globex=Globex Inc' ",
            " --tax-id \"$TAX_ID_1\" --tax-id \"$TAX_ID_2\" --bank \"$ACCOUNT_1:021000021\" ",
            " --max-subscriptions 80 ",
            " --timeout 82 ",
            r" --restart 'make it'\''s' ",
        ] {
            assert!(words.contains(expected), "{expected} in {words}");
        }
        for secret in ["secret", "hidden", "7654321", "123456789", "journal", "--run", "--workers"]
        {
            assert!(!words.contains(secret), "{secret} in {words}");
        }
        assert_eq!(LiveOptions::default().replay_options(), "");
    }
}
