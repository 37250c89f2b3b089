//! A whole exchange: request in, response out.
//!
//! Refusals are decided in this order (`gap.refusalPrecedence`): path, key, size, media type, syntax, shape; then the
//! service decides. Each is a stage: [`route`], [`admit`], [`Admitted::check_size`], [`Route::decode`],
//! [`Face::handle`]. [`understood`] is the one place that puts them in order. A server that must not read the body
//! of a stranger passes the first stages on its way to the body, each of which needs what the one before it gives, and
//! then asks for all of them again: meanwhile the key may have been revoked.

use std::borrow::Cow;
use std::fmt::Display;

use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;

use crate::clause;
use crate::clause::Clause;
use crate::endpoint::{OperationKind, Success};
use crate::face::{Answer, Face};
pub use crate::face::{Encoding, Rereading, Response};
use crate::identity::PlatformId;
use crate::operation::Operation;
use crate::profile::Profile;
use crate::refusal::{Code, Refusal};
use crate::timestamp::Timestamp;
use crate::wire::ignored;
pub use crate::wire::ignored::MOST_IGNORED;
use crate::wire::import_file;
use crate::wire::lenient::readings;
use crate::wire::object::Object;
use crate::wire::problem::{names, problem};
use crate::wire::reply::{Failure, Reply};
use crate::wire::request::{
    AdvanceRequest, BusinessSync, InvitationRequest, InvoiceSync, PayoutAccount, QuoteRequest,
    SessionRequest, SubscriptionRequest,
};
use crate::wire::route::{Route, route};
use crate::wire::schema::{Domain, find};
use crate::wire::written::Written;

/// The parts of a request that the API reads.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The method, in upper case.
    pub method: &'a str,
    /// The path, still encoded, without the query.
    pub path: &'a str,
    /// The `Authorization` header.
    pub authorization: Option<&'a str>,
    /// The `Content-Type` header.
    pub content_type: Option<&'a str>,
    /// The body.
    pub body: &'a [u8],
}

impl Written {
    /// The request with an `Authorization` header, as it is answered.
    pub fn as_request<'a>(&'a self, authorization: Option<&'a str>) -> Request<'a> {
        let Written { method, path, content_type, body } = self;
        Request { method, path, authorization, content_type: *content_type, body }
    }
}

/// A parsed request. Several services can answer it without parsing it again.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// The endpoint, if there is one.
    pub kind: Option<OperationKind>,
    /// The operation, if the path and the body have the published form; the refusal otherwise.
    pub operation: Result<Operation, Refusal>,
    /// The size of the body in bytes.
    length: usize,
}

impl Asked {
    /// Parses `request`.
    pub fn by(request: &Request<'_>) -> Asked {
        match route(request.method, request.path) {
            Err(refusal) => Asked::refused(None, refusal),
            Ok(route) => {
                Asked::with_body(&route, request.content_type, request.body, &mut Vec::new())
            }
        }
    }

    /// A request whose body was read. Adds to `ignored` as [`Route::decode_noting`] does.
    pub fn with_body(
        route: &Route<'_>,
        content_type: Option<&str>,
        body: &[u8],
        ignored: &mut Vec<String>,
    ) -> Asked {
        let operation = route.decode_noting(content_type, body, ignored);
        Asked { kind: Some(route.kind), operation, length: body.len() }
    }

    /// A request that an early stage refused, so that nobody read its body.
    pub fn refused(kind: Option<OperationKind>, refusal: Refusal) -> Asked {
        Asked { kind, operation: Err(refusal), length: 0 }
    }
}

/// A caller with a valid key, whose body may now be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admitted {
    /// The caller.
    pub caller: PlatformId,
    /// The maximum size of the body in bytes (`gap.bodyLimit`).
    pub body_limit: usize,
}

/// The stage of the key.
///
/// # Errors
/// `unauthorized` (§5 rule 3).
pub fn admit(face: &dyn Face, authorization: Option<&str>) -> Result<Admitted, Refusal> {
    let caller = face.authenticate(authorization)?;
    Ok(Admitted { caller, body_limit: face.profile().body_limit })
}

impl Admitted {
    /// The stage of the size.
    ///
    /// # Errors
    /// `payload_too_large` for a body of so many bytes.
    pub fn check_size(self, length: usize) -> Result<(), Refusal> {
        if length > self.body_limit { Err(too_large(self.body_limit)) } else { Ok(()) }
    }
}

/// What a request asks of the service, or the first refusal before the service decides.
pub type Understood = Result<(PlatformId, Operation), Refusal>;

/// Takes a parsed request through all stages but the last. An unknown path is refused whoever asks; a decoding error
/// is told only to a caller with a valid key.
///
/// # Errors
/// In the order of precedence: path, key, size, any other error in the request.
pub fn understood(face: &dyn Face, authorization: Option<&str>, asked: Asked) -> Understood {
    let Asked { kind, operation, length } = asked;
    if kind.is_none() {
        operation.as_ref().map_err(Clone::clone)?;
    }
    let admitted = admit(face, authorization)?;
    admitted.check_size(length)?;
    Ok((admitted.caller, operation?))
}

/// The response of `face` to `request` at `now`.
pub fn answer(face: &mut dyn Face, now: Timestamp, request: &Request<'_>) -> Response {
    let asked = reread(face, request).unwrap_or_else(|| Asked::by(request));
    let kind = asked.kind;
    let answer = attempt(face, now, request.authorization, asked);
    face.write(kind, &answer).unwrap_or_else(|| respond(face.profile(), &answer))
}

/// What `face` reads in place of `request`, if it reads another body. That has the right media type.
pub fn reread(face: &dyn Face, request: &Request<'_>) -> Option<Asked> {
    let reread = face.rereading()?;
    let kind = route(request.method, request.path).ok()?.kind;
    let body = reread(kind, request.body)?;
    Some(Asked::by(&Request { content_type: kind.media_type(), body: &body, ..*request }))
}

/// The answer of `face` at `now` to a parsed request with an `Authorization` header.
///
/// # Errors
/// In the order of precedence: path, key, size, any other error in the request, the service's decision.
pub fn attempt(
    face: &mut dyn Face,
    now: Timestamp,
    authorization: Option<&str>,
    asked: Asked,
) -> Answer {
    face.handle_timeout(now);
    let (caller, operation) = understood(face, authorization, asked)?;
    face.handle(now, caller, operation)
}

/// The refusal `payload_too_large` of a body with more than `limit` bytes.
pub fn too_large(limit: usize) -> Refusal {
    Refusal::new(Code::PayloadTooLarge, clause!("8.requestBodySize"))
        .because(format!("The body is larger than the limit of {limit} bytes."))
}

/// The HTTP status of an answer.
pub fn status(profile: &Profile, answer: &Answer) -> u16 {
    match answer {
        Ok(reply) => profile.success_status(success(reply)),
        Err(refusal) => refusal_status(profile, refusal),
    }
}

/// The sentence of the document, or the assumption, that decided an answer.
pub fn clause(answer: &Answer) -> Clause {
    match answer {
        Ok(reply) => reply.clause(),
        Err(refusal) => refusal.clause,
    }
}

/// The body of a response, before serialization.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Body<'a> {
    /// The body of a success.
    Reply(&'a Reply),
    /// The body of a refusal.
    Failure(Failure<'a>),
}

/// The body of a response, if it has one.
pub fn body(answer: &Answer) -> Option<Body<'_>> {
    match answer {
        Ok(Reply::Unsubscribed) => None,
        Ok(reply) => Some(Body::Reply(reply)),
        Err(Refusal { message, code, .. }) => {
            Some(Body::Failure(Failure { error: Cow::Borrowed(message), code: code.name() }))
        }
    }
}

/// The bytes of a response's body; empty if it has none.
pub fn written(answer: &Answer) -> Vec<u8> {
    body(answer).as_ref().map_or_else(Vec::new, json)
}

/// Serializes an answer.
pub fn respond(profile: &Profile, answer: &Answer) -> Response {
    Response {
        status: status(profile, answer),
        body: written(answer),
        refused: answer.as_ref().err().map(|refusal| (refusal.code, refusal.clause)),
    }
}

/// For an advance, the document itself states the status of `invoice_not_found`; the profile can't change it
/// (§4 advances rule 5, `4.advances.5`).
fn refusal_status(profile: &Profile, refusal: &Refusal) -> u16 {
    if refusal.clause == clause!("4.advances.5") {
        return 404;
    }
    profile.refusal_status(refusal.code)
}

fn success(reply: &Reply) -> Success {
    match reply {
        Reply::AdvanceRepeated(_) => Success::RepeatAdvance,
        reply => reply.kind().into(),
    }
}

fn json<T: Serialize>(value: &T) -> Vec<u8> {
    serde_json::to_vec(value).expect("an answer has only strings, numbers and booleans")
}

impl Route<'_> {
    /// The operation that a request asks for.
    ///
    /// # Errors
    /// `unsupported_media_type` or `unreadable_request` (media type), `unreadable_request` or
    /// `unreadable_file` (syntax), `too_many_rows`, `invalid_request` (shape, the path's first).
    pub fn decode(&self, content_type: Option<&str>, body: &[u8]) -> Result<Operation, Refusal> {
        self.decode_noting(content_type, body, &mut Vec::new())
    }

    /// The same. Adds to `ignored` a sentence on each field or column of the body that the service ignores, at most
    /// [`MOST_IGNORED`].
    ///
    /// # Errors
    /// As [`Route::decode`].
    pub fn decode_noting(
        &self,
        content_type: Option<&str>,
        body: &[u8],
        ignored: &mut Vec<String>,
    ) -> Result<Operation, Refusal> {
        if self.kind == OperationKind::ImportInvoices {
            return self.decode_import(content_type, body, ignored);
        }
        if self.kind.endpoint().has_body() {
            json_media_type(content_type)?;
        }
        let identifiers = self.identifiers();
        if identifiers.is_err() && self.kind.endpoint().has_body() {
            json_syntax(utf_8(body)?)?;
        }
        let ([first, second], kind) = (identifiers?, self.kind);
        Ok(match kind {
            // `4.invoice.2`
            OperationKind::GetInvoice => Operation::GetInvoice { payee: first, invoice: second },
            OperationKind::SyncInvoice => {
                // `4.invoiceSync.4`
                Operation::SyncInvoice(Box::new(
                    object::<InvoiceSync>(kind, body, ignored)?.of(first),
                ))
            }
            OperationKind::GetImport => Operation::GetImport { import: first },
            OperationKind::ImportInvoices => self.decode_import(content_type, body, ignored)?,
            OperationKind::SetPayoutAccount => {
                // `4.payoutAccount.intro.2`
                object::<PayoutAccount>(kind, body, ignored)?.of(first)
            }
            OperationKind::GetBusiness => Operation::GetBusiness { business: first },
            // `4.businessSync.intro.3`
            OperationKind::SyncBusiness => Operation::SyncBusiness {
                business: first,
                details: object::<BusinessSync>(kind, body, ignored)?.into(),
            },
            OperationKind::RequestAdvance => {
                // `4.advances.intro.1`
                let AdvanceRequest { payee_external_id, invoice_external_id } =
                    object(kind, body, ignored)?;
                Operation::RequestAdvance {
                    payee: payee_external_id.0,
                    invoice: invoice_external_id,
                }
            }
            OperationKind::Quote => {
                // `4.quotes.3`
                let QuoteRequest { external_id, invoice_face_value } = object(kind, body, ignored)?;
                Operation::Quote { business: external_id.0, face_value: invoice_face_value }
            }
            OperationKind::Invite => {
                // `4.invitations.2`
                let InvitationRequest { external_id, email } = object(kind, body, ignored)?;
                Operation::Invite { business: external_id, email }
            }
            OperationKind::CreateOnboardingSession => {
                // `4.sessions.1`
                let SessionRequest { external_id } = object(kind, body, ignored)?;
                Operation::CreateOnboardingSession { business: external_id }
            }
            OperationKind::Subscribe => {
                // `4.webhooks.1`
                let SubscriptionRequest { url, event_types } = object(kind, body, ignored)?;
                Operation::Subscribe { url, event_types, addresses: Vec::new() }
            }
            OperationKind::ListSubscriptions => Operation::ListSubscriptions,
            OperationKind::Unsubscribe => Operation::Unsubscribe { reference: first },
        })
    }

    fn decode_import(
        &self,
        content_type: Option<&str>,
        body: &[u8],
        ignored: &mut Vec<String>,
    ) -> Result<Operation, Refusal> {
        // `gap.csvForm`, `4.imports.intro.1`
        if content_type.is_some_and(|text| !essence(text).eq_ignore_ascii_case("text/csv")) {
            return Err(Refusal::new(Code::UnsupportedMediaType, clause!("4.imports.9.2")));
        }
        let file = import_file::read(body, ignored)?;
        let [import, _] = self.identifiers()?;
        Ok(Operation::ImportInvoices { import, file })
    }
}

/// A media type without its parameters.
fn essence(content_type: &str) -> &str {
    content_type.split(';').next().unwrap_or_default().trim()
}

/// `gap.jsonMediaType`
fn json_media_type(content_type: Option<&str>) -> Result<(), Refusal> {
    let Some(content_type) = content_type else { return Ok(()) };
    let essence = essence(content_type).to_ascii_lowercase();
    let structured = essence.starts_with("application/") && essence.ends_with("+json");
    if essence == "application/json" || structured {
        return Ok(());
    }
    Err(Refusal::new(Code::UnreadableRequest, clause!("gap.jsonMediaType"))
        .because("The body must be sent as application/json."))
}

fn unreadable(why: impl Display) -> Refusal {
    Refusal::new(Code::UnreadableRequest, clause!("7.codes.unreadable_request"))
        .because(format!("The body is not JSON: {why}."))
}

fn utf_8(body: &[u8]) -> Result<&str, Refusal> {
    std::str::from_utf8(body).map_err(|_| unreadable("it is not UTF-8"))
}

/// Checks only the syntax: nesting depth and the size of numbers don't matter.
fn json_syntax(text: &str) -> Result<(), Refusal> {
    serde_json::from_str::<IgnoredAny>(text).map(|_| ()).map_err(unreadable)
}

/// A body of the published form.
fn object<T: DeserializeOwned>(
    kind: OperationKind,
    body: &[u8],
    ignored: &mut Vec<String>,
) -> Result<T, Refusal> {
    let text = utf_8(body)?;
    match ignored::read::<T>(kind, text, ignored) {
        Ok(Object(value)) => Ok(value),
        Err(_) => Err(explain::<T>(kind, text)),
    }
}

/// The value on the way `path` of fields.
fn value_at<'v>(whole: Option<&'v Value>, path: &[String]) -> Option<&'v Value> {
    path.iter().try_fold(whole?, |place, name| place.get(name))
}

/// What is wrong with a body: its syntax, or the first field that does not fit.
fn explain<T: DeserializeOwned>(kind: OperationKind, text: &str) -> Refusal {
    const WHOLE: Clause = clause!("7.codes.invalid_request");
    if let Err(refusal) = json_syntax(text) {
        return refusal;
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    let (problem, clause) = match serde_path_to_error::deserialize::<_, Object<T>>(&mut reader) {
        Ok(_) => ("the body has more than one value".to_owned(), WHOLE),
        Err(error) => {
            let whole = serde_json::from_str(text).ok();
            let path = names(&error);
            let field = find(kind.fields(), path.iter().map(String::as_str));
            let stated = field.map_or(WHOLE, |field| field.clause);
            let is_blank = field.is_some_and(|field| {
                matches!(field.domain(), Domain::Text { least: 0 } | Domain::TaxId)
                    && value_at(whole.as_ref(), &path) == Some(&Value::from(""))
            });
            let clause = if is_blank { clause!("gap.emptyIdentifier") } else { stated };
            (problem(whole.as_ref(), &error), clause)
        }
    };
    // A more lenient service may accept the body.
    let fits = |(_, reading): &(Clause, Value)| T::deserialize(reading).is_ok();
    let assumed = readings(text).into_iter().find(fits).map(|(clause, _)| clause);
    Refusal::new(Code::InvalidRequest, assumed.unwrap_or(clause)).because(problem)
}
