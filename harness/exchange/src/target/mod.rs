//! Whoever a run talks to.
//!
//! - In comes a prepared step; out come the response and the arrivals at the inbox.
//! - A [`Target`] is any of them; [`ModelTarget`] is the model in this thread. [`inbox`] says how our receiver of webhooks
//!   responds.
//! - Never here: a socket, what a response means, whether it is right, which step comes next.

pub mod inbox;
mod interleaved;
mod model;
mod origin;

use serde::Serialize;

use crate::{Arrival, Memory, Prepared, Response};

pub use interleaved::Interleaved;
pub use model::{INBOX, LazyResponse, ModelTarget, service};
pub use origin::{is_this_machine, origin, path_of};

/// No answer came to a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{why}")]
#[serde(rename_all = "camelCase")]
pub struct Unanswered {
    /// What happened instead.
    pub why: String,
    /// Whether the target may have done as it was asked.
    pub applied: Applied,
    /// Whether nothing more can be asked: the run is over.
    #[serde(skip)]
    pub is_last: bool,
    /// How the target failed to answer, if that is why.
    #[serde(skip)]
    pub silence: Option<Silence>,
}

/// How a target failed to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// Its host refuses the connection: nothing listens there.
    Refused,
    /// No connection is made: the way to the host may be broken.
    Unreachable,
    /// It took the connection and gave no whole answer.
    NoAnswer,
}

/// Whether a request that was not answered may have been applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Applied {
    /// It was never sent.
    Never,
    /// It was sent, at least in part.
    MayBe,
}

impl Unanswered {
    /// It was never sent.
    pub fn never(why: impl Into<String>) -> Unanswered {
        Unanswered { why: why.into(), applied: Applied::Never, is_last: false, silence: None }
    }

    /// It was sent, at least in part.
    pub fn may_be(why: impl Into<String>) -> Unanswered {
        Unanswered { why: why.into(), applied: Applied::MayBe, is_last: false, silence: None }
    }

    /// The same, after which nothing more can be asked.
    #[must_use]
    pub fn and_last(self) -> Unanswered {
        Unanswered { is_last: true, ..self }
    }

    /// The same, because the target failed to answer.
    #[must_use]
    pub fn of(self, silence: Silence) -> Unanswered {
        Unanswered { silence: Some(silence), ..self }
    }
}

impl From<Unanswered> for Unreachable {
    fn from(unanswered: Unanswered) -> Unreachable {
        Unreachable(unanswered.why)
    }
}

/// A target could not be asked: a run cannot go on.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unreachable(pub String);

/// A server may refuse a larger body, in bytes, before it has read all of it, and then close the connection
/// (RFC 9112 §9.6). Its response may get lost, and so may a next request on the connection.
pub const MOST_READ_BEFORE_REFUSAL: usize = 16 << 10;

/// What `${inbox}` stands for where there is none: webhooks go nowhere.
pub const NO_INBOX: &str = "https://inbox.invalid";

pub trait Target {
    /// The API key that steps of nobody in particular carry.
    fn api_key(&self) -> &str;

    /// Sends a step and waits for the answer.
    ///
    /// # Errors
    /// [`Unanswered`] if no answer came.
    fn send(&mut self, step: &Prepared) -> impl Future<Output = Result<Response, Unanswered>>;

    /// Where webhooks come to the harness; `None` if it has no inbox that the target could reach.
    fn inbox(&self) -> Option<&str>;

    /// What steps can refer to before any is played.
    fn memory(&self) -> Memory {
        Memory::with_inbox(self.inbox().unwrap_or(NO_INBOX))
    }

    /// What came to the inbox since this was last asked, once nothing more is on its way.
    ///
    /// # Errors
    /// [`Unanswered`] if the target does not answer.
    fn arrivals(&mut self) -> impl Future<Output = Result<Vec<Arrival>, Unanswered>>;
}
