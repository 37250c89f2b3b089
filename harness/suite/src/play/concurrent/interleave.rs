//! Requests in flight at once at a target in process. The seed decides when each is called, takes effect and gets its
//! response, and which responses get lost.

use tideover_exchange::Memory;
use tideover_exchange::step::Step;
use tideover_exchange::target::{Interleaved, ModelTarget, NO_INBOX, Target};
use tideover_exchange::{Prepared, Race, Response};

use crate::generate::draw::Draw;
use crate::play::concurrent::history::{ALONE, History, TimedRequest, TimedResponse};

/// What decides how requests interleave.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    pub seed: u64,
    /// The percentage of lost responses in a race.
    pub lost: usize,
}

/// Plays `race` against `target`. Each request takes effect at one moment between its call and its response.
pub fn interleave<F: Interleaved>(
    target: &mut ModelTarget<F>,
    race: &Race,
    schedule: Schedule,
) -> History {
    let mut scheduler = Scheduler {
        target,
        lost: schedule.lost,
        draw: Draw::new([schedule.seed, 0, 0]),
        tick: 0,
        history: History::default(),
        strays: Vec::new(),
    };
    let inbox = scheduler.target.inbox().unwrap_or(NO_INBOX).to_owned();
    let mut memory = Memory::with_inbox(&inbox).starting(scheduler.target.now());
    for step in &race.before {
        scheduler.play_alone(step, &mut memory);
    }
    scheduler.race(&race.clients, &memory);
    for step in &race.after {
        // A request without a response may still arrive now, or never.
        if scheduler.draw.percent(30) {
            scheduler.let_one_arrive();
        }
        scheduler.play_alone(step, &mut memory);
    }
    scheduler.history
}

struct Scheduler<'a, F> {
    target: &'a mut ModelTarget<F>,
    lost: usize,
    draw: Draw,
    tick: u64,
    history: History,
    /// Requests whose responses are lost, and that have not taken effect yet.
    strays: Vec<Called<F>>,
}

/// A request that has not taken effect yet.
struct Called<F> {
    sent: Prepared,
    glimpse: Option<F>,
}

struct Client<'a, F> {
    steps: std::slice::Iter<'a, Step>,
    memory: Memory,
    in_flight: Option<(&'a Step, usize, Stage<F>)>,
}

enum Stage<F> {
    Called(Called<F>),
    Handled(Response),
}

impl<F: Interleaved> Scheduler<'_, F> {
    fn play_alone(&mut self, step: &Step, memory: &mut Memory) {
        let (request, called) = self.call(ALONE, step, memory);
        let seen = self.handle(called);
        memory.keep(step, seen.json());
        self.respond(request, seen);
    }

    fn race(&mut self, clients: &[Vec<Step>], memory: &Memory) {
        let client = |steps| Client { steps, memory: memory.clone(), in_flight: None };
        let mut clients: Vec<Client<'_, F>> =
            clients.iter().map(|steps| client(steps.iter())).collect();
        let mut active: Vec<usize> = (0..clients.len()).collect();
        while !active.is_empty() {
            let chosen = self.draw.below(active.len());
            if !self.go_on(active[chosen] + 1, &mut clients[active[chosen]]) {
                active.swap_remove(chosen);
            }
            if self.draw.percent(10) {
                self.let_one_arrive();
            }
        }
    }

    /// Moves a client by one: it sends a request, the request takes effect, or the response arrives. Returns `false` once
    /// the client has nothing more to send.
    fn go_on<'a>(&mut self, number: usize, client: &mut Client<'a, F>) -> bool {
        match client.in_flight.take() {
            None => {
                let Some(step) = client.steps.next() else { return false };
                let (request, called) = self.call(number, step, &client.memory);
                if self.draw.percent(self.lost) {
                    // One in three never arrives.
                    if self.draw.below(3) > 0 {
                        self.strays.push(called);
                    }
                } else {
                    client.in_flight = Some((step, request, Stage::Called(called)));
                }
            }
            Some((step, request, Stage::Called(called))) => {
                let seen = self.handle(called);
                client.in_flight = Some((step, request, Stage::Handled(seen)));
            }
            Some((step, request, Stage::Handled(seen))) => {
                client.memory.keep(step, seen.json());
                self.respond(request, seen);
            }
        }
        true
    }

    fn let_one_arrive(&mut self) {
        if !self.strays.is_empty() {
            let chosen = self.draw.below(self.strays.len());
            let stray = self.strays.swap_remove(chosen);
            self.handle(stray);
        }
    }

    fn call(&mut self, client: usize, step: &Step, memory: &Memory) -> (usize, Called<F>) {
        let sent = Prepared::from_step(step, memory, self.target.api_key());
        self.tick += 1;
        self.history.requests.push(TimedRequest {
            client,
            step: step.clone(),
            sent: sent.clone(),
            called: self.tick,
            now: self.target.now(),
            response: None,
        });
        let glimpse = self.target.face().glimpse();
        (self.history.requests.len() - 1, Called { sent, glimpse })
    }

    fn handle(&mut self, Called { sent, glimpse }: Called<F>) -> Response {
        if let Some(glimpse) = glimpse {
            self.target.face_mut().handle_as_of(glimpse);
        }
        let seen = self.target.play(&sent);
        self.target.forget_deliveries();
        seen
    }

    fn respond(&mut self, request: usize, seen: Response) {
        self.tick += 1;
        self.history.requests[request].response = Some(TimedResponse { at: self.tick, seen });
    }
}
