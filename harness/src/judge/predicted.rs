//! What the model says of a step, in a world that is known.

use std::borrow::Cow;

use tideover_model::{Clause, Code, Face, PlatformId, Timestamp};

use crate::endpoint::{Answer, Bare, Target};
use crate::exchange::Memory;
use crate::exchange::step::Step;
use crate::exchange::{Arrival, Prepared, Seen};

/// What the model says of a step: its answer, and all that comes with it.
#[derive(Clone, Debug)]
pub struct Forecast {
    /// What it answers.
    pub(crate) answer: Answer,
    /// The code with which it refuses, if it does, and the clause that asks for it.
    pub(crate) refusal: Option<(Code, Clause)>,
    /// Whose key the step carries.
    pub(crate) platform: Option<PlatformId>,
    /// What the clock shows after it.
    pub(crate) now: Timestamp,
    /// What comes to the inbox with it; nobody has signed it.
    pub(crate) arrivals: Vec<Arrival>,
}

/// The steps of a case.
///
/// Those that were made by walking with the model come with what it said on the way: a target in the same
/// world, with the same inbox, is held against that, and the model is not asked a second time.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// The steps.
    pub steps: Vec<Step>,
    /// What was sent of each, and what the model said of it; of none or of all of them.
    pub(crate) walked: Vec<(Prepared, Forecast)>,
    /// Where webhooks came to on the way, if they came anywhere.
    pub(crate) inbox: Option<String>,
}

impl Forecast {
    /// What `bare` says of `sent`; it is as after that.
    pub(crate) fn by(bare: &mut Bare, sent: &Prepared) -> Forecast {
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
    /// What the model said on the way, if it was there, and webhooks came to this inbox.
    pub(crate) fn walked(&self, inbox: Option<&str>) -> Option<&[(Prepared, Forecast)]> {
        let is_known = self.walked.len() == self.steps.len() && self.inbox.as_deref() == inbox;
        is_known.then_some(&self.walked)
    }
}

/// The model in a known world: it says what a target answers that is in the same.
pub(crate) struct Oracle<'a> {
    source: Source<'a>,
    now: Timestamp,
    /// What steps refer to here; what they refer to in the target until an answer differs.
    memory: Option<Memory>,
}

enum Source<'a> {
    /// It plays along.
    Playing(Box<Bare>),
    /// The steps were made by walking with it.
    Walked(&'a [(Prepared, Forecast)]),
}

impl<'a> Oracle<'a> {
    /// The model plays along, with a memory of its own where its names are others from the start.
    pub(crate) fn playing(bare: Bare, memory: Option<Memory>) -> Oracle<'a> {
        Oracle { now: bare.now(), source: Source::Playing(Box::new(bare)), memory }
    }

    /// What the model said of the steps when they were made.
    pub(crate) fn walked(walked: &'a [(Prepared, Forecast)], start: Timestamp) -> Oracle<'a> {
        Oracle { source: Source::Walked(walked), now: start, memory: None }
    }

    /// What its clock shows.
    pub(crate) fn now(&self) -> Timestamp {
        self.now
    }

    /// What is sent of the step at `index`, where that is known already.
    pub(crate) fn prepared(&self, index: usize) -> Option<&'a Prepared> {
        match (&self.source, &self.memory) {
            (Source::Walked(walked), None) => Some(&walked[index].0),
            _ => None,
        }
    }

    /// What it says of `step`, the one at `index`, of which `sent` was sent to the target.
    pub(crate) fn forecast(
        &mut self,
        index: usize,
        step: &Step,
        sent: &Prepared,
    ) -> Cow<'a, Forecast> {
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

    /// Keeps the answer to `step`: its own, where another was seen; `common` is what both knew before.
    pub(crate) fn keep(&mut self, step: &Step, predicted: &Seen, seen: &Seen, common: &Memory) {
        if step.name.is_some() && predicted.json() != seen.json() {
            self.memory.get_or_insert_with(|| common.clone());
        }
        if let Some(own) = &mut self.memory {
            own.keep(step, predicted.json());
        }
    }
}
