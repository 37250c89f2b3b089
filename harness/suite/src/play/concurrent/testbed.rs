//! The testbeds of races.

use std::hash::Hash;

use tideover_exchange::Race;
use tideover_exchange::target::{INBOX, Interleaved, Unreachable};
use tideover_exchange::transcript::Header;

use crate::generate;
use crate::generate::Size;
use crate::play::case::Observed;
use crate::play::cases::{InProcess, OverHttp, Testbed};
use crate::play::concurrent::history::History;
use crate::play::concurrent::interleave::{Schedule, interleave};
use crate::play::concurrent::known::Known;
use crate::play::concurrent::play::play;

/// A testbed where requests can be sent at once.
pub trait RaceTestbed: Testbed<Target: Clone + 'static> {
    /// How many simpler forms of a race are tried at most. Each may cost [`RaceTestbed::tries`] runs.
    const MOST_RACE_FORMS: usize = 400;

    /// How often a race is run before it is taken to show nothing: chance decides which requests meet. 0 where each
    /// request costs money: there no race is run again.
    fn tries(&self) -> u64;

    /// Race `number`.
    fn race(&self, header: &Header, number: u64, size: Size) -> Race {
        generate::race(header, number, size)
    }

    /// Runs `race` at a fresh target. `_seed` decides which requests meet, where that can be decided.
    fn run(
        &mut self,
        header: &Header,
        race: &Race,
        _seed: u64,
    ) -> impl Future<Output = Result<(History, Known), Unreachable>> {
        async move { run_at(self.fresh().await?, header, race).await }
    }
}

/// The model in process: a schedule decides when each request takes effect.
impl<F: Interleaved + Hash + 'static> RaceTestbed for InProcess<F> {
    /// Many, since a run in process takes milliseconds.
    fn tries(&self) -> u64 {
        20
    }

    async fn run(
        &mut self,
        header: &Header,
        race: &Race,
        seed: u64,
    ) -> Result<(History, Known), Unreachable> {
        let history = interleave(&mut self.fresh().await?, race, Schedule { seed, lost: 0 });
        Ok((history, Known::of(header, INBOX)))
    }
}

/// A mock. A run takes as long as its requests, hence fewer tries.
impl RaceTestbed for OverHttp {
    fn tries(&self) -> u64 {
        3
    }
}

/// Runs `race` at a fresh target, where nobody decides which requests meet.
pub async fn run_at<T: Observed + Clone + 'static>(
    mut target: T,
    header: &Header,
    race: &Race,
) -> Result<(History, Known), Unreachable> {
    let known = Known::of_target(header, &mut target);
    Ok((play(&target, race, known.start).await, known))
}
