//! A test driver: it sends requests, performs happenings, moves the clock and reads deliveries.

use serde_json::{Value, json};
use tideover_model::exchange::{Request, Response};
use tideover_model::wire::action;
use tideover_model::{
    Cents, Delays, Face, Profile, Range, RateRanges, Reading, Seeded, Service, Timestamp, exchange,
};

/// The initial time of every test.
pub(crate) const START: &str = "2026-01-01T00:00:00Z";

/// A service, its clock, and the current key.
#[derive(Clone)]
pub(crate) struct Desk {
    pub(crate) service: Service,
    pub(crate) now: Timestamp,
    pub(crate) key: String,
}

/// A response: its status and its body, null if it has none.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Seen {
    pub(crate) status: u16,
    pub(crate) body: Value,
}

impl Seen {
    pub(crate) fn of(response: &Response) -> Seen {
        let body = match response.body.as_slice() {
            [] => Value::Null,
            bytes => serde_json::from_slice(bytes).expect("an answer is JSON"),
        };
        Seen { status: response.status, body }
    }

    /// The code of a refusal.
    pub(crate) fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or_default()
    }
}

/// A profile with round rates and delays: 90 % advance, 2 % for 30 days; 120 s, 30 s, 1 h.
pub(crate) fn round_numbers() -> Profile {
    Profile {
        rates: RateRanges { advance: Range::exactly(9000), fee: Range::exactly(200) },
        delays: Delays {
            collection_account: Range::exactly(120),
            funding_starts: Range::exactly(30),
            funding_completes: Range::exactly(3600),
        },
        ..Profile::default()
    }
}

/// The same with low limits.
pub(crate) fn narrow() -> Profile {
    Profile {
        per_invoice_maximum: Cents(250_000),
        concentration_limit: Range::exactly(Cents(450_000)),
        body_limit: 200_000,
        ..round_numbers()
    }
}

impl Desk {
    pub(crate) fn open() -> Desk {
        Desk::with(round_numbers())
    }

    pub(crate) fn with(profile: Profile) -> Desk {
        Desk {
            service: Service::new(profile, Seeded { seed: 7 }),
            now: instant(START),
            key: Service::FIRST_KEY.to_owned(),
        }
    }

    /// Sends raw bytes, and returns the response.
    pub(crate) fn exchange(
        &mut self,
        method: &str,
        path: &str,
        content_type: Option<&str>,
        body: &[u8],
    ) -> Response {
        let authorization = format!("Bearer {}", self.key);
        let authorization = Some(authorization.as_str());
        let request = Request { method, path, authorization, content_type, body };
        exchange::answer(&mut self.service, self.now, &request)
    }

    pub(crate) fn send(&mut self, method: &str, path: &str, body: &Value) -> Seen {
        let bytes = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        Seen::of(&self.exchange(method, path, Some("application/json"), &bytes))
    }

    pub(crate) fn get(&mut self, path: &str) -> Seen {
        self.send("GET", path, &Value::Null)
    }

    pub(crate) fn put(&mut self, path: &str, body: &Value) -> Seen {
        self.send("PUT", path, body)
    }

    pub(crate) fn post(&mut self, path: &str, body: &Value) -> Seen {
        self.send("POST", path, body)
    }

    pub(crate) fn import(&mut self, import: &str, csv: &[u8]) -> Seen {
        let path = format!("/v1/invoices/imports/{import}");
        Seen::of(&self.exchange("PUT", &path, Some("text/csv"), csv))
    }

    /// Performs a happening; returns its outcome, or why it is impossible.
    pub(crate) fn try_act(&mut self, action: &Value) -> Result<Value, String> {
        let happening = action::read(action.to_string().as_bytes(), &self.key)
            .map_err(|error| error.to_string())?;
        self.service.handle_timeout(self.now);
        let authorization = format!("Bearer {}", self.key);
        let platform = self.service.platform_of(Some(&authorization)).expect("an issued key");
        let outcome = self.service.happen(self.now, platform, happening);
        outcome.map(|outcome| action::written(&outcome)).map_err(|why| why.to_string())
    }

    pub(crate) fn act(&mut self, action: &Value) -> Value {
        self.try_act(action).expect("the outside world can do that")
    }

    /// Lets time pass, so that everything due happens.
    pub(crate) fn wait(&mut self, seconds: u64) {
        self.now = self.now.after(seconds);
        self.service.handle_timeout(self.now);
    }

    /// Continues as another platform, which it creates if the name is new.
    pub(crate) fn become_platform(&mut self, name: &str) {
        let issued = self.act(&json!({ "action": "issueKey", "platform": name }));
        self.key = issued["key"].as_str().expect("a key").to_owned();
    }

    /// The bodies of all deliveries queued until now.
    pub(crate) fn events(&mut self) -> Vec<Value> {
        std::iter::from_fn(|| self.service.poll_delivery())
            .map(|delivery| serde_json::from_slice(&delivery.body).expect("an event is JSON"))
            .collect()
    }

    /// The kinds of all deliveries queued until now, with the state of a financing.
    pub(crate) fn event_names(&mut self) -> Vec<String> {
        let name = |event: Value| match event["data"]["state"].as_str() {
            Some(state) => format!("{} {state}", plain(&event["type"])),
            None => plain(&event["type"]).to_owned(),
        };
        self.events().into_iter().map(name).collect()
    }

    pub(crate) fn subscribe(&mut self) {
        let seen = self.post("/v1/webhooks", &json!({ "url": "https://hooks.example.com/in" }));
        assert_eq!(seen.status, 201);
    }

    /// Syncs a business with a tax id and an address, and brings it through onboarding.
    pub(crate) fn onboard(&mut self, business: &str, tax_id: &str) {
        self.sync_business(business, tax_id);
        self.claim(business);
        self.act(&json!({ "action": "vendorSignsAgreement", "payeeExternalId": business }));
        self.set_payout_account(business);
        self.wait(120);
        let seen = self.get(&format!("/v1/organizations/{business}"));
        assert!(seen.body["remittance"].is_object(), "{seen:?}");
    }

    pub(crate) fn sync_business(&mut self, business: &str, tax_id: &str) -> Seen {
        let body = json!({
            "legalName": format!("{business} Ltd"),
            "taxId": tax_id,
            "contact": { "address": address() },
        });
        self.put(&format!("/v1/organizations/{business}"), &body)
    }

    /// The vendor accepts an invitation.
    pub(crate) fn claim(&mut self, business: &str) {
        let email = format!("ada@{business}.example");
        let invitation = json!({ "externalId": business, "email": email });
        assert_eq!(self.post("/v1/invitations", &invitation).status, 201);
        self.act(&json!({
            "action": "vendorAcceptsInvitation", "payeeExternalId": business, "email": email,
        }));
    }

    pub(crate) fn set_payout_account(&mut self, business: &str) -> Seen {
        let body = json!({ "accountNumber": "000123456789", "routingNumber": "021000021" });
        self.put(&format!("/v1/organizations/{business}/payout-account"), &body)
    }

    pub(crate) fn sync_invoice(&mut self, payee: &str, invoice: &str, face_value: i64) -> Seen {
        self.put(&format!("/v1/invoices/{invoice}"), &invoice_body(payee, "globex", face_value))
    }

    pub(crate) fn request_advance(&mut self, payee: &str, invoice: &str) -> Seen {
        let body = json!({ "payeeExternalId": payee, "invoiceExternalId": invoice });
        self.post("/v1/advances", &body)
    }

    pub(crate) fn invoice(&mut self, payee: &str, invoice: &str) -> Value {
        let seen = self.get(&format!("/v1/organizations/{payee}/invoices/{invoice}"));
        assert_eq!(seen.status, 200, "{seen:?}");
        seen.body
    }

    pub(crate) fn pay(&mut self, payee: &str, invoice: &str, amount: i64) -> Value {
        self.act(&json!({
            "action": "payorPays", "payeeExternalId": payee, "invoiceExternalId": invoice,
            "amount": amount,
        }))
    }

    /// Lets REQUESTED become FUNDED.
    pub(crate) fn fund(&mut self) {
        self.wait(30);
        self.wait(3600);
    }

    pub(crate) fn audit(&self) {
        assert_eq!(self.service.audit(), Ok(()));
    }
}

/// What `play` shows of a service with a profile that reads a point as the standard one does, and of one that reads it
/// otherwise.
pub(crate) fn read_both_ways(
    profile: &Profile,
    reading: Reading,
    play: impl Fn(&mut Desk) -> Value,
) -> [Value; 2] {
    [true, false].map(|value| {
        let readings = profile.readings.with(reading, value);
        let mut desk = Desk::with(Profile { readings, ..profile.clone() });
        let seen = play(&mut desk);
        desk.audit();
        seen
    })
}

pub(crate) fn instant(text: &str) -> Timestamp {
    Timestamp::parse(text).expect("a date-time")
}

pub(crate) fn address() -> Value {
    json!({ "line1": "1 Harbor Road", "city": "Portland", "state": "OR", "postalCode": "97201" })
}

/// An ISSUED invoice, due 60 days after the start.
pub(crate) fn invoice_body(payee: &str, payor: &str, face_value: i64) -> Value {
    json!({
        "payee": { "externalId": payee, "legalName": format!("{payee} Ltd") },
        "payor": { "externalId": payor, "legalName": format!("{payor} Inc") },
        "status": "ISSUED",
        "faceValue": face_value,
        "issueDate": START,
        "dueDate": "2026-03-02T12:00:00Z",
    })
}

/// A string as it is.
pub(crate) fn plain(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
