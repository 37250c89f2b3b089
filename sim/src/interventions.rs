//! A world's log of the last interventions: what was done to it beside the API. A reader sees why a webhook came, and
//! at what time of the world.

use serde::Serialize;
use tideover_model::wire::problem::cut;
use tideover_model::{ActionKind, Cents, Happening, Timestamp};
use utoipa::ToSchema;

use crate::history::Point;
use crate::journal::{Masks, Ring};

/// The number of interventions kept.
const KEPT: usize = 1000;

/// Something that was done to a world beside the API: through the operator port, by the page or by a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Intervention {
    /// The number of interventions before it.
    number: u64,
    /// What the clock showed when it began.
    #[schema(value_type = String, format = DateTime)]
    time: Timestamp,
    /// What was done.
    kind: InterventionKind,
    /// The name of the action.
    #[schema(required = true)]
    action: Option<&'static str>,
    /// The business that the action is about: the payee of the invoice, if it is about one.
    #[schema(required = true)]
    payee: Option<String>,
    /// The invoice that the action is about.
    #[schema(required = true)]
    invoice: Option<String>,
    /// What the payor pays. Cents.
    #[schema(value_type = Option<i64>, required = true)]
    amount: Option<Cents>,
    /// What the clock shows after its move; null while it moves.
    #[schema(value_type = Option<String>, format = DateTime, required = true)]
    until: Option<Timestamp>,
    /// The label of the rule of faults.
    #[schema(required = true)]
    fault: Option<String>,
    /// The `Service-Delivery` of the webhook that was sent again.
    #[schema(required = true)]
    delivery: Option<String>,
    /// Why it did not happen: the outside world could not do that.
    #[schema(required = true)]
    refused: Option<String>,
    /// The number of the first request after it.
    next_request: u64,
    /// The number of the first delivery after it. Those that it caused are among them.
    next_delivery: u64,
    #[serde(skip)]
    #[schema(ignore)]
    states: States,
}

/// The states before and after an intervention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct States {
    pub(crate) before: Point,
    /// `None` as long as it is not over.
    pub(crate) after: Option<Point>,
    /// The number of the first request after it has ended.
    pub(crate) next_request: u64,
}

/// What was done to a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum InterventionKind {
    /// The outside world, or the operator, did something.
    Action,
    /// Someone moved the clock.
    ClockMoved,
    /// A rule of faults was added.
    FaultAdded,
    /// A rule of faults was removed.
    FaultRemoved,
    /// All rules of faults were removed.
    FaultsCleared,
    /// A webhook was sent once more.
    Resent,
}

/// Where in the history of a world something stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub(crate) time: Timestamp,
    pub(crate) next_request: u64,
    pub(crate) next_delivery: u64,
    pub(crate) point: Point,
}

/// The last interventions, by number.
#[derive(Debug)]
pub(crate) struct Interventions(Ring<Intervention>);

impl Default for Interventions {
    fn default() -> Interventions {
        Interventions(Ring::of(KEPT))
    }
}

impl Intervention {
    fn new(kind: InterventionKind, at: Moment) -> Intervention {
        let Moment { time, next_request, next_delivery, point } = at;
        let states = States { before: point, after: None, next_request };
        Intervention {
            states,
            number: 0,
            time,
            kind,
            action: None,
            payee: None,
            invoice: None,
            amount: None,
            until: None,
            fault: None,
            delivery: None,
            refused: None,
            next_request,
            next_delivery,
        }
    }

    /// The outside world did, or could not do, something.
    pub(crate) fn action(at: Moment, happening: &Happening) -> Intervention {
        Intervention {
            action: Some(ActionKind::from(happening).name()),
            payee: happening.business().map(cut),
            invoice: happening.invoice().map(cut),
            amount: happening.amount(),
            ..Intervention::new(InterventionKind::Action, at)
        }
    }

    pub(crate) fn refused(self, why: &str) -> Intervention {
        Intervention { refused: Some(why.to_owned()), ..self }
    }

    /// The same, at another moment.
    pub(crate) fn at(self, moment: Moment) -> Intervention {
        let Moment { time, next_request, next_delivery, point } = moment;
        let states = States { before: point, after: None, next_request };
        Intervention { time, next_request, next_delivery, states, ..self }
    }

    /// The same, which is over: the state after it is this one.
    pub(crate) fn up_to(self, after: Point) -> Intervention {
        Intervention { states: States { after: Some(after), ..self.states }, ..self }
    }

    /// A move of the clock that begins.
    pub(crate) fn clock(at: Moment) -> Intervention {
        Intervention::new(InterventionKind::ClockMoved, at)
    }

    /// Something was done to a rule of faults, or to all.
    pub(crate) fn fault(kind: InterventionKind, at: Moment, label: Option<&str>) -> Intervention {
        Intervention { fault: label.map(str::to_owned), ..Intervention::new(kind, at) }
    }

    /// The same without the secrets in what callers named.
    pub(crate) fn masked(&self, masks: &Masks) -> Intervention {
        let hidden = |text: &Option<String>| {
            text.as_ref().map(|text| masks.concealed(text).unwrap_or_else(|| text.clone()))
        };
        Intervention {
            payee: hidden(&self.payee),
            invoice: hidden(&self.invoice),
            fault: hidden(&self.fault),
            refused: hidden(&self.refused),
            ..self.clone()
        }
    }

    /// The number of the first request after it has begun.
    pub(crate) fn began_after(&self) -> u64 {
        self.next_request
    }

    /// The number of the first request after it has ended.
    pub(crate) fn ended_after(&self) -> u64 {
        self.states.next_request
    }

    /// What it was, in a few words.
    pub(crate) fn in_words(&self) -> String {
        let Intervention { kind, action, payee, invoice, until, fault, delivery, .. } = self;
        let kind = match kind {
            InterventionKind::Action => action.unwrap_or_default(),
            InterventionKind::ClockMoved => "the clock moved",
            InterventionKind::FaultAdded => "fault added",
            InterventionKind::FaultRemoved => "fault removed",
            InterventionKind::FaultsCleared => "all faults removed",
            InterventionKind::Resent => "webhook sent again",
        };
        let until = until.map(|until| format!("to {until}"));
        let about = match (payee, invoice) {
            (Some(payee), Some(invoice)) => Some(format!("{payee}/{invoice}")),
            (payee, _) => payee.clone(),
        };
        let words = [Some(kind.to_owned()), about, until, fault.clone(), delivery.clone()];
        words.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    /// A webhook was sent again.
    pub(crate) fn resent(at: Moment, delivery: &str) -> Intervention {
        let delivery = Some(delivery.to_owned());
        Intervention { delivery, ..Intervention::new(InterventionKind::Resent, at) }
    }
}

impl Interventions {
    /// Adds one; returns its number.
    pub(crate) fn add(&mut self, intervention: Intervention) -> u64 {
        let number = self.0.next();
        self.0.push(Intervention { number, ..intervention });
        number
    }

    /// A move of the clock is over.
    pub(crate) fn moved(&mut self, number: u64, until: Timestamp, after: Point, next_request: u64) {
        if let Some(intervention) = self.0.get_mut(number) {
            intervention.until = Some(until);
            intervention.states =
                States { after: Some(after), next_request, ..intervention.states };
        }
    }

    /// What began did not happen.
    pub(crate) fn refused(&mut self, number: u64, why: &str) {
        if let Some(intervention) = self.0.get_mut(number) {
            intervention.refused = Some(why.to_owned());
        }
    }

    /// The states before and after one that is kept.
    pub(crate) fn states(&self, number: u64) -> Option<[Point; 2]> {
        let States { before, after, .. } = self.get(number)?.states;
        Some([before, after?])
    }

    /// The number of the first one after a request.
    pub(crate) fn after_request(&self, request: u64) -> u64 {
        let kept = self.0.from(0);
        let later = kept.into_iter().find(|(_, it)| it.next_request > request);
        later.map_or(self.next(), |(number, _)| number)
    }

    pub(crate) fn get(&self, number: u64) -> Option<&Intervention> {
        self.0.from(number).next().filter(|(found, _)| *found == number).map(|(_, it)| it)
    }

    /// The number of the first one that has a state, if those from a position on have one.
    pub(crate) fn first_from(&self, position: u64) -> u64 {
        let found = self.0.from(0).find(|(_, it)| it.states.before.position >= position);
        found.map_or(self.next(), |(number, _)| number)
    }

    /// The number of the next one.
    pub(crate) fn next(&self) -> u64 {
        self.0.next()
    }

    /// The number of those that are no longer kept.
    pub(crate) fn dropped(&self) -> u64 {
        self.0.dropped()
    }

    /// Those that are kept, from number `after` on.
    pub(crate) fn from(&self, after: u64) -> impl Iterator<Item = &Intervention> {
        self.0.from(after).map(|(_, intervention)| intervention)
    }
}
