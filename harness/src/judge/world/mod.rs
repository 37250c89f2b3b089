//! One world that a target may be in: the model, in the state that explains what was seen.

mod form;
mod look;
mod outside;
mod parties;
mod reply;
mod subject;
mod translate;
mod unclear;

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use tideover_model::wire::lenient::most_lenient;
use tideover_model::wire::route::route;
use tideover_model::{
    ActionKind, BusinessDetails, BusinessId, Clause, Code, Contact, Face, Happening, Operation,
    OperationKind, Outcome, PlatformId, Profile, Service, Timestamp, clause,
};

use crate::endpoint::{Bare, Target, origin};
use crate::evidence::Point;
use crate::exchange::matcher::instants_apart;
use crate::exchange::{Prepared, PreparedAction, Seen};
use crate::judge::amounts::{Advance, Amounts};
use crate::judge::bindings::Bindings;
use crate::judge::clock;
use crate::judge::clock::Clock;
use crate::judge::comparison::{Comparison, Freedom, is_known_outcome, life};
use crate::judge::reading::{Reading, Revealed};
use crate::judge::world::form::codes_left_open;

pub(crate) use reply::Reply;
pub(crate) use subject::Subject;
pub(crate) use unclear::Unclear;

/// A state of the model, and what of the target is called how in it.
#[derive(Clone, Debug)]
pub(crate) struct World {
    bare: Bare<Service<Reading>>,
    bindings: Bindings,
    /// Requests without an answer that may be carried out still.
    pub(crate) open: Vec<Prepared>,
    /// Businesses that nobody named: what became of them before is not known.
    strangers: u32,
    /// The amounts of its advances that were granted unseen.
    amounts: Amounts,
    clock: Clock,
    /// Whether the target tells of a business whichever name it likes.
    renames: bool,
    /// What is not stated of the tax ids of businesses.
    unclear: BTreeMap<BusinessId, Unclear>,
}

impl World {
    /// A world in which nothing has happened yet; webhooks may go to `inbox`.
    pub(crate) fn new(profile: Profile, inbox: &str, api_key: &str, start: Timestamp) -> World {
        let destinations = tideover_model::Destinations::PublicAnd(inbox.to_owned());
        // What it is, the document doesn't say: those that were refused tell (`8.requestBodySize`).
        let profile = Profile { body_limit: usize::MAX, ..profile };
        let service = Service::new(profile, Reading::new()).sending_to(destinations);
        let mut bindings = Bindings::default();
        bindings.bind("key", Service::FIRST_KEY, api_key);
        World {
            bare: Bare::over(service, start).unheard(),
            bindings,
            open: Vec::new(),
            strangers: 0,
            amounts: Amounts::default(),
            clock: Clock::ours(),
            renames: false,
            unclear: BTreeMap::new(),
        }
    }

    /// The same world, in which the target calls everything as in `other`.
    #[must_use]
    pub(crate) fn calling_as(&self, other: &World) -> World {
        World { bindings: other.bindings.clone(), ..self.clone() }
    }

    /// Which name of a business the target tells is not stated.
    pub(crate) fn renaming(self) -> World {
        World { renames: true, ..self }
    }

    /// What the clock of the target shows, only its answers tell.
    pub(crate) fn forget_clock(&mut self) {
        self.clock.forget();
    }

    /// Whether somebody else may have moved the clock of the target since it was told.
    pub(crate) fn loosen_clock(&mut self, is_loose: bool) {
        self.clock.loosen(is_loose);
    }

    /// Our own clock may be set at any time.
    pub(crate) fn doubt_our_clock(&mut self) {
        self.clock.doubt_ours();
    }

    /// How far the clock of the target is ahead of ours, if that is known. Seconds.
    pub(crate) fn ahead(&self) -> Option<i64> {
        self.clock.ahead()
    }

    /// What it answers to `sent`, and how it is after that.
    pub(crate) fn answered(&self, sent: &Prepared, seen: &Seen, now: Timestamp) -> (World, Reply) {
        let (mut after, reply) = self.answering(sent, seen, now);
        if seen.is_success() {
            let on_file = seen.json().is_some_and(|revealed| revealed["taxIdOnFile"] == true);
            after.note_unclear(sent, on_file);
            after.note_parties(sent, now);
        }
        (after, reply)
    }

    fn answering(&self, sent: &Prepared, seen: &Seen, now: Timestamp) -> (World, Reply) {
        if matches!(sent.action, PreparedAction::Act(_)) {
            return self.after_action(sent, seen, now);
        }
        let mut after = self.clone();
        let revealed = Revealed::by(seen);
        if is_refused_otherwise(sent, seen) {
            let due = self.clone().play(sent, revealed, now).1.map(|(code, _)| code);
            return (after, Reply { due, ..Reply::of_gap(clause!("gap.ownStatuses"), seen) });
        }
        if is_too_large(sent, seen) {
            return (after, Reply::too_large(seen));
        }
        let reply = after.compare(sent, seen, revealed, now);
        if let Some(mut opened) = self.with_open_door(sent, &reply.predicted, seen) {
            let reply = opened.compare(sent, seen, revealed, now);
            opened.shut_door();
            return (opened, reply);
        }
        let by_code = reply.predicted.code() != seen.code();
        if let Some(plain) = without_event_types(sent).filter(|_| by_code) {
            return self.answered_whatever_events(&plain, reply, (seen, revealed), now);
        }
        if reply.predicted.is_success()
            && let Some(gap) = self.refusal_left_open(sent, seen)
        {
            return (self.clone(), Reply::refused_for(gap, seen));
        }
        if seen.is_success() && reply.refuses_by_assumption() {
            return self.answered_leniently(sent, reply, (seen, revealed), now);
        }
        if let Some(assumption) = self.is_matched_otherwise(sent, &reply.predicted, seen, now) {
            return (after, reply.going_astray(assumption));
        }
        if self.is_imported_otherwise(sent, &reply.predicted, seen) {
            return (after, reply.going_astray(clause!("gap.taxIdForm")));
        }
        if !by_code || reply.predicted.is_success() || seen.is_success() {
            return (after, reply);
        }
        // Of several refusals that hold, any may be told.
        let mut other = self.clone();
        other.service().choices_mut().read(revealed);
        if other.may_refuse_with(sent, seen, now) {
            return (after, reply.with_precedence(seen));
        }
        (after, reply)
    }

    /// Whether rows of an import are taken that we assume to be rejected, or the other way round, where a text is told
    /// that is no tax id as we take it.
    fn is_imported_otherwise(&self, sent: &Prepared, predicted: &Seen, seen: &Seen) -> bool {
        let taken = |answer: &Seen| -> Option<Vec<bool>> {
            let rows = answer.success_body()?["rows"].as_array()?.iter();
            Some(rows.map(|row| is_known_outcome(&row["outcome"])).collect())
        };
        sent.kind() == Some(OperationKind::ImportInvoices)
            && self.sends_a_malformed_tax_id(sent)
            && taken(predicted) != taken(seen)
    }

    /// The assumption by which the target takes for two businesses what we take for one, two identifiers that tell one
    /// tax id, or for one what we take for two, since what they tell is none.
    fn is_matched_otherwise(
        &self,
        sent: &Prepared,
        predicted: &Seen,
        seen: &Seen,
        now: Timestamp,
    ) -> Option<Clause> {
        let created = |answer: &Seen| answer.success_body()?.get("created")?.as_bool();
        let is_new = |Subject { platform, payee, .. }: Subject| {
            let business = payee.map(|business| Operation::GetBusiness { business });
            business.is_some_and(|read| self.look(now, platform, read).is_none())
        };
        if sent.kind() != Some(OperationKind::SyncBusiness) || !is_new(self.subject(sent)) {
            return None;
        }
        match (created(predicted)?, created(seen)?) {
            (false, true) if !self.is_held_elsewhere(sent) => {
                Some(clause!("gap.oneTaxIdTwoIdentifiers"))
            }
            (true, false) if self.sends_a_malformed_tax_id(sent) => Some(clause!("gap.taxIdForm")),
            _ => None,
        }
    }

    /// Whether businesses of other platforms alone have the tax id that is told, in a spelling that is surely one: of
    /// two identifiers of one caller, it is not stated that they are one business.
    fn is_held_elsewhere(&self, sent: &Prepared) -> bool {
        let platform = self.subject(sent).platform;
        let is_plain =
            |text: &String| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        let revealed = self.tax_ids(sent);
        revealed.iter().all(is_plain)
            && !revealed.is_empty()
            && revealed.iter().all(|tax_id| !self.bare.face().is_holder_of(platform, tax_id))
    }

    /// What it answers to a subscription without the event types, whose form and values are not shown: they may be
    /// taken or refused.
    fn answered_whatever_events(
        &self,
        plain: &Prepared,
        reply: Reply,
        (seen, revealed): (&Seen, Revealed),
        now: Timestamp,
    ) -> (World, Reply) {
        if reply.predicted.is_success() && seen.code() == Some(Code::InvalidRequest.name()) {
            return (self.clone(), Reply::refused_for(clause!("gap.subscriptionForm"), seen));
        }
        let mut after = self.clone();
        let reply = after.compare(plain, seen, revealed, now);
        (after, reply)
    }

    /// What it answers to a request that the target takes though we assume that it is refused: if it is for its media
    /// type, or how its body is written, what is asked for is known all the same. Otherwise the target has gone where
    /// no world follows.
    fn answered_leniently(
        &self,
        sent: &Prepared,
        reply: Reply,
        (seen, revealed): (&Seen, Revealed),
        now: Timestamp,
    ) -> (World, Reply) {
        let mut after = self.clone();
        let Some(plain) = leniently(sent) else {
            let astray = !sent.kind().is_some_and(OperationKind::reads);
            return (after, Reply { astray, ..reply });
        };
        let mut plainly = after.compare(&plain, seen, revealed, now);
        plainly.points.splice(0..0, reply.points);
        (after, plainly)
    }

    fn compare(
        &mut self,
        sent: &Prepared,
        seen: &Seen,
        choices: Revealed,
        now: Timestamp,
    ) -> Reply {
        let (predicted, refusal) = self.play(sent, choices, now);
        if is_unpredictable(sent) {
            return Reply { predicted, refusal, ..Reply::default() };
        }
        let kind = sent.kind();
        // Where the time is known, a link that is issued anew lives as long as any other.
        let keeps_expiry = self.clock.repeats_an_expiry(&predicted, seen) && self.clock.is_loose();
        let expires = kind.and_then(life).zip(ahead(&predicted, seen)).filter(|_| !keeps_expiry);
        let revealed = expires.map(|(life, ahead)| self.clock.learn(ahead, life));
        let comparison = Comparison {
            action: &sent.action,
            kind,
            seen,
            predicted: &predicted,
            refusal,
            freedom: Some(Freedom {
                ahead: self.clock.ahead(),
                renames: self.renames,
                keeps_expiry,
            }),
        };
        let mut points = comparison.points(&mut self.bindings);
        if seen.is_success() && !choices.unrevealed().is_empty() {
            self.miss(sent, &predicted, choices);
            // What was not told whole was estimated: of what was told, that says nothing.
            let is_estimate = |point: &Point| {
                !choices.has_offer()
                    && ESTIMATED.contains(&&*point.field)
                    && is_integer(seen, &point.field)
            };
            points.retain(|point| point.holds || !is_estimate(point));
        }
        if !self.amounts.is_empty()
            && let Some(advance) = self.advance(sent)
        {
            self.amounts.settle(&advance, seen, &mut points);
        }
        self.clock.hear(&points);
        let mut doubts = Vec::new();
        match revealed {
            Some(clock::LinkReading::Leap(point)) => doubts.push(point),
            Some(clock::LinkReading::Steady(point)) => points.push(point),
            Some(clock::LinkReading::AsKnown) | None => {}
        }
        let asked = self.service().choices_mut().take_asked();
        Reply { predicted, refusal, points, asked, doubts, ..Reply::default() }
    }

    /// Carries out `sent`, with the choices that `told` tells.
    fn play(
        &mut self,
        sent: &Prepared,
        revealed: Revealed,
        now: Timestamp,
    ) -> (Seen, Option<(Code, Clause)>) {
        self.bare.until(now);
        let sent = match &sent.action {
            PreparedAction::Call(_) | PreparedAction::Act(_) if !is_unpredictable(sent) => {
                self.translate(sent)
            }
            _ => return (Seen::new(200, b""), None),
        };
        self.service().choices_mut().read(revealed);
        let predicted = self.bare.play(&sent);
        self.bare.forget_deliveries();
        (predicted, self.bare.refused())
    }

    /// Whether it is in the same state as `other`.
    pub(crate) fn is_same(&self, other: &World) -> bool {
        self.open == other.open
            && self.bindings == other.bindings
            && self.amounts == other.amounts
            && self.unclear == other.unclear
            && self.bare.face() == other.bare.face()
    }

    /// Forgets what the last answer told of choices, so that worlds compare by what has happened.
    pub(crate) fn settle(&mut self) {
        self.service().choices_mut().read(Revealed::default());
    }

    /// Whether nothing of the service is other than in `other`, however it is told.
    pub(crate) fn is_unchanged_from(&self, other: &World) -> bool {
        self.bare.face() == other.bare.face()
    }

    /// The same for worlds that are the same.
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.bare.face().hash(&mut hasher);
        self.bindings.hash(&mut hasher);
        hasher.finish()
    }

    /// A request without an answer is carried out now; `false` if that changes nothing.
    pub(crate) fn carry_out(&mut self, index: usize, revealed: Revealed, now: Timestamp) -> bool {
        let sent = self.open.remove(index);
        let (predicted, _) = self.play(&sent, revealed.granted(), now);
        self.miss(&sent, &predicted, revealed);
        let is_done = predicted.is_success();
        if is_done {
            self.note_unclear(&sent, false);
        }
        is_done
    }

    /// If an advance was granted, only those of its amounts are known that `told` tells.
    fn miss(&mut self, sent: &Prepared, predicted: &Seen, revealed: Revealed) {
        let is_granted = predicted.json().is_some_and(|body| body["alreadyRequested"] == false);
        let advance = self.advance(sent).filter(|_| is_granted);
        advance.into_iter().for_each(|advance| self.amounts.miss(advance, revealed));
    }

    /// Of an advance that was granted unseen, only what `told` tells is known.
    pub(crate) fn estimate(
        &mut self,
        platform: PlatformId,
        payee: &str,
        invoice: &str,
        revealed: Revealed,
    ) {
        let Some(business) = self.business(platform, payee) else { return };
        self.amounts.miss(Advance { platform, business, invoice: invoice.to_owned() }, revealed);
    }

    /// Whether the condition of the code that was seen holds, too (`gap.refusalPrecedence`).
    fn may_refuse_with(&mut self, sent: &Prepared, seen: &Seen, now: Timestamp) -> bool {
        let Some(code) = seen.code().and_then(Code::parse) else { return false };
        let is_made_up = self.is_made_up(sent);
        let sent = self.translate(sent);
        let Some(call) = sent.call() else { return false };
        let caller = self.bare.face().authenticate(sent.authorization.as_deref());
        let Ok(way) = route(&call.method, call.plain_path()) else {
            return code == Code::UnknownEndpoint
                || caller.is_err_and(|refusal| refusal.code == code);
        };
        let untyped = way.decode(None, call.body());
        let mut codes: Vec<Code> = Vec::new();
        codes.extend(call.asked().operation.as_ref().err().map(|refusal| refusal.code));
        let caller = caller.map_err(|refusal| codes.push(refusal.code));
        match untyped {
            Err(refusal) => codes.push(refusal.code),
            Ok(operation) => {
                let service = self.service();
                service.choices_mut().leave_precedence();
                let answer = service.handle(now, caller.unwrap_or(PlatformId::DEFAULT), operation);
                codes.extend(answer.err().map(|refusal| refusal.code));
            }
        }
        codes.extend(codes_left_open(call, &codes, is_made_up));
        codes.contains(&code)
    }

    /// Whether webhooks to this URL come to the inbox.
    pub(crate) fn hears(&self, url: &str) -> bool {
        self.bare.inbox() == Some(&*origin(url))
    }

    /// Lets something happen; `false` if that cannot be now.
    pub(crate) fn happen(
        &mut self,
        now: Timestamp,
        platform: PlatformId,
        happening: Happening,
    ) -> bool {
        self.bare.until(now);
        let happened = self.service().happen(now, platform, happening).is_ok();
        self.bare.forget_deliveries();
        happened
    }

    /// Carries out an operation that nobody was seen to ask for; `false` if it is refused.
    pub(crate) fn operate(
        &mut self,
        now: Timestamp,
        platform: PlatformId,
        revealed: Revealed,
        operation: Operation,
    ) -> bool {
        self.bare.until(now);
        self.service().choices_mut().read(revealed);
        let done = self.service().handle(now, platform, operation).is_ok();
        self.bare.forget_deliveries();
        done
    }

    /// The target takes a further key, of its first platform (0) or another one.
    pub(crate) fn introduce(&mut self, key: &str, platform: usize) {
        let platform = (platform > 0).then(|| format!("platform {platform}"));
        let now = self.bare.now();
        let issue = Happening::IssueKey { platform };
        let issued = self.service().happen(now, PlatformId::DEFAULT, issue);
        if let Ok(Outcome::KeyIssued { key: issued, .. }) = issued {
            self.bindings.bind("key", &issued, key);
        }
    }

    /// Whether something of it was there before, in whatever state.
    pub(crate) fn has_strangers(&self) -> bool {
        self.strangers > 0
    }

    /// A business that nobody named holds a tax id; `false` if it is held already.
    pub(crate) fn make_stranger(
        &mut self,
        platform: PlatformId,
        tax_id: String,
        now: Timestamp,
    ) -> bool {
        self.strangers += 1;
        let business = format!("stranger {}", self.strangers);
        let details = BusinessDetails {
            legal_name: business.clone(),
            tax_id: Some(tax_id),
            contact: Contact::default(),
        };
        let sync = Operation::SyncBusiness { business: business.clone(), details };
        self.operate(now, platform, Revealed::default(), sync);
        self.has_tax_id(now, platform, &business) == Some(true)
    }

    fn service(&mut self) -> &mut Service<Reading> {
        self.bare.face_mut()
    }
}

/// Whether a request is refused with a code that isn't listed: nothing has changed then. A listed one in other letters
/// is none of its own.
fn is_refused_otherwise(sent: &Prepared, seen: &Seen) -> bool {
    let is_unlisted =
        seen.code().is_some_and(|code| Code::parse(&code.to_ascii_lowercase()).is_none());
    matches!(sent.action, PreparedAction::Call(_))
        && (400..500).contains(&seen.status)
        && is_unlisted
}

/// Whether a body is refused for its size: nothing has changed then.
pub(crate) fn is_too_large(sent: &Prepared, seen: &Seen) -> bool {
    let has_body = matches!(&sent.action, PreparedAction::Call(call) if !call.body().is_empty());
    has_body && seen.code() == Some(Code::PayloadTooLarge.name())
}

/// A subscription without its event types, if it names any.
fn without_event_types(sent: &Prepared) -> Option<Prepared> {
    if sent.kind() != Some(OperationKind::Subscribe) {
        return None;
    }
    let call = sent.call()?;
    let mut body = call.body().json()?.clone();
    body.as_object_mut()?.remove("eventTypes")?;
    let action = PreparedAction::Call(call.with_body(body.to_string().into()));
    Some(Prepared { action, ..sent.clone() })
}

/// A request of the published form but for its media type, or how its body is written, as if it were of that form.
fn leniently(sent: &Prepared) -> Option<Prepared> {
    let call = sent.call().filter(|call| call.operation().is_none())?;
    let plain = call.without_media_type();
    let plain = match plain.operation() {
        Some(_) => plain,
        None => plain.with_body(most_lenient(call.body())?),
    };
    plain.operation()?;
    Some(Prepared { action: PreparedAction::Call(plain), ..sent.clone() })
}

/// The amounts that follow from rates, which are not shown.
const ESTIMATED: [&str; 3] = ["advanceAmount", "feeTotal", "forwardedAtPayment"];

fn is_integer(seen: &Seen, field: &str) -> bool {
    seen.json().is_some_and(|revealed| revealed[field].is_u64())
}

/// How far a clock is ahead that tells when something expires.
fn ahead(predicted: &Seen, seen: &Seen) -> Option<i64> {
    let expires_at = |answer: &Seen| Some(answer.json()?.get("expiresAt")?.as_str()?.to_owned());
    instants_apart(&expires_at(predicted)?, &expires_at(seen)?)
}

/// The time is as late as it is; what is sent when, and which request fails, the model does not predict.
fn is_unpredictable(sent: &Prepared) -> bool {
    match &sent.action {
        PreparedAction::Call(_) => false,
        PreparedAction::Act(_) => sent.acts() == Some(ActionKind::UpstreamFails),
        PreparedAction::Advance(_) | PreparedAction::Deliveries => true,
    }
}
