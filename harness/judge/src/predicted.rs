//! The model's prediction for a step in a known world.

use std::borrow::Cow;

use tideover_exchange::Memory;
use tideover_exchange::step::Step;
use tideover_exchange::target::{Answer, Bare, Target};
use tideover_exchange::{Arrival, Prepared, Seen};
use tideover_model::{Clause, Code, Face, PlatformId, Timestamp};

/// The model's prediction for a step: its response and everything that comes with it.
#[derive(Clone, Debug)]
pub struct Forecast {
    /// The response.
    pub answer: Answer,
    /// The code of the refusal, if it is one, and the clause that requires it.
    pub refusal: Option<(Code, Clause)>,
    /// The platform whose key the step carries.
    pub platform: Option<PlatformId>,
    /// The time after the step.
    pub now: Timestamp,
    /// What reaches the inbox with the step, unsigned.
    pub arrivals: Vec<Arrival>,
}

/// The steps of a case.
///
/// Steps that were made by walking with the model come with its forecasts. A target in the same world, with
/// the same inbox, is compared with those, so the model doesn't run twice.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// The steps.
    pub steps: Vec<Step>,
    /// The request and the forecast of each step. Empty or complete.
    pub walked: Vec<(Prepared, Forecast)>,
    /// The inbox of the walk, if there was one.
    pub inbox: Option<String>,
}

impl Forecast {
    /// The forecast of `bare` for `sent`. Moves `bare` to the state after it.
    pub fn by(bare: &mut Bare, sent: &Prepared) -> Forecast {
        Forecast {
            platform: bare.face().platform_of(sent.authorization.as_deref()),
            answer: bare.answer(sent),
            refusal: bare.refused(),
            now: bare.now(),
            arrivals: bare.take_unsigned_arrivals(),
        }
    }
}

impl From<Vec<Step>> for Case {
    fn from(steps: Vec<Step>) -> Case {
        Case { steps, ..Case::default() }
    }
}

impl Case {
    /// The forecasts of the walk, if they exist and used this inbox.
    pub fn walked(&self, inbox: Option<&str>) -> Option<&[(Prepared, Forecast)]> {
        let is_known = self.walked.len() == self.steps.len() && self.inbox.as_deref() == inbox;
        is_known.then_some(&self.walked)
    }
}

/// The model in a known world. It predicts the responses of a target in the same world.
pub struct Oracle<'a> {
    source: Source<'a>,
    now: Timestamp,
    /// What steps refer to in the model. `None` until it differs from what they refer to in the target.
    memory: Option<Memory>,
}

enum Source<'a> {
    /// The model runs along.
    Playing(Box<Bare>),
    /// The forecasts from when the steps were made.
    Walked(&'a [(Prepared, Forecast)]),
}

impl<'a> Oracle<'a> {
    /// An oracle that runs the model, with a memory of its own if its names differ from the start.
    pub fn playing(bare: Bare, memory: Option<Memory>) -> Oracle<'a> {
        Oracle { now: bare.now(), source: Source::Playing(Box::new(bare)), memory }
    }

    /// An oracle with the forecasts from when the steps were made.
    pub fn walked(walked: &'a [(Prepared, Forecast)], start: Timestamp) -> Oracle<'a> {
        Oracle { source: Source::Walked(walked), now: start, memory: None }
    }

    /// The model's time.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// The request of the step at `index`, if known already.
    pub fn prepared(&self, index: usize) -> Option<&'a Prepared> {
        match (&self.source, &self.memory) {
            (Source::Walked(walked), None) => Some(&walked[index].0),
            _ => None,
        }
    }

    /// The forecast for `step`, the one at `index`, sent to the target as `sent`.
    pub fn forecast(&mut self, index: usize, step: &Step, sent: &Prepared) -> Cow<'a, Forecast> {
        let forecast = match &mut self.source {
            Source::Walked(walked) => Cow::Borrowed(&walked[index].1),
            Source::Playing(bare) => {
                let own = self.memory.as_ref();
                let own = own.map(|memory| Prepared::from_step(step, memory, bare.api_key()));
                Cow::Owned(Forecast::by(bare, own.as_ref().unwrap_or(sent)))
            }
        };
        self.now = forecast.now;
        forecast
    }

    /// Remembers the model's response to `step` if the target's differs. `common` is the memory of both
    /// before.
    pub fn keep(&mut self, step: &Step, predicted: &Seen, seen: &Seen, common: &Memory) {
        if step.name.is_some() && predicted.json() != seen.json() {
            self.memory.get_or_insert_with(|| common.clone());
        }
        if let Some(own) = &mut self.memory {
            own.keep(step, predicted.json());
        }
    }
}
