//! Reads the tape in a thread of its own, and judges what it reads.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::thread::JoinHandle;
use std::time::Duration;

use tideover_live::recorded::{Judge, Judged, PATIENCE, Read, read_entry};
use tideover_model::conduct::{Card, Duty, Ending, Row};
use tideover_model::{Profile, Timestamp};
use tideover_suite::play::cases::Failure;

use crate::archive::HarFile;
use crate::conduct::Conduct;
use crate::copy::{Copied, Copies, Passing, Side};
use crate::entry;
use crate::veil::Veil;

/// The most exchanges that a notice can name by more than their numbers.
const MOST_NAMED: usize = 8192;

/// Something to report at once.
#[derive(Debug)]
pub enum Notice {
    /// The service contradicts the document.
    Service(Box<Failure>),
    /// The client, or its receiver, breaks a duty.
    Client { duty: Duty, shown: Vec<Seen> },
    /// So many businesses were forgotten, because the bounds of memory were reached.
    Forgotten(usize),
    /// The other side gives no answer.
    Unreached { side: Side, why: String },
    /// The HAR file ends here, because nothing more can be written.
    HarEnds(io::Error),
}

/// An exchange in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    pub side: Side,
    /// Its number at the proxies, in the order in which requests came.
    pub number: u64,
    pub method: String,
    pub path: String,
    /// What was answered, in words.
    pub answer: String,
}

/// What was seen in the end.
#[derive(Debug)]
pub struct Watched {
    pub judged: Judged,
    pub card: Card,
    /// What shows each breach.
    pub shown: BTreeMap<Duty, Vec<Seen>>,
    /// What the client has begun and not finished.
    pub open: BTreeMap<Duty, Vec<Seen>>,
    /// The requests to the service, and the attempts of deliveries.
    pub requests: u64,
    pub attempts: u64,
    /// Why the HAR file is not whole, if it is not.
    pub har: Option<io::Error>,
}

/// Where the service and the receiver are, for the HAR file.
#[derive(Clone, Debug)]
pub struct Bases {
    pub service: String,
    pub receiver: String,
}

/// What the judge gets.
#[derive(Clone, Debug)]
pub struct Given {
    pub profile: Profile,
    pub bases: Bases,
    /// Whether nobody else uses the keys of the client.
    pub alone: bool,
    /// With [`Ending::Final`], what the client has begun and not finished counts as broken.
    pub ending: Ending,
}

/// Why a request is not judged that waited for the judge when the watch was ended at once.
const ENDED: &str = "the watch ended at once";

/// A thread that judges.
pub struct Watcher {
    thread: JoinHandle<Watched>,
    at_once: Arc<AtomicBool>,
}

impl Watcher {
    /// Starts the thread. It calls `notify` for each notice, and ends when the tape is closed.
    ///
    /// # Errors
    /// Those of the system: no thread can be started.
    pub fn start(
        copies: Copies,
        given: Given,
        har: Option<HarFile>,
        notify: impl FnMut(Notice) + Send + 'static,
    ) -> io::Result<Watcher> {
        let ending = given.ending;
        let at_once = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&at_once);
        let run = move || Desk::new(given, har, flag, Box::new(notify)).run(&copies, ending);
        let thread = std::thread::Builder::new().name("judge".to_owned());
        Ok(Watcher { thread: thread.spawn(run)?, at_once })
    }

    /// What ends the thread at once when it is set: what still waits is counted, and not judged.
    pub fn at_once(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.at_once)
    }

    /// Waits for the end of the thread.
    ///
    /// # Panics
    /// If the thread did.
    pub fn finish(self) -> Watched {
        match self.thread.join() {
            Ok(watched) => watched,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

struct Desk {
    judge: Judge,
    conduct: Conduct,
    veil: Veil,
    /// When each request came that is under way, by its number.
    under_way: BTreeMap<u64, Timestamp>,
    recent: Recent,
    bases: Bases,
    har: Option<HarFile>,
    har_error: Option<io::Error>,
    forgotten: usize,
    /// Why a side gave no answer the last time.
    unreached: BTreeMap<Side, String>,
    shown: BTreeMap<Duty, Vec<Seen>>,
    requests: u64,
    attempts: u64,
    /// Whether what still waits is left out.
    at_once: Arc<AtomicBool>,
    notify: Notify,
}

type Notify = Box<dyn FnMut(Notice) + Send>;

impl Desk {
    fn new(given: Given, har: Option<HarFile>, at_once: Arc<AtomicBool>, notify: Notify) -> Desk {
        let Given { profile, bases, alone, .. } = given;
        Desk {
            judge: Judge::new(&profile, alone),
            conduct: Conduct::default(),
            veil: Veil::default(),
            under_way: BTreeMap::new(),
            recent: Recent::default(),
            bases,
            har,
            har_error: None,
            forgotten: 0,
            unreached: BTreeMap::new(),
            shown: BTreeMap::new(),
            requests: 0,
            attempts: 0,
            at_once,
            notify,
        }
    }

    fn run(mut self, copies: &Copies, ending: Ending) -> Watched {
        let patience = Duration::from_secs(PATIENCE.unsigned_abs());
        loop {
            match copies.from.recv_timeout(patience) {
                Ok(Passing::Began { number, since }) => {
                    self.under_way.insert(number, since);
                    self.conduct.begin(number);
                }
                Ok(Passing::Ended(copied)) => {
                    copies.took(&copied);
                    self.take(&copied);
                }
                Err(RecvTimeoutError::Timeout) => {
                    let failures = self.judge.stop_waiting();
                    self.notify_of_service(failures);
                }
                Ok(Passing::Closed) | Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        self.finish(ending)
    }

    fn take(&mut self, copied: &Copied) {
        self.under_way.remove(&copied.number);
        self.notify_of_outage(copied);
        let base = match copied.side {
            Side::Api => &self.bases.service,
            Side::Webhooks => &self.bases.receiver,
        };
        let kept = entry::keep(copied, base, &mut self.veil);
        self.write(&kept.entry);
        match copied.side {
            Side::Api => {
                self.requests += 1;
                let number = self.conduct.take(copied, &kept);
                self.recent.add(Side::Api, number, seen(copied, &kept.veiled.path));
                self.judge_entry(kept.entry);
            }
            Side::Webhooks => {
                self.attempts += 1;
                let number = self.conduct.take_attempt(copied, &kept);
                self.recent.add(Side::Webhooks, number, seen(copied, &kept.veiled.path));
                self.judge_entry(kept.entry);
            }
        }
        self.notify_of_client();
    }

    fn judge_entry(&mut self, entry: serde_json::Value) {
        let at_once = self.at_once.load(Ordering::Relaxed);
        match read_entry(entry) {
            Ok(Read::Request(_)) if at_once => self.judge.leave_out(ENDED),
            Ok(Read::Delivery(_)) if at_once => {}
            Ok(Read::Request(one)) => {
                // Those that came later cannot have overlapped with what ended before.
                let horizon = self.under_way.values().min().copied();
                let failures = self.judge.take(*one, horizon);
                self.notify_of_service(failures);
            }
            Ok(Read::Delivery(delivery)) => {
                let failures = self.judge.take_delivery(&delivery);
                self.notify_of_service(failures.into_iter().collect());
            }
            Ok(Read::Hastens) => self.judge.hasten(),
            Ok(Read::MovesClock) => self.judge.move_clock(),
            // An entry of our own can be read.
            Ok(Read::Other) | Err(_) => {}
        }
    }

    fn write(&mut self, entry: &serde_json::Value) {
        let Some(har) = &mut self.har else { return };
        if let Err(error) = har.add(entry) {
            self.har = None;
            self.har_error = Some(io::Error::from(error.kind()));
            (self.notify)(Notice::HarEnds(error));
        }
    }

    fn notify_of_service(&mut self, failures: Vec<Failure>) {
        for failure in failures {
            (self.notify)(Notice::Service(Box::new(failure)));
        }
        let forgotten = self.judge.forgotten();
        if forgotten > self.forgotten {
            (self.notify)(Notice::Forgotten(forgotten - self.forgotten));
            self.forgotten = forgotten;
        }
    }

    fn notify_of_client(&mut self) {
        for breach in self.conduct.breaches() {
            let requests = breach.requests.iter().map(|number| (Side::Api, *number));
            let deliveries = breach.deliveries.iter().map(|number| (Side::Webhooks, *number));
            let shown = requests.chain(deliveries).filter_map(|key| self.recent.get(key));
            let shown: Vec<Seen> = shown.cloned().collect();
            self.shown.entry(breach.duty).or_default().extend(shown.iter().cloned());
            (self.notify)(Notice::Client { duty: breach.duty, shown });
        }
    }

    /// Reports it once, until the side answers again.
    fn notify_of_outage(&mut self, copied: &Copied) {
        match &copied.unreached {
            None if copied.answer.is_some() => {
                self.unreached.remove(&copied.side);
            }
            Some(unreached) if !self.unreached.contains_key(&copied.side) => {
                let why = unreached.why().to_owned();
                self.unreached.insert(copied.side, why.clone());
                (self.notify)(Notice::Unreached { side: copied.side, why: why.clone() });
            }
            Some(_) | None => {}
        }
    }

    fn finish(mut self, ending: Ending) -> Watched {
        let failures = self.judge.stop_waiting();
        self.notify_of_service(failures);
        let har = self.har.take().map_or(Ok(()), HarFile::finish);
        let open = self.open(&self.conduct.card(Ending::Open));
        let card = self.conduct.card(ending);
        for row in card.broken() {
            let shown = open.get(&row.duty()).into_iter().flatten().cloned();
            self.shown.entry(row.duty()).or_default().extend(shown);
        }
        let Desk { judge, shown, requests, attempts, har_error, .. } = self;
        let har = har_error.or(har.err());
        Watched { judged: judge.conclude(), card, shown, open, requests, attempts, har }
    }

    fn open(&self, card: &Card) -> BTreeMap<Duty, Vec<Seen>> {
        let of = |row: &Row| {
            let requests = row.open_requests().iter().map(|number| (Side::Api, *number));
            let deliveries = row.open_deliveries().iter().map(|number| (Side::Webhooks, *number));
            let shown = requests.chain(deliveries).filter_map(|key| self.recent.get(key));
            (row.duty(), shown.cloned().collect::<Vec<_>>())
        };
        card.rows().iter().map(of).filter(|(_, shown)| !shown.is_empty()).collect()
    }
}

fn seen(copied: &Copied, path: &str) -> Seen {
    let answer = match (&copied.answer, &copied.unreached) {
        (Some(answer), _) if answer.body.is_whole => answer.status.to_string(),
        (Some(answer), _) => format!("{}, and the connection ended in its middle", answer.status),
        (None, Some(unreached)) => format!("502 of this proxy: {}", unreached.why()),
        (None, None) => "no answer: the caller closed the connection".to_owned(),
    };
    let (side, number) = (copied.side, copied.number);
    Seen { side, number, method: copied.method.clone(), path: path.to_owned(), answer }
}

/// The last exchanges, by the numbers of conduct.
#[derive(Default)]
struct Recent {
    seen: BTreeMap<(Side, u64), Seen>,
    order: VecDeque<(Side, u64)>,
}

impl Recent {
    fn add(&mut self, side: Side, number: u64, seen: Seen) {
        if self.seen.insert((side, number), seen).is_none() {
            self.order.push_back((side, number));
        }
        if self.order.len() > MOST_NAMED
            && let Some(oldest) = self.order.pop_front()
        {
            self.seen.remove(&oldest);
        }
    }

    fn get(&self, key: (Side, u64)) -> Option<&Seen> {
        self.seen.get(&key)
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Seen { side, number, method, path, answer } = self;
        let what = match side {
            Side::Api => "request",
            Side::Webhooks => "delivery",
        };
        write!(f, "{what} {number}: {method} {path} → {answer}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::copy::{CopiedAnswer, CopiedBody, tape};

    /// What a watcher says of one read, which comes after `at_once` was set or not.
    fn watched(at_once: bool) -> Watched {
        let start = Timestamp::parse("2026-01-01T00:00:00Z").unwrap();
        let (tape, copies) = tape(start);
        let bases = Bases { service: "http://127.0.0.1:1".into(), receiver: String::new() };
        let given =
            Given { profile: Profile::default(), bases, alone: false, ending: Ending::Open };
        let watcher = Watcher::start(copies, given, None, |_| {}).unwrap();
        watcher.at_once().store(at_once, Ordering::Relaxed);
        let (number, since) = tape.begin();
        let mut body = CopiedBody { is_whole: true, ..CopiedBody::default() };
        body.push(&br#"{"error":"no","code":"unknown_endpoint"}"#.to_vec().into());
        let answer = CopiedAnswer { status: 404, headers: Default::default(), body };
        tape.end(Box::new(Copied {
            side: Side::Api,
            number,
            since,
            now: since,
            method: "GET".to_owned(),
            path: "/v1/nothing".to_owned(),
            headers: Default::default(),
            body: CopiedBody { is_whole: true, ..CopiedBody::default() },
            answer: Some(answer),
            unreached: None,
        }));
        tape.close();
        watcher.finish()
    }

    #[test]
    fn what_still_waits_is_counted_and_not_judged_at_once() {
        let of = |at_once| {
            let Watched { judged, requests, .. } = watched(at_once);
            (requests, judged.unjudged.get(ENDED).copied())
        };
        assert_eq!(of(false), (1, None));
        assert_eq!(of(true), (1, Some(1)));
    }
}
