//! The copy of a service that lags behind.

use tideover_model::{Face, Timestamp};

use crate::history::input::{Around, Input, Played};

/// The most businesses and invoices of a base: a larger world keeps no earlier states, so that no service of a million
/// invoices is in memory twice.
pub(super) const MOST: usize = 50_000;

/// A service as it was after so many inputs, with what was around it.
pub(crate) struct Base {
    pub(crate) face: Box<dyn Face>,
    pub(crate) around: Around,
    /// The number of inputs before it.
    pub(crate) position: u64,
}

impl Base {
    /// A copy of a service that has had no input yet; `None` if it can't be copied.
    pub(crate) fn of(face: &dyn Face, around: Around) -> Option<Base> {
        Some(Base { face: face.copied()?, around, position: 0 })
    }

    pub(crate) fn copied(&self) -> Option<Base> {
        let Base { face, around, position } = self;
        Some(Base { face: face.copied()?, around: around.clone(), position: *position })
    }

    /// Plays the next inputs.
    pub(crate) fn play(&mut self, inputs: &[Played]) {
        for played in inputs {
            let (now, input) = (played.time(), played.input());
            self.pass(now);
            input.play(now, &mut *self.face);
            if let Input::Around(around) = input {
                self.around = (**around).clone();
            }
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

    pub(crate) fn is_too_large(&self) -> bool {
        is_too_large(&*self.face)
    }
}

/// Whether a service is too large for a second copy.
pub(crate) fn is_too_large(face: &dyn Face) -> bool {
    let size = face.size();
    size.businesses + size.invoices > MOST
}
