//! The model's prediction for each step of a case, in a world whose choices are known.

use std::borrow::Cow;

use tideover_exchange::evidence::tally::Tally;
use tideover_exchange::step::Step;
use tideover_exchange::target::{LazyResponse, ModelTarget, Target};
use tideover_exchange::{Arrival, Exchange, Memory, Prepared, Response};
use tideover_judge::checks::met_as_predicted;
use tideover_model::{Clause, Code, Face, PlatformId, Timestamp};

/// The model's response to a step, and everything that comes with it.
#[derive(Clone, Debug)]
pub struct Prediction {
    pub answer: LazyResponse,
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
/// Steps that were made by walking with the model come with its predictions. A target in the same world, with
/// the same inbox, is compared with those, so the model doesn't run twice.
#[derive(Clone, Debug, Default)]
pub struct Case {
    pub steps: Vec<Step>,
    /// The request and the prediction of each step. Empty or complete.
    pub walked: Vec<(Prepared, Prediction)>,
    /// The inbox of the walk, if there was one.
    pub inbox: Option<String>,
}

impl Prediction {
    /// The prediction of `model` for `sent`. Moves `model` to the state after it.
    pub fn by(model: &mut ModelTarget, sent: &Prepared) -> Prediction {
        Prediction {
            platform: model.face().platform_of(sent.authorization.as_deref()),
            answer: model.answer(sent),
            refusal: model.refused(),
            now: model.now(),
            arrivals: model.take_unsigned_arrivals(),
        }
    }

    /// The clauses that `sent` meets if the response is as predicted.
    pub fn met_by(&self, sent: &Prepared) -> Tally {
        let seen = self.answer.read();
        let exchange = Exchange::alone(sent, &seen, self.now);
        met_as_predicted(&Exchange { predicted_refusal: self.refusal, ..exchange })
    }
}

impl From<Vec<Step>> for Case {
    fn from(steps: Vec<Step>) -> Case {
        Case { steps, ..Case::default() }
    }
}

impl Case {
    /// The predictions of the walk, if they exist and used this inbox.
    pub fn walked(&self, inbox: Option<&str>) -> Option<&[(Prepared, Prediction)]> {
        let is_known = self.walked.len() == self.steps.len() && self.inbox.as_deref() == inbox;
        is_known.then_some(&self.walked)
    }
}

/// The model in a known world. It predicts the responses of a target in the same world.
pub struct Predictor<'a> {
    source: Source<'a>,
    now: Timestamp,
    /// What steps refer to in the model. `None` until it differs from what they refer to in the target.
    memory: Option<Memory>,
}

enum Source<'a> {
    /// The model runs along.
    Playing(Box<ModelTarget>),
    /// The predictions from when the steps were made.
    Walked(&'a [(Prepared, Prediction)]),
}

impl<'a> Predictor<'a> {
    /// A predictor that runs the model, with a memory of its own if its names differ from the start.
    pub fn playing(model: ModelTarget, memory: Option<Memory>) -> Predictor<'a> {
        Predictor { now: model.now(), source: Source::Playing(Box::new(model)), memory }
    }

    /// A predictor with the predictions from when the steps were made.
    pub fn walked(walked: &'a [(Prepared, Prediction)], start: Timestamp) -> Predictor<'a> {
        Predictor { source: Source::Walked(walked), now: start, memory: None }
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

    /// The prediction for `step`, the one at `index`, sent to the target as `sent`.
    pub fn predict(&mut self, index: usize, step: &Step, sent: &Prepared) -> Cow<'a, Prediction> {
        let prediction = match &mut self.source {
            Source::Walked(walked) => Cow::Borrowed(&walked[index].1),
            Source::Playing(model) => {
                let renamed = self.memory.as_ref();
                let renamed =
                    renamed.map(|memory| Prepared::from_step(step, memory, model.api_key()));
                Cow::Owned(Prediction::by(model, renamed.as_ref().unwrap_or(sent)))
            }
        };
        self.now = prediction.now;
        prediction
    }

    /// Remembers the model's response to `step` if the target's differs. `common` is the memory of both
    /// before.
    pub fn keep(&mut self, step: &Step, predicted: &Response, seen: &Response, common: &Memory) {
        if step.name.is_some() && predicted.json() != seen.json() {
            self.memory.get_or_insert_with(|| common.clone());
        }
        if let Some(memory) = &mut self.memory {
            memory.keep(step, predicted.json());
        }
    }
}
