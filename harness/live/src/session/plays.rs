//! The plays of a run. Each has its own names, its own part of the inbox and its own subscriptions, so that several
//! can be under way at once.

use std::collections::BTreeMap;
use std::rc::Rc;

use tideover_exchange::Arrival;
use tideover_exchange::target::Unanswered;

use crate::session::Session;

/// A play under way. It ends when its last owner goes.
#[derive(Debug)]
pub(crate) struct Play {
    session: Rc<Session>,
    /// Its number in the run.
    pub(crate) number: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Plays {
    pub(crate) count: u64,
    /// The arrivals of each play under way that were not taken yet.
    arrived: BTreeMap<u64, Vec<Arrival>>,
    /// The plays that ended and may have left subscriptions.
    ended: Vec<u64>,
    /// The keys that have subscribed in each play.
    pub(crate) subscribers: Vec<Subscriber>,
    /// The play that made each subscription.
    made_in: BTreeMap<String, u64>,
    /// The number of requested subscriptions without a response.
    in_doubt: BTreeMap<u64, u64>,
    /// The requests of each play under way.
    used: BTreeMap<u64, u64>,
}

/// A key that has subscribed in a play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Subscriber {
    pub(crate) play: u64,
    /// The `Authorization` header.
    pub(crate) key: String,
}

impl Play {
    pub(crate) fn begin(session: &Rc<Session>) -> Rc<Play> {
        let mut state = session.state();
        state.plays.count += 1;
        let number = state.plays.count;
        state.plays.arrived.insert(number, Vec::new());
        drop(state);
        Rc::new(Play { session: Rc::clone(session), number })
    }
}

impl Drop for Play {
    fn drop(&mut self) {
        let mut state = self.session.state();
        state.plays.arrived.remove(&self.number);
        state.plays.used.remove(&self.number);
        state.plays.ended.push(self.number);
    }
}

impl Session {
    /// Takes the arrivals for a play. Those for plays that have ended are dropped. Fails only if the journal cannot be
    /// written.
    pub(crate) fn take_arrivals(&self, play: u64) -> Result<Vec<Arrival>, Unanswered> {
        let came = self.take_from_inbox()?;
        let mut state = self.state();
        for (number, arrival) in came {
            state.plays.deliver(&self.settings.own_name, number, arrival);
        }
        Ok(state.plays.arrived.get_mut(&play).map(std::mem::take).unwrap_or_default())
    }

    /// The requests that a play under way has used.
    pub(crate) fn used_by(&self, play: u64) -> u64 {
        self.state().plays.used.get(&play).copied().unwrap_or(0)
    }

    /// The plays that ended since this was last asked.
    pub(crate) fn take_ended(&self) -> Vec<u64> {
        std::mem::take(&mut self.state().plays.ended)
    }
}

impl Plays {
    /// Keeps an arrival for the play that its path names. One key has the subscriptions of all plays under way, so
    /// each endpoint also gets the events of the others; these say nothing about the play.
    fn deliver(&mut self, own_name: &str, number: u64, arrival: Arrival) {
        let Some(arrived) = self.arrived.get_mut(&number) else { return };
        if !names_only_others(&String::from_utf8_lossy(&arrival.body), own_name, number) {
            arrived.push(arrival);
        }
    }

    pub(crate) fn uses(&mut self, play: u64) {
        *self.used.entry(play).or_default() += 1;
    }

    /// Records a subscription before it is requested.
    pub(crate) fn subscribes(&mut self, play: u64, key: &str) {
        *self.in_doubt.entry(play).or_default() += 1;
        let subscriber = Subscriber { play, key: key.to_owned() };
        if !self.subscribers.contains(&subscriber) {
            self.subscribers.push(subscriber);
        }
    }

    /// Records that the response has shown whether a requested subscription exists.
    pub(crate) fn is_decided(&mut self, play: u64) {
        if let Some(doubts) = self.in_doubt.get_mut(&play) {
            *doubts = doubts.saturating_sub(1);
        }
    }

    pub(crate) fn has_made(&mut self, play: u64, reference: &str) {
        self.made_in.insert(reference.to_owned(), play);
    }

    pub(crate) fn is_of(&self, play: u64, reference: &str) -> bool {
        self.made_in.get(reference) == Some(&play)
    }

    /// Forgets the doubts of a play, or of all, because a list has shown what exists.
    pub(crate) fn forget_doubts(&mut self, play: Option<u64>) {
        self.in_doubt.retain(|other, _| play.is_some_and(|play| *other != play));
    }

    /// Whether a request for a subscription got no response, so that it may exist.
    pub(crate) fn is_in_doubt(&self) -> bool {
        self.in_doubt.values().any(|doubts| *doubts > 0)
    }
}

/// Whether a text has names of other plays of the run, and none of play `number`.
fn names_only_others(text: &str, own_name: &str, number: u64) -> bool {
    let named = |(at, _): (usize, &str)| {
        let (digits, _) = text[at + own_name.len()..].split_once('-')?;
        digits.parse::<u64>().ok()
    };
    let mut named = text.match_indices(own_name).filter_map(named).peekable();
    named.peek().is_some() && !named.any(|named| named == number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_belongs_to_the_play_that_it_names() {
        let others = |text| names_only_others(text, "td-r-", 7);
        assert!(others(r#"{"externalId":"td-r-8-v1"}"#));
        assert!(others(r#"{"payee":"td-r-8-v1","invoice":"td-r-77-i1"}"#));
        assert!(!others(r#"{"externalId":"td-r-7-v1"}"#));
        assert!(!others(r#"{"payee":"td-r-8-v1","invoice":"td-r-7-i1"}"#), "it mixes them up");
        assert!(!others(r#"{"externalId":"name-0123456789abcdef"}"#));
        assert!(!others(r#"{"url":"https://hooks.example/td-r-8ab2/7/accepts"}"#), "no name");
    }
}
