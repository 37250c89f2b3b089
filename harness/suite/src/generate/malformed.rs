//! Malformed requests: each has one thing wrong.

use proptest::bool::weighted;
use serde_json::{Value, json};
use tideover_exchange::step::{Action, Call, Caller, Step};
use tideover_model::OperationKind::{
    CreateOnboardingSession, Invite, Quote, RequestAdvance, Subscribe, SyncBusiness,
};

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
            3 | 4 => self.with_bad_field(),
            5 => self.with_bad_number(),
            6 => self.with_text(
                &["", "{", "[1,", "not json", "{\"legalName\":\"x\"}}"],
                "application/json",
            ),
            7 => self.with_text(&["[\"Acme\"]", "null", "7", "\"x\"", "{}"], "application/json"),
            8 => self.with_text(&["{\"legalName\":\"x\",\"legalName\":\"y\"}"], "application/json"),
            9 => self.with_text(&["{\"legalName\":\"x\"}"], "text/plain"),
            10 => make::set_payout_account(
                "v1",
                self.pick(&["123", "123456789012345678", "12a4", ""]),
                "021000021",
                None,
            ),
            11 => make::subscribe(
                "https://hooks.example.com/x",
                Some(self.pick(&[vec![], vec!["partner.unknown".to_owned()]])),
            ),
            12 => self.bad_quote_of("v1"),
            13 => self.incomplete(),
            14 => self.blank(),
            _ => {
                let body = self.pick(&[json!({}), json!({ "url": 7 }), json!({ "url": null })]);
                make::call(Subscribe, &[], Some(body))
            }
        }
    }

    /// A quote for an empty identifier or an invalid face value.
    fn bad_quote_of(&mut self, business: &str) -> Step {
        let body = self.pick(&[
            json!({ "externalId": business, "invoiceFaceValue": 0 }),
            json!({ "externalId": business, "invoiceFaceValue": 2_147_483_648_u64 }),
            json!({ "externalId": "", "invoiceFaceValue": 1000 }),
        ]);
        make::call(Quote, &[], Some(body))
    }

    /// A request with a missing or invalid identifier.
    fn incomplete(&mut self) -> Step {
        let (kind, body) = self.pick(&[
            (RequestAdvance, json!({ "payeeExternalId": "v1" })),
            (RequestAdvance, json!({ "payeeExternalId": "", "invoiceExternalId": "i1" })),
            (RequestAdvance, json!({ "payeeExternalId": "v1", "invoiceExternalId": 1 })),
            (Invite, json!({ "externalId": "v1" })),
            (Invite, json!({ "email": "ann@vendor.example" })),
            (CreateOnboardingSession, json!({})),
            (CreateOnboardingSession, json!({ "externalId": 7 })),
        ]);
        make::call(kind, &[], Some(body))
    }

    /// An empty name or an empty label.
    fn blank(&mut self) -> Step {
        if self.draw(weighted(0.5)) {
            make::sync_business("v1", "", None, None)
        } else {
            make::set_payout_account("v1", "000123456", "021000021", Some(""))
        }
    }

    fn with_text(&mut self, texts: &[&str], content_type: &str) -> Step {
        let text = self.pick(texts).to_owned();
        let content_type = Some(content_type.to_owned());
        let call = Call::text_of(SyncBusiness, &["v1"], text);
        Step::new(Action::Call(Call { content_type, ..call }))
    }

    fn with_bad_field(&mut self) -> Step {
        let mut step = plain_sync();
        let field = self.pick(&["payee", "payor", "status", "faceValue", "issueDate", "dueDate"]);
        let bad = match self.draw(0_u32..4) {
            0 => None,
            1 => Some(Value::Null),
            2 => Some(json!([])),
            _ => Some(json!(self.draw(values::bad_date()))),
        };
        if let Action::Call(Call { body: Some(Value::Object(body)), .. }) = &mut step.action {
            match bad {
                None => body.remove(field),
                Some(bad) => body.insert(field.to_owned(), bad),
            };
        }
        step
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
