//! A body that is copied while it passes.

use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use tokio::sync::oneshot;
use tokio::time::{Sleep, sleep};

use crate::copy::{Copied, CopiedBody, Tape};

/// An exchange while it passes. When the last part of it is dropped, its copy goes to the tape: so it does too if the caller
/// has closed the connection.
pub(super) struct Passage {
    copied: Mutex<Option<Box<Copied>>>,
    tape: Tape,
}

impl Passage {
    pub(super) fn new(copied: Copied, tape: Tape) -> Arc<Passage> {
        Arc::new(Passage { copied: Mutex::new(Some(Box::new(copied))), tape })
    }

    /// Changes the copy, unless it has gone to the tape.
    pub(super) fn note(&self, change: impl FnOnce(&mut Copied)) {
        if let Some(copied) = self.lock().as_mut() {
            change(copied);
        }
    }

    /// Puts the copy on the tape.
    pub(super) fn end(&self) {
        if let Some(copied) = self.lock().take() {
            self.tape.end(copied);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Box<Copied>>> {
        self.copied.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the passage of an exchange when it is dropped.
pub(super) struct Guard(pub(super) Arc<Passage>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Which body of an exchange.
pub(super) enum Which {
    Request {
        /// Until the other side asks for the body, nothing of it is read: reading it makes hyper ask the caller.
        wanted: Option<Wanted>,
    },
    Answer {
        /// Ends the passage with the body.
        guard: Guard,
        /// Gives the connection back, which can be used again after a whole answer.
        release: Option<Release>,
    },
}

/// What gives a connection back.
pub(super) type Release = Box<dyn FnOnce() + Send>;

/// A request that waits for `100 Continue`.
pub(super) struct Wanted {
    /// None once the other side can ask no more, because it has answered.
    asked: Option<oneshot::Receiver<()>>,
    /// Whoever expects a 100 sends its body after a while without one.
    patience: Pin<Box<Sleep>>,
}

/// How long to wait for a `100 Continue` of the other side.
const PATIENCE: Duration = Duration::from_secs(1);

impl Wanted {
    pub(super) fn new(asked: oneshot::Receiver<()>) -> Wanted {
        Wanted { asked: Some(asked), patience: Box::pin(sleep(PATIENCE)) }
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        match self.asked.as_mut().map(|asked| pin!(asked).poll(context)) {
            Some(Poll::Ready(Ok(()))) => return Poll::Ready(()),
            // An answer without a 100 wants no body: asking the caller for it would put a 100 before that answer.
            Some(Poll::Ready(Err(_))) => self.asked = None,
            Some(Poll::Pending) | None => {}
        }
        self.patience.as_mut().poll(context)
    }
}

pub(super) struct Tap {
    inner: Incoming,
    passage: Arc<Passage>,
    which: Which,
}

impl Tap {
    pub(super) fn new(inner: Incoming, passage: Arc<Passage>, which: Which) -> Tap {
        let tap = Tap { inner, passage, which };
        if tap.inner.is_end_stream() {
            tap.copy(|body| body.is_whole = true);
        }
        tap
    }

    fn copy(&self, change: impl FnOnce(&mut CopiedBody)) {
        self.passage.note(|copied| match self.which {
            Which::Request { .. } => change(&mut copied.body),
            Which::Answer { .. } => {
                if let Some(answer) = &mut copied.answer {
                    change(&mut answer.body);
                }
            }
        });
    }
}

impl Body for Tap {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        if let Which::Request { wanted } = &mut self.which
            && let Some(waits) = wanted
        {
            if waits.poll(context).is_pending() {
                return Poll::Pending;
            }
            *wanted = None;
        }
        let polled = Pin::new(&mut self.inner).poll_frame(context);
        match &polled {
            Poll::Ready(Some(Ok(frame))) => {
                if let Some(data) = frame.data_ref() {
                    self.copy(|body| body.push(data));
                }
                if self.inner.is_end_stream() {
                    self.copy(|body| body.is_whole = true);
                }
            }
            Poll::Ready(None) => self.copy(|body| body.is_whole = true),
            Poll::Ready(Some(Err(_))) | Poll::Pending => {}
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

impl Drop for Tap {
    fn drop(&mut self) {
        let mut is_whole = false;
        self.copy(|body| is_whole = body.is_whole);
        if let Which::Answer { guard, release } = &mut self.which {
            guard.0.end();
            // In the middle of an answer, a connection cannot be used again.
            if let Some(release) = release.take().filter(|_| is_whole) {
                release();
            }
        }
    }
}
