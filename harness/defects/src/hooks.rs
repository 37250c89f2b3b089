//! Where a defect can act: every place at which something enters or leaves a service.

use std::fmt;

use serde_json::Value;
use tideover_model::exchange::{Encoding, Rereading};
use tideover_model::wire::reply::Reply;
use tideover_model::{
    Answer, Attempt, Delivery, Face, Happening, Impossible, Operation, OperationKind, Outcome,
    PlatformId, Receipt, Refusal,
};

use crate::choices::WrongChoice;
use crate::inner::{Inner, Memory};

pub type Authenticates =
    dyn Fn(&dyn Face, Option<&str>) -> Result<PlatformId, Refusal> + Send + Sync;
pub type Races = dyn Fn(&mut Inner<'_>, &mut dyn Face, Operation) -> Answer + Send + Sync;
pub type Happens = dyn Fn(&mut Inner<'_>, Happening) -> Result<Outcome, Impossible> + Send + Sync;
pub type Reads = dyn Fn(&mut Memory, &Attempt, Receipt) -> Receipt + Send + Sync;

/// What a success is shown of.
#[derive(Clone, Debug)]
pub struct Shown {
    pub kind: OperationKind,
    /// Whom it is shown to, and what it is about.
    pub subject: String,
}

macro_rules! hooks {
    ($($(#[$doc:meta])* $hook:ident $and:ident: $code:ty;)*) => {
        /// What a defect does in place of a right service. Where it has no hook, the service is right.
        ///
        /// A request meets `rereading`, `authentication`, `operation`, then `race` or `answer`, `reply`, and at last
        /// `encoding` or `body`. An
        /// event meets `sends`, `adds` and `rewrites` when it is queued; each of its attempts meets `sends` and
        /// `attempt`, and what the receiver answers meets `receipt`.
        ///
        /// A hook is a reference: a catalogue writes a closure, and whoever generates defects leaks one that holds its
        /// own data.
        #[derive(Clone, Copy)]
        pub struct Hooks {
            $($(#[$doc])* pub $hook: Option<$code>,)*
        }

        impl Hooks {
            /// Those of a right service.
            pub const NONE: Hooks = Hooks { $($hook: None,)* };

            $(
                /// The same, with this hook too.
                #[must_use]
                pub const fn $and(self, code: $code) -> Hooks {
                    Hooks { $hook: Some(code), ..self }
                }
            )*
        }

        $(
            /// This hook alone.
            pub const fn $hook(code: $code) -> Hooks {
                Hooks::NONE.$and(code)
            }
        )*
    };
}

hooks! {
    /// Says who calls.
    authentication and_authentication:
        &'static Authenticates;
    /// Alters a request before it is handled.
    operation and_operation: &'static (dyn Fn(&mut Operation) + Send + Sync);
    /// Handles a request: otherwise, twice, not at all, or with something else undone.
    answer and_answer: &'static (dyn Fn(&mut Inner<'_>, Operation) -> Answer + Send + Sync);
    /// Handles a request that has others in flight beside it. It also gets the service as of the request's arrival.
    race and_race:
        &'static Races;
    /// Alters a success.
    reply and_reply: &'static (dyn Fn(&mut Reply) + Send + Sync);
    /// Reads another body in place of the one that was sent.
    rereading and_rereading: Rereading;
    /// Writes an answer.
    encoding and_encoding: Encoding;
    /// The one endpoint whose answers `encoding` writes; those of all others, and of none, are right.
    endpoint and_endpoint: OperationKind;
    /// Alters the body of a success.
    body and_body: &'static (dyn Fn(&mut Memory, &Shown, &mut Value) + Send + Sync);
    /// Does what the outside world does.
    happening and_happening:
        &'static Happens;
    /// Whether what is due happens.
    timeout and_timeout: &'static (dyn Fn(&Memory) -> bool + Send + Sync);
    /// Whether an event is queued and sent.
    sends and_sends: &'static (dyn Fn(&Memory, &Delivery) -> bool + Send + Sync);
    /// Another event that follows this one.
    adds and_adds: &'static (dyn Fn(&Delivery) -> Option<Delivery> + Send + Sync);
    /// Another form of an event, which all of its attempts have.
    rewrites and_rewrites: &'static (dyn Fn(&mut Memory, &Delivery) -> Option<Delivery> + Send + Sync);
    /// Alters an attempt; `false` if it is not made, and counts as accepted.
    attempt and_attempt: &'static (dyn Fn(&mut Memory, &mut Attempt) -> bool + Send + Sync);
    /// Reads what a receiver answered.
    receipt and_receipt:
        &'static Reads;
    /// Starts the service again.
    restart and_restart: &'static (dyn Fn(&mut Inner<'_>) + Send + Sync);
    /// Makes a choice that the service may not make.
    choice and_choice: WrongChoice;
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks").finish_non_exhaustive()
    }
}
