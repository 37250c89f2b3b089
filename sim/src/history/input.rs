//! What changes a service, as it is played again.

use std::collections::BTreeMap;
use std::sync::Arc;

use tideover_model::{
    Attempt, Cause, Delivery, Face, Happening, Operation, PlatformId, Receipt, Timestamp,
};

use crate::fault::Faults;
use crate::grease::SavedGrease;

/// Something that has changed a service, or what is around it.
#[derive(Clone, Debug)]
pub(crate) enum Input {
    /// An operation that succeeded.
    Operation {
        caller: PlatformId,
        operation: Arc<Noted>,
    },
    /// A request that met a failure which the operator asked for, and so used it up.
    Failure {
        caller: PlatformId,
    },
    Happening {
        platform: PlatformId,
        happening: Box<Happening>,
    },
    AttemptBegins,
    AttemptEnds {
        attempt: AttemptName,
        receipt: Receipt,
    },
    Resent {
        delivery: Arc<Delivery>,
        attempts: u32,
    },
    Rescheduled {
        due: Timestamp,
        cause: Cause,
        delivery: Arc<Delivery>,
        attempts: u32,
    },
    /// What is around the service is another one from here on.
    Around(Box<Around>),
}

/// An operation, and the bytes that it takes, as far as they can be counted.
#[derive(Clone, Debug)]
pub(crate) struct Noted {
    operation: Operation,
    size: usize,
}

impl Noted {
    /// An operation from a body of so many bytes.
    pub(crate) fn new(operation: Operation, body: usize) -> Noted {
        // What belongs to a row of a file beside its texts.
        const ROW: usize = 256;
        let rows = match &operation {
            Operation::ImportInvoices { file, .. } => file.rows.len(),
            _ => 1,
        };
        Noted { operation, size: size_of::<Noted>() + ROW * rows + body }
    }
}

/// The number of a delivery and of its attempt: an attempt itself belongs to one copy of a service.
pub(crate) type AttemptName = (u64, u32);

pub(super) fn name_of(attempt: &Attempt) -> AttemptName {
    (attempt.delivery.number, attempt.number)
}

/// What a state has beside the service.
#[derive(Clone, Debug, Default)]
pub(crate) struct Around {
    pub(crate) faults: Faults,
    pub(crate) grease: Option<SavedGrease>,
}

impl Around {
    /// Whether there is anything.
    pub(crate) fn is_empty(&self) -> bool {
        self.grease.is_none() && self.faults.are_at_rest()
    }
}

/// An input with its time.
#[derive(Clone, Debug)]
pub(crate) struct Played {
    input: Arc<(Timestamp, Input)>,
    size: usize,
}

impl Played {
    pub(super) fn new(now: Timestamp, input: Input) -> Played {
        let size = input.size();
        Played { input: Arc::new((now, input)), size }
    }

    /// The bytes that it takes, as far as they can be counted.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Itself; a copy, if somebody else has it too.
    pub(super) fn into_parts(self) -> (Timestamp, Input) {
        Arc::unwrap_or_clone(self.input)
    }
}

impl Input {
    fn size(&self) -> usize {
        const RULE: usize = 256;
        let more = match self {
            Input::Operation { operation, .. } => operation.size,
            Input::Happening { .. } => size_of::<Happening>(),
            // The delivery is in the log of deliveries, too, for a while.
            Input::Resent { delivery, .. } | Input::Rescheduled { delivery, .. } => {
                delivery.body.len()
            }
            Input::Around(around) => size_of::<Around>() + RULE * around.faults.weight(),
            Input::Failure { .. } | Input::AttemptBegins | Input::AttemptEnds { .. } => 0,
        };
        size_of::<(Played, Timestamp, Input)>() + more
    }

    /// Does it once more. What is due by then has happened. `in_flight` has the attempts that have begun and not ended.
    pub(super) fn play(
        self,
        now: Timestamp,
        face: &mut dyn Face,
        around: &mut Around,
        in_flight: &mut BTreeMap<AttemptName, Attempt>,
    ) {
        // Each of these was possible, and so is possible again: the state is the same.
        match self {
            Input::Operation { caller, operation } => {
                let _ = face.handle(now, caller, Arc::unwrap_or_clone(operation).operation);
            }
            Input::Failure { caller } => {
                let _ = face.handle(now, caller, Operation::ListSubscriptions);
            }
            Input::Happening { platform, happening } => {
                let _ = face.happen(now, platform, *happening);
            }
            Input::AttemptBegins => {
                let attempt = face.poll_attempt(now);
                in_flight.extend(attempt.map(|attempt| (name_of(&attempt), attempt)));
            }
            Input::AttemptEnds { attempt, receipt } => {
                if let Some(attempt) = in_flight.remove(&attempt) {
                    face.handle_receipt(now, &attempt, receipt);
                }
            }
            Input::Resent { delivery, attempts } => {
                let _ = face.resend(now, &delivery, attempts);
            }
            Input::Rescheduled { due, cause, delivery, attempts } => {
                let _ = face.reschedule(due, cause, &delivery, attempts);
            }
            Input::Around(next) => *around = *next,
        }
    }
}
