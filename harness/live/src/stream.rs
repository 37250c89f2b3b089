//! The part of the generator's stream that a live target gets.

use tideover_exchange::Race;
use tideover_exchange::step::Step;
use tideover_exchange::target::INBOX;
use tideover_exchange::transcript::Header;
use tideover_suite::generate::{Size, Walk, race};

use crate::unasked::Unasked;
use crate::vocabulary::{self, Vocabulary};

/// The number of steps of a case against a live target.
pub const LIVE_STEPS: u64 = 15;

/// The steps of a case for a live target.
#[derive(Clone, Debug, Default)]
pub struct LiveCase {
    pub steps: Vec<Step>,
    /// The steps that are left out.
    pub unasked: Unasked,
}

/// Case `number` against a live target: the steps of the stream that `vocabulary` allows.
pub fn live_case(header: &Header, number: u64, steps: u64, vocabulary: &Vocabulary) -> LiveCase {
    let mut walk = Walk::new(header, number, Some(INBOX));
    let mut rendering = vocabulary.rendering(number);
    let (mut named, mut unasked) = (vocabulary::opening(vocabulary), Unasked::default());
    let enough = |named: &Vec<Step>| named.len() as u64 >= steps;
    // Steps that cannot be sent are left out, so a walk may be much longer than the case.
    let mut rounds = if vocabulary.writes() { steps.saturating_mul(10) } else { 0 };
    while !enough(&named) && rounds > 0 {
        let before = walk.steps.len();
        walk.go_on();
        for (step, (sent, prediction)) in walk.steps[before..].iter().zip(&walk.walked[before..]) {
            match rendering.render(step, prediction.refusal.is_some()) {
                Ok(step) => named.push(step),
                Err(why) => unasked.count(why, &prediction.met_by(sent)),
            }
        }
        rounds -= 1;
    }
    while !enough(&named) {
        named.push(walk.read(vocabulary.known_accounts()));
    }
    named.truncate(usize::try_from(steps).unwrap_or(usize::MAX));
    LiveCase { steps: named, unasked }
}

/// Race `number` against a live target: the steps that `vocabulary` allows.
pub fn live_race(header: &Header, number: u64, size: Size, vocabulary: &Vocabulary) -> Race {
    vocabulary.rendering(number).render_race(&race(header, number, size))
}
