//! Copies of exchanges, on their way from the proxy to the judge.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

use hyper::HeaderMap;
use hyper::body::Bytes;
use tideover_model::Timestamp;

/// The most bytes of one body that are copied. A longer one passes whole, and is not judged.
pub(crate) const MOST_COPIED: usize = 8 << 20;

/// The most bytes that wait for the judge. Beyond that, exchanges pass without a copy of their bodies.
const MOST_WAITING: usize = 128 << 20;

/// Which of the two proxies an exchange has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// From the client to the service.
    Api,
    /// From the service to the receiver.
    Webhooks,
}

/// A body as it passed.
#[derive(Debug, Default)]
pub(crate) struct CopiedBody {
    pub(crate) pieces: Vec<Bytes>,
    pub(crate) length: usize,
    /// Whether it passed to its end.
    pub(crate) is_whole: bool,
    /// Whether all of it was copied.
    pub(crate) is_cut: bool,
}

impl CopiedBody {
    pub(crate) fn push(&mut self, piece: &Bytes) {
        self.length += piece.len();
        if self.length > MOST_COPIED {
            self.is_cut = true;
            self.pieces.clear();
        } else {
            self.pieces.push(piece.clone());
        }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.pieces.concat()
    }

    fn drop_pieces(&mut self) {
        self.is_cut |= !self.pieces.is_empty();
        self.pieces.clear();
    }

    fn held(&self) -> usize {
        if self.is_cut { 0 } else { self.length }
    }
}

/// The head of an answer, with what of its body has passed.
#[derive(Debug)]
pub(crate) struct CopiedAnswer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: CopiedBody,
}

/// Why the other side gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unreached {
    /// Nothing was sent.
    NotSent(String),
    /// It may have taken the request.
    NoAnswer(String),
}

impl Unreached {
    pub(crate) fn why(&self) -> &str {
        let (Unreached::NotSent(why) | Unreached::NoAnswer(why)) = self;
        why
    }
}

/// An exchange as it passed.
#[derive(Debug)]
pub(crate) struct Copied {
    pub(crate) side: Side,
    pub(crate) number: u64,
    pub(crate) since: Timestamp,
    pub(crate) now: Timestamp,
    pub(crate) method: String,
    /// The path and the query, as the caller sent them.
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: CopiedBody,
    pub(crate) answer: Option<CopiedAnswer>,
    /// Why the other side gave no answer, so that the proxy gave one.
    pub(crate) unreached: Option<Unreached>,
}

impl Copied {
    fn held(&self) -> usize {
        self.body.held() + self.answer.as_ref().map_or(0, |answer| answer.body.held())
    }
}

/// What happens at the proxies, in order.
#[derive(Debug)]
pub(crate) enum Passing {
    /// A request has come.
    Began { number: u64, since: Timestamp },
    /// Its answer has passed, or will not.
    Ended(Box<Copied>),
    /// Nothing more passes.
    Closed,
}

/// Where the proxies put their copies.
#[derive(Clone, Debug)]
pub struct Tape {
    to: Sender<Passing>,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    began: Instant,
    start: Timestamp,
    numbers: AtomicU64,
    waiting: AtomicUsize,
}

/// The other end.
#[derive(Debug)]
pub struct Copies {
    pub(crate) from: Receiver<Passing>,
    shared: Arc<Shared>,
}

/// A tape that begins at `start`, the wall time.
pub fn tape(start: Timestamp) -> (Tape, Copies) {
    let (to, from) = channel();
    let (numbers, waiting) = (AtomicU64::new(1), AtomicUsize::new(0));
    let shared = Arc::new(Shared { began: Instant::now(), start, numbers, waiting });
    (Tape { to, shared: Arc::clone(&shared) }, Copies { from, shared })
}

impl Tape {
    /// The time by a clock that nobody sets meanwhile, to a microsecond.
    pub(crate) fn now(&self) -> Timestamp {
        let microseconds = self.shared.began.elapsed().as_micros();
        self.shared.start.after_microseconds(u64::try_from(microseconds).unwrap_or(u64::MAX))
    }

    /// Announces a request. Returns its number and its time.
    pub(crate) fn begin(&self) -> (u64, Timestamp) {
        let number = self.shared.numbers.fetch_add(1, Ordering::Relaxed);
        let since = self.now();
        // Without a judge, nobody wants it.
        let _ = self.to.send(Passing::Began { number, since });
        (number, since)
    }

    /// Says that nothing more passes, whoever still holds the tape.
    pub fn close(&self) {
        let _ = self.to.send(Passing::Closed);
    }

    pub(crate) fn end(&self, mut copied: Box<Copied>) {
        copied.now = self.now();
        if self.shared.waiting.load(Ordering::Relaxed) + copied.held() > MOST_WAITING {
            copied.body.drop_pieces();
            copied.answer.iter_mut().for_each(|answer| answer.body.drop_pieces());
        }
        self.shared.waiting.fetch_add(copied.held(), Ordering::Relaxed);
        let _ = self.to.send(Passing::Ended(copied));
    }
}

impl Copies {
    /// A copy has been read, and makes room for others.
    pub(crate) fn took(&self, copied: &Copied) {
        self.shared.waiting.fetch_sub(copied.held(), Ordering::Relaxed);
    }
}
