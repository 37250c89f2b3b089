//! A live endpoint as a target, and where fresh ones come from.

use std::rc::Rc;

use tideover_model::Clause;

use crate::concurrent::Race;
use crate::generate::{Size, Vocabulary, live_case, live_race};
use crate::inbox::Arrival;
use crate::judge::Before;
use crate::live::rehearsal::rehearse;
use crate::live::session::Session;
use crate::run::{Observed, Standing};
use crate::step::{Memory, Step};
use crate::suite::{Rehearsed, World};
use crate::target::{Prepared, PreparedAction, Seen, Target, Unanswered, Unreachable};
use crate::transcript::Header;

/// A live endpoint, as one play sees it: what the play makes has names of its own.
#[derive(Clone, Debug)]
pub struct Live {
    session: Rc<Session>,
    play: u64,
    fresh: bool,
}

/// A live endpoint. It is never reset: each play has new names instead.
#[derive(Clone, Debug)]
pub struct LiveWorld {
    session: Rc<Session>,
    vocabulary: Vocabulary,
}

impl LiveWorld {
    /// The world of a run, of which `vocabulary` says what it is asked.
    pub fn new(session: Rc<Session>, vocabulary: Vocabulary) -> LiveWorld {
        LiveWorld { session, vocabulary }
    }
}

impl LiveWorld {
    /// Race `number`, as it can be run here.
    pub fn race(&self, header: &Header, number: u64, size: Size) -> Race {
        live_race(header, number, size, &self.vocabulary)
    }
}

impl World for LiveWorld {
    type Target = Live;

    async fn fresh(&mut self) -> Result<Live, Unreachable> {
        self.session.unsubscribe().await;
        if let Some(ended) = self.session.ended() {
            return Err(Unreachable(ended.to_string()));
        }
        let play = {
            let mut state = self.session.state();
            state.plays += 1;
            state.plays
        };
        self.session.take_arrivals();
        self.session.look_at_clock().await;
        let fresh = self.vocabulary.is_fresh();
        Ok(Live { session: Rc::clone(&self.session), play, fresh })
    }

    fn case(&self, header: &Header, number: u64, steps: u64) -> Vec<Step> {
        live_case(header, number, steps, &self.vocabulary)
    }

    async fn rehearse(&self, header: &Header, steps: &[Step], clause: Clause) -> Option<Rehearsed> {
        rehearse(&self.session.settings, header, steps, clause).await
    }
}

impl Target for Live {
    fn api_key(&self) -> &str {
        self.session.settings.key.reveal()
    }

    fn inbox(&self) -> Option<&str> {
        self.session.inbox_url.as_deref()
    }

    fn memory(&self) -> Memory {
        self.session.settings.memory(self.inbox(), self.play)
    }

    async fn send(&mut self, step: &Prepared) -> Result<Seen, Unanswered> {
        let answered = self.session.send(step).await;
        if let (PreparedAction::Advance(_), Ok(seen)) = (&step.action, &answered) {
            self.session.note_clock(seen);
        }
        match (answered, self.session.ended()) {
            (Err(unanswered), Some(_)) => Err(unanswered.and_last()),
            (answered, _) => answered,
        }
    }

    async fn arrivals(&mut self) -> Result<Vec<Arrival>, Unanswered> {
        Ok(self.session.take_arrivals())
    }
}

impl Observed for Live {
    fn standing(&mut self) -> Standing {
        let (outside, now) = (self.session.outside(), self.session.now());
        // The user's tax ids are the same in every case.
        let before = if self.fresh { Before::TaxIds } else { Before::Anything };
        Standing::Foreign { outside, before, now }
    }
}
