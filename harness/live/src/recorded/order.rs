//! Puts requests in an order in which they can be judged. Where the order is unknown, they are not judged.

use std::collections::{BTreeMap, BTreeSet};

use tideover_exchange::PreparedAction;
use tideover_model::{OperationKind, Subject, Timestamp};

use crate::recorded::Recorded;
use crate::recorded::parts::Part;

/// A request before its place is known, with the status of its response; 0 if there is none.
#[derive(Clone, Debug)]
pub struct ObservedRequest {
    pub(super) recorded: Recorded,
    pub(super) status: u16,
    /// Why it cannot be judged, if that is so.
    pub(super) unjudged: Option<&'static str>,
}

/// Why a refused key may be right.
pub(super) const REFUSED_KEY: &str = "their keys were taken another time";

/// What the judge does next.
pub(super) enum Turn {
    Judge(Box<Recorded>, Part),
    /// A request that is not judged, and why.
    Leave(&'static str),
    /// The state of a part is unknown from here on.
    Forget(Part),
}

/// A request, and the part that it touches.
pub(super) type Placed = (ObservedRequest, Part);

impl ObservedRequest {
    pub(super) fn since(&self) -> Timestamp {
        self.recorded.since
    }

    pub(super) fn changes(&self) -> bool {
        let reads = self.recorded.sent.kind().is_none_or(OperationKind::reads);
        // What was refused had no effect.
        !reads && !(400..=499).contains(&self.status)
    }

    /// A key that is refused after it was accepted was revoked, or not: nobody here knows.
    pub(super) fn doubt_refused_key(&mut self, accepted: &BTreeSet<String>) {
        let key = self.recorded.sent.authorization.as_ref();
        if self.status == 401 && key.is_some_and(|key| accepted.contains(key)) {
            self.unjudged = Some(REFUSED_KEY);
        }
    }

    fn overlaps(&self, later: &ObservedRequest) -> bool {
        let (one, other) = (&self.recorded, &later.recorded);
        one.since < other.now && other.since < one.now
    }
}

/// Whether the responses of two requests depend on which took effect first.
fn depends((one, its_part): &Placed, (other, other_part): &Placed) -> bool {
    let has_same_path = path(&one.recorded) == path(&other.recorded);
    let is_same = has_same_path && one.recorded.seen == other.recorded.seen;
    let is_about_same = match (subject(&one.recorded), subject(&other.recorded)) {
        (Some(one), Some(other)) => one == other,
        _ => has_same_path,
    };
    let changes = one.changes() || other.changes();
    changes && its_part.meets(*other_part) || is_about_same && !is_same
}

fn path(recorded: &Recorded) -> &str {
    match &recorded.sent.action {
        PreparedAction::Call(call) => &call.path,
        PreparedAction::Act(_) | PreparedAction::Advance(_) | PreparedAction::Deliveries => "",
    }
}

/// The business that a request is about, or its other subject; `None` if the request cannot be decoded.
fn subject(recorded: &Recorded) -> Option<Subject<'_>> {
    let PreparedAction::Call(call) = &recorded.sent.action else { return None };
    let subject = call.operation()?.subject();
    Some(subject.business().map_or(subject, Subject::Business))
}

/// Requests that have ended, until nothing that is still under way can have overlapped with them.
#[derive(Debug, Default)]
pub(super) struct Waiting(Vec<ObservedRequest>);

impl Waiting {
    pub(super) fn push(&mut self, one: ObservedRequest) {
        self.0.push(one);
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Takes out those that no request overlaps which was sent at `horizon` or later, in the order in which they were sent;
    /// all of them without a horizon.
    pub(super) fn released(&mut self, horizon: Option<Timestamp>) -> Vec<ObservedRequest> {
        self.0.sort_by_key(|one| one.recorded.since);
        let (mut end, mut cut) = (None, 0);
        for (index, one) in self.0.iter().enumerate() {
            if end.is_none_or(|end| one.recorded.since >= end) {
                cut = index;
            }
            end = end.max(Some(one.recorded.now));
            if end > horizon && horizon.is_some() {
                return self.0.drain(..cut).collect();
            }
        }
        std::mem::take(&mut self.0)
    }
}

/// Groups the requests that overlapped and depend on each other. Returns the index of the group's first request for each.
fn groups(placed: &[Placed]) -> Vec<usize> {
    let mut first: Vec<usize> = (0..placed.len()).collect();
    for (index, one) in placed.iter().enumerate() {
        let later = placed.iter().enumerate().skip(index + 1);
        for (other, _) in later
            .take_while(|(_, (other, _))| other.recorded.since < one.0.recorded.now)
            .filter(|(_, other)| one.0.overlaps(&other.0) && depends(one, other))
        {
            let (into, from) = (first[index].min(first[other]), first[index].max(first[other]));
            first.iter_mut().filter(|of| **of == from).for_each(|of| *of = into);
        }
    }
    first
}

/// What to do with requests, which are in the order in which they were sent. After a request that cannot be judged and may
/// have changed something, the state of its part is unknown.
pub(super) fn turns(placed: Vec<Placed>) -> Vec<Turn> {
    let groups = groups(&placed);
    // By group: the number of requests, the number of those that change something, the index of the last, the parts.
    let mut sizes: BTreeMap<usize, (usize, usize, usize, BTreeSet<Part>)> = BTreeMap::new();
    for (index, (one, part)) in placed.iter().enumerate() {
        let (size, changing, last, parts) = sizes.entry(groups[index]).or_default();
        (*size, *changing, *last) = (*size + 1, *changing + usize::from(one.changes()), index);
        parts.insert(*part);
    }
    let mut turns = Vec::with_capacity(placed.len());
    for (index, (one, part)) in placed.into_iter().enumerate() {
        let (size, changing, last, parts) = &sizes[&groups[index]];
        let is_alone = *size == 1 || *changing == 1 && one.changes();
        let is_lost = (*changing > 1 && index == *last)
            || (*changing == 1 && one.changes() && one.unjudged.is_some());
        let why = one.unjudged.or((!is_alone).then_some("others were under way with them"));
        turns.push(why.map_or_else(|| Turn::Judge(Box::new(one.recorded), part), Turn::Leave));
        if is_lost {
            turns.extend(parts.iter().map(|part| Turn::Forget(*part)));
        }
    }
    turns
}
