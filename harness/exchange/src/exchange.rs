//! A request, its response, and the response that the model predicts.

use std::sync::Arc;

use serde_json::Value;
use tideover_model::wire::field;
use tideover_model::{
    ActionKind, Clause, Code, Operation, OperationKind, PlatformId, Subject, Timestamp,
};

use crate::{Arrival, Body, Prepared, PreparedCall, Response};

/// One exchange: the request, the response, and the model's prediction.
#[derive(Clone)]
pub struct Exchange<'a> {
    pub sent: &'a Prepared,
    pub seen: &'a Response,
    pub predicted: &'a Response,
    /// The code with which the model refuses the request, if it does, and the clause that requires it.
    pub predicted_refusal: Option<(Code, Clause)>,
    /// The platform whose key the request carried, according to the model. `None` if the key was never
    /// issued.
    pub platform: Option<PlatformId>,
    /// Whether an earlier request without a response may take effect now, or later.
    pub unsettled: bool,
    pub since: Timestamp,
    pub now: Timestamp,
    /// How many seconds the target's own clock is ahead of `now`. `None` until a response shows its time.
    pub ahead: Option<i64>,
    pub arrivals: &'a [Arrival],
    pub predicted_arrivals: &'a [Arrival],
    /// Whether the inbox is proven to work: a webhook or a test has come to it in this run.
    pub inbox_works: bool,
    pub inside: Option<&'a Inside>,
}

/// The internal state of an in-process target.
#[derive(Clone, Debug)]
pub struct Inside {
    pub changed: bool,
    pub audit: Result<(), String>,
}

impl<'a> Exchange<'a> {
    /// An exchange without any context.
    pub fn alone(sent: &'a Prepared, seen: &'a Response, now: Timestamp) -> Exchange<'a> {
        Exchange {
            sent,
            seen,
            predicted: seen,
            predicted_refusal: None,
            platform: None,
            unsettled: true,
            since: now,
            now,
            ahead: Some(0),
            arrivals: &[],
            predicted_arrivals: &[],
            inbox_works: false,
            inside: None,
        }
    }

    pub fn call(&self) -> Option<&'a PreparedCall> {
        self.sent.call()
    }

    pub fn kind(&self) -> Option<OperationKind> {
        self.sent.kind()
    }

    pub fn success_of(&self, kind: OperationKind) -> Option<&'a Arc<Value>> {
        match &self.seen.body {
            Body::Json(json) if self.kind() == Some(kind) && self.seen.is_success() => Some(json),
            Body::Empty | Body::Json(_) | Body::Other(_) => None,
        }
    }

    /// The target's own time at `ours`, if it is known. Unix seconds.
    pub fn its_time(&self, ours: Timestamp) -> Option<u64> {
        Some(ours.unix_unsigned().saturating_add_signed(self.ahead?))
    }

    /// The action of the operator port that was asked for, if it is a known one.
    pub fn acts(&self) -> Option<ActionKind> {
        self.sent.acts()
    }

    pub fn operation(&self) -> String {
        self.sent.operation()
    }

    /// What the request is about, if it is an operation that the model understands.
    pub fn subject(&self) -> Option<Subject<'_>> {
        Some(self.call()?.operation()?.subject())
    }

    pub fn sent_json(&self) -> Option<&Value> {
        self.call()?.body().json()
    }

    /// The vendor and the invoice of a requested advance, as identifiers.
    pub fn asked_advance(&self) -> Option<(String, String)> {
        match self.call()?.operation() {
            Some(Operation::RequestAdvance { payee, invoice }) => {
                Some((payee.clone(), invoice.clone()))
            }
            Some(_) => None,
            None => self
                .sent_field(field::PAYEE_EXTERNAL_ID)
                .zip(self.sent_field(field::INVOICE_EXTERNAL_ID)),
        }
    }

    /// The face value of a requested quote. Cents.
    pub fn quoted_face(&self) -> Option<i64> {
        match self.call()?.operation() {
            Some(Operation::Quote { face_value, .. }) => Some(face_value.cents().0),
            Some(_) => None,
            None => self.sent_json()?.get(field::INVOICE_FACE_VALUE)?.as_i64(),
        }
    }

    pub fn synced_tax_id(&self) -> Option<String> {
        match self.call()?.operation() {
            Some(Operation::SyncBusiness { details, .. }) => details.tax_id.clone(),
            Some(_) => None,
            None => self.sent_field(field::TAX_ID),
        }
    }

    pub fn sent_field(&self, name: &str) -> Option<String> {
        Some(self.sent_json()?.get(name)?.as_str()?.to_owned())
    }
}
