//! A live endpoint: [`Live`] is the target of one play, and [`LiveWorld`] creates fresh ones.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

use tideover_exchange::Memory;
use tideover_exchange::step::Step;
use tideover_exchange::target::{Applied, Target, Unanswered, Unreachable};
use tideover_exchange::transcript::{Header, Transcript};
use tideover_exchange::{Arrival, Prepared, PreparedAction, Race, Response};
use tideover_judge::{PriorState, is_near};
use tideover_model::wire::field;
use tideover_model::{Clause, OperationKind, Timestamp};
use tideover_suite::generate;
use tideover_suite::generate::{Size, race};
use tideover_suite::play::case::{Clock, Observed, TargetWorld};
use tideover_suite::play::cases::{Rehearsed, Silent, Summary, Testbed};
use tideover_suite::play::concurrent::RaceTestbed;
use tideover_suite::play::outage;
use tideover_suite::play::outage::{Recovers, Revival};

use crate::rehearsal::rehearse;
use crate::session::{Play, Session};
use crate::settings::ApiKey;
use crate::unasked::Unasked;
use crate::{LiveCase, Vocabulary, live_case, live_race};

/// A live endpoint during one play. Everything that the play creates has its own names.
#[derive(Clone, Debug)]
pub struct Live {
    session: Rc<Session>,
    play: Rc<Play>,
    fresh: bool,
    /// The play's own part of the inbox, which separates it from late webhooks of other plays.
    inbox: Option<String>,
    /// How many seconds the target's clock was ahead of ours at the start of the play, if that was known.
    ahead: Option<i64>,
    /// How many seconds it is ahead by the latest confirmed reading.
    known_ahead: Rc<Cell<Option<i64>>>,
    /// How many seconds it is ahead by one response that contradicts `known_ahead`.
    seems_ahead: Cell<Option<i64>>,
    /// The times that invitations showed, because a repeated invitation shows an old time. Unix seconds.
    invited: RefCell<BTreeSet<i64>>,
    /// Whether the clock itself was read after the last response.
    is_clock_read: Cell<bool>,
    /// How long the last response took, without waits of our own.
    took: Cell<Option<Duration>>,
    /// The least number of webhooks to wait for after each step, if the play waits for webhooks.
    awaited: Option<Vec<usize>>,
    /// Whether the target may know the inbox: otherwise nothing arrives there.
    knows_inbox: bool,
    /// Whether the last step only reads, which causes no webhook.
    has_read: bool,
}

/// A live endpoint. It is never reset: each play has new names instead. Clones are the same world.
#[derive(Clone, Debug)]
pub struct LiveWorld {
    session: Rc<Session>,
    vocabulary: Vocabulary,
    known_ahead: Rc<Cell<Option<i64>>>,
    unasked: Rc<RefCell<Unasked>>,
}

impl LiveWorld {
    /// The world of a run, with the requests that `vocabulary` allows.
    pub fn new(session: Rc<Session>, vocabulary: Vocabulary) -> LiveWorld {
        LiveWorld { session, vocabulary, known_ahead: Rc::default(), unasked: Rc::default() }
    }

    /// The first step of a transcript that may not be sent, with the reason.
    pub fn refused(&self, transcript: &Transcript) -> Option<(usize, String)> {
        self.vocabulary.refused(transcript)
    }

    /// The steps of all cases so far that the gate would not pass.
    pub fn unasked(&self) -> Unasked {
        self.unasked.borrow().clone()
    }
}

/// Every race has its own names. Where money is real, each request is sent once.
impl RaceTestbed for LiveWorld {
    const MOST_RACE_FORMS: usize = 20;

    fn tries(&self) -> u64 {
        if self.session.settings.sandbox.is_some() { 4 } else { 0 }
    }

    fn race(&self, header: &Header, number: u64, size: Size) -> Race {
        match self.session.settings.sandbox {
            Some(_) => self.session.facilities().offered_in(race(header, number, size)),
            None => live_race(header, number, size, &self.vocabulary),
        }
    }
}

impl Testbed for LiveWorld {
    type Target = Live;

    const MOST_FORMS: usize = 40;

    async fn again(&mut self, arrivals: &[usize]) -> Result<Live, Unreachable> {
        Ok(Live { awaited: Some(arrivals.to_vec()), ..self.fresh().await? })
    }

    async fn fresh(&mut self) -> Result<Live, Unreachable> {
        self.session.tidy().await;
        self.target_of(Play::begin(&self.session)).await
    }

    async fn lasts(&mut self) -> bool {
        self.session.lasts().await
    }

    fn outage(&self) -> Option<String> {
        self.session.outage()
    }

    async fn examine(
        &mut self,
        header: &Header,
        summary: &mut Summary,
        silent: Silent,
    ) -> Result<(), Unreachable> {
        outage::examine(self, header, summary, silent).await
    }

    fn case(&self, header: &Header, number: u64, steps: u64) -> Vec<Step> {
        match self.session.settings.sandbox {
            Some(_) => self.session.facilities().offered(generate::case(header, number, steps)),
            None => {
                let LiveCase { steps, unasked } =
                    live_case(header, number, steps, &self.vocabulary);
                self.unasked.borrow_mut().add(&unasked);
                steps
            }
        }
    }

    async fn rehearse(&self, header: &Header, steps: &[Step], clause: Clause) -> Option<Rehearsed> {
        rehearse(&self.session.settings, header, steps, clause).await
    }
}

impl Recovers for LiveWorld {
    async fn revive(&mut self) -> Revival {
        self.session.revive().await
    }
}

impl LiveWorld {
    /// The target of a play that has begun, unless the run is over.
    pub(crate) async fn target_of(&self, play: Rc<Play>) -> Result<Live, Unreachable> {
        if let Some(ended) = self.session.ended() {
            return Err(Unreachable(ended.to_string()));
        }
        self.session.refresh_clock().await;
        let (session, fresh) = (Rc::clone(&self.session), self.vocabulary.is_fresh());
        let inbox = session.inbox_url.as_deref().map(|inbox| format!("{inbox}/{}", play.number));
        let known_ahead = Rc::clone(&self.known_ahead);
        let ahead = if session.abilities().moves_clock { Some(0) } else { known_ahead.get() };
        Ok(Live {
            session,
            play,
            fresh,
            inbox,
            ahead,
            known_ahead,
            seems_ahead: Cell::default(),
            invited: RefCell::default(),
            is_clock_read: Cell::default(),
            took: Cell::default(),
            awaited: None,
            knows_inbox: false,
            has_read: false,
        })
    }
}

impl Live {
    /// Learns the target's time from the expiry of a link (§8 Limits). The target's clock may run faster or
    /// slower than ours. A jump of the clock counts only if another reading confirms it.
    async fn note_time(&self, step: &Prepared, seen: &Response) {
        self.is_clock_read.set(false);
        let Some(shown) = time_shown(step, seen) else { return };
        if step.kind() == Some(OperationKind::Invite) && !self.invited.borrow_mut().insert(shown) {
            return;
        }
        let ahead = || shown - self.session.now().unix();
        let known = self.known_ahead.get().or(self.ahead);
        let is_known = |ahead: i64| known.is_none_or(|known| is_near(known, ahead));
        if let Some(known) = known.filter(|_| !is_known(ahead())) {
            self.session.follow_date(ahead() - known);
            if !is_known(ahead()) {
                self.is_clock_read.set(self.session.read_clock().await);
            }
        }
        let ahead = ahead();
        let before = self.seems_ahead.replace(None).filter(|_| !self.is_clock_read.get());
        let seems_so = before.is_some_and(|before| is_near(before, ahead));
        if is_known(ahead) || seems_so {
            self.known_ahead.set(Some(ahead));
            self.session.keep_date();
        } else {
            self.seems_ahead.set(Some(ahead));
        }
    }
}

/// The target's time, derived from the expiry of a link in a response. Unix seconds.
fn time_shown(step: &Prepared, seen: &Response) -> Option<i64> {
    let life = i64::try_from(step.kind()?.endpoint().link?.life).ok()?;
    let expires_at = seen.json()?.get(field::EXPIRES_AT)?.as_str()?;
    Some(Timestamp::parse(expires_at)?.unix() - life)
}

/// `now`, moved by this many seconds, which may be negative.
fn later(now: Timestamp, seconds: i64) -> Timestamp {
    Timestamp::from_unix(now.unix() + seconds).unwrap_or(now)
}

impl Target for Live {
    fn api_key(&self) -> &str {
        self.session.settings.key.reveal()
    }

    fn inbox(&self) -> Option<&str> {
        self.inbox.as_deref()
    }

    fn memory(&self) -> Memory {
        self.session.settings.memory(self.inbox(), self.play.number)
    }

    async fn send(&mut self, step: &Prepared) -> Result<Response, Unanswered> {
        self.has_read = step.kind().is_some_and(OperationKind::reads);
        self.knows_inbox |= self.inbox().is_some_and(|inbox| step.mentions(inbox));
        let (play, began) = (self.play.number, self.session.now());
        let answered = self.session.send(play, step).await;
        self.took.set(answered.as_ref().ok().map(|answered| answered.took));
        let answered = answered.map(|answered| answered.seen);
        if let PreparedAction::Advance(seconds) = step.action {
            match &answered {
                Ok(seen) if seen.status < 500 => {
                    if seen.is_success() {
                        self.session.add_move(seconds);
                    }
                    self.session.note_clock(seen);
                }
                Err(why) if why.applied == Applied::Never => {}
                Ok(_) | Err(_) => self.session.await_clock(began, seconds).await,
            }
        }
        if let Ok(seen) = &answered {
            self.note_time(step, seen).await;
            self.session.note_key(play, step, seen).await?;
        }
        match (answered, self.session.ended()) {
            (Err(unanswered), Some(_)) => Err(unanswered.and_last()),
            (answered, _) => answered,
        }
    }

    async fn arrivals(&mut self) -> Result<Vec<Arrival>, Unanswered> {
        self.session.take_arrivals(self.play.number)
    }
}

impl Observed for Live {
    const LAGS: bool = true;

    fn took(&self) -> Option<Duration> {
        self.took.get()
    }

    async fn settle(&mut self, index: usize) {
        let Some(awaited) = self.awaited.as_ref().filter(|_| self.knows_inbox) else { return };
        let wanted = awaited.get(index).copied().unwrap_or(0);
        if wanted > 0 || !self.has_read {
            self.session.wait_for_webhooks(wanted).await;
        }
    }

    async fn wait_to_ask_again(&mut self, nth: usize) -> bool {
        self.session.wait_to_ask_again(nth).await
    }

    async fn wait_to_retry(&mut self, nth: usize) {
        self.session.wait_to_retry(nth).await;
    }

    fn inbox_works(&self) -> bool {
        self.inbox.is_some() && self.session.inbox_is_proven()
    }

    async fn wait_for_deliveries(&mut self, nth: usize) -> bool {
        self.session.wait_for_deliveries(nth).await
    }

    fn second_key(&self) -> Option<&str> {
        self.session.settings.second_key.as_ref().map(ApiKey::reveal)
    }

    fn world(&mut self) -> TargetWorld {
        let outside = self.session.outside();
        let now = later(self.session.now(), self.ahead.unwrap_or(0));
        let clock = match self.ahead {
            _ if self.session.is_clock_moving() => Clock::Moving,
            _ if self.is_clock_read.get() => Clock::Read,
            // Nobody else moves the clock.
            Some(_) if self.session.moves_its_clock_alone() => Clock::Read,
            Some(_) => Clock::Kept,
            None => Clock::Guessed,
        };
        // Every case uses the user's same tax ids.
        let prior = match (&self.session.settings.sandbox, self.fresh) {
            (Some(_), true) => PriorState::Nothing,
            (None, true) => PriorState::TaxIds,
            (_, false) => PriorState::Anything,
        };
        TargetWorld::Foreign { outside, prior, now, clock }
    }
}
