//! Events whose only lasting effect is their deliveries: repeated changes of a business's payout account.

use tideover_model::{Destinations, Face, Operation, PlatformId, Service, Timestamp};

use crate::population::{Population, business_name, details, start};

/// A service with one business, and a subscription to every event at each of `urls`.
pub fn subscribed<'a>(urls: impl IntoIterator<Item = &'a str>) -> Service {
    let mut service = Population::nobody().sending_to(Destinations::Local);
    let sync = Operation::SyncBusiness { business: business_name(0), details: details(0, false) };
    ask(&mut service, start(), sync);
    for url in urls {
        let url = url.to_owned();
        let subscribe = Operation::Subscribe { url, event_types: None, addresses: Vec::new() };
        ask(&mut service, start(), subscribe);
    }
    service
}

/// Causes the event with this number, which must differ from the last one's.
pub fn happen(service: &mut Service, now: Timestamp, event: u32) {
    let set = Operation::SetPayoutAccount {
        business: business_name(0),
        account_number: (1_000_000_000 + u64::from(event)).to_string(),
        routing_number: "021000021".into(),
        label: None,
    };
    ask(service, now, set);
}

fn ask(service: &mut Service, now: Timestamp, operation: Operation) {
    service.handle(now, PlatformId::DEFAULT, operation).expect("nothing to refuse");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_subscription_gets_each_event() {
        let mut service = subscribed(["http://127.0.0.1:1/", "http://127.0.0.1:2/"]);
        assert!(service.poll_delivery().is_none());
        (0..3).for_each(|event| happen(&mut service, start(), event));
        assert_eq!(std::iter::from_fn(|| service.poll_delivery()).count(), 6);
    }
}
