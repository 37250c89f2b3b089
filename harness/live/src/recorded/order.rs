//! Puts recorded requests in an order in which they can be judged. Where the order is unknown, they are not judged.

use std::collections::BTreeMap;

use tideover_exchange::PreparedAction;
use tideover_model::{OperationKind, Subject};

use crate::recorded::Recorded;

/// A request of a recording before its place is known, with the status of its response; 0 if there is none.
pub(super) struct ObservedRequest {
    pub(super) recorded: Recorded,
    pub(super) status: u16,
    /// Why it cannot be judged, if that is so.
    pub(super) unjudged: Option<&'static str>,
}

/// The cases that can be judged, and the number of requests that cannot, by reason. After a request that cannot be
/// judged and may have changed something, the state is unknown, and the next case begins.
pub(super) type Judgeable = (Vec<Vec<Recorded>>, BTreeMap<&'static str, u64>);

impl ObservedRequest {
    fn changes(&self) -> bool {
        let reads = self.recorded.sent.kind().is_none_or(OperationKind::reads);
        // What was refused had no effect.
        !reads && !(400..=499).contains(&self.status)
    }

    fn overlaps(&self, later: &ObservedRequest) -> bool {
        let (one, other) = (&self.recorded, &later.recorded);
        one.since < other.now && other.since < one.now
    }

    /// Whether the responses of two requests depend on which took effect first.
    fn depends_on(&self, other: &ObservedRequest) -> bool {
        let has_same_path = path(&self.recorded) == path(&other.recorded);
        let is_same = has_same_path && self.recorded.seen == other.recorded.seen;
        let is_about_same = match (subject(&self.recorded), subject(&other.recorded)) {
            (Some(one), Some(other)) => one == other,
            _ => has_same_path,
        };
        self.changes() || other.changes() || is_about_same && !is_same
    }
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

/// Groups the requests that overlapped and depend on each other. Returns the index of the group's first request for each.
fn groups(observed: &[ObservedRequest]) -> Vec<usize> {
    let mut first: Vec<usize> = (0..observed.len()).collect();
    for (index, one) in observed.iter().enumerate() {
        let later = observed.iter().enumerate().skip(index + 1);
        for (other, _) in later
            .take_while(|(_, other)| other.recorded.since < one.recorded.now)
            .filter(|(_, other)| one.overlaps(other) && one.depends_on(other))
        {
            let (into, from) = (first[index].min(first[other]), first[index].max(first[other]));
            first.iter_mut().filter(|of| **of == from).for_each(|of| *of = into);
        }
    }
    first
}

pub(super) fn in_order(mut observed: Vec<ObservedRequest>) -> Judgeable {
    observed.sort_by_key(|one| one.recorded.since);
    let groups = groups(&observed);
    // By group: the number of requests, the number of those that change something, and the index of the last.
    let mut sizes: BTreeMap<usize, (usize, usize, usize)> = BTreeMap::new();
    for (index, one) in observed.iter().enumerate() {
        let (size, changing, last) = sizes.entry(groups[index]).or_default();
        (*size, *changing, *last) = (*size + 1, *changing + usize::from(one.changes()), index);
    }
    let (mut cases, mut unjudged) = (vec![Vec::new()], BTreeMap::new());
    for (index, one) in observed.into_iter().enumerate() {
        let (size, changing, last) = sizes[&groups[index]];
        let is_alone = size == 1 || changing == 1 && one.changes();
        let ends_case = (changing > 1 && index == last)
            || (changing == 1 && one.changes() && one.unjudged.is_some());
        let why = one.unjudged.or((!is_alone).then_some("others were under way with them"));
        match (why, cases.last_mut()) {
            (Some(why), _) => *unjudged.entry(why).or_default() += 1,
            (None, Some(case)) => case.push(one.recorded),
            (None, None) => {}
        }
        if ends_case {
            cases.push(Vec::new());
        }
    }
    cases.retain(|case| !case.is_empty());
    (cases, unjudged)
}
