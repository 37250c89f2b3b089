//! What state a target may be in, given all its responses.

mod amounts;
pub(crate) mod bounds;
mod broken_off;
mod clock;
pub(crate) mod explain;
pub(crate) mod hidden;
pub(crate) mod hypothesis;
mod kept;
mod past;
pub(crate) mod reading;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::mem::take;

use tideover_exchange::evidence::Point;
use tideover_exchange::{Prepared, PreparedAction, Response};
use tideover_model::wire::field::{self, Fields};
use tideover_model::wire::route::route;
use tideover_model::{
    ActionKind, BusinessId, Cents, Clause, Code, Happening, Operation, OperationKind, PlatformId,
    Profile, Reading, Timestamp, bearer, clause, wire,
};

use crate::belief::bounds::Limits;
use crate::belief::broken_off::BrokenOff;
use crate::belief::explain::Explainer;
use crate::belief::hidden::{Outside, PriorState};
use crate::belief::hypothesis::open::Open;
use crate::belief::hypothesis::{
    Fit, Hypothesis, Subject, is_too_large, status_point, with_lenient_file,
};
use crate::belief::kept::{Kept, MOST_KEPT};
use crate::belief::reading::{LimitQuestion, Revealed};
use crate::callers::{Callers, UNSURE};
use crate::comparison::ABSENT;
use crate::grounds::Grounds;

use past::Past;

/// A request with its response, and the time by our clock.
#[derive(Clone, Copy, Debug)]
pub struct Observation<'a> {
    pub sent: &'a Prepared,
    pub seen: &'a Response,
    pub now: Timestamp,
}

/// The hypotheses that a target may be in.
///
/// Hidden moves apply only when a response needs them. A move that no response has shown yet is made later,
/// when one does.
#[derive(Clone, Debug)]
pub struct Belief {
    profile: Profile,
    hypotheses: Vec<Hypothesis>,
    outside: Outside,
    prior: PriorState,
    /// Whether nobody else uses the keys.
    alone: bool,
    incomplete: bool,
    /// Whether a request sent a tax id, and no response shows whether another business held it.
    may_share: bool,
    limits: Limits,
    /// Keys that may belong to one platform or another.
    keys: Vec<String>,
    /// Businesses that may predate the run and whose first read got no response. Their initial state is
    /// unknown.
    unread: BTreeSet<(PlatformId, String)>,
    /// The hypotheses before each of the last writes. `None` when reads are never retried.
    past: Option<VecDeque<Past>>,
    broken_off: BrokenOff,
    /// The references of subscriptions whose creation decided nothing, so that no hypothesis knows them.
    unbound: BTreeSet<String>,
    /// By which sentences values are expected.
    grounds: Grounds,
    callers: Callers,
}

/// How a response is explained, or what would explain it.
#[derive(Clone, Debug)]
pub struct Explanation {
    pub predicted: Response,
    /// The code with which it refuses, if it does, and the clause that requires it.
    pub refusal: Option<(Code, Clause)>,
    /// The platform whose key the request carries.
    pub platform: Option<PlatformId>,
    pub points: Vec<Point>,
    /// The listed code that was due where the target sent another one that it does not ask for, or failed.
    pub due: Option<Code>,
    /// Points that contradict the document, unless a dropped hypothesis explains them or someone else is to blame.
    pub open: Vec<Point>,
}

impl Explanation {
    /// An explanation for a response that proves nothing.
    fn uninformative(seen: &Response, platform: Option<PlatformId>) -> Explanation {
        Explanation {
            predicted: seen.clone(),
            refusal: None,
            platform,
            points: Vec::new(),
            due: None,
            open: Vec::new(),
        }
    }
}

impl Belief {
    pub fn new(
        profile: Profile,
        inbox: &str,
        api_key: &str,
        start: Timestamp,
        outside: Outside,
        prior: PriorState,
    ) -> Belief {
        let hypotheses = vec![Hypothesis::new(profile.clone(), inbox, api_key, start).renaming()];
        Belief {
            profile,
            hypotheses,
            outside,
            prior,
            alone: false,
            incomplete: false,
            may_share: false,
            limits: Limits::default(),
            keys: Vec::new(),
            unread: BTreeSet::new(),
            past: None,
            broken_off: BrokenOff::default(),
            unbound: BTreeSet::new(),
            grounds: Grounds::default(),
            callers: Callers::default(),
        }
    }

    fn explainer(&self, prior: PriorState) -> Explainer {
        Explainer::new(self.outside, prior, self.alone)
    }

    /// Nobody else uses the keys: all that they change is seen.
    pub fn exclude_others(&mut self) {
        self.alone = true;
    }

    /// Forgets the target's clock: from now on, only responses show it.
    pub fn forget_clock(&mut self) {
        self.hypotheses.iter_mut().for_each(|one| one.clock.forget());
    }

    /// Sets whether someone else may have moved the target's clock since it was read.
    pub fn loosen_clock(&mut self, is_loose: bool) {
        self.hypotheses.iter_mut().for_each(|one| one.clock.is_loose = is_loose);
    }

    /// Records that our own clock may be set at any time.
    pub fn doubt_our_clock(&mut self) {
        self.hypotheses.iter_mut().for_each(|one| one.clock.is_ours_doubtful = true);
    }

    /// How far the target's clock is ahead of ours, if known. Seconds.
    pub fn ahead(&self) -> Option<i64> {
        self.hypotheses.first()?.clock.ahead
    }

    /// Adds keys. Each belongs to a known platform or to a new one.
    pub fn introduce<'a>(&mut self, keys: impl Iterator<Item = &'a str>) {
        // Each hypothesis comes with the most platforms that it may have besides the first.
        let others = self.keys.len();
        let mut hypotheses: Vec<(Hypothesis, usize)> =
            self.hypotheses.drain(..).map(|one| (one, others)).collect();
        for key in keys {
            self.keys.push(key.to_owned());
            let with_key = |(hypothesis, others): (Hypothesis, usize)| {
                (0..=others + 1).map(move |platform| {
                    let mut hypothesis = hypothesis.clone();
                    hypothesis.introduce(key, platform);
                    (hypothesis, others.max(platform))
                })
            };
            hypotheses = hypotheses.into_iter().flat_map(with_key).take(MOST_KEPT + 1).collect();
        }
        self.incomplete |= hypotheses.len() > MOST_KEPT;
        self.hypotheses =
            hypotheses.into_iter().take(MOST_KEPT).map(|(hypothesis, _)| hypothesis).collect();
    }

    pub fn introduce_platform(&mut self, key: &str) {
        self.hypotheses.iter_mut().for_each(|hypothesis| hypothesis.introduce(key, 1));
    }

    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// How the target reads what can be read in two ways, as far as its responses have decided it.
    pub fn readings(&self) -> BTreeMap<Reading, bool> {
        let Some((first, others)) = self.hypotheses.split_first().filter(|_| !self.incomplete)
        else {
            return BTreeMap::new();
        };
        let mut decided = first.readings().clone();
        decided.retain(|reading, value| {
            others.iter().all(|other| other.readings().get(reading) == Some(value))
        });
        decided
    }

    pub fn outside(&self) -> Outside {
        self.outside
    }

    /// Whether the inbox receives webhooks to this URL.
    pub fn hears(&self, url: &str) -> bool {
        self.hypotheses.first().is_some_and(|hypothesis| hypothesis.hears(url))
    }

    /// Whether requests without a response may still be carried out.
    pub fn is_unsettled(&self) -> bool {
        self.hypotheses.iter().any(|hypothesis| !hypothesis.open.is_empty())
    }

    /// Whether some state of the target predates the run.
    pub fn has_a_past(&self) -> bool {
        self.prior == PriorState::Anything
            || self.may_share
            || self.hypotheses.iter().any(Hypothesis::has_foreign_businesses)
    }

    /// Whether a request may have merged a business with one outside this run, and its response doesn't show
    /// it.
    fn may_be_shared_by(&self, sent: &Prepared) -> bool {
        let shows_sharing = sent.kind() == Some(OperationKind::SyncBusiness);
        let sends_tax_id = |hypothesis: &Hypothesis| !hypothesis.tax_ids(sent).is_empty();
        self.prior == PriorState::TaxIds
            && !shows_sharing
            && self.hypotheses.first().is_some_and(sends_tax_id)
    }

    /// The subject of a request.
    pub fn subject(&self, sent: &Prepared) -> Option<Subject> {
        let subject = self.hypotheses.first()?.subject(sent);
        subject.payee.is_some().then_some(subject)
    }

    fn named(&self, sent: &Prepared) -> Option<(PlatformId, String)> {
        let Subject { platform, payee, .. } = self.subject(sent)?;
        Some((platform, payee?))
    }

    /// The business that a request is about. Several identifiers may be linked to it.
    pub fn business(&self, subject: &Subject) -> Option<BusinessId> {
        self.hypotheses.first()?.business(subject.platform, subject.payee.as_deref()?)
    }

    /// Whether the collection account of a business can open now.
    pub fn may_open_account(&self, business: &Subject, now: Timestamp) -> bool {
        let Subject { platform, payee: Some(payee), .. } = business else { return false };
        let opens = Happening::CollectionAccountOpens { payee: payee.clone() };
        self.hypotheses
            .first()
            .is_some_and(|hypothesis| hypothesis.clone().happen(now, *platform, opens))
    }

    /// Whole days until the due date of the invoice that a request names.
    pub fn days_to_due_date(&self, sent: &Prepared, now: Timestamp) -> Option<u64> {
        let hypothesis = self.hypotheses.first()?;
        let Subject { platform, payee, invoice } = hypothesis.subject(sent);
        let read = Operation::GetInvoice { payee: payee?, invoice: invoice? };
        match hypothesis.look(now, platform, read)? {
            wire::reply::Reply::Invoice(invoice) => Some(now.whole_days_until(invoice.due_date)),
            _ => None,
        }
    }

    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Records a request that got no response and may have been carried out.
    pub fn unanswered(&mut self, sent: &Prepared, now: Timestamp) {
        // A service that carries out a malformed request takes it for the well-formed one.
        let sent = &*sent.taken();
        self.may_share |= self.may_be_shared_by(sent);
        self.miss(sent);
        if sent.kind().is_some_and(OperationKind::reads) {
            return;
        }
        self.remember_write(sent);
        if sent.kind() == Some(OperationKind::ImportInvoices)
            && let Some(first) = self.hypotheses.first()
            // Not because the operator port was asked for it.
            && first.refusal_due(sent, Revealed::default(), now) != Some(Code::UpstreamFailed)
        {
            self.broken_off.miss(sent, first.subject(sent).platform);
        }
        for reading in [Some(sent.clone()), with_lenient_file(sent)].into_iter().flatten() {
            let open = Open::since(reading, now);
            self.hypotheses.iter_mut().for_each(|hypothesis| hypothesis.open.push(open.clone()));
        }
    }

    /// Records a request that was not sent, or whose response is not informative. What a first read would
    /// have shown is unknown.
    pub fn miss(&mut self, sent: &Prepared) {
        let asks =
            sent.kind() == Some(OperationKind::GetBusiness) && self.prior == PriorState::Anything;
        let is_known =
            || self.subject(sent).is_some_and(|subject| self.business(&subject).is_some());
        if asks && !is_known() {
            self.unread.extend(self.named(sent));
        }
    }

    /// Contradictions are inconclusive from the first dropped hypothesis on.
    fn keep(&mut self, Kept { hypotheses, are_all }: Kept) {
        self.incomplete |= !are_all;
        self.hypotheses = hypotheses;
    }

    /// The platform whose key a request carries. A separate platform while the owner is uncertain.
    pub fn platform_of(&self, sent: &Prepared) -> Option<PlatformId> {
        let owners = self.hypotheses.iter().map(|hypothesis| hypothesis.platform_of(sent));
        let owners: BTreeSet<Option<PlatformId>> = owners.collect();
        let platform = owners.last().copied()??;
        // In a dropped hypothesis, the key may belong to another platform.
        let is_sure = owners.len() == 1 && (self.keys.is_empty() || !self.incomplete);
        Some(if is_sure { platform } else { self.platform_of_its_own(sent) })
    }

    /// A platform that has no other key.
    fn platform_of_its_own(&self, sent: &Prepared) -> PlatformId {
        let key = sent.authorization.as_deref().and_then(bearer);
        let number = self.keys.iter().position(|known| key == Some(known.as_str()));
        // The first key is never uncertain.
        let number = number.and_then(|number| u32::try_from(number + 1).ok());
        PlatformId(UNSURE + number.unwrap_or(0))
    }

    /// Keeps the hypotheses that explain a response. If none does, keeps the nearest ones.
    pub fn observe(&mut self, sent: &Prepared, seen: &Response, now: Timestamp) -> Explanation {
        let platform = self.platform_of(sent);
        if has_failed(sent, seen) {
            return self.observe_failure(Observation { sent, seen, now }, platform);
        }
        if is_not_offered(sent, seen) {
            if seen.status >= 500 {
                self.unanswered(sent, now);
            }
            return Explanation::uninformative(seen, platform);
        }
        if deleted_by(sent).is_some_and(|reference| self.unbound.contains(&reference)) {
            self.unanswered(sent, now);
            return Explanation::uninformative(seen, platform);
        }
        let Some(decided) = self.decided_for(Observation { sent, seen, now }) else {
            // What the response is about is lost, and nothing else.
            self.unbound.extend(created_by(sent, seen));
            self.unanswered(sent, now);
            return Explanation::uninformative(seen, platform);
        };
        self.keep(decided);
        self.remember_write(sent);
        if !is_informative(seen) {
            self.miss(sent);
        }
        // This response need not show whether the tax ids are held. Later responses do.
        let may_be_held = |hypothesis: &&Hypothesis| {
            self.prior == PriorState::TaxIds || hypothesis.lacks_tax_id(sent, now)
        };
        let may_be = self.hypotheses.iter().filter(may_be_held);
        let held: Vec<Hypothesis> =
            may_be.flat_map(|it| it.with_tax_ids_held(sent, self.prior, now)).collect();
        self.hypotheses.extend(held);
        self.may_share |= self.may_be_shared_by(sent);
        let kept =
            self.explainer(self.prior).explain(&self.hypotheses, Observation { sent, seen, now });
        let best = kept.iter().map(|one| &one.fit).min_by_key(|fit| fit.doubts.len()).cloned();
        if self.is_of_broken_off(sent, seen, best.as_ref()) {
            self.unanswered(sent, now);
            return Explanation::uninformative(seen, platform);
        }
        let kept = Kept::plainest_first(kept.into_iter().map(|one| one.hypothesis).collect());
        if !kept.are_all && may_be_lost(sent) {
            self.unbound.extend(created_by(sent, seen));
            self.unanswered(sent, now);
            return Explanation::uninformative(seen, platform);
        }
        self.keep(kept);
        let Some(best) = best else {
            // There is always a hypothesis, and it always responds.
            return Explanation::uninformative(seen, platform);
        };
        let Fit { predicted, refusal, mut points, limit_question, due, doubts, diverged } = best;
        self.incomplete |= diverged;
        points.extend(self.learn(sent, seen, limit_question));
        let by_others = self.outside == Outside::Open || self.has_a_past();
        if by_others && refusal.is_some_and(|(code, _)| ends_unseen(code)) {
            points.retain(|point| point.clause != clause!("gap.refusalPrecedence"));
        }
        let first = self.callers.under_first_key(sent, platform);
        self.recite((first.as_ref().unwrap_or(sent), seen), &predicted, &mut points);
        let open = self.leave_open(sent, seen, &mut points, doubts);
        Explanation { predicted, refusal, platform, points, due, open }
    }

    /// Says by which sentences the values of a response are expected.
    fn recite(
        &mut self,
        (sent, seen): (&Prepared, &Response),
        predicted: &Response,
        points: &mut Vec<Point>,
    ) {
        if points.iter().any(Point::contradicts) {
            self.grounds.recite((sent, seen), predicted, points);
        } else if seen.is_success() || seen.code() == predicted.code() {
            points.extend(self.grounds.upheld_by(sent, predicted).into_iter().map(Point::upheld));
        }
        self.grounds.learn(sent, seen, predicted);
    }

    /// Whether a response cannot be explained because it is about a row of an import that broke off.
    fn is_of_broken_off(&mut self, sent: &Prepared, seen: &Response, best: Option<&Fit>) -> bool {
        let (Some(first), Some(best)) = (self.hypotheses.first(), best) else { return false };
        let subject = first.subject(sent);
        if best.points.iter().any(Point::contradicts) {
            return self.broken_off.may_lack(sent, &subject);
        }
        if seen.is_success() {
            self.broken_off.see(&subject);
            self.broken_off.report(sent, seen, subject.platform);
            if sent.acts() == Some(ActionKind::InterruptNextImport) {
                self.broken_off.interrupt(subject.platform);
            }
        }
        false
    }

    /// The hypotheses where each open request that matters for a response is decided. `None` if so many matter that the
    /// response decides nothing; the hypotheses stay as they are.
    fn decided_for(&mut self, observed: Observation<'_>) -> Option<Kept> {
        let before = self.is_unsettled().then(|| self.hypotheses.clone());
        let decided = Kept::decided_for(take(&mut self.hypotheses), observed, self.prior);
        let Some(before) = before.filter(|_| !decided.are_all) else { return Some(decided) };
        if !may_be_lost(observed.sent) {
            return Some(Kept { hypotheses: before, are_all: false });
        }
        self.hypotheses = before;
        None
    }

    /// Moves inconclusive points out of `points`, and adds the conclusive ones of `doubts`.
    fn leave_open(
        &mut self,
        sent: &Prepared,
        seen: &Response,
        points: &mut Vec<Point>,
        doubts: Vec<Point>,
    ) -> Vec<Point> {
        // Only the port knows why it refuses an action that is possible.
        let (mut open, rest): (Vec<Point>, Vec<Point>) =
            doubts.into_iter().partition(Point::contradicts);
        points.extend(rest);
        let after_others =
            self.prior == PriorState::Anything && self.outside == Outside::Controlled;
        if after_others && matches!(sent.action, PreparedAction::Act(_)) {
            // An earlier run may have done it.
            open.clear();
        }
        // Which businesses were already one is unknown, and so is whose account is whose.
        let is_whose = |point: &Point| after_others && point.field.starts_with(field::REMITTANCE);
        let named = self.named(sent);
        let is_unread = named.as_ref().is_some_and(|named| self.unread.contains(named));
        // In any state, a response has all fields and a revoked key is refused.
        let depends_on_it =
            |point: &Point| point.seen != ABSENT && !point.clause.name().starts_with("5.");
        let may_be =
            |point: &Point| self.incomplete || is_unread && depends_on_it(point) || is_whose(point);
        let is_open = |point: &mut Point| may_be(point) && point.contradicts();
        open.extend(points.extract_if(.., is_open));
        let is_read = sent.kind() == Some(OperationKind::GetBusiness)
            && is_informative(seen)
            && open.is_empty();
        if let Some(named) = named.filter(|_| is_unread && is_read) {
            self.unread.remove(&named);
        }
        open
    }

    /// Whether a failed request may be sent again at once: it has to be refused, so that it changes nothing. Others may have
    /// made it valid unseen: any but that of a subscription may be repeated all the same (§4 Idempotency summary).
    pub fn may_ask_again(&self, sent: &Prepared, seen: &Response, now: Timestamp) -> bool {
        let is_ours = self.outside == Outside::Controlled || self.alone;
        let is_once = sent.kind() == Some(OperationKind::Subscribe) && !is_ours;
        self.refusal_due(sent, seen, now)
            .is_some_and(|code| !(is_once && depends_on_state(sent, code)))
    }

    /// The listed code with which a request must be refused in every hypothesis.
    ///
    /// What was there before is in no hypothesis: then only a request that no state can make valid must be refused, or one
    /// without a right key.
    fn refusal_due(&self, sent: &Prepared, seen: &Response, now: Timestamp) -> Option<Code> {
        if self.incomplete {
            return None;
        }
        let observed = Observation { sent, seen, now };
        let decided = Kept::decided_for(self.hypotheses.clone(), observed, self.prior);
        let decided = Some(decided.hypotheses).filter(|_| decided.are_all)?;
        let mut due = decided.iter().map(|it| it.refusal_due(sent, Revealed::default(), now));
        let first = due.next().flatten()?;
        let is_due = self.prior != PriorState::Anything || !depends_on_state(sent, first);
        (is_due && due.all(|other| other == Some(first))).then_some(first)
    }

    /// A failed request may have been carried out before it failed (`7.retrying.1`).
    fn observe_failure(
        &mut self,
        Observation { sent, seen, now }: Observation<'_>,
        platform: Option<PlatformId>,
    ) -> Explanation {
        let due = self.refusal_due(sent, seen, now);
        self.unanswered(sent, now);
        let explanation = Explanation { due, ..Explanation::uninformative(seen, platform) };
        if seen.code() == Some(Code::UpstreamFailed.name()) {
            let clause = clause!("7.codes.upstream_failed");
            let points = vec![status_point(clause, seen.status == 502, "502", seen)];
            let refusal = Some((Code::UpstreamFailed, clause));
            return Explanation { refusal, points, ..explanation };
        }
        // The service failed, or a proxy before it. Without a code there is nothing to compare.
        let Fit { mut points, .. } = Fit::of_gap(clause!("gap.ownStatuses"), seen);
        points.retain(|_| seen.code().is_some());
        Explanation { points, ..explanation }
    }

    fn learn(
        &mut self,
        sent: &Prepared,
        seen: &Response,
        question: Option<LimitQuestion>,
    ) -> Vec<Point> {
        let PreparedAction::Call(call) = &sent.action else { return Vec::new() };
        let mut points = Vec::new();
        if call.method != "GET" && (seen.is_success() || is_too_large(sent, seen)) {
            let is_file = sent.kind() == Some(OperationKind::ImportInvoices);
            points.push(self.limits.learn_body(call.body().len(), is_file, seen.is_success()));
        }
        let body = seen.success_body();
        if sent.kind() == Some(OperationKind::Quote)
            && let Some((body, face)) =
                body.zip(call.body().json().and_then(|sent| Fields::of(sent).invoice_face_value()))
        {
            points.extend(self.limits.learn_financeable(face, body));
        }
        if let Some((body, question)) = body.zip(question)
            && sent.kind() == Some(OperationKind::RequestAdvance)
        {
            points.extend(self.limits.learn_financeable(question.face_value.0, body));
        }
        let fits = body.map(|body| {
            Fields::of(body).fundable() == Some(true)
                || Fields::of(body).already_requested() == Some(false)
        });
        let refused = seen.code() == Some(Code::ConcentrationExceeded.name());
        let named = body.is_some_and(|body| body.get(field::ADVANCE_AMOUNT).is_some());
        if let Some(question) = question
            && ((fits == Some(true) && named) || refused)
        {
            let outstanding = if refused {
                self.most_outstanding(question)
            } else {
                self.least_outstanding(sent, question)
            };
            let Some(outstanding) = outstanding else { return points };
            let mut point = self.limits.learn_outstanding(question.business, outstanding, !refused);
            point.holds |= self.outside == Outside::Open || self.has_a_past();
            points.push(point);
        }
        points
    }

    /// The most that would have been outstanding with the advance granted. Cents.
    fn most_outstanding(&self, question: LimitQuestion) -> Option<Cents> {
        // If others act outside, our requests alone don't determine what is outstanding. Nor do they if one of them was
        // lost that may have been granted.
        let is_lost = |hypothesis: &Hypothesis| {
            let mut open = hypothesis.open.iter();
            open.any(|it| it.sent.kind() == Some(OperationKind::RequestAdvance))
        };
        let is_ours = self.outside == Outside::Controlled
            && !self.has_a_past()
            && !self.hypotheses.iter().any(is_lost);
        is_ours.then(|| question.outstanding + question.face_value)
    }

    /// The least outstanding, with an advance that was granted or could be. Cents.
    fn least_outstanding(&self, sent: &Prepared, question: LimitQuestion) -> Option<Cents> {
        if self.outside == Outside::Open {
            // Earlier advances may have been recovered since.
            return Some(question.advance);
        }
        let hypothesis = self.hypotheses.first()?;
        let Subject { platform, payee, .. } = hypothesis.subject(sent);
        let least = hypothesis.least_outstanding(platform, &payee?)?;
        match sent.kind() {
            Some(OperationKind::RequestAdvance) => Some(least),
            _ => Some(least + question.advance),
        }
    }
}

/// The reference of the subscription that a request created.
fn created_by(sent: &Prepared, seen: &Response) -> Option<String> {
    let body = seen.success_body().filter(|_| sent.kind() == Some(OperationKind::Subscribe))?;
    let reference = body.get(field::REFERENCE)?;
    Some(reference.as_str().map_or_else(|| reference.to_string(), str::to_owned))
}

/// The reference of the subscription that a request deletes.
fn deleted_by(sent: &Prepared) -> Option<String> {
    let call = sent.call().filter(|_| sent.kind() == Some(OperationKind::Unsubscribe))?;
    let [reference, _] = route(&call.method, call.plain_path()).ok()?.identifiers().ok()?;
    Some(reference)
}

/// Whether the belief can go on as if there had been no response. When the clock moves, all else moves with it.
fn may_be_lost(sent: &Prepared) -> bool {
    !matches!(sent.action, PreparedAction::Advance(_))
}

/// Whether a response is informative. A failure is not, nor is an unlisted code.
pub fn is_informative(seen: &Response) -> bool {
    seen.is_success()
        || seen.status < 500 && seen.code().is_some_and(|code| Code::parse(code).is_some())
}

/// Whether a request may be valid in another state of the service than one in which it is refused so.
fn depends_on_state(sent: &Prepared, code: Code) -> bool {
    let is_valid = sent.call().is_none_or(|call| call.operation().is_some());
    // How much is too large, whom a service invites, and what it takes for JSON, is its own.
    let is_its_own =
        matches!(code, Code::PayloadTooLarge | Code::InvalidInvitee | Code::UnreadableRequest);
    let is_of_request =
        code.is_of_form() || matches!(code, Code::Unauthorized | Code::DestinationRefused);
    is_valid && (is_its_own || !is_of_request)
}

/// Whether others may end the condition of a refusal. Another refusal then says nothing about precedence.
pub(crate) fn ends_unseen(code: Code) -> bool {
    matches!(code, Code::BusinessNotEligible | Code::ConcentrationExceeded)
}

/// Whether a response reports a failure. The request may have been carried out all the same (`7.retrying.1`).
pub fn has_failed(sent: &Prepared, seen: &Response) -> bool {
    seen.code() == Some(Code::UpstreamFailed.name()) || is_outage(sent, seen)
}

/// Whether the operator port doesn't support an action in any state.
fn is_not_offered(sent: &Prepared, seen: &Response) -> bool {
    matches!(sent.action, PreparedAction::Act(_))
        && !seen.is_success()
        && seen.code() != Some("action_refused")
}

/// Whether a response reports an unlisted failure.
fn is_outage(sent: &Prepared, seen: &Response) -> bool {
    let is_listed = seen.code().and_then(Code::parse).is_some();
    matches!(sent.action, PreparedAction::Call(_)) && seen.status >= 500 && !is_listed
}
