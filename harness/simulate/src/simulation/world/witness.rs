//! Passes what happens to the watch of the model, which judges the conduct of the clients: also what no service could see,
//! such as what a client concludes, on what it acts, and what it holds.

use std::collections::BTreeMap;

use serde_json::Value;
use tideover_model::conduct::{
    Access, Answered, Arrival, AttemptSeen, Card, Ending, Exchange, Fact, Held, Making, Moment,
    RequestId, Trait, Traits, Watch,
};
use tideover_model::wire::field::Fields;
use tideover_model::words::AdvanceState;
use tideover_model::{
    Answer, Attempt, Code, Delivery, Operation, OperationKind, PlatformId, Seeded, exchange,
};
use tideover_sim::grease::{Freedom, greased_event};

use crate::simulation::client::{Lane, Request};
use crate::simulation::world::World;
use crate::simulation::world::event::{CallEnd, Message, Sent};

/// The calls of a client are numbered in each of its lanes.
type CallName = (u32, Lane, u64);

/// Watches the clients of a world.
#[derive(Default)]
pub(super) struct Witness {
    watch: Watch,
    /// The calls that were sent, and have not ended for the client.
    calls: BTreeMap<CallName, Call>,
    /// The number of calls that have ended.
    ended: u64,
    /// How often the state of the world has changed.
    changes: u64,
    /// Whether a client has acted since somebody looked.
    acted: bool,
}

/// A call under way.
struct Call {
    sent: Moment,
    sent_after: u64,
    kind: OperationKind,
    operation: Option<Operation>,
    request: RequestId,
    /// What the service answered, and how often the world had changed then.
    answer: Option<(u16, Option<Code>, Vec<u8>, u64)>,
}

/// The identifiers of the invoice that an event is about.
fn subject(body: &[u8]) -> Option<(String, String)> {
    let event = serde_json::from_slice::<Value>(body).ok()?;
    let data = Fields::of(&event).data()?;
    Some((data.payee_external_id()?.to_owned(), data.invoice_external_id()?.to_owned()))
}

impl Witness {
    /// The world is over: nothing more comes.
    pub(super) fn card(self) -> Card {
        self.watch.card(Ending::Final)
    }
}

impl World<'_> {
    fn moment(&self) -> Moment {
        Moment { world: self.time(), wall: self.now }
    }

    /// The state of the world has changed by something but a request.
    pub(super) fn witness_change(&mut self) {
        if let Some(witness) = &mut self.witness {
            witness.changes += 1;
        }
    }

    /// A client sends a request.
    pub(super) fn witness_sent(&mut self, client: u32, lane: Lane, call: u64, request: &Request) {
        let sent = self.moment();
        let Some(witness) = &mut self.witness else { return };
        let (method, path) = (request.kind.method(), request.path.as_str());
        let asked = exchange::Asked::by(&exchange::Request {
            method,
            path,
            authorization: None,
            content_type: request.content_type,
            body: &request.body,
        });
        let parts = [&client.to_le_bytes()[..], method.as_bytes(), path.as_bytes(), &request.body];
        let call_sent = Call {
            sent,
            sent_after: witness.ended,
            kind: request.kind,
            operation: asked.operation.ok(),
            request: RequestId::of(&parts),
            answer: None,
        };
        witness.calls.insert((client, lane, call), call_sent);
    }

    /// The service answers a request.
    pub(super) fn witness_served(
        &mut self,
        message: &Message,
        answer: &Answer,
        response: &exchange::Response,
    ) {
        let Some(witness) = &mut self.witness else { return };
        let Message { client, lane, call, .. } = *message;
        if let Some(call) = witness.calls.get_mut(&(client, lane, call)) {
            let code = answer.as_ref().err().map(|refusal| refusal.code);
            let body = response.body.clone();
            call.answer = Some((response.status, code, body, witness.changes));
        }
        if answer.is_ok() && !message.request.kind.reads() {
            witness.changes += 1;
        }
    }

    /// What a client holds of the advance that a call reads.
    pub(super) fn witness_before(&self, end: &CallEnd) -> Option<AdvanceState> {
        let call = self.witness.as_ref()?.calls.get(&(end.client, end.lane, end.call))?;
        let Some(Operation::GetInvoice { payee, invoice }) = &call.operation else { return None };
        self.clients[end.client as usize].held(payee, invoice)
    }

    /// A call has ended for a client, which has taken its outcome.
    pub(super) fn witness_ended(&mut self, end: &CallEnd, before: Option<AdvanceState>) {
        let ended = self.moment();
        let taken = self.clients[end.client as usize].conclusion();
        let Some(witness) = &mut self.witness else { return };
        let Some(call) = witness.calls.remove(&(end.client, end.lane, end.call)) else { return };
        // A 502 of the network hides what the service answered.
        let got = end.response.as_ref();
        let served = call.answer.as_ref().map(|(status, code, body, _)| Answered {
            status: *status,
            code: *code,
            body,
        });
        let failed = got.filter(|(status, _)| *status >= 500).map(|(status, body)| Answered {
            status: *status,
            code: Some(Code::UpstreamFailed),
            body,
        });
        let number = witness.ended;
        witness.ended += 1;
        witness.watch.take(&Fact::Exchange(Exchange {
            number,
            sent_after: call.sent_after,
            sent: call.sent,
            ended,
            changes: Some(call.answer.as_ref().map_or(witness.changes, |(.., changes)| *changes)),
            caller: Some(PlatformId(end.client)),
            kind: Some(call.kind),
            operation: call.operation.as_ref(),
            request: Some(call.request),
            access: Access::Key,
            answer: failed.or(served),
            arrival: if got.is_some() { Arrival::Whole } else { Arrival::Lost },
            retry_after: None,
            taken,
        }));
        if let Some(Operation::GetInvoice { payee, invoice }) = &call.operation {
            let after = self.clients[end.client as usize].held(payee, invoice);
            witness.watch.take(&Fact::Read(held(before, after)));
        }
    }

    /// A client acts on an event.
    pub(super) fn witness_act(&mut self) {
        if let Some(witness) = &mut self.witness {
            witness.acted = true;
        }
    }

    /// What a client holds of the advance that a delivery is about.
    pub(super) fn witness_held(&mut self, delivery: &Delivery) -> Option<AdvanceState> {
        let witness = self.witness.as_mut()?;
        witness.acted = false;
        let (payee, invoice) = subject(&delivery.body)?;
        self.clients[delivery.platform.0 as usize].held(&payee, &invoice)
    }

    /// A receiver has answered a delivery.
    pub(super) fn witness_received(
        &mut self,
        sent: &Sent,
        before: Option<AdvanceState>,
        status: u16,
    ) {
        let plan = self.plan;
        let Some(witness) = &mut self.witness else { return };
        let Sent { wire, attempt, .. } = sent;
        let client = &self.clients[wire.platform.0 as usize];
        let after = subject(&wire.body).and_then(|(payee, invoice)| client.held(&payee, &invoice));
        let taken = if plan.greased {
            greased_event(Seeded { seed: plan.seed }, &attempt.delivery).taken
        } else {
            Vec::new()
        };
        let late = Trait::of_lateness(attempt.cause, wire.queued_at, attempt.begun_at);
        let traits = taken.into_iter().filter_map(Freedom::shown_by_delivery).chain(late);
        let is_accepted = status == 200;
        witness.watch.take(&Fact::Attempt(AttemptSeen {
            delivery: wire,
            making: Making::Genuine,
            signed_at: attempt.begun_at.unix(),
            traits: traits.fold(Traits::default(), Traits::with),
            status: Some(status),
            acted: is_accepted.then_some(witness.acted),
            held: is_accepted.then_some(held(before, after)),
        }));
    }

    /// A receiver has answered what somebody else sent it.
    pub(super) fn witness_forged(&mut self, attempt: &Attempt, status: u16) {
        let Some(witness) = &mut self.witness else { return };
        witness.watch.take(&Fact::Attempt(AttemptSeen {
            delivery: &attempt.delivery,
            making: Making::Forged,
            signed_at: attempt.begun_at.unix(),
            traits: Traits::default(),
            status: Some(status),
            acted: None,
            held: None,
        }));
    }

    /// The service gives a delivery up.
    pub(super) fn witness_given_up(&mut self, delivery: &Delivery) {
        if let Some(witness) = &mut self.witness {
            witness.watch.take(&Fact::GivenUp(delivery));
        }
    }

    /// A payor pays into the account that a client has named.
    pub(super) fn witness_payment(&mut self, right: bool) {
        if let Some(witness) = &mut self.witness {
            witness.watch.take(&Fact::Payment { right });
        }
    }
}

fn held(before: Option<AdvanceState>, after: Option<AdvanceState>) -> Held {
    let place = |state: Option<AdvanceState>| state.map_or(0, AdvanceState::sequence);
    Held { before: place(before), after: place(after) }
}
