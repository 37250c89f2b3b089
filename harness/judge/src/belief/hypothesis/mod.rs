//! One hypothesis that a target may be in: the model, in a state that explains the exchanges so far.

pub(crate) mod deeds;
mod fit;
mod form;
mod look;
pub(crate) mod open;
mod outside;
mod parties;
mod parts;
mod related;
mod subject;
mod unclear;

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use tideover_exchange::evidence::Point;
use tideover_exchange::matcher::instants_apart;
use tideover_exchange::target::{ModelTarget, Target, origin};
use tideover_exchange::{Prepared, PreparedAction, PreparedCall, Response};
use tideover_model::clause::Kind;
use tideover_model::wire::field::{self, Fields};
use tideover_model::wire::lenient::most_lenient_file;
use tideover_model::wire::route::{Route, route};
use tideover_model::{
    ActionKind, BusinessDetails, BusinessId, Clause, Code, Contact, Face, Happening, Operation,
    OperationKind, Outcome, PlatformId, Profile, Reading, Service, Timestamp, clause,
};

use crate::belief::Observation;
use crate::belief::amounts::{AdvanceKey, UnseenGrants};
use crate::belief::clock;
use crate::belief::clock::TargetClock;
use crate::belief::hypothesis::form::codes_left_open;
use crate::belief::hypothesis::open::Open;
use crate::belief::reading::{InferredChoices, Revealed};

use crate::comparison::{Bindings, Comparison, Freedom, is_known_outcome};

pub(crate) use fit::{Fit, status_point};
pub use subject::Subject;
pub(crate) use unclear::Unclear;

/// A state of the model, with the target's names for things in it.
#[derive(Clone, Debug)]
pub struct Hypothesis {
    bare: ModelTarget<Service<InferredChoices>>,
    bindings: Bindings,
    /// Requests without a response, as far as they may still be carried out.
    pub(crate) open: Vec<Open>,
    /// How many businesses outside this run the target has. Their earlier state is unknown.
    foreign_businesses: u32,
    /// The amounts of the advances that were granted unseen.
    amounts: UnseenGrants,
    pub(super) clock: TargetClock,
    /// Whether the target may show any name of a business.
    renames: bool,
    /// What is not stated about the tax ids of businesses.
    unclear: BTreeMap<BusinessId, Unclear>,
}

impl Hypothesis {
    /// The first hypothesis. Webhooks may go to `inbox`.
    pub fn new(profile: Profile, inbox: &str, api_key: &str, start: Timestamp) -> Hypothesis {
        let destinations = tideover_model::Destinations::PublicAnd(inbox.to_owned());
        // The document doesn't state the body limit. Only refused bodies show it (`8.requestBodySize`).
        let profile = Profile { body_limit: usize::MAX, ..profile };
        let service = Service::new(profile, InferredChoices::new()).sending_to(destinations);
        let mut bindings = Bindings::default();
        bindings.bind("key", Service::FIRST_KEY, api_key);
        Hypothesis {
            bare: ModelTarget::over(service, start).unheard(),
            bindings,
            open: Vec::new(),
            foreign_businesses: 0,
            amounts: UnseenGrants::default(),
            clock: TargetClock::ours(),
            renames: false,
            unclear: BTreeMap::new(),
        }
    }

    /// The same hypothesis, with the target's names as in `other`.
    #[must_use]
    pub(crate) fn calling_as(&self, other: &Hypothesis) -> Hypothesis {
        Hypothesis { bindings: other.bindings.clone(), ..self.clone() }
    }

    /// The same hypothesis, where the target may show any name of a business.
    pub(crate) fn renaming(self) -> Hypothesis {
        Hypothesis { renames: true, ..self }
    }

    /// How the target reads what can be read in two ways, as far as that mattered.
    pub(crate) fn readings(&self) -> &BTreeMap<Reading, bool> {
        &self.bare.face().choices().readings
    }

    pub(crate) fn undecided(&self) -> Option<Reading> {
        self.bare.face().choices().undecided
    }

    /// The same hypothesis, where the target reads something so, or otherwise.
    #[must_use]
    pub(crate) fn deciding(mut self, reading: Reading, value: bool) -> Hypothesis {
        self.service().choices_mut().decide(reading, value);
        self
    }

    /// The hypotheses after `act`, one for each reading that it makes matter; none if it is impossible.
    pub(crate) fn after(&self, act: &dyn Fn(&mut Hypothesis) -> bool) -> Vec<Hypothesis> {
        let mut after = self.clone();
        let is_done = act(&mut after);
        match after.undecided() {
            None => is_done.then_some(after).into_iter().collect(),
            Some(reading) => {
                let decided = [true, false].map(|value| self.clone().deciding(reading, value));
                decided.iter().flat_map(|hypothesis| hypothesis.after(act)).collect()
            }
        }
    }

    /// The hypothesis after a request, and how its response fits the observed one.
    pub(crate) fn answered(&self, observed: Observation<'_>) -> (Hypothesis, Fit) {
        let Observation { sent, seen, now } = observed;
        let (mut after, fit) = self.answering(observed);
        if seen.is_success() {
            let on_file =
                seen.json().is_some_and(|body| Fields::of(body).tax_id_on_file() == Some(true));
            after.note_unclear(sent, on_file);
            after.note_parties(sent, now);
        }
        (after, fit)
    }

    /// Reads the request as it stands, and at other paths if one explains the response better.
    fn answering(&self, observed: Observation<'_>) -> (Hypothesis, Fit) {
        let Observation { sent, seen, .. } = observed;
        if matches!(sent.action, PreparedAction::Act(_)) {
            return self.after_action(observed);
        }
        if (300..400).contains(&seen.status) && read_otherwise(sent).next().is_some() {
            // It sends the caller to the path that it serves.
            return (self.clone(), Fit::of_gap(clause!("gap.unknownEndpoint"), seen));
        }
        let as_it_stands = self.answering_as_it_stands(observed);
        let is_misspelt = || sent.call().is_some_and(PreparedCall::is_misspelt);
        if as_it_stands.1.contradictions() > 0 && seen.is_refused() && is_misspelt() {
            return (self.clone(), Fit::of_gap(clause!("gap.unknownEndpoint"), seen));
        }
        if seen.code() == Some(Code::UnknownEndpoint.name()) {
            return as_it_stands;
        }
        let others = read_otherwise(sent)
            .map(|served| self.answering(Observation { sent: &served, ..observed }));
        let mut best = as_it_stands;
        for other in others {
            if other.1.contradictions() < best.1.contradictions() {
                best = other;
            }
        }
        best
    }

    /// Tries the readings of a response in order of trust: what needs no comparison, what the model predicts,
    /// then each freedom that the document leaves. The first that explains the response decides.
    fn answering_as_it_stands(&self, observed: Observation<'_>) -> (Hypothesis, Fit) {
        let Observation { sent, seen, now } = observed;
        let mut after = self.clone();
        let revealed = Revealed::by(seen);
        if is_refused_otherwise(sent, seen) {
            let due = self.refusal_due(sent, revealed, now);
            return (after, Fit { due, ..Fit::of_gap(clause!("gap.ownStatuses"), seen) });
        }
        if is_too_large(sent, seen) {
            return (after, Fit::too_large(seen));
        }
        let fit = after.compare(observed, revealed);
        if let Some(destinations) = self.destinations_of(sent, &fit.predicted, seen) {
            return self.compare_with(destinations, observed, revealed);
        }
        let by_code = fit.predicted.code() != seen.code();
        // Also where we predict another refusal: no order is given.
        if by_code && let Some(gap) = self.refusal_left_open(sent, seen) {
            // Whether the service takes files of this type shows in the run as a whole.
            let is_of_type = seen.code() == Some(Code::UnsupportedMediaType.name());
            let due = fit.refusal.filter(|_| is_of_type).map(|(code, _)| code);
            return (self.clone(), Fit { due, ..Fit::refused_for(gap, seen) });
        }
        if let Some(plain) = without_event_types(sent).filter(|_| by_code) {
            return self.answered_without_events(Observation { sent: &plain, ..observed });
        }
        if seen.is_success() && fit.refuses_by_assumption() {
            return self.answered_leniently(observed, fit);
        }
        if let Some(assumption) = self.is_matched_otherwise(observed, &fit.predicted) {
            return (after, fit.diverging(assumption));
        }
        if let Some(lenient) = imported_leniently(sent, &fit.predicted, seen) {
            let mut read_so = self.clone();
            let fit = read_so.compare(Observation { sent: &lenient, ..observed }, revealed);
            if imports_same_rows(&fit.predicted, seen) {
                return (read_so, fit);
            }
        }
        if self.is_imported_otherwise(sent, &fit.predicted, seen) {
            return (after, fit.diverging(clause!("gap.taxIdForm")));
        }
        if !by_code || fit.predicted.is_success() || seen.is_success() {
            return (after, fit);
        }
        // Where several refusals hold, any may be sent.
        let mut other = self.clone();
        other.service().choices_mut().read(revealed);
        if other.may_refuse_with(observed) {
            let due = fit.refusal.map(|(code, _)| code);
            let due = due.filter(|_| !self.must_refuse_with(observed));
            return (after, Fit { due, ..fit.with_precedence(seen) });
        }
        (after, fit)
    }

    /// Whether the target imports rows that we expect it to reject, or the reverse, because of a malformed
    /// tax id.
    fn is_imported_otherwise(
        &self,
        sent: &Prepared,
        predicted: &Response,
        seen: &Response,
    ) -> bool {
        sent.kind() == Some(OperationKind::ImportInvoices)
            && self.sends_a_malformed_tax_id(sent)
            && !imports_same_rows(predicted, seen)
    }

    /// The assumption that explains why the target sees one business where we see two, or the reverse: a tax id in
    /// a spelling that need not be one counts, or doesn't.
    fn is_matched_otherwise(
        &self,
        Observation { sent, seen, now }: Observation<'_>,
        predicted: &Response,
    ) -> Option<Clause> {
        let created = |answer: &Response| answer.success_body()?.get(field::CREATED)?.as_bool();
        let is_new = |Subject { platform, payee, .. }: Subject| {
            let business = payee.map(|business| Operation::GetBusiness { business });
            business.is_some_and(|read| self.look(now, platform, read).is_none())
        };
        if sent.kind() != Some(OperationKind::SyncBusiness) || !is_new(self.subject(sent)) {
            return None;
        }
        let differs = created(predicted)? != created(seen)?;
        (differs && self.sends_a_malformed_tax_id(sent)).then_some(clause!("gap.taxIdForm"))
    }

    /// The response to a subscription without its event types. Their form and values are not shown, so the
    /// target may accept or refuse them.
    fn answered_without_events(&self, plain: Observation<'_>) -> (Hypothesis, Fit) {
        let Observation { seen, .. } = plain;
        if seen.code() == Some(Code::InvalidRequest.name()) {
            return (self.clone(), Fit::refused_for(clause!("gap.subscriptionForm"), seen));
        }
        let mut after = self.clone();
        let fit = after.compare(plain, Revealed::by(seen));
        match self.refusal_left_open(plain.sent, seen) {
            Some(gap) if fit.predicted.code() != seen.code() => {
                (self.clone(), Fit::refused_for(gap, seen))
            }
            _ => (after, fit),
        }
    }

    /// The response to a request that the target accepts, though we assume a refusal. If only the media type
    /// or the encoding of the body is wrong, the request is still known. Otherwise no hypothesis follows the
    /// target's state.
    fn answered_leniently(&self, observed: Observation<'_>, fit: Fit) -> (Hypothesis, Fit) {
        let mut after = self.clone();
        let Some(plain) = observed.sent.corrected() else {
            let diverged = !observed.sent.kind().is_some_and(OperationKind::reads);
            return (after, Fit { diverged, ..fit });
        };
        let revealed = Revealed::by(observed.seen);
        let mut plainly = after.compare(Observation { sent: &plain, ..observed }, revealed);
        plainly.points.splice(0..0, fit.points);
        (after, plainly)
    }

    /// Plays the request and compares the responses. Amounts that follow from rates are not compared with estimates of
    /// ours, nor a time with our clock before a response has shown the target's.
    fn compare(&mut self, observed: Observation<'_>, choices: Revealed) -> Fit {
        let Observation { sent, seen, now } = observed;
        let (predicted, refusal) = self.play(sent, choices, now);
        if is_unpredictable(sent) {
            return Fit { predicted, refusal, ..Fit::default() };
        }
        let kind = sent.kind();
        // If the clock is known, a renewed link lives as long as any other.
        let keeps_expiry = self.clock.repeats_an_expiry(&predicted, seen) && self.clock.is_loose;
        let stated = kind.and_then(|kind| kind.endpoint().link);
        let expires = stated.as_ref().zip(ahead(&predicted, seen));
        let expires = expires.filter(|_| !keeps_expiry);
        if let Some((link, _)) = expires {
            self.clock.learn_unit(seen, link.clause);
        }
        let link = expires.map(|(link, ahead)| self.clock.learn(ahead, link.clause));
        let comparison = Comparison {
            action: &sent.action,
            kind,
            seen,
            predicted: &predicted,
            refusal,
            freedom: Some(Freedom {
                ahead: self.clock.ahead,
                is_clock_read: self.clock.is_read(),
                unit: stated.as_ref().map_or(1, |link| self.clock.unit(link.clause)),
                renames: self.renames,
                keeps_expiry,
            }),
        };
        let mut points = comparison.points(&mut self.bindings);
        if seen.is_success() && !choices.unrevealed().is_empty() {
            self.miss(sent, &predicted, choices);
            // Amounts that were not all shown are estimates. They prove nothing about the shown ones.
            let is_estimate = |point: &Point| {
                !choices.has_offer()
                    && ESTIMATED.contains(&&*point.field)
                    && is_integer(seen, &point.field)
            };
            points.retain(|point| point.holds || !is_estimate(point));
            for point in points.iter_mut().filter(|point| !point.holds) {
                if choices.unrevealed().contains(&&*point.field) {
                    point.expected = permitted(&point.field).to_owned();
                }
            }
        }
        if !self.amounts.is_empty()
            && let Some(advance) = self.advance(sent)
        {
            self.amounts.settle(&advance, seen, &mut points);
        }
        self.clock.learn_hints(&points);
        let mut doubts = Vec::new();
        match link {
            Some(clock::LinkReading::Leap(point)) => doubts.push(point),
            Some(clock::LinkReading::Steady(point)) => points.push(point),
            Some(clock::LinkReading::AsKnown) | None => {}
        }
        let limit_question = self.service().choices_mut().take_limit_question();
        Fit { predicted, refusal, points, limit_question, doubts, ..Fit::default() }
    }

    /// The listed code with which a request must be refused, if it must.
    pub(crate) fn refusal_due(
        &self,
        sent: &Prepared,
        revealed: Revealed,
        now: Timestamp,
    ) -> Option<Code> {
        let (code, clause) = self.clone().play(sent, revealed, now).1?;
        let is_required = clause.kind() == Kind::Documented && !is_served_otherwise(sent);
        is_required.then_some(code)
    }

    /// Carries out `sent`, with the choices that `revealed` shows. A request without a response may be carried out at an
    /// earlier time than others that do not concern it.
    fn play(
        &mut self,
        sent: &Prepared,
        revealed: Revealed,
        at: Timestamp,
    ) -> (Response, Option<(Code, Clause)>) {
        self.bare.until(at);
        let sent = match &sent.action {
            PreparedAction::Advance(_) | PreparedAction::Deliveries => {
                return (Response::new(200, b""), None);
            }
            PreparedAction::Call(_) | PreparedAction::Act(_) if is_unpredictable(sent) => {
                return (Response::new(200, b""), None);
            }
            PreparedAction::Call(_) | PreparedAction::Act(_) => self.translate(sent),
        };
        self.service().choices_mut().read(revealed);
        let predicted = self.bare.play_at(at, &sent);
        self.bare.forget_deliveries();
        (predicted, self.bare.refused())
    }

    /// Whether this hypothesis explains whatever `other` does: both are in the same state, and what may still be carried out
    /// in `other` may be here as well.
    pub fn covers(&self, other: &Hypothesis) -> bool {
        let times = |of: &Hypothesis, open| of.open.iter().filter(|it| *it == open).count();
        other.open.iter().all(|open| times(self, open) >= times(other, open))
            && self.bindings == other.bindings
            && self.amounts == other.amounts
            && self.unclear == other.unclear
            && self.bare.face() == other.bare.face()
    }

    /// Forgets the choices of the last response, so that hypotheses compare by state alone.
    pub fn settle(&mut self) {
        self.service().choices_mut().read(Revealed::default());
    }

    /// Whether the service's state equals that in `other`, under any names.
    pub fn is_unchanged_from(&self, other: &Hypothesis) -> bool {
        self.bare.face() == other.bare.face()
    }

    pub fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.bare.face().hash(&mut hasher);
        self.bindings.hash(&mut hasher);
        hasher.finish()
    }

    /// Carries out a request that had no response. `false` if it changes nothing.
    pub fn carry_out(&mut self, sent: &Prepared, revealed: Revealed, at: Timestamp) -> bool {
        let (predicted, _) = self.play(sent, revealed.granted(), at);
        self.miss(sent, &predicted, revealed);
        let is_done = predicted.is_success();
        if is_done {
            self.note_unclear(sent, false);
        }
        is_done
    }

    /// If an advance was granted, only its amounts in `revealed` are known.
    fn miss(&mut self, sent: &Prepared, predicted: &Response, revealed: Revealed) {
        let is_granted = predicted
            .json()
            .is_some_and(|body| Fields::of(body).already_requested() == Some(false));
        let advance = self.advance(sent).filter(|_| is_granted);
        advance.into_iter().for_each(|advance| self.amounts.miss(advance, revealed));
    }

    /// Of an advance that was granted unseen, only the amounts in `revealed` are known.
    pub(crate) fn estimate(
        &mut self,
        platform: PlatformId,
        payee: &str,
        invoice: &str,
        revealed: Revealed,
    ) {
        let Some(business) = self.business(platform, payee) else { return };
        self.amounts.miss(AdvanceKey { platform, business, invoice: invoice.to_owned() }, revealed);
    }

    /// Whether the condition of the seen code also holds (`gap.refusalPrecedence`).
    fn may_refuse_with(&mut self, Observation { sent, seen, now }: Observation<'_>) -> bool {
        let Some(code) = seen.code().and_then(Code::parse) else { return false };
        let is_made_up = self.is_made_up(sent);
        let named = self.platform_of(sent).unwrap_or(PlatformId::DEFAULT);
        let sent = self.translate(sent);
        let Some(call) = sent.call() else { return false };
        let caller = self.bare.face().authenticate(sent.authorization.as_deref());
        let Ok(way) = route(&call.method, call.plain_path()) else {
            return code == Code::UnknownEndpoint
                || caller.is_err_and(|refusal| refusal.code == code);
        };
        let mut codes: Vec<Code> = Vec::new();
        codes.extend(call.asked().operation.as_ref().err().map(|refusal| refusal.code));
        codes.extend(caller.as_ref().err().map(|refusal| refusal.code));
        // Without a right key there is no platform, and nothing of one. But what is synced is not unknown for that.
        let platforms = match caller {
            Ok(platform) => vec![platform],
            Err(_) => vec![named, self.nobody(now)],
        };
        platforms.into_iter().all(|platform| {
            let of_state = self.codes_of_state(call, &way, platform, now);
            let codes = [codes.as_slice(), &of_state].concat();
            codes.contains(&code) || codes_left_open(call, &codes, is_made_up).contains(&code)
        })
    }

    /// The codes that the state of a platform gives a request, and those that its readable parts give it.
    fn codes_of_state(
        &mut self,
        call: &PreparedCall,
        way: &Route<'_>,
        platform: PlatformId,
        now: Timestamp,
    ) -> Vec<Code> {
        let mut codes = self.codes_of_parts(call, way, platform, now);
        let refused = way.decode(None, call.body()).and_then(|operation| {
            let service = self.service();
            service.choices_mut().leave_precedence();
            service.handle(now, platform, operation)
        });
        codes.extend(refused.err().map(|refusal| refusal.code));
        codes
    }

    /// A platform that has nothing.
    fn nobody(&mut self, now: Timestamp) -> PlatformId {
        let issue = Happening::IssueKey { platform: Some("nobody".to_owned()) };
        let issued = self.service().happen(now, PlatformId::DEFAULT, issue);
        let key = match &issued {
            Ok(Outcome::KeyIssued { key, .. }) => format!("Bearer {key}"),
            Ok(_) | Err(_) => String::new(),
        };
        self.bare.face().authenticate(Some(&key)).unwrap_or(PlatformId::DEFAULT)
    }

    /// The same, where the target refuses for no reason that is not shown.
    fn must_refuse_with(&self, observed: Observation<'_>) -> bool {
        let mut other = self.clone();
        let unseen = Revealed::by(observed.seen).without_reservation();
        other.service().choices_mut().read(unseen);
        other.may_refuse_with(observed)
    }

    /// Whether the inbox receives webhooks to this URL.
    pub(crate) fn hears(&self, url: &str) -> bool {
        self.bare.inbox() == Some(&*origin(url))
    }

    /// Makes something happen. `false` if it is impossible now.
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

    /// Carries out an operation of an unknown caller. `false` if it is refused.
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

    /// Adds another key of the target, for its first platform (0) or another one.
    pub(crate) fn introduce(&mut self, key: &str, platform: usize) {
        let platform = (platform > 0).then(|| format!("platform {platform}"));
        let now = self.bare.now();
        let issue = Happening::IssueKey { platform };
        let issued = self.service().happen(now, PlatformId::DEFAULT, issue);
        if let Ok(Outcome::KeyIssued { key: issued, .. }) = issued {
            self.bindings.bind("key", &issued, key);
        }
    }

    pub(crate) fn has_foreign_businesses(&self) -> bool {
        self.foreign_businesses > 0
    }

    /// Adds a business outside this run that holds a tax id. `false` if another business already holds it.
    pub(crate) fn add_foreign_business(
        &mut self,
        platform: PlatformId,
        tax_id: String,
        now: Timestamp,
    ) -> bool {
        self.foreign_businesses += 1;
        let business = format!("stranger {}", self.foreign_businesses);
        let details = BusinessDetails {
            legal_name: business.clone(),
            tax_id: Some(tax_id),
            contact: Contact::default(),
        };
        let sync = Operation::SyncBusiness { business: business.clone(), details };
        self.operate(now, platform, Revealed::default(), sync);
        self.has_tax_id(now, platform, &business) == Some(true)
    }

    pub(super) fn service(&mut self) -> &mut Service<InferredChoices> {
        self.bare.face_mut()
    }
}

/// Whether a request is refused with an unlisted code: nothing changes then. A listed code in other letter
/// case is not unlisted.
fn is_refused_otherwise(sent: &Prepared, seen: &Response) -> bool {
    let is_unlisted =
        seen.code().is_some_and(|code| Code::parse(&code.to_ascii_lowercase()).is_none());
    matches!(sent.action, PreparedAction::Call(_)) && seen.is_refused() && is_unlisted
}

/// Whether the path is served under another method: no code is listed for that (`gap.unknownEndpoint`).
fn is_served_otherwise(sent: &Prepared) -> bool {
    let Some(call) = sent.call() else { return false };
    let is_served = |method: &str| route(method, call.plain_path()).is_ok();
    !is_served(&call.method) && OperationKind::ALL.iter().any(|kind| is_served(kind.method()))
}

/// The same request at each path that a service may read instead, where nothing is served under its own.
fn read_otherwise(sent: &Prepared) -> impl Iterator<Item = Prepared> {
    let has_gaps =
        |path: &str| path.get(1..).is_some_and(|path| path.split('/').any(str::is_empty));
    let call = sent.call().filter(|call| call.asked().kind.is_none() || has_gaps(&call.path));
    let others = call.into_iter().flat_map(|call| {
        // It may overlook slashes that name nothing, or take them for a part of an identifier.
        [call.tidied()].into_iter().chain(call.with_longer_names())
    });
    let served = others.filter(|other| other.asked().kind.is_some());
    served.map(|call| Prepared { action: PreparedAction::Call(call), ..sent.clone() })
}

/// Whether two reports tell of the same rows that they are imported.
fn imports_same_rows(predicted: &Response, seen: &Response) -> bool {
    let imported = |answer: &Response| -> Option<Vec<bool>> {
        let rows = answer.success_body()?[field::ROWS].as_array()?.iter();
        Some(rows.map(|row| is_known_outcome(&row[field::OUTCOME])).collect())
    };
    imported(predicted) == imported(seen)
}

/// The file as the target reads it, if it imports rows that we reject, or the reverse.
fn imported_leniently(sent: &Prepared, predicted: &Response, seen: &Response) -> Option<Prepared> {
    let differs = seen.is_success() && !imports_same_rows(predicted, seen);
    differs.then(|| with_lenient_file(sent)).flatten()
}

/// The import of the file as a more lenient service reads it, if that is another one: how a cell writes a number is not
/// shown.
pub(crate) fn with_lenient_file(sent: &Prepared) -> Option<Prepared> {
    let call =
        sent.call().filter(|call| call.asked().kind == Some(OperationKind::ImportInvoices))?;
    let call = call.with_body(most_lenient_file(call.body())?);
    Some(Prepared { action: PreparedAction::Call(call), ..sent.clone() })
}

/// Whether a body is refused for its size: nothing changes then.
pub(crate) fn is_too_large(sent: &Prepared, seen: &Response) -> bool {
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
    body.as_object_mut()?.remove(field::EVENT_TYPES)?;
    let action = PreparedAction::Call(call.with_body(body.to_string().into()));
    Some(Prepared { action, ..sent.clone() })
}

/// Amounts that follow from rates, which the document doesn't show.
const ESTIMATED: [&str; 3] = [field::ADVANCE_AMOUNT, field::FEE_TOTAL, "forwardedAtPayment"];

/// What the document permits as an amount that the target chooses.
fn permitted(amount: &str) -> &'static str {
    match amount {
        field::FINANCEABLE_AMOUNT => "whole cents, at most the face value",
        field::ADVANCE_AMOUNT => "whole cents, at most financeableAmount",
        _ => "whole cents, not negative",
    }
}

fn is_integer(seen: &Response, field: &str) -> bool {
    seen.json().is_some_and(|body| body[field].is_u64())
}

/// How far a clock is ahead, by the time when something expires.
fn ahead(predicted: &Response, seen: &Response) -> Option<i64> {
    let expires_at =
        |answer: &Response| Some(answer.json()?.get(field::EXPIRES_AT)?.as_str()?.to_owned());
    instants_apart(&expires_at(predicted)?, &expires_at(seen)?)
}

/// Whether the model cannot predict the response: the time, the deliveries, or which request fails.
fn is_unpredictable(sent: &Prepared) -> bool {
    match &sent.action {
        PreparedAction::Call(_) => false,
        PreparedAction::Act(_) => sent.acts() == Some(ActionKind::UpstreamFails),
        PreparedAction::Advance(_) | PreparedAction::Deliveries => true,
    }
}
