//! Judges recorded requests step by step, with the checks of a case.

use std::borrow::Cow;

use tideover_exchange::Memory;
use tideover_exchange::evidence::finding::Finding;
use tideover_exchange::target::{Applied, NO_INBOX, origin};
use tideover_exchange::transcript::Header;
use tideover_exchange::{Prepared, Response};
use tideover_judge::checks::Checks;
use tideover_judge::{Belief, Outside, PriorState};
use tideover_model::{Service, Timestamp, bearer};

use crate::play::case::oracle::Oracle;
use crate::play::case::{CaseRun, Played, StepRecord};

/// Judges recorded requests to a foreign service.
pub struct Listener {
    run: CaseRun<'static>,
}

impl Listener {
    /// A service that takes the keys of the `accepted` headers, and may send webhooks to `inbox`. `alone` says that nobody else
    /// uses these keys.
    pub fn new(
        header: &Header,
        accepted: &[String],
        inbox: Option<&str>,
        (outside, prior): (Outside, PriorState),
        alone: bool,
    ) -> Listener {
        let mut keys = accepted.iter().filter_map(|header| bearer(header));
        let first = keys.next().unwrap_or(Service::FIRST_KEY);
        let profile = header.profile.clone();
        let inbox = inbox.map_or_else(|| NO_INBOX.to_owned(), origin);
        let mut belief = Belief::new(profile, &inbox, first, header.start, outside, prior);
        belief.introduce(keys);
        belief.remember();
        if alone {
            belief.exclude_others();
        }
        let mut oracle = Oracle::believed(belief);
        oracle.forget_clock();
        let run = CaseRun {
            oracle,
            memory: Memory::default(),
            checks: Checks::of_foreign(outside),
            played: Played::default(),
        };
        Listener { run }
    }

    /// Takes over what the operator port did before the first judged request.
    pub fn recall(&mut self, sent: &Prepared, seen: &Response, now: Timestamp) {
        self.run.oracle.overhear(sent, seen, now, now);
    }

    /// Forgets what responses have shown of the service's clock.
    pub fn forget_clock(&mut self) {
        self.run.oracle.forget_clock();
    }

    /// Adds a key that was accepted only now. It belongs to a known platform or to a new one.
    pub fn introduce(&mut self, header: &str) {
        self.run.oracle.introduce(bearer(header).into_iter());
    }

    /// Whether a response contradicts the state, and may show the one before a write.
    pub fn may_lag(&self, sent: &Prepared, seen: &Response, now: Timestamp) -> bool {
        self.run.oracle.may_lag(sent, seen, now)
    }

    /// Whether some world explains a response.
    pub fn explains(&self, sent: &Prepared, seen: &Response, now: Timestamp) -> bool {
        self.run.oracle.explains(sent, seen, now)
    }

    /// Skips a stale response: a later one to the same request shows the write.
    pub fn pass_over(&mut self, sent: &Prepared, seen: &Response, now: Timestamp) {
        self.run.played.lag(sent);
        self.run.played.answers.push((now, Some(seen.clone())));
    }

    /// Judges a response, or that there is none.
    pub fn listen(
        &mut self,
        sent: &Prepared,
        seen: Option<&Response>,
        since: Timestamp,
        now: Timestamp,
    ) -> Vec<Finding> {
        let Some(seen) = seen else {
            self.run.oracle.miss(sent, Applied::MayBe, since);
            self.run.lose(sent);
            self.run.played.answers.push((since, None));
            return Vec::new();
        };
        let Some(expectation) = self.run.oracle.overhear(sent, seen, since, now) else {
            return Vec::new();
        };
        self.run.judge(StepRecord {
            sent: Cow::Owned(sent.clone()),
            seen: seen.clone(),
            arrivals: Vec::new(),
            inbox_works: false,
            inside: None,
            expectation,
            took: None,
            asked_again: 0,
            mismatches: Vec::new(),
        });
        std::mem::take(&mut self.run.played.findings)
    }

    /// The outcome of all requests.
    pub fn conclude(self) -> Played {
        self.run.conclude(false)
    }
}
