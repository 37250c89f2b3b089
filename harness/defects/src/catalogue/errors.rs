//! Defects of failures: the shape of the body, the documented statuses.

use serde_json::json;
use tideover_model::exchange::respond;
use tideover_model::wire::reply::{BusinessSynced, Reply};
use tideover_model::{BusinessDetails, Code, Contact, Operation, OperationKind, clause};

use crate::catalogue::texts::{is, with_status};
use crate::hooks::{answer, encoding};

defects! {
    "unknown-path-answers-html", "7.shape.1",
        "an unknown path is answered with a page of HTML",
        encoding(&|profile, answer| {
            let mut response = respond(profile, answer);
            if is(answer, Code::UnknownEndpoint) {
                response.body = b"<html><h1>Not Found</h1></html>".to_vec();
            }
            response
        });
    "error-is-an-object", "7.shape.error",
        "error is an object with a message when the body is too large",
        failure!(PayloadTooLarge, |body| {
            let message = body.remove("error");
            body.insert("error".to_owned(), json!({ "message": message }));
        });
    "code-is-missing", "7.shape.code",
        "a provider failure is answered without a code",
        failure!(UpstreamFailed, |body| body.remove("code"));
    "bad-request-is-422", "7.codes.invalid_request",
        "a body that violates the schema is answered with 422",
        status!(InvalidRequest => 422);
    "bad-json-is-422", "7.codes.unreadable_request",
        "a body that is not JSON is answered with 422",
        status!(UnreadableRequest => 422);
    "bad-key-is-403", "7.codes.unauthorized",
        "an invalid key is answered with 403",
        status!(Unauthorized => 403);
    "large-body-is-400", "7.codes.payload_too_large",
        "a body over the limit is answered with 400",
        status!(PayloadTooLarge => 400);
    "failing-provider-is-500", "7.codes.upstream_failed",
        "a provider failure is answered with 500",
        status!(UpstreamFailed => 500);
    "unknown-path-is-405", "7.codes.unknown_endpoint",
        "an unknown path is answered with 405",
        status!(UnknownEndpoint => 405);
    "unknown-business-is-410", "7.codes.business_not_found",
        "a business that is not synced is answered with 410",
        status!(BusinessNotFound => 410);
    "unfinanceable-invoice-is-422", "7.codes.invoice_not_financeable",
        "an invoice that cannot be financed is answered with 422",
        status!(InvoiceNotFinanceable => 422);
    "ineligible-business-is-403", "7.codes.business_not_eligible",
        "a business that lacks a requirement is answered with 403",
        status!(BusinessNotEligible => 403);
    "limit-is-422", "7.codes.concentration_exceeded",
        "an advance over the limit is answered with 422",
        status!(ConcentrationExceeded => 422);
    "known-webhook-is-400", "7.codes.already_subscribed",
        "an endpoint that is subscribed already is answered with 400",
        status!(AlreadySubscribed => 400);
    "unknown-invoice-of-an-advance-is-400", "4.advances.5",
        "an advance on an invoice that is not synced is answered with 400, not 404",
        encoding(&|profile, answer| {
            let is_of_an_advance =
                answer.as_ref().is_err_and(|refusal| refusal.clause == clause!("4.advances.5"));
            let mut response = respond(profile, answer);
            if is_of_an_advance && is(answer, Code::InvoiceNotFound) {
                response.status = 400;
            }
            response
        });
    "large-bodies-are-read", "8.requestBodySize",
        "a body over the limit is answered with a success",
        accepted!(PayloadTooLarge => Reply::BusinessSynced(BusinessSynced {
            external_id: "v1".to_owned(),
            created: false,
            reason: "The identifier was already linked.",
            tax_id_result: None,
        }));
    "refused-advance-leaves-a-business-behind", "7.retrying.2",
        "a refused advance creates a business",
        answer(&|inner, operation| {
            let advance = operation.kind() == OperationKind::RequestAdvance;
            let answer = inner.answer(operation);
            if advance && answer.is_err() {
                let details = BusinessDetails {
                    legal_name: "Left behind".into(),
                    tax_id: None,
                    contact: Contact::default(),
                };
                // The result does not matter.
                let _ = inner
                    .answer(Operation::SyncBusiness { business: "left-behind".into(), details });
            }
            answer
        });
    "validation-has-a-shape-of-its-own", "7.shape.1", as "7.shape.error",
        "a body that violates the schema is answered with a list of problems and no code",
        failure!(InvalidRequest, |body| {
            let message = body.remove("error");
            body.clear();
            body.insert("detail".to_owned(), json!([{ "msg": message }]));
        });
    "bad-json-is-a-crash", "7.shape.1",
        "a body that is not JSON is answered with 500 and plain text",
        encoding(&|profile, answer| {
            let mut response = with_status(profile, answer, Code::UnreadableRequest, 500);
            if is(answer, Code::UnreadableRequest) {
                response.body = b"Internal Server Error".to_vec();
            }
            response
        });
    "bad-json-is-answered-as-a-bad-field", "7.codes.unreadable_request", as "gap.jsonMediaType",
        "a body that is not JSON is answered with invalid_request",
        failure!(UnreadableRequest, |body| {
            body.insert("code".to_owned(), json!(Code::InvalidRequest.name()))
        });
    "code-is-in-upper-case", "7.shape.code", as "4.quotes.6",
        "the code for a business that is not synced is in upper case",
        failure!(BusinessNotFound, |body| {
            let upper = Code::BusinessNotFound.name().to_uppercase();
            body.insert("code".to_owned(), json!(upper));
        });
    "bad-key-is-worth-a-retry", "7.retrying.1", as "5.authentication.3",
        "an invalid key is answered as a provider failure, as if a retry could help",
        failure!(Unauthorized, |body| {
            body.insert("code".to_owned(), json!(Code::UpstreamFailed.name()))
        });
}
