//! What changes a service, as it is played again.

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
    Operation { caller: PlatformId, operation: Arc<Operation> },
    /// A request that met a failure which the operator asked for, and so used it up.
    Failure { caller: PlatformId },
    Happening { platform: PlatformId, happening: Box<Happening> },
    AttemptBegins,
    AttemptEnds { attempt: Box<Attempt>, receipt: Receipt },
    Resent { delivery: Arc<Delivery>, attempts: u32 },
    Rescheduled { due: Timestamp, cause: Cause, delivery: Arc<Delivery>, attempts: u32 },
    /// What is around the service is another one from here on.
    Around(Box<Around>),
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

    pub(super) fn time(&self) -> Timestamp {
        self.input.0
    }

    pub(super) fn input(&self) -> &Input {
        &self.input.1
    }
}

impl Input {
    fn size(&self) -> usize {
        const RULE: usize = 256;
        let more = match self {
            // Names and texts of a usual sync; a file says how many rows it has.
            Input::Operation { operation, .. } => match &**operation {
                Operation::ImportInvoices { file, .. } => 512 * (1 + file.rows.len()),
                _ => 1024,
            },
            Input::Happening { .. } => size_of::<Happening>(),
            // The delivery is in the log of deliveries, too, for a while.
            Input::AttemptEnds { attempt, .. } => {
                size_of::<Attempt>() + attempt.delivery.body.len()
            }
            Input::Resent { delivery, .. } | Input::Rescheduled { delivery, .. } => {
                delivery.body.len()
            }
            Input::Around(around) => size_of::<Around>() + RULE * around.faults.weight(),
            Input::Failure { .. } | Input::AttemptBegins => 0,
        };
        size_of::<(Played, Timestamp, Input)>() + more
    }

    /// Does it once more. What is due by then has happened.
    pub(super) fn play(&self, now: Timestamp, face: &mut dyn Face) {
        // Each of these was possible, and so is possible again: the state is the same.
        match self {
            Input::Operation { caller, operation } => {
                let _ = face.handle(now, *caller, (**operation).clone());
            }
            Input::Failure { caller } => {
                let _ = face.handle(now, *caller, Operation::ListSubscriptions);
            }
            Input::Happening { platform, happening } => {
                let _ = face.happen(now, *platform, (**happening).clone());
            }
            Input::AttemptBegins => drop(face.poll_attempt(now)),
            Input::AttemptEnds { attempt, receipt } => {
                face.handle_receipt(now, attempt, *receipt);
            }
            Input::Resent { delivery, attempts } => {
                let _ = face.resend(now, delivery, *attempts);
            }
            Input::Rescheduled { due, cause, delivery, attempts } => {
                let _ = face.reschedule(*due, *cause, delivery, *attempts);
            }
            Input::Around(_) => {}
        }
    }
}
