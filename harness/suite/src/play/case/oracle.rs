//! The model beside a target: it predicts each response.
//!
//! A known world is a belief with a single world and no hidden moves. It has a variant of its own, because a belief
//! costs some thirty times as much for each step. Outside this file only [`Oracle::belief`] tells the two apart:
//! there is something to learn from a target only if its choices are not known.

use std::borrow::Cow;

use tideover_exchange::evidence::Point;
use tideover_exchange::step::Step;
use tideover_exchange::target::{Applied, ModelTarget, NO_INBOX, origin};
use tideover_exchange::transcript::Header;
use tideover_exchange::{Arrival, Memory, Prepared, Response};
use tideover_judge::checks::Checks;
use tideover_judge::{Belief, Explanation};
use tideover_model::{Clause, Code, PlatformId, Service, Timestamp};

use crate::play::case::observed::{Clock, Observed, TargetWorld};
use crate::prediction::{Prediction, Predictor};

/// The model beside a target.
pub(super) struct Oracle<'a>(Worlds<'a>);

/// The worlds that a target may be in.
enum Worlds<'a> {
    /// One, whose choices are known.
    Known(Predictor<'a>),
    /// Those that explain the responses so far.
    Believed(Box<Belief>),
}

/// What the model expects of a step.
pub(super) struct Expectation<'a> {
    pub(super) predicted: Response,
    pub(super) refusal: Option<(Code, Clause)>,
    pub(super) platform: Option<PlatformId>,
    pub(super) unsettled: bool,
    /// Whether the response may be stale, and its retry failed.
    pub(super) may_lag: bool,
    /// Contradictions that a world which the belief has dropped, or somebody else, may explain.
    pub(super) open_points: Vec<Point>,
    pub(super) since: Timestamp,
    pub(super) now: Timestamp,
    pub(super) ahead: Option<i64>,
    pub(super) arrivals: Cow<'a, [Arrival]>,
    /// The comparison with the world that explains the response best. In a known world a check compares.
    pub(super) points: Vec<Point>,
    /// The listed code that was due where an unlisted one came, or a failure.
    pub(super) due: Option<Code>,
}

impl<'a> Oracle<'a> {
    pub(super) fn of<T: Observed>(header: &Header, target: &mut T) -> Oracle<'a> {
        let inbox = target.inbox().map(str::to_owned);
        match target.world() {
            TargetWorld::Known => {
                let bare = ModelTarget::in_world_of(header, inbox.as_deref());
                let is_renamed = target.api_key() != Service::FIRST_KEY;
                let memory = is_renamed.then(|| target.memory().starting(bare.now()));
                Oracle(Worlds::Known(Predictor::playing(bare, memory)))
            }
            TargetWorld::Foreign { outside, prior, now, clock } => {
                let inbox = inbox.as_deref().map_or_else(|| NO_INBOX.to_owned(), origin);
                let (profile, key) = (header.profile.clone(), target.api_key());
                let mut belief = Belief::new(profile, &inbox, key, now, outside, prior);
                if let Some(key) = target.second_key() {
                    belief.introduce_platform(key);
                }
                if matches!(clock, Clock::Guessed | Clock::Moving) {
                    belief.forget_clock();
                }
                if T::LAGS {
                    belief.remember();
                }
                Oracle::believed(belief)
            }
        }
    }

    /// A target in the world in which its steps were made.
    pub(super) fn walked(walked: &'a [(Prepared, Prediction)], start: Timestamp) -> Oracle<'a> {
        Oracle(Worlds::Known(Predictor::walked(walked, start)))
    }

    /// A target that may be in any world of `belief`.
    pub(super) fn believed(belief: Belief) -> Oracle<'a> {
        Oracle(Worlds::Believed(Box::new(belief)))
    }

    /// The checks that this much knowledge allows.
    pub(super) fn checks(&self) -> Checks {
        match &self.0 {
            Worlds::Known(_) => Checks::of_known(),
            Worlds::Believed(belief) => Checks::of_foreign(belief.outside()),
        }
    }

    /// How many of `steps` steps are played before the first of them is judged. In a known world nothing is real, so that
    /// the target may go on after a violation, and playing and judging by turns would take more time.
    pub(super) fn steps_at_once(&self, steps: usize) -> usize {
        match self.0 {
            Worlds::Known(_) => steps.max(1),
            Worlds::Believed(_) => 1,
        }
    }

    /// The request of the step at `index`, if the walk has prepared it.
    pub(super) fn prepared(&self, index: usize) -> Option<&'a Prepared> {
        match &self.0 {
            Worlds::Known(predictor) => predictor.prepared(index),
            Worlds::Believed(_) => None,
        }
    }

    /// Keeps the response to `step` for later references. `common` is the memory of both sides before it.
    pub(super) fn keep(
        &mut self,
        step: &Step,
        predicted: &Response,
        seen: &Response,
        common: &Memory,
    ) {
        if let Worlds::Known(predictor) = &mut self.0 {
            predictor.keep(step, predicted, seen, common);
        }
    }

    /// Goes on without a response to `sent`. Returns `false` if nothing can be predicted after it.
    pub(super) fn miss(&mut self, sent: &Prepared, applied: Applied, since: Timestamp) -> bool {
        let Worlds::Believed(belief) = &mut self.0 else { return false };
        match applied {
            Applied::MayBe => belief.unanswered(sent, since),
            Applied::Never => belief.miss(sent),
        }
        true
    }

    /// The platform of a foreign target whose key a request carries.
    pub(super) fn platform_of(&self, sent: &Prepared) -> Option<PlatformId> {
        self.belief()?.platform_of(sent)
    }

    /// Whether `seen` may be a stale response to `sent`.
    pub(super) fn may_lag(&self, sent: &Prepared, seen: &Response, now: Timestamp) -> bool {
        self.belief().is_some_and(|belief| belief.may_lag(sent, seen, now))
    }

    /// Whether a failed request has to be refused with a listed code, in every world, and so may be sent again.
    pub(super) fn may_ask_again(&self, sent: &Prepared, seen: &Response, now: Timestamp) -> bool {
        self.belief().is_some_and(|belief| belief.may_ask_again(sent, seen, now))
    }

    /// Adds keys of a foreign target.
    pub(super) fn introduce<'k>(&mut self, keys: impl Iterator<Item = &'k str>) {
        if let Worlds::Believed(belief) = &mut self.0 {
            belief.introduce(keys);
        }
    }

    /// Forgets the clock of a recorded target. The recorder need not have the target's time, and may have set its own clock
    /// meanwhile.
    pub(super) fn forget_clock(&mut self) {
        if let Worlds::Believed(belief) = &mut self.0 {
            belief.forget_clock();
            belief.doubt_our_clock();
        }
    }

    /// Whether some world explains `seen`.
    pub(super) fn explains(&self, sent: &Prepared, seen: &Response, now: Timestamp) -> bool {
        self.belief().is_none_or(|belief| belief.explains(sent, seen, now))
    }

    /// The belief about a foreign target, which lessons are drawn from. `None` in a known world.
    pub(super) fn belief(&self) -> Option<&Belief> {
        match &self.0 {
            Worlds::Known(_) => None,
            Worlds::Believed(belief) => Some(belief),
        }
    }

    /// The expectation for a recorded request, after its response.
    pub(super) fn overhear(
        &mut self,
        sent: &Prepared,
        seen: &Response,
        since: Timestamp,
        now: Timestamp,
    ) -> Option<Expectation<'a>> {
        let Worlds::Believed(belief) = &mut self.0 else { return None };
        Some(Expectation::believed(belief, sent, seen, since, now))
    }

    /// The expectation for `step`, after its response.
    pub(super) fn observe<T: Observed>(
        &mut self,
        target: &mut T,
        (index, step): (usize, &Step),
        sent: &Prepared,
        seen: &Response,
        since: Timestamp,
    ) -> Expectation<'a> {
        match &mut self.0 {
            Worlds::Known(predictor) => {
                let prediction = predictor.predict(index, step, sent);
                // The same bytes need not be read twice.
                let is_same = target.answered() == Some(&prediction.answer);
                let predicted = if is_same { seen.clone() } else { prediction.answer.read() };
                Expectation {
                    predicted,
                    refusal: prediction.refusal,
                    platform: prediction.platform,
                    unsettled: false,
                    may_lag: false,
                    open_points: Vec::new(),
                    since,
                    now: prediction.now,
                    ahead: Some(0),
                    arrivals: match prediction {
                        Cow::Borrowed(prediction) => Cow::Borrowed(&prediction.arrivals),
                        Cow::Owned(prediction) => Cow::Owned(prediction.arrivals),
                    },
                    points: Vec::new(),
                    due: None,
                }
            }
            Worlds::Believed(belief) => {
                let (now, clock) = clock_of(target).unwrap_or((since, Clock::Read));
                belief.loosen_clock(clock != Clock::Read);
                if clock == Clock::Moving {
                    belief.forget_clock();
                }
                let believed = Expectation::believed(belief, sent, seen, since, now);
                Expectation { ahead: believed.ahead.filter(|_| clock != Clock::Moving), ..believed }
            }
        }
    }

    /// The target's time.
    pub(super) fn now<T: Observed>(&self, target: &mut T) -> Timestamp {
        match &self.0 {
            Worlds::Known(predictor) => predictor.now(),
            Worlds::Believed(_) => now_of(target).unwrap_or_else(tideover_exchange::start),
        }
    }
}

/// The time of a foreign target.
pub(super) fn now_of<T: Observed>(target: &mut T) -> Option<Timestamp> {
    Some(clock_of(target)?.0)
}

fn clock_of<T: Observed>(target: &mut T) -> Option<(Timestamp, Clock)> {
    match target.world() {
        TargetWorld::Known => None,
        TargetWorld::Foreign { now, clock, .. } => Some((now, clock)),
    }
}

impl Expectation<'_> {
    /// Leaves open whatever contradicts the document: the response may be stale.
    pub(super) fn leave_open(&mut self) {
        self.may_lag = true;
        self.open_points.extend(self.points.extract_if(.., |point| point.contradicts()));
    }

    /// The expectation of a belief.
    fn believed(
        belief: &mut Belief,
        sent: &Prepared,
        seen: &Response,
        since: Timestamp,
        now: Timestamp,
    ) -> Expectation<'static> {
        // The response may show that it took effect only now.
        let was_unsettled = belief.is_unsettled();
        let Explanation { predicted, refusal, platform, points, due, open } =
            belief.observe(sent, seen, now);
        Expectation {
            predicted,
            refusal,
            platform,
            unsettled: was_unsettled || belief.is_unsettled(),
            may_lag: false,
            open_points: open,
            since,
            now,
            ahead: belief.ahead(),
            arrivals: Cow::default(),
            points,
            due,
        }
    }
}
