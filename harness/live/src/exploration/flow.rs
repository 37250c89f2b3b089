//! Plays several items at once, as many as fit in the budget.

use std::collections::BTreeMap;
use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use tideover_exchange::target::Unreachable;
use tideover_exchange::transcript::Header;
use tideover_suite::play::case::play_case;
use tideover_suite::play::cases::Suspect;
use tideover_suite::play::concurrent::{History, Known, run_at};

use crate::exploration::items::{Item, Items, Kind};
use crate::session::{Play, Session};
use crate::target::LiveWorld;

/// A case that does not fit in the rest of the budget is cut to it, if the rest is at least one part in so many of the
/// budget. Otherwise the run ends without it.
const WORTH_CUTTING: u64 = 10;

/// The items that are being played.
pub(super) struct Flow<'a> {
    session: Rc<Session>,
    world: LiveWorld,
    header: &'a Header,
    under_way: FuturesUnordered<LocalBoxFuture<'static, Ended>>,
    /// The number and the cost of each play, by its place in the plan.
    plays: BTreeMap<usize, (u64, u64)>,
    /// Whether the current item must be played alone.
    is_alone: bool,
    /// How many items have begun.
    begun: usize,
}

/// Whether the next item begins.
pub(super) enum Next {
    Begin(Item),
    /// It begins once another item has ended.
    Wait,
    /// Nothing more begins.
    Over,
}

/// An item that has ended.
pub(super) struct Ended {
    /// Its place in the plan.
    pub(super) place: usize,
    pub(super) play: u64,
    pub(super) outcome: Result<Outcome, Unreachable>,
}

pub(super) enum Outcome {
    Case(Box<Suspect>),
    Race(u64, History, Box<Known>),
}

impl Ended {
    /// Whether the target gave no answer in a case that found nothing else.
    pub(super) fn is_silent(&self) -> bool {
        match &self.outcome {
            Ok(Outcome::Case(case)) => {
                let played = &case.played;
                played.stopped.is_some() || !played.lost.is_empty() && played.findings.is_empty()
            }
            Ok(Outcome::Race(..)) | Err(_) => false,
        }
    }
}

impl<'a> Flow<'a> {
    pub(super) fn new(session: Rc<Session>, world: LiveWorld, header: &'a Header) -> Flow<'a> {
        let under_way = FuturesUnordered::new();
        let plays = BTreeMap::new();
        Flow { session, world, header, under_way, plays, is_alone: false, begun: 0 }
    }

    /// How many items are being played.
    pub(super) fn at_once(&self) -> usize {
        self.plays.len()
    }

    /// The next item, if it may begin now.
    pub(super) fn next(&self, items: &mut Items<'_>) -> Next {
        if self.session.ended().is_some() {
            return Next::Over;
        }
        let Some(item) = items.peek() else { return Next::Over };
        let at_once = self.at_once();
        if at_once > 0 && (item.is_alone || self.is_alone || at_once >= self.session.workers()) {
            return Next::Wait;
        }
        let left = self.session.requests_left();
        if item.cost <= left.saturating_sub(self.reserved()) {
            return items.take().map_or(Next::Over, Next::Begin);
        }
        if at_once > 0 {
            return Next::Wait;
        }
        let most = self.session.settings.budget.requests;
        match items.take().and_then(|item| item.cut_to(left)) {
            Some(item) if left.saturating_mul(WORTH_CUTTING) >= most => Next::Begin(item),
            _ => {
                self.session.spend_rest();
                Next::Over
            }
        }
    }

    /// The requests that the items being played may still take.
    fn reserved(&self) -> u64 {
        let left = |(play, cost): &(u64, u64)| cost.saturating_sub(self.session.used_by(*play));
        self.plays.values().map(left).sum()
    }

    /// Begins an item. The plays are numbered in this order, whenever each sends its first request.
    pub(super) fn begin(&mut self, item: Item) {
        let own = Play::begin(&self.session);
        let (place, play) = (self.begun, own.number);
        self.begun += 1;
        self.is_alone = item.is_alone;
        self.plays.insert(place, (play, item.cost));
        let (session, world) = (Rc::clone(&self.session), self.world.clone());
        let header = self.header.clone();
        let played = async move {
            let outcome = play_item(&session, &world, own, &header, item).await;
            Ended { place, play, outcome }
        };
        self.under_way.push(played.boxed_local());
    }

    /// Waits for the next item to end; `None` if none is being played.
    pub(super) async fn ended(&mut self) -> Option<Ended> {
        let item = self.under_way.next().await?;
        self.plays.remove(&item.place);
        Some(item)
    }
}

/// Plays an item, and deletes its subscriptions.
async fn play_item(
    session: &Session,
    world: &LiveWorld,
    own: Rc<Play>,
    header: &Header,
    item: Item,
) -> Result<Outcome, Unreachable> {
    let mut target = world.target_of(own).await?;
    let outcome = match item.kind {
        Kind::Case { number, steps } => {
            let played = play_case(&mut target, header, &steps.clone().into()).await;
            drop(target);
            Outcome::Case(Box::new(Suspect { case: number, steps, played }))
        }
        Kind::Race { number, race } => {
            let (history, known) = run_at(target, header, &race).await?;
            Outcome::Race(number, history, Box::new(known))
        }
    };
    session.tidy().await;
    Ok(outcome)
}
