//! The states that a world has had: at each entry of its logs, compared, and as the start of a copy.

mod parting;

use serde_json::{Value, json};
use tideover_model::{Altered, Profile, Seeded, Service, Timestamp};
use tideover_sim::grease::Grease;
use tideover_sim::{
    Clock, ClockChoice, Destinations, EntryName, JournalLimits, Mock, NotKept, World,
};

use crate::receiver::{Reaction, Receiver};
use crate::support::{Caller, invoice, start, world};

/// The world as a document. How often the client has met each freedom is no part of a state: what is due meets some when
/// somebody looks.
fn document(world: &World) -> Value {
    let mut document: Value = serde_json::from_slice(&world.snapshot().unwrap()).unwrap();
    if let Some(grease) = document["state"]["grease"].as_object_mut() {
        grease.remove("met");
        document["checksum"].take();
    }
    document
}

/// The states that were seen: the name of each entry, and the world right after it.
#[derive(Default)]
struct Seen(Vec<(EntryName, Value)>);

impl Seen {
    fn note(&mut self, world: &World, entry: EntryName) {
        self.0.push((entry, document(world)));
    }

    /// Each state is there once more, to the byte.
    fn check(&self, world: &World) {
        for (entry, then) in &self.0 {
            let again = document(&world.at(*entry).unwrap());
            assert!(again == *then, "at {entry}:\n{again}\n{then}");
        }
    }
}

/// Plays the story of an advance, with refusals, reads, time, actions and faults.
async fn story(world: &World) -> Seen {
    let caller = Caller::of(world);
    let mut seen = Seen::default();
    let (mut request, mut done) = (0, 0);
    seen.note(world, EntryName::Start);
    let mut sent = |world: &World| {
        seen.note(world, EntryName::Request(request));
        request += 1;
    };
    let address = json!({ "line1": "1 Quay Street", "city": "Portland", "state": "OR", "postalCode": "97201" });
    let acme =
        json!({ "legalName": "Acme", "taxId": "12-3456789", "contact": { "address": address } });
    caller.post("/v1/webhooks", json!({ "url": "https://hooks.example/" })).await;
    sent(world);
    caller.put("/v1/organizations/acme", acme).await;
    sent(world);
    caller.get("/v1/organizations/acme").await;
    sent(world);
    caller.put("/v1/invoices/INV-1", invoice("acme", "globex")).await;
    sent(world);
    let advance = json!({ "payeeExternalId": "acme", "invoiceExternalId": "INV-1" });
    caller.post("/v1/advances", advance.clone()).await.refused(409, "business_not_eligible");
    sent(world);
    let mut did = |world: &World| {
        seen.note(world, EntryName::Intervention(done));
        done += 1;
    };
    caller.act(json!({ "action": "vendorCompletesOnboarding", "payeeExternalId": "acme" })).await;
    did(world);
    caller.post("/_sim/faults", json!({ "act": "requestRepeated", "nth": 1 })).await;
    did(world);
    caller.act(json!({ "action": "upstreamFails", "requests": 1 })).await;
    did(world);
    let mut sent = |world: &World| {
        seen.note(world, EntryName::Request(request));
        request += 1;
    };
    for _ in 0..3 {
        caller.post("/v1/advances", advance.clone()).await;
        sent(world);
    }
    let mut did = |world: &World| {
        seen.note(world, EntryName::Intervention(done));
        done += 1;
    };
    caller.delete("/_sim/faults").await;
    did(world);
    caller.advance_clock(90).await;
    did(world);
    caller.advance_clock(10 * 3600).await;
    did(world);
    let pays = json!({ "action": "payorPays", "payeeExternalId": "acme", "invoiceExternalId": "INV-1", "amount": 400_000 });
    caller.act(pays).await;
    did(world);
    seen
}

#[tokio::test]
async fn each_state_is_there_once_more_to_the_byte() {
    let world = world(Profile::default());
    let seen = story(&world).await;
    assert_eq!(seen.0.len(), 16);
    seen.check(&world);
    let grease = Grease::of_seed(7);
    let service = Service::new(Profile::default(), grease.choices());
    let world =
        World::new(Box::new(service), Clock::new(start(), ClockChoice::Still)).greased(grease);
    let seen = story(&world).await;
    let met = world.coverage();
    seen.check(&world);
    assert_eq!(world.coverage(), met, "a look at an earlier state meets no freedom");
}

/// Attempts and what receivers answer are a part of the state, faults of deliveries too.
#[tokio::test]
async fn webhooks_on_their_way_are_a_part_of_the_state() {
    let receiver = Receiver::start(|earlier, _| match earlier {
        0 | 2 => Reaction::Answer(500),
        _ => Reaction::Answer(200),
    });
    let receiver = receiver.await;
    let mock = Mock::builder().webhooks(Destinations::Local).start().await.unwrap();
    let (caller, world) = (Caller::of_mock(&mock), mock.world());
    let mut seen = Seen::default();
    caller.post("/v1/webhooks", json!({ "url": receiver.url })).await;
    caller.post("/_sim/faults", json!({ "act": "deliverySwapped", "nth": 1 })).await;
    caller.onboard().await;
    for (number, seconds) in [30, 400, 3600, 86_400].into_iter().enumerate() {
        caller.advance_clock(seconds).await;
        let moved = 3 + number as u64;
        seen.note(&world, EntryName::Intervention(moved));
    }
    let id = mock.deliveries(0)[0].delivery.id.clone();
    mock.resend(&id).unwrap();
    caller.advance_clock(60).await;
    seen.note(&world, EntryName::Intervention(8));
    seen.check(&world);
    mock.stop().await;
}

#[tokio::test]
async fn an_entry_shows_the_world_as_it_was() {
    let caller = Caller::standard();
    caller.onboard().await;
    caller.advance_clock(3600).await;
    let advance = json!({ "payeeExternalId": "acme", "invoiceExternalId": "INV-1" });
    caller.post("/v1/advances", advance).await;
    caller.advance_clock(3 * 3600).await;
    let now = caller.get("/_sim/overview").await.json();
    let then = caller.get("/_sim/at/4").await.json();
    assert_eq!((&then["world"], &then["entry"]), (&json!("default"), &json!("4")));
    assert_eq!(then["now"], "2026-01-01T01:00:00Z");
    assert_eq!(then["invoices"][0]["advance"]["state"], "REQUESTED");
    assert_eq!(then["nextDue"], "2026-01-01T01:00:30Z");
    assert_eq!(now["invoices"][0]["advance"]["state"], "FUNDED");
    assert_eq!(caller.get("/_sim/overview").await.json(), now, "a look changes nothing");
    let before = caller.get("/_sim/at/i2").await.json();
    assert_eq!(before["invoices"][0]["advance"], Value::Null);
    assert_eq!(before["businesses"][1]["onboarding"]["collectionAccount"], true);
    let fresh = caller.get("/_sim/at/start?text=x").await.json();
    assert_eq!((&fresh["businesses"], &fresh["invoices"]), (&json!([]), &json!([])));
    let named = caller.get("/_sim/worlds/default/at/4").await.json();
    assert_eq!(named, then);
}

/// A webhook shows the state that it announces, and what caused it.
#[tokio::test]
async fn a_webhook_shows_what_it_announces() {
    let caller = Caller::standard();
    caller.post("/v1/webhooks", json!({ "url": "https://hooks.example/" })).await;
    caller.onboard().await;
    caller.advance_clock(3600).await;
    let deliveries = caller.get("/_sim/deliveries").await.json();
    let last = deliveries["deliveries"].as_array().unwrap().last().unwrap()["index"].clone();
    let change = caller.get(&format!("/_sim/diff?to=d{last}")).await.json();
    let sentences: Vec<_> =
        change["changes"].as_array().unwrap().iter().map(|it| &it["sentence"]).collect();
    let opened = "business acme: onboarding.collectionAccount false → true, opensAt 2026-01-01T00:03:38Z → –, \
        remittance.accountNumber – → 5041352515908583, remittance.routingNumber – → 127779450";
    assert_eq!(sentences, [opened]);
}

#[tokio::test]
async fn a_difference_says_in_words_what_has_changed() {
    let caller = Caller::standard();
    caller.onboard().await;
    caller.advance_clock(3600).await;
    let advance = json!({ "payeeExternalId": "acme", "invoiceExternalId": "INV-1" });
    caller.post("/v1/advances", advance).await;
    let issue = json!({ "action": "issueKey", "platform": "other" });
    let other = caller.act(issue).await.json()["key"].as_str().unwrap().to_owned();
    let other = caller.with_key(&other);
    other.post("/v1/webhooks", json!({ "url": "https://hooks.example/" })).await;
    caller.advance_clock(30).await;
    let between = caller.get("/_sim/diff?from=4&to=i4").await.json();
    assert_eq!(
        (&between["from"], &between["to"]),
        (&json!("2026-01-01T01:00:00Z"), &json!("2026-01-01T01:00:30Z"))
    );
    let change = &between["changes"][0];
    assert_eq!(change["subject"], "invoice INV-1 of acme");
    assert_eq!(change["became"], "changed");
    assert_eq!(
        change["fields"],
        json!([{ "field": "advance.state", "before": "REQUESTED", "after": "FUNDING" }])
    );
    assert_eq!(change["sentence"], "invoice INV-1 of acme: advance.state REQUESTED → FUNDING");
    let new = between["changes"][1]["sentence"].as_str().unwrap();
    assert!(new.starts_with("subscription whs_") && new.contains("(other) is new: "), "{new}");
    // What one entry has changed, and what has changed since.
    let asked = caller.get("/_sim/diff?to=4").await.json();
    assert_eq!(asked["changes"][0]["subject"], "business acme");
    assert_eq!(asked["changes"][1]["fields"][0]["field"], "advance.advanceAmount");
    assert_eq!(caller.get("/_sim/diff?from=4").await.json(), between);
    assert_eq!(caller.get("/_sim/worlds/default/diff?from=i4").await.json()["changes"], json!([]));
    // A read and a refusal change nothing.
    caller.get("/v1/organizations/acme").await;
    assert_eq!(caller.get("/_sim/diff?to=6").await.json()["changes"], json!([]));
    let gone = caller.get("/_sim/diff?from=4&to=start").await.json();
    assert_eq!(gone["changes"][0]["sentence"], "business acme is gone");
}

#[tokio::test]
async fn what_is_not_kept_is_refused_with_what_is() {
    let world = world(Profile::default())
        .journaling(JournalLimits { requests: 10, ..JournalLimits::default() });
    let caller = Caller::of(&world);
    for answer in [
        caller.get("/_sim/at/0").await,
        caller.get("/_sim/at/i0").await,
        caller.get("/_sim/diff?to=d3").await,
        caller.get("/_sim/diff?from=start&to=0").await,
        caller.post("/_sim/worlds/default/fork", json!({ "at": 0 })).await,
    ] {
        if answer.code() != "action_refused" {
            answer.refused(404, "unknown_entry");
            let error = answer.json()["error"].as_str().unwrap().to_owned();
            assert!(error.ends_with("kept are start"), "{error}");
        }
    }
    let mut seen = Seen::default();
    caller.post("/_sim/clock", json!({ "advanceSeconds": 1 })).await;
    assert!(world.at(EntryName::Intervention(0)).is_ok());
    for number in 0..400 {
        caller.put(&format!("/v1/organizations/b{number}"), json!({ "legalName": "B" })).await;
        seen.note(&world, EntryName::Request(number));
    }
    // Beyond the limits, the oldest inputs are a part of the base.
    let (old, kept) = seen.0.split_at(390);
    Seen(kept.to_vec()).check(&world);
    let refusal = world.at(old[0].0).err().unwrap();
    let NotKept::NoSuchEntry { entry, kept } = &refusal else { panic!("{refusal}") };
    assert_eq!((*entry, kept.as_str()), (EntryName::Request(0), "kept are requests 390 to 399"));
    // The log has it, but the journal does not go back as far.
    caller.get("/_sim/at/i0").await.refused(404, "unknown_entry");
    caller.get("/_sim/at/start").await.refused(404, "unknown_entry");
    for fits_not in ["x", "-1", "+1", "007", "i", "d1x", "i٣", ""] {
        let answer = caller.get(&format!("/_sim/diff?from={}", fits_not.replace('+', "%2B"))).await;
        answer.refused(400, "invalid_request");
    }
    caller.get("/_sim/at/x").await.refused(400, "invalid_request");
    caller.get("/_sim/at/0?at=1").await.refused(400, "invalid_request");
    caller.get("/_sim/diff").await.refused(400, "invalid_request");
    caller.get("/_sim/worlds/w9/at/0").await.refused(404, "unknown_world");
}

#[tokio::test]
async fn a_reset_begins_a_new_history() {
    let world = world(Profile::default());
    let caller = Caller::of(&world);
    caller.onboard().await;
    caller.get("/_sim/at/3").await;
    caller.post("/_sim/reset", json!({})).await;
    caller.get("/_sim/at/3").await.refused(404, "unknown_entry");
    let mut seen = Seen::default();
    seen.note(&world, EntryName::Start);
    seen.note(&world, EntryName::Intervention(0));
    caller.onboard().await;
    seen.note(&world, EntryName::Intervention(2));
    seen.check(&world);
}

#[tokio::test]
async fn a_world_without_a_journal_or_with_a_defect_keeps_no_states() {
    struct Defective(Service);
    impl Altered for Defective {
        type Face = Service;
        fn unaltered(&self) -> &Service {
            &self.0
        }
        fn unaltered_mut(&mut self) -> &mut Service {
            &mut self.0
        }
    }
    let clock = || Clock::new(start(), ClockChoice::Still);
    let service = Service::new(Profile::default(), Seeded { seed: 1 });
    let defective = World::new(Box::new(Defective(service)), clock());
    let limits = JournalLimits { requests: 0, ..JournalLimits::default() };
    let silent = world(Profile::default()).journaling(limits);
    for (world, why) in [(defective, NotKept::OwnService), (silent, NotKept::NoJournal)] {
        let caller = Caller::of(&world);
        caller.put("/v1/organizations/acme", json!({ "legalName": "Acme" })).await;
        assert_eq!(world.at(EntryName::Start).err(), Some(why.clone()));
        let answer = caller.get("/_sim/at/0").await;
        answer.refused(409, "action_refused");
        assert_eq!(answer.json()["error"], why.to_string());
    }
}

/// A million invoices are not in memory twice.
#[tokio::test]
async fn a_large_world_keeps_no_states() {
    const HEADER: &str = "externalId,payeeExternalId,payeeLegalName,payorExternalId,payorLegalName,status,faceValue,issueDate,dueDate";
    let world = world(Profile::default())
        .journaling(JournalLimits { requests: 1, ..JournalLimits::default() });
    let caller = Caller::of(&world);
    let file = |file: u32| {
        let row = |row: u32| {
            format!(
                "\nI{file}-{row},acme,Acme,globex,Globex,ISSUED,1000,2026-01-01T00:00:00Z,2026-03-02T00:00:00Z"
            )
        };
        format!("{HEADER}{}", (0..1000).map(row).collect::<String>())
    };
    for number in 0..19 {
        let answer = caller.csv(&format!("f{number}"), &file(number)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    assert!(world.at(EntryName::Request(18)).is_ok());
    caller.csv("f19", &file(19)).await;
    assert_eq!(world.at(EntryName::Request(19)).err(), Some(NotKept::TooLarge));
    // A reset makes room.
    caller.post("/_sim/reset", json!({})).await;
    caller.put("/v1/organizations/acme", json!({ "legalName": "Acme" })).await;
    assert!(world.at(EntryName::Request(0)).is_ok());
}

#[tokio::test]
async fn a_fork_from_an_entry_goes_its_own_way() {
    let mock = Mock::builder().start().await.unwrap();
    let caller = Caller::of_mock(&mock);
    caller.onboard().await;
    caller.advance_clock(3600).await;
    let advance = json!({ "payeeExternalId": "acme", "invoiceExternalId": "INV-1" });
    caller.post("/v1/advances", advance.clone()).await;
    caller.advance_clock(7200).await;
    let made = caller.post("/_sim/worlds/default/fork", json!({ "at": "i2" })).await.json();
    assert_eq!(made["now"], "2026-01-01T01:00:00Z");
    let copy = caller.with_key(made["keys"][0]["key"].as_str().unwrap());
    let read = "/v1/organizations/acme/invoices/INV-1";
    assert_eq!(copy.get(read).await.json()["advance"], Value::Null);
    assert_eq!(copy.post("/v1/advances", advance).await.status, 201);
    assert_eq!(caller.get(read).await.json()["advance"]["state"], "FUNDED");
    // Its names are its own from here on.
    let subscribe = json!({ "url": "https://hooks.example/" });
    let one = copy.post("/v1/webhooks", subscribe.clone()).await.json();
    let second = caller.post("/_sim/worlds/default/fork", json!({ "at": "i2" })).await.json();
    let second = caller.with_key(second["keys"][0]["key"].as_str().unwrap());
    let other = second.post("/v1/webhooks", subscribe).await.json();
    assert_ne!(one["reference"], other["reference"]);
    assert_ne!(one["secret"], other["secret"]);
    // A request can be named by its number, too.
    let made = caller.post("/_sim/worlds/default/fork", json!({ "at": 4 })).await.json();
    let copy = caller.with_key(made["keys"][0]["key"].as_str().unwrap());
    assert_eq!(copy.get(read).await.json()["advance"]["state"], "REQUESTED");
    let refused = caller.post("/_sim/worlds/default/fork", json!({ "at": "i99" })).await;
    refused.refused(404, "unknown_entry");
    let odd = caller.post("/_sim/worlds/default/fork", json!({ "at": "yesterday" })).await;
    odd.refused(400, "invalid_request");
    mock.stop().await;
}

/// A clock that runs goes on in a fork from where it stood.
#[tokio::test]
async fn a_look_back_leaves_the_clock_alone() {
    let mock = Mock::builder().clock(ClockChoice::Running { speed: 1000 }).start().await.unwrap();
    let caller = Caller::of_mock(&mock);
    caller.put("/v1/organizations/acme", json!({ "legalName": "Acme" })).await;
    let entry = mock.journal()[0].time;
    mock.advance_clock(86_400).await.unwrap();
    let then = caller.get("/_sim/at/0").await.json();
    assert_eq!(then["now"], entry.to_string());
    let made = caller.post("/_sim/worlds/default/fork", json!({ "at": 0 })).await.json();
    let now = Timestamp::parse(made["now"].as_str().unwrap()).unwrap();
    assert!(now >= entry && now < entry.after(86_400), "{now}");
    mock.stop().await;
}

/// Whether a text is what the guide prints, which leaves out the parts at "…".
fn is_printed(text: &str, printed: &str) -> bool {
    let mut parts = printed.split('…');
    let begins = parts.next().and_then(|first| text.strip_prefix(first));
    let Some(last) = parts.next_back() else { return text == printed };
    let rest =
        parts.try_fold(begins.unwrap_or_default(), |rest, part| Some(rest.split_once(part)?.1));
    begins.is_some() && rest.is_some_and(|rest| rest.ends_with(last))
}

#[tokio::test]
async fn the_guide_shows_what_is_printed() {
    let page = include_str!("../../../docs/step-back.md");
    let mock = Mock::builder().scenario(tideover_sim::Scenario::Onboarded).start().await.unwrap();
    let caller = Caller::of_mock(&mock);
    let mut lines = page.lines();
    let mut count = 0;
    while let Some(line) = lines.next() {
        let Some(command) = line.strip_prefix("$ api ") else { continue };
        let (method, rest) = command.split_once(' ').unwrap();
        let (path, body) = rest.split_once(" '").unwrap_or((rest, ""));
        let (path, body) = (path.trim_matches('\''), body.trim_end_matches('\''));
        let answer = caller.bytes(method, path, body.to_owned()).await;
        let text = String::from_utf8(answer.body.to_vec()).unwrap();
        assert!(is_printed(&text, lines.next().unwrap()), "{command}: {text}");
        count += 1;
    }
    assert_eq!(count, 7);
    mock.stop().await;
}
