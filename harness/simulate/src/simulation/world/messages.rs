//! Requests and answers on an unreliable network.

use tideover_model::wire::reply::Reply;
use tideover_model::{
    Answer, Code, Happening, Operation, OperationKind, PlatformId, Seeded, exchange,
};
use tideover_sim::fault::{Act, Call, When};
use tideover_sim::grease::{Answered, Freedom, Greased, greased_response};

use crate::simulation::auditor::Invariant;
use crate::simulation::client::{Job, Lane, Request, Response};
use crate::simulation::draw::Draw;
use crate::simulation::queue::{Moment, SECOND};
use crate::simulation::reached::{Fault, Reached};
use crate::simulation::trace::Actor;
use crate::simulation::world::World;
use crate::simulation::world::event::{CallEnd, Event, Message};

/// How long a client waits for an answer. No request takes longer to arrive.
const TIMEOUT: Moment = 30 * SECOND;
/// The percentage of answers that take long, but arrive in time.
const SLOW_ANSWERS: u64 = 10;
/// The longest that such an answer takes.
const SLOWEST: Moment = 25 * SECOND;
/// The latest repeat of a request by the network.
const LATEST_REPEAT: Moment = 20 * SECOND;

/// The fault that an act is here, and which of a message's random numbers decides about it. Each act has one of its own, so
/// that a plan without one fault keeps all others. `None` for what happens to no request here: the document has no limit
/// of the rate (`gap.requestRate`), and a plan has other rules for webhooks.
fn played(act: Act) -> Option<(usize, Fault)> {
    Some(match act {
        Act::UpstreamFails { when: When::BeforeCommit } => (0, Fault::UpstreamFailedBefore),
        Act::UpstreamFails { when: When::AfterCommit } => (1, Fault::UpstreamFailedAfter),
        Act::ConnectionDrops { when: When::BeforeCommit } => (2, Fault::RequestLost),
        Act::ConnectionDrops { when: When::AfterCommit } => (3, Fault::AnswerLost),
        Act::AnswerCut { .. } => (4, Fault::AnswerCut),
        Act::ImportStops { .. } => (5, Fault::ImportCut),
        Act::AnswerDelayed { .. } => (6, Fault::AnswerLate),
        Act::RequestRepeated => (7, Fault::RequestRepeated),
        Act::RequestThrottled { .. } | Act::Delivery(_) => return None,
    })
}

fn fault_of(act: Act) -> Option<Fault> {
    played(act).map(|(_, fault)| fault)
}

/// Whether only the answer shows if the act made a difference.
fn shows_later(act: Act) -> bool {
    matches!(act, Act::AnswerCut { .. } | Act::ImportStops { .. })
}

/// Whether the act makes a difference to an answer: one with fewer bytes arrives whole, and an import with fewer rows is
/// not interrupted.
fn hits(act: Act, answer: &Answer, response: &exchange::Response) -> bool {
    match act {
        Act::AnswerCut { after_bytes } => response.body.len() as u64 > after_bytes,
        Act::ImportStops { .. } => {
            matches!(answer, Ok(Reply::Imported(report)) if !report.finished)
        }
        _ => true,
    }
}

/// The name of a lane in the names of messages.
fn lane_name(lane: Lane) -> String {
    match lane {
        Lane::Webhooks => "webhooks".to_owned(),
        Lane::Vendor(number) => format!("v{number}"),
        Lane::Import(number) => format!("u{number}"),
    }
}

impl World<'_> {
    /// A client sends a request.
    pub(super) fn send(&mut self, client: u32, lane: Lane, call: u64, request: Request) {
        let name = self.name_of(client, &request);
        let mut draw = self.source.draw("message", &name, 0);
        let fault = self.request_fault(&mut draw, &name, &request);
        let (there, quick) = (draw.between(20, 400), draw.between(20, 400));
        let back = if draw.percent(SLOW_ANSWERS) { draw.between(SECOND, SLOWEST) } else { quick };
        let repeat_after = draw.between(SECOND, LATEST_REPEAT);
        let known = fault.filter(|act| !shows_later(*act)).and_then(fault_of);
        if let Some(fault) = known {
            self.counts.meet(fault);
        }
        let named = fault.and_then(fault_of).map_or("", Fault::name);
        self.chain.add(self.now, &[name.as_bytes(), &request.body, named.as_bytes()]);
        self.note(Actor::Platform(client), known, || {
            format!("{} {}", request.kind.method(), request.path)
        });
        let delayed = |milliseconds: u64| milliseconds.max(TIMEOUT + SECOND);
        let answers_after = match fault {
            Some(Act::ConnectionDrops { .. }) => None,
            Some(Act::AnswerDelayed { milliseconds }) => Some(delayed(milliseconds)),
            _ => Some(back),
        };
        let occasion = draw.between(0, u64::MAX);
        self.witness_sent(client, lane, call, &request);
        let message = Message { client, lane, call, request, fault, answers_after, occasion };
        let arrives_after = match fault {
            Some(Act::RequestRepeated) => there + repeat_after,
            _ => there,
        };
        // Whether an import stops shows only when it is carried out.
        let can_be_none = matches!(fault, Some(Act::ImportStops { .. }));
        if can_be_none || answers_after.is_none_or(|back| arrives_after + back > TIMEOUT) {
            self.queue.add(self.now + TIMEOUT, message.answer(None));
        }
        match fault {
            Some(Act::ConnectionDrops { when: When::BeforeCommit }) => {}
            Some(Act::UpstreamFails { when: When::BeforeCommit }) => {
                let answer = message.answer(Some((502, upstream_failed())));
                self.queue.add(self.now + there + back, answer);
            }
            Some(Act::RequestRepeated) => {
                let first = Message { answers_after: None, ..message.clone() };
                self.queue.add(self.now + there, Event::Arrives(Box::new(first)));
                self.queue.add(self.now + arrives_after, Event::Arrives(Box::new(message)));
            }
            _ => self.queue.add(self.now + there, Event::Arrives(Box::new(message))),
        }
    }

    /// The name of a request. It counts only requests of its own kind, so that a plan that leaves out other
    /// ones keeps its faults and its latencies.
    fn name_of(&mut self, client: u32, request: &Request) -> String {
        let kind = format!("p{client} {} {}", request.kind.method(), request.path);
        let sent = self.sent.entry(kind.clone()).or_default();
        *sent += 1;
        format!("{kind} {sent}")
    }

    /// The fault that hits a request: of the rules that select it, the first that fires.
    fn request_fault(&mut self, draw: &mut Draw, name: &str, request: &Request) -> Option<Act> {
        let percentiles: [u64; 8] = std::array::from_fn(|_| draw.between(0, 99));
        if !self.is_faulty() {
            return None;
        }
        let identifiers: Vec<&str> = request.identifiers.iter().map(String::as_str).collect();
        let call = Call { operation: Some(request.kind), identifiers: &identifiers };
        let rules = &self.plan.faults.requests;
        let fires = |act: Act, percent: Option<u32>| {
            let Some((position, _)) = played(act) else { return false };
            percent.is_none_or(|percent| percentiles[position] < u64::from(percent))
        };
        let mut fired = rules.iter().filter(|rule| rule.selects(&call));
        let act = fired.find(|rule| fires(rule.act, rule.percent))?.act;
        self.hits(name, act.name()).then_some(act)
    }

    /// Whether the plan lets a fault hit a message. Remembers it if so.
    pub(super) fn hits(&mut self, message: &str, fault: &str) -> bool {
        let name = format!("{message} {fault}");
        let hits = self.only.as_ref().is_none_or(|only| only.contains(name.as_str()));
        if hits {
            self.hit.push(name);
        }
        hits
    }

    /// A request arrives at the service.
    pub(super) fn serve(&mut self, message: &Message) {
        let Message { client, request, .. } = message;
        let platform = PlatformId(*client);
        let at = self.time();
        if let Some(Act::ImportStops { after_rows }) = message.fault {
            let after_rows = usize::try_from(after_rows).unwrap_or(usize::MAX);
            let stop = Happening::InterruptNextImport { after_rows };
            let _ = self.server.happen(at, platform, stop);
        }
        let authorization = self.authorizations[*client as usize].as_str();
        let parsed = exchange::Asked::by(&exchange::Request {
            method: request.kind.method(),
            path: &request.path,
            authorization: Some(authorization),
            content_type: request.content_type,
            body: &request.body,
        });
        let operation = parsed.operation.clone();
        let answer = exchange::attempt(&mut *self.server, at, Some(authorization), parsed);
        if matches!(message.fault, Some(Act::ImportStops { .. })) {
            // An import that was refused, or was done already, does not use it up.
            let stop = Happening::InterruptNextImport { after_rows: usize::MAX };
            let _ = self.server.happen(at, platform, stop);
        }
        let response = self.respond(platform, message.occasion, &answer);
        self.witness_served(message, &answer, &response);
        let status = response.status.to_le_bytes();
        self.chain.add(self.now, &[request.path.as_bytes(), &status, &response.body]);
        let shown = message.fault.filter(|act| shows_later(*act) && hits(*act, &answer, &response));
        let shown = shown.and_then(fault_of);
        if let Some(fault) = shown {
            self.counts.meet(fault);
        }
        self.note(Actor::Service, shown, || {
            let code = answer.as_ref().err().map_or("", |refusal| refusal.code.name());
            format!("{} {} → {} {code}", request.kind.method(), request.path, response.status)
        });
        if let Ok(operation) = &operation {
            self.count_answer(operation, &answer);
            self.auditor.answered(platform, operation, &answer);
            if let (Operation::Invite { business, .. }, Ok(_)) = (operation, &answer) {
                self.vendor_is_invited(*client, business);
            }
        }
        self.after_service();
        self.send_answer(message, response.status, response.body, shown);
    }

    /// The response, with the freedoms that the service takes.
    fn respond(
        &mut self,
        platform: PlatformId,
        occasion: u64,
        answer: &Answer,
    ) -> exchange::Response {
        let response = exchange::respond(&self.plan.profile, answer);
        if !self.plan.greased {
            return response;
        }
        let business = match answer {
            Ok(Reply::Business(shown)) => self.server.business_of(platform, &shown.external_id),
            _ => None,
        };
        let seeded = Seeded { seed: self.plan.seed };
        let Greased { response, taken } =
            greased_response(seeded, occasion, Answered { answer, business }, response);
        for freedom in taken {
            self.counts.reach(match freedom {
                Freedom::ExtraField => Reached::UnlistedField,
                Freedom::OtherStatus => Reached::OtherStatus,
                Freedom::KeyOrder | Freedom::WhiteSpace | Freedom::RewordedError => continue,
                _ => Reached::UnlistedValue,
            });
        }
        response
    }

    fn send_answer(&mut self, message: &Message, status: u16, body: Vec<u8>, shown: Option<Fault>) {
        let Some(after) = message.answers_after else { return };
        let response = match (message.fault, shown) {
            (Some(Act::UpstreamFails { .. }), _) => Some((502, upstream_failed())),
            (_, Some(Fault::ImportCut)) => return,
            // The client sees that the answer is not whole.
            (_, Some(Fault::AnswerCut)) => None,
            _ => Some((status, body)),
        };
        self.queue.add(self.now + after, message.answer(response));
    }

    /// An answer arrives, or the client stops waiting for it.
    pub(super) fn answer(&mut self, end: &CallEnd) {
        let CallEnd { client, lane, call, response } = end;
        let status = response.as_ref().map_or(0, |(status, _)| *status);
        self.chain
            .add(self.now, &[&client.to_le_bytes(), &call.to_le_bytes(), &status.to_le_bytes()]);
        self.note(Actor::Platform(*client), None, || match response {
            Some((status, _)) => format!("gets {status} ({})", lane_name(*lane)),
            None => format!("gets no answer ({})", lane_name(*lane)),
        });
        let response = match response {
            Some((status, body)) => Response::Answered(*status, body),
            None => Response::Unknown,
        };
        self.watch_answered(*client, *lane, &response);
        let now = self.now;
        let before = self.witness_before(end);
        self.clients[*client as usize].respond(self.plan, now, *lane, *call, &response);
        self.witness_ended(end, before);
        self.follow_up(*client);
    }

    /// §7 retrying rule 3: after a request with an unknown outcome, only the list shows whether it was carried out.
    pub(super) fn watch_sent(&mut self, client: u32, job: &Job) {
        let conduct = &mut self.conduct[client as usize];
        match job.kind() {
            OperationKind::ListSubscriptions => conduct.in_doubt = false,
            OperationKind::Subscribe | OperationKind::Unsubscribe if conduct.in_doubt => {
                let subject = format!("platform {client}");
                let detail =
                    "it repeats a request about its subscription without a look at the list";
                self.auditor.report(Invariant::SafeRetries, subject, detail);
            }
            _ => {}
        }
    }

    fn watch_answered(&mut self, client: u32, lane: Lane, response: &Response<'_>) {
        let unknown = match response {
            Response::Unknown => true,
            Response::Answered(status, _) => *status >= 500,
        };
        if lane == Lane::Webhooks && unknown {
            self.conduct[client as usize].in_doubt = true;
        }
    }

    fn count_answer(&mut self, operation: &Operation, answer: &Answer) {
        let reached = match answer {
            Err(refusal) => match refusal.code {
                Code::BusinessNotEligible => Reached::RefusedNotEligible,
                Code::InvoiceNotFinanceable => Reached::RefusedNotFinanceable,
                Code::ConcentrationExceeded => Reached::RefusedByLimit,
                Code::SelfDealing => Reached::RefusedSelfDealing,
                _ => return,
            },
            Ok(Reply::BusinessSynced(synced)) => {
                let sent = matches!(operation, Operation::SyncBusiness { details, .. }
                    if details.tax_id.is_some());
                if synced.created || !sent || synced.tax_id_result.is_some() {
                    return;
                }
                Reached::BusinessMatched
            }
            Ok(_) => return,
        };
        self.counts.reach(reached);
    }
}

/// The body of a 502 (§7).
fn upstream_failed() -> Vec<u8> {
    br#"{"error":"The service failed.","code":"upstream_failed"}"#.to_vec()
}
