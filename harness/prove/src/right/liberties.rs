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
    /// The sentence or the gap that permits it.
    pub clause: Clause,
    /// It, with what the seed draws for it.
    take: fn(&mut Draws) -> Box<dyn Liberty>,
}

macro_rules! liberties {
    ($($name:literal $clause:literal $take:expr;)*) => {
        /// All liberties.
        pub const LIBERTIES: &[Row] =
            &[$(Row { name: $name, clause: clause!($clause), take: $take },)*];
    };
}

liberties! {
    "extra-members" "gap.responseFields" |it| Box::new(ExtraMembers { salt: it.next() });
    "own-names" "gap.advanceObject" |it| Box::new(OwnNames { style: it.below(3) });
    "fewer-members" "gap.importExtra" |_| Box::new(FewerMembers);
    "advance-in-parts" "gap.advanceObject" |_| Box::new(AdvanceInParts);
    "own-words" "gap.taxIdResult" |it| Box::new(OwnWords { style: it.below(3) });
    "other-mask" "gap.mask" |_| Box::new(OtherMask);
    "other-session-links" "gap.sessionUrl" |_| Box::new(OtherSessionLinks);
    "early-collected" "gap.collectionThresholds" |it| Box::new(EarlyCollected { percent: 90 + it.below(10) });
    "any-media-type" "gap.jsonMediaType" |_| Box::new(AnyMediaType);
    "list-in-an-object" "gap.subscriptionForm" |_| Box::new(ListInObject);
    "dates-with-an-offset" "gap.datesReadBack" |it| Box::new(OffsetDates { hours: it.below(27) });
    "event-with-more" "gap.eventFields" |it| Box::new(EventWithMore { salt: it.next() });
    "event-with-own-names" "gap.eventPayload" |it| Box::new(EventWithOwnNames { style: it.below(3) });
    "sequence-with-steps" "6.delivery.5" |it| Box::new(SequenceWithSteps { step: 2 + it.below(40) });
    "own-delivery-names" "gap.deliveryIdentity" |_| Box::new(OwnDeliveryNames);
    "late-events" "6.delivery.4" |it| Box::new(LateEvents { steps: it.below(4) });
    "business-first" "gap.refusalPrecedence" |_| Box::new(BusinessFirst);
    "key-first" "gap.unknownEndpoint" |_| Box::new(KeyFirst);
    "other-objection" "gap.advancePrecedence" |it| Box::new(OtherObjection { salt: it.next() });
    "malformed-is-invalid" "gap.routingNumberForm" |_| Box::new(MalformedIsInvalid);
    "unknown-payee-is-unknown-invoice" "gap.refusalPrecedence" |_| Box::new(UnknownPayee);
    "least-face-value" "gap.notFinanceable" |it| Box::new(LeastFaceValue { cents: 1 + it.below(100_000) });
    "lenient-json" "gap.integerForm" |_| Box::new(LenientJson);
    "strict-members" "gap.responseFields" |_| Box::new(StrictMembers);
    "short-texts" "7.codes.invalid_request" |it| Box::new(ShortTexts { most: 300 + it.below(300) });
    "fails-at-random" "7.codes.upstream_failed" |it| Box::new(FailsAtRandom { salt: it.next(), percent: 1 + it.below(8) });
    "first-try-fails" "7.codes.upstream_failed" |it| Box::new(FirstTryFails { salt: it.next(), tried: Vec::new() });
    "loses-answers" "7.retrying.3" |it| Box::new(LosesAnswers { salt: it.next(), percent: 1 + it.below(4) });
    "too-many-requests" "gap.requestRate" |it| Box::new(TooManyRequests { salt: it.next(), percent: 1 + it.below(5) });
    "smaller-port" "gap.operatorPort" |it| Box::new(SmallerPort { salt: it.next() });
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
