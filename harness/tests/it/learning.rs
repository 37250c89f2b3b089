//! Learning finds a target's real values: each value that a run reached, or a range that contains it.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Output;

use serde_json::Value;
use tideover_exchange::evidence::finding::Finding;
use tideover_exchange::evidence::{Gap, Gaps};
use tideover_exchange::target::{INBOX, Target, Unanswered, service};
use tideover_exchange::transcript::Header;
use tideover_exchange::{Arrival, Prepared, Response, start};
use tideover_judge::Outside;
use tideover_model::{Code, Profile, Reading, Service, Success, clause};
use tideover_prove::stranger::{Stranger, Strangers};
use tideover_sim::{Mock, NoNames};
use tideover_suite::generate;
use tideover_suite::play::case::{Observed, TargetWorld, play};
use tideover_suite::play::cases::{InProcess, Testbed};
use tideover_suite::play::learn::{Learned, Lessons, Stated};

const CASES: u64 = 100;

fn learn(toml: &str, seed: u64) -> (Profile, Learned, Lessons) {
    let profile: Profile = toml::from_str(toml).unwrap();
    let header = Header::new(seed, start(), Profile::default());
    let face = service(profile.clone(), seed + 77, INBOX);
    let mut world = Strangers::new(InProcess::new(face, start()), Outside::Controlled);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut lessons = Lessons::default();
    for case in 0..CASES {
        let steps = generate::case(&header, case, 50);
        let played = runtime.block_on(async {
            play(&mut world.fresh().await.unwrap(), &header, &steps).await.unwrap()
        });
        assert!(played.findings.is_empty(), "{toml}: {:#?}", played.findings);
        lessons.add(&played.lessons);
    }
    let learned = lessons.learned(&Profile::default());
    (profile, learned, lessons)
}

/// Our mock shows no difference from the assumptions, whoever moves the outside world.
#[tokio::test]
async fn our_mock_matches_every_assumption() {
    for (seed, outside) in [(0, Outside::Controlled), (0, Outside::Open), (5, Outside::Controlled)]
    {
        let header = Header::new(seed, start(), Profile::default());
        let face = service(Profile::default(), 82, INBOX);
        let mut world = Strangers::new(InProcess::new(face, start()), outside);
        let mut gaps = Gaps::default();
        for case in 0..CASES {
            let steps = generate::case(&header, case, 50);
            let played = play(&mut world.fresh().await.unwrap(), &header, &steps).await.unwrap();
            gaps.add(&played.gaps);
        }
        let all: Vec<Gap> = gaps.all().collect();
        assert!(all.iter().any(|gap| gap.clause == clause!("gap.subscriptionForm")));
        let differs = |gap: &&Gap| {
            gap.seen.keys().any(|value| *value != gap.assumed && value != "as assumed")
        };
        let differing: Vec<&Gap> = all.iter().filter(differs).collect();
        assert!(differing.is_empty(), "{outside:?}: {differing:#?}");
    }
}

/// The lower and upper bound in the field's lesson.
fn span(learned: &Learned, field: &str) -> Option<(u64, u64)> {
    let (_, lesson) = learned.lessons.iter().find(|(name, _)| name == field)?;
    let numbers: Vec<u64> =
        lesson.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok()).collect();
    let most = if lesson.starts_with("at least") { u64::MAX } else { numbers[0] };
    Some((numbers[0], *numbers.get(1).unwrap_or(&most)))
}

fn holds(learned: &Learned, field: &str, min: u64, max: u64) {
    let Some((least, most)) = span(learned, field) else {
        assert!(learned.unlearned.iter().any(|name| name == field), "{field} is neither");
        return;
    };
    // The target draws from a range, so a run may see a part of it. A single value lies in what was seen.
    let overlaps = least <= max && min <= most;
    assert!(overlaps, "{field} is {min} to {max}, learned as {least} to {most}");
    if min == max {
        assert!(least <= min && min <= most, "{field} is {min}, learned as {least} to {most}");
    }
}

fn is_learned(toml: &str, seed: u64) -> Learned {
    let (profile, learned, _) = learn(toml, seed);
    let range = |range: tideover_model::Range<u64>| (range.min, range.max);
    let rates = |range: tideover_model::Range<u32>| (range.min.into(), range.max.into());
    let cents = |cents: i64| u64::try_from(cents).unwrap();
    let limit = |limit: u64| (limit, limit);
    let tideover_model::Range { min, max } = profile.concentration_limit;
    for (field, (min, max)) in [
        ("rates.advance", rates(profile.rates.advance)),
        ("rates.fee", rates(profile.rates.fee)),
        ("quote_term_days", limit(profile.quote_term_days)),
        ("delays.collection_account", range(profile.delays.collection_account)),
        ("delays.funding_starts", range(profile.delays.funding_starts)),
        ("delays.funding_completes", range(profile.delays.funding_completes)),
        ("body_limit", limit(profile.body_limit as u64)),
        ("per_invoice_maximum", limit(cents(profile.per_invoice_maximum.0))),
        ("concentration_limit", (cents(min.0), cents(max.0))),
    ] {
        holds(&learned, field, min, max);
    }
    for (field, lesson) in &learned.lessons {
        if let Some(reading) = Reading::of_field(field) {
            let read = profile.readings.get(reading);
            assert_eq!(*lesson, read.to_string(), "{field}");
        }
        if let Some(name) = field.strip_prefix("success.") {
            let success: Success = serde_json::from_value(name.into()).unwrap();
            let (actual, learned_status) =
                (profile.success_status(success), learned.profile.success_status(success));
            assert_eq!(actual, learned_status, "{field}");
        } else if let Some(name) = field.strip_prefix("refusals.") {
            let code = Code::parse(name).unwrap();
            assert_eq!(
                profile.refusal_status(code),
                learned.profile.refusal_status(code),
                "{field}"
            );
        }
    }
    learned.profile.check().unwrap();
    // The learned profile survives the round trip through its file.
    assert_eq!(toml::from_str::<Profile>(&learned.to_string()).unwrap(), learned.profile);
    learned
}

#[test]
fn learning_finds_the_profile_of_any_target() {
    for (seed, toml) in [
        "",
        "body_limit = 65536\nquote_term_days = 90\n\
         delays = { collection_account = 20, funding_starts = 7, funding_completes = 100 }",
        "per_invoice_maximum = 100000\nrates = { advance = 5000, fee = 1000 }\n\
         success = { request_advance = 200, repeat_advance = 202, unsubscribe = 200 }",
        "concentration_limit = 1000000\nsession_links_live = true\n\
         refusals = { invoice_not_found = 410, already_imported = 422, self_dealing = 403 }\n\
         webhooks.retries = [2, 60, 600, 36000, 64000]",
    ]
    .into_iter()
    .enumerate()
    {
        is_learned(toml, seed as u64);
    }
}

#[test]
fn unreached_fields_are_listed_as_unlearned() {
    let learned = is_learned("webhooks.retries = [9, 60, 600, 36000, 64000]", 2);
    let fields: Vec<&str> = learned.lessons.iter().map(|(field, _)| field.as_str()).collect();
    for field in [
        "body_limit",
        "per_invoice_maximum",
        "rates.advance",
        "rates.fee",
        "quote_term_days",
        "delays.collection_account",
        "delays.funding_starts",
        "delays.funding_completes",
        "webhooks.retries",
        "session_links_live",
        "success.request_advance",
        "refusals.self_dealing",
    ] {
        assert!(fields.contains(&field), "{field} was not learned: {fields:?}");
    }
    assert_eq!(learned.profile.webhooks.retries[..3], [9, 60, 600]);
    for name in ["window", "timeout", "patience", "at_once", "duplicates", "lateness"] {
        let field = format!("webhooks.{name}");
        assert!(learned.unlearned.contains(&field), "{field}");
        // The file says what is known of the field, or why nothing is.
        assert!(learned.to_string().contains(&format!("\n# {field}: ")), "{learned}");
    }
}

/// The field's lesson, or an empty string.
fn lesson<'a>(learned: &'a Learned, field: &str) -> &'a str {
    let lesson = learned.lessons.iter().find(|(name, _)| name == field);
    lesson.map_or("", |(_, lesson)| lesson.as_str())
}

#[test]
fn webhook_settings_are_learned_as_far_as_seen() {
    let (_, learned, _) =
        learn("webhooks = { duplicates = 100, retries = [600, 60, 36000, 64000] }", 2);
    let window = lesson(&learned, "webhooks.window");
    assert_eq!(window, "at least 100660 seconds");
    let duplicates = lesson(&learned, "webhooks.duplicates");
    let (repeated, accepted) = span(&learned, "webhooks.duplicates").unwrap();
    assert!(0 < repeated && repeated <= accepted && accepted < 2 * repeated, "{duplicates}");
    let (_, learned, _) = learn("", 2);
    let duplicates = lesson(&learned, "webhooks.duplicates");
    let is_some = duplicates.starts_with("0 of ") && !duplicates.starts_with("0 of 0 ");
    assert!(is_some, "{duplicates}");
}

/// A reading is stated once responses have decided it, and else it is no lesson.
#[test]
fn readings_are_learned_where_responses_decide_them() {
    let toml = "readings = { shared_agreement = false, kept_payments = false }";
    let learned = is_learned(toml, 3);
    let read = |name: &str| lesson(&learned, &format!("readings.{name}")).to_owned();
    let some = ["shared_agreement", "kept_payments", "struck_tax_id"].map(read);
    assert_eq!(some, ["false", "false", "true"]);
    let file: toml::Table = toml::from_str(&learned.to_string()).unwrap();
    let stated = file["readings"].as_table().unwrap();
    for reading in Reading::ALL {
        let field = reading.field();
        let is_unlearned = learned.unlearned.contains(&field);
        assert_eq!(stated.contains_key(reading.name()), !is_unlearned, "{field}");
    }
}

#[test]
fn a_limit_is_learned_as_an_interval() {
    let learned = is_learned("concentration_limit = 3000000", 3);
    let tideover_model::Range { min, max } = learned.profile.concentration_limit;
    assert!((min.0..=max.0).contains(&3_000_000) && min < max, "{learned}");
    assert!(!learned.unlearned.iter().any(|field| field == "concentration_limit"), "{learned}");

    let stated = Stated::new(learned.profile.clone(), &learned.to_string()).unwrap();
    let differs = |lessons: &Lessons| {
        let found = lessons.against(&stated).into_iter();
        found.map(|(finding, _)| finding).find(|finding| finding.field == "concentration_limit")
    };
    let same = |seed| learn("concentration_limit = 3000000", seed).2;
    assert_eq!(differs(&same(3)), None);
    assert_eq!(differs(&same(4)), None);
    for (toml, seen) in [("concentration_limit = 100000", "beyond"), ("", "within")] {
        let found = differs(&learn(toml, 4).2).unwrap();
        assert_eq!(found.expected, format!("{} to {}", min.0, max.0));
        assert!(found.seen.ends_with(&format!(" is {seen} it")), "{}", found.seen);
    }

    let learned = is_learned("body_limit = 70000", 3);
    let file: toml::Table = toml::from_str(&learned.to_string()).unwrap();
    let stated = |name: &str| file["body_limit"][name].as_integer().unwrap();
    assert!((60_001..70_000).contains(&stated("min")) && stated("max") >= 100_000, "{learned}");
    let stated = Stated::new(learned.profile.clone(), &learned.to_string()).unwrap();
    let differs = |lessons: &Lessons| {
        let found = lessons.against(&stated).into_iter();
        found.map(|(finding, _)| finding).find(|finding| finding.field == "body_limit")
    };
    for (toml, seen) in [
        ("body_limit = 70000", None),
        ("body_limit = 90000", None),
        ("body_limit = 60000", Some("is beyond it")),
        ("body_limit = 2000000", Some("is within it")),
    ] {
        let found = differs(&learn(toml, 4).2);
        let ends = |seen: &str| found.as_ref().is_some_and(|found| found.seen.ends_with(seen));
        assert!(seen.map_or(found.is_none(), ends), "{toml}: {found:?}");
    }

    // A target with the learned profile matches it.
    let again = learn(&learned.to_string(), 5).2;
    assert_eq!(differs(&again), None);
}

#[test]
fn funding_delays_are_learned_when_seen() {
    for seed in 0..5 {
        let learned = is_learned("", seed);
        for field in ["delays.funding_starts", "delays.funding_completes"] {
            assert_ne!(lesson(&learned, field), "", "{field}, seed {seed}");
        }
    }
}

/// A target that never sends the event of a new invoice.
struct Silent(Stranger<Service>);

impl Target for Silent {
    fn api_key(&self) -> &str {
        self.0.api_key()
    }

    async fn send(&mut self, step: &Prepared) -> Result<Response, Unanswered> {
        self.0.send(step).await
    }

    fn inbox(&self) -> Option<&str> {
        self.0.inbox()
    }

    async fn arrivals(&mut self) -> Result<Vec<Arrival>, Unanswered> {
        let mut arrivals = self.0.arrivals().await?;
        let is_creation = |arrival: &Arrival| {
            String::from_utf8_lossy(&arrival.body).contains("partner.invoice.created")
        };
        arrivals.retain(|arrival| !is_creation(arrival));
        Ok(arrivals)
    }
}

impl Observed for Silent {
    fn inbox_works(&self) -> bool {
        self.0.inbox_works()
    }

    fn world(&mut self) -> TargetWorld {
        self.0.world()
    }
}

#[test]
fn a_missing_event_becomes_finding_and_gap() {
    let header = Header::new(6, start(), Profile::default());
    let face = service(Profile::default(), 83, INBOX);
    let mut world = Strangers::new(InProcess::new(face, start()), Outside::Controlled);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let (mut gaps, mut met, mut found) = (Gaps::default(), 0, 0);
    for case in 0..CASES {
        let steps = generate::case(&header, case, 50);
        let played = runtime.block_on(async {
            let mut target = Silent(world.fresh().await.unwrap());
            play(&mut target, &header, &steps).await.unwrap()
        });
        // Where nothing else was due, nothing came at all.
        let clauses = [clause!("6.events.invoice.created"), clause!("6.events.intro.1")];
        let is_it = |found: &Finding| clauses.contains(&found.clause);
        assert!(played.findings.iter().all(is_it), "{:#?}", played.findings);
        found += played.findings.len();
        gaps.add(&played.gaps);
        met += played.met.times(clause!("gap.eventCauses"));
    }
    assert_eq!((met, found), (315, 43));
    let seen: BTreeMap<String, Vec<String>> = gaps
        .all()
        .filter(|gap| gap.clause.name() == "gap.eventCauses")
        .map(|gap| (gap.place, gap.seen.into_keys().collect()))
        .collect();
    let never = "never came while the case was played";
    assert_eq!(seen["webhooks: partner.invoice.created"], [never], "{seen:?}");
    for kind in ["organization.added", "loan.created", "invoice.factoredUpdated"] {
        assert_eq!(seen[&format!("webhooks: partner.{kind}")], ["as assumed"], "{seen:?}");
    }
}

async fn mock(toml: &str) -> Mock {
    Mock::builder()
        .resolver(NoNames)
        .profile(toml::from_str(toml).unwrap())
        .seed(7)
        .start()
        .await
        .unwrap()
}

/// Checks a mock as a live endpoint. Every case uses the same tax ids.
async fn checked(mock: &Mock, folder: &Path, arguments: &[&str]) -> Output {
    let url = mock.url();
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_tideover"));
    command.current_dir(folder).env("TIDEOVER_KEY", mock.api_key());
    command.args(["check", "--target", url, "--operator", url, "--allow-writes"]);
    command.args(["--account-prefix", "test-", "--email", "ann@vendor.example"]);
    command.args(["--tax-id", "12-3456789", "--tax-id", "98-7654321"]);
    command.args(["--bank", "000123456789:021000021", "--requests-per-second", "100000"]);
    command.args(["--max-requests", "60000", "--max-financed", "100000000000"]);
    command.args(["--cases", "60", "--steps", "25"]).args(arguments);
    command.output().await.unwrap()
}

fn printed(output: Output) -> String {
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

/// A business of an earlier case may have the tax ids; it may owe money and have an account already.
#[tokio::test]
async fn state_of_earlier_cases_teaches_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mock = mock("").await;
    let output = checked(&mock, folder.path(), &["--seed", "1", "--learn", "l.toml"]).await;
    assert_eq!(output.status.code(), Some(0), "{}", printed(output));
    let file = std::fs::read_to_string(folder.path().join("l.toml")).unwrap();
    let numbers = |field: &str| -> Vec<u64> {
        let lesson = file.lines().find_map(|line| line.strip_prefix(&format!("# {field}: ")));
        let words = lesson.into_iter().flat_map(|lesson| lesson.split(' '));
        words.filter_map(|word| word.parse().ok()).collect()
    };
    if let [_, less_than] = numbers("concentration_limit")[..] {
        assert!(less_than > 100_000_000, "{file}");
    }
    let took = numbers("delays.collection_account");
    assert!(took.last().is_none_or(|longest| *longest >= 60), "{file}");
    let profile = tideover_sim::load_profile(&folder.path().join("l.toml")).unwrap();
    let (learned, standard) = (profile.concentration_limit, Profile::default().concentration_limit);
    assert!(learned.min <= standard.min && standard.max <= learned.max, "{file}");
}

#[tokio::test]
async fn a_learned_profile_is_accepted_as_input() {
    let folder = tempfile::tempdir().unwrap();
    let mock = mock("per_invoice_maximum = 1000\nrates = { advance = 10000, fee = 0 }").await;
    let output = checked(&mock, folder.path(), &["--seed", "1", "--learn", "l.toml"]).await;
    assert_eq!(output.status.code(), Some(0), "{}", printed(output));
    let against_learned = ["--seed", "2", "--profile", "l.toml", "--fail-on", "differs"];
    let output = checked(&mock, folder.path(), &against_learned).await;
    assert_eq!(output.status.code(), Some(0), "{}", printed(output));
    let learned = std::fs::read_to_string(folder.path().join("l.toml")).unwrap();
    assert!(learned.contains("# rates.advance: 10000 basis points\n"), "{learned}");
}

#[tokio::test]
async fn a_target_is_checked_against_its_learned_profile() {
    let folder = tempfile::tempdir().unwrap();
    let as_learned = mock(
        "success = { sync_business = 202, quote = 203 }\nper_invoice_maximum = 1000\n\
         refusals = { invoice_not_found = 410, self_dealing = 403 }",
    )
    .await;
    let output = checked(&as_learned, folder.path(), &["--seed", "1", "--learn", "l.toml"]).await;
    assert_eq!(output.status.code(), Some(0), "{}", printed(output));
    let fails = ["--seed", "1", "--profile", "l.toml", "--fail-on", "differs,stalled"];
    let output = checked(&as_learned, folder.path(), &fails).await;
    assert_eq!(output.status.code(), Some(0), "{}", printed(output));

    let changed = mock("").await;
    let arguments = [&fails[..], &["--html", "report.html"]].concat();
    let output = checked(&changed, folder.path(), &arguments).await;
    assert_eq!(output.status.code(), Some(1));
    let text = printed(output);
    let page = std::fs::read_to_string(folder.path().join("report.html")).unwrap();
    for (field, expected, seen) in [
        ("success.sync_business", "202", "200 ("),
        ("success.quote", "203", "200 ("),
        ("refusals.invoice_not_found", "410", "404 ("),
        ("refusals.self_dealing", "403", "422 ("),
        ("per_invoice_maximum", "1000", "25000000 is within it"),
    ] {
        let finding =
            format!("the profile: {field}\n    expected  {expected}\n    seen      {seen}");
        assert!(text.contains(&finding), "{field}: {text}");
        assert!(page.contains(field) && page.contains(seen), "{field}");
    }
    assert!(!text.contains("success.get_business"), "{text}");
    let lenient = ["--seed", "1", "--profile", "l.toml", "--json"];
    let output = checked(&changed, folder.path(), &lenient).await;
    assert_eq!(output.status.code(), Some(0));
    let report = String::from_utf8(output.stdout).unwrap();
    let report: Value = serde_json::from_str(report.lines().last().unwrap()).unwrap();
    assert_eq!(report["outcome"], "differs");
    let findings = report["findings"].as_array().unwrap();
    let quote = findings.iter().find(|finding| finding["field"] == "success.quote").unwrap();
    assert_eq!(quote["verdict"], "differsFromAssumption");
}
