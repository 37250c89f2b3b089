//! The part of the generator's stream that a live target gets.

use crate::endpoint::INBOX;
use crate::exchange::Race;
use crate::exchange::step::Step;
use crate::exchange::transcript::Header;
use crate::generate::{Size, Walk, race};
use crate::judge::checks::met_by;
use crate::live::unasked::Unasked;
use crate::live::vocabulary::{self, Vocabulary};

/// How many steps a case has against a live target.
pub const LIVE_STEPS: u64 = 15;

/// What of a case a live target is asked.
#[derive(Clone, Debug, Default)]
pub struct LiveCase {
    /// The steps.
    pub steps: Vec<Step>,
    /// What was left out on the way.
    pub unasked: Unasked,
}

/// Case `number` against a live target: of the same stream what `vocabulary` lets pass.
pub fn live_case(header: &Header, number: u64, steps: u64, vocabulary: &Vocabulary) -> LiveCase {
    let mut walk = Walk::new(header, number, Some(INBOX));
    let mut rendering = vocabulary.rendering(number);
    let (mut named, mut unasked) = (vocabulary::opening(vocabulary), Unasked::default());
    let enough = |named: &Vec<Step>| named.len() as u64 >= steps;
    // Steps that cannot be sent are left out, so that a walk may be much longer than its rest.
    let mut patience = if vocabulary.writes() { steps.saturating_mul(10) } else { 0 };
    while !enough(&named) && patience > 0 {
        let before = walk.steps.len();
        walk.go_on();
        for (step, (sent, forecast)) in walk.steps[before..].iter().zip(&walk.walked[before..]) {
            match rendering.render(step, forecast.refusal.is_some()) {
                Ok(step) => named.push(step),
                Err(why) => unasked.count(why, &met_by(sent, forecast)),
            }
        }
        patience -= 1;
    }
    while !enough(&named) {
        named.push(walk.read(vocabulary.known_accounts()));
    }
    named.truncate(usize::try_from(steps).unwrap_or(usize::MAX));
    LiveCase { steps: named, unasked }
}

/// Race `number` against a live target: what `vocabulary` can say of it.
pub fn live_race(header: &Header, number: u64, size: Size, vocabulary: &Vocabulary) -> Race {
    vocabulary.rendering(number).render_race(&race(header, number, size))
}
