//! Malformed requests: each has one thing wrong.

use tideover_exchange::step::{Action, Call, Caller, Step};
use tideover_model::OperationKind::SyncBusiness;

use crate::generate::requests::InvoiceFields;
use crate::generate::{Walk, requests as make, values};

impl Walk {
    /// A request that is refused before the service decides anything.
    pub(super) fn malformed(&mut self) -> Step {
        match self.draw(0_u32..16) {
            0 => make::list_subscriptions().by(&Caller::Nobody),
            1 => {
                let header = self.pick(&[
                    "Basic cmFwOg==",
                    "Bearer",
                    "Bearer rap_sk_unknown",
                    "rap_sk_local",
                    "",
                ]);
                make::list_subscriptions().by(&Caller::Header(header.to_owned()))
            }
            2 => {
                let (method, path) = self.pick(&[
                    ("GET", "/v1/unknown"),
                    ("PATCH", "/v1/webhooks"),
                    ("GET", "/v2/webhooks"),
                    ("POST", "/v1/invoices/i1"),
                    ("DELETE", "/v1/organizations/v1"),
                ]);
                Step::new(Action::Call(Call::bare(method, path)))
            }
            3 => self.with_bad_number(),
            4 => self.with_text(
                &["", "{", "[1,", "not json", "{\"legalName\":\"x\"}}"],
                "application/json",
            ),
            5 => self.with_text(&["[\"Acme\"]", "null", "7", "\"x\"", "{}"], "application/json"),
            6 => self.with_text(&["{\"legalName\":\"x\",\"legalName\":\"y\"}"], "application/json"),
            7 => self.with_text(&["{\"legalName\":\"x\"}"], "text/plain"),
            _ => self.with_bad_field(),
        }
    }

    fn with_text(&mut self, texts: &[&str], content_type: &str) -> Step {
        let text = self.pick(texts).to_owned();
        let content_type = Some(content_type.to_owned());
        let call = Call::text_of(SyncBusiness, &["v1"], text);
        Step::new(Action::Call(Call { content_type, ..call }))
    }

    /// Sends the number as text, since not every JSON value can hold it.
    fn with_bad_number(&mut self) -> Step {
        let number = self.draw(values::bad_number());
        let mut step = plain_sync();
        if let Action::Call(call) = &mut step.action
            && let Some(body) = call.body.take()
        {
            call.text = Some(
                body.to_string().replace("\"faceValue\":1000", &format!("\"faceValue\":{number}")),
            );
            call.content_type = Some("application/json".into());
        }
        step
    }
}

fn plain_sync() -> Step {
    make::sync_invoice("i1", &InvoiceFields::of("v1"))
}
