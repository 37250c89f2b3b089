//! Calls and responses in a linked list. The search lifts a request out once it is placed, and puts it back when it
//! backtracks (Lowe, "Testing for linearizability", 2017).

/// The calls and answers of requests that have no place yet, in the order of the clock.
pub(super) struct Timeline {
    next: Vec<usize>,
    before: Vec<usize>,
    /// By request: where its answer stands; nowhere if there is none.
    answered: Vec<Option<usize>>,
    /// By place: whose call or answer it is. The first place is the head's.
    whose: Vec<(usize, bool)>,
    /// By request: where its call stands.
    called: Vec<usize>,
}

/// The head of the list.
const HEAD: usize = 0;

impl Timeline {
    /// The timeline of requests of which each was called and perhaps answered then.
    pub(super) fn new(intervals: &[(u64, Option<u64>)]) -> Timeline {
        // What is called as another one is answered may still come before it.
        let mut events: Vec<(u64, bool, usize)> = Vec::new();
        for (request, (called, answered)) in intervals.iter().enumerate() {
            events.push((*called, false, request));
            events.extend(answered.map(|at| (at, true, request)));
        }
        events.sort_unstable();
        let places = events.len() + 1;
        let mut timeline = Timeline {
            next: (1..=places).collect(),
            before: (0..places).map(|place| place.saturating_sub(1)).collect(),
            answered: vec![None; intervals.len()],
            whose: vec![(usize::MAX, false)],
            called: vec![HEAD; intervals.len()],
        };
        for (index, (_, is_answer, request)) in events.into_iter().enumerate() {
            let place = index + 1;
            timeline.whose.push((request, is_answer));
            if is_answer {
                timeline.answered[request] = Some(place);
            } else {
                timeline.called[request] = place;
            }
        }
        timeline
    }

    /// Those that may come next: called before any other was answered. The last is the one whose answer came first.
    pub(super) fn callable(&self) -> Vec<usize> {
        let mut callable = Vec::new();
        let mut place = self.next[HEAD];
        while let Some((request, is_answer)) = self.whose.get(place) {
            if *is_answer {
                break;
            }
            callable.push(*request);
            place = self.next[place];
        }
        callable
    }

    /// ChosenBy answer comes first.
    pub(super) fn most_urgent(&self) -> Option<usize> {
        let mut place = self.next[HEAD];
        while let Some((request, is_answer)) = self.whose.get(place) {
            if *is_answer {
                return Some(*request);
            }
            place = self.next[place];
        }
        None
    }

    /// `request` has its place.
    pub(super) fn lift(&mut self, request: usize) {
        self.unlink(self.called[request]);
        if let Some(place) = self.answered[request] {
            self.unlink(place);
        }
    }

    /// It has none; the one lifted last must be put back first.
    pub(super) fn put_back(&mut self, request: usize) {
        if let Some(place) = self.answered[request] {
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
    fn what_is_lifted_lets_others_come_next_and_comes_back() {
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
