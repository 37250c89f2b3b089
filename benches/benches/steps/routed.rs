//! The mock's router as a target of the suite, in the client's own thread without a socket.
//!
//! It sends no webhooks, so it has no inbox, and its cases are made for a world without one.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::HeaderValue;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use serde_json::json;
use tideover_exchange::target::{LazyResponse, Target, Unanswered, Unreachable};
use tideover_exchange::transcript::Header;
use tideover_exchange::{Arrival, Prepared, PreparedAction, Response};
use tideover_model::{Happening, PlatformId, Service, Timestamp};
use tideover_sim::{Clock, ClockChoice};
use tideover_suite::generate;
use tideover_suite::play::case::Observed;
use tideover_suite::play::cases::Testbed;
use tideover_suite::prediction::Case;
use tower::Service as _;

/// A world that is reset before each case.
pub(crate) struct Routers {
    world: tideover_sim::World,
    router: Router,
}

/// The router of one world.
pub(crate) struct Routed {
    router: Router,
    deliveries_seen: u64,
    answered: Option<LazyResponse>,
}

impl Routers {
    /// A world that starts with the current state of `service`.
    pub(crate) fn new(service: Service, start: Timestamp) -> Routers {
        let clock = Clock::new(start, ClockChoice::Still);
        let world = tideover_sim::World::new(Box::new(service), clock);
        Routers { router: world.router(), world }
    }
}

impl Testbed for Routers {
    type Target = Routed;

    async fn fresh(&mut self) -> Result<Routed, Unreachable> {
        self.world
            .happen(PlatformId::DEFAULT, Happening::Reset { repeats: true })
            .expect("it is never refused");
        Ok(Routed { router: self.router.clone(), deliveries_seen: 0, answered: None })
    }

    fn walked(&self, header: &Header, number: u64, steps: u64) -> Case {
        generate::walked(header, number, steps, None)
    }
}

impl Routed {
    /// The request of `step`, in the form that hyper passes on.
    fn request(&self, step: &Prepared) -> Request {
        let operator = |path: &str, body: Vec<u8>| {
            let media_type = HeaderValue::from_static("application/json");
            (Request::post(path).header(CONTENT_TYPE, media_type), Body::from(body))
        };
        let (mut request, body) = match &step.action {
            PreparedAction::Call(call) => {
                let request = Request::builder().method(&*call.method).uri(&call.path);
                let typed = call.content_type.iter();
                let request = typed
                    .fold(request, |request, media_type| request.header(CONTENT_TYPE, media_type));
                (request, Body::from(call.body().to_vec()))
            }
            PreparedAction::Act(fields) => {
                operator("/_sim/actions", serde_json::to_vec(fields).expect("it is JSON"))
            }
            PreparedAction::Advance(seconds) => {
                operator("/_sim/clock", json!({ "advanceSeconds": seconds }).to_string().into())
            }
            PreparedAction::Deliveries => {
                let path = format!("/_sim/deliveries?after={}", self.deliveries_seen);
                (Request::get(path), Body::empty())
            }
        };
        if let Some(authorization) = &step.authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        request.body(body).expect("a step can be sent")
    }
}

impl Target for Routed {
    fn api_key(&self) -> &str {
        Service::FIRST_KEY
    }

    async fn send(&mut self, step: &Prepared) -> Result<Response, Unanswered> {
        let request = self.request(step);
        let response = self.router.call(request).await.expect("the router never fails");
        let status = response.status().as_u16();
        let body = to_bytes(response.into_body(), usize::MAX).await.expect("a body");
        let seen = Response::new(status, &body);
        if step.action == PreparedAction::Deliveries {
            let next = seen.json().and_then(|body| body["next"].as_u64());
            self.deliveries_seen = next.unwrap_or(self.deliveries_seen);
        }
        self.answered = Some(LazyResponse::written(status, body.into()));
        Ok(seen)
    }

    fn inbox(&self) -> Option<&str> {
        None
    }

    async fn arrivals(&mut self) -> Result<Vec<Arrival>, Unanswered> {
        Ok(Vec::new())
    }
}

impl Observed for Routed {
    const TIMED: bool = false;

    fn answered(&self) -> Option<&LazyResponse> {
        self.answered.as_ref()
    }
}
