//! The targets of races.

use tideover_exchange::Race;
use tideover_exchange::target::Unreachable;
use tideover_exchange::transcript::Header;

use crate::generate;
use crate::generate::Size;
use crate::play::cases::{Silent, Summary};
use crate::play::concurrent::history::History;
use crate::play::concurrent::known::Known;

/// Where races are run.
pub trait Course {
    /// How many simpler forms of the steps of a race are tried at most.
    const MOST_FORMS: usize;

    /// How often a race is run at most before it is taken to show nothing: who meets whom is a matter of luck. 0 where
    /// every request has its price: there no race is run again.
    fn tries(&self) -> u64;

    /// Race `number`.
    fn race(&self, header: &Header, number: u64, size: Size) -> Race {
        generate::race(header, number, size)
    }

    /// Why the target does not answer any more, if it stopped.
    fn outage(&self) -> Option<String> {
        None
    }

    /// Finds out why the target gave no answer, and adds what it finds to `summary`.
    ///
    /// # Errors
    /// [`Unreachable`] if the target cannot be asked again.
    fn examine(
        &mut self,
        _header: &Header,
        _summary: &mut Summary,
        silent: Silent,
    ) -> impl Future<Output = Result<(), Unreachable>> {
        std::future::ready(silent.unexamined())
    }

    /// What is seen of `race` at a target as it is at the start, and what is known of that; `seed` decides who meets
    /// whom, where that can be decided.
    ///
    /// # Errors
    /// [`Unreachable`] if the target does not answer.
    fn run(
        &mut self,
        header: &Header,
        race: &Race,
        seed: u64,
    ) -> impl Future<Output = Result<(History, Known), Unreachable>>;
}
