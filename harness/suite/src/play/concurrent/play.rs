//! Sends the requests of a race at once, and records calls and responses.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Instant;

use tideover_exchange::Memory;
use tideover_exchange::Race;
use tideover_exchange::step::Step;
use tideover_exchange::target::{Applied, Unanswered};
use tideover_exchange::{Prepared, PreparedAction, Response};
use tideover_model::Timestamp;
use tokio::task::LocalSet;

use crate::play::case::{Observed, TargetWorld};
use crate::play::concurrent::history::{ALONE, History, TimedRequest, TimedResponse};

/// Plays `race` against `target`, each client with a clone of it, until no more can be sent. `now` is the target's time
/// until a response shows another one. No response is an outcome like any other.
pub async fn play<T: Observed + Clone + 'static>(
    target: &T,
    race: &Race,
    now: Timestamp,
) -> History {
    let record = Record::new(now);
    let mut alone = Player::new(ALONE, target, now, &record);
    alone.play_all(&race.before).await;
    let together = LocalSet::new();
    for (index, steps) in race.clients.iter().enumerate() {
        let mut player = Player { client: index + 1, ..alone.clone() };
        let steps = steps.clone();
        together.spawn_local(async move {
            player.play_all(&steps).await;
        });
    }
    together.await;
    alone.play_all(&race.after).await;
    drop(alone);
    record.take()
}

/// A client: it sends one step after the other.
#[derive(Clone)]
struct Player<T> {
    client: usize,
    target: T,
    memory: Memory,
    record: Rc<Record>,
}

impl<T: Observed + Clone> Player<T> {
    fn new(client: usize, target: &T, now: Timestamp, record: &Rc<Record>) -> Player<T> {
        let (target, memory) = (target.clone(), target.memory().starting(now));
        Player { client, target, memory, record: Rc::clone(record) }
    }

    async fn play_all(&mut self, steps: &[Step]) {
        for step in steps {
            // A request without a response stays in the history, and the client goes on.
            if self.play(step).await.is_err_and(|unanswered| unanswered.is_last) {
                return;
            }
        }
    }

    async fn play(&mut self, step: &Step) -> Result<(), Unanswered> {
        if let TargetWorld::Foreign { now, .. } = self.target.world() {
            self.record.now.replace(now);
        }
        let sent = Prepared::from_step(step, &self.memory, self.target.api_key());
        let request = self.record.call(self.client, step, sent.clone());
        match self.target.send(&sent).await {
            Ok(seen) => {
                self.memory.keep(step, seen.json());
                self.record.respond(request, seen);
                Ok(())
            }
            Err(unanswered) => {
                if unanswered.applied == Applied::Never {
                    self.record.withdraw(request);
                }
                Err(unanswered)
            }
        }
    }
}

/// The history so far.
struct Record {
    began: Instant,
    now: RefCell<Timestamp>,
    history: RefCell<History>,
    /// Requests that were never sent.
    withdrawn: RefCell<BTreeSet<usize>>,
}

impl Record {
    fn new(now: Timestamp) -> Rc<Record> {
        let (history, withdrawn) = (RefCell::default(), RefCell::default());
        Rc::new(Record { began: Instant::now(), now: RefCell::new(now), history, withdrawn })
    }

    fn micros(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn call(&self, client: usize, step: &Step, sent: Prepared) -> usize {
        let (called, now) = (self.micros(), *self.now.borrow());
        let requests = &mut self.history.borrow_mut().requests;
        let step = step.clone();
        requests.push(TimedRequest { client, step, sent, called, now, response: None });
        requests.len() - 1
    }

    fn respond(&self, request: usize, seen: Response) {
        let at = self.micros();
        let request = &mut self.history.borrow_mut().requests[request];
        if matches!(request.sent.action, PreparedAction::Advance(_))
            && let Some(now) = seen.json().and_then(|body| body.get("now")?.as_str())
            && let Some(now) = Timestamp::parse(now)
        {
            *self.now.borrow_mut() = now;
        }
        request.response = Some(TimedResponse { at, seen });
    }

    fn withdraw(&self, request: usize) {
        self.withdrawn.borrow_mut().insert(request);
    }

    fn take(&self) -> History {
        let withdrawn = self.withdrawn.take();
        let requests = self.history.take().requests.into_iter().enumerate();
        let sent = requests.filter(|(index, _)| !withdrawn.contains(index));
        History { requests: sent.map(|(_, request)| request).collect(), is_timed: true }
    }
}
