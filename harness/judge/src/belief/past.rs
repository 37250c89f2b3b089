//! States before recent writes. A stale read may show them (`gap.readOwnWrites`).

use std::collections::VecDeque;

use tideover_exchange::{Prepared, PreparedAction, Response};
use tideover_model::wire::field::Fields;
use tideover_model::wire::reply::Reply;
use tideover_model::{Code, Operation, OperationKind, PlatformId, Timestamp};

use crate::belief::explain::{DEEPEST, Explainer};
use crate::belief::hidden::PriorState;
use crate::belief::hypothesis::{Hypothesis, Subject};
use crate::belief::kept::Kept;
use crate::belief::{Belief, Observation};

/// The most writes that a stale read may lag behind. A read is retried before it counts as stale, so a
/// replica that is further behind does not just lag. Beyond this, a response is judged as if it were current.
const FURTHEST_BEHIND: usize = 8;

#[derive(Clone, Debug)]
pub(super) struct Past {
    business: Option<(PlatformId, String)>,
    hypotheses: Vec<Hypothesis>,
}

impl Belief {
    /// Starts to remember earlier states, for stale reads.
    pub fn remember(&mut self) {
        self.past = Some(VecDeque::with_capacity(FURTHEST_BEHIND));
    }

    /// Whether a response contradicts the current state, but not a state before a write to the same subject.
    /// A read may be stale so (`gap.readOwnWrites`), and so may a refusal of something synced just before.
    pub fn may_lag(&self, sent: &Prepared, seen: &Response, now: Timestamp) -> bool {
        let is_unknown = matches!(
            seen.code().and_then(Code::parse),
            Some(Code::BusinessNotFound | Code::InvoiceNotFound)
        );
        let lags = sent.kind().is_some_and(|kind| kind.reads() || is_unknown);
        let Some(past) = self.past.as_ref().filter(|_| lags) else { return false };
        let business = self.named(sent);
        let is_about_it = |past: &&Past| past.business.is_none() || past.business == business;
        let observed = Observation { sent, seen, now };
        let about: Vec<&Past> = past.iter().filter(is_about_it).collect();
        let is_earlier = |deepest| {
            let within = self.explainer(PriorState::Nothing).within(deepest).one_of(about.len());
            about.iter().any(|past| self.matches_past(past, observed, within))
        };
        let is_near = self.explains_within(observed, 1);
        // Most stale reads show an earlier state as it was, and a search that explains nothing is the longest.
        if !is_near && is_earlier(0) {
            return true;
        }
        match is_near || self.explains_within(observed, DEEPEST) {
            true => about.iter().any(|past| self.shows_earlier_name(past, observed)),
            false => is_earlier(DEEPEST),
        }
    }

    /// Whether a read shows the name of a business before a write, and not the one since. A name contradicts no
    /// hypothesis.
    fn shows_earlier_name(
        &self,
        past: &Past,
        Observation { sent, seen, now }: Observation<'_>,
    ) -> bool {
        if sent.kind() != Some(OperationKind::GetBusiness) {
            return false;
        }
        let Some(shown) = seen.success_body().and_then(|body| Fields::of(body).name()) else {
            return false;
        };
        let Some(Subject { platform, payee: Some(payee), .. }) = self.subject(sent) else {
            return false;
        };
        let is_named_so = |hypothesis: &Hypothesis| {
            let read = Operation::GetBusiness { business: payee.clone() };
            match hypothesis.look(now, platform, read) {
                Some(Reply::Business(business)) => business.name.as_deref() == Some(shown),
                _ => false,
            }
        };
        !self.hypotheses.iter().any(is_named_so) && past.hypotheses.iter().any(is_named_so)
    }

    /// Whether a response contradicts nothing that is known.
    pub fn explains(&self, sent: &Prepared, seen: &Response, now: Timestamp) -> bool {
        self.explains_within(Observation { sent, seen, now }, DEEPEST)
    }

    /// The same, with at most so many hidden moves.
    fn explains_within(&self, observed: Observation<'_>, deepest: usize) -> bool {
        let decided = Kept::decided_for(self.hypotheses.clone(), observed, self.prior);
        let explainer = self.explainer(self.prior).within(deepest);
        !decided.are_all || !explainer.contradicts(&decided.hypotheses, observed)
    }

    /// Whether a response shows the state before a write, or what hidden moves made of it. Uses the names known since.
    /// State that predates the run would explain any response, so `within` must not assume it.
    fn matches_past(&self, past: &Past, observed: Observation<'_>, within: Explainer) -> bool {
        let Some(present) = self.hypotheses.first() else { return false };
        let named = past.hypotheses.iter().map(|hypothesis| hypothesis.calling_as(present));
        let decided = Kept::decided_for(named.collect(), observed, within.prior);
        decided.are_all && !within.contradicts(&decided.hypotheses, observed)
    }

    pub(super) fn remember_write(&mut self, sent: &Prepared) {
        if self.past.is_none() {
            return;
        }
        let business = self.named(sent);
        let is_write = match &sent.action {
            PreparedAction::Call(_) => !sent.kind().is_some_and(OperationKind::reads),
            PreparedAction::Act(_) => business.is_some(),
            PreparedAction::Advance(_) | PreparedAction::Deliveries => false,
        };
        let Some(past) = self.past.as_mut().filter(|_| is_write) else { return };
        if past.len() == FURTHEST_BEHIND {
            past.pop_front();
        }
        past.push_back(Past { business, hypotheses: self.hypotheses.clone() });
    }
}
