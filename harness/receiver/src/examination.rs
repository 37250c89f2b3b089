//! The cases: deliveries that the service may send, and forgeries.

use serde_json::{Value, json};
use tideover_model::words::{AdvanceState, EventType};
use tideover_model::{Timestamp, Webhooks, clause};

use crate::case::{Alteration, Case, Required, Seal};
use crate::draft::Draft;

/// Offsets well inside and well outside the window, since sending takes time. Seconds.
const INSIDE: i64 = 290;
const OUTSIDE: i64 = 330;

/// The invoice that every event is about.
const INVOICE: &str = "INV-1";

/// Milliseconds.
const AN_HOUR: u64 = 3_600_000;

/// The size of a field in a large body, in bytes.
const LARGE: usize = 256 * 1024;

/// All cases, in sending order. Each run has its own `run` name, so that a receiver with a memory does not
/// take a case for one of an earlier run.
pub fn examination(run: &str, now: Timestamp) -> Vec<Case> {
    let mut draft = Draft::new(run, now);
    draft.every_event();
    draft.bodies();
    draft.window();
    draft.forgeries();
    draft.headers();
    draft.order();
    draft.into_cases()
}

impl Draft {
    fn every_event(&mut self) {
        for event in EventType::ALL {
            let body = self.event(event, INVOICE);
            self.accept(clause!("6.events.intro.1"), event.name(), body);
        }
        let body = self.event(EventType::AdvanceIssued, &self.fresh());
        self.accept(
            clause!("6.delivery.4"),
            "partner.loan.issued, the first event about its invoice",
            body,
        );
    }

    fn bodies(&mut self) {
        let body = respelled(&self.event(EventType::InvoiceCreated, &self.fresh()));
        let sent = "a body with white space and escapes that parsing loses";
        self.accept(clause!("6.signature.2"), sent, body);

        let body = self.altered(EventType::InvoiceCreated, |event| {
            event["type"] = json!("partner.invoice.tideoverReceiverCheck");
        });
        self.accept(clause!("6.subscription.3"), "an event type that is not known yet", body);

        let body = self.altered(EventType::FactoredUpdated, |event| {
            event["data"]["state"] = json!("TIDEOVER_RECEIVER_CHECK");
        });
        self.accept(clause!("9.versioning.2"), "a financing state that is not known yet", body);

        let body = self.altered(EventType::InvoiceCreated, |event| {
            event["tideoverReceiverCheck"] = json!({ "of": ["many", 1, null] });
            event["data"]["tideoverReceiverCheck"] = json!(true);
        });
        self.accept(clause!("gap.eventFields"), "fields that are not known yet", body);

        let body = self.altered(EventType::InvoiceCreated, |event| {
            event["data"]["tideoverReceiverCheck"] = json!("x".repeat(LARGE));
        });
        self.accept(clause!("gap.eventFields"), "a body of 256 KiB", body);

        let long_ago = self.now.unix().saturating_sub_unsigned(Webhooks::default().window);
        let long_ago = Timestamp::from_unix(long_ago).unwrap_or(self.now);
        let body = self.altered(EventType::InvoiceCreated, |event| {
            event["occurredAt"] = json!(long_ago);
        });
        self.accept(clause!("6.delivery.6.2"), "what occurred 28 hours ago, signed now", body);
    }

    fn window(&mut self) {
        let rule = clause!("6.signature.4");
        for (required, seconds) in [(Required::Accepted, INSIDE), (Required::Rejected, OUTSIDE)] {
            for (offset, side) in [(-seconds, "ago"), (seconds, "in the future")] {
                let body = self.event(EventType::InvoiceCreated, &self.fresh());
                let sent = format!("signed {seconds} s {side}");
                self.add(rule, &sent, required, body, Seal::Signed(offset));
            }
        }
    }

    fn forgeries(&mut self) {
        let real = self.event(EventType::InvoicePaid, &self.fresh());
        let raised = self.altered(EventType::InvoicePaid, |event| {
            event["data"]["collected"] = json!(2_000_000);
        });
        let sent = "another amount, under the signature of the real one";
        self.reject(clause!("6.signature.3"), sent, raised, Seal::Stolen(real.into()));

        let real = self.event(EventType::InvoicePaid, &self.fresh());
        let spaced = respelled(&real);
        let sent = "the same JSON in other bytes, under the signature of the real ones";
        self.reject(clause!("6.signature.2"), sent, spaced, Seal::Stolen(real.into()));

        let body = self.event(EventType::InvoicePaid, &self.fresh());
        self.reject(clause!("6.signature.3"), "signed with another secret", body, Seal::Guessed);
        let body = self.event(EventType::InvoicePaid, &self.fresh());
        let fresh = |now: u64, digest: &str| format!("t={now},v1={digest}");
        let sent = "an old digest under a fresh timestamp";
        self.reject(clause!("6.signature.1"), sent, body, Seal::Altered(-OUTSIDE, fresh));
    }

    fn headers(&mut self) {
        let rule = clause!("6.signature.3");
        let body = self.event(EventType::InvoicePaid, &self.fresh());
        self.reject(rule, "no Service-Signature header", body, Seal::Absent);
        for (sent, alter) in MALFORMED {
            let body = self.event(EventType::InvoicePaid, &self.fresh());
            self.reject(rule, sent, body, Seal::Altered(0, alter));
        }
        let body = self.event(EventType::InvoiceCreated, &self.fresh());
        self.accept(clause!("6.delivery.1"), "a valid delivery after all forgeries", body);
    }

    fn order(&mut self) {
        let invoice = self.fresh();
        let body = self.event(EventType::InvoiceCreated, &invoice);
        self.accept(clause!("6.delivery.1"), "partner.invoice.created, of another invoice", body);
        for (clause, required, state, how) in [
            (clause!("6.delivery.5"), Required::Accepted, AdvanceState::Requested, ""),
            (clause!("6.delivery.5"), Required::TakenUp, AdvanceState::Funded, ""),
            (clause!("6.delivery.5.2"), Required::Dropped, AdvanceState::Funding, ", after 3"),
            (clause!("6.delivery.5.2"), Required::Dropped, AdvanceState::Funded, " once more"),
        ] {
            let body = self.financing(&invoice, state);
            let sequence = state.sequence();
            let sent = format!("partner.invoice.factoredUpdated, sequence {sequence}{how}");
            self.add(clause, &sent, required, body, Seal::Signed(0));
        }
        self.vendors(&invoice);
        self.occurrences();
        let body = self.event(EventType::InvoicePaid, &invoice);
        let sent = "partner.invoice.paid, signed 5 s ago";
        self.add(clause!("6.delivery.3"), sent, Required::TakenUp, body, Seal::Signed(-5));
        self.again("the same delivery again, signed anew");
    }

    /// A newer event whose transaction began earlier. It brings the state that a probe already had to show.
    fn occurrences(&mut self) {
        let invoice = self.fresh();
        let body = self.financing(&invoice, AdvanceState::Funding);
        let sent = "partner.invoice.factoredUpdated, sequence 2, of another invoice";
        self.accept(clause!("6.delivery.5"), sent, body);
        let mut event: Value =
            serde_json::from_slice(&self.financing(&invoice, AdvanceState::Funded))
                .unwrap_or_default();
        event["occurredAt"] = json!(self.now.before_milliseconds(AN_HOUR));
        let sent = "sequence 3, with an occurredAt an hour before that of 2";
        let (rule, body) = (clause!("6.delivery.6.2"), event.to_string().into_bytes());
        self.add(rule, sent, Required::New, body, Seal::Signed(0));
    }

    /// A stale event for one vendor's `invoice` is new for another vendor's invoice with the same identifier.
    /// It brings the state that a probe already had to show for the first vendor.
    fn vendors(&mut self, invoice: &str) {
        let body = self.financing(invoice, AdvanceState::Repaid);
        let sent = "partner.invoice.factoredUpdated, sequence 4";
        self.accept(clause!("6.delivery.5"), sent, body);
        let body = self.financing_of_another(invoice, AdvanceState::Funded);
        let sent = "another vendor's invoice of that name, sequence 3, after 4";
        self.add(clause!("1.general.3"), sent, Required::New, body, Seal::Signed(0));
    }
}

/// Malformed headers, made from a time and the correct digest.
const MALFORMED: [(&str, Alteration); 9] = [
    ("an empty header", |_, _| String::new()),
    ("a header of one word", |_, _| "signed".into()),
    ("a header without t", |_, digest| format!("v1={digest}")),
    ("a header without v1", |now, _| format!("t={now}")),
    ("letters after the digits of t", |now, digest| format!("t={now}abc,v1={digest}")),
    ("v1 of 64 letters that are no digits", |now, _| format!("t={now},v1={}", "z".repeat(64))),
    ("v1 with = after the digest", |now, digest| format!("t={now},v1={digest}=")),
    ("v1 of half the digest", |now, digest| format!("t={now},v1={}", &digest[..digest.len() / 2])),
    ("v1 of the digest twice", |now, digest| format!("t={now},v1={digest}{digest}")),
];

/// The same JSON in other bytes, in a form that no JSON writer uses.
fn respelled(body: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(body);
    let text = text.replace("partner.", "partner\\u002e").replace("\":", "\" : ");
    format!("{text}\n").into_bytes()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;
    use tideover_model::SigningKey;
    use tideover_model::wire::event::{Event, EventData};

    use super::*;

    fn now() -> Timestamp {
        Timestamp::parse("2026-01-01T00:00:00Z").unwrap()
    }

    /// The examination requires what our own verifier does.
    #[test]
    fn our_own_verifier_passes() {
        let key = SigningKey::new("whsec_1f3a");
        let unix = u64::try_from(now().unix()).unwrap();
        for case in examination("1", now()) {
            let header = case.signature(&key, unix);
            let judged = key.verify(header.as_deref().map(str::as_bytes), &case.body, unix);
            assert_eq!(judged.is_ok(), case.required.is_genuine(), "{case:?}: {judged:?}");
        }
    }

    #[test]
    fn every_kind_of_event_is_sent() {
        let cases = examination("1", now());
        for event in EventType::ALL {
            assert!(cases.iter().any(|case| case.sent == event.name()), "{event:?}");
        }
    }

    #[test]
    fn only_duplicates_repeat_a_delivery() {
        let of = |run| -> Vec<String> {
            examination(run, now()).into_iter().map(|case| case.delivery).collect()
        };
        let (one, two) = (of("1"), of("2"));
        let all: BTreeSet<&String> = one.iter().chain(&two).collect();
        assert_eq!(all.len(), one.len() + two.len() - 2);
    }

    #[test]
    fn respelled_json_parses_the_same() {
        let body = Event::new(
            "evt_1",
            EventType::InvoiceCreated,
            now(),
            EventData::Invoice { payee_external_id: "acme", invoice_external_id: "INV-1" },
        );
        let (usual, other) = (body.body(), respelled(&body.body()));
        let parsed = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).unwrap();
        assert_ne!(*usual, *other);
        assert_eq!(parsed(&usual), parsed(&other));
    }

    #[test]
    fn bodies_are_json_that_names_the_run() {
        for case in examination("1", now()) {
            let event: Value = serde_json::from_slice(&case.body).unwrap();
            let text = event.to_string();
            assert!(text.contains("tideover-receiver-check-1-"), "{text}");
            let expected = case.delivery.replace("dlv_", "evt_");
            assert_eq!(event["id"], expected, "{case:?}");
        }
    }
}
