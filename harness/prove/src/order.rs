//! The order of the cases: that of a live run, so that a proof shows what a live run finds within its requests.

use std::sync::Arc;

use tideover_exchange::step::Step;
use tideover_exchange::target::Unreachable;
use tideover_exchange::transcript::Header;
use tideover_live::facilities::{Facilities, second_platform};
use tideover_model::ActionKind;
use tideover_suite::generate;
use tideover_suite::play::case::play;
use tideover_suite::play::cases::Testbed;
use tideover_suite::play::order::{Candidate, Planned, Shown, ordered};

/// Cases in the order of what they show, and after them the others in the order of their numbers. By default, all are in
/// the order of their numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Order {
    planned: Arc<[Planned]>,
    /// The number of the first case after them.
    later: u64,
}

impl Order {
    /// The order of a round of cases, as `right` shows them. `requests` is the budget of the run.
    pub(crate) async fn of<W: Testbed>(
        right: &mut W,
        header: &Header,
        steps: u64,
        requests: u64,
    ) -> Result<Order, Unreachable> {
        let later = generate::round();
        let mut candidates = Vec::new();
        for number in 0..later {
            let steps = right.case(header, number, steps);
            let before = usize::from(steps.first() == Some(&second_platform()));
            let played = play(&mut right.fresh().await?, header, &steps).await?;
            let shown = Shown::by(&played, &steps, before);
            candidates.push(Candidate { number, steps: steps[before..].to_vec(), shown });
        }
        let cost: u64 = candidates.iter().map(|one| one.steps.len() as u64).sum();
        Ok(Order { planned: ordered(candidates, cost, requests).into(), later })
    }

    /// The steps of the case in this place.
    pub(crate) fn case<A: Fn(ActionKind) -> bool>(
        &self,
        facilities: &Facilities<A>,
        header: &Header,
        place: u64,
        steps: u64,
    ) -> Vec<Step> {
        let index = usize::try_from(place).unwrap_or(usize::MAX);
        match self.planned.get(index) {
            Some(planned) => planned.steps.clone(),
            None => {
                let number = self.later + place - self.planned.len() as u64;
                facilities.offered(generate::case(header, number, steps))
            }
        }
    }
}
