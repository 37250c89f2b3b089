//! The routes of the operator port, one entry each. A test compares them with the router.

use crate::openapi::operator::bodies::STATES;
use crate::openapi::operator::problem::Problem;
use crate::openapi::operator::problem::Problem::{
    Invalid, Refused, TooLarge, UnknownAction, UnknownDelivery, UnknownFault, UnknownKey,
    Unreadable,
};
use crate::openapi::operator::property::{Property, text, whole, word};

/// A method on a path.
pub(super) struct Route {
    /// The `operationId`.
    pub(super) name: &'static str,
    /// In lower case.
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    pub(super) tag: &'static str,
    pub(super) summary: &'static str,
    pub(super) about: &'static str,
    /// Those whose names stand in the path are part of it, the others of the query.
    pub(super) parameters: &'static [Property],
    pub(super) body: Option<Request>,
    /// The name of the body of a success, and what it tells.
    pub(super) answer: &'static str,
    pub(super) answers: &'static str,
    pub(super) problems: &'static [Problem],
}

/// The body of a request.
pub(super) struct Request {
    /// The name of its schema.
    pub(super) schema: &'static str,
    pub(super) required: bool,
    /// Name and JSON.
    pub(super) examples: &'static [(&'static str, &'static str)],
}

/// The tags.
pub(super) const TAGS: [(&str, &str); 6] = [
    (OUTSIDE, "What vendors, banks, payors and the operator of the service do."),
    (CLOCK, "The clock of the mock. What is due happens when the clock passes it."),
    (REQUESTS, "What the mock has received."),
    (DELIVERIES, "The webhooks that the mock has sent, or will send."),
    (FAULTS, "Requests that fail on purpose."),
    (ABOUT, "The mock itself."),
];

const OUTSIDE: &str = "Outside world";
const CLOCK: &str = "Clock";
const REQUESTS: &str = "Requests";
const DELIVERIES: &str = "Deliveries";
const FAULTS: &str = "Faults";
const ABOUT: &str = "Mock";

/// All routes.
pub(super) const ROUTES: &[Route] = &[
    Route {
        name: "list_actions",
        method: "get",
        path: "/_sim/actions",
        tag: OUTSIDE,
        summary: "List the actions",
        about: "Each action with what it does, its fields, and an example.",
        parameters: &[],
        body: None,
        answer: "Actions",
        answers: "The actions.",
        problems: &[],
    },
    Route {
        name: "act",
        method: "post",
        path: "/_sim/actions",
        tag: OUTSIDE,
        summary: "Play the outside world",
        about: "`{\"action\": NAME, …}` with the fields of the action.",
        parameters: &[],
        body: Some(Request { schema: "Action", required: true, examples: &[] }),
        answer: "ActionDone",
        answers: "It happened.",
        problems: &[
            UnknownKey,
            TooLarge,
            Unreadable,
            Invalid(
                "amount: invalid type: string, expected a whole number of cents from 1 to 2147483647",
            ),
            UnknownAction,
            Refused("the collection account is not open"),
        ],
    },
    Route {
        name: "read_clock",
        method: "get",
        path: "/_sim/clock",
        tag: CLOCK,
        summary: "Read the clock",
        about: "The time that the mock believes in.",
        parameters: &[],
        body: None,
        answer: "Clock",
        answers: "What the clock shows.",
        problems: &[UnknownKey],
    },
    Route {
        name: "move_clock",
        method: "post",
        path: "/_sim/clock",
        tag: CLOCK,
        summary: "Move the clock forward",
        about: "Everything that is due happens on the way, in order. Each webhook is answered or given up before \
            the clock passes it.",
        parameters: &[],
        body: Some(Request {
            schema: "ClockMove",
            required: true,
            examples: &[("fiveMinutes", r#"{ "advanceSeconds": 300 }"#)],
        }),
        answer: "Clock",
        answers: "What the clock shows afterwards.",
        problems: &[
            UnknownKey,
            TooLarge,
            Unreadable,
            Invalid("expected {\"advanceSeconds\": N}, N a non-negative integer"),
            Refused("the clock is already moving"),
        ],
    },
    Route {
        name: "reset",
        method: "post",
        path: "/_sim/reset",
        tag: ABOUT,
        summary: "Start again",
        about: "Everything is as it was at the start: state, clock, journal, deliveries, faults.",
        parameters: &[],
        body: None,
        answer: "Applied",
        answers: "It is.",
        problems: &[UnknownKey],
    },
    Route {
        name: "health",
        method: "get",
        path: "/_sim/health",
        tag: ABOUT,
        summary: "See whether the mock is up",
        about: "Needs no key.",
        parameters: &[],
        body: None,
        answer: "Health",
        answers: "It is up.",
        problems: &[],
    },
    Route {
        name: "list_keys",
        method: "get",
        path: "/_sim/keys",
        tag: ABOUT,
        summary: "List the API keys",
        about: "The platforms and their keys, without the middle of each key.",
        parameters: &[],
        body: None,
        answer: "Keys",
        answers: "The keys.",
        problems: &[UnknownKey],
    },
    Route {
        name: "read_journal",
        method: "get",
        path: "/_sim/journal",
        tag: REQUESTS,
        summary: "List the last requests",
        about: "The last 1000 requests to the API, each with its answer and the rule that asks for a refusal.",
        parameters: &[],
        body: None,
        answer: "Journal",
        answers: "The requests.",
        problems: &[UnknownKey],
    },
    Route {
        name: "read_freedoms",
        method: "get",
        path: "/_sim/freedoms",
        tag: REQUESTS,
        summary: "See which freedoms the client has met",
        about: "With `serve --grease`, the mock does at random what the API's document leaves a service free to \
            do. This counts how often the client has met each.",
        parameters: &[],
        body: None,
        answer: "Freedoms",
        answers: "The freedoms.",
        problems: &[UnknownKey],
    },
    Route {
        name: "list_deliveries",
        method: "get",
        path: "/_sim/deliveries",
        tag: DELIVERIES,
        summary: "List the last deliveries",
        about: "The last 1000 webhook deliveries, each with its attempts: headers, answer, duration, when the next \
            is due. Parameters choose among them.",
        parameters: &[
            whole("after", "Only from this number on.").optional(),
            text("subscription", "Only of the subscription with this reference.").optional(),
            text("type", "Only events of this type, such as `partner.loan.paid`.").optional(),
            text("payee", "Only about invoices of this payee.").optional(),
            text("invoice", "Only about this invoice.").optional(),
            word("state", STATES, "Only in this state.").optional(),
        ],
        body: None,
        answer: "Deliveries",
        answers: "The deliveries.",
        problems: &[UnknownKey, Invalid("after: expected the number of a delivery, such as 17")],
    },
    Route {
        name: "wait_for_deliveries",
        method: "post",
        path: "/_sim/deliveries/wait",
        tag: DELIVERIES,
        summary: "Wait until all webhooks are sent",
        about: "Answers when nothing is left to be sent now, or after the patience: 30 seconds unless the body says \
            otherwise.",
        parameters: &[],
        body: Some(Request {
            schema: "Patience",
            required: false,
            examples: &[("atMostFiveSeconds", r#"{ "patienceSeconds": 5 }"#)],
        }),
        answer: "Quiet",
        answers: "Whether it is quiet.",
        problems: &[
            UnknownKey,
            TooLarge,
            Unreadable,
            Invalid("expected {\"patienceSeconds\": N}, N an integer from 0 to 3600"),
        ],
    },
    Route {
        name: "resend_delivery",
        method: "post",
        path: "/_sim/deliveries/{id}/resend",
        tag: DELIVERIES,
        summary: "Send a delivery once more",
        about: "At once. Its schedule goes on as it was.",
        parameters: &[text("id", "The delivery: the value of its `Service-Delivery` header.")],
        body: None,
        answer: "Applied",
        answers: "It will be sent.",
        problems: &[UnknownKey, UnknownDelivery, Refused("the subscription is gone")],
    },
    Route {
        name: "list_faults",
        method: "get",
        path: "/_sim/faults",
        tag: FAULTS,
        summary: "List the rules",
        about: "The rules by which requests fail, and how often each acted.",
        parameters: &[],
        body: None,
        answer: "Faults",
        answers: "The rules.",
        problems: &[UnknownKey],
    },
    Route {
        name: "add_faults",
        method: "post",
        path: "/_sim/faults",
        tag: FAULTS,
        summary: "Add a rule, or several",
        about: "For the requests of all platforms. Nothing is added if any of them is impossible.",
        parameters: &[],
        body: Some(Request {
            schema: "FaultsAdded",
            required: true,
            examples: &[
                (
                    "lostAnswer",
                    r#"{ "act": "connectionDrops", "when": "afterCommit", "operation": "request_advance", "nth": 1 }"#,
                ),
                (
                    "several",
                    r#"{ "rules": [{ "act": "answerDelayed", "milliseconds": 200, "percent": 10 },
                        { "act": "importStops", "afterRows": 1, "identifier": "january" }] }"#,
                ),
            ],
        }),
        answer: "FaultIds",
        answers: "The rules are added.",
        problems: &[
            UnknownKey,
            TooLarge,
            Unreadable,
            Invalid("percent: expected a whole number from 1 to 100"),
            Refused("a world has at most 100 rules of faults; delete some first"),
        ],
    },
    Route {
        name: "clear_faults",
        method: "delete",
        path: "/_sim/faults",
        tag: FAULTS,
        summary: "Remove all rules",
        about: "No request fails on purpose any more.",
        parameters: &[],
        body: None,
        answer: "Applied",
        answers: "They are removed.",
        problems: &[UnknownKey],
    },
    Route {
        name: "remove_fault",
        method: "delete",
        path: "/_sim/faults/{id}",
        tag: FAULTS,
        summary: "Remove a rule",
        about: "The others keep their numbers.",
        parameters: &[whole("id", "The number of the rule.")],
        body: None,
        answer: "Applied",
        answers: "It is removed.",
        problems: &[UnknownKey, UnknownFault],
    },
    Route {
        name: "read_partner_api",
        method: "get",
        path: "/_sim/openapi.json",
        tag: ABOUT,
        summary: "Read the OpenAPI document of the API",
        about: "With its webhooks, and with examples. Its statuses are those of this mock's profile.",
        parameters: &[],
        body: None,
        answer: "OpenApi",
        answers: "The document.",
        problems: &[UnknownKey],
    },
    Route {
        name: "read_operator_port",
        method: "get",
        path: "/_sim/operator.json",
        tag: ABOUT,
        summary: "Read this document",
        about: "Needs no key.",
        parameters: &[],
        body: None,
        answer: "OpenApi",
        answers: "The document.",
        problems: &[],
    },
];
