//! The bare model: no HTTP, no threads, a clock that stands still.

use std::hash::{BuildHasher, Hash};
use std::mem::take;
use std::sync::Arc;

use foldhash::quality::FixedState;
use serde_json::{Map, Value, json};
use tideover_model::wire::action;
use tideover_model::wire::action::NotApplied;
use tideover_model::wire::reply::Failure;
use tideover_model::{
    Attempt, Clause, Code, Delivery, Destinations, Face, Happening, Outcome, Profile, Receipt,
    Seeded, Service, Timestamp, bearer, exchange, pass,
};

use crate::target::inbox::Inbox;
use crate::target::origin::origin;
use crate::target::{NO_INBOX, Target, Unanswered};
use crate::transcript::Header;
use crate::{Arrival, Body, Inside, Memory, Prepared, PreparedAction, PreparedCall, Response};

/// A world in this very thread.
#[derive(Clone, Debug)]
pub struct ModelTarget<F = Service> {
    face: F,
    start: Timestamp,
    now: Timestamp,
    refused: Option<(Code, Clause)>,
    answered: Option<LazyResponse>,
    fingerprint: Option<u64>,
    /// What the books said when anything had changed last.
    audited: Option<Result<(), String>>,
    queued: Vec<Arc<Delivery>>,
    inbox: Inbox,
    /// What came to the inbox, and is signed once somebody looks.
    arrived: Vec<Arrived>,
    /// Where webhooks come to it.
    origin: Option<Arc<str>>,
    /// Whether what is sent to the inbox comes there; it is accepted otherwise, and nobody sees it.
    heard: bool,
}

/// An answer, before anybody reads it.
#[derive(Clone, Debug, PartialEq)]
pub struct LazyResponse {
    pub status: u16,
    body: LazyBody,
}

/// A body that nobody has read.
#[derive(Clone, Debug)]
enum LazyBody {
    /// What the service says.
    Said(tideover_model::Answer),
    /// What it has written down otherwise than it should.
    Written(Vec<u8>),
    /// What comes of an action of the operator port.
    Done(Result<Outcome, NotApplied>),
    /// What the clock shows.
    Shown(Timestamp),
    /// The deliveries that were queued.
    Queued(Vec<Arc<Delivery>>),
}

/// An attempt that came to the inbox, when it did, and what it was answered.
#[derive(Clone, Debug)]
struct Arrived {
    at: Timestamp,
    attempt: Attempt,
    status: u16,
}

/// Where the inbox of a world without sockets is.
pub const INBOX: &str = "http://inbox.invalid";

/// A service that sends webhooks to public https URLs and to the origin of the URL `inbox`.
pub fn service(profile: Profile, seed: u64, inbox: &str) -> Service {
    Service::new(profile, Seeded { seed }).sending_to(Destinations::PublicAnd(origin(inbox)))
}

impl ModelTarget {
    pub fn new(profile: Profile, seed: u64, start: Timestamp) -> ModelTarget {
        ModelTarget::over(service(profile, seed, INBOX), start)
    }

    /// The world of `header`, whose webhooks come to `inbox`, or to nobody.
    pub fn in_world_of(header: &Header, inbox: Option<&str>) -> ModelTarget {
        let Header { profile, seed, start, .. } = header;
        let service = match inbox {
            None => Service::new(profile.clone(), Seeded { seed: *seed }),
            Some(origin) => service(profile.clone(), *seed, origin),
        };
        ModelTarget::over(service, *start)
    }
}

impl<F: Face> ModelTarget<F> {
    /// The world of anything that has the model's face.
    pub fn over(face: F, start: Timestamp) -> ModelTarget<F> {
        let origin = match face.destinations() {
            Destinations::PublicAnd(origin) => Some(Arc::from(origin.as_str())),
            Destinations::Public | Destinations::Local | Destinations::Anywhere => None,
        };
        ModelTarget {
            face,
            start,
            now: start,
            refused: None,
            answered: None,
            fingerprint: None,
            audited: None,
            queued: Vec::new(),
            inbox: Inbox::default(),
            heard: true,
            arrived: Vec::new(),
            origin,
        }
    }

    pub fn now(&self) -> Timestamp {
        self.now
    }

    pub fn face(&self) -> &F {
        &self.face
    }

    /// The same world, whose webhooks are accepted and never seen.
    #[must_use]
    pub fn unheard(self) -> ModelTarget<F> {
        ModelTarget { heard: false, ..self }
    }

    pub fn face_mut(&mut self) -> &mut F {
        &mut self.face
    }

    /// Lets time pass until `now`, if it is not there yet.
    pub fn until(&mut self, now: Timestamp) {
        if now > self.now {
            self.pass(now);
        }
    }

    /// Forgets what was queued and what came to the inbox.
    pub fn forget_deliveries(&mut self) {
        while self.face.poll_delivery().is_some() {}
        self.queued.clear();
        self.forget_arrivals();
        self.inbox.clear();
    }

    /// Forgets what came to the inbox since this was last asked.
    pub(crate) fn forget_arrivals(&mut self) {
        self.arrived.clear();
    }

    /// The code of the last answer, if it was a refusal, and the clause that asks for it.
    pub fn refused(&self) -> Option<(Code, Clause)> {
        self.refused
    }

    pub fn play(&mut self, step: &Prepared) -> Response {
        self.answer(step).read()
    }

    /// Plays a step as if it had come at this time, now or earlier.
    pub fn play_at(&mut self, at: Timestamp, step: &Prepared) -> Response {
        let now = self.now;
        self.now = at.min(now);
        let answer = self.play(step);
        self.until(now);
        answer
    }

    /// Plays a step, and leaves the answer unread.
    pub fn answer(&mut self, step: &Prepared) -> LazyResponse {
        self.refused = None;
        let answer = self.exchange(step);
        self.pass(self.now);
        self.queued.extend(std::iter::from_fn(|| self.face.poll_delivery()));
        answer
    }

    /// The answer to the step that was sent last.
    pub fn answered(&self) -> Option<&LazyResponse> {
        self.answered.as_ref()
    }

    fn exchange(&mut self, step: &Prepared) -> LazyResponse {
        let authorization = step.authorization.as_deref();
        match &step.action {
            PreparedAction::Call(call) => self.call(authorization, call),
            PreparedAction::Act(fields) => {
                let done = self.act(authorization, fields);
                let status = done.as_ref().err().map_or(200, NotApplied::status);
                LazyResponse { status, body: LazyBody::Done(done) }
            }
            PreparedAction::Advance(seconds) => {
                self.pass(self.now.after(*seconds));
                LazyResponse { status: 200, body: LazyBody::Shown(self.now) }
            }
            PreparedAction::Deliveries => {
                LazyResponse { status: 200, body: LazyBody::Queued(take(&mut self.queued)) }
            }
        }
    }

    /// Lets time pass, and delivers webhooks to the inbox. Other receivers do not exist.
    fn pass(&mut self, end: Timestamp) {
        let ModelTarget { face, now, inbox, arrived, origin, heard, .. } = self;
        pass(face, *now, end, |at, attempt| {
            let Some(path) = origin.as_deref().and_then(|origin| path_below(origin, attempt))
            else {
                return Receipt::Failed;
            };
            if !*heard {
                return Receipt::Answered(200);
            }
            let status = inbox.answer(path, Some(&attempt.delivery.id));
            arrived.push(Arrived { at, attempt: attempt.clone(), status });
            Receipt::Answered(status)
        });
        *now = end;
    }

    /// What came to the inbox since this was last asked.
    pub fn take_arrivals(&mut self) -> Vec<Arrival> {
        let ModelTarget { arrived, origin, .. } = self;
        let origin = origin.as_deref().unwrap_or_default();
        let signed = |arrived: Arrived| {
            let signature = Some(arrived.attempt.sign(arrived.at).to_string());
            Arrival { signature, ..arrived.read(origin) }
        };
        arrived.drain(..).map(signed).collect()
    }

    /// The same, without its signatures: nobody checks them.
    pub fn take_unsigned_arrivals(&mut self) -> Vec<Arrival> {
        let ModelTarget { arrived, origin, .. } = self;
        let origin = origin.as_deref().unwrap_or_default();
        arrived.drain(..).map(|arrived| arrived.read(origin)).collect()
    }

    fn call(&mut self, authorization: Option<&str>, call: &PreparedCall) -> LazyResponse {
        let reread = exchange::reread(&self.face, &call.as_request(authorization));
        let asked = reread.unwrap_or_else(|| call.asked().clone());
        let kind = asked.kind;
        let said = exchange::attempt(&mut self.face, self.now, authorization, asked);
        self.refused = said.as_ref().err().map(|refusal| (refusal.code, refusal.clause));
        if let Some(response) = self.face.write(kind, &said) {
            return LazyResponse::written(response.status, response.body);
        }
        LazyResponse {
            status: exchange::status(self.face.profile(), &said),
            body: LazyBody::Said(said),
        }
    }

    fn act(
        &mut self,
        authorization: Option<&str>,
        fields: &Map<String, Value>,
    ) -> Result<Outcome, NotApplied> {
        let platform = self.face.platform_of(authorization).ok_or(NotApplied::UnknownKey)?;
        let own_key = authorization.and_then(bearer).unwrap_or(Service::FIRST_KEY);
        let happening = action::asked(fields, own_key)?;
        self.face.handle_timeout(self.now);
        if matches!(happening, Happening::Reset { .. }) {
            self.now = self.start;
            self.forget_arrivals();
            self.inbox.clear();
        }
        Ok(self.face.happen(self.now, platform, happening)?)
    }
}

impl<F: Face + Hash> ModelTarget<F> {
    /// Whether anything that the service knows has changed since this was last asked.
    pub fn has_changed(&mut self) -> bool {
        let fingerprint = FixedState::default().hash_one(&self.face);
        let before = self.fingerprint.replace(fingerprint);
        before.is_some_and(|before| before != fingerprint)
    }

    /// What is seen from inside: what has changed since this was last asked, and what the books say.
    pub fn inside(&mut self) -> Inside {
        let changed = self.has_changed();
        let ModelTarget { face, audited, .. } = self;
        if changed {
            *audited = None;
        }
        let audit = || face.audit().map_err(|why| why.to_string());
        Inside { changed, audit: audited.get_or_insert_with(audit).clone() }
    }
}

impl LazyResponse {
    /// An answer of `status` whose body is written down.
    pub fn written(status: u16, body: Vec<u8>) -> LazyResponse {
        LazyResponse { status, body: LazyBody::Written(body) }
    }

    pub fn is_success(&self) -> bool {
        (200..=299).contains(&self.status)
    }

    /// The same, read.
    pub fn read(&self) -> Response {
        if let LazyBody::Written(bytes) = &self.body {
            return Response::new(self.status, bytes);
        }
        let body = self.body.json().map_or(Body::Empty, |json| Body::Json(Arc::new(json)));
        Response { status: self.status, body }
    }
}

/// Whether they are the same once they are written down.
impl PartialEq for LazyBody {
    fn eq(&self, other: &LazyBody) -> bool {
        match (self, other) {
            (LazyBody::Said(one), LazyBody::Said(other)) => one == other,
            (LazyBody::Done(one), LazyBody::Done(other)) => one == other,
            (LazyBody::Shown(one), LazyBody::Shown(other)) => one == other,
            (LazyBody::Queued(one), LazyBody::Queued(other)) => one == other,
            (LazyBody::Written(one), LazyBody::Written(other)) => one == other,
            (LazyBody::Written(bytes), other) | (other, LazyBody::Written(bytes)) => {
                other.bytes() == *bytes
            }
            _ => false,
        }
    }
}

impl LazyBody {
    /// What it says, if that is JSON.
    fn json(&self) -> Option<Value> {
        Some(match self {
            LazyBody::Said(said) => serde_json::to_value(exchange::body(said)?).unwrap_or_default(),
            LazyBody::Written(bytes) => return serde_json::from_slice(bytes).ok(),
            LazyBody::Done(Ok(outcome)) => action::written(outcome),
            LazyBody::Done(Err(why)) => {
                let refusal = Failure { error: why.to_string().into(), code: why.code() };
                serde_json::to_value(refusal).unwrap_or_default()
            }
            LazyBody::Shown(now) => json!({ "now": now }),
            LazyBody::Queued(deliveries) => {
                let mut body = json!({});
                body["deliveries"] = deliveries.iter().map(|one| written(one)).collect();
                body
            }
        })
    }

    /// As it is written down.
    fn bytes(&self) -> Vec<u8> {
        match self {
            LazyBody::Said(said) => exchange::written(said),
            LazyBody::Written(bytes) => bytes.clone(),
            LazyBody::Done(_) | LazyBody::Shown(_) | LazyBody::Queued(_) => {
                self.json().and_then(|body| serde_json::to_vec(&body).ok()).unwrap_or_default()
            }
        }
    }
}

impl Arrived {
    /// The request, without its signature.
    fn read(self, origin: &str) -> Arrival {
        let Arrived { at, attempt, status } = self;
        Arrival {
            path: path_below(origin, &attempt).unwrap_or_default().to_owned(),
            delivery: Some(attempt.delivery.id.clone()),
            signature: None,
            headers: Vec::new(),
            body: attempt.delivery.body.to_vec().into(),
            status,
            at: Some(at),
            arrived: None,
        }
    }
}

/// Where below `origin` an attempt goes; `None` if that is elsewhere.
fn path_below<'a>(origin: &str, attempt: &'a Attempt) -> Option<&'a str> {
    attempt.delivery.url.strip_prefix(origin).filter(|path| path.starts_with('/'))
}

fn written(delivery: &Delivery) -> Value {
    let mut body = json!({
        "id": delivery.id,
        "subscription": *delivery.subscription,
        "event": delivery.event,
    });
    body["body"] = serde_json::from_slice(&delivery.body).unwrap_or_default();
    body
}

impl<F: Face> Target for ModelTarget<F> {
    fn api_key(&self) -> &str {
        Service::FIRST_KEY
    }

    fn inbox(&self) -> Option<&str> {
        self.origin.as_deref()
    }

    fn memory(&self) -> Memory {
        Memory::with_inbox(self.inbox().unwrap_or(NO_INBOX)).starting(self.start)
    }

    async fn send(&mut self, step: &Prepared) -> Result<Response, Unanswered> {
        let answer = self.answer(step);
        let seen = answer.read();
        self.answered = Some(answer);
        Ok(seen)
    }

    async fn arrivals(&mut self) -> Result<Vec<Arrival>, Unanswered> {
        Ok(self.take_arrivals())
    }
}
