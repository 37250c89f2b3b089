//! Webhooks on an unreliable network.

use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use tideover_model::words::EventKind;
use tideover_model::{Attempt, Cause, Consequence, Delivery, Receipt, Seeded, SigningKey};
use tideover_sim::grease::greased_event;

use crate::simulation::client::Post;
use crate::simulation::draw::Draw;
use crate::simulation::plan::PostAct;
use crate::simulation::queue::{Moment, SECOND};
use crate::simulation::reached::{Fault, Reached};
use crate::simulation::trace::Actor;
use crate::simulation::world::World;
use crate::simulation::world::event::{Event, Sent};

/// The attempts of a delivery that a fault can hit: the later ones arrive, unless the receiver is down.
const HIT_ATTEMPTS: u32 = 5;

/// An event, with its subject, which names its deliveries in every run of a plan.
#[derive(Deserialize)]
struct Named<'a> {
    id: &'a str,
    #[serde(borrow)]
    data: Naming<'a>,
}

/// The fields of an event that tell it from others of its kind.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Naming<'a> {
    external_id: Option<&'a str>,
    payee_external_id: Option<&'a str>,
    invoice_external_id: Option<&'a str>,
    state: Option<&'a str>,
    collected: Option<i64>,
}

impl fmt::Display for Naming<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named =
            [self.external_id, self.payee_external_id, self.invoice_external_id, self.state];
        for name in named.into_iter().flatten() {
            write!(f, " {name}")?;
        }
        self.collected.map_or(Ok(()), |collected| write!(f, " {collected}"))
    }
}

impl World<'_> {
    /// The service sends a webhook.
    pub(super) fn post(&mut self, attempt: Attempt) {
        let delivery = &attempt.delivery;
        let (platform, event) = (delivery.platform.0, delivery.event);
        let wire = self.wire(delivery);
        let mut subject = String::new();
        if let Ok(Named { id, data }) = serde_json::from_slice(&delivery.body) {
            subject = data.to_string();
            if attempt.number == 1 {
                self.conduct[platform as usize].sent.insert(id.to_owned(), false);
            }
        }
        let name = format!("post p{platform} {}{subject} {}", event.name(), attempt.number);
        let mut draw = self.source.draw("post", &name, 0);
        let fault = self.post_fault(&mut draw, &name, &attempt);
        let (there, back) = (draw.between(20, 400), draw.between(20, 400));
        let later = draw.between(16, 120) * SECOND;
        if let Some((act, _)) = fault {
            self.counts.meet(act);
        }
        if attempt.number > 1 {
            self.counts.reach(Reached::DeliveryRetried);
        }
        self.note(Actor::Service, fault.map(|(act, _)| act), || {
            format!("sends {} (attempt {})", event.name(), attempt.number)
        });
        let mut as_sent = attempt.clone();
        as_sent.delivery = Arc::clone(&wire);
        self.auditor.begun(&as_sent);
        // The service signs as it sends.
        let signature: Arc<str> = as_sent.sign(attempt.begun_at).to_string().into();
        let named = fault.map_or("", |(fault, _)| fault.name());
        // The body that was queued is in the chain already.
        let body: &[u8] = if self.plan.greased { &wire.body } else { &[] };
        let parts = [wire.id.as_bytes(), body, signature.as_bytes(), named.as_bytes()];
        self.chain.add(self.now, &parts);
        let sent = Box::new(Sent { attempt, wire, signature, restarts: self.restarts });
        self.travel(sent, fault.map(|(_, act)| act), [there, back, later]);
    }

    fn travel(&mut self, sent: Box<Sent>, act: Option<PostAct>, [there, back, later]: [Moment; 3]) {
        let now = self.now;
        let timeout = now + self.plan.profile.webhooks.timeout * SECOND;
        let arrives = |answers| Event::PostArrives { sent: sent.clone(), answers };
        let ends = |receipt| Event::PostEnds { sent: sent.clone(), receipt };
        match act {
            Some(PostAct::Lost) => {
                self.queue.add(now + there + back, ends(Receipt::Failed));
            }
            Some(PostAct::AnswerLost) => {
                self.queue.add(now + there, arrives(false));
                self.queue.add(timeout, ends(Receipt::TimedOut));
            }
            Some(PostAct::Delayed) => {
                self.queue.add(timeout, ends(Receipt::TimedOut));
                self.queue.add(now + later, arrives(false));
            }
            Some(PostAct::Repeated) => {
                self.queue.add(now + there, arrives(true));
                self.queue.add(now + there + later, arrives(false));
            }
            Some(PostAct::Forged) => {
                self.queue.add(now + there, arrives(true));
                self.queue.add(now + later, Event::ForgedPostArrives(sent));
            }
            None => self.queue.add(now + there, Event::PostArrives { sent, answers: true }),
        }
    }

    fn post_fault(
        &mut self,
        draw: &mut Draw,
        name: &str,
        attempt: &Attempt,
    ) -> Option<(Fault, PostAct)> {
        let percentiles: [u64; 5] = std::array::from_fn(|_| draw.between(0, 99));
        if !self.is_faulty() || attempt.number > HIT_ATTEMPTS {
            return None;
        }
        let rules = &self.plan.faults.posts;
        let fires = |act: PostAct, percent| percentiles[act as usize] < u64::from(percent);
        let act = rules.iter().find(|rule| fires(rule.act, rule.percent))?.act;
        let fault = match act {
            PostAct::Lost => Fault::PostLost,
            PostAct::AnswerLost => Fault::PostAnswerLost,
            PostAct::Repeated => Fault::PostRepeated,
            PostAct::Delayed => Fault::PostDelayed,
            PostAct::Forged => Fault::PostForged,
        };
        self.hits(name, fault.name()).then_some((fault, act))
    }

    /// A webhook arrives at its receiver.
    pub(super) fn post_arrives(&mut self, sent: Box<Sent>, answers: bool) {
        let receipt = if self.receiver_down[sent.attempt.delivery.platform.0 as usize] {
            Receipt::Failed
        } else {
            Receipt::Answered(self.receive(&sent))
        };
        self.chain.add(self.now, &[sent.wire.id.as_bytes(), &status_of(receipt)]);
        if answers {
            let back = 20 + self.now % 300;
            self.queue.add(self.now + back, Event::PostEnds { sent, receipt });
        }
    }

    /// A receiver takes a webhook. Returns the status of its answer.
    fn receive(&mut self, sent: &Sent) -> u16 {
        let Sent { wire: delivery, signature, .. } = sent;
        let platform = delivery.platform.0;
        let at = self.time().unix_unsigned();
        let overtaken = self.is_overtaken(sent);
        let post = Post { delivery: &delivery.id, signature, body: &delivery.body };
        let before = self.witness_held(delivery);
        let status = self.clients[platform as usize].receive(self.plan, at, &post);
        let event = delivery.event;
        if status == 200 && matches!(event, EventKind::Unlisted(_)) {
            self.counts.reach(Reached::UnlistedEvent);
        }
        self.note(Actor::Receiver(platform), overtaken, || {
            format!("answers {} with {status}", event.name())
        });
        self.follow_up(platform);
        self.witness_received(sent, before, status);
        status
    }

    /// Counts a first attempt that arrives after an event of a later transaction.
    fn is_overtaken(&mut self, sent: &Sent) -> Option<Fault> {
        let Attempt { delivery, cause, .. } = &sent.attempt;
        let arrived = &mut self.conduct[delivery.platform.0 as usize].arrived;
        let is_first = matches!(cause, Cause::Event | Cause::Late);
        let queued_at = Some(delivery.queued_at);
        let is_overtaken = is_first && queued_at < *arrived;
        *arrived = queued_at.max(*arrived);
        is_overtaken.then(|| {
            self.counts.meet(Fault::EventsOutOfOrder);
            Fault::EventsOutOfOrder
        })
    }

    /// A delivery with the event as the service sends it.
    fn wire(&self, delivery: &Arc<Delivery>) -> Arc<Delivery> {
        if !self.plan.greased {
            return Arc::clone(delivery);
        }
        let body = greased_event(Seeded { seed: self.plan.seed }, delivery).body;
        Arc::new(Delivery { body, ..(**delivery).clone() })
    }

    /// Somebody who does not know the secret sends an event.
    pub(super) fn forged_post_arrives(&mut self, attempt: &Attempt) {
        let platform = attempt.delivery.platform.0;
        if self.receiver_down[platform as usize] {
            return;
        }
        let at = self.time().unix_unsigned();
        let body = forged(&attempt.delivery.body, self.now.is_multiple_of(2));
        let signature = SigningKey::new("a guess").sign(at, &body).to_string();
        let delivery = format!("forged {}", attempt.delivery.id);
        let post = Post { delivery: &delivery, signature: &signature, body: &body };
        let status = self.clients[platform as usize].receive(self.plan, at, &post);
        self.chain.add(self.now, &[&body, &status.to_le_bytes()]);
        self.note(Actor::Receiver(platform), Some(Fault::PostForged), || {
            format!("answers a forged event with {status}")
        });
        self.witness_forged(attempt, status);
        self.follow_up(platform);
    }

    /// The service gets the receipt of an attempt, unless a restart has forgotten the attempt.
    pub(super) fn post_ends(&mut self, sent: &Sent, receipt: Receipt) {
        if sent.restarts != self.restarts {
            return;
        }
        let attempt = &sent.attempt;
        self.attempts_in_flight = self.attempts_in_flight.saturating_sub(1);
        let at = self.time();
        self.server.handle_timeout(at);
        let consequence = self.server.handle_receipt(at, attempt, receipt);
        self.chain
            .add(self.now, &[attempt.delivery.id.as_bytes(), format!("{receipt:?}").as_bytes()]);
        match consequence {
            Consequence::Accepted => self.auditor.done(&attempt.delivery),
            Consequence::GivenUp => {
                self.witness_given_up(&attempt.delivery);
                self.counts.reach(Reached::DeliveryGivenUp);
                self.note(Actor::Service, None, || {
                    format!("gives up {}", attempt.delivery.event.name())
                });
                self.auditor.done(&attempt.delivery);
            }
            Consequence::Revoked => self.auditor.revoked(&attempt.delivery),
            Consequence::Again(_) | Consequence::None => {}
        }
        self.after_service();
    }

    /// The receiver of a platform goes down.
    pub(super) fn receiver_goes_down(&mut self, platform: u32, long: bool) {
        let fault = if long { Fault::ReceiverDownLong } else { Fault::ReceiverDown };
        self.counts.meet(fault);
        self.receiver_down[platform as usize] = true;
        self.note(Actor::Receiver(platform), Some(fault), || "goes down".to_owned());
        let now = self.now;
        self.clients[platform as usize].goes_down(now);
    }

    /// The receiver of a platform is up again.
    pub(super) fn receiver_comes_up(&mut self, platform: u32) {
        self.receiver_down[platform as usize] = false;
        self.note(Actor::Receiver(platform), None, || "is up again".to_owned());
        let now = self.now;
        self.clients[platform as usize].comes_up(self.plan, now);
        self.follow_up(platform);
    }
}

/// The body of a forged event: a copy of a real one, or one with another id.
fn forged(body: &[u8], is_copy: bool) -> Vec<u8> {
    match serde_json::from_slice::<serde_json::Value>(body) {
        Ok(mut event) if !is_copy => {
            event["id"] = format!("{}-forged", event["id"].as_str().unwrap_or_default()).into();
            event.to_string().into_bytes()
        }
        _ => body.to_vec(),
    }
}

/// The status of an answer; 0 for none.
fn status_of(receipt: Receipt) -> [u8; 2] {
    match receipt {
        Receipt::Answered(status) => status.to_le_bytes(),
        Receipt::Failed | Receipt::TimedOut => [0; 2],
    }
}
