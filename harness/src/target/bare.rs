//! The bare model: no HTTP, no threads, a clock that stands still.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use serde_json::{Value, json};
use tideover_model::wire::action::{self, NotApplied};
use tideover_model::wire::exchange::{Request, answer};
use tideover_model::{
    Attempt, Clause, Code, Delivery, Destinations, Face, Happening, Outcome, Profile, Receipt,
    Seeded, Service, Timestamp, bearer, pass,
};

use crate::inbox::{Arrival, Inbox};

use crate::target::{Prepared, PreparedAction, PreparedCall, Seen, Target, Unreachable};

/// A world in this very thread.
#[derive(Clone, Debug)]
pub struct Bare<F = Service> {
    face: F,
    start: Timestamp,
    now: Timestamp,
    refused: Option<(Code, Clause)>,
    fingerprint: Option<u64>,
    queued: Vec<Arc<Delivery>>,
    inbox: Inbox,
}

/// Where the inbox of a world without sockets is.
pub const INBOX: &str = "http://inbox.invalid";

/// A service that sends webhooks to public https URLs and to the inbox at `inbox`.
pub fn service(profile: Profile, seed: u64, inbox: &str) -> Service {
    let destinations = Destinations::PublicAnd(inbox.to_owned());
    Service::new(profile, Seeded { seed }).sending_to(destinations)
}

impl Bare {
    /// A new world.
    pub fn new(profile: Profile, seed: u64, start: Timestamp) -> Bare {
        Bare::over(service(profile, seed, INBOX), start)
    }
}

impl<F: Face> Bare<F> {
    /// The world of anything that has the model's face.
    pub fn over(face: F, start: Timestamp) -> Bare<F> {
        Bare {
            face,
            start,
            now: start,
            refused: None,
            fingerprint: None,
            queued: Vec::new(),
            inbox: Inbox::default(),
        }
    }

    /// What its clock shows.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// The service itself.
    pub fn face(&self) -> &F {
        &self.face
    }

    /// The code of the last answer, if it was a refusal, and the clause that asks for it.
    pub fn refused(&self) -> Option<(Code, Clause)> {
        self.refused
    }

    /// Plays a step.
    pub fn play(&mut self, step: &Prepared) -> Seen {
        self.refused = None;
        let seen = self.exchange(step);
        self.pass(self.now);
        self.queued.extend(std::iter::from_fn(|| self.face.poll_delivery()));
        seen
    }

    fn exchange(&mut self, step: &Prepared) -> Seen {
        let authorization = step.authorization.as_deref();
        match &step.action {
            PreparedAction::Call(call) => self.call(authorization, call),
            PreparedAction::Act(fields) => {
                let body = Value::Object(fields.clone());
                let (status, body) = self.act(authorization, body.to_string().as_bytes());
                Seen::new(status, body.to_string().as_bytes())
            }
            PreparedAction::Advance(seconds) => {
                self.pass(self.now.after(*seconds));
                Seen::new(200, json!({ "now": self.now }).to_string().as_bytes())
            }
            PreparedAction::Deliveries => {
                let deliveries: Vec<_> = self.queued.drain(..).map(|one| written(&one)).collect();
                Seen::new(200, json!({ "deliveries": deliveries }).to_string().as_bytes())
            }
        }
    }

    /// Lets time pass, and brings what is sent to the inbox.
    fn pass(&mut self, end: Timestamp) {
        let origin = self.inbox().map(str::to_owned);
        let inbox = &mut self.inbox;
        pass(&mut self.face, self.now, end, |now, attempt| match &origin {
            Some(origin) => deliver(inbox, origin, now, attempt),
            None => Receipt::Failed,
        });
        self.now = end;
    }

    /// What came to the inbox since this was last asked.
    pub fn take_arrivals(&mut self) -> Vec<Arrival> {
        self.inbox.take()
    }

    fn call(&mut self, authorization: Option<&str>, call: &PreparedCall) -> Seen {
        let path = call.path.split_once('?').map_or(call.path.as_str(), |(path, _)| path);
        let request = Request {
            method: &call.method,
            path,
            authorization,
            content_type: call.content_type.as_deref(),
            body: &call.body,
        };
        let response = answer(&mut self.face, self.now, &request);
        self.refused = response.refused;
        Seen::new(response.status, &response.body)
    }

    fn act(&mut self, authorization: Option<&str>, body: &[u8]) -> (u16, Value) {
        match self.attempt(authorization, body) {
            Ok(outcome) => (200, action::written(&outcome)),
            Err(refused) => {
                (refused.status(), json!({ "error": refused.to_string(), "code": refused.code() }))
            }
        }
    }

    fn attempt(&mut self, authorization: Option<&str>, body: &[u8]) -> Result<Outcome, NotApplied> {
        let platform = self.face.platform_of(authorization).ok_or(NotApplied::UnknownKey)?;
        let own_key = authorization.and_then(bearer).unwrap_or(Service::FIRST_KEY);
        let happening = action::read(body, own_key)?;
        self.face.handle_timeout(self.now);
        if happening == Happening::Reset {
            self.now = self.start;
            self.inbox.clear();
        }
        Ok(self.face.happen(self.now, platform, happening)?)
    }
}

impl<F: Face + Hash> Bare<F> {
    /// Whether anything that the service knows has changed since this was last asked.
    pub fn has_changed(&mut self) -> bool {
        let mut hasher = DefaultHasher::new();
        self.face.hash(&mut hasher);
        let before = self.fingerprint.replace(hasher.finish());
        before.is_some() && before != self.fingerprint
    }
}

/// Whoever else is sent to is not there.
fn deliver(inbox: &mut Inbox, origin: &str, now: Timestamp, attempt: &Attempt) -> Receipt {
    let delivery = &attempt.delivery;
    match delivery.url.strip_prefix(origin).filter(|path| path.starts_with('/')) {
        None => Receipt::Failed,
        Some(path) => Receipt::Answered(inbox.receive(Arrival {
            path: path.to_owned(),
            delivery: Some(delivery.id.clone()),
            signature: Some(attempt.sign(now).to_string()),
            body: delivery.body.to_vec(),
            status: 0,
            at: Some(now),
        })),
    }
}

fn written(delivery: &Delivery) -> Value {
    json!({
        "id": delivery.id,
        "subscription": *delivery.subscription,
        "event": delivery.event,
        "body": serde_json::from_slice::<Value>(&delivery.body).unwrap_or_default(),
    })
}

impl<F: Face> Target for Bare<F> {
    fn api_key(&self) -> &str {
        Service::FIRST_KEY
    }

    fn inbox(&self) -> Option<&str> {
        match self.face.destinations() {
            Destinations::PublicAnd(origin) => Some(origin),
            Destinations::Public | Destinations::Local => None,
        }
    }

    async fn send(&mut self, step: &Prepared) -> Result<Seen, Unreachable> {
        Ok(self.play(step))
    }

    async fn arrivals(&mut self) -> Result<Vec<Arrival>, Unreachable> {
        Ok(self.take_arrivals())
    }
}
