//! Steps, made by walking with the model toward goals.
//!
//! - In come a seed and the number of a case; out come its steps, with the model's response to each.
//! - Most steps are the next one that a goal lacks, so that runs reach deep states: on a toy model the deepest bug
//!   took 113 operations so, and 5,395 with random operations on existing objects. The others are repeats, reads after
//!   writes, wrong identifiers, boundary values and malformed requests.
//! - The model accepts any operation in any state, so that no step has a precondition: each part of a case is a case,
//!   and shrinking needs no repair.
//! - Not generated: what no response could contradict, such as fields whose names the document does not show, and
//!   faults below HTTP, which say nothing of the contract.
//! - Never here: a clock, a socket, a draw that the seed does not decide.

mod access;
mod classes;
mod contention;
mod destinations;
pub(crate) mod draw;
mod files;
mod filling;
mod frame;
mod goals;
mod grammar;
mod identifiers;
mod latest;
mod malformed;
mod matrix;
mod money;
mod named;
pub mod names;
mod neighbour;
mod onboarding;
pub(crate) mod plain;
mod reads;
pub mod requests;
mod stories;
mod tabled;
mod values;
mod variations;

use std::collections::BTreeSet;
use std::ops::Range;

use proptest::bool::weighted;
use proptest::strategy::Strategy;
use tideover_exchange::Memory;
use tideover_exchange::Prepared;
use tideover_exchange::step::{Action, Caller, Step};
use tideover_exchange::target::{INBOX, ModelTarget, NO_INBOX};
use tideover_exchange::transcript::Header;
use tideover_model::wire::reply;
use tideover_model::wire::reply::Reply;
use tideover_model::{ActionKind, Face, Operation, Service, Timestamp};

use crate::prediction::{Case, Prediction};
use draw::Draw;
use goals::Goal;
use neighbour::Neighbour;
use onboarding::Requirement;

pub use contention::{Size, race};
pub(crate) use files::BODY_LIMIT;

/// The default number of steps of a case, over HTTP and in process.
pub const DEFAULT_STEPS: u64 = 50;

/// How many cases in a row begin with every goal once.
pub fn round() -> u64 {
    Goal::round()
}

/// The numbers of the cases that send each request in each state of an invoice and of a business.
pub fn tours() -> Range<u64> {
    round()..round() + matrix::tour::parts()
}

/// The steps of case `number`: the same for the same header, on any machine.
pub fn case(header: &Header, number: u64, steps: u64) -> Vec<Step> {
    walked(header, number, steps, Some(INBOX)).steps
}

/// The same, with the model's predictions. Webhooks go to `inbox`, or nowhere.
pub fn walked(header: &Header, number: u64, steps: u64, inbox: Option<&str>) -> Case {
    let mut walk = Walk::new(header, number, inbox);
    // A read may follow the last step.
    let room = usize::try_from(steps).unwrap_or(0) + 1;
    walk.steps.reserve(room);
    walk.walked.reserve(room);
    walk.most = steps;
    while walk.room() > 0 {
        walk.go_on();
    }
    walk.end();
    Case { steps: walk.steps, walked: walk.walked, inbox: inbox.map(str::to_owned) }
}

/// A case in the making, with the model in the state after its steps.
pub struct Walk {
    seed: u64,
    /// The number of the case.
    number: u64,
    /// How many steps it has at most.
    most: u64,
    source: Draw,
    model: ModelTarget,
    memory: Memory,
    start: Timestamp,
    pub steps: Vec<Step>,
    /// The request of each step, and the model's prediction.
    pub walked: Vec<(Prepared, Prediction)>,
    goal: Goal,
    /// How many goals it has reached, or found out of reach.
    reached: u64,
    /// The order in which vendors are onboarded.
    order: [Requirement; 3],
    /// Vendors that have accepted an invitation.
    claimed: BTreeSet<(String, String)>,
    /// Businesses whose address was synced.
    addressed: BTreeSet<(String, String)>,
    names: usize,
    /// The reads of what was written.
    written: Vec<Step>,
    /// Those of them that the case has not played since.
    unread: Vec<Step>,
    /// The steps of a state of the matrix. They are fixed once it is clear where they begin.
    script: Vec<Step>,
    /// How many more steps of the goal come with nothing between them.
    undisturbed: usize,
    /// Whether all businesses have the same name.
    are_namesakes: bool,
    neighbour: Neighbour,
    /// Whether upstream failures were announced.
    may_fail: bool,
    /// Whether an endpoint that accepts everything has subscribed to every event.
    is_watched: bool,
}

/// Separates the draw of whether businesses have the same name from others of the seed.
const NAMESAKES: u64 = 0x5a3e;

/// More than the time within which a delivery is retried. Seconds.
const AFTER_RETRIES: u64 = 29 * 3600;

/// The number of reads after the last move of the clock: each gives deliveries that are under way time to arrive.
const LAST_READS: u64 = 3;

/// The number of objects that are read again at the end of a case: a later step must not have changed them.
const READ_AGAIN: u64 = 4;

impl Walk {
    pub fn new(header: &Header, number: u64, inbox: Option<&str>) -> Walk {
        let mut source = Draw::new([header.seed, number, 0]);
        let mut order = Requirement::ALL;
        order.rotate_left(source.below(3));
        if source.percent(50) {
            order.swap(1, 2);
        }
        Walk {
            seed: header.seed,
            number,
            most: u64::MAX,
            source,
            order,
            model: ModelTarget::in_world_of(header, inbox),
            memory: Memory::with_inbox(inbox.unwrap_or(NO_INBOX)).starting(header.start),
            start: header.start,
            steps: Vec::new(),
            walked: Vec::new(),
            goal: Goal::first(header.seed, number),
            reached: 0,
            claimed: BTreeSet::new(),
            addressed: BTreeSet::new(),
            names: 0,
            written: Vec::new(),
            unread: Vec::new(),
            script: Vec::new(),
            undisturbed: 0,
            are_namesakes: Draw::new([header.seed, number, NAMESAKES]).percent(10),
            neighbour: Neighbour::of(header.seed, number),
            may_fail: false,
            is_watched: false,
        }
    }

    /// How many more steps come before those that end the case.
    fn room(&self) -> u64 {
        self.most.saturating_sub(self.steps.len() as u64 + self.ends_in())
    }

    /// How many steps end the case.
    fn ends_in(&self) -> u64 {
        READ_AGAIN + if self.is_watched { LAST_READS + 1 } else { 0 }
    }

    /// Reads again what the case has written, and lets the time pass within which every event of it must have come.
    fn end(&mut self) {
        for _ in 0..READ_AGAIN {
            if let Some(read) = self.bystander() {
                self.play(read);
            }
        }
        if !self.is_watched {
            return;
        }
        self.play(requests::advance_clock(AFTER_RETRIES));
        for _ in 0..LAST_READS {
            self.play(requests::list_subscriptions());
        }
    }

    /// Adds the next step, and maybe a read of its effect.
    pub fn go_on(&mut self) {
        let may_watch = self.steps.is_empty() && !self.goal.is_tour();
        if may_watch && self.draw(weighted(0.6)) {
            // An inbox gets the events of the whole case.
            self.play(requests::subscribe("${inbox}/accepts", None));
        }
        if self.goal.fills_its_case() || self.undisturbed > 0 || self.is_pressed() {
            self.undisturbed = self.undisturbed.saturating_sub(1);
            let step = self.next_toward_goal();
            self.play(step);
            return;
        }
        if let Some(step) = self.toward_neighbour() {
            self.play(step);
            return;
        }
        // Fixed steps are interrupted half as often: one that is missed may spoil those after it.
        let is_narrative = self.goal.is_narrative();
        let chance = self.draw(0_u32..if is_narrative { 200 } else { 100 });
        let step = match chance {
            // What undoes itself at the third time shows only then.
            _ if self.was_repeated() && self.draw(weighted(0.4)) => self.steps.last().cloned(),
            0..6 => self.steps.last().cloned(),
            // Some failures count only once the same request has failed again.
            6..12 if self.was_refused() => self.steps.last().cloned(),
            6..12 => self.variation(),
            12..22 => Some(self.wander()),
            22..28 => Some(self.malformed()),
            _ => None,
        };
        let step = step.unwrap_or_else(|| self.next_toward_goal());
        // Fixed steps have the reads that they need.
        if let Some(read) = self.overwritten_by(&step).filter(|_| !is_narrative) {
            self.play(read);
        }
        let around = self.draw(weighted(if is_narrative { 0.08 } else { 0.15 }));
        // Nothing comes between the steps of a script that begins here.
        let around = around && self.undisturbed == 0;
        let dependent = around.then(|| self.dependent_of(&step)).flatten();
        if let Some(read) = &dependent {
            self.play(read.clone());
        }
        let reads = self.play(step);
        if let Some(read) = dependent {
            self.play(read);
            return;
        }
        if reads {
            return;
        }
        if self.draw(weighted(0.3))
            && let Some(step) = self.same_of_another()
        {
            self.play(step);
            return;
        }
        // What a write changes is read, and by turns something that it must leave alone.
        let read = match self.draw(0_u32..100) {
            0..40 if !is_narrative => self.steps.last().and_then(requests::read_back),
            40..52 => self.bystander(),
            52..56 => self.crossing(),
            _ => None,
        };
        if let Some(read) = read {
            self.play(read);
        }
    }

    /// Whether the goal that the case began with is not reached, and more of the case is over than may go into other
    /// steps: what is cut off is never asked.
    fn is_pressed(&self) -> bool {
        let rest = if self.goal.is_tabled() {
            // Each of its steps is a request of its own kind, and needs nothing beside it.
            self.most
        } else if self.goal.is_narrative() {
            self.most / 4 * 3
        } else {
            self.most / 2
        };
        self.reached == 0 && self.room() < rest
    }

    fn was_refused(&self) -> bool {
        self.walked.last().is_some_and(|(_, predicted)| predicted.refusal.is_some())
    }

    /// Whether the last step repeats the one before, for the first time.
    fn was_repeated(&self) -> bool {
        let mut last = self.steps.iter().rev().map(|step| &step.action);
        let [one, two, three] = [last.next(), last.next(), last.next()];
        one.is_some() && one == two && two != three
    }

    fn next_toward_goal(&mut self) -> Step {
        for _ in 0..8 {
            if let Some(step) = self.step_toward_goal() {
                return step;
            }
            self.goal = self.next_goal();
        }
        self.wander()
    }

    /// Adds a step and plays it on the model. Returns whether the step is a read.
    fn play(&mut self, mut step: Step) -> bool {
        if self.are_namesakes {
            names::call_alike(&mut step);
        }
        // A repeat of a named step must not take its name.
        if self.steps.iter().any(|earlier| step.name.is_some() && earlier.name == step.name) {
            step.name = None;
        }
        let may_lead_nowhere = requests::may_lead_nowhere(&step);
        if may_lead_nowhere {
            step.name = Some(self.fresh_name("nowhere"));
        }
        let name = step.name.clone().filter(|_| may_lead_nowhere);
        let sent = Prepared::from_step(&step, &self.memory, Service::FIRST_KEY);
        let prediction = Prediction::by(&mut self.model, &sent);
        if step.name.is_some() {
            self.memory.keep(&step, prediction.answer.read().json());
        }
        if prediction.answer.is_success() {
            self.remember(&step);
            self.remember_reads(&step);
            self.is_watched |= requests::watches(&step);
        }
        let reads = matches!(&step.action, Action::Call(call) if call.method == "GET");
        self.steps.push(step);
        self.walked.push((sent, prediction));
        if let Some(name) = name {
            // Each event would be sent there for 28 hours, and every move of the clock would wait for that.
            self.play(requests::unsubscribe(&format!("${{{name}.reference}}")));
        }
        reads
    }

    /// Remembers the read that shows the effect of a step, or that the step is this read.
    fn remember_reads(&mut self, step: &Step) {
        let Some(read) = requests::read_back(step) else {
            self.unread.retain(|read| read.action != step.action || read.caller != step.caller);
            return;
        };
        if !self.written.contains(&read) {
            self.written.push(read.clone());
        }
        if frame::changes_what_it_names(step) && !self.unread.contains(&read) {
            self.unread.push(read);
        }
    }

    /// The response that `caller` would get to a read now. Plays nothing.
    fn peek(&mut self, caller: &Caller, operation: Operation) -> Option<Reply> {
        let authorization = caller.authorization(&self.memory, Service::FIRST_KEY);
        let now = self.model.now();
        let read = |face: &mut Service| {
            let platform = face.authenticate(authorization.as_deref()).ok()?;
            face.handle(now, platform, operation).ok()
        };
        if self.may_fail {
            // An announced failure must hit a played request, not this read.
            return read(&mut self.model.face().clone());
        }
        read(self.model.face_mut())
    }

    fn peek_business(&mut self, caller: &Caller, business: &str) -> Option<reply::Business> {
        match self.peek(caller, Operation::GetBusiness { business: business.to_owned() })? {
            Reply::Business(business) => Some(business),
            _ => None,
        }
    }

    fn peek_invoice(
        &mut self,
        caller: &Caller,
        payee: &str,
        invoice: &str,
    ) -> Option<Box<reply::Invoice>> {
        let (payee, invoice) = (payee.to_owned(), invoice.to_owned());
        match self.peek(caller, Operation::GetInvoice { payee, invoice })? {
            Reply::Invoice(invoice) => Some(invoice),
            _ => None,
        }
    }

    /// Remembers the effects of a step that no read shows.
    fn remember(&mut self, step: &Step) {
        let caller = caller_name(&step.caller);
        match &step.action {
            Action::Act(fields)
                if ActionKind::of(fields) == Some(ActionKind::VendorAcceptsInvitation) =>
            {
                let payee = fields["payeeExternalId"].as_str().unwrap_or_default();
                self.claimed.insert((caller, payee.to_owned()));
            }
            Action::Act(fields) if ActionKind::of(fields) == Some(ActionKind::UpstreamFails) => {
                self.may_fail = true
            }
            Action::Call(call) => {
                let address =
                    call.body.as_ref().and_then(|body| body.get("contact")?.get("address"));
                if address.is_some_and(|address| address.get("postalCode").is_some()) {
                    self.addressed.insert((caller, call.path.clone()));
                }
            }
            _ => {}
        }
    }

    /// A value of `strategy`.
    fn draw<S: Strategy>(&mut self, strategy: S) -> S::Value {
        self.source.value(strategy)
    }

    /// One of `choices`.
    fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        self.source.pick(choices).clone()
    }

    /// An unused name for a step.
    fn fresh_name(&mut self, what: &str) -> String {
        self.names += 1;
        format!("{what}{}", self.names)
    }
}

fn caller_name(caller: &Caller) -> String {
    match caller {
        Caller::Default => String::new(),
        Caller::Key(key) | Caller::Header(key) => key.clone(),
        Caller::Nobody => "nobody".to_owned(),
    }
}

/// Returns the stage of a goal, and moves to the next one.
fn next_stage(stage: &mut usize) -> usize {
    let now = *stage;
    *stage += 1;
    now
}
