//! The bare model: no HTTP, no threads, a clock that stands still.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use serde_json::{Value, json};
use tideover_model::wire::action::{self, NotApplied};
use tideover_model::wire::exchange::{Request, answer};
use tideover_model::{
    Clause, Code, Delivery, Face, Happening, Outcome, Profile, Seeded, Service, Timestamp, bearer,
};

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
}

impl Bare {
    /// A new world.
    pub fn new(profile: Profile, seed: u64, start: Timestamp) -> Bare {
        Bare::over(Service::new(profile, Seeded { seed }), start)
    }
}

impl<F: Face> Bare<F> {
    /// The world of anything that has the model's face.
    pub fn over(face: F, start: Timestamp) -> Bare<F> {
        Bare { face, start, now: start, refused: None, fingerprint: None, queued: Vec::new() }
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
                self.now = self.now.after(*seconds);
                self.face.handle_timeout(self.now);
                Seen::new(200, json!({ "now": self.now }).to_string().as_bytes())
            }
            PreparedAction::Deliveries => {
                let deliveries: Vec<_> = self.queued.drain(..).map(|one| written(&one)).collect();
                Seen::new(200, json!({ "deliveries": deliveries }).to_string().as_bytes())
            }
        }
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

fn written(delivery: &Delivery) -> Value {
    json!({
        "id": delivery.id,
        "subscription": delivery.subscription,
        "event": delivery.event,
        "body": serde_json::from_slice::<Value>(&delivery.body).unwrap_or_default(),
    })
}

impl<F: Face> Target for Bare<F> {
    fn api_key(&self) -> &str {
        Service::FIRST_KEY
    }

    async fn send(&mut self, step: &Prepared) -> Result<Seen, Unreachable> {
        Ok(self.play(step))
    }
}
