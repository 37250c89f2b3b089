//! The liberties that a right service may take, and which of them a seed draws.
//!
//! A profile sets the values of a gap, and a reading decides between two. What is left are forms, orders and outages:
//! each has a row here, with the place that leaves it open.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::{Map, Value, json};
use tideover_exchange::{Arrival, PreparedCall, Response};
use tideover_model::clause::Kind;
use tideover_model::wire::field;
use tideover_model::wire::reply::Reply;
use tideover_model::wire::schema::{Field, Role};
use tideover_model::words::{CollectionState, SyncOutcome};
use tideover_model::{
    ActionKind, Clause, Code, Operation, OperationKind, Refusal, Timestamp, clause,
};

use crate::right::free::refused;
use crate::right::liberty::{Inside, Liberty};

/// A liberty, and where the document leaves it.
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// The sentences and the gaps that permit it.
    pub clauses: &'static [Clause],
    /// What the service does, in one sentence.
    pub words: &'static str,
    /// It, with what the seed draws for it.
    take: fn(&mut Draws) -> Box<dyn Liberty>,
}

macro_rules! liberties {
    ($($name:literal [$($clause:literal)+] $words:literal $take:expr;)*) => {
        /// All liberties.
        pub const LIBERTIES: &[Row] =
            &[$(Row { name: $name, clauses: &[$(clause!($clause)),+], words: $words, take: $take },)*];
    };
}

liberties! {
    "extra-members" ["gap.responseFields"] "A success has members that the document does not show." |it| Box::new(ExtraMembers { salt: it.next() });
    "own-names" ["gap.advanceObject" "gap.importExtra" "gap.quoteExtra" "gap.subscriptionForm" "gap.taxIdResult"] "Members that the document does not name have other names." |it| Box::new(OwnNames { style: it.below(3) });
    "fewer-members" ["gap.importExtra" "gap.advanceObject" "gap.subscriptionForm"] "Members that the document does not ask for are left out." |_| Box::new(FewerMembers);
    "advance-in-parts" ["gap.advanceObject"] "The amounts of an advance are in an object of their own." |_| Box::new(AdvanceInParts);
    "own-words" ["gap.taxIdResult"] "Outcomes that the document does not list have other words." |it| Box::new(OwnWords { style: it.below(3) });
    "other-mask" ["gap.mask"] "The mask of a payout account has another form." |_| Box::new(OtherMask);
    "other-session-links" ["gap.sessionUrl"] "Onboarding links lead to another host." |_| Box::new(OtherSessionLinks);
    "early-collected" ["gap.collectionThresholds"] "An invoice counts as COLLECTED shortly before its last cent." |it| Box::new(EarlyCollected { percent: 90 + it.below(10) });
    "any-media-type" ["gap.jsonMediaType"] "JSON is read under any media type." |_| Box::new(AnyMediaType);
    "list-in-an-object" ["gap.subscriptionForm"] "The list of subscriptions is a member of an object." |_| Box::new(ListInObject);
    "dates-with-an-offset" ["gap.datesReadBack"] "Instants have an offset from UTC." |it| Box::new(OffsetDates { hours: it.below(27) });
    "event-with-more" ["gap.eventFields"] "Events have members that nobody knows." |it| Box::new(EventWithMore { salt: it.next() });
    "event-with-own-names" ["gap.eventPayload"] "Members of events that the document does not name have other names." |it| Box::new(EventWithOwnNames { style: it.below(3) });
    "sequence-with-steps" ["6.delivery.5"] "The sequence of an invoice's events grows by more than one." |it| Box::new(SequenceWithSteps { step: 2 + it.below(40) });
    "own-delivery-names" ["gap.deliveryIdentity"] "Deliveries have names of another form." |_| Box::new(OwnDeliveryNames);
    "late-events" ["6.delivery.4"] "Events come some requests late, and their signatures have the wall clock's time." |it| Box::new(LateEvents { steps: it.below(4) });
    "business-first" ["gap.refusalPrecedence"] "The business of the path is looked for before the rest of a request is read." |_| Box::new(BusinessFirst);
    "key-first" ["gap.unknownEndpoint"] "The key is examined before the path." |_| Box::new(KeyFirst);
    "other-objection" ["gap.advancePrecedence"] "Of several reasons against an advance, any one is given." |it| Box::new(OtherObjection { salt: it.next() });
    "malformed-is-invalid" ["gap.routingNumberForm"] "A malformed number, address or URL is invalid_request." |_| Box::new(MalformedIsInvalid);
    "unknown-payee-is-unknown-invoice" ["gap.refusalPrecedence"] "An invoice of a payee that was never synced is an unknown invoice." |_| Box::new(UnknownPayee);
    "least-face-value" ["gap.notFinanceable"] "Small amounts are not financed." |it| Box::new(LeastFaceValue { cents: 1 + it.below(100_000) });
    "lenient-json" ["gap.integerForm" "gap.nullOptional" "gap.duplicateKeys"] "1.0 is read as 1, null as absent, and of two equal keys the last one counts." |_| Box::new(LenientJson);
    "strict-members" ["gap.responseFields"] "A member that the document does not show is invalid_request." |_| Box::new(StrictMembers);
    "short-texts" ["7.codes.invalid_request"] "Long texts are invalid_request." |it| Box::new(ShortTexts { most: 300 + it.below(300) });
    "fails-at-random" ["7.codes.upstream_failed"] "Now and then a request fails with 502, with or without its effect." |it| Box::new(FailsAtRandom { salt: it.next(), percent: 1 + it.below(8) });
    "first-try-fails" ["7.codes.upstream_failed"] "The first try of some requests fails with 502, with or without its effect." |it| Box::new(FirstTryFails { salt: it.next(), tried: Vec::new() });
    "loses-answers" ["7.retrying.3"] "Now and then a request or its response is lost." |it| Box::new(LosesAnswers { salt: it.next(), percent: 1 + it.below(4) });
    "too-many-requests" ["gap.requestRate"] "Now and then a request is answered 429." |it| Box::new(TooManyRequests { salt: it.next(), percent: 1 + it.below(5) });
    "smaller-port" ["gap.operatorPort"] "The operator port lacks some actions." |it| Box::new(SmallerPort { salt: it.next() });
}

/// The liberties of the service of `seed`: each with a chance of one in four.
pub fn taken(seed: u64) -> impl Iterator<Item = &'static Row> {
    LIBERTIES.iter().filter(move |row| Draws::of(row, seed).below(4) == 0)
}

/// The same, at the beginning of a world.
pub fn begun(seed: u64) -> Vec<Box<dyn Liberty>> {
    taken(seed).map(|row| row.begun(seed)).collect()
}

impl Row {
    /// It, with what `seed` draws for it.
    pub fn begun(&self, seed: u64) -> Box<dyn Liberty> {
        let mut draws = Draws::of(self, seed);
        draws.next();
        (self.take)(&mut draws)
    }
}

/// What decides how the choices of the service of `seed` differ from those of the model.
pub(super) fn salt(seed: u64) -> u64 {
    ChaCha8Rng::seed_from_u64(!seed).next_u64()
}

/// Draws of a seed.
struct Draws(ChaCha8Rng);

impl Draws {
    /// Those of one liberty: another row changes none of them.
    fn of(row: &Row, seed: u64) -> Draws {
        let name = row.name.bytes().fold(0_u64, |all, byte| all.rotate_left(7) ^ u64::from(byte));
        Draws(ChaCha8Rng::seed_from_u64(seed ^ name))
    }

    fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

/// Whether so many percent of all occasions are drawn, and this one is among them.
fn happens(salt: u64, occasion: u64, percent: u64) -> bool {
    ChaCha8Rng::seed_from_u64(salt ^ occasion.rotate_left(32)).next_u64() % 100 < percent
}

fn kind_of(call: &PreparedCall) -> Option<OperationKind> {
    call.asked().kind
}

fn members(kind: Option<OperationKind>) -> &'static [Field] {
    kind.map_or(&[], OperationKind::reply_fields)
}

/// Does something with every object in a value.
fn each_object(value: &mut Value, act: &mut impl FnMut(&mut Map<String, Value>)) {
    match value {
        Value::Object(object) => {
            object.values_mut().for_each(|inner| each_object(inner, act));
            act(object);
        }
        Value::Array(list) => list.iter_mut().for_each(|inner| each_object(inner, act)),
        _ => {}
    }
}

/// Does something with the objects that a value holds, each with its fields.
fn each_described(
    value: &mut Value,
    fields: &'static [Field],
    act: &mut impl FnMut(&mut Map<String, Value>, &'static [Field]),
) {
    match value {
        Value::Object(object) => {
            for field in fields {
                if let (Some(inner), Role::Object(within) | Role::List(within)) =
                    (object.get_mut(field.name), field.role)
                {
                    each_described(inner, within, act);
                }
            }
            act(object, fields);
        }
        Value::Array(list) => list.iter_mut().for_each(|inner| each_described(inner, fields, act)),
        _ => {}
    }
}

/// A name in a style of the service's own.
fn styled(name: &str, style: u64) -> String {
    match style {
        0 => name.chars().fold(String::new(), |mut all, letter| {
            if letter.is_ascii_uppercase() {
                all.push('_');
            }
            all.push(letter.to_ascii_lowercase());
            all
        }),
        1 => format!("x-{name}"),
        _ => name.chars().rev().collect(),
    }
}

fn add_members(value: &mut Value, salt: u64) {
    let mut occasion = 0;
    each_object(value, &mut |object| {
        occasion += 1;
        if happens(salt, occasion, 50) {
            let more = [
                json!(null),
                json!(true),
                json!(7),
                json!("2031-05-06T07:08:09Z"),
                json!({ "of": ["its", "own"] }),
                json!([]),
                json!("FUNDED by nobody"),
            ];
            let which = usize::try_from(occasion).unwrap_or(0) % more.len();
            object.insert(format!("_{}{occasion}", salt % 1000), more[which].clone());
        }
    });
}

/// Members that the document does not show.
struct ExtraMembers {
    salt: u64,
}

impl Liberty for ExtraMembers {
    fn body(&mut self, _: &PreparedCall, mut body: Value) -> Value {
        add_members(&mut body, self.salt);
        body
    }
}

/// Other names for the members that the document does not name.
struct OwnNames {
    style: u64,
}

impl Liberty for OwnNames {
    fn body(&mut self, call: &PreparedCall, mut body: Value) -> Value {
        each_described(&mut body, members(kind_of(call)), &mut |object, fields| {
            for field in fields.iter().filter(|field| field.clause.kind() != Kind::Documented) {
                if let Some(value) = object.remove(field.name) {
                    object.insert(styled(field.name, self.style), value);
                }
            }
        });
        // The name of the secret is not shown either (§2 Gaps).
        rename(&mut body, "secret", &styled("signingSecret", self.style));
        body
    }
}

fn rename(body: &mut Value, from: &str, to: &str) {
    if let Some(object) = body.as_object_mut()
        && let Some(value) = object.remove(from)
    {
        object.insert(to.to_owned(), value);
    }
}

/// None of the members that the document does not ask for.
struct FewerMembers;

impl FewerMembers {
    /// What the document asks for without a name (§2).
    const ASKED: [&str; 5] = ["state", "amountSent", "amountOwed", "summary", "onboarding"];
}

impl Liberty for FewerMembers {
    fn body(&mut self, call: &PreparedCall, mut body: Value) -> Value {
        each_described(&mut body, members(kind_of(call)), &mut |object, fields| {
            let dropped = fields.iter().filter(|field| {
                field.clause.kind() != Kind::Documented && !Self::ASKED.contains(&field.name)
            });
            for field in dropped {
                object.remove(field.name);
            }
        });
        body
    }
}

/// The amounts of an advance in an object of their own.
struct AdvanceInParts;

impl Liberty for AdvanceInParts {
    fn body(&mut self, call: &PreparedCall, mut body: Value) -> Value {
        if kind_of(call) == Some(OperationKind::GetInvoice)
            && let Some(advance) = body[field::ADVANCE].as_object_mut()
        {
            let of_amounts = advance.keys().filter(|name| advance[*name].is_i64()).cloned();
            let names: Vec<String> = of_amounts.collect();
            let amounts = names.into_iter().filter_map(|name| advance.remove_entry(&name));
            let amounts: Map<String, Value> = amounts.collect();
            advance.insert("cents".into(), amounts.into());
        }
        body
    }
}

/// Words of the service's own, where the document has none.
struct OwnWords {
    style: u64,
}

impl Liberty for OwnWords {
    fn body(&mut self, call: &PreparedCall, mut body: Value) -> Value {
        each_described(&mut body, members(kind_of(call)), &mut |object, fields| {
            let is_open = |field: &&Field| {
                let has_documented = SyncOutcome::WORDS
                    .iter()
                    .any(|word| object.get(field.name).is_some_and(|it| it == word));
                field.name == field::OUTCOME && !has_documented
            };
            for field in fields.iter().filter(is_open).collect::<Vec<_>>() {
                if let Some(Value::String(word)) = object.get_mut(field.name) {
                    *word = styled(word, self.style).to_uppercase();
                }
            }
        });
        body
    }
}

/// Another form of the mask of an account.
struct OtherMask;

impl Liberty for OtherMask {
    fn body(&mut self, _: &PreparedCall, mut body: Value) -> Value {
        if let Some(Value::String(mask)) = body.get_mut("mask") {
            *mask = format!("ending in {mask}");
        }
        body
    }
}

/// Links for vendors at another place.
struct OtherSessionLinks;

impl Liberty for OtherSessionLinks {
    fn body(&mut self, call: &PreparedCall, mut body: Value) -> Value {
        if kind_of(call) == Some(OperationKind::CreateOnboardingSession)
            && let Some(Value::String(url)) = body.get_mut("url")
        {
            *url = format!("https://onboarding.example/start?from={url}");
        }
        body
    }
}

/// An invoice counts as collected shortly before its last cent comes.
struct EarlyCollected {
    percent: u64,
}

impl Liberty for EarlyCollected {
    fn body(&mut self, call: &PreparedCall, mut body: Value) -> Value {
        let cents = |name: &str| body[name].as_i64().map_or(0, i128::from);
        let (collected, face_value) = (cents(field::COLLECTED), cents(field::FACE_VALUE));
        if kind_of(call) == Some(OperationKind::GetInvoice)
            && collected * 100 >= face_value * i128::from(self.percent)
        {
            body[field::COLLECTION_STATE] = CollectionState::Collected.word().into();
        }
        body
    }
}

/// JSON under any media type.
struct AnyMediaType;

impl Liberty for AnyMediaType {
    fn takes(&mut self, call: &PreparedCall) -> Option<PreparedCall> {
        let kind = kind_of(call)?;
        serde_json::from_slice::<Value>(call.body()).ok()?;
        (kind != OperationKind::ImportInvoices).then(|| call.without_media_type())
    }
}

/// The list of subscriptions, in an object.
struct ListInObject;

impl Liberty for ListInObject {
    fn body(&mut self, _: &PreparedCall, body: Value) -> Value {
        if body.is_array() { json!({ "data": body, "hasMore": false }) } else { body }
    }
}

/// Every instant with an offset from UTC.
struct OffsetDates {
    hours: u64,
}

impl Liberty for OffsetDates {
    fn body(&mut self, call: &PreparedCall, mut body: Value) -> Value {
        let hours = i64::try_from(self.hours).unwrap_or(0) - 12;
        each_described(&mut body, members(kind_of(call)), &mut |object, fields| {
            for field in fields.iter().filter(|field| matches!(field.role, Role::Instant)) {
                let Some(Value::String(text)) = object.get_mut(field.name) else { continue };
                let local = Timestamp::parse(text)
                    .and_then(|at| Timestamp::from_unix(at.unix() + hours * 3600));
                if let Some(local) = local.map(|it| it.to_string()).filter(|it| it.ends_with('Z')) {
                    let sign = if hours < 0 { '-' } else { '+' };
                    *text = format!("{}{sign}{:02}:00", &local[..local.len() - 1], hours.abs());
                }
            }
        });
        body
    }
}

/// Members of events that nobody knows.
struct EventWithMore {
    salt: u64,
}

impl Liberty for EventWithMore {
    fn event(&mut self, mut event: Value) -> Value {
        add_members(&mut event, self.salt);
        event
    }
}

/// Other names for the members of an event that the document does not name.
struct EventWithOwnNames {
    style: u64,
}

impl Liberty for EventWithOwnNames {
    fn event(&mut self, mut event: Value) -> Value {
        each_object(&mut event, &mut |object| {
            let names: Vec<String> = object.keys().cloned().collect();
            for name in names.iter().filter(|name| !["occurredAt", "sequence"].contains(&&***name))
            {
                if let Some(value) = object.remove(name) {
                    object.insert(styled(name, self.style), value);
                }
            }
        });
        event
    }
}

/// Sequences that grow by more than one.
struct SequenceWithSteps {
    step: u64,
}

impl Liberty for SequenceWithSteps {
    fn event(&mut self, mut event: Value) -> Value {
        if let Some(sequence) = event["sequence"].as_u64() {
            event["sequence"] = (sequence * self.step + 3).into();
        }
        event
    }
}

/// Names of deliveries in another form.
struct OwnDeliveryNames;

impl Liberty for OwnDeliveryNames {
    fn delivery(&mut self, arrival: &Arrival) -> Option<String> {
        Some(arrival.delivery.as_deref()?.chars().rev().collect())
    }
}

/// Events that come after the responses that follow them.
struct LateEvents {
    steps: u64,
}

impl Liberty for LateEvents {
    fn wall(&self) -> Option<fn(u64) -> u64> {
        Some(|at| at)
    }

    fn steps_late(&self) -> usize {
        usize::try_from(self.steps).unwrap_or(0)
    }
}

/// The business of the path is looked for before anything else of the request is read.
struct BusinessFirst;

impl Liberty for BusinessFirst {
    fn instead(
        &mut self,
        _: u64,
        call: &PreparedCall,
        inside: &mut Inside<'_>,
    ) -> Option<Response> {
        let kind = kind_of(call)?;
        if !matches!(kind, OperationKind::SetPayoutAccount | OperationKind::GetInvoice) {
            return None;
        }
        let path: Vec<&str> = call.plain_path().split('/').collect();
        let read = PreparedCall::new("GET", path[..4].join("/"), None, Vec::new());
        let refusal = inside.handle(read.operation()?.clone())?.err()?;
        (refusal.code == Code::BusinessNotFound).then(|| inside.refuse(refusal))
    }
}

/// The key is examined before the path.
struct KeyFirst;

impl Liberty for KeyFirst {
    fn instead(
        &mut self,
        _: u64,
        call: &PreparedCall,
        inside: &mut Inside<'_>,
    ) -> Option<Response> {
        let is_unknown = kind_of(call).is_none() && !inside.knows_caller();
        is_unknown.then(|| refused(401, Code::Unauthorized.name()))
    }
}

/// Of several reasons against an advance, not always the first one.
struct OtherObjection {
    salt: u64,
}

impl Liberty for OtherObjection {
    fn instead(
        &mut self,
        sent: u64,
        call: &PreparedCall,
        inside: &mut Inside<'_>,
    ) -> Option<Response> {
        let Some(Operation::RequestAdvance { payee, invoice }) = call.operation() else {
            return None;
        };
        let (payee, invoice) = (payee.clone(), invoice.clone());
        let asked = Operation::GetInvoice { payee: payee.clone(), invoice: invoice.clone() };
        let Ok(Reply::Invoice(shown)) = inside.handle(asked)? else { return None };
        if shown.advance.is_some() {
            return None;
        }
        let mut objections = inside.objections(&payee, &invoice);
        if objections.len() < 2 {
            return None;
        }
        let which = usize::try_from(self.salt ^ sent).unwrap_or(0) % objections.len();
        Some(inside.refuse(objections.swap_remove(which)))
    }
}

/// What has not the form of its kind does not match the schema.
struct MalformedIsInvalid;

impl Liberty for MalformedIsInvalid {
    fn refusal(&mut self, call: &PreparedCall, refusal: Response) -> Response {
        let body: Value = serde_json::from_slice(call.body()).unwrap_or_default();
        let text = |name: &str| body[name].as_str().unwrap_or_default();
        let is_malformed = match refusal.code().and_then(Code::parse) {
            Some(Code::InvalidRoutingNumber) => {
                let routing = text("routingNumber");
                routing.len() != 9 || !routing.bytes().all(|byte| byte.is_ascii_digit())
            }
            Some(Code::InvalidInvitee) => !text("email").contains('@'),
            Some(Code::DestinationRefused) => !text("url").contains("://"),
            _ => false,
        };
        if is_malformed { refused(400, Code::InvalidRequest.name()) } else { refusal }
    }
}

/// An invoice of a payee that was never synced is an unknown invoice.
struct UnknownPayee;

impl Liberty for UnknownPayee {
    fn instead(
        &mut self,
        _: u64,
        call: &PreparedCall,
        inside: &mut Inside<'_>,
    ) -> Option<Response> {
        let asked = call.operation()?;
        if !matches!(asked, Operation::GetInvoice { .. }) {
            return None;
        }
        let refusal = inside.handle(asked.clone())?.err()?;
        let unknown = Refusal::new(Code::InvoiceNotFound, clause!("7.codes.invoice_not_found"));
        (refusal.code == Code::BusinessNotFound).then(|| inside.refuse(unknown))
    }
}

/// Small amounts are not financed.
struct LeastFaceValue {
    cents: u64,
}

impl LeastFaceValue {
    fn refuses(&self, face_value: i64) -> bool {
        u64::try_from(face_value).is_ok_and(|cents| cents < self.cents)
    }
}

impl Liberty for LeastFaceValue {
    fn instead(
        &mut self,
        _: u64,
        call: &PreparedCall,
        inside: &mut Inside<'_>,
    ) -> Option<Response> {
        let Some(Operation::RequestAdvance { payee, invoice }) = call.operation() else {
            return None;
        };
        let asked = Operation::GetInvoice { payee: payee.clone(), invoice: invoice.clone() };
        let Ok(Reply::Invoice(shown)) = inside.handle(asked)? else { return None };
        let is_small = shown.advance.is_none() && self.refuses(shown.face_value.0);
        let refusal =
            Refusal::new(Code::InvoiceNotFinanceable, clause!("7.codes.invoice_not_financeable"));
        is_small.then(|| inside.refuse(refusal))
    }

    fn body(&mut self, call: &PreparedCall, mut body: Value) -> Value {
        let face_value = match call.operation() {
            Some(Operation::GetInvoice { .. }) => body[field::FACE_VALUE].as_i64(),
            Some(Operation::Quote { face_value, .. }) => Some(face_value.cents().0),
            _ => None,
        };
        if face_value.is_some_and(|cents| self.refuses(cents)) && body[field::FUNDABLE] == true {
            body[field::FUNDABLE] = false.into();
            body[field::NOT_FUNDABLE_REASON] = "The amount is too small.".into();
        }
        body
    }
}

/// Whole numbers in any form, null for what is left out, and the last of two equal keys.
struct LenientJson;

impl LenientJson {
    fn read(value: Value) -> Value {
        match value {
            Value::Object(object) => {
                let kept = object.into_iter().filter(|(_, value)| !value.is_null());
                kept.map(|(name, value)| (name, Self::read(value))).collect()
            }
            Value::Number(number) => {
                let text = number.to_string();
                text.strip_suffix(".0")
                    .and_then(|whole| whole.parse::<i64>().ok())
                    .map_or(Value::Number(number), Value::from)
            }
            other => other,
        }
    }
}

impl Liberty for LenientJson {
    fn takes(&mut self, call: &PreparedCall) -> Option<PreparedCall> {
        let kind = kind_of(call)?;
        if kind == OperationKind::ImportInvoices {
            return None;
        }
        let body: Value = serde_json::from_slice(call.body()).ok().filter(Value::is_object)?;
        let mut body = Self::read(body).to_string().into_bytes();
        // What is dropped still counts for the limit of a body.
        body.resize(body.len().max(call.body().len()), b' ');
        Some(call.with_body(body))
    }
}

/// A member that the document does not show does not match the published schema.
struct StrictMembers;

impl Liberty for StrictMembers {
    fn instead(
        &mut self,
        _: u64,
        call: &PreparedCall,
        inside: &mut Inside<'_>,
    ) -> Option<Response> {
        let fields = kind_of(call)?.fields();
        let body: Value = serde_json::from_slice(call.body()).ok()?;
        let is_unknown = |name: &String| fields.iter().all(|field| field.name != name);
        let has_unknown = body.as_object()?.keys().any(is_unknown);
        (inside.knows_caller() && has_unknown).then(|| refused(400, Code::InvalidRequest.name()))
    }
}

/// Long texts do not match the published schema.
struct ShortTexts {
    most: u64,
}

impl Liberty for ShortTexts {
    fn instead(
        &mut self,
        _: u64,
        call: &PreparedCall,
        inside: &mut Inside<'_>,
    ) -> Option<Response> {
        let body: Value = serde_json::from_slice(call.body()).ok()?;
        kind_of(call)?;
        let most = usize::try_from(self.most).unwrap_or(usize::MAX);
        let mut is_long = false;
        each_object(&mut body.clone(), &mut |object| {
            is_long |= object.values().any(|it| it.as_str().is_some_and(|text| text.len() > most));
        });
        (inside.knows_caller() && is_long).then(|| refused(400, Code::InvalidRequest.name()))
    }
}

/// Now and then a request fails.
struct FailsAtRandom {
    salt: u64,
    percent: u64,
}

impl Liberty for FailsAtRandom {
    fn instead(&mut self, sent: u64, _: &PreparedCall, _: &mut Inside<'_>) -> Option<Response> {
        let fails = happens(self.salt, sent, self.percent);
        fails.then(|| refused(502, Code::UpstreamFailed.name()))
    }
}

/// The first try of some requests fails; the next one does not.
struct FirstTryFails {
    salt: u64,
    tried: Vec<(String, Vec<u8>)>,
}

impl Liberty for FirstTryFails {
    fn instead(&mut self, _: u64, call: &PreparedCall, _: &mut Inside<'_>) -> Option<Response> {
        let asked = (format!("{} {}", call.method, call.path), call.body().to_vec());
        let kind = kind_of(call)? as u64;
        if !happens(self.salt, kind, 30) || self.tried.contains(&asked) {
            return None;
        }
        self.tried.push(asked);
        Some(refused(502, Code::UpstreamFailed.name()))
    }
}

/// Now and then no answer comes.
struct LosesAnswers {
    salt: u64,
    percent: u64,
}

impl Liberty for LosesAnswers {
    fn loses(&mut self, sent: u64) -> bool {
        happens(self.salt, sent, self.percent)
    }
}

/// Now and then there are too many requests.
struct TooManyRequests {
    salt: u64,
    percent: u64,
}

impl Liberty for TooManyRequests {
    fn instead(&mut self, sent: u64, _: &PreparedCall, _: &mut Inside<'_>) -> Option<Response> {
        happens(self.salt, sent, self.percent).then(|| refused(429, "rate_limited"))
    }
}

/// An operator port without some of the actions.
struct SmallerPort {
    salt: u64,
}

impl Liberty for SmallerPort {
    fn outside(&mut self, _: u64, action: &str) -> Option<Response> {
        let kind = ActionKind::ALL.iter().position(|kind| kind.name() == action)?;
        happens(self.salt, kind as u64, 20).then(|| refused(404, "unknown_action"))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tideover_model::Reading;

    use super::*;

    /// The gaps that the choices of a right service vary.
    const CHOSEN: [Clause; 4] = [
        clause!("gap.apiKeys"),
        clause!("gap.pricing"),
        clause!("gap.alreadyCollected"),
        clause!("gap.zeroAdvance"),
    ];

    /// The gaps in which every right service is the model, and why.
    const FIXED: &[(&[Clause], &str)] = &[
        (
            &[
                clause!("gap.signatureFields"),
                clause!("gap.signatureTime"),
                clause!("gap.signatureBytes"),
                clause!("gap.signatureHex"),
                clause!("gap.signaturePrecedence"),
            ],
            "they say what a receiver does; the service is the sender",
        ),
        (
            &[
                clause!("gap.outstanding"),
                clause!("gap.waterfall"),
                clause!("gap.daysToDueDate"),
                clause!("gap.testAccount"),
                clause!("gap.businessMatching"),
                clause!("gap.syncedParty"),
                clause!("gap.statusOnlyParties"),
                clause!("gap.partyTaxIdAndContact"),
                clause!("gap.vendorCompliance"),
                clause!("gap.addressKnown"),
                clause!("gap.taxIdForm"),
                clause!("gap.csvForm"),
                clause!("gap.sameFile"),
                clause!("gap.derivedIdentifier"),
                clause!("gap.eventCauses"),
                clause!("gap.emptyIdentifier"),
            ],
            "another value is another rule inside the model; services written by others vary them",
        ),
        (
            &[clause!("gap.partyFields")],
            "a service that names them otherwise ignores what the suite sends",
        ),
        (&[clause!("gap.advanceVariants")], "the document counts the properties of both"),
        (&[clause!("gap.invitationLink")], "no response shows what a repeat keeps"),
        (
            &[clause!("gap.readOwnWrites")],
            "in process no read is stale; the tests of replicas have them",
        ),
    ];

    #[test]
    fn each_gap_is_varied_or_has_a_reason() {
        let by_reading = Reading::ALL.map(Reading::clause);
        let by_liberty = LIBERTIES.iter().flat_map(|row| row.clauses).copied();
        let varied: BTreeSet<Clause> = by_liberty.chain(by_reading).chain(CHOSEN).collect();
        let fixed: BTreeSet<Clause> = FIXED.iter().flat_map(|(gaps, _)| *gaps).copied().collect();
        for gap in Clause::all().filter(|clause| clause.kind() != Kind::Documented) {
            let is_varied = gap.kind().profile_key().is_some() || varied.contains(&gap);
            assert_ne!(is_varied, fixed.contains(&gap), "{gap}");
        }
    }

    #[test]
    fn each_liberty_is_taken_by_some_and_not_by_others() {
        for row in LIBERTIES {
            let takers = (0..100).filter(|seed| taken(*seed).any(|it| it.name == row.name)).count();
            assert!((10..50).contains(&takers), "{}: {takers} of 100", row.name);
        }
    }
}
