//! A run of the world: one queue of events, and the actors that they reach.

mod event;
mod messages;
mod outside;
mod posts;
mod schedule;
mod service;
mod settled;
mod witness;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use foldhash::fast::FixedState;
use tideover_model::Timestamp;
use tideover_model::conduct::Card;

use crate::simulation::auditor::{Auditor, Breach, Invariant, Totals};
use crate::simulation::bugs::Bug;
use crate::simulation::chain::{Chain, RunHash};
use crate::simulation::client::{Client, Effect, Wake};
use crate::simulation::draw::Source;
use crate::simulation::plan::{Plan, Vendor};
use crate::simulation::queue::{DAY, Moment, Queue};
use crate::simulation::reached::{Counts, Fault};
use crate::simulation::server::Server;
use crate::simulation::trace::{Actor, Entry, Trace};

use event::Event;
use service::Subject;
use witness::Witness;

/// How long the world may take to settle once the faults stop.
const SETTLES_WITHIN: Moment = 15 * DAY;

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Run {
    /// The hash over every input, answer and event.
    pub hash: RunHash,
    /// The events of the world.
    pub events: u64,
    /// The virtual time that passed. Milliseconds.
    pub lasted: Moment,
    /// The states that it reached, and the faults that it met.
    pub counts: Counts,
    /// Where the money is at the end.
    pub totals: Totals,
    /// The invariant that did not hold, if one did not.
    pub breach: Option<Breach>,
    /// The messages that a fault hit, by their names.
    pub hit: BTreeSet<String>,
    /// What happened, if that was wanted.
    pub entries: Vec<Entry>,
}

/// The world while it runs.
pub(crate) struct World<'a> {
    plan: &'a Plan,
    source: Source,
    server: Box<dyn Server>,
    start_delay: Moment,
    auditor: Auditor,
    clients: Vec<Client>,
    /// The `Authorization` header of each client.
    authorizations: Vec<String>,
    /// How often each request was sent.
    sent: HashMap<String, u32, FixedState>,
    /// The only messages that a fault hits, if not all.
    only: Option<BTreeSet<&'a str>>,
    queue: Queue<Event>,
    now: Moment,
    /// When the service is next woken.
    due_at: Option<Moment>,
    /// How often it was woken at this moment: a timer that never goes off would stop time.
    woken: u32,
    /// The collection accounts that platforms published to payors, by platform and vendor.
    published: BTreeMap<(u32, u32), String>,
    /// When each advance reached its present state.
    moved: HashMap<(u32, Subject), Moment, FixedState>,
    conduct: Vec<Conduct>,
    receiver_down: Vec<bool>,
    attempts_in_flight: u32,
    restarts: u32,
    /// Whether the service restarts as soon as an attempt is in flight.
    restart_awaits_attempts: bool,
    vendors: BTreeMap<u32, &'a Vendor>,
    /// The vendors that were invited, and by which platforms.
    invited: BTreeMap<u32, BTreeSet<u32>>,
    counts: Counts,
    chain: Chain,
    trace: Trace,
    hit: Vec<String>,
    events: u64,
    /// Watches the conduct of the clients, if somebody asks for it.
    witness: Option<Witness>,
}

/// What the world watches of a client, whose own memory it does not trust.
#[derive(Default)]
struct Conduct {
    /// A request that is not safe to repeat has an unknown outcome, and nothing was read since.
    in_doubt: bool,
    /// The events that the service sent it, and whether it acted on each.
    sent: HashMap<String, bool, FixedState>,
    /// When the latest of the events that arrived was queued.
    arrived: Option<Timestamp>,
}

impl<'a> World<'a> {
    /// A world at its start.
    pub(crate) fn new(plan: &'a Plan, bug: Option<Bug>, traced: bool) -> World<'a> {
        let platforms = plan.platforms;
        let flaw = bug.and_then(Bug::flaw);
        World {
            plan,
            source: Source::new(plan.seed),
            server: Bug::service(bug, plan),
            start_delay: bug.map_or(0, Bug::start_delay),
            auditor: Auditor::new(plan.profile.concentration_limit.max),
            clients: (0..platforms).map(|number| Client::new(plan, number, flaw)).collect(),
            authorizations: Vec::new(),
            sent: HashMap::default(),
            only: plan.faults.only.as_ref().map(|only| only.iter().map(String::as_str).collect()),
            queue: Queue::new(),
            now: 0,
            due_at: None,
            woken: 0,
            published: BTreeMap::new(),
            moved: HashMap::default(),
            conduct: (0..platforms).map(|_| Conduct::default()).collect(),
            receiver_down: (0..platforms).map(|_| false).collect(),
            attempts_in_flight: 0,
            restarts: 0,
            restart_awaits_attempts: false,
            vendors: plan.vendors.iter().map(|vendor| (vendor.number, vendor)).collect(),
            invited: BTreeMap::new(),
            counts: Counts::default(),
            chain: Chain::default(),
            trace: Trace::new(traced),
            hit: Vec::new(),
            events: 0,
            witness: None,
        }
    }

    /// Runs the world to its end, whatever does not hold on the way, and says how the clients behaved.
    pub(crate) fn watched(mut self) -> Card {
        self.witness = Some(Witness::default());
        self.play();
        self.witness.map_or_else(Card::default, Witness::card)
    }

    /// Runs the world until it is quiet, or until something does not hold.
    pub(crate) fn run(mut self) -> Run {
        self.play();
        if self.auditor.breach().is_none() {
            self.check_settled();
        }
        if let Some(breach) = self.auditor.breach() {
            self.chain.add(self.now, &[breach.to_string().as_bytes()]);
        }
        Run {
            hash: self.chain.finish(),
            events: self.events,
            lasted: self.now,
            counts: self.counts,
            totals: self.auditor.totals(),
            breach: self.auditor.breach().cloned(),
            hit: self.hit.into_iter().collect(),
            entries: self.trace.into_entries(),
        }
    }

    fn play(&mut self) {
        self.begin();
        while self.witness.is_some() || self.auditor.breach().is_none() {
            let Some((at, event)) = self.queue.pop() else { break };
            self.woken = if at == self.now { self.woken } else { 0 };
            self.now = at;
            self.events += 1;
            self.chain.add(at, &[event.name().as_bytes()]);
            if at > self.plan.days * DAY + SETTLES_WITHIN {
                self.report_unsettled();
                break;
            }
            self.take(event);
        }
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Client(client, wake) => {
                let now = self.now;
                self.clients[client as usize].wake(self.plan, now, wake);
                self.follow_up(client);
            }
            Event::Arrives(message) => self.serve(&message),
            Event::Answered(answer) => self.answer(&answer),
            Event::Due => self.fall_due(),
            Event::PostArrives { sent, answers } => self.post_arrives(sent, answers),
            Event::ForgedPostArrives(sent) => self.forged_post_arrives(&sent.attempt),
            Event::PostEnds { sent, receipt } => self.post_ends(&sent, receipt),
            Event::Vendor { vendor, platform, step } => self.vendor_acts(vendor, platform, step),
            Event::Pays { vendor, platform, invoice, cents } => {
                self.payor_pays(vendor, platform, invoice, cents);
            }
            Event::ReceiverDown { platform, long } => self.receiver_goes_down(platform, long),
            Event::ReceiverUp(platform) => self.receiver_comes_up(platform),
            Event::SecretLost(platform) => {
                self.counts.meet(Fault::SecretLost);
                self.note(Actor::Platform(platform), Some(Fault::SecretLost), || {
                    "loses its webhook secret".to_owned()
                });
                self.take(Event::Client(platform, Wake::LoseSecret));
            }
            Event::Restart { amid_attempts: true } if self.attempts_in_flight == 0 => {
                self.restart_awaits_attempts = true;
            }
            Event::Restart { .. } => self.restart(),
            Event::Audit => {
                let at = self.time();
                self.auditor.check_all(&mut *self.server, at);
                self.schedule_audit();
            }
        }
    }

    /// Applies the effects of a client.
    fn follow_up(&mut self, client: u32) {
        for effect in self.clients[client as usize].effects() {
            match effect {
                Effect::Send { lane, call, job, request } => {
                    self.watch_sent(client, &job);
                    self.send(client, lane, call, request);
                }
                Effect::Wake { after, wake } => {
                    self.queue.add(self.now + after, Event::Client(client, wake));
                }
                Effect::Publish { vendor, account } => {
                    self.published.insert((client, vendor), account);
                }
                Effect::ActOn { event } => {
                    self.witness_act();
                    let acted = self.conduct[client as usize].sent.get_mut(&event);
                    let detail = match acted.map(|acted| std::mem::replace(acted, true)) {
                        Some(false) => continue,
                        Some(true) => "it acted twice on one event",
                        None => "it acted on an event that the service never sent it",
                    };
                    let subject = format!("platform {client}");
                    self.auditor.report(Invariant::ActsOnce, subject, detail);
                }
                Effect::Reach(state) => self.counts.reach(state),
            }
        }
    }

    /// The present time, for the service.
    fn time(&self) -> Timestamp {
        self.plan.start.after_milliseconds(self.now)
    }

    /// Whether faults can still hit.
    fn is_faulty(&self) -> bool {
        self.now < self.plan.days * DAY
    }

    fn note(&mut self, actor: Actor, fault: Option<Fault>, text: impl FnOnce() -> String) {
        self.trace.add(self.now, actor, fault, text);
    }
}
