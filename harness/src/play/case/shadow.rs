//! What the model says of the steps of a run.

use std::borrow::Cow;

use tideover_model::{Clause, Code, PlatformId, Service, Timestamp};

use crate::endpoint::{Bare, NO_INBOX, origin};
use crate::evidence::Point;
use crate::exchange::step::Step;
use crate::exchange::transcript::Header;
use crate::exchange::{Arrival, Prepared, Seen};
use crate::judge::predicted::Oracle;
use crate::judge::{Belief, Explanation};
use crate::play::case::observed::{Clock, Observed, Standing};

/// What the model says of the same steps.
pub(super) enum Shadow<'a> {
    /// One world, in which the target is, too.
    Known(Oracle<'a>),
    /// Those that the target may be in.
    Believed(Box<Belief>),
}

/// What the model says of a step.
pub(super) struct Prediction<'a> {
    pub(super) predicted: Seen,
    pub(super) refusal: Option<(Code, Clause)>,
    pub(super) platform: Option<PlatformId>,
    pub(super) unsettled: bool,
    /// What contradicts the document, unless a world was forgotten that explains it, or somebody else is to blame.
    pub(super) open_points: Vec<Point>,
    pub(super) since: Timestamp,
    pub(super) now: Timestamp,
    pub(super) ahead: Option<i64>,
    pub(super) arrivals: Cow<'a, [Arrival]>,
    /// How what was seen compares, where the model was looked up by it.
    pub(super) points: Vec<Point>,
    /// The listed code that was due where one came that isn't listed.
    pub(super) due: Option<Code>,
}

impl<'a> Shadow<'a> {
    pub(super) fn of<T: Observed>(header: &Header, target: &mut T) -> Shadow<'a> {
        let inbox = target.inbox().map(str::to_owned);
        match target.standing() {
            Standing::Known => {
                let memory = (target.api_key() != Service::FIRST_KEY).then(|| target.memory());
                Shadow::Known(Oracle::playing(Bare::in_world_of(header, inbox.as_deref()), memory))
            }
            Standing::Foreign { outside, before, now, clock } => {
                let inbox = inbox.as_deref().map_or_else(|| NO_INBOX.to_owned(), origin);
                let (profile, key) = (header.profile.clone(), target.api_key());
                let mut belief = Belief::new(profile, &inbox, key, now, outside, before);
                if let Some(key) = target.second_key() {
                    belief.introduce_platform(key);
                }
                if clock == Clock::Guessed {
                    belief.forget_clock();
                }
                if T::LAGS {
                    belief.remember();
                }
                Shadow::Believed(Box::new(belief))
            }
        }
    }

    /// What the model says of `step`, of which `sent` was sent and `seen` was answered.
    pub(super) fn observe<T: Observed>(
        &mut self,
        target: &mut T,
        (index, step): (usize, &Step),
        sent: &Prepared,
        seen: &Seen,
        since: Timestamp,
    ) -> Prediction<'a> {
        match self {
            Shadow::Known(oracle) => {
                let forecast = oracle.forecast(index, step, sent);
                // What was answered in the same bytes is read once.
                let is_same = target.answered() == Some(&forecast.answer);
                let predicted = if is_same { seen.clone() } else { forecast.answer.read() };
                Prediction {
                    predicted,
                    refusal: forecast.refusal,
                    platform: forecast.platform,
                    unsettled: false,
                    open_points: Vec::new(),
                    since,
                    now: forecast.now,
                    ahead: Some(0),
                    arrivals: match forecast {
                        Cow::Borrowed(forecast) => Cow::Borrowed(&forecast.arrivals),
                        Cow::Owned(forecast) => Cow::Owned(forecast.arrivals),
                    },
                    points: Vec::new(),
                    due: None,
                }
            }
            Shadow::Believed(belief) => {
                let (now, clock) = clock_of(target).unwrap_or((since, Clock::Read));
                belief.loosen_clock(clock != Clock::Read);
                Prediction::believed(belief, sent, seen, since, now)
            }
        }
    }

    /// What the clock of the target shows.
    pub(super) fn now<T: Observed>(&self, target: &mut T) -> Timestamp {
        match self {
            Shadow::Known(oracle) => oracle.now(),
            Shadow::Believed(_) => now_of(target).unwrap_or_else(crate::exchange::start),
        }
    }
}

/// What the clock of a target shows whose world is not known.
pub(super) fn now_of<T: Observed>(target: &mut T) -> Option<Timestamp> {
    Some(clock_of(target)?.0)
}

fn clock_of<T: Observed>(target: &mut T) -> Option<(Timestamp, Clock)> {
    match target.standing() {
        Standing::Known => None,
        Standing::Foreign { now, clock, .. } => Some((now, clock)),
    }
}

impl Prediction<'_> {
    /// Leaves open what contradicts the document.
    pub(super) fn leave_open(&mut self) {
        self.open_points.extend(self.points.extract_if(.., |point| point.contradicts()));
    }

    /// What the worlds say that a target may be in.
    pub(super) fn believed(
        belief: &mut Belief,
        sent: &Prepared,
        seen: &Seen,
        since: Timestamp,
        now: Timestamp,
    ) -> Prediction<'static> {
        let Explanation { predicted, refusal, platform, points, due, open } =
            belief.observe(sent, seen, now);
        let (arrivals, unsettled) = (Cow::default(), belief.is_unsettled());
        let ahead = belief.ahead();
        Prediction {
            ahead,
            predicted,
            refusal,
            platform,
            unsettled,
            open_points: open,
            since,
            now,
            arrivals,
            points,
            due,
        }
    }
}
