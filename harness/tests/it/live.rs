//! A run against a live endpoint: what it sends, records and cleans up.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use axum::http::StatusCode;
use serde_json::{Value, json};
use tideover_endpoint::client::{Client, Outgoing};
use tideover_endpoint::inbox;
use tideover_exchange::Prepared;
use tideover_exchange::step::{Action, Step};
use tideover_exchange::target::{Applied, Target};
use tideover_exchange::transcript::Transcript;
use tideover_live::session::Abilities;
use tideover_live::settings::{Accounts, Budget, Payor, Settings, Webhooks};
use tideover_live::unasked::{LeftOut, Why};
use tideover_live::{LIVE_STEPS, Vocabulary};
use tideover_model::wire::route::route;
use tideover_model::{Clause, Destinations};
use tideover_sim::Mock;
use tideover_suite::generate;
use tideover_suite::play::cases::Testbed;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::support::app::serve;
#[cfg(unix)]
use crate::support::command::is_heard;
use crate::support::live::{Begun, begin, endpoint, header, prepared, settings};

/// Plays cases without judging them. Counts requests by method and path form, and keeps why some failed.
async fn play(begun: &mut Begun, cases: u64) -> Played {
    let header = header();
    let mut played = Played::default();
    for case in 0..cases {
        let steps = begun.world.case(&header, case, LIVE_STEPS);
        assert_eq!(steps.len() as u64, LIVE_STEPS);
        let mut target = begun.world.fresh().await.unwrap();
        let mut memory = target.memory();
        for step in &steps {
            let sent = Prepared::from_step(step, &memory, target.api_key());
            match target.send(&sent).await {
                Ok(seen) => {
                    memory.keep(step, seen.json());
                    played.unserved += usize::from(is_unserved(step));
                }
                // What a refused step would have named cannot be asked about.
                Err(_) if memory.lacks_for(step) => {}
                Err(unanswered) => played.unanswered.push(unanswered.why),
            }
            *played.sent.entry(form(step)).or_default() += 1;
        }
    }
    played
}

#[derive(Default)]
struct Played {
    sent: BTreeMap<String, u64>,
    /// How many requests of no endpoint were answered.
    unserved: usize,
    unanswered: Vec<String>,
}

fn is_unserved(step: &Step) -> bool {
    matches!(&step.action, Action::Call(call) if route(&call.method, &call.path).is_err())
}

fn form(step: &Step) -> String {
    match &step.action {
        Action::Call(call) => {
            let parts: Vec<&str> = call.path.split('/').skip(2).collect();
            let kind = match parts.as_slice() {
                [kind] => (*kind).to_owned(),
                [kind, _] => format!("{kind}/*"),
                ["invoices", "imports", _] => "imports/*".to_owned(),
                [kind, _, rest, ..] => format!("{kind}/*/{rest}"),
                [] => call.path.clone(),
            };
            format!("{} {kind}", call.method)
        }
        Action::Act(fields) => fields["action"].as_str().unwrap().to_owned(),
        Action::Advance(_) => "clock".to_owned(),
        Action::Deliveries => "deliveries".to_owned(),
    }
}

#[tokio::test]
async fn with_writes_allowed_every_operation_is_sent() {
    let inbox = inbox::Server::start().await.unwrap();
    let mock = endpoint(Some(&inbox)).await;
    let webhooks = Webhooks { listen: "127.0.0.1:0".parse().unwrap(), url: inbox.origin().into() };
    let settings = Settings { webhooks: Some(webhooks), ..settings(&mock) };
    let mut begun = begin(settings.clone(), Some(inbox)).await;
    let played = play(&mut begun, generate::round()).await;
    assert_eq!(played.unanswered, Vec::<String>::new());
    for expected in [
        "GET organizations/*/invoices",
        "PUT invoices/*",
        "GET imports/*",
        "PUT imports/*",
        "PUT organizations/*/payout-account",
        "GET organizations/*",
        "PUT organizations/*",
        "POST advances",
        "POST quotes",
        "POST invitations",
        "POST onboarding-sessions",
        "POST webhooks",
        "GET webhooks",
        "DELETE webhooks/*",
        "vendorSignsAgreement",
        "issueKey",
        "revokeKey",
        "clock",
    ] {
        assert!(played.sent.contains_key(expected), "{expected} is not in {:?}", played.sent);
    }
    assert!(!played.sent.contains_key("reset") && !played.sent.contains_key("deliveries"));
    let left = begun.session.clean_up().await;
    assert!(left.iter().any(|left| left.starts_with("business test-td-r-")), "{left:?}");
    assert!(!left.iter().any(|left| left.contains("subscription")), "{left:?}");
    assert_eq!(subscriptions(&mock).await, json!([]));
    assert_journal(&begun.journal, &settings);
}

async fn subscriptions(mock: &Mock) -> Value {
    let client = Client::new(mock.url(), Duration::from_secs(20), None).unwrap();
    let key = format!("Bearer {}", mock.api_key());
    let authorization = Some(key.as_str());
    let list =
        Outgoing { method: "GET", path: "/v1/webhooks", authorization, ..Outgoing::default() };
    client.exchange(list).await.unwrap().seen.json().unwrap().clone()
}

/// Each request precedes its response, no secret appears, and the journal reads as a transcript.
fn assert_journal(journal: &Path, settings: &Settings) {
    let text = std::fs::read_to_string(journal).unwrap();
    let secrets = settings.accounts.tax_ids.iter().map(String::as_str);
    for secret in secrets.chain(["000123456789", settings.key.reveal(), "whsec_", "rap_sk_"]) {
        let masked = format!("{secret}…");
        assert!(!text.replace(&masked, "").contains(secret), "{secret} is in the journal");
    }
    let lines: Vec<Value> =
        text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
    for pair in lines.chunks(2) {
        assert_eq!(pair[0]["number"], pair[1]["answers"]);
        assert!(pair[1]["tookMicros"].is_u64() && pair[0]["at"].is_string());
    }
    let transcript = Transcript::read(journal).unwrap();
    assert_eq!(transcript.steps.len(), lines.len() / 2);
}

#[tokio::test]
async fn by_default_no_request_writes() {
    let mock = endpoint(None).await;
    let settings = Settings { allow_writes: false, operator: None, ..settings(&mock) };
    let mut begun = begin(settings.clone(), None).await;
    let played = play(&mut begun, 20).await;
    assert_eq!(played.unanswered, Vec::<String>::new());
    let nowhere = "${run}-unknown";
    for sent in played.sent.keys() {
        let reads = sent.starts_with("GET ") || sent == "POST quotes" || sent.ends_with(nowhere);
        assert!(reads, "{sent}");
    }
    assert_eq!(begun.session.clean_up().await, Vec::<String>::new());
}

/// The gate counts what it drops by clause, and drops nothing that an own account may receive.
#[tokio::test]
async fn unsent_requests_are_counted_with_their_reason() {
    let inbox = inbox::Server::start().await.unwrap();
    let mock = endpoint(Some(&inbox)).await;
    let webhooks = Webhooks { listen: "127.0.0.1:0".parse().unwrap(), url: inbox.origin().into() };
    let mut few = settings(&mock);
    few.webhooks = Some(webhooks);
    few.accounts.tax_ids.truncate(1);
    few.budget.financed = 1;
    let mut begun = begin(few, Some(inbox)).await;
    let played = play(&mut begun, generate::round()).await;
    assert_eq!(played.unanswered, Vec::<String>::new());
    assert!(played.unserved > 0, "{:?}", played.sent);
    let unasked = begun.world.unasked();
    let left_out: BTreeMap<Why, &LeftOut> = unasked.iter().collect();
    let clause = |name| Clause::all().find(|clause| clause.name() == name).unwrap();
    for why in [Why::TaxId, Why::Budget, Why::Reach] {
        assert!(left_out[&why].requests > 0, "{why}");
        assert!(left_out[&why].clauses.clauses().count() > 0, "{why}");
    }
    let advances = left_out[&Why::Budget].clauses.times(clause("7.codes.business_not_eligible"));
    assert!(advances > 0, "{left_out:?}");
    assert!(!left_out.contains_key(&Why::Account), "a prefix has names for all");
}

#[tokio::test]
async fn listed_accounts_come_first_and_alone() {
    let mock = endpoint(None).await;
    let accounts = Accounts {
        listed: vec!["acme".into(), "bolt".into()],
        payors: vec![Payor { identifier: "globex".into(), legal_name: "Globex Inc".into() }],
        ..Accounts::default()
    };
    let settings = Settings { accounts, operator: None, ..settings(&mock) };
    let vocabulary = Vocabulary::new(settings.clone(), Abilities::default(), 5);
    assert!(!vocabulary.is_fresh());
    let mut begun = begin(settings.clone(), None).await;
    let steps = begun.world.case(&header(), 0, LIVE_STEPS);
    let firsts: BTreeSet<String> = steps[..2].iter().map(|step| path(step).to_owned()).collect();
    assert_eq!(
        firsts,
        ["/v1/organizations/acme", "/v1/organizations/bolt"].map(str::to_owned).into()
    );
    let played = play(&mut begun, 20).await;
    assert_eq!(played.unanswered, Vec::<String>::new());
    let left = begun.session.clean_up().await;
    assert!(left.contains(&"business acme".to_owned()), "{left:?}");
    for left in &left {
        let own = ["acme", "bolt"].iter().any(|own| left.ends_with(own));
        assert!(own || left.starts_with("import td-r-"), "{left}");
    }
}

fn path(step: &Step) -> &str {
    let Action::Call(call) = &step.action else { panic!("{step:?}") };
    &call.path
}

#[tokio::test]
async fn each_play_has_new_names_for_equal_steps() {
    let mock = endpoint(None).await;
    let settings = settings(&mock);
    let mut begun = begin(settings.clone(), None).await;
    let header = header();
    assert_eq!(begun.world.case(&header, 4, 20), begun.world.case(&header, 4, 20));
    let name = async |begun: &mut Begun| {
        let target = begun.world.fresh().await.unwrap();
        target.memory().resolve("${run}")
    };
    assert_eq!(
        (name(&mut begun).await, name(&mut begun).await),
        ("td-r-1".into(), "td-r-2".into())
    );
}

/// A late webhook of an earlier play has a signature that this play cannot verify.
#[tokio::test]
async fn late_webhooks_of_earlier_plays_are_ignored() {
    let inbox = inbox::Server::start().await.unwrap();
    let origin = inbox.origin().to_owned();
    let mock = endpoint(Some(&inbox)).await;
    let webhooks = Webhooks { listen: "127.0.0.1:0".parse().unwrap(), url: origin.clone() };
    let settings = Settings { webhooks: Some(webhooks), ..settings(&mock) };
    let mut begun = begin(settings.clone(), Some(inbox)).await;
    let before = begun.world.fresh().await.unwrap().inbox().unwrap().to_owned();
    let mut target = begun.world.fresh().await.unwrap();
    let client = Client::new(&origin, settings.timeout, None).unwrap();
    for inbox in [before, target.inbox().unwrap().to_owned()] {
        let path = format!("{}/accepts", inbox.trim_start_matches(&origin));
        let post = Outgoing { method: "POST", path: &path, ..Outgoing::default() };
        assert_eq!(client.exchange(post).await.unwrap().seen.status, 200);
    }
    let arrivals = target.arrivals().await.unwrap();
    let paths: Vec<&str> = arrivals.iter().map(|arrival| arrival.path.as_str()).collect();
    assert_eq!(paths, ["/accepts"]);
}

#[tokio::test]
async fn the_run_ends_when_its_requests_are_spent() {
    let mock = endpoint(None).await;
    let budget = Budget { requests: 12, financed: 0, subscriptions: 0, seconds: None };
    let settings = Settings { allow_writes: false, operator: None, budget, ..settings(&mock) };
    let mut begun = begin(settings.clone(), None).await;
    let played = play(&mut begun, 1).await;
    assert_eq!(played.unanswered.len(), 4, "{:?}", played.unanswered);
    assert_eq!(begun.session.requests(), 12);
    assert!(begun.world.fresh().await.is_err());
}

/// A 408 without the API's error code may come from a proxy that forwarded the advance.
#[tokio::test]
async fn an_advance_that_may_have_happened_stays_in_the_budget() {
    let mock = endpoint(None).await;
    let proxy = axum::Router::new()
        .route("/v1/advances", axum::routing::post(async || StatusCode::REQUEST_TIMEOUT))
        .fallback(async || "{}");
    let mut settings = Settings { operator: None, ..settings(&mock) };
    settings.target = serve(proxy).await;
    settings.budget.financed = 500;
    let mut begun = begin(settings, None).await;
    let mut target = begun.world.fresh().await.unwrap();
    let authorization = Some(format!("Bearer {}", mock.api_key()));
    let mut send = async |method, path: &str, body| {
        let authorization = authorization.clone();
        target.send(&Prepared { authorization, ..prepared(method, path, &body) }).await
    };
    for name in ["td-r-1-a", "td-r-1-b"] {
        let party = |name: &str| json!({ "externalId": name, "legalName": "Acme" });
        let sync = json!({
            "payee": party("test-acme"),
            "payor": party("test-globex"),
            "faceValue": 500,
        });
        send("PUT", &format!("/v1/invoices/{name}"), sync).await.unwrap();
    }
    let advance = |name| json!({ "payeeExternalId": "test-acme", "invoiceExternalId": name });
    let first = send("POST", "/v1/advances", advance("td-r-1-a")).await.unwrap();
    assert_eq!(first.status, 408);
    let second = send("POST", "/v1/advances", advance("td-r-1-b")).await.unwrap_err();
    assert!(second.why.contains("max-financed"), "{second:?}");
}

/// Cleanup finds a subscription without a response by its URL. Subscriptions of others stay.
#[tokio::test]
async fn an_unanswered_subscription_is_deleted_too() {
    let inbox = inbox::Server::start().await.unwrap();
    let mock = endpoint(Some(&inbox)).await;
    let webhooks = Webhooks { listen: "127.0.0.1:0".parse().unwrap(), url: inbox.origin().into() };
    let settings = Settings { webhooks: Some(webhooks), ..settings(&mock) };
    let mut begun = begin(settings.clone(), Some(inbox)).await;
    let mut target = begun.world.fresh().await.unwrap();
    let key = format!("Bearer {}", mock.api_key());
    let subscribe = |url: String| Prepared {
        authorization: Some(key.clone()),
        ..prepared("POST", "/v1/webhooks", &json!({ "url": url }))
    };
    let others = subscribe("https://hooks.example.com/theirs".into());
    let refused = target.send(&others).await.unwrap_err();
    assert_eq!(refused.applied, Applied::Never);
    let client = Client::new(mock.url(), settings.timeout, None).unwrap();
    let send = async |url: &str| {
        let body = json!({ "url": url }).to_string().into_bytes();
        let authorization = Some(key.as_str());
        let method = "POST";
        let outgoing =
            Outgoing { method, path: "/v1/webhooks", authorization, body, content_type: None };
        assert_eq!(client.exchange(outgoing).await.unwrap().seen.status, 201);
    };
    // The run's request is dropped on its way. Another client's request acts as the applied one.
    let own = format!("{}/accepts", target.inbox().unwrap());
    drop(Box::pin(target.send(&subscribe(own.clone()))));
    let response = target.send(&subscribe(own.clone())).await.unwrap();
    assert_eq!(response.status, 201);
    send(&format!("{}/another", target.inbox().unwrap())).await;
    send("https://hooks.example.com/theirs").await;
    let left = begun.session.clean_up().await;
    assert_eq!(left, Vec::<String>::new());
    let list = subscriptions(&mock).await;
    let urls: Vec<&Value> = list.as_array().unwrap().iter().map(|one| &one["url"]).collect();
    assert_eq!(urls, ["https://hooks.example.com/theirs"]);
}

/// The service may have made it, and shows its secret only once.
#[tokio::test]
async fn an_unanswered_subscription_is_not_retried() {
    // It drops every second request: the run asks it again whether it still answers.
    let endpoint = crate::support::hostile::endpoint(|number, socket| match number % 2 {
        1 => Ok(()),
        _ => crate::support::hostile::answer(socket, "200 OK", "", b"[]"),
    });
    let origin = "http://127.0.0.1:9".to_owned();
    let webhooks = Webhooks { listen: "127.0.0.1:0".parse().unwrap(), url: origin.clone() };
    let mock = self::endpoint(None).await;
    let target = format!("http://{endpoint}");
    let inbox = inbox::Server::start().await.unwrap();
    let settings = Settings { webhooks: Some(webhooks), target, operator: None, ..settings(&mock) };
    let mut begun = begin(settings, Some(inbox)).await;
    let mut target = begun.world.fresh().await.unwrap();
    let subscribe = |path: &str| {
        let url = format!("{}/{path}", target.inbox().unwrap());
        let authorization = Some(format!("Bearer {}", mock.api_key()));
        Prepared { authorization, ..prepared("POST", "/v1/webhooks", &json!({ "url": url })) }
    };
    let (one, other) = (subscribe("accepts"), subscribe("recovers"));
    let url = format!("{}/accepts", target.inbox().unwrap());
    let body = json!({ "url": url, "eventTypes": ["partner.invoice.paid"] });
    let authorization = one.authorization.clone();
    let again = Prepared { authorization, ..prepared("POST", "/v1/webhooks", &body) };
    let mut applied = Vec::new();
    for step in [&one, &again, &other, &other] {
        applied.push(target.send(step).await.unwrap_err().applied);
    }
    let (sent, kept_back) = (Applied::MayBe, Applied::Never);
    assert_eq!(applied, [sent, kept_back, sent, kept_back]);
}

fn check(folder: &Path, config: &str, arguments: &[&str], key: Option<&str>) -> Output {
    let path = folder.join("live.toml");
    std::fs::write(&path, config).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tideover"));
    command.current_dir(folder).arg("check").arg("--config").arg(path).args(arguments);
    command.env_remove("TIDEOVER_KEY").env_remove("NOT_SET").env("OTHER_KEY", "rap_sk_other");
    if let Some(key) = key {
        command.env("TIDEOVER_KEY", key);
    }
    command.output().unwrap()
}

#[test]
fn invalid_options_exit_with_2_and_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let target = "target = \"http://127.0.0.1:1\"\n";
    let with = |rest: &str| format!("{target}{rest}\n");
    let no_certificate = format!("ca = \"{}/Cargo.toml\"", env!("CARGO_MANIFEST_DIR"));
    for (config, key, named) in [
        (with("key = \"rap_sk_x\""), Some("k"), "key_env names the variable"),
        (with("tagret = \"x\""), Some("k"), "tagret is no option of tideover check"),
        (with("timeout = \"soon\""), Some("k"), "live.toml:2"),
        (with("banks = [\"1:2\"]"), Some("k"), "an account number, a colon"),
        (with("banks = [\"12345:021000022\"]"), Some("k"), "the check digit of the routing number"),
        (with("allow_writes = true"), Some("k"), "allow-writes needs test accounts"),
        (with("account_prefix = \"a\""), Some("k"), "account-prefix"),
        (with("accounts = [\"a/b\"]"), Some("k"), "a/b"),
        (with("tax_ids = [\"12\"]"), Some("k"), "nine digits"),
        (with("webhook_url = \"https://h.example\""), Some("k"), "webhook-listen"),
        (with("second_key_env = \"NOT_SET\""), Some("k"), "NOT_SET"),
        (with("run = \"a b\""), Some("k"), "run"),
        (String::new(), Some("k"), "no target"),
        (with("ca = \"/dev/null\""), Some("rap_sk_k"), "/dev/null has no certificate"),
        (with(&no_certificate), Some("rap_sk_k"), "Cargo.toml has no certificate"),
        (with("ca = \"nowhere.pem\""), Some("rap_sk_k"), "nowhere.pem"),
        ("target = \"ftp://x\"".to_owned(), Some("k"), "https://"),
        (target.to_owned(), None, "TIDEOVER_KEY"),
    ] {
        let output = check(folder.path(), &config, &[], key);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{config}: {stderr}");
        assert!(stderr.contains(named), "{config}: {stderr}");
        assert_eq!(stderr.trim_end().lines().count(), 1, "{stderr}");
    }
    let elsewhere = ["--target", "http://127.0.0.1:2"];
    for permission in ["sandbox", "allow_writes", "allow_disturbance"] {
        let output =
            check(folder.path(), &with(&format!("{permission} = true")), &elsewhere, Some("k"));
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{permission}: {stderr}");
        assert!(stderr.contains("are for http://127.0.0.1:1"), "{permission}: {stderr}");
    }
    let options = ["check", "--allow-writes"];
    let output = Command::new(env!("CARGO_BIN_EXE_tideover")).args(options).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

/// The command sends nothing and keeps the existing file.
#[test]
fn two_options_with_one_file_exit_with_2() {
    let folder = tempfile::tempdir().unwrap();
    let there = folder.path().join("x");
    std::fs::write(&there, "kept").unwrap();
    let target = "target = \"http://127.0.0.1:1\"\n";
    let [journal, html, learn] = ["--journal", "--html", "--learn"];
    let junit = "--junit";
    for (config, first, second) in [
        ("", (journal, "x"), (html, "./x")),
        ("", (html, "new"), (junit, "new")),
        ("", (learn, "x"), (junit, "../X/x")),
        ("", ("--save", "a.jsonl"), (html, "a-2.jsonl")),
        ("", (journal, "tideover-failure.jsonl"), ("--save", "tideover-failure.jsonl")),
        ("", ("--baseline", "x"), (learn, "x")),
        ("", ("--config", "live.toml"), (junit, "live.toml")),
        ("journal = \"x\"\n", (journal, ""), (learn, "x")),
    ] {
        let name = folder.path().file_name().unwrap().to_str().unwrap();
        let paths = [first.1, second.1].map(|path| path.replace('X', name));
        let options = [(first.0, &*paths[0]), (second.0, &*paths[1])];
        let given =
            options.iter().filter(|(option, path)| *option != "--config" && !path.is_empty());
        let arguments: Vec<&str> = given.flat_map(|(option, path)| [*option, *path]).collect();
        let output =
            check(folder.path(), &format!("{target}{config}"), &arguments, Some("rap_sk_k"));
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
        assert!(stderr.contains(first.0) && stderr.contains(second.0), "{arguments:?}: {stderr}");
        assert!(output.stdout.is_empty());
        assert_eq!(std::fs::read_to_string(&there).unwrap(), "kept");
        assert!(!folder.path().join("new").exists());
    }
    for key in ["", "short"] {
        let output = check(folder.path(), target, &["--second-key", key], Some("rap_sk_k"));
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains("second-key: expected at least 8 characters"), "{stderr}");
        assert_eq!(stderr.contains("is the variable set"), key.is_empty(), "{stderr}");
    }
    let nowhere = ["--html", "/dev/null", "--junit", "/dev/null", "--print-steps", "--cases", "1"];
    let output = check(folder.path(), target, &nowhere, Some("rap_sk_k"));
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The command overwrites its input under no spelling of the path, nor with the journal that it moves aside.
#[test]
fn overwriting_the_input_exits_with_2() {
    let folder = tempfile::tempdir().unwrap();
    let kept = "{\"tideover\":1,\"seed\":1,\"start\":\"2026-01-01T00:00:00Z\"}\n";
    let name = folder.path().file_name().unwrap().to_str().unwrap();
    let live = ["--target", "http://127.0.0.1:1", "--key", "rap_sk_k"];
    let respelled = format!("../{name}/./x.jsonl");
    for (file, journal) in [
        ("x.jsonl", Some("x.jsonl")),
        ("x.jsonl", Some(&*respelled)),
        ("x.jsonl.previous", Some("x.jsonl")),
    ] {
        let path = folder.path().join(file);
        std::fs::write(&path, kept).unwrap();
        let mut replay = Command::new(env!("CARGO_BIN_EXE_tideover"));
        replay.current_dir(folder.path()).args(["replay", file]).args(live);
        let output = replay.args(journal.iter().flat_map(|path| ["--journal", path])).output();
        assert_refused(&output.unwrap(), "--journal");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), kept, "{file}, {journal:?}");
    }
    std::fs::write(folder.path().join("x.jsonl"), kept).unwrap();
    let mut judge = Command::new(env!("CARGO_BIN_EXE_tideover"));
    judge.current_dir(folder.path()).args(["judge", "x.jsonl", "--learn", &respelled]);
    assert_refused(&judge.output().unwrap(), "--learn");
    assert_eq!(std::fs::read_to_string(folder.path().join("x.jsonl")).unwrap(), kept);
}

fn assert_refused(output: &Output, option: &str) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains(&format!("FILE and {option} name one file")), "{stderr}");
    assert!(stderr.contains(&format!("give {option} another")), "{stderr}");
}

#[tokio::test]
async fn the_command_describes_its_run_and_hides_keys() {
    let mock = endpoint(None).await;
    let folder = tempfile::tempdir().unwrap();
    let config = format!(
        "target = \"{}\"\nkey_env = \"MOCK_KEY\"\nrequests_per_second = 100000\nmax_requests = 40\n\
         journal = \"journal.jsonl\"\n",
        mock.url()
    );
    // The mock answers in this very runtime.
    let (folder_path, key) = (folder.path().to_owned(), mock.api_key().to_owned());
    let run = move |arguments: &[&str]| {
        let path = folder_path.join("live.toml");
        std::fs::write(&path, &config).unwrap();
        let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_tideover"));
        command.current_dir(&folder_path).arg("check").arg("--config").arg(path).args(arguments);
        command.env("MOCK_KEY", &key).output()
    };
    let output = run(&["--seed", "5"]).await.unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{stdout}");
    for expected in ["reads and quotes only", "rap_sk_…ocal", "the budget of 40 requests is spent"]
    {
        assert!(stdout.contains(expected), "{stdout}");
    }
    assert!(!stdout.contains(mock.api_key()), "{stdout}");
    let spent = run(&["--seed", "5", "--json"]).await.unwrap();
    let report: Value = serde_json::from_slice(&spent.stdout).unwrap();
    assert_eq!((spent.status.code(), &report["ending"]), (Some(0), &json!("spent")));
    let output =
        run(&["--seed", "5", "--cases", "1", "--max-requests", "100", "--json"]).await.unwrap();
    let aim = String::from_utf8(output.stderr).unwrap();
    assert!(aim.contains("reads and quotes only") && aim.contains("100 requests"), "{aim}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["leftBehind"], &report["outcome"]), (&json!([]), &json!("partial")));
    std::fs::write(folder.path().join("former.json"), &output.stdout).unwrap();
    let again = run(&["--seed", "5", "--cases", "1", "--baseline", "former.json"]).await.unwrap();
    assert_eq!(again.status.code(), Some(0), "{}", String::from_utf8_lossy(&again.stderr));
    let kept = ["journal.jsonl", "journal.jsonl.previous"];
    assert!(kept.iter().all(|kept| folder.path().join(kept).exists()));
    let printed = run(&["--target", "http://127.0.0.1:1", "--print-steps", "--cases", "1"]);
    let printed = printed.await.unwrap();
    assert_eq!(printed.status.code(), Some(0), "nothing is sent");
    assert!(String::from_utf8(printed.stdout).unwrap().contains("15. "));
    let wrong = run(&["--key", "rap_sk_wrong"]).await.unwrap();
    assert_eq!(wrong.status.code(), Some(3));
    let complaint = String::from_utf8(wrong.stderr).unwrap();
    assert!(complaint.contains("refuses the key rap_sk_…rong"), "{complaint}");
    let leave = ["--operator", "http://127.0.0.1:1", "--allow-writes", "--account-prefix", "test-"];
    for leave in [&leave[..2], &leave] {
        let nobody = run(leave).await.unwrap();
        assert_eq!(nobody.status.code(), Some(3));
        let complaint = String::from_utf8(nobody.stderr).unwrap();
        let expected = "the operator port does not answer: GET http://127.0.0.1:1/_sim/";
        assert!(complaint.contains(expected), "{complaint}");
    }
}

/// A run writes nothing into the working folder by itself: its journal goes into a temporary one of its own.
#[tokio::test]
async fn without_a_given_file_the_journal_is_temporary() {
    let mock = endpoint(None).await;
    let (working, temporary) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_tideover"));
    command.current_dir(working.path()).env("TMPDIR", temporary.path());
    command.args(["check", "--target", mock.url(), "--key", mock.api_key(), "--seed", "1"]);
    let output = command.args(["--requests-per-second", "1000", "--cases", "1"]).output();
    let output = output.await.unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{stdout}");
    assert_eq!(std::fs::read_dir(working.path()).unwrap().count(), 0);
    let line = stdout.lines().find_map(|line| line.trim().strip_prefix("journal   ")).unwrap();
    let journal = Path::new(line);
    assert!(journal.starts_with(temporary.path().canonicalize().unwrap()), "{line}");
    assert!(Transcript::read(journal).unwrap().steps.len() > 10);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let folder = std::fs::metadata(journal.parent().unwrap()).unwrap();
        assert_eq!(folder.permissions().mode() & 0o077, 0, "nobody else reads it");
    }
}

/// The process deletes its subscriptions and writes the report before it ends.
#[cfg(unix)]
#[tokio::test]
async fn ctrl_c_and_hangup_delete_subscriptions() {
    for signal in ["-INT", "-HUP"].into_iter().filter(|signal| is_heard(signal)) {
        let folder = tempfile::tempdir().unwrap();
        let (mock, child) = subscribed(folder.path(), env!("CARGO_BIN_EXE_tideover"), &[]).await;
        let id = child.id().unwrap().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        let output = child.wait_with_output().await.unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((output.status.code(), &report["ending"]), (Some(130), &json!("interrupted")));
        assert_eq!(subscriptions(&mock).await, json!([]));
        assert!(folder.path().join("report.html").metadata().unwrap().len() > 0);
    }
}

/// A process that nohup started continues.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn nohup_ignores_a_closed_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let tideover = env!("CARGO_BIN_EXE_tideover");
    let (_mock, mut child) = subscribed(folder.path(), "nohup", &[tideover]).await;
    let id = child.id().unwrap().to_string();
    assert!(Command::new("kill").args(["-HUP", &id]).status().unwrap().success());
    assert!(tokio::time::timeout(Duration::from_secs(2), child.wait()).await.is_err());
}

/// A check of a mock that has just subscribed; it sends its next request a second later.
#[cfg(unix)]
async fn subscribed(
    folder: &Path,
    program: &str,
    before: &[&str],
) -> (Mock, tokio::process::Child) {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let origin = format!("http://{free}");
    let builder = Mock::builder().resolver(tideover_sim::NoNames);
    let mock = builder.webhooks(Destinations::PublicAnd(origin.clone())).start().await.unwrap();
    // Case 0 of this seed subscribes first.
    let mut command = tokio::process::Command::new(program);
    command.args(before).current_dir(folder);
    command.args(["check", "--target", mock.url(), "--seed", "5"]);
    command.args(["--key", mock.api_key(), "--requests-per-second", "1", "--allow-writes"]);
    command.args(["--account-prefix", "test-", "--webhook-listen", &free.to_string()]);
    command.args(["--webhook-url", &origin, "--json", "--html", "report.html"]).kill_on_drop(true);
    command.stderr(std::process::Stdio::null());
    let child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    while subscriptions(&mock).await == json!([]) {}
    (mock, child)
}

/// An https endpoint whose certificate no system trusts, and the certificate's file.
async fn secured(folder: &Path) -> (std::net::SocketAddr, PathBuf) {
    use tokio_rustls::rustls::ServerConfig;
    use tokio_rustls::rustls::crypto::ring::default_provider;
    use tokio_rustls::rustls::pki_types::PrivateKeyDer;
    let signed = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(signed.signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(default_provider().into())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![signed.cert.der().clone()], key)
        .unwrap();
    let file = folder.join("ca.pem");
    std::fs::write(&file, signed.cert.pem()).unwrap();
    let acceptor = tokio_rustls::TlsAcceptor::from(std::sync::Arc::new(config));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (socket, _) = listener.accept().await.unwrap();
            let acceptor = acceptor.clone();
            tokio::spawn(async move { answer(acceptor.accept(socket).await?).await });
        }
    });
    (address, file)
}

/// Answers every request with an empty list.
async fn answer(mut socket: impl AsyncRead + AsyncWrite + Unpin) -> std::io::Result<()> {
    let mut request = Vec::new();
    loop {
        if socket.read_buf(&mut request).await? == 0 {
            return Ok(());
        }
        if request.ends_with(b"\r\n\r\n") {
            request.clear();
            socket.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]").await?;
        }
    }
}

#[tokio::test]
async fn https_needs_a_trusted_certificate_authority() {
    let folder = tempfile::tempdir().unwrap();
    let (address, ca) = secured(folder.path()).await;
    let url = format!("https://{address}");
    let story = folder.path().join("list.jsonl");
    let header = "{\"tideover\":1,\"seed\":1,\"start\":\"2026-01-01T00:00:00Z\"}";
    let list =
        "{\"call\":{\"method\":\"GET\",\"path\":\"/v1/webhooks\"},\"expect\":{\"status\":200}}";
    std::fs::write(&story, format!("{header}\n{list}\n{list}\n")).unwrap();
    let replay = async |ca: &[&str]| {
        let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_tideover"));
        command.arg("replay").arg(&story).args(["--key", "rap_sk_k", "--target", &url]).args(ca);
        command.current_dir(folder.path());
        command.output().await.unwrap()
    };
    let trusted = replay(&["--ca", ca.to_str().unwrap()]).await;
    assert_eq!(trusted.status.code(), Some(0), "{}", String::from_utf8_lossy(&trusted.stdout));
    let untrusted = replay(&[]).await;
    assert_eq!(untrusted.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&untrusted.stderr).contains("--ca"));
}
