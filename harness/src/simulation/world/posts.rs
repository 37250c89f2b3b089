//! Webhooks on an unreliable network, and what is due in the service.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Deserialize;
use tideover_model::words::{EventKind, EventType};
use tideover_model::{Attempt, Consequence, Delivery, Receipt, Seeded, SigningKey};
use tideover_sim::grease::greased_event;

use crate::simulation::auditor::Invariant;
use crate::simulation::client::Post;
use crate::simulation::draw::Draw;
use crate::simulation::plan::PostAct;
use crate::simulation::queue::{Moment, SECOND};
use crate::simulation::reached::{Fault, Reached};
use crate::simulation::trace::Actor;
use crate::simulation::world::{Event, Sent, World};

/// The attempts of a delivery that a fault can hit: the later ones arrive, unless the receiver is down.
const HIT_ATTEMPTS: u32 = 5;

/// How often the service may be woken at one moment.
const MOST_WAKES: u32 = 10_000;

/// The subject of an event, which names its deliveries in every run of a plan.
#[derive(Deserialize)]
struct Named {
    data: serde_json::Value,
}

impl World<'_> {
    /// What follows every change of the service: events are audited, attempts begin, and it is woken again.
    pub(super) fn after_service(&mut self) {
        let at = self.time();
        while let Some(delivery) = self.server.poll_delivery() {
            self.chain.add(self.now, &[delivery.id.as_bytes(), &delivery.body]);
            if delivery.event == EventType::AdvanceIssued {
                self.counts.reach(Reached::AdvanceFunded);
            } else if delivery.event == EventType::AdvancePaid {
                self.counts.reach(Reached::AdvanceRepaid);
            }
            self.auditor.queued(&delivery);
        }
        while let Some(attempt) = self.server.poll_attempt(at) {
            self.auditor.begun(&attempt);
            self.attempts_in_flight += 1;
            self.post(attempt);
        }
        self.auditor.check(&mut *self.server, at);
        self.trace.note_money(self.auditor.totals());
        self.schedule_due();
        if self.restart_awaits_attempts && self.attempts_in_flight > 0 {
            self.restart_awaits_attempts = false;
            self.queue.add(self.now, Event::Restart { amid_attempts: false });
        }
    }

    fn schedule_due(&mut self) {
        let Some(due) = self.server.poll_timeout() else { return };
        let due = self.plan.start.milliseconds_until(due).max(self.now);
        if self.due_at.is_none_or(|at| due < at) {
            self.due_at = Some(due);
            self.queue.add(due, Event::Due);
        }
    }

    /// Something is due in the service.
    pub(super) fn fall_due(&mut self) {
        if self.due_at != Some(self.now) {
            return;
        }
        self.due_at = None;
        self.woken += 1;
        if self.woken > MOST_WAKES {
            let detail = "something is due, and never happens";
            return self.auditor.report(Invariant::NoTimerInThePast, "the service", detail);
        }
        let at = self.time();
        self.server.handle_timeout(at);
        self.after_service();
    }

    /// The service sends a webhook.
    fn post(&mut self, attempt: Attempt) {
        let delivery = &attempt.delivery;
        let (platform, event) = (delivery.platform.0, delivery.event);
        let subject = serde_json::from_slice::<Named>(&delivery.body).map(|event| event.data);
        let subject = subject.map(|data| data.to_string()).unwrap_or_default();
        let name = format!("post p{platform} {} {subject} {}", event.name(), attempt.number);
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
        let act = fault.map(|(_, act)| act);
        self.travel(attempt, act, [there, back, later]);
    }

    fn travel(
        &mut self,
        attempt: Attempt,
        act: Option<PostAct>,
        [there, back, later]: [Moment; 3],
    ) {
        let now = self.now;
        let timeout = now + self.plan.profile.webhooks.timeout * SECOND;
        let sent = Box::new(Sent { attempt, restarts: self.restarts });
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
            Receipt::Answered(self.receive(&sent.attempt))
        };
        if answers {
            let back = 20 + self.now % 300;
            self.queue.add(self.now + back, Event::PostEnds { sent, receipt });
        }
    }

    /// A receiver takes a webhook. Returns the status of its answer.
    fn receive(&mut self, attempt: &Attempt) -> u16 {
        let attempt = self.as_sent(attempt);
        let Attempt { delivery, begun_at, .. } = &*attempt;
        let platform = delivery.platform.0;
        let at = self.time().unix_unsigned();
        // The service signs as it sends.
        let signature = attempt.sign(*begun_at).to_string();
        let post = Post { delivery: &delivery.id, signature: &signature, body: &delivery.body };
        let status = self.clients[platform as usize].receive(self.plan, at, &post);
        let event = delivery.event;
        if status == 200 && matches!(event, EventKind::Unlisted(_)) {
            self.counts.reach(Reached::UnlistedEvent);
        }
        self.note(Actor::Receiver(platform), None, || {
            format!("answers {} with {status}", event.name())
        });
        self.follow_up(platform);
        status
    }

    /// An attempt with the event as the service sends it.
    fn as_sent<'b>(&self, attempt: &'b Attempt) -> Cow<'b, Attempt> {
        if !self.plan.greased {
            return Cow::Borrowed(attempt);
        }
        let body = greased_event(Seeded { seed: self.plan.seed }, &attempt.delivery).body;
        let mut sent = attempt.clone();
        sent.delivery = Arc::new(Delivery { body, ..(*attempt.delivery).clone() });
        Cow::Owned(sent)
    }

    /// Somebody who does not know the secret sends an event.
    pub(super) fn forged_post_arrives(&mut self, attempt: &Attempt) {
        let platform = attempt.delivery.platform.0;
        if self.receiver_down[platform as usize] {
            return;
        }
        let at = self.time().unix_unsigned();
        let signature = SigningKey::new("a guess").sign(at, &attempt.delivery.body).to_string();
        let delivery = format!("forged {}", attempt.delivery.id);
        let post =
            Post { delivery: &delivery, signature: &signature, body: &attempt.delivery.body };
        let status = self.clients[platform as usize].receive(self.plan, at, &post);
        self.note(Actor::Receiver(platform), Some(Fault::PostForged), || {
            format!("answers a forged event with {status}")
        });
        self.follow_up(platform);
    }

    /// The service learns what came of an attempt.
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
