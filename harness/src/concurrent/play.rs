//! Requests sent at once to a target, and written down as they were called and answered.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;

use tideover_model::Timestamp;
use tokio::task::LocalSet;

use crate::concurrent::history::{Answer, History, Request};
use crate::step::{Memory, Step};
use crate::target::NO_INBOX;
use crate::target::{Prepared, PreparedAction, Seen, Target, Unreachable};

/// Steps, some of which are sent at once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Race {
    /// One after the other, first.
    pub before: Vec<Step>,
    /// Those of each client one after the other, all clients at once.
    pub clients: Vec<Vec<Step>>,
    /// One after the other, once all were answered: what is read decides what was carried out.
    pub after: Vec<Step>,
}

/// Who sends what comes before the race and after it; the clients in it are numbered from 1.
pub(super) const ALONE: usize = 0;

/// Plays `race` against `target`, each client with a clone of it; its clock shows `now`.
///
/// # Errors
/// [`Unreachable`] if no answer comes to a step that is played alone. In the race that is an outcome like any
/// other.
pub async fn play<T: Target + Clone + 'static>(
    target: &T,
    race: &Race,
    now: Timestamp,
) -> Result<History, Unreachable> {
    let record = Record::new(now);
    let mut alone = Player::new(ALONE, target, &record);
    for step in &race.before {
        alone.play(step).await?;
    }
    let together = LocalSet::new();
    for (index, steps) in race.clients.iter().enumerate() {
        let mut player = Player { client: index + 1, ..alone.clone() };
        let steps = steps.clone();
        together.spawn_local(async move {
            for step in &steps {
                // No answer is told by the history.
                let _ = player.play(step).await;
            }
        });
    }
    together.await;
    for step in &race.after {
        alone.play(step).await?;
    }
    drop(alone);
    Ok(record.take())
}

/// Somebody who sends one step after the other.
#[derive(Clone)]
struct Player<T> {
    client: usize,
    target: T,
    memory: Memory,
    record: Rc<Record>,
}

impl<T: Target + Clone> Player<T> {
    fn new(client: usize, target: &T, record: &Rc<Record>) -> Player<T> {
        let memory = Memory::with_inbox(target.inbox().unwrap_or(NO_INBOX));
        Player { client, target: target.clone(), memory, record: Rc::clone(record) }
    }

    async fn play(&mut self, step: &Step) -> Result<(), Unreachable> {
        let sent = Prepared::from_step(step, &self.memory, self.target.api_key());
        let request = self.record.call(self.client, sent.clone());
        let seen = self.target.send(&sent).await?;
        self.memory.keep(step, seen.json());
        self.record.answer(request, seen);
        Ok(())
    }
}

/// A history in the making.
struct Record {
    began: Instant,
    now: RefCell<Timestamp>,
    history: RefCell<History>,
}

impl Record {
    fn new(now: Timestamp) -> Rc<Record> {
        let (now, history) = (RefCell::new(now), RefCell::default());
        Rc::new(Record { began: Instant::now(), now, history })
    }

    fn micros(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn call(&self, client: usize, sent: Prepared) -> usize {
        let (called, now) = (self.micros(), *self.now.borrow());
        let requests = &mut self.history.borrow_mut().requests;
        requests.push(Request { client, sent, called, now, answer: None });
        requests.len() - 1
    }

    fn answer(&self, request: usize, seen: Seen) {
        let at = self.micros();
        let request = &mut self.history.borrow_mut().requests[request];
        if matches!(request.sent.action, PreparedAction::Advance(_))
            && let Some(now) = seen.json().and_then(|body| body.get("now")?.as_str())
            && let Some(now) = Timestamp::parse(now)
        {
            *self.now.borrow_mut() = now;
        }
        request.answer = Some(Answer { at, seen });
    }

    fn take(&self) -> History {
        self.history.take()
    }
}
