//! A belief for each part. The search for what explains a response costs less the fewer businesses a belief is about.
//!
//! Where a response shows that the state before was not as assumed, only the request's part starts over. Memory is bounded:
//! the parts that were asked about the longest ago are forgotten.

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

/// The most parts that are known. Most are one business and those that only it deals with.
const MOST_PARTS: usize = 4096;
/// The most requests about one part before it starts over.
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
        let seen =
            one.seen.as_ref().and_then(Response::json).map_or(0, |body| body.to_string().len());
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
    /// When it judged last: a number that grows.
    used: u64,
    /// The requests and the bytes that count for it.
    held: (usize, usize),
}

/// What each belief begins with.
pub(super) struct Beginning {
    pub(super) header: Header,
    pub(super) inbox: Option<String>,
    /// Whether nobody else uses the keys.
    pub(super) alone: bool,
    /// The headers with the keys that are known from the start.
    pub(super) keys: Vec<String>,
    /// What the operator did, which the beliefs cannot see.
    pub(super) acts: Vec<Recorded>,
}

impl Beginning {
    fn seat(&self, key: Option<&str>) -> Seat {
        let mut keys = self.keys.clone();
        keys.extend(key.filter(|key| !self.keys.iter().any(|it| it == key)).map(str::to_owned));
        let unknown = (Outside::Open, PriorState::Anything);
        let mut listener =
            Listener::new(&self.header, &keys, self.inbox.as_deref(), unknown, self.alone);
        for act in &self.acts {
            act.seen.iter().for_each(|seen| listener.recall(&act.sent, seen, act.now));
        }
        let (known, judged) = (KnownEntities::default(), Vec::new());
        Seat { listener, keys, known, judged, used: 0, held: (0, 0) }
    }
}

impl Seat {
    pub(super) fn judge(&mut self, heard: &Arc<Heard>) -> Vec<Finding> {
        self.judged.push(Arc::clone(heard));
        let Recorded { sent, seen, since, now } = &heard.one;
        let findings = self.listener.listen(sent, seen.as_ref(), *since, *now);
        // The document doesn't say what the operator may do.
        let is_call = matches!(sent.action, PreparedAction::Call(_));
        if is_call { findings } else { Vec::new() }
    }

    /// Forgets what responses have shown of the service's clock.
    pub(super) fn forget_clock(&mut self) {
        self.listener.forget_clock();
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
        self.judged.push(Arc::clone(heard));
        if let Some(seen) = &heard.one.seen {
            self.listener.pass_over(&heard.one.sent, seen, heard.one.now);
        }
    }

    pub(super) fn conclude(self) -> (tideover_suite::play::case::Played, Vec<Arc<Heard>>) {
        (self.listener.conclude(), self.judged)
    }
}

/// The beliefs, one for each part.
#[derive(Default)]
pub(super) struct Seats {
    seats: BTreeMap<Part, Seat>,
    /// When each belief judged last, with its part.
    order: BTreeMap<u64, Part>,
    uses: u64,
    /// The requests and the bytes that count for all.
    held: (usize, usize),
    /// Those that were given up or replaced. Their findings still count.
    pub(super) closed: Vec<Seat>,
}

impl Seats {
    /// The belief about a part, which knows the key of `key` if that was accepted.
    pub(super) fn of(&mut self, part: Part, key: Option<&str>, beginning: &Beginning) -> &mut Seat {
        self.uses += 1;
        let uses = self.uses;
        let seat = self.seats.entry(part).or_insert_with(|| beginning.seat(key));
        self.order.remove(&seat.used);
        self.order.insert(uses, part);
        seat.used = uses;
        if let Some(key) = key.filter(|key| !seat.keys.iter().any(|known| known == key)) {
            if seat.keys.is_empty() {
                // What it took for the first key was none.
                let fresh = Seat { used: uses, held: seat.held, ..beginning.seat(Some(key)) };
                self.closed.push(std::mem::replace(seat, fresh));
            } else {
                seat.listener.introduce(key);
                seat.keys.push(key.to_owned());
            }
        }
        seat
    }

    /// The belief about a part, if there is one.
    pub(super) fn known(&self, part: Part) -> Option<&Seat> {
        self.seats.get(&part)
    }

    /// Counts what the belief about a part keeps of a request.
    pub(super) fn count(&mut self, part: Part, heard: &Heard) {
        if let Some(seat) = self.seats.get_mut(&part) {
            seat.held = (seat.held.0 + 1, seat.held.1 + heard.bytes);
            self.held = (self.held.0 + 1, self.held.1 + heard.bytes);
        }
    }

    /// Lets a part start over.
    pub(super) fn start_over(
        &mut self,
        part: Part,
        key: Option<&str>,
        beginning: &Beginning,
    ) -> &mut Seat {
        self.forget(part);
        self.of(part, key, beginning)
    }

    /// Puts parts together that a request has joined into one of them.
    pub(super) fn join(&mut self, joined: &[Part], into: Part) {
        let known = joined.iter().filter(|part| self.seats.contains_key(part));
        let known: Vec<Part> = known.copied().collect();
        match known[..] {
            [] => {}
            [only] => {
                if let Some(seat) = self.take(only) {
                    self.order.insert(seat.used, into);
                    self.held = (self.held.0 + seat.held.0, self.held.1 + seat.held.1);
                    self.seats.insert(into, seat);
                }
            }
            // Each belief knows a part of it, and none knows what the whole is.
            _ => known.iter().for_each(|part| self.forget(*part)),
        }
    }

    /// Forgets what was known of a part; of all parts, if it is unknown which one.
    pub(super) fn forget(&mut self, part: Part) {
        if part == Part::Everything {
            return self.close_all();
        }
        let seat = self.take(part);
        self.closed.extend(seat);
    }

    fn take(&mut self, part: Part) -> Option<Seat> {
        let seat = self.seats.remove(&part)?;
        self.order.remove(&seat.used);
        self.held = (self.held.0 - seat.held.0, self.held.1 - seat.held.1);
        Some(seat)
    }

    /// Applies what the operator did to the beliefs that have not judged it.
    pub(super) fn recall(&mut self, judged_by: Part, one: &Recorded) {
        let Some(seen) = &one.seen else { return };
        for (_, seat) in self.seats.iter_mut().filter(|(part, _)| **part != judged_by) {
            seat.listener.recall(&one.sent, seen, one.now);
        }
    }

    /// Gives up what exceeds the bounds after a request of `last`. Returns the number of parts that are forgotten.
    pub(super) fn stay_within_bounds(&mut self, last: Part, parts: &mut Parts) -> usize {
        let mut forgotten = 0;
        let is_full = |seat: &Seat| seat.judged.len() >= MOST_OF_ONE;
        let full = self.seats.get(&last).is_some_and(is_full).then_some(last);
        let mut next = full;
        while let Some(part) = next.take().or_else(|| self.longest_unused()) {
            self.forget(part);
            parts.forget(part);
            forgotten += usize::from(matches!(part, Part::Of(_)));
        }
        forgotten
    }

    /// The part that was asked about the longest ago, if something must be given up.
    fn longest_unused(&self) -> Option<Part> {
        let (requests, bytes) = self.held;
        let exceeds = self.seats.len() > MOST_PARTS || requests > MOST || bytes > MOST_BYTES;
        self.order.values().next().copied().filter(|_| exceeds)
    }

    pub(super) fn close_all(&mut self) {
        self.order.clear();
        self.held = (0, 0);
        self.closed.extend(std::mem::take(&mut self.seats).into_values());
    }
}
