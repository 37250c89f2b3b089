//! Defects of failures: the shape of the body, the documented statuses.

use serde_json::{Map, Value, json};
use tideover_model::exchange::{Response, respond};
use tideover_model::wire::reply::{BusinessSynced, Reply};
use tideover_model::{
    Answer, BusinessDetails, Code, Contact, Operation, OperationKind, Profile, clause,
};

use crate::defects::Defect;
use crate::defects::breach::{answer, encoding};

pub(super) static DEFECTS: &[Defect] = &[
    Defect::new(
        "unknown-path-answers-html",
        clause!("7.shape.1"),
        "an unknown path is answered with a page of HTML",
        encoding(|profile, answer| {
            let mut response = respond(profile, answer);
            if is(answer, Code::UnknownEndpoint) {
                response.body = b"<html><h1>Not Found</h1></html>".to_vec();
            }
            response
        }),
    ),
    Defect::new(
        "error-is-an-object",
        clause!("7.shape.error"),
        "error is an object with a message when the body is too large",
        encoding(|profile, answer| {
            failed(profile, answer, Code::PayloadTooLarge, |body| {
                let message = body.remove("error");
                body.insert("error".to_owned(), json!({ "message": message }));
            })
        }),
    ),
    Defect::new(
        "code-is-missing",
        clause!("7.shape.code"),
        "a provider failure is answered without a code",
        encoding(|profile, answer| {
            failed(profile, answer, Code::UpstreamFailed, |body| {
                body.remove("code");
            })
        }),
    ),
    restated!("bad-request-is-422", "7.codes.invalid_request", InvalidRequest => 422,
        "a body that violates the schema is answered with 422"),
    restated!("bad-json-is-422", "7.codes.unreadable_request", UnreadableRequest => 422,
        "a body that is not JSON is answered with 422"),
    restated!("bad-key-is-403", "7.codes.unauthorized", Unauthorized => 403,
        "an invalid key is answered with 403"),
    restated!("large-body-is-400", "7.codes.payload_too_large", PayloadTooLarge => 400,
        "a body over the limit is answered with 400"),
    restated!("failing-provider-is-500", "7.codes.upstream_failed", UpstreamFailed => 500,
        "a provider failure is answered with 500"),
    restated!("unknown-path-is-405", "7.codes.unknown_endpoint", UnknownEndpoint => 405,
        "an unknown path is answered with 405"),
    restated!("unknown-business-is-410", "7.codes.business_not_found", BusinessNotFound => 410,
        "a business that is not synced is answered with 410")
    .named_as(clause!("4.advances.5")),
    restated!("unfinanceable-invoice-is-422", "7.codes.invoice_not_financeable", InvoiceNotFinanceable => 422,
        "an invoice that cannot be financed is answered with 422"),
    restated!("ineligible-business-is-403", "7.codes.business_not_eligible", BusinessNotEligible => 403,
        "a business that lacks a requirement is answered with 403"),
    restated!("limit-is-422", "7.codes.concentration_exceeded", ConcentrationExceeded => 422,
        "an advance over the limit is answered with 422"),
    restated!("known-webhook-is-400", "7.codes.already_subscribed", AlreadySubscribed => 400,
        "an endpoint that is subscribed already is answered with 400"),
    restated(
        "unknown-invoice-of-an-advance-is-400",
        clause!("4.advances.5"),
        "an advance on an invoice that is not synced is answered with 400, not 404",
        |profile, answer| {
            let mut response = respond(profile, answer);
            let is_unknown_invoice = |refusal: &tideover_model::Refusal| {
                refusal.code == Code::InvoiceNotFound && refusal.clause == clause!("4.advances.5")
            };
            if answer.as_ref().is_err_and(is_unknown_invoice) {
                response.status = 400;
            }
            response
        },
    )
    .named_as(clause!("4.advances.5")),
    Defect::new(
        "large-bodies-are-read",
        clause!("8.requestBodySize"),
        "a body over the limit is answered with a success",
        encoding(|profile, answer| {
            accepted(profile, answer, Code::PayloadTooLarge, || {
                Reply::BusinessSynced(BusinessSynced {
                    external_id: "v1".to_owned(),
                    created: false,
                    reason: "The identifier was already linked.",
                    tax_id_result: None,
                })
            })
        }),
    ),
    Defect::new(
        "refused-advance-leaves-a-business-behind",
        clause!("7.retrying.2"),
        "a refused advance creates a business",
        answer(|behind, operation| {
            let advance = operation.kind() == OperationKind::RequestAdvance;
            let answer = behind.answer(operation);
            if advance && answer.is_err() {
                let details = BusinessDetails {
                    legal_name: "Left behind".into(),
                    tax_id: None,
                    contact: Contact::default(),
                };
                // The result does not matter.
                let _ = behind
                    .answer(Operation::SyncBusiness { business: "left-behind".into(), details });
            }
            answer
        }),
    ),
    restated(
        "validation-has-a-shape-of-its-own",
        clause!("7.shape.1"),
        "a body that violates the schema is answered with a list of problems and no code",
        |profile, answer| {
            failed(profile, answer, Code::InvalidRequest, |body| {
                let message = body.remove("error");
                body.clear();
                body.insert("detail".to_owned(), json!([{ "msg": message }]));
            })
        },
    )
    .named_as(clause!("7.shape.error")),
    restated(
        "bad-json-is-a-crash",
        clause!("7.shape.1"),
        "a body that is not JSON is answered with 500 and plain text",
        |profile, answer| {
            let mut response = with_status(profile, answer, Code::UnreadableRequest, 500);
            if is(answer, Code::UnreadableRequest) {
                response.body = b"Internal Server Error".to_vec();
            }
            response
        },
    ),
    restated(
        "bad-json-is-answered-as-a-bad-field",
        clause!("7.codes.unreadable_request"),
        "a body that is not JSON is answered with invalid_request",
        |profile, answer| {
            failed(profile, answer, Code::UnreadableRequest, |body| {
                body.insert("code".to_owned(), json!(Code::InvalidRequest.name()));
            })
        },
    )
    .named_as(clause!("gap.jsonMediaType")),
    restated(
        "code-is-in-upper-case",
        clause!("7.shape.code"),
        "the code for a business that is not synced is in upper case",
        |profile, answer| {
            failed(profile, answer, Code::BusinessNotFound, |body| {
                let upper = Code::BusinessNotFound.name().to_uppercase();
                body.insert("code".to_owned(), json!(upper));
            })
        },
    )
    .named_as(clause!("4.advances.5")),
    Defect::new(
        "bad-key-is-worth-a-retry",
        clause!("7.retrying.1"),
        "an invalid key is answered as a provider failure, as if a retry could help",
        encoding(|profile, answer| {
            failed(profile, answer, Code::Unauthorized, |body| {
                body.insert("code".to_owned(), json!(Code::UpstreamFailed.name()));
            })
        }),
    )
    .named_as(clause!("5.authentication.3")),
];

const fn restated(
    name: &'static str,
    clause: tideover_model::Clause,
    words: &'static str,
    encode: tideover_model::exchange::Encoding,
) -> Defect {
    Defect::new(name, clause, words, encoding(encode))
}

fn is(answer: &Answer, code: Code) -> bool {
    answer.as_ref().is_err_and(|refusal| refusal.code == code)
}

/// Gives a refusal with `code` another status.
fn with_status(profile: &Profile, answer: &Answer, code: Code, status: u16) -> Response {
    let mut response = respond(profile, answer);
    if is(answer, code) {
        response.status = status;
    }
    response
}

/// Alters the body of a refusal with `code`.
fn failed(
    profile: &Profile,
    answer: &Answer,
    code: Code,
    alter: impl FnOnce(&mut Map<String, Value>),
) -> Response {
    let mut response = respond(profile, answer);
    if is(answer, code)
        && let Ok(mut body) = serde_json::from_slice::<Map<String, Value>>(&response.body)
    {
        alter(&mut body);
        response.body = Value::Object(body).to_string().into_bytes();
    }
    response
}

/// Alters the body of a success.
pub(super) fn rewritten(
    profile: &Profile,
    answer: &Answer,
    alter: impl FnOnce(&Reply, &mut Value) -> Option<()>,
) -> Response {
    let mut response = respond(profile, answer);
    if let Ok(reply) = answer
        && let Ok(mut body) = serde_json::from_slice::<Value>(&response.body)
        && alter(reply, &mut body).is_some()
    {
        response.body = body.to_string().into_bytes();
    }
    response
}

/// Answers a refusal with `code` as a success.
pub(super) fn accepted(
    profile: &Profile,
    answer: &Answer,
    code: Code,
    reply: impl FnOnce() -> Reply,
) -> Response {
    replaced(profile, answer, is(answer, code), || Ok(reply()))
}

/// Answers with `other` if that `is_due`.
pub(super) fn replaced(
    profile: &Profile,
    answer: &Answer,
    is_due: bool,
    other: impl FnOnce() -> Answer,
) -> Response {
    if is_due { respond(profile, &other()) } else { respond(profile, answer) }
}
