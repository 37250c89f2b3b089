//! The harness's own webhook receiver. It keeps each arrival, and responds as the path says.
//!
//! | path has the segment | answer |
//! | --- | --- |
//! | `accepts` | 200 |
//! | `acknowledges` | a 2xx other than 200: to each delivery another one |
//! | `recovers` | a redirect to the first attempt of a delivery, to each another one; 404 to the second, then 204 |
//! | `redirected` | 200: where the redirect leads, which nobody should follow |
//! | `fails` | 500 |
//! | `answers-` and a status | this status |
//! | `gone` | 410 |
//! | `leaves` | 500 to the first attempt of a delivery, then 410 |
//! | `hangs` | none: the connection is closed |
//!
//! So the steps alone decide how a receiver responds, in process and over HTTP.

use std::borrow::Cow;
use std::collections::BTreeMap;

use tideover_model::Receipt;

use crate::{Arrival, NO_ANSWER};

/// The path of the inbox URL that accepts everything, as arrivals show it.
pub fn accepting(url: &str) -> Option<&str> {
    let start = url.find("/accepts")?;
    Some(&url[start..])
}

/// Whether what comes to this path, or URL, is answered 410, sooner or later.
pub fn is_gone(path: &str) -> bool {
    answers(path).is_some_and(|answers| answers.concat().contains(&GONE))
}

/// What one attempt of a delivery is answered with: the deliveries of a path get these in turn.
type Turns = Cow<'static, [u16]>;

/// The segments of paths that do not simply accept, with what each attempt of a delivery is answered. The last one stays.
const ANSWERS: [(&str, &[&[u16]]); 6] = [
    ("fails", &[&[500]]),
    ("gone", &[&[GONE]]),
    ("leaves", &[&[500], &[GONE]]),
    ("hangs", &[&[NO_ANSWER]]),
    ("acknowledges", &[&ACCEPTING]),
    ("recovers", &[&Receipt::REDIRECTS, &[404], &[204]]),
];

const GONE: u16 = 410;

/// Every 2xx that is registered, but for 200 (RFC 9110 §15.3 and the registry of statuses).
const ACCEPTING: [u16; 9] = [201, 202, 203, 204, 205, 206, 207, 208, 226];

/// What the segment that names a status begins with.
const ANSWERS_WITH: &str = "answers-";

/// A path of the inbox that answers each attempt with this status.
pub fn answering(status: u16) -> String {
    format!("{ANSWERS_WITH}{status}")
}

/// What a path or a URL answers to each attempt of a delivery, unless it accepts what comes.
fn answers(path: &str) -> Option<Vec<Turns>> {
    let listed = ANSWERS.into_iter().find(|(segment, _)| has(path, segment));
    let named = || path.split('/').find_map(|it| it.strip_prefix(ANSWERS_WITH)?.parse().ok());
    match listed {
        Some((_, answers)) => Some(answers.iter().map(|turns| Cow::Borrowed(*turns)).collect()),
        None => named().map(|status| vec![Cow::Owned(vec![status])]),
    }
}

/// The same, in words.
pub fn answer_in_words(path: &str) -> Option<String> {
    let in_words = |status: &u16| match *status {
        NO_ANSWER => "nothing: it closes the connection".to_owned(),
        status => status.to_string(),
    };
    let turns = |turns: &Turns| turns.iter().map(in_words).collect::<Vec<_>>().join(" or ");
    Some(answers(path)?.iter().map(turns).collect::<Vec<_>>().join(", then "))
}

/// What stands in a path in place of `recovers` where a redirect of it leads.
const REDIRECTED: &str = "redirected";

/// Where the redirect of a path that recovers leads.
pub fn redirect_of(path: &str) -> String {
    path.replacen("/recovers", &format!("/{REDIRECTED}"), 1)
}

/// Whether a request came because a redirect was followed.
pub fn is_redirected(path: &str) -> bool {
    has(path, REDIRECTED)
}

/// The path whose redirect leads to this one, or the path itself.
pub fn before_redirect(path: &str) -> String {
    path.replacen(&format!("/{REDIRECTED}"), "/recovers", 1)
}

fn has(path: &str, segment: &str) -> bool {
    path.split('/').any(|known| known == segment)
}

/// What came, and how often each delivery did.
#[derive(Clone, Debug, Default)]
pub struct Inbox {
    arrivals: Vec<Arrival>,
    /// The deliveries of each path whose answers differ: the place of each, and how many attempts it had.
    attempts: BTreeMap<String, BTreeMap<Option<String>, Attempts>>,
}

#[derive(Clone, Copy, Debug)]
struct Attempts {
    place: usize,
    count: usize,
}

impl Inbox {
    /// Keeps a request; the HTTP status that it is answered with, whatever stands there, or [`NO_ANSWER`].
    pub fn receive(&mut self, arrival: Arrival) -> u16 {
        let status = self.answer(&arrival.path, arrival.delivery.as_deref());
        self.arrivals.push(Arrival { status, ..arrival });
        status
    }

    /// The HTTP status that the next attempt of `delivery` on `path` is answered with.
    pub(crate) fn answer(&mut self, path: &str, delivery: Option<&str>) -> u16 {
        let Some(answers) = answers(path) else { return 200 };
        if let [turns] = &*answers
            && let [status] = **turns
        {
            return status;
        }
        let of_path = self.attempts.entry(path.to_owned()).or_default();
        let place = of_path.len();
        let known = of_path.entry(delivery.map(str::to_owned));
        let attempts = known.or_insert(Attempts { place, count: 0 });
        let turns = &answers[attempts.count.min(answers.len() - 1)];
        attempts.count += 1;
        turns[attempts.place % turns.len()]
    }

    /// How many requests came since they were last taken.
    pub fn waiting(&self) -> usize {
        self.arrivals.len()
    }

    /// What came since this was last asked.
    pub fn take(&mut self) -> Vec<Arrival> {
        std::mem::take(&mut self.arrivals)
    }

    pub fn clear(&mut self) {
        *self = Inbox::default();
    }
}

#[cfg(test)]
mod tests {
    use super::{ACCEPTING, Inbox, Receipt};

    /// Each status comes first, and a retry gets what its attempt is due, not what its turn was.
    #[test]
    fn deliveries_get_the_statuses_of_a_path_in_turn() {
        for (path, turns) in
            [("/acknowledges/1", &ACCEPTING[..]), ("/recovers/1", &Receipt::REDIRECTS)]
        {
            let mut inbox = Inbox::default();
            let names: Vec<String> = (0..turns.len()).map(|number| format!("d{number}")).collect();
            let first = names.iter().map(|name| inbox.answer(path, Some(name)));
            assert_eq!(first.collect::<Vec<_>>(), turns, "{path}");
        }
        let mut inbox = Inbox::default();
        let mut answer = |name| inbox.answer("/recovers/1", Some(name));
        assert_eq!(["a", "b", "a", "a", "b"].map(&mut answer), [301, 302, 404, 204, 404]);
        assert_eq!(["a", "c"].map(&mut answer), [204, 303]);
    }
}
