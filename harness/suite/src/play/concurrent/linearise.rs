//! Linearizability: the search for an order in which the model gives the observed responses.
//!
//! Wing and Gong's search with Lowe's linked list and memo. A request may come next if it was called before any
//! unplaced request got its response, and if the world explains its own response. A request that leaves the world
//! unchanged is placed as soon as it fits. A request without a response is tried last: it may take effect at any time
//! after its call, or never.
//!
//! Assumed are that requests take effect one after the other, and that a caller reads its own writes
//! (`gap.readOwnWrites`). Limits are not part of a world: a separate check looks for one that explains all refusals.

use std::collections::HashMap;
use std::rc::Rc;

use tideover_exchange::evidence::Point;
use tideover_judge::{Candidate, Explainer, Hypothesis, Observation, Revealed};

use crate::play::concurrent::history::Request;
use crate::play::concurrent::timeline::Timeline;

/// What came of the search.
pub(super) enum Searched {
    /// The requests in an order that explains every answer; those that need not have happened are not in it.
    Explained(Vec<usize>),
    /// There is none.
    Unexplained(Option<Dead>),
    /// There may be one: the search ended first.
    Undecided,
}

/// How far the search came.
pub(super) struct Dead {
    /// The requests that have a place, in order.
    pub(super) placed: Vec<usize>,
    /// The one that must come next and cannot.
    pub(super) stuck: usize,
    /// What of its answer is not as expected there.
    pub(super) points: Vec<Point>,
}

/// The search through one part of a history.
pub(super) struct Search<'a> {
    requests: Vec<&'a Request>,
    /// What requests without a response chose if they were carried out, by later responses.
    revealed: Vec<Revealed>,
    explainer: Explainer,
    /// Whether a response must show exactly the state, even where the document leaves its form open.
    strict: bool,
    budget: usize,
    timeline: Timeline,
    left: usize,
    placed: Vec<bool>,
    order: Vec<usize>,
    visited: HashMap<u64, Vec<Visited>>,
    dead: Option<Dead>,
}

/// Which requests have a place, and the world that they led to.
type Visited = (Vec<bool>, Rc<Hypothesis>);

/// A state of the search: which world, and what is still to be tried next in it.
struct Node {
    world: Rc<Hypothesis>,
    to_try: std::vec::IntoIter<usize>,
    /// Worlds that the request tried last led to, which are still to be gone into.
    pending: Vec<Hypothesis>,
    tried: usize,
    /// Whether what was tried last stands here for good.
    for_good: bool,
    /// What cannot come next in this world, wherever else it can.
    failed: Vec<usize>,
}

impl<'a> Search<'a> {
    /// A search through `requests`, where `revealed` is what those without a response chose. It ends after so many
    /// attempts as `budget` says.
    pub(super) fn new(
        requests: Vec<&'a Request>,
        revealed: Vec<Revealed>,
        explainer: Explainer,
        budget: usize,
    ) -> Search<'a> {
        let interval =
            |one: &&Request| (one.called, one.outcome().map(|answer| answer.at.max(one.called)));
        let intervals: Vec<(u64, Option<u64>)> = requests.iter().map(interval).collect();
        let left = intervals.iter().filter(|(_, answered)| answered.is_some()).count();
        Search {
            timeline: Timeline::new(&intervals),
            placed: vec![false; requests.len()],
            requests,
            revealed,
            explainer,
            strict: explainer.deepest < tideover_judge::DEEPEST,
            budget,
            left,
            order: Vec::new(),
            visited: HashMap::new(),
            dead: None,
        }
    }

    /// Looks for an order that starts in `world`.
    pub(super) fn run(mut self, mut world: Hypothesis) -> Searched {
        world.settle();
        let mut path = vec![self.node(Rc::new(world), Vec::new())];
        while self.left > 0 {
            let Some(node) = path.last_mut() else { return Searched::Unexplained(self.dead) };
            if let Some(world) = node.pending.pop() {
                let (request, for_good, world) = (node.tried, node.for_good, Rc::new(world));
                // In a world that is the same the same cannot come next.
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
                return Searched::Undecided;
            }
            self.budget -= 1;
            node.tried = request;
            let (worlds, changed) = self.attempt(&node.world, request);
            if worlds.is_empty() {
                node.failed.push(request);
            }
            if !changed && !worlds.is_empty() {
                // Wherever else it could stand, it can stand here.
                node.to_try = Vec::new().into_iter();
                node.for_good = true;
            }
            node.pending = worlds;
        }
        Searched::Explained(self.order)
    }

    /// What can come next in `world`, those whose outcome is known first.
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

    /// Whether the same requests have not led to the same world before.
    fn is_new(&mut self, world: &Rc<Hypothesis>) -> bool {
        let met = self.visited.entry(world.fingerprint()).or_default();
        let same = |(placed, met): &Visited| *placed == self.placed && met.is_same(world);
        if met.iter().any(same) {
            return false;
        }
        met.push((self.placed.clone(), Rc::clone(world)));
        true
    }

    /// The worlds that `request` may lead to, and whether they are others than this one.
    fn attempt(&mut self, world: &Rc<Hypothesis>, request: usize) -> (Vec<Hypothesis>, bool) {
        let asked = self.requests[request];
        match asked.outcome() {
            None => (self.carry_out(world, request), true),
            Some(answer) => {
                let observed =
                    Observation { sent: &asked.sent, seen: &answer.seen, now: asked.now };
                let attempts = self.explainer.explain(std::slice::from_ref(world), observed);
                let explains = |Candidate { fit, .. }: &Candidate| {
                    fit.contradictions() == 0 && (!self.strict || fit.differences() == 0)
                };
                let (good, bad): (Vec<Candidate>, Vec<Candidate>) =
                    attempts.into_iter().partition(explains);
                if good.is_empty()
                    && let Some(Candidate { fit, .. }) = bad.into_iter().next()
                {
                    self.die(request, fit.points);
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

    /// The world in which a request without an outcome was carried out, if it is another.
    fn carry_out(&self, world: &Rc<Hypothesis>, request: usize) -> Vec<Hypothesis> {
        let asked = self.requests[request];
        let mut after = Hypothesis::clone(world);
        after.open.push(asked.sent.clone());
        let done = after.carry_out(0, self.revealed[request], asked.now);
        after.settle();
        if done && !after.is_unchanged_from(world) { vec![after] } else { Vec::new() }
    }

    /// Remembers the longest way to where the request whose answer came first could not be placed.
    fn die(&mut self, request: usize, points: Vec<Point>) {
        let further = self.dead.as_ref().is_none_or(|dead| dead.placed.len() < self.order.len());
        if further && self.timeline.most_urgent() == Some(request) {
            let points = points.into_iter().filter(|point| !point.holds).collect();
            self.dead = Some(Dead { placed: self.order.clone(), stuck: request, points });
        }
    }
}
