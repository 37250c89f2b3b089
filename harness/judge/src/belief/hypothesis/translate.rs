//! Translates requests to a target into requests to the model.

use std::borrow::Cow;

use tideover_exchange::{Prepared, PreparedAction, PreparedCall};

use crate::belief::hypothesis::Hypothesis;

impl Hypothesis {
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

    /// The same for a request of the partner API. `None` if it is the same.
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
