//! What a right service may do otherwise than the model.

use serde_json::Value;
use tideover_exchange::{Arrival, PreparedCall, Response};
use tideover_model::{Answer, Face, Operation, PlatformId, Refusal, Timestamp, exchange};

/// A choice that the document leaves to the service. Without a method of its own it changes nothing.
pub trait Liberty: Send {
    /// Another form of a request, which the service reads in its place.
    fn takes(&mut self, _call: &PreparedCall) -> Option<PreparedCall> {
        None
    }

    /// A response in place of the service's own. If it is a failure (5xx), every second such request has its effect.
    fn instead(
        &mut self,
        _sent: u64,
        _call: &PreparedCall,
        _inside: &mut Inside<'_>,
    ) -> Option<Response> {
        None
    }

    /// Whether the request of this number, or its response, is lost on the way.
    fn loses(&mut self, _sent: u64) -> bool {
        false
    }

    /// A response of the operator port to the action of this name, in place of its own.
    fn outside(&mut self, _sent: u64, _action: &str) -> Option<Response> {
        None
    }

    /// A failure in place of a success with this body. The request has had its effect.
    fn in_place_of(&mut self, _call: &PreparedCall, _body: &Value) -> Option<Response> {
        None
    }

    /// Another body of a success.
    fn body(&mut self, _call: &PreparedCall, body: Value) -> Value {
        body
    }

    /// Another refusal.
    fn refusal(&mut self, _call: &PreparedCall, refusal: Response) -> Response {
        refusal
    }

    /// Another form of an event.
    fn event(&mut self, event: Value) -> Value {
        event
    }

    /// Whether a header names the type of an event, and its body does not.
    fn names_type_in_header(&self) -> bool {
        false
    }

    /// Another name of a delivery.
    fn delivery(&mut self, arrival: &Arrival) -> Option<String> {
        arrival.delivery.clone()
    }

    /// Whether an attempt that came is made once more.
    fn repeats(&mut self, _arrival: &Arrival) -> bool {
        false
    }

    /// The wall-clock time by which the service signs, at an instant of its own clock. Its events come over a network.
    fn wall(&self) -> Option<fn(u64) -> u64> {
        None
    }

    /// How many steps late events come.
    fn steps_late(&self) -> usize {
        0
    }
}

/// What a service knows when it decides: its state, the time and the caller.
pub struct Inside<'a> {
    pub(crate) face: &'a mut dyn Face,
    pub(crate) now: Timestamp,
    /// Nobody, if the key is not a valid one.
    pub(crate) caller: Option<PlatformId>,
}

impl Inside<'_> {
    /// Whether the request has a valid key.
    pub fn knows_caller(&self) -> bool {
        self.caller.is_some()
    }

    /// What the caller is answered. A write has its effect.
    pub fn handle(&mut self, operation: Operation) -> Option<Answer> {
        Some(self.face.handle(self.now, self.caller?, operation))
    }

    /// Everything that stands against an advance; nothing if it was requested already.
    pub fn objections(&mut self, payee: &str, invoice: &str) -> Vec<Refusal> {
        let Some(caller) = self.caller else { return Vec::new() };
        self.face.objections(self.now, caller, payee, invoice).unwrap_or_default()
    }

    /// The response that refuses a request.
    pub fn refuse(&self, refusal: Refusal) -> Response {
        let exchange::Response { status, body, .. } =
            exchange::respond(self.face.profile(), &Err(refusal));
        Response::new(status, &body)
    }
}
