//! The cost of deliveries in the model: an event queues each delivery, which has eight attempts, each with a
//! new signature and a 500 in response. Events are a millisecond apart, so that the attempts of many
//! deliveries interleave, and the clock moves from one due time to the next.
//!
//! The comparisons are only the signatures, of the same bodies at the same number of times, and the events
//! without a subscription.

use std::fmt::Write;
use std::hint::black_box;
use std::io;
use std::sync::Arc;

use tideover_benches::events::{happen, subscribed};
use tideover_benches::population::start;
use tideover_benches::race::Entries;
use tideover_benches::{figures, is_trial};
use tideover_model::{Attempt, Face, Receipt, Seconds, Service, SigningKey, pass};

const ATTEMPTS: u64 = 8;
const ROUNDS: usize = 15;
const DAYS: Seconds = 3 * 24 * 3600;

fn main() -> io::Result<()> {
    let deliveries = if is_trial() { 100 } else { 100_000 };
    let bodies = bodies(deliveries);
    let mut entries = Entries::in_rounds(ROUNDS);
    entries.add("signatures alone", || sign(&bodies));
    entries.add("deliveries to one subscription", || deliver(deliveries, 1));
    entries.add("deliveries to 100 subscriptions", || deliver(deliveries / 100, 100));
    entries.add("as many events, no subscription", || deliver(deliveries, 0));
    let signatures = ATTEMPTS * u64::from(deliveries);
    entries.run("deliveries", signatures).save(&figures::home())
}

/// Signs each body once per attempt, attempt by attempt.
fn sign(bodies: &[Arc<[u8]>]) {
    let key = SigningKey::new("whsec_4b1f0c6a92d84e57b3a60d15c78e29f4a1d7035c6be2984f");
    let mut header = String::new();
    for attempt in 0..ATTEMPTS {
        for body in bodies {
            header.clear();
            write!(header, "{}", key.sign(1_767_225_600 + attempt, body)).expect("room");
            black_box(&header);
        }
    }
}

/// Lets `events` events happen, each delivered to `subscriptions` subscriptions, until all deliveries are
/// given up.
fn deliver(events: u32, subscriptions: u32) -> Service {
    let urls: Vec<String> =
        (0..subscriptions).map(|number| format!("https://hooks.example.com/{number}")).collect();
    let mut service = subscribed(urls.iter().map(String::as_str));
    let mut now = start();
    let mut header = String::new();
    let mut made = 0;
    let mut refuse = |now, attempt: &Attempt| {
        header.clear();
        write!(header, "{}", attempt.sign(now)).expect("room");
        black_box(&header);
        made += 1;
        Receipt::Answered(500)
    };
    for event in 0..events {
        happen(&mut service, now, event);
        while service.poll_delivery().is_some() {}
        let next = now.after_milliseconds(1);
        pass(&mut service, now, next, &mut refuse);
        now = next;
    }
    pass(&mut service, now, now.after(DAYS), refuse);
    assert_eq!(made, ATTEMPTS * u64::from(events * subscriptions));
    service
}

/// The bodies of `events` events.
fn bodies(events: u32) -> Vec<Arc<[u8]>> {
    let mut service = subscribed(["https://hooks.example.com/"]);
    (0..events).for_each(|event| happen(&mut service, start(), event));
    let queued = std::iter::from_fn(|| service.poll_delivery());
    queued.map(|delivery| Arc::clone(&delivery.body)).collect()
}
