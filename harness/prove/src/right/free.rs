//! A right service that takes liberties.

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;
use tideover_exchange::target::{INBOX, Target, Unanswered};
use tideover_exchange::{Arrival, Memory, Prepared, PreparedAction, PreparedCall, Response};
use tideover_model::words::EventType;
use tideover_model::{Face, Service, SigningKey, Timestamp};
use tideover_suite::play::case::{Observed, TargetWorld};

use crate::right::liberty::Liberty;
use crate::stranger::Stranger;

/// How many steps a lost request stays on the way at most.
const LONGEST_DELAY: u64 = 12;

/// The body of a refusal has the documented form, whatever its code is.
pub fn refused(status: u16, code: &str) -> Response {
    let body = serde_json::json!({ "error": "An error of the service's own words.", "code": code });
    Response::new(status, body.to_string().as_bytes())
}

/// A right service with liberties. The first ones come first.
pub struct Free<F = Service> {
    target: Stranger<F>,
    liberties: Vec<Box<dyn Liberty>>,
    sent: u64,
    /// The secrets of the subscriptions of each path, by which its events are signed again.
    secrets: BTreeMap<String, Vec<String>>,
    late: VecDeque<Vec<Arrival>>,
    /// Lost requests that take effect later, each with the number of the step before which it does.
    delayed: Vec<(u64, Prepared)>,
}

/// When a failed or lost request takes effect.
enum Effect {
    AtOnce,
    Never,
    /// Before the step of this number.
    Before(u64),
}

impl Effect {
    /// That of the request of this number. What fails visibly is over when its response comes.
    fn of(sent: u64, is_lost: bool) -> Effect {
        match (sent % 2, sent / 2 % 2) {
            (0, 0) if is_lost => Effect::Before(sent + 1 + sent / 4 % LONGEST_DELAY),
            (0, _) => Effect::AtOnce,
            _ => Effect::Never,
        }
    }
}

impl<F: Face> Free<F> {
    /// The service of `target`, with `liberties`.
    pub fn new(target: Stranger<F>, liberties: Vec<Box<dyn Liberty>>) -> Free<F> {
        let (secrets, late) = (BTreeMap::new(), VecDeque::new());
        Free { target, liberties, sent: 0, secrets, late, delayed: Vec::new() }
    }

    async fn answer(
        &mut self,
        step: &Prepared,
        call: &PreparedCall,
    ) -> Result<Response, Unanswered> {
        let sent = self.sent;
        let mut call = call.clone();
        for liberty in &mut self.liberties {
            call = liberty.takes(&call).unwrap_or(call);
        }
        let mut inside = self.target.inside(step.authorization.as_deref());
        let instead = self.liberties.iter_mut().find_map(|it| it.instead(sent, &call, &mut inside));
        let is_lost = self.liberties.iter_mut().any(|it| it.loses(sent));
        // What fails, or is lost, may have taken effect.
        let has_failed = is_lost || instead.as_ref().is_some_and(|seen| seen.status >= 500);
        let effect = match (has_failed, &instead) {
            (true, _) => Effect::of(sent, is_lost),
            (false, None) => Effect::AtOnce,
            (false, Some(_)) => Effect::Never,
        };
        let handled = Prepared { action: PreparedAction::Call(call.clone()), ..step.clone() };
        let own = match effect {
            Effect::AtOnce => Some(self.target.send(&handled).await?),
            Effect::Never => None,
            Effect::Before(step) => {
                self.delayed.push((step, handled));
                None
            }
        };
        let own = own.map(|own| self.rewritten(&call, own));
        let seen = instead.or(own).filter(|_| !is_lost);
        seen.ok_or_else(|| Unanswered::may_be("lost on the way"))
    }

    /// Carries out the lost requests that are due now.
    async fn carry_out_delayed(&mut self) -> Result<(), Unanswered> {
        let now = self.sent;
        let due: Vec<_> = self.delayed.extract_if(.., |(step, _)| *step <= now).collect();
        for (_, step) in due {
            let own = self.target.send(&step).await?;
            if let PreparedAction::Call(call) = &step.action {
                self.rewritten(call, own);
            }
        }
        Ok(())
    }

    fn rewritten(&mut self, call: &PreparedCall, seen: Response) -> Response {
        let Some(body) = seen.json().cloned() else { return seen };
        let liberties = self.liberties.iter_mut();
        if !seen.is_success() {
            return liberties.fold(seen, |seen, it| it.refusal(call, seen));
        }
        if let (Some(url), Some(secret)) = (body["url"].as_str(), body["secret"].as_str()) {
            let path = url.trim_start_matches(INBOX).to_owned();
            self.secrets.entry(path).or_default().push(secret.to_owned());
        }
        let failed = self.liberties.iter_mut().find_map(|it| it.in_place_of(call, &body));
        if let Some(failed) = failed {
            return failed;
        }
        let liberties = self.liberties.iter_mut();
        let free = liberties.fold(body.clone(), |body, it| it.body(call, body));
        if free == body { seen } else { Response::new(seen.status, free.to_string().as_bytes()) }
    }

    /// The same arrival with its event rewritten, signed again with the original secret.
    fn resigned(&mut self, arrival: Arrival) -> Arrival {
        let Some((secret, at)) = self.signed_with(&arrival) else { return arrival };
        let event = serde_json::from_slice(&arrival.body).unwrap_or_default();
        let mut event = self.liberties.iter_mut().fold(event, |event, it| it.event(event));
        let in_header = self.liberties.iter().any(|it| it.names_type_in_header());
        let moved = in_header.then(|| without_type(&mut event)).flatten();
        let moved = moved.map(|name| ("service-event".to_owned(), name));
        let headers = arrival.headers.iter().cloned().chain(moved).collect();
        let body = event.to_string().into_bytes();
        let delivery = self.liberties.iter_mut().fold(arrival.delivery.clone(), |name, it| {
            it.delivery(&Arrival { delivery: name, ..arrival.clone() })
        });
        let wall = self.liberties.iter().find_map(|it| it.wall());
        let signed_at = wall.map_or(at, |wall| wall(at));
        let signature = Some(SigningKey::new(&secret).sign(signed_at, &body).to_string());
        let by_network = wall.is_some() || self.steps_late() > 0;
        let arrived = i64::try_from(signed_at).ok().and_then(Timestamp::from_unix);
        Arrival {
            body: body.into(),
            signature,
            delivery,
            headers,
            at: arrival.at.filter(|_| !by_network),
            arrived: arrived.filter(|_| by_network),
            ..arrival
        }
    }

    /// The secret that an arrival is signed with, and when it was.
    fn signed_with(&self, arrival: &Arrival) -> Option<(String, u64)> {
        let header = arrival.signature.as_deref()?;
        let at = arrival.signed_at()?;
        let signs = |secret: &&String| {
            let key = SigningKey::new(secret.as_str());
            key.verify(Some(header.as_bytes()), &arrival.body, at).is_ok()
        };
        Some((self.secrets.get(&arrival.path)?.iter().find(signs)?.clone(), at))
    }

    fn steps_late(&self) -> usize {
        self.liberties.iter().map(|it| it.steps_late()).max().unwrap_or_default()
    }
}

/// Takes the listed type out of an event.
fn without_type(event: &mut Value) -> Option<String> {
    let fields = event.as_object_mut()?;
    let is_type = |value: &Value| value.as_str().and_then(EventType::parse).is_some();
    let name = fields.iter().find(|(_, value)| is_type(value)).map(|(name, _)| name.clone())?;
    fields.remove(&name)?.as_str().map(str::to_owned)
}

impl<F: Face> Target for Free<F> {
    fn api_key(&self) -> &str {
        self.target.api_key()
    }

    async fn send(&mut self, step: &Prepared) -> Result<Response, Unanswered> {
        self.sent += 1;
        self.carry_out_delayed().await?;
        match &step.action {
            PreparedAction::Call(call) => self.answer(step, call).await,
            PreparedAction::Act(fields) => {
                let (sent, name) = (self.sent, fields["action"].as_str().unwrap_or_default());
                let free = self.liberties.iter_mut().find_map(|it| it.outside(sent, name));
                match free {
                    Some(seen) => Ok(seen),
                    None => self.target.send(step).await,
                }
            }
            PreparedAction::Advance(_) | PreparedAction::Deliveries => self.target.send(step).await,
        }
    }

    fn inbox(&self) -> Option<&str> {
        self.target.inbox()
    }

    fn memory(&self) -> Memory {
        self.target.memory()
    }

    async fn arrivals(&mut self) -> Result<Vec<Arrival>, Unanswered> {
        let arrived = self.target.arrivals().await?;
        let attempts = arrived.into_iter().flat_map(|arrival| {
            let arrival = self.resigned(arrival);
            let is_repeated = self.liberties.iter_mut().any(|it| it.repeats(&arrival));
            let again = is_repeated.then(|| arrival.clone());
            std::iter::once(arrival).chain(again)
        });
        let attempts = attempts.collect();
        self.late.push_back(attempts);
        let is_due = self.late.len() > self.steps_late();
        Ok(if is_due { self.late.pop_front().unwrap_or_default() } else { Vec::new() })
    }
}

impl<F: Face> Observed for Free<F> {
    const TIMED: bool = <Stranger<F> as Observed>::TIMED;

    /// Nobody waits in process: what fails may be asked again at once.
    async fn wait_to_ask_again(&mut self, nth: usize) -> bool {
        nth < 3
    }

    fn inbox_works(&self) -> bool {
        self.target.inbox_works()
    }

    fn second_key(&self) -> Option<&str> {
        self.target.second_key()
    }

    fn world(&mut self) -> TargetWorld {
        self.target.world()
    }
}
