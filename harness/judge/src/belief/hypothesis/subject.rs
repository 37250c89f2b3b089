//! What a request is about, under the model's names.

use std::borrow::Cow;

use tideover_exchange::{Prepared, PreparedAction, PreparedCall};
use tideover_model::wire::field;
use tideover_model::wire::route::route;
use tideover_model::{Face, Operation, OperationKind, PlatformId};

use crate::belief::amounts::AdvanceKey;
use crate::belief::hypothesis::Hypothesis;

/// The business and the invoice that a request names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subject {
    pub(crate) platform: PlatformId,
    pub(crate) payee: Option<String>,
    pub(crate) invoice: Option<String>,
}

impl Subject {
    /// The business alone.
    #[must_use]
    pub fn business(&self) -> Subject {
        Subject { invoice: None, ..self.clone() }
    }
}

impl Hypothesis {
    pub(crate) fn subject(&self, sent: &Prepared) -> Subject {
        let platform = self.platform_of(sent).unwrap_or(PlatformId::DEFAULT);
        let sent = self.translate(sent);
        let call = match &sent.action {
            PreparedAction::Call(call) => call,
            PreparedAction::Act(fields) => {
                let field = |name| Some(fields.get(name)?.as_str()?.to_owned());
                let (payee, invoice) =
                    (field(field::PAYEE_EXTERNAL_ID), field(field::INVOICE_EXTERNAL_ID));
                return Subject { platform, payee, invoice };
            }
            PreparedAction::Advance(_) | PreparedAction::Deliveries => {
                return Subject { platform, payee: None, invoice: None };
            }
        };
        // What a service takes a request for is what the request is about.
        let call = call.corrected().unwrap_or(call);
        let named = call.operation().map(Operation::subject);
        let payee = named.and_then(|named| named.business().map(str::to_owned));
        let invoice = named.and_then(|named| named.invoice().map(str::to_owned));
        Subject { platform, payee, invoice }
    }

    /// The advance that a request is for.
    pub(super) fn advance(&self, sent: &Prepared) -> Option<AdvanceKey> {
        sent.kind().filter(|kind| *kind == OperationKind::RequestAdvance)?;
        let Subject { platform, payee, invoice } = self.subject(sent);
        let business = self.business(platform, &payee?)?;
        Some(AdvanceKey { platform, business, invoice: invoice? })
    }

    pub(crate) fn platform_of(&self, sent: &Prepared) -> Option<PlatformId> {
        let authorization = sent.authorization.as_deref().map(|text| self.bindings.translate(text));
        self.bare.face().platform_of(authorization.as_deref())
    }

    /// The request with the model's names. Borrowed if it is the same.
    pub(super) fn translate<'a>(&self, sent: &'a Prepared) -> Cow<'a, Prepared> {
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

    /// The path of a request about a subscription, with the model's reference.
    fn with_reference(&self, call: &PreparedCall) -> Option<String> {
        call.asked().kind.filter(|kind| *kind == OperationKind::Unsubscribe)?;
        let [seen, _] = route(&call.method, call.plain_path()).ok()?.identifiers().ok()?;
        let (before, _) = call.path.rsplit_once('/')?;
        Some(format!("{before}/{}", self.bindings.predicted(field::REFERENCE, &seen)?))
    }

    /// The same for a request of the partner API. `None` if it is the same.
    fn translate_call(&self, call: &PreparedCall) -> Option<PreparedCall> {
        let path = match self.with_reference(call) {
            Some(path) => path.into(),
            None => self.bindings.translate(&call.path),
        };
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
