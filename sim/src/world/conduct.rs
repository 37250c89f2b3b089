//! How the caller of a world behaves: the watch of the model reads the journal and the log of deliveries when somebody asks.
//! So nobody else pays for it, and its memory is bounded as theirs is. What they no longer have is not judged.

use tideover_model::conduct::{Card, Ending, Fact, Watch};

use crate::deliveries::Witnessed;
use crate::world::{LogPosition, World};

/// How many requests are read under one lock.
const AT_ONCE: u64 = 64;

/// What is seen of the caller's conduct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conduct {
    /// A row for each duty.
    pub card: Card,
    /// The number of requests that the journal no longer has.
    pub dropped_requests: u64,
    /// The number of deliveries that the log no longer has.
    pub dropped_deliveries: u64,
}

impl World {
    /// How the callers of this world behave, as far as its journal and its log of deliveries show. With [`Ending::Final`],
    /// what they have begun and not finished counts as broken.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use tideover_sim::conduct::Ending;
    /// use tideover_sim::Mock;
    ///
    /// let mock = Mock::start().await?;
    /// // After the requests of your client:
    /// let conduct = mock.world().conduct(Ending::Final);
    /// assert_eq!(conduct.card.counts().broken, 0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn conduct(&self, ending: Ending) -> Conduct {
        loop {
            if let Some(conduct) = self.try_conduct(ending) {
                return conduct;
            }
        }
    }

    /// `None` if the world was reset meanwhile.
    fn try_conduct(&self, ending: Ending) -> Option<Conduct> {
        let LogPosition { next, resets, .. } = self.journal_position();
        let (mut attempts, dropped_deliveries) = {
            let state = self.lock();
            (state.deliveries.witnessed(&state.faults), state.deliveries.dropped())
        };
        attempts.sort_by_key(|attempt| attempt.ended);
        let mut attempts = attempts.into_iter().peekable();
        let mut watch = Watch::default();
        let take_attempt = |watch: &mut Watch, attempt: &Witnessed| {
            watch.take(&Fact::Attempt(attempt.seen()));
            if attempt.given_up {
                watch.take(&Fact::GivenUp(&attempt.delivery));
            }
        };
        let mut from = 0;
        while from < next {
            let end = next.min(from + AT_ONCE);
            let state = self.lock();
            if state.resets != resets {
                return None;
            }
            from = from.max(state.journal.dropped());
            state.journal.witness(from..end, |exchange| {
                while let Some(attempt) =
                    attempts.next_if(|attempt| attempt.ended.requests <= exchange.number)
                {
                    take_attempt(&mut watch, &attempt);
                }
                watch.take(&Fact::Exchange(*exchange));
            });
            from = end.max(from);
        }
        attempts.for_each(|attempt| take_attempt(&mut watch, &attempt));
        let dropped_requests = self.journal_position().dropped;
        Some(Conduct { card: watch.card(ending), dropped_requests, dropped_deliveries })
    }
}
