//! Requests without a response. Each may have been carried out when it came, later, or never.
//!
//! Nothing is decided about one until a response depends on it. So what failed for one thing multiplies nothing that is
//! known of others.

use std::borrow::Cow;
use std::sync::Arc;

use tideover_exchange::Prepared;
use tideover_model::{OperationKind, Timestamp};

use crate::belief::Observation;
use crate::belief::hidden::PriorState;
use crate::belief::hypothesis::deeds::Deeds;
use crate::belief::hypothesis::{Hypothesis, Subject};
use crate::belief::reading::Revealed;

/// How many undecided requests are compared with each other. Where there are more, a response is not explained.
const MOST_COMPARED: usize = 16;

/// How many undecided requests may matter for one response: each doubles the hypotheses.
const MOST_DECIDED: usize = 8;

/// What is undecided of the requests that matter for a response.
pub(crate) enum Undecided {
    /// Nothing matters.
    Nothing,
    /// The hypotheses where the first one that matters was carried out when it came, or not.
    Both(Vec<Hypothesis>),
    /// More than can be told apart.
    TooMuch,
}

/// A request without a response.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Open {
    pub(crate) sent: Arc<Prepared>,
    /// When it came, while it is undecided whether it was carried out then.
    undecided_since: Option<Timestamp>,
}

/// A request with the choices that a response shows.
#[derive(Clone, Copy)]
struct Play<'a> {
    sent: &'a Prepared,
    revealed: Revealed,
    at: Timestamp,
}

impl Play<'_> {
    fn of(Observation { sent, seen, now }: Observation<'_>) -> Play<'_> {
        Play { sent, revealed: Revealed::by(seen), at: now }
    }
}

impl Open {
    /// One that came at this time.
    pub(crate) fn since(sent: Prepared, at: Timestamp) -> Open {
        Open { sent: Arc::new(sent), undecided_since: Some(at) }
    }

    /// One that was not carried out when it came.
    pub(super) fn later(sent: Prepared) -> Open {
        Open { sent: Arc::new(sent), undecided_since: None }
    }
}

impl Hypothesis {
    /// Makes undecided again what sends a tax id, and does not commute with an accepted request: it may be carried out only
    /// now, and the response need not show whether it was. Whose the number is then is shown later. What sends no number
    /// is carried out once a response shows it: to reopen that, too, would multiply what is undecided with each request.
    pub(crate) fn reopen_late(&mut self, Observation { sent, seen, now }: Observation<'_>) {
        let is_late = |open: &Open| open.undecided_since.is_none();
        let reads = sent.kind().is_some_and(OperationKind::reads);
        if !seen.is_success() || reads || !self.open.iter().any(is_late) {
            return;
        }
        let sent = &*sent.taken();
        let play = Play { sent, revealed: Revealed::by(seen), at: now };
        for index in self.related(sent) {
            let open = &self.open[index];
            let sends_number = || !self.tax_ids(&open.sent).is_empty();
            if is_late(open) && sends_number() && self.depends_on(&open.sent, now, play) {
                self.open[index].undecided_since = Some(now);
            }
        }
    }

    /// Decides the first open request that matters for a response.
    pub(crate) fn decided_once(&self, observed: Observation<'_>, prior: PriorState) -> Undecided {
        // What is accepted although it is malformed leaves behind what the well-formed request does.
        let sent = match observed.seen.is_success() {
            true => observed.sent.taken(),
            false => Cow::Borrowed(observed.sent),
        };
        let matters = self.all_that_matter(Observation { sent: &sent, ..observed }, prior);
        let Some(matters) = matters.filter(|matters| matters.len() <= MOST_DECIDED) else {
            return Undecided::TooMuch;
        };
        let Some(&(index, at)) = matters.first() else { return Undecided::Nothing };
        let mut not_at_once = self.clone();
        not_at_once.open[index].undecided_since = None;
        let held = not_at_once.with_tax_ids_held(&self.open[index].sent, prior, at);
        let before = std::iter::once(&not_at_once).chain(&held);
        let carry_out = |after: &mut Hypothesis| {
            let open = after.open.remove(index);
            after.carry_out_when_it_came(&open.sent, at)
        };
        let at_once: Vec<Hypothesis> =
            before.flat_map(|hypothesis| hypothesis.after(&carry_out)).collect();
        Undecided::Both(std::iter::once(not_at_once).chain(at_once).collect())
    }

    /// The undecided requests that matter for a response, or for another one that matters: the place of each, and when it
    /// came. `None` if they are too many to compare.
    fn all_that_matter(
        &self,
        observed: Observation<'_>,
        prior: PriorState,
    ) -> Option<Vec<(usize, Timestamp)>> {
        if self.open.iter().all(|open| open.undecided_since.is_none()) {
            return Some(Vec::new());
        }
        let related = self.related(observed.sent).into_iter();
        let undecided: Vec<(usize, Timestamp)> =
            related.filter_map(|it| Some((it, self.open[it].undecided_since?))).collect();
        if undecided.len() > MOST_COMPARED {
            return None;
        }
        let request = |nth: usize| &*self.open[undecided[nth].0].sent;
        // What has no effect alone may have one after those before it.
        let mut after_those_before = vec![self.clone()];
        for (nth, (_, at)) in undecided.iter().enumerate() {
            let mut after = after_those_before[nth].clone();
            after.carry_out_when_it_came(request(nth), *at);
            after_those_before.push(after);
        }
        let matters_for = |nth: usize, play: Play<'_>| {
            let (one, at) = (request(nth), undecided[nth].1);
            self.depends_on(one, at, play)
                || nth > 0 && after_those_before[nth].depends_on(one, at, play)
        };
        let matters_here = |nth: usize| {
            let may_be_held = || !self.tax_ids(request(nth)).is_empty();
            prior > PriorState::Nothing && may_be_held() || matters_for(nth, Play::of(observed))
        };
        let mut matters: Vec<bool> = (0..undecided.len()).map(matters_here).collect();
        // What matters may have had another effect after one that came before it.
        for later in (1..undecided.len()).rev() {
            if !matters[later] {
                continue;
            }
            let at = undecided[later].1;
            let play = Play { sent: request(later), revealed: Revealed::default(), at };
            for (before, matters) in matters[..later].iter_mut().enumerate() {
                *matters = *matters || matters_for(before, play);
            }
        }
        let all = undecided.into_iter().zip(matters);
        Some(all.filter(|(_, matters)| *matters).map(|(one, _)| one).collect())
    }

    /// Whether the response to a request, or what it leaves behind, depends on whether another one was carried out before.
    fn depends_on(&self, other: &Prepared, at: Timestamp, play: Play<'_>) -> bool {
        let (mut without, mut after) = (self.clone(), self.clone());
        let carry_out = |one: &mut Hypothesis| {
            one.carry_out_when_it_came(other, at);
            let is_undecided = one.undecided().is_some();
            one.settle();
            is_undecided
        };
        let respond = |one: &mut Hypothesis| {
            let (response, _) = one.play(play.sent, play.revealed, play.at);
            let is_undecided = one.undecided().is_some();
            one.settle();
            (response, is_undecided)
        };
        if carry_out(&mut after) {
            return true;
        }
        let (first, second) = (respond(&mut without), respond(&mut after));
        if first.1 || first != second {
            return true;
        }
        if play.sent.kind().is_some_and(OperationKind::reads) {
            return false;
        }
        carry_out(&mut without) || !without.is_unchanged_from(&after)
    }

    /// Carries out a request when it came. The account that an advance needs may have opened unseen before; later it may be
    /// too late for that. `false` if it changes nothing.
    fn carry_out_when_it_came(&mut self, request: &Prepared, at: Timestamp) -> bool {
        let before = self.clone();
        if self.carry_out(request, Revealed::default(), at) || self.undecided().is_some() {
            return true;
        }
        let Subject { platform, payee: Some(payee), .. } = before.subject(request) else {
            return false;
        };
        if request.kind() != Some(OperationKind::RequestAdvance) {
            return false;
        }
        *self = before;
        Deeds { hypothesis: self, platform, payee: &payee, now: at }.open_account()
            && self.carry_out(request, Revealed::default(), at)
    }

    /// Carries out an open request. `false` if it changes nothing.
    pub(crate) fn carry_out_open(
        &mut self,
        index: usize,
        revealed: Revealed,
        at: Timestamp,
    ) -> bool {
        let open = self.open.remove(index);
        self.carry_out(&open.sent, revealed, at)
    }

    /// The hypotheses in which other businesses held the tax ids of a request before it came.
    pub(crate) fn with_tax_ids_held(
        &self,
        sent: &Prepared,
        prior: PriorState,
        at: Timestamp,
    ) -> Vec<Hypothesis> {
        if prior == PriorState::Nothing {
            return Vec::new();
        }
        let platform = self.subject(sent).platform;
        let held = self.tax_ids(sent).into_iter().flat_map(|tax_id| {
            self.after(&|after| after.add_foreign_business(platform, tax_id.clone(), at))
        });
        held.collect()
    }
}
