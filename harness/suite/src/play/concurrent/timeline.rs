//! Calls and responses in a doubly linked list, in the order of time (Lowe, "Testing for linearizability", 2017).
//!
//! Each step of the search asks which requests may come next: those that were called before the first response of a
//! request without a place. They stand at the front of the list. The search lifts a request out once it has a place, and
//! puts it back when it backtracks; both take constant time, where a scan of all requests would take linear time in
//! each of thousands of steps.

/// The calls and responses of the requests that have no place yet.
pub(super) struct Timeline {
    next: Vec<usize>,
    before: Vec<usize>,
    /// By request: the place of its response, if there is one.
    responded: Vec<Option<usize>>,
    /// By place: the request, and whether this is its response. The first place is the head.
    whose: Vec<(usize, bool)>,
    /// By request: the place of its call.
    called: Vec<usize>,
}

/// The head of the list.
const HEAD: usize = 0;

impl Timeline {
    /// The timeline of requests, each with the times of its call and of its response, if it has one.
    pub(super) fn new(intervals: &[(u64, Option<u64>)]) -> Timeline {
        // At the same time, calls sort before responses: the two requests were in flight at once.
        let mut events: Vec<(u64, bool, usize)> = Vec::new();
        for (request, (called, responded)) in intervals.iter().enumerate() {
            events.push((*called, false, request));
            events.extend(responded.map(|at| (at, true, request)));
        }
        events.sort_unstable();
        let places = events.len() + 1;
        let mut timeline = Timeline {
            next: (1..=places).collect(),
            before: (0..places).map(|place| place.saturating_sub(1)).collect(),
            responded: vec![None; intervals.len()],
            whose: vec![(usize::MAX, false)],
            called: vec![HEAD; intervals.len()],
        };
        for (index, (_, is_response, request)) in events.into_iter().enumerate() {
            let place = index + 1;
            timeline.whose.push((request, is_response));
            if is_response {
                timeline.responded[request] = Some(place);
            } else {
                timeline.called[request] = place;
            }
        }
        timeline
    }

    /// The calls and responses from the front, each with its request and whether it is a response.
    fn entries(&self) -> impl Iterator<Item = (usize, bool)> {
        let mut place = self.next[HEAD];
        std::iter::from_fn(move || {
            let entry = *self.whose.get(place)?;
            place = self.next[place];
            Some(entry)
        })
    }

    /// The requests that may come next: those called before the first response.
    pub(super) fn callable(&self) -> Vec<usize> {
        let calls = self.entries().take_while(|(_, is_response)| !is_response);
        calls.map(|(request, _)| request).collect()
    }

    /// The request with the first response.
    pub(super) fn most_urgent(&self) -> Option<usize> {
        self.entries().find(|(_, is_response)| *is_response).map(|(request, _)| request)
    }

    /// Takes `request` out: it has a place.
    pub(super) fn lift(&mut self, request: usize) {
        self.unlink(self.called[request]);
        if let Some(place) = self.responded[request] {
            self.unlink(place);
        }
    }

    /// Puts `request` back: it has no place. The one lifted last must come first.
    pub(super) fn put_back(&mut self, request: usize) {
        if let Some(place) = self.responded[request] {
            self.link(place);
        }
        self.link(self.called[request]);
    }

    fn unlink(&mut self, place: usize) {
        let (before, next) = (self.before[place], self.next[place]);
        self.next[before] = next;
        if let Some(after) = self.before.get_mut(next) {
            *after = before;
        }
    }

    fn link(&mut self, place: usize) {
        let (before, next) = (self.before[place], self.next[place]);
        self.next[before] = place;
        if let Some(after) = self.before.get_mut(next) {
            *after = place;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lifted_request_lets_others_come_next_and_comes_back() {
        let mut timeline = Timeline::new(&[(0, Some(5)), (1, Some(2)), (3, None), (6, Some(7))]);
        assert_eq!(timeline.callable(), [0, 1]);
        assert_eq!(timeline.most_urgent(), Some(1));
        timeline.lift(1);
        assert_eq!(timeline.callable(), [0, 2]);
        timeline.lift(0);
        assert_eq!((timeline.callable(), timeline.most_urgent()), (vec![2, 3], Some(3)));
        timeline.lift(3);
        assert_eq!((timeline.callable(), timeline.most_urgent()), (vec![2], None));
        timeline.put_back(3);
        timeline.put_back(0);
        timeline.put_back(1);
        assert_eq!(timeline.callable(), [0, 1]);
    }
}
