//! A recorded run, judged step by step.

use std::borrow::Cow;

use tideover_exchange::Memory;
use tideover_exchange::evidence::finding::Finding;
use tideover_exchange::target::{Applied, NO_INBOX, origin};
use tideover_exchange::transcript::Header;
use tideover_exchange::{Prepared, Response};
use tideover_judge::checks::Checks;
use tideover_judge::{Belief, Outside, PriorState, is_informative};
use tideover_model::{Service, Timestamp, bearer};

use crate::play::case::shadow::Shadow;
use crate::play::case::{Heard, Played, Run};

/// Judges recorded requests to a foreign service.
pub struct Listener {
    run: Run<'static>,
}

impl Listener {
    /// A target that takes the keys of the `accepted` headers, and may send webhooks to `inbox`.
    pub fn new(
        header: &Header,
        accepted: &[String],
        inbox: Option<&str>,
        (outside, prior): (Outside, PriorState),
    ) -> Listener {
        let mut keys = accepted.iter().filter_map(|header| bearer(header));
        let first = keys.next().unwrap_or(Service::FIRST_KEY);
        let profile = header.profile.clone();
        let inbox = inbox.map_or_else(|| NO_INBOX.to_owned(), origin);
        let mut belief = Belief::new(profile, &inbox, first, header.start, outside, prior);
        belief.introduce(keys);
        // Whoever recorded it need not have the target's time, and may have set a clock meanwhile.
        belief.forget_clock();
        belief.doubt_our_clock();
        belief.remember();
        let run = Run {
            shadow: Shadow::believed(belief),
            memory: Memory::default(),
            checks: Checks::of_foreign(outside),
            played: Played::default(),
        };
        Listener { run }
    }

    /// What the operator port was seen to do before anything was listened to.
    pub fn recall(&mut self, sent: &Prepared, seen: &Response, now: Timestamp) {
        self.run.shadow.overhear(sent, seen, now, now);
    }

    /// Skips a stale response: one of the `later` responses to the same request shows what was written.
    /// `false` if it is to be listened to.
    pub fn pass_over(
        &mut self,
        sent: &Prepared,
        (seen, now): (&Response, Timestamp),
        mut later: impl Iterator<Item = (Response, Timestamp)>,
    ) -> bool {
        let shadow = &self.run.shadow;
        let lags = shadow.may_lag(sent, seen, now)
            && later.any(|(seen, now)| is_informative(&seen) && shadow.explains(sent, &seen, now));
        if lags {
            self.run.played.lag(sent);
            self.run.played.answers.push((now, Some(seen.clone())));
        }
        lags
    }

    /// What is found in an answer, or in that there is none.
    pub fn listen(
        &mut self,
        sent: &Prepared,
        seen: Option<&Response>,
        since: Timestamp,
        now: Timestamp,
    ) -> Vec<Finding> {
        let Some(seen) = seen else {
            self.run.shadow.miss(sent, Applied::MayBe, since);
            self.run.checks.miss(sent);
            self.run.played.unanswered += 1;
            self.run.played.answers.push((since, None));
            return Vec::new();
        };
        let Some(expectation) = self.run.shadow.overhear(sent, seen, since, now) else {
            return Vec::new();
        };
        self.run.judge(Heard {
            sent: Cow::Owned(sent.clone()),
            seen: seen.clone(),
            arrivals: Vec::new(),
            inbox_works: false,
            inside: None,
            expectation,
            took: None,
            mismatches: Vec::new(),
        });
        std::mem::take(&mut self.run.played.findings)
    }

    /// All that was heard.
    pub fn conclude(mut self) -> Played {
        if let Some(belief) = self.run.shadow.belief() {
            self.run.played.lessons.conclude(belief);
        }
        self.run.played
    }
}
