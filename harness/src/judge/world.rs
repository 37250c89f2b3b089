//! One world that a target may be in: the model, in the state that explains what was seen.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

use tideover_model::wire::reply;
use tideover_model::wire::route::route;
use tideover_model::{
    BusinessDetails, BusinessId, Cents, Clause, Code, Contact, Face, FaceValue, Happening,
    Operation, OperationKind, Outcome, PlatformId, Profile, Service, Status, Timestamp, clause,
};

use crate::judge::amounts::{Advance, Amounts};
use crate::judge::bindings::Bindings;
use crate::judge::clock::{self, CLOCKS_APART, Clock};
use crate::judge::comparison::{ABSENT, Comparison, Freedom, Point, life};
use crate::judge::reading::{Asked, NEVER, Reading, Told};
use crate::matcher::instants_apart;
use crate::target::{Bare, Prepared, PreparedAction, PreparedCall, Seen};

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
}

/// What a world answers, and how that compares with what was seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reply {
    pub(crate) predicted: Seen,
    pub(crate) refusal: Option<(Code, Clause)>,
    pub(crate) points: Vec<Point>,
    pub(crate) asked: Option<Asked>,
    /// The listed code that was due where one came that isn't listed.
    pub(crate) due: Option<Code>,
    /// What nothing can be concluded from: an action was refused that this world has room for, or the clock may have
    /// been moved.
    pub(crate) doubts: Vec<Point>,
}

impl Reply {
    /// How many sentences of the document do not hold.
    pub(crate) fn contradictions(&self) -> usize {
        self.points.iter().filter(|point| point.contradicts()).count()
    }

    /// How many points tell of another state than this, though the document doesn't say how.
    pub(crate) fn differences(&self) -> usize {
        let tells =
            [clause!("gap.advanceObject"), clause!("gap.quoteExtra"), clause!("gap.taxIdResult")];
        let tells = |point: &&Point| !point.holds && tells.contains(&point.clause);
        // What is missing in one state is so in every other.
        self.points.iter().filter(tells).filter(|point| point.seen != ABSENT).count()
    }
}

/// What a request is about, as the model calls it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Subject {
    pub(crate) platform: PlatformId,
    pub(crate) payee: Option<String>,
    pub(crate) invoice: Option<String>,
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
        }
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

    /// How far the clock of the target is ahead of ours, if that is known. Seconds.
    pub(crate) fn ahead(&self) -> Option<i64> {
        self.clock.ahead()
    }

    /// What it answers to `sent`, and how it is after that.
    pub(crate) fn answered(&self, sent: &Prepared, seen: &Seen, now: Timestamp) -> (World, Reply) {
        let mut after = self.clone();
        let told = Told::by(seen);
        if is_refused_otherwise(sent, seen) {
            let due = self.clone().play(sent, told, now).1.map(|(code, _)| code);
            return (after, Reply { due, ..Reply::of_gap(clause!("gap.ownStatuses"), seen) });
        }
        if is_too_large(sent, seen) {
            return (after, Reply::too_large(seen));
        }
        let reply = after.compare(sent, seen, told, now);
        if reply.predicted.is_success() && is_refused_action(sent, seen) {
            // What cannot be has not happened.
            let Reply { predicted, refusal, points: doubts, .. } = reply;
            return (self.clone(), Reply { predicted, refusal, doubts, ..Reply::default() });
        }
        let by_code = reply.predicted.code() != seen.code();
        if let Some(plain) = without_event_types(sent).filter(|_| by_code) {
            return self.answered_whatever_events(&plain, reply, (seen, told), now);
        }
        if !by_code || reply.predicted.is_success() || seen.is_success() {
            return (after, reply);
        }
        // Of several refusals that hold, any may be told.
        let mut other = self.clone();
        other.service().choices_mut().read(told);
        if other.may_refuse_with(sent, seen, now) {
            return (after, reply.with_precedence(seen));
        }
        (after, reply)
    }

    /// What it answers to a subscription without the event types, whose form and values are not shown: they may be
    /// taken or refused.
    fn answered_whatever_events(
        &self,
        plain: &Prepared,
        reply: Reply,
        (seen, told): (&Seen, Told),
        now: Timestamp,
    ) -> (World, Reply) {
        if reply.predicted.is_success() && seen.code() == Some(Code::InvalidRequest.name()) {
            return (self.clone(), Reply::of_gap(clause!("gap.subscriptionForm"), seen));
        }
        let mut after = self.clone();
        let reply = after.compare(plain, seen, told, now);
        (after, reply)
    }

    fn compare(&mut self, sent: &Prepared, seen: &Seen, told: Told, now: Timestamp) -> Reply {
        let (predicted, refusal) = self.play(sent, told, now);
        if is_unpredictable(sent) {
            return Reply { predicted, refusal, ..Reply::default() };
        }
        let kind = sent.kind();
        let expires = kind.and_then(life).zip(ahead(&predicted, seen));
        let told = expires.map(|(life, ahead)| self.clock.learn(ahead, life));
        let comparison = Comparison {
            action: &sent.action,
            kind,
            seen,
            predicted: &predicted,
            refusal,
            freedom: Some(Freedom {
                clocks_apart: CLOCKS_APART,
                ahead: self.clock.ahead(),
                renames: self.renames,
            }),
        };
        let mut points = comparison.points(&mut self.bindings);
        if !self.amounts.is_empty()
            && let Some(advance) = self.advance(sent)
        {
            self.amounts.settle(&advance, seen, &mut points);
        }
        self.clock.hear(&points);
        let mut doubts = Vec::new();
        match told {
            Some(clock::Told::Leap(point)) => doubts.push(point),
            Some(clock::Told::Steady(point)) => points.push(point),
            Some(clock::Told::AsKnown) | None => {}
        }
        let asked = self.service().choices_mut().take_asked();
        Reply { predicted, refusal, points, asked, doubts, ..Reply::default() }
    }

    /// Carries out `sent`, with the choices that `told` tells.
    fn play(
        &mut self,
        sent: &Prepared,
        told: Told,
        now: Timestamp,
    ) -> (Seen, Option<(Code, Clause)>) {
        self.bare.until(now);
        let sent = match &sent.action {
            PreparedAction::Call(_) | PreparedAction::Act(_) if !is_unpredictable(sent) => {
                self.translate(sent)
            }
            _ => return (Seen::new(200, b""), None),
        };
        self.service().choices_mut().read(told);
        let predicted = self.bare.play(&sent);
        self.bare.forget_deliveries();
        (predicted, self.bare.refused())
    }

    /// Whether it is in the same state as `other`.
    pub(crate) fn is_same(&self, other: &World) -> bool {
        self.open == other.open
            && self.bindings == other.bindings
            && self.bare.face() == other.bare.face()
    }

    /// Forgets what the last answer told of choices, so that worlds compare by what has happened.
    pub(crate) fn settle(&mut self) {
        self.service().choices_mut().read(Told::default());
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
    pub(crate) fn carry_out(&mut self, index: usize, told: Told, now: Timestamp) -> bool {
        let sent = self.open.remove(index);
        let (predicted, _) = self.play(&sent, told.granted(), now);
        let is_granted = predicted.json().is_some_and(|body| body["alreadyRequested"] == false);
        let advance = self.advance(&sent).filter(|_| is_granted);
        advance.into_iter().for_each(|advance| self.amounts.miss(advance, told));
        predicted.is_success()
    }

    /// Of an advance that was granted unseen, only what `told` tells is known.
    pub(crate) fn estimate(
        &mut self,
        platform: PlatformId,
        payee: &str,
        invoice: &str,
        told: Told,
    ) {
        let Some(business) = self.business(platform, payee) else { return };
        self.amounts.miss(Advance { platform, business, invoice: invoice.to_owned() }, told);
    }

    /// The advance that a request asks for.
    fn advance(&self, sent: &Prepared) -> Option<Advance> {
        sent.kind().filter(|kind| *kind == OperationKind::RequestAdvance)?;
        let Subject { platform, payee, invoice } = self.subject(sent);
        let business = self.business(platform, &payee?)?;
        Some(Advance { platform, business, invoice: invoice? })
    }

    /// Whether the condition of the code that was seen holds, too (`gap.refusalPrecedence`).
    fn may_refuse_with(&mut self, sent: &Prepared, seen: &Seen, now: Timestamp) -> bool {
        let Some(code) = seen.code().and_then(Code::parse) else { return false };
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
        codes.contains(&code)
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
        told: Told,
        operation: Operation,
    ) -> bool {
        self.bare.until(now);
        self.service().choices_mut().read(told);
        let done = self.service().handle(now, platform, operation).is_ok();
        self.bare.forget_deliveries();
        done
    }

    /// What `operation` would be answered, and nothing else.
    pub(crate) fn look(
        &self,
        now: Timestamp,
        platform: PlatformId,
        operation: Operation,
    ) -> Option<tideover_model::wire::reply::Reply> {
        self.bare.face().clone().handle(now, platform, operation).ok()
    }

    /// What is outstanding with a business at the least: whatever takes its time may have happened. Cents.
    pub(crate) fn least_outstanding(&self, platform: PlatformId, payee: &str) -> Option<Cents> {
        let mut service = self.bare.face().clone();
        let (business, eventually) = (payee.to_owned(), service.poll_timeout());
        if let Some(eventually) = eventually {
            // One transition enables the next.
            (1..=2).for_each(|times| service.handle_timeout(eventually.after(times * NEVER)));
        }
        let now = self.bare.now();
        asked_of_limit(&mut service, now, platform, business).map(|asked| asked.outstanding)
    }

    /// The business that a platform calls `payee`.
    pub(crate) fn business(&self, platform: PlatformId, payee: &str) -> Option<BusinessId> {
        let (mut service, now) = (self.bare.face().clone(), self.bare.now());
        let asked = asked_of_limit(&mut service, now, platform, payee.to_owned());
        asked.map(|asked| asked.business)
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
        self.operate(now, platform, Told::default(), sync);
        match self.look(now, platform, Operation::GetBusiness { business }) {
            Some(reply::Reply::Business(business)) => business.tax_id_on_file,
            _ => false,
        }
    }

    /// The tax ids that a request tells, or a vendor.
    pub(crate) fn tax_ids(&self, sent: &Prepared) -> Vec<String> {
        let call = match &sent.action {
            PreparedAction::Call(call) => call,
            PreparedAction::Act(fields) => {
                let tax_id = fields.get("taxId").and_then(serde_json::Value::as_str);
                return tax_id.map(str::to_owned).into_iter().collect();
            }
            PreparedAction::Advance(_) | PreparedAction::Deliveries => return Vec::new(),
        };
        let Some(operation) = call.operation() else { return Vec::new() };
        let of_business = match operation {
            Operation::SyncBusiness { details, .. } => details.tax_id.as_ref(),
            _ => None,
        };
        let of_parties = operation
            .syncs()
            .into_iter()
            .flat_map(|sync| [&sync.payee, &sync.payor].map(|party| party.details.tax_id.as_ref()));
        of_business.into_iter().chain(of_parties.flatten()).cloned().collect()
    }

    /// What a request is about.
    pub(crate) fn subject(&self, sent: &Prepared) -> Subject {
        let platform = self.platform_of(sent).unwrap_or(PlatformId::DEFAULT);
        let sent = self.translate(sent);
        let call = match &sent.action {
            PreparedAction::Call(call) => call,
            PreparedAction::Act(fields) => {
                let field = |name| Some(fields.get(name)?.as_str()?.to_owned());
                let (payee, invoice) = (field("payeeExternalId"), field("invoiceExternalId"));
                return Subject { platform, payee, invoice };
            }
            PreparedAction::Advance(_) | PreparedAction::Deliveries => {
                return Subject { platform, payee: None, invoice: None };
            }
        };
        let (payee, invoice) = match call.operation() {
            Some(
                Operation::GetInvoice { payee, invoice }
                | Operation::RequestAdvance { payee, invoice },
            ) => (Some(payee), Some(invoice)),
            Some(Operation::SyncInvoice(sync)) => (Some(&sync.payee.business), Some(&sync.invoice)),
            Some(
                Operation::SetPayoutAccount { business, .. }
                | Operation::GetBusiness { business }
                | Operation::SyncBusiness { business, .. }
                | Operation::Quote { business, .. }
                | Operation::Invite { business, .. }
                | Operation::CreateOnboardingSession { business },
            ) => (Some(business), None),
            _ => (None, None),
        };
        Subject { platform, payee: payee.cloned(), invoice: invoice.cloned() }
    }

    /// Whose key a request carries.
    pub(crate) fn platform_of(&self, sent: &Prepared) -> Option<PlatformId> {
        let authorization = sent.authorization.as_deref().map(|text| self.bindings.translate(text));
        self.bare.face().platform_of(authorization.as_deref())
    }

    fn service(&mut self) -> &mut Service<Reading> {
        self.bare.face_mut()
    }

    /// A request as the model would be sent it; borrowed where it is the same.
    fn translate<'a>(&self, sent: &'a Prepared) -> Cow<'a, Prepared> {
        let text = |text: &'a str| self.bindings.translate(text);
        let authorization = sent.authorization.as_deref().map(text);
        let action = match &sent.action {
            PreparedAction::Call(call) => self.translate_call(call).map(PreparedAction::Call),
            PreparedAction::Act(fields) => {
                let fields = fields.iter().map(|(name, value)| match value {
                    serde_json::Value::String(value) => (name.clone(), text(value).into()),
                    value => (name.clone(), value.clone()),
                });
                Some(PreparedAction::Act(fields.collect()))
            }
            PreparedAction::Advance(_) | PreparedAction::Deliveries => None,
        };
        if action.is_none() && !matches!(authorization, Some(Cow::Owned(_))) {
            return Cow::Borrowed(sent);
        }
        let action = action.unwrap_or_else(|| sent.action.clone());
        Cow::Owned(Prepared { authorization: authorization.map(Cow::into_owned), action })
    }

    /// The same of a request of the partner API; nothing where it is the same.
    fn translate_call(&self, call: &PreparedCall) -> Option<PreparedCall> {
        let path = self.bindings.translate(&call.path);
        let body = std::str::from_utf8(call.body()).ok().map(|body| self.bindings.translate(body));
        if matches!(path, Cow::Borrowed(_)) && !matches!(body, Some(Cow::Owned(_))) {
            return None;
        }
        let body = match body {
            Some(body) => body.into_owned().into_bytes(),
            None => call.body().to_vec(),
        };
        Some(PreparedCall::new(&call.method, path, call.content_type.clone(), body))
    }
}

impl Reply {
    /// A refusal for reasons that are not stated, perhaps with a code that isn't listed (`7.shape.2`).
    pub(crate) fn of_gap(clause: Clause, seen: &Seen) -> Reply {
        let point = Point {
            clause,
            holds: false,
            field: "status".into(),
            expected: String::new(),
            seen: seen.status.to_string(),
        };
        Reply { predicted: seen.clone(), points: vec![point], ..Reply::default() }
    }

    /// A refusal of a body for its size.
    fn too_large(seen: &Seen) -> Reply {
        let clause = clause!("7.codes.payload_too_large");
        let point = Point {
            clause,
            holds: Status::Documented(seen.status) == Code::PayloadTooLarge.status(),
            field: "status".into(),
            expected: format!("the status of {}", Code::PayloadTooLarge),
            seen: seen.status.to_string(),
        };
        let refusal = Some((Code::PayloadTooLarge, clause));
        Reply { predicted: seen.clone(), refusal, points: vec![point], ..Reply::default() }
    }

    /// The same, where the code that was seen is as good as the one predicted.
    fn with_precedence(mut self, seen: &Seen) -> Reply {
        for point in self.points.iter_mut().filter(|point| point.field == "code") {
            point.clause = clause!("gap.refusalPrecedence");
        }
        if let Some(code) = seen.code().and_then(Code::parse) {
            self.points.retain(|point| point.field != "status");
            let documented = Status::Documented(seen.status);
            let states = matches!(code.status(), Status::Documented(_));
            if states {
                self.points.push(Point {
                    clause: Clause::find(&format!("7.codes.{code}"))
                        .unwrap_or(clause!("7.shape.code")),
                    holds: code.status() == documented,
                    field: "status".into(),
                    expected: format!("the status of {code}"),
                    seen: seen.status.to_string(),
                });
            }
        }
        self
    }
}

/// Whether a request is refused with a code that isn't listed: nothing has changed then.
fn is_refused_otherwise(sent: &Prepared, seen: &Seen) -> bool {
    let is_unlisted = seen.code().is_some_and(|code| Code::parse(code).is_none());
    matches!(sent.action, PreparedAction::Call(_))
        && (400..500).contains(&seen.status)
        && is_unlisted
}

/// Whether a body is refused for its size: nothing has changed then.
fn is_too_large(sent: &Prepared, seen: &Seen) -> bool {
    let has_body = matches!(&sent.action, PreparedAction::Call(call) if !call.body().is_empty());
    has_body && seen.code() == Some(Code::PayloadTooLarge.name())
}

/// Whether the outside world was said to have no room for an action.
fn is_refused_action(sent: &Prepared, seen: &Seen) -> bool {
    matches!(sent.action, PreparedAction::Act(_)) && !seen.is_success()
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

/// How far a clock is ahead that tells when something expires.
fn ahead(predicted: &Seen, seen: &Seen) -> Option<i64> {
    let expires_at = |answer: &Seen| Some(answer.json()?.get("expiresAt")?.as_str()?.to_owned());
    instants_apart(&expires_at(predicted)?, &expires_at(seen)?)
}

/// The question about its limit that a quote for a business asks, whatever else is missing.
fn asked_of_limit(
    service: &mut Service<Reading>,
    now: Timestamp,
    platform: PlatformId,
    business: String,
) -> Option<Asked> {
    service.choices_mut().read(Told::refused(Code::ConcentrationExceeded));
    service.choices_mut().leave_precedence();
    let quote = Operation::Quote { business, face_value: FaceValue::new(1)? };
    service.handle(now, platform, quote).ok()?;
    service.choices_mut().take_asked()
}

/// The time is as late as it is; what is sent when, and which request fails, the model does not predict.
fn is_unpredictable(sent: &Prepared) -> bool {
    match &sent.action {
        PreparedAction::Call(_) => false,
        PreparedAction::Act(fields) => {
            fields.get("action").is_some_and(|name| name == "upstreamFails")
        }
        PreparedAction::Advance(_) | PreparedAction::Deliveries => true,
    }
}
