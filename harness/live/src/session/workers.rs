//! How many cases are played at once.

use std::time::Duration;

use tideover_exchange::evidence::latency::percentile;

use crate::settings::Settings;

/// The number of responses that decide, unless the user does.
const SAMPLE: usize = 10;

/// One worker for so much latency: together they send at most 200 requests in a second.
const LATENCY_OF_A_WORKER: Duration = Duration::from_millis(5);

/// The most workers that a run chooses itself.
const MOST: usize = 8;

/// How many cases are played at once: as many as the user says, or by the target's latency.
#[derive(Clone, Debug)]
pub(super) struct Workers {
    /// The user's number, or one where the cases share accounts.
    fixed: Option<usize>,
    /// How long the first responses took.
    first: Vec<Duration>,
    /// How often the target asked to wait.
    asked: u32,
}

impl Workers {
    /// Cases that write to the user's accounts are played one after another, because all of them share these accounts.
    pub(super) fn new(settings: &Settings) -> Workers {
        let given = settings.workers.map(|given| usize::try_from(given.get()).unwrap_or(MOST));
        let fixed = if settings.has_independent_cases() { given } else { Some(1) };
        Workers { fixed, first: Vec::new(), asked: 0 }
    }

    pub(super) fn note(&mut self, took: Duration) {
        if self.first.len() < SAMPLE {
            self.first.push(took);
        }
    }

    pub(super) fn note_asked_to_wait(&mut self) {
        self.asked += 1;
    }

    /// How many requests a time is enough for, as far as the first responses show.
    pub(super) fn requests_in(&self, time: Duration) -> u64 {
        let median = percentile(self.first.clone(), 50).unwrap_or_default();
        let at_once = self.fixed.unwrap_or_else(|| at_once(median)).max(1);
        let in_turn = time.as_nanos().checked_div(median.as_nanos()).unwrap_or(u128::MAX);
        u64::try_from(in_turn.saturating_mul(at_once as u128)).unwrap_or(u64::MAX)
    }

    /// How many there are now. Each time that the target asks to wait, a number that the run has chosen is halved.
    pub(super) fn count(&self) -> usize {
        if let Some(fixed) = self.fixed {
            return fixed;
        }
        if self.first.len() < SAMPLE {
            return 1;
        }
        let median = percentile(self.first.clone(), 50).unwrap_or_default();
        (at_once(median) >> self.asked.min(usize::BITS - 1)).max(1)
    }
}

/// How many requests may be under way, at this latency.
fn at_once(latency: Duration) -> usize {
    usize::try_from(latency.as_micros() / LATENCY_OF_A_WORKER.as_micros())
        .unwrap_or(MOST)
        .clamp(1, MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(milliseconds: u64, asked: u32) -> usize {
        let mut workers = Workers { fixed: None, first: Vec::new(), asked: 0 };
        for _ in 0..SAMPLE {
            assert_eq!(workers.count(), 1, "too few responses say nothing");
            workers.note(Duration::from_millis(milliseconds));
        }
        // What comes later may be slow because of the workers themselves.
        workers.note(Duration::from_secs(9));
        (0..asked).for_each(|_| workers.note_asked_to_wait());
        workers.count()
    }

    #[test]
    fn the_latency_decides_and_the_target_may_ask_for_fewer() {
        assert_eq!([0, 4, 9, 10, 20, 200].map(|latency| chosen(latency, 0)), [1, 1, 1, 2, 4, 8]);
        assert_eq!([1, 2, 3, 200].map(|asked| chosen(200, asked)), [4, 2, 1, 1]);
    }

    #[test]
    fn the_user_decides_whatever_the_target_does() {
        let mut workers = Workers { fixed: Some(5), first: Vec::new(), asked: 0 };
        workers.note_asked_to_wait();
        assert_eq!(workers.count(), 5);
    }
}
