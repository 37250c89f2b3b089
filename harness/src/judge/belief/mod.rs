//! What a target may be in, given all that it has answered.

mod past;

use std::collections::{BTreeSet, VecDeque};

use tideover_model::{
    BusinessId, Cents, Clause, Code, Happening, Operation, OperationKind, PlatformId, Profile,
    Timestamp, bearer, clause, wire,
};

use crate::evidence::Point;
use crate::exchange::{Prepared, PreparedAction, Seen};
use crate::judge::ABSENT;
use crate::judge::bounds::Limits;
use crate::judge::explain::{DEEPEST, Unseen};
use crate::judge::hidden::{Before, Outside};
use crate::judge::reading::{Asked, Revealed};
use crate::judge::world::{Reply, Subject, World, is_too_large};

use past::Past;

/// So many worlds are kept.
const MOST_KEPT: usize = 64;

/// The first of the numbers that stand for platforms which may be one or another.
const UNSURE: u32 = 1 << 16;

/// The worlds that a target may be in.
///
/// They are closed under the hidden moves when an answer asks for it: a move that no answer has shown yet is
/// made when one does.
#[derive(Clone, Debug)]
pub(crate) struct Belief {
    profile: Profile,
    worlds: Vec<World>,
    outside: Outside,
    before: Before,
    /// Whether there were more worlds than are kept.
    incomplete: bool,
    /// Whether a tax id was told where no answer says whether some business held it.
    may_share: bool,
    limits: Limits,
    /// Keys that may be of one platform or another.
    keys: Vec<String>,
    /// Businesses that may have been there before, of which the first read was not answered: in what state the run found
    /// them is not known.
    unread: BTreeSet<(PlatformId, String)>,
    /// What was before each of the last writes; nothing where nothing is asked again.
    past: Option<VecDeque<Past>>,
}

/// How an answer is explained, or how it would have to be to be explained.
#[derive(Clone, Debug)]
pub(crate) struct Explanation {
    /// What the best world answers.
    pub(crate) predicted: Seen,
    /// The code with which it refuses, if it does, and the clause that asks for it.
    pub(crate) refusal: Option<(Code, Clause)>,
    /// Whose key the request carries.
    pub(crate) platform: Option<PlatformId>,
    /// The comparison, point by point.
    pub(crate) points: Vec<Point>,
    /// The listed code that was due where one came that isn't listed.
    pub(crate) due: Option<Code>,
    /// What contradicts the document, unless a world was forgotten that explains it, or somebody else is to blame.
    pub(crate) open: Vec<Point>,
}

impl Explanation {
    /// An answer of which nothing is to be said.
    fn of_nothing(seen: &Seen, platform: Option<PlatformId>) -> Explanation {
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
    /// A target of which nothing is known.
    pub(crate) fn new(
        profile: Profile,
        inbox: &str,
        api_key: &str,
        start: Timestamp,
        outside: Outside,
        before: Before,
    ) -> Belief {
        let worlds = vec![World::new(profile.clone(), inbox, api_key, start).renaming()];
        Belief {
            profile,
            worlds,
            outside,
            before,
            incomplete: false,
            may_share: false,
            limits: Limits::default(),
            keys: Vec::new(),
            unread: BTreeSet::new(),
            past: None,
        }
    }

    /// What may have happened unseen.
    fn unseen(&self, before: Before) -> Unseen {
        Unseen { outside: self.outside, before, deepest: DEEPEST }
    }

    /// What the clock of the target shows, only its answers tell.
    pub(crate) fn forget_clock(&mut self) {
        self.worlds.iter_mut().for_each(World::forget_clock);
    }

    /// Whether somebody else may have moved the clock of the target since it was told.
    pub(crate) fn loosen_clock(&mut self, is_loose: bool) {
        self.worlds.iter_mut().for_each(|world| world.loosen_clock(is_loose));
    }

    /// Our own clock may be set at any time.
    pub(crate) fn doubt_our_clock(&mut self) {
        self.worlds.iter_mut().for_each(World::doubt_our_clock);
    }

    /// How far the clock of the target is ahead of ours, if that is known. Seconds.
    pub(crate) fn ahead(&self) -> Option<i64> {
        self.worlds.first()?.ahead()
    }

    /// Further keys, each of one of the platforms that the others belong to or of another one.
    pub(crate) fn introduce<'a>(&mut self, keys: impl Iterator<Item = &'a str>) {
        // With how many platforms there are besides the first.
        let mut worlds: Vec<(World, usize)> = self.worlds.drain(..).map(|one| (one, 0)).collect();
        for key in keys {
            self.keys.push(key.to_owned());
            let with_key = |(world, others): (World, usize)| {
                (0..=others + 1).map(move |platform| {
                    let mut world = world.clone();
                    world.introduce(key, platform);
                    (world, others.max(platform))
                })
            };
            worlds = worlds.into_iter().flat_map(with_key).take(MOST_KEPT + 1).collect();
        }
        self.incomplete |= worlds.len() > MOST_KEPT;
        self.worlds = worlds.into_iter().take(MOST_KEPT).map(|(world, _)| world).collect();
    }

    /// The key of a second platform.
    pub(crate) fn introduce_platform(&mut self, key: &str) {
        self.worlds.iter_mut().for_each(|world| world.introduce(key, 1));
    }

    /// What is assumed of it.
    pub(crate) fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Who moves the world outside.
    pub(crate) fn outside(&self) -> Outside {
        self.outside
    }

    /// Whether webhooks to this URL come to the inbox.
    pub(crate) fn hears(&self, url: &str) -> bool {
        self.worlds.first().is_some_and(|world| world.hears(url))
    }

    /// Whether requests were left without an answer that may be carried out still.
    pub(crate) fn is_unsettled(&self) -> bool {
        self.worlds.iter().any(|world| !world.open.is_empty())
    }

    /// Whether some of what the target knows was there before the run.
    pub(crate) fn has_a_past(&self) -> bool {
        self.before == Before::Anything
            || self.may_share
            || self.worlds.iter().any(World::has_strangers)
    }

    /// Whether a request may have made a business one with a stranger's, and its answer does not tell.
    fn may_be_shared_by(&self, sent: &Prepared) -> bool {
        let is_told = sent.kind() == Some(OperationKind::SyncBusiness);
        let told = |world: &World| !world.tax_ids(sent).is_empty();
        self.before == Before::TaxIds && !is_told && self.worlds.first().is_some_and(told)
    }

    /// What a request is about.
    pub(crate) fn subject(&self, sent: &Prepared) -> Option<Subject> {
        let subject = self.worlds.first()?.subject(sent);
        subject.payee.is_some().then_some(subject)
    }

    /// The business that a request names, by whose identifier it is.
    fn named(&self, sent: &Prepared) -> Option<(PlatformId, String)> {
        let Subject { platform, payee, .. } = self.subject(sent)?;
        Some((platform, payee?))
    }

    /// The business that a request is about: several identifiers may be linked to it.
    pub(crate) fn business(&self, subject: &Subject) -> Option<BusinessId> {
        self.worlds.first()?.business(subject.platform, subject.payee.as_deref()?)
    }

    /// Whether the collection account of a business is as good as open.
    pub(crate) fn may_open_account(&self, business: &Subject, now: Timestamp) -> bool {
        let Subject { platform, payee: Some(payee), .. } = business else { return false };
        let opens = Happening::CollectionAccountOpens { payee: payee.clone() };
        self.worlds.first().is_some_and(|world| world.clone().happen(now, *platform, opens))
    }

    /// Whole days until the invoice is due that a request names, as it was synced.
    pub(crate) fn days_to_due_date(&self, sent: &Prepared, now: Timestamp) -> Option<u64> {
        let world = self.worlds.first()?;
        let Subject { platform, payee, invoice } = world.subject(sent);
        let read = Operation::GetInvoice { payee: payee?, invoice: invoice? };
        match world.look(now, platform, read)? {
            wire::reply::Reply::Invoice(invoice) => Some(now.whole_days_until(invoice.due_date)),
            _ => None,
        }
    }

    /// What is known of its limits.
    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// A request that may have been carried out, and was not answered.
    pub(crate) fn unanswered(&mut self, sent: &Prepared, now: Timestamp) {
        self.may_share |= self.may_be_shared_by(sent);
        self.miss(sent);
        if sent.kind().is_some_and(OperationKind::reads) {
            return;
        }
        self.remember_write(sent);
        for world in &mut self.worlds {
            world.open.push(sent.clone());
        }
        let carried_out = |world: &World| {
            let mut after = world.clone();
            after.carry_out(world.open.len() - 1, Revealed::default(), now).then_some(after)
        };
        let held = self.with_tax_ids_held(self.worlds.iter(), sent, now);
        let after: Vec<World> = self.worlds.iter().chain(&held).filter_map(carried_out).collect();
        self.worlds.extend(after);
        self.bound();
    }

    /// A request that was not sent, or whose answer tells nothing: what a first read would have told is not known.
    pub(crate) fn miss(&mut self, sent: &Prepared) {
        let asks =
            sent.kind() == Some(OperationKind::GetBusiness) && self.before == Before::Anything;
        let is_known =
            || self.subject(sent).is_some_and(|subject| self.business(&subject).is_some());
        if asks && !is_known() {
            self.unread.extend(self.named(sent));
        }
    }

    /// The same worlds, but some business held the tax ids that a request tells before it was sent.
    fn with_tax_ids_held<'a>(
        &self,
        worlds: impl Iterator<Item = &'a World>,
        sent: &Prepared,
        now: Timestamp,
    ) -> Vec<World> {
        if self.before == Before::Nothing {
            return Vec::new();
        }
        let mut held = Vec::new();
        for world in worlds {
            let platform = world.subject(sent).platform;
            for tax_id in world.tax_ids(sent) {
                let mut after = world.clone();
                held.extend(after.make_stranger(platform, tax_id, now).then_some(after));
            }
        }
        held
    }

    /// Forgets what there is no room for; what contradicts the rest is inconclusive from then on.
    fn bound(&mut self) {
        let mut worlds: Vec<World> = Vec::new();
        for world in self.worlds.drain(..) {
            if !worlds.iter().any(|kept| kept.is_same(&world)) {
                worlds.push(world);
            }
        }
        self.incomplete |= worlds.len() > MOST_KEPT;
        worlds.truncate(MOST_KEPT);
        self.worlds = worlds;
    }

    /// Whose key a request carries: that of a platform of its own while it may be one's or another's.
    fn platform_of(&self, sent: &Prepared) -> Option<PlatformId> {
        let owners = self.worlds.iter().map(|world| world.platform_of(sent));
        let owners: BTreeSet<Option<PlatformId>> = owners.collect();
        let platform = owners.last().copied()??;
        // In a world that was forgotten it may be another's.
        let is_sure = owners.len() == 1 && (self.keys.is_empty() || !self.incomplete);
        Some(if is_sure { platform } else { self.platform_of_its_own(sent) })
    }

    /// A platform that no other key is of.
    fn platform_of_its_own(&self, sent: &Prepared) -> PlatformId {
        let key = sent.authorization.as_deref().and_then(bearer);
        let number = self.keys.iter().position(|known| key == Some(known.as_str()));
        // The first key of all is not among those that may be another's.
        let number = number.and_then(|number| u32::try_from(number + 1).ok());
        PlatformId(UNSURE + number.unwrap_or(0))
    }

    /// Keeps the worlds that explain an answer. Where none does, the target is taken to be in the one that
    /// comes nearest.
    pub(crate) fn observe(&mut self, sent: &Prepared, seen: &Seen, now: Timestamp) -> Explanation {
        let platform = self.platform_of(sent);
        if seen.code() == Some(Code::UpstreamFailed.name()) {
            return self.observe_failure(sent, seen, platform, now);
        }
        if is_outage(sent, seen) {
            return self.observe_outage(sent, seen, platform, now);
        }
        if is_not_offered(sent, seen) {
            if seen.status >= 500 {
                self.unanswered(sent, now);
            }
            return Explanation::of_nothing(seen, platform);
        }
        self.remember_write(sent);
        if !is_informative(seen) {
            self.miss(sent);
        }
        // Whether they are held, the answer need not tell: the next ones do.
        let untold =
            |world: &&World| self.before == Before::TaxIds || world.lacks_tax_id(sent, now);
        let held = self.with_tax_ids_held(self.worlds.iter().filter(untold), sent, now);
        self.worlds.extend(held);
        self.may_share |= self.may_be_shared_by(sent);
        let kept = self.unseen(self.before).explain(&self.worlds, sent, seen, now);
        let best = kept.iter().min_by_key(|attempt| attempt.reply.doubts.len());
        let best = best.map(|attempt| attempt.reply.clone());
        self.worlds = kept.into_iter().map(|attempt| attempt.world).collect();
        if self.worlds.len() > 1 {
            self.bound();
        }
        let Some(Reply { predicted, refusal, mut points, asked, due, doubts, astray }) = best
        else {
            // There is always a world, and it always answers.
            return Explanation::of_nothing(seen, platform);
        };
        self.incomplete |= astray;
        points.extend(self.learn(sent, seen, asked));
        let by_others = self.outside == Outside::Open || self.has_a_past();
        if by_others && refusal.is_some_and(|(code, _)| ends_unseen(code)) {
            points.retain(|point| point.clause != clause!("gap.refusalPrecedence"));
        }
        let open = self.leave_open(sent, seen, &mut points, doubts);
        Explanation { predicted, refusal, platform, points, due, open }
    }

    /// Takes out of `points` what nothing can be concluded from, and adds those `doubts` that something can.
    fn leave_open(
        &mut self,
        sent: &Prepared,
        seen: &Seen,
        points: &mut Vec<Point>,
        doubts: Vec<Point>,
    ) -> Vec<Point> {
        // Why the operator port refuses what could be, is the port's to know.
        let (mut open, rest): (Vec<Point>, Vec<Point>) =
            doubts.into_iter().partition(Point::contradicts);
        points.extend(rest);
        let after_others = self.before == Before::Anything && self.outside == Outside::Ours;
        if after_others && matches!(sent.action, PreparedAction::Act(_)) {
            // It may have been done in an earlier run.
            open.clear();
        }
        // Which businesses were one before is not known, nor is thus whose account is whose.
        let is_whose = |point: &Point| after_others && point.field.starts_with("remittance");
        let named = self.named(sent);
        let is_unread = named.as_ref().is_some_and(|named| self.unread.contains(named));
        // Whatever it was in, it has all fields, and takes no key that is revoked.
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

    /// Whatever failed may have been carried out before it did (`7.retrying.1`).
    fn observe_failure(
        &mut self,
        sent: &Prepared,
        seen: &Seen,
        platform: Option<PlatformId>,
        now: Timestamp,
    ) -> Explanation {
        self.unanswered(sent, now);
        let clause = clause!("7.codes.upstream_failed");
        let points = vec![Point {
            clause,
            holds: seen.status == 502,
            field: "status".into(),
            expected: "502".into(),
            seen: seen.status.to_string(),
        }];
        let refusal = Some((Code::UpstreamFailed, clause));
        Explanation { refusal, points, ..Explanation::of_nothing(seen, platform) }
    }

    /// Whoever answered so, the service or what stands before it: the request may have been carried out.
    fn observe_outage(
        &mut self,
        sent: &Prepared,
        seen: &Seen,
        platform: Option<PlatformId>,
        now: Timestamp,
    ) -> Explanation {
        self.unanswered(sent, now);
        let Reply { mut points, .. } = Reply::of_gap(clause!("gap.ownStatuses"), seen);
        points.retain(|_| seen.code().is_some());
        Explanation { points, ..Explanation::of_nothing(seen, platform) }
    }

    /// What an answer tells of the limits.
    fn learn(&mut self, sent: &Prepared, seen: &Seen, asked: Option<Asked>) -> Vec<Point> {
        let PreparedAction::Call(call) = &sent.action else { return Vec::new() };
        let mut points = Vec::new();
        if call.method != "GET" && (seen.is_success() || is_too_large(sent, seen)) {
            points.push(self.limits.learn_body(call.body().len(), seen.is_success()));
        }
        let body = seen.success_body();
        if sent.kind() == Some(OperationKind::Quote)
            && let Some((body, face)) =
                body.zip(call.body().json().and_then(|sent| sent["invoiceFaceValue"].as_i64()))
        {
            points.extend(self.limits.learn_financeable(face, body));
        }
        if let Some((body, asked)) = body.zip(asked)
            && sent.kind() == Some(OperationKind::RequestAdvance)
        {
            points.extend(self.limits.learn_financeable(asked.face_value.0, body));
        }
        let fits = body.map(|body| body["fundable"] == true || body["alreadyRequested"] == false);
        let refused = seen.code() == Some(Code::ConcentrationExceeded.name());
        let named = body.is_some_and(|body| body.get("advanceAmount").is_some());
        if let Some(asked) = asked
            && ((fits == Some(true) && named) || refused)
        {
            let outstanding = if refused {
                self.most_outstanding(asked)
            } else {
                self.least_outstanding(sent, asked)
            };
            let Some(outstanding) = outstanding else { return points };
            let mut point = self.limits.learn_outstanding(asked.business, outstanding, !refused);
            point.holds |= self.outside == Outside::Open || self.has_a_past();
            points.push(point);
        }
        points
    }

    /// What would have been outstanding at the most, had an advance been granted. Cents.
    fn most_outstanding(&self, asked: Asked) -> Option<Cents> {
        // With others outside, what is outstanding is not ours alone to know.
        let is_ours = self.outside == Outside::Ours && !self.has_a_past();
        is_ours.then(|| asked.outstanding + asked.face_value)
    }

    /// What is outstanding at the least, with an advance that was granted or could be. Cents.
    fn least_outstanding(&self, sent: &Prepared, asked: Asked) -> Option<Cents> {
        if self.outside == Outside::Open {
            // Whatever was granted before may have been recovered since.
            return Some(asked.advance);
        }
        let world = self.worlds.first()?;
        let Subject { platform, payee, .. } = world.subject(sent);
        let least = world.least_outstanding(platform, &payee?)?;
        match sent.kind() {
            Some(OperationKind::RequestAdvance) => Some(least),
            _ => Some(least + asked.advance),
        }
    }
}

/// Whether an answer tells anything: a failure does not, nor does a code that is not listed.
pub(crate) fn is_informative(seen: &Seen) -> bool {
    seen.is_success()
        || seen.status < 500 && seen.code().is_some_and(|code| Code::parse(code).is_some())
}

/// Whether others may end the condition of a refusal, so that another in its place tells nothing of which goes first.
fn ends_unseen(code: Code) -> bool {
    matches!(code, Code::BusinessNotEligible | Code::ConcentrationExceeded)
}

/// Whether an answer tells of a failure: what was asked for may have been done all the same (`7.retrying.1`).
pub(crate) fn has_failed(sent: &Prepared, seen: &Seen) -> bool {
    seen.code() == Some(Code::UpstreamFailed.name()) || is_outage(sent, seen)
}

/// Whether the operator port doesn't do what it was asked for, whatever the outside world is like.
fn is_not_offered(sent: &Prepared, seen: &Seen) -> bool {
    matches!(sent.action, PreparedAction::Act(_))
        && !seen.is_success()
        && seen.code() != Some("action_refused")
}

/// Whether an answer tells of a failure that is none of the listed ones.
fn is_outage(sent: &Prepared, seen: &Seen) -> bool {
    let is_listed = seen.code().and_then(Code::parse).is_some();
    matches!(sent.action, PreparedAction::Call(_)) && seen.status >= 500 && !is_listed
}
