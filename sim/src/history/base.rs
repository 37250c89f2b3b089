//! The copy of a service that lags behind.

use std::collections::BTreeMap;

use tideover_model::{Attempt, Face, Timestamp};

use crate::history::input::{Around, AttemptName, Played};

/// The most businesses and invoices of a service with earlier states: none of a million invoices is in memory twice.
pub(super) const MOST: usize = 20_000;

/// A service as it was after so many inputs, with what was around it.
pub(crate) struct Base {
    pub(crate) face: Box<dyn Face>,
    pub(crate) around: Around,
    pub(super) in_flight: BTreeMap<AttemptName, Attempt>,
    /// The number of inputs before it.
    pub(crate) position: u64,
}

impl Base {
    /// A copy of a service that has had no input yet; `None` if it can't be copied.
    pub(crate) fn of(face: &dyn Face, around: Around) -> Option<Base> {
        Some(Base { face: face.copied()?, around, in_flight: BTreeMap::new(), position: 0 })
    }

    pub(crate) fn copied(&self) -> Option<Base> {
        let (face, in_flight) = (self.face.copied()?, self.in_flight.clone());
        Some(Base { face, around: self.around.clone(), in_flight, position: self.position })
    }

    /// Plays the next inputs.
    pub(crate) fn play(&mut self, inputs: Vec<Played>) {
        for played in inputs {
            let (now, input) = played.into_parts();
            self.pass(now);
            input.play(now, &mut *self.face, &mut self.around, &mut self.in_flight);
            self.drain();
            self.position += 1;
        }
    }

    /// Lets happen what is due by now.
    pub(crate) fn pass(&mut self, now: Timestamp) {
        self.face.handle_timeout(now);
        self.drain();
    }

    /// A log of deliveries has taken these.
    fn drain(&mut self) {
        while self.face.poll_delivery().is_some() {}
    }
}

/// Whether a service is too large for a second copy.
pub(super) fn is_too_large(face: &dyn Face) -> bool {
    let size = face.size();
    size.businesses + size.invoices > MOST
}
