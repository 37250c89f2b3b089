//! Who judges what. A belief judges some parts together, because what it learns of one says something of the others.
//!
//! Where a response shows that the state before was not as assumed, only the request's part starts over. Memory is bounded:
//! the beliefs that have judged nothing for the longest are given up, and the parts that they judged are forgotten.

use std::collections::BTreeMap;
use std::sync::Arc;

use tideover_exchange::evidence::finding::Finding;
use tideover_exchange::transcript::Header;
use tideover_exchange::{Prepared, PreparedAction, Response};
use tideover_judge::{Outside, PriorState};
use tideover_model::Timestamp;
use tideover_suite::play::case::Listener;

use crate::recorded::Recorded;
use crate::recorded::known::{KnownEntities, identifiers_in};
use crate::recorded::parts::{Part, Parts};

/// The most parts that one belief judges. Most parts are one business and who it deals with.
const TOGETHER: usize = 256;
/// The most requests that one belief judges before its parts start over.
const MOST_OF_ONE: usize = 4096;
/// The most requests that all beliefs have judged together.
const MOST: usize = 32_768;
/// The most bytes in the bodies of these requests and their responses.
const MOST_BYTES: usize = 128 << 20;

/// A request that was judged, with the names that it has in its path and its body.
#[derive(Debug)]
pub(super) struct Heard {
    pub(super) one: Recorded,
    pub(super) names: Vec<String>,
    bytes: usize,
}

impl Heard {
    pub(super) fn new(one: Recorded) -> Heard {
        let names = identifiers_in(&one.sent);
        let sent = one.sent.call().map_or(0, |call| call.body().len() + call.path.len());
        // Parsed, a response takes several times its text.
        let seen = one.seen.as_ref().and_then(Response::json).map_or(0, |body| body.to_string().len());
        Heard { one, names, bytes: sent + seen * 4 }
    }
}

/// A belief, and what it has judged.
pub(super) struct Seat {
    listener: Listener,
    /// The headers with keys that the belief knows.
    keys: Vec<String>,
    pub(super) known: KnownEntities,
    /// What it has judged, in order.
    pub(super) judged: Vec<Arc<Heard>>,
    bytes: usize,
    /// The number of parts that it judges.
    parts: usize,
    /// The number of requests before the last one that it judged.
    used: u64,
}

/// What each belief begins with.
pub(super) struct Beginning {
    pub(super) header: Header,
    pub(super) inbox: Option<String>,
    /// What the operator did, which the beliefs cannot see.
    pub(super) acts: Vec<Recorded>,
}

impl Beginning {
    fn seat(&self, key: Option<&str>, used: u64) -> Seat {
        let keys: Vec<String> = key.map(str::to_owned).into_iter().collect();
        let unknown = (Outside::Open, PriorState::Anything);
        let mut listener = Listener::new(&self.header, &keys, self.inbox.as_deref(), unknown);
        for act in &self.acts {
            act.seen.iter().for_each(|seen| listener.recall(&act.sent, seen, act.now));
        }
        let (known, judged) = (KnownEntities::default(), Vec::new());
        Seat { listener, keys, known, judged, bytes: 0, parts: 0, used }
    }
}

impl Seat {
    pub(super) fn judge(&mut self, heard: &Arc<Heard>) -> Vec<Finding> {
        self.keep(heard);
        let Recorded { sent, seen, since, now } = &heard.one;
        let findings = self.listener.listen(sent, seen.as_ref(), *since, *now);
        // The document doesn't say what the operator may do.
        let is_call = matches!(sent.action, PreparedAction::Call(_));
        if is_call { findings } else { Vec::new() }
    }

    /// Whether a response contradicts the state, and may show the one before a write.
    pub(super) fn may_lag(&self, one: &Recorded) -> bool {
        let lags = |seen| self.listener.may_lag(&one.sent, seen, one.now);
        one.seen.as_ref().is_some_and(lags)
    }

    /// Whether a later response to the same request shows that it did.
    pub(super) fn shows_lag(&self, sent: &Prepared, seen: &Response, now: Timestamp) -> bool {
        self.listener.explains(sent, seen, now)
    }

    /// Passes over a response that lags.
    pub(super) fn pass_over(&mut self, heard: &Arc<Heard>) {
        self.keep(heard);
        if let Some(seen) = &heard.one.seen {
            self.listener.pass_over(&heard.one.sent, seen, heard.one.now);
        }
    }

    fn keep(&mut self, heard: &Arc<Heard>) {
        self.bytes += heard.bytes;
        self.judged.push(Arc::clone(heard));
    }

    pub(super) fn conclude(self) -> (tideover_suite::play::case::Played, Vec<Arc<Heard>>) {
        (self.listener.conclude(), self.judged)
    }
}

/// The beliefs, and which parts each judges.
#[derive(Default)]
pub(super) struct Seats {
    seats: BTreeMap<u64, Seat>,
    of: BTreeMap<Part, u64>,
    /// The one that takes new parts.
    open: Option<u64>,
    next: u64,
    uses: u64,
    /// Those that were given up or replaced. Their findings still count.
    pub(super) closed: Vec<Seat>,
}

impl Seats {
    /// The belief that judges a part, which knows the key of `key` if that was accepted.
    pub(super) fn of(&mut self, part: Part, key: Option<&str>, beginning: &Beginning) -> &mut Seat {
        self.uses += 1;
        let number = match self.of.get(&part) {
            Some(number) => *number,
            None => self.sit_down(part, key, beginning),
        };
        let seat = self.seats.entry(number).or_insert_with(|| beginning.seat(key, 0));
        seat.used = self.uses;
        if let Some(key) = key.filter(|key| !seat.keys.iter().any(|known| known == key)) {
            if seat.keys.is_empty() {
                // What it took for the first key was none.
                let parts = seat.parts;
                let fresh = Seat { parts, ..beginning.seat(Some(key), self.uses) };
                self.closed.push(std::mem::replace(seat, fresh));
            } else {
                seat.listener.introduce(key);
                seat.keys.push(key.to_owned());
            }
        }
        seat
    }

    /// The belief that judges a part, if it has judged it before.
    pub(super) fn seated(&self, part: Part) -> Option<&Seat> {
        self.of.get(&part).and_then(|number| self.seats.get(number))
    }

    fn sit_down(&mut self, part: Part, key: Option<&str>, beginning: &Beginning) -> u64 {
        let has_room = |seat: &Seat| seat.parts < TOGETHER && seat.judged.len() < MOST_OF_ONE / 2;
        let open = self.open.filter(|open| self.seats.get(open).is_some_and(has_room));
        let number = open.unwrap_or_else(|| self.add(beginning.seat(key, self.uses)));
        self.open = Some(number);
        self.put(part, number);
        number
    }

    fn add(&mut self, seat: Seat) -> u64 {
        self.next += 1;
        self.seats.insert(self.next, seat);
        self.next
    }

    fn put(&mut self, part: Part, number: u64) {
        self.leave(part);
        self.of.insert(part, number);
        self.seats.entry(number).and_modify(|seat| seat.parts += 1);
    }

    /// Takes a part from its belief, which is closed if it has no other and takes no new ones.
    fn leave(&mut self, part: Part) {
        let Some(number) = self.of.remove(&part) else { return };
        let Some(seat) = self.seats.get_mut(&number) else { return };
        seat.parts -= 1;
        if seat.parts == 0 && self.open != Some(number) {
            self.closed.extend(self.seats.remove(&number));
        }
    }

    /// Lets a part start over with a belief of its own.
    pub(super) fn start_over(
        &mut self,
        part: Part,
        key: Option<&str>,
        beginning: &Beginning,
    ) -> &mut Seat {
        if part == Part::Everything {
            self.close_all();
        }
        let number = self.add(beginning.seat(key, self.uses));
        self.put(part, number);
        self.seats.entry(number).or_insert_with(|| beginning.seat(key, 0))
    }

    /// Puts parts together that a request has joined into one of them.
    pub(super) fn join(&mut self, joined: &[Part], into: Part) {
        let numbers: Vec<u64> = joined.iter().filter_map(|part| self.of.get(part).copied()).collect();
        let is_one = numbers.windows(2).all(|pair| pair[0] == pair[1]);
        joined.iter().for_each(|part| self.leave(*part));
        // Two beliefs know two halves, and neither knows what the whole is.
        if let Some(number) = numbers.first().filter(|number| is_one && self.seats.contains_key(number)) {
            self.put(into, *number);
        }
    }

    /// Forgets what was known of a part.
    pub(super) fn forget(&mut self, part: Part) {
        match part {
            Part::Everything => self.close_all(),
            part => self.leave(part),
        }
        // The state of the part differs from the one that an old belief would assume.
        self.open = None;
    }

    /// Tells the beliefs that have not judged it what the operator did.
    pub(super) fn recall(&mut self, judged_by: Part, one: &Recorded) {
        let own = self.of.get(&judged_by).copied();
        let Some(seen) = &one.seen else { return };
        for (_, seat) in self.seats.iter_mut().filter(|(number, _)| Some(**number) != own) {
            seat.listener.recall(&one.sent, seen, one.now);
        }
    }

    /// Gives up what exceeds the bounds. Returns the number of parts that are forgotten.
    pub(super) fn stay_within_bounds(&mut self, parts: &mut Parts) -> usize {
        let mut forgotten = 0;
        while let Some(number) = self.to_give_up() {
            let own: Vec<Part> =
                self.of.iter().filter(|(_, of)| **of == number).map(|(part, _)| *part).collect();
            forgotten += own.iter().filter(|part| matches!(part, Part::Of(_))).count();
            for part in own {
                self.of.remove(&part);
                parts.forget(part);
            }
            self.closed.extend(self.seats.remove(&number));
        }
        forgotten
    }

    /// The belief to give up: one that is full, or the one that has judged nothing for the longest.
    fn to_give_up(&self) -> Option<u64> {
        let is_full = |seat: &Seat| seat.judged.len() >= MOST_OF_ONE;
        if let Some((number, _)) = self.seats.iter().find(|(_, seat)| is_full(seat)) {
            return Some(*number);
        }
        let requests: usize = self.seats.values().map(|seat| seat.judged.len()).sum();
        let bytes: usize = self.seats.values().map(|seat| seat.bytes).sum();
        if requests <= MOST && bytes <= MOST_BYTES {
            return None;
        }
        self.seats.iter().min_by_key(|(_, seat)| seat.used).map(|(number, _)| *number)
    }

    pub(super) fn close_all(&mut self) {
        self.of.clear();
        self.open = None;
        self.closed.extend(std::mem::take(&mut self.seats).into_values());
    }
}
