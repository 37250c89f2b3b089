//! Liberties in how a request is read, and in which of several refusals it gets.

use serde_json::Value;
use tideover_exchange::{PreparedCall, Response, read_forms};
use tideover_model::wire::field;
use tideover_model::wire::lenient::most_lenient_file;
use tideover_model::wire::reply::{Invoice, Reply};
use tideover_model::{Code, Operation, OperationKind, Refusal, clause};

use crate::right::free::refused;
use crate::right::liberties::json::kind_of;
use crate::right::liberty::{Inside, Liberty};

/// JSON under any media type.
pub(super) struct AnyMediaType;

impl Liberty for AnyMediaType {
    fn takes(&mut self, call: &PreparedCall) -> Option<PreparedCall> {
        let kind = kind_of(call)?;
        serde_json::from_slice::<Value>(call.body()).ok()?;
        (kind != OperationKind::ImportInvoices).then(|| call.without_media_type())
    }
}

/// The business of the path is looked for before anything else of the request is read.
pub(super) struct BusinessFirst;

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

/// A slash is a part of the identifier at the end of a path.
pub(super) struct SlashesInNames;

impl Liberty for SlashesInNames {
    fn takes(&mut self, call: &PreparedCall) -> Option<PreparedCall> {
        let is_served = |call: &PreparedCall| kind_of(call).is_some();
        if is_served(call) { None } else { call.with_longer_names().find(is_served) }
    }
}

/// Slashes that name nothing are overlooked, or the caller is sent to the path without them.
pub(super) struct UntidyPaths {
    pub(super) redirect: Option<u16>,
}

impl UntidyPaths {
    fn tidied(call: &PreparedCall) -> Option<PreparedCall> {
        let is_served = |call: &PreparedCall| kind_of(call).is_some();
        Some(call.tidied()).filter(|tidied| !is_served(call) && is_served(tidied))
    }
}

impl Liberty for UntidyPaths {
    fn takes(&mut self, call: &PreparedCall) -> Option<PreparedCall> {
        Self::tidied(call).filter(|_| self.redirect.is_none())
    }

    fn instead(&mut self, _: u64, call: &PreparedCall, _: &mut Inside<'_>) -> Option<Response> {
        Self::tidied(call)?;
        Some(Response::new(self.redirect?, b""))
    }
}

/// The server refuses a path that spells no text, and knows no codes.
pub(super) struct MisspeltPaths;

impl Liberty for MisspeltPaths {
    fn instead(&mut self, _: u64, call: &PreparedCall, _: &mut Inside<'_>) -> Option<Response> {
        call.is_misspelt().then(|| Response::new(400, b"Bad Request"))
    }
}

/// The key is examined before the path.
pub(super) struct KeyFirst;

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

/// The invoice that an advance is requested against, if it has none yet.
fn unadvanced(call: &PreparedCall, inside: &mut Inside<'_>) -> Option<Box<Invoice>> {
    let Some(Operation::RequestAdvance { payee, invoice }) = call.operation() else { return None };
    let (payee, invoice) = (payee.clone(), invoice.clone());
    match inside.handle(Operation::GetInvoice { payee, invoice })? {
        Ok(Reply::Invoice(invoice)) => Some(invoice).filter(|shown| shown.advance.is_none()),
        _ => None,
    }
}

/// The refusal of a request with a valid key that `is_invalid`.
fn invalid(inside: &Inside<'_>, is_invalid: bool) -> Option<Response> {
    (inside.knows_caller() && is_invalid).then(|| refused(400, Code::InvalidRequest.name()))
}

/// Of several reasons against an advance, not always the first one.
pub(super) struct OtherObjection {
    pub(super) salt: u64,
}

impl Liberty for OtherObjection {
    fn instead(
        &mut self,
        _: u64,
        call: &PreparedCall,
        inside: &mut Inside<'_>,
    ) -> Option<Response> {
        unadvanced(call, inside)?;
        let Some(Operation::RequestAdvance { payee, invoice }) = call.operation() else {
            return None;
        };
        // The same request is refused for the same reason (`7.retrying.2`).
        let drawn = invoice.bytes().map(u64::from).sum::<u64>();
        let mut objections = inside.objections(payee, invoice);
        if objections.len() < 2 {
            return None;
        }
        let which = usize::try_from(self.salt ^ drawn).unwrap_or(0) % objections.len();
        Some(inside.refuse(objections.swap_remove(which)))
    }
}

/// What has not the form of its kind does not match the schema.
pub(super) struct MalformedIsInvalid;

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
pub(super) struct UnknownPayee;

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
pub(super) struct LeastFaceValue {
    pub(super) cents: u64,
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
        let invoice = unadvanced(call, inside)?;
        let refusal =
            Refusal::new(Code::InvoiceNotFinanceable, clause!("7.codes.invoice_not_financeable"));
        self.refuses(invoice.face_value.0).then(|| inside.refuse(refusal))
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
pub(super) struct LenientJson;

/// A value without the members that are null.
fn without_nulls(value: Value) -> Value {
    let Value::Object(object) = value else { return value };
    let kept = object.into_iter().filter(|(_, value)| !value.is_null());
    kept.map(|(name, value)| (name, without_nulls(value))).collect()
}

impl Liberty for LenientJson {
    fn takes(&mut self, call: &PreparedCall) -> Option<PreparedCall> {
        let kind = kind_of(call)?;
        if kind == OperationKind::ImportInvoices {
            return None;
        }
        let mut body: Value = serde_json::from_slice(call.body()).ok().filter(Value::is_object)?;
        read_forms(&mut body);
        let mut body = without_nulls(body).to_string().into_bytes();
        // What is dropped still counts for the limit of a body.
        body.resize(body.len().max(call.body().len()), b' ');
        Some(call.with_body(body))
    }
}

/// Files in another encoding than UTF-8, and numbers in any form.
pub(super) struct LenientFiles;

impl Liberty for LenientFiles {
    fn takes(&mut self, call: &PreparedCall) -> Option<PreparedCall> {
        let is_import = kind_of(call)? == OperationKind::ImportInvoices;
        let file = is_import.then(|| most_lenient_file(call.body())).flatten()?;
        Some(call.with_body(file))
    }
}

/// A byte order mark makes a file unreadable.
pub(super) struct NoByteOrderMark;

impl Liberty for NoByteOrderMark {
    fn instead(
        &mut self,
        _: u64,
        call: &PreparedCall,
        inside: &mut Inside<'_>,
    ) -> Option<Response> {
        let is_import = kind_of(call)? == OperationKind::ImportInvoices;
        let is_marked = is_import && call.body().starts_with("\u{feff}".as_bytes());
        let refusal = Refusal::new(Code::UnreadableFile, clause!("4.imports.9"));
        (is_marked && inside.knows_caller()).then(|| inside.refuse(refusal))
    }
}

/// A path in which an identifier is empty is no path of the API.
pub(super) struct EmptyNamesNothing;

impl Liberty for EmptyNamesNothing {
    fn instead(
        &mut self,
        _: u64,
        call: &PreparedCall,
        inside: &mut Inside<'_>,
    ) -> Option<Response> {
        let is_gap = call.plain_path().split('/').skip(1).any(str::is_empty);
        (is_gap && inside.knows_caller()).then(|| refused(404, Code::UnknownEndpoint.name()))
    }
}

/// A member that the document does not show does not match the published schema.
pub(super) struct StrictMembers;

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
        invalid(inside, has_unknown)
    }
}

/// Long texts do not match the published schema.
pub(super) struct ShortTexts {
    pub(super) most: u64,
}

impl Liberty for ShortTexts {
    fn instead(
        &mut self,
        _: u64,
        call: &PreparedCall,
        inside: &mut Inside<'_>,
    ) -> Option<Response> {
        kind_of(call)?;
        let most = usize::try_from(self.most).unwrap_or(usize::MAX);
        invalid(inside, call.has_text_longer_than(most))
    }
}
