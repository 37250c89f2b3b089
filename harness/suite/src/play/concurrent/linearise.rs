//! Linearizability: the search for an order in which the model gives the observed responses.
//!
//! It is Wing and Gong's search with Lowe's linked list and memo. A request may come next if it was called before the
//! first response of a request without a place, and if the world explains its own response.
//!
//! The search skips what cannot change its result:
//!
//! - What a memo knows: the same requests have led to the same world before, so that the rest of the search would be
//!   the same. The memo compares worlds, not only their fingerprints.
//! - Other choices beside a request that leaves the world unchanged: an order in which it comes later stays one when it
//!   comes now, because the others meet the same world, and nothing before it waits for it.
//! - Requests that failed in this world, until the world changes: the same request would fail again.
//!
//! A request without a response may take effect at any time after its call, or never. It is tried last, and only if it
//! changes the world: otherwise leaving it out is as good. The search ends once every response is explained, so that
//! such a request need not have a place.
//!
//! Assumed are that requests take effect one after the other, and that a caller reads its own writes
//! (`gap.readOwnWrites`). Limits are not part of a world: `contradictions/limits.rs` looks for a limit that explains all
//! refusals.

use std::collections::HashMap;
use std::rc::Rc;

use tideover_exchange::evidence::Point;
use tideover_judge::{Candidate, Explainer, Hypothesis, Observation, Revealed};

use crate::play::concurrent::history::{History, TimedRequest};
use crate::play::concurrent::timeline::Timeline;

/// Whether there is an order that explains every response of a part.
#[derive(Clone, Debug, PartialEq)]
pub enum OrderVerdict {
    /// This order, by index. A request without a response that is not in it need not have happened.
    Explained(Vec<usize>),
    /// The search reached its bound first.
    Undecided,
    /// There is none. The document promises none, so that this alone violates nothing.
    Inconclusive(Option<Stuck>),
}

/// The longest order that the search found.
#[derive(Clone, Debug, PartialEq)]
pub struct Stuck {
    /// The requests of the order.
    pub placed: Vec<usize>,
    /// The request that had to come next.
    pub request: usize,
    /// What of its response was not as expected there: the field, what was expected, what was seen.
    pub differs: Vec<(String, String, String)>,
}

/// The search through one part of a history. It numbers the requests by their places in the part.
pub(super) struct Search<'a> {
    requests: Vec<&'a TimedRequest>,
    /// The number of each request in the history.
    numbers: &'a [usize],
    /// The choices of requests without a response, if they were carried out, by later responses.
    revealed: &'a [Revealed],
    explainer: Explainer,
    /// Whether a response must show exactly the state, even where the document leaves its form open.
    strict: bool,
    budget: usize,
    timeline: Timeline,
    /// The number of requests with a response that have no place yet.
    left: usize,
    placed: Vec<bool>,
    order: Vec<usize>,
    visited: HashMap<u64, Vec<Visited>>,
    stuck: Option<Stuck>,
}

/// Which requests have a place, and the world that they led to.
type Visited = (Vec<bool>, Rc<Hypothesis>);

/// A state of the search.
struct Node {
    world: Rc<Hypothesis>,
    to_try: std::vec::IntoIter<usize>,
    /// The worlds after the request tried last that the search has not entered yet.
    pending: Vec<Hypothesis>,
    tried: usize,
    /// Whether the request tried last leaves the world unchanged, so that it keeps this place.
    for_good: bool,
    /// The requests that fail in this world.
    failed: Vec<usize>,
}

impl<'a> Search<'a> {
    /// A search through the requests of `history` with these numbers. It is undecided after `budget` attempts to place a
    /// request.
    pub(super) fn new(
        history: &'a History,
        numbers: &'a [usize],
        revealed: &'a [Revealed],
        explainer: Explainer,
        budget: usize,
    ) -> Search<'a> {
        let requests: Vec<&TimedRequest> =
            numbers.iter().map(|number| &history.requests[*number]).collect();
        let interval = |one: &&TimedRequest| {
            (one.called, one.outcome().map(|response| response.at.max(one.called)))
        };
        let intervals: Vec<(u64, Option<u64>)> = requests.iter().map(interval).collect();
        let left = intervals.iter().filter(|(_, answered)| answered.is_some()).count();
        Search {
            timeline: Timeline::new(&intervals),
            placed: vec![false; requests.len()],
            requests,
            numbers,
            revealed,
            explainer,
            strict: explainer.deepest < tideover_judge::DEEPEST,
            budget,
            left,
            order: Vec::new(),
            visited: HashMap::new(),
            stuck: None,
        }
    }

    /// Looks for an order that starts in `world`.
    pub(super) fn run(mut self, mut world: Hypothesis) -> OrderVerdict {
        world.settle();
        let mut path = vec![self.node(Rc::new(world), Vec::new())];
        while self.left > 0 {
            let Some(node) = path.last_mut() else {
                return OrderVerdict::Inconclusive(self.stuck);
            };
            if let Some(world) = node.pending.pop() {
                let (request, for_good, world) = (node.tried, node.for_good, Rc::new(world));
                // What fails in a world fails in it still while it is unchanged.
                let failed = if for_good { std::mem::take(&mut node.failed) } else { Vec::new() };
                self.place(request);
                if for_good || self.is_new(&world) {
                    path.push(self.node(world, failed));
                } else {
                    self.take_back();
                }
                continue;
            }
            let Some(request) = node.to_try.next() else {
                path.pop();
                if !path.is_empty() {
                    self.take_back();
                }
                continue;
            };
            if self.budget == 0 {
                return OrderVerdict::Undecided;
            }
            self.budget -= 1;
            node.tried = request;
            let (worlds, changed) = self.attempt(&node.world, request);
            if worlds.is_empty() {
                node.failed.push(request);
            }
            if !changed && !worlds.is_empty() {
                // Any order in which it comes later is one in which it comes now.
                node.to_try = Vec::new().into_iter();
                node.for_good = true;
            }
            node.pending = worlds;
        }
        OrderVerdict::Explained(self.in_history(&self.order))
    }

    fn in_history(&self, requests: &[usize]) -> Vec<usize> {
        requests.iter().map(|request| self.numbers[*request]).collect()
    }

    /// The node of `world`. Requests without a response are tried last.
    fn node(&self, world: Rc<Hypothesis>, failed: Vec<usize>) -> Node {
        let mut callable = self.timeline.callable();
        callable.retain(|request| !failed.contains(request));
        let (mut known, unknown): (Vec<usize>, Vec<usize>) =
            callable.into_iter().partition(|one| self.requests[*one].outcome().is_some());
        known.extend(unknown);
        let (to_try, pending) = (known.into_iter(), Vec::new());
        Node { world, to_try, pending, tried: usize::MAX, for_good: false, failed }
    }

    fn place(&mut self, request: usize) {
        self.timeline.lift(request);
        self.placed[request] = true;
        self.order.push(request);
        self.left -= usize::from(self.requests[request].outcome().is_some());
    }

    fn take_back(&mut self) {
        let Some(request) = self.order.pop() else { return };
        self.timeline.put_back(request);
        self.placed[request] = false;
        self.left += usize::from(self.requests[request].outcome().is_some());
    }

    /// Whether the placed requests lead to `world` for the first time.
    fn is_new(&mut self, world: &Rc<Hypothesis>) -> bool {
        let met = self.visited.entry(world.fingerprint()).or_default();
        let same = |(placed, met): &Visited| *placed == self.placed && met.covers(world);
        if met.iter().any(same) {
            return false;
        }
        met.push((self.placed.clone(), Rc::clone(world)));
        true
    }

    /// The worlds after `request`, and whether any differs from `world`.
    fn attempt(&mut self, world: &Rc<Hypothesis>, request: usize) -> (Vec<Hypothesis>, bool) {
        let asked = self.requests[request];
        match asked.outcome() {
            None => (self.carry_out(world, request), true),
            Some(response) => {
                let observed =
                    Observation { sent: &asked.sent, seen: &response.seen, now: asked.now };
                let attempts = self.explainer.explain(std::slice::from_ref(world), observed);
                let explains = |Candidate { fit, .. }: &Candidate| {
                    fit.contradictions() == 0 && (!self.strict || fit.differences() == 0)
                };
                let (good, bad): (Vec<Candidate>, Vec<Candidate>) =
                    attempts.into_iter().partition(explains);
                if good.is_empty()
                    && let Some(Candidate { fit, .. }) = bad.into_iter().next()
                {
                    self.remember_stuck(request, fit.points);
                }
                let settled = |Candidate { hypothesis: mut world, .. }: Candidate| {
                    world.settle();
                    world
                };
                let worlds: Vec<Hypothesis> = good.into_iter().map(settled).collect();
                let changed = !matches!(&*worlds, [one] if one.is_unchanged_from(world));
                (worlds, changed)
            }
        }
    }

    /// The world after a request without a response, if the request changes it.
    fn carry_out(&self, world: &Rc<Hypothesis>, request: usize) -> Vec<Hypothesis> {
        let asked = self.requests[request];
        let mut after = Hypothesis::clone(world);
        let done = after.carry_out(&asked.sent, self.revealed[request], asked.now);
        after.settle();
        if done && !after.is_unchanged_from(world) { vec![after] } else { Vec::new() }
    }

    /// Remembers the longest order after which the request with the first response fails.
    fn remember_stuck(&mut self, request: usize, points: Vec<Point>) {
        let is_longer =
            self.stuck.as_ref().is_none_or(|stuck| stuck.placed.len() < self.order.len());
        if is_longer && self.timeline.most_urgent() == Some(request) {
            let points = points.into_iter().filter(|point| !point.holds);
            self.stuck = Some(Stuck {
                placed: self.in_history(&self.order),
                request: self.numbers[request],
                differs: points.map(|point| (point.field, point.expected, point.seen)).collect(),
            });
        }
    }
}
