//! A request with its response, and with the model's response.

use std::sync::Arc;

use serde_json::Value;
use tideover_model::wire::field;
use tideover_model::{ActionKind, Clause, Code, Operation, OperationKind, PlatformId, Timestamp};

use crate::exchange::{Arrival, Body, Prepared, PreparedCall, Seen};

/// One exchange: what was sent, what was answered, what the shadow model answers.
#[derive(Clone)]
pub struct Exchange<'a> {
    /// What was sent to the target.
    pub sent: &'a Prepared,
    /// What the target answered.
    pub seen: &'a Seen,
    /// What the shadow answers.
    pub predicted: &'a Seen,
    /// The code with which the shadow refuses, if it does, and the clause that asks for it.
    pub predicted_refusal: Option<(Code, Clause)>,
    /// The platform of its key, by the model. `None` if the key was never issued.
    pub platform: Option<PlatformId>,
    /// Whether requests were left without an answer that may be carried out still.
    pub unsettled: bool,
    /// What the clock showed before the step.
    pub since: Timestamp,
    /// What it shows after it.
    pub now: Timestamp,
    /// How far the target's own clock is ahead of that; `None` while its time is unknown. Seconds.
    pub ahead: Option<i64>,
    /// What came to the inbox with the step.
    pub arrivals: &'a [Arrival],
    /// What came to the shadow's.
    pub predicted_arrivals: &'a [Arrival],
    /// What only a target in process lets be seen.
    pub inside: Option<&'a Inside>,
}

/// What is seen of a target in process.
#[derive(Clone, Debug)]
pub struct Inside {
    /// Whether anything of the service is not as it was before.
    pub changed: bool,
    /// What its books say.
    pub audit: Result<(), String>,
}

impl<'a> Exchange<'a> {
    /// An exchange of which nothing else is known.
    pub(crate) fn alone(sent: &'a Prepared, seen: &'a Seen, now: Timestamp) -> Exchange<'a> {
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
            inside: None,
        }
    }

    /// The request, if the step was one.
    pub fn call(&self) -> Option<&'a PreparedCall> {
        self.sent.call()
    }

    /// The operation that was asked for, if it was one.
    pub fn kind(&self) -> Option<OperationKind> {
        self.sent.kind()
    }

    /// The body of a success of `kind`.
    pub(crate) fn success_of(&self, kind: OperationKind) -> Option<&'a Arc<Value>> {
        match &self.seen.body {
            Body::Json(json) if self.kind() == Some(kind) && self.seen.is_success() => Some(json),
            Body::Empty | Body::Json(_) | Body::Other(_) => None,
        }
    }

    /// What the target's own clock shows, as far as that is known. Unix seconds.
    pub(crate) fn its_time(&self, ours: Timestamp) -> Option<u64> {
        Some(ours.unix_unsigned().saturating_add_signed(self.ahead?))
    }

    /// The action of the operator port that was asked for, if it is a known one.
    pub fn acts(&self) -> Option<ActionKind> {
        self.sent.acts()
    }

    /// What was asked for, as findings name it.
    pub(crate) fn operation(&self) -> String {
        self.sent.operation()
    }

    /// The request's body, if it is JSON.
    pub(crate) fn sent_json(&self) -> Option<&Value> {
        self.call()?.body().json()
    }

    /// The identifiers of the vendor and the invoice that an advance is asked for.
    pub(crate) fn asked_advance(&self) -> Option<(String, String)> {
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

    /// The face value that a quote is asked for. Cents.
    pub(crate) fn quoted_face(&self) -> Option<i64> {
        match self.call()?.operation() {
            Some(Operation::Quote { face_value, .. }) => Some(face_value.cents().0),
            Some(_) => None,
            None => self.sent_json()?.get(field::INVOICE_FACE_VALUE)?.as_i64(),
        }
    }

    /// The tax id that a business is synced with.
    pub(crate) fn synced_tax_id(&self) -> Option<String> {
        match self.call()?.operation() {
            Some(Operation::SyncBusiness { details, .. }) => details.tax_id.clone(),
            Some(_) => None,
            None => self.sent_field(field::TAX_ID),
        }
    }

    /// A string of the request's JSON body.
    pub fn sent_field(&self, name: &str) -> Option<String> {
        Some(self.sent_json()?.get(name)?.as_str()?.to_owned())
    }
}
