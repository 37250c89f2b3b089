//! The routes of the operator port, one entry each. A test compares them with the router.

use serde_json::Value;
use tideover_model::wire::action::{Applied, Done};
use utoipa::ToSchema;

use crate::control::answers::{
    Actions, ClockShown, Counted, Deleted, Health, Keys, Objections, Saved,
};
use crate::control::clauses::Clauses;
use crate::control::clock::ClockMoved;
use crate::control::conduct::ConductView;
use crate::control::faults::{FaultIds, Faults};
use crate::control::past::{PartingView, PastView};
use crate::control::worlds::{Fork, NewWorld, Reset, WorldMade, WorldView};
use crate::grease::CoverageView;
use crate::openapi::operator::any_action;
use crate::openapi::operator::bodies::{
    Archive, Changes, ClockMove, Deliveries, FaultsAdded, Journal, OpenApi, Patience,
    RequestsWanted, Snapshot, Worlds,
};
use crate::openapi::operator::parameter::{Parameter, flag, state, text, whole};
use crate::openapi::operator::problem::Problem;
use crate::openapi::operator::problem::Problem::{
    Invalid, Refused, TooLarge, UnknownAction, UnknownBusiness, UnknownDelivery, UnknownEntry,
    UnknownFault, UnknownInvoice, UnknownKey, UnknownWorld, Unreadable,
};
use crate::openapi::schemas::Schemas;
use crate::page::Shown;
use crate::world::{Difference, Intervened, Quiet, Waited};

/// A method on a path.
#[derive(Clone, Copy)]
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
    pub(super) parameters: &'static [Parameter],
    pub(super) body: Option<Request>,
    /// Adds the schema of the body of a success.
    pub(super) answer: fn(&mut Schemas) -> Value,
    /// What it tells.
    pub(super) answers: &'static str,
    pub(super) problems: &'static [Problem],
}

/// Name and JSON of each.
type Examples = &'static [(&'static str, &'static str)];

/// The body of a request.
#[derive(Clone, Copy)]
pub(super) struct Request {
    /// Adds its schema.
    pub(super) schema: fn(&mut Schemas) -> Value,
    pub(super) required: bool,
    /// Actions have their own.
    pub(super) examples: Examples,
}

impl Route {
    const fn of(
        method: &'static str,
        (name, path, tag): (&'static str, &'static str, &'static str),
    ) -> Route {
        Route {
            name,
            method,
            path,
            tag,
            summary: "",
            about: "",
            parameters: &[],
            body: None,
            answer: Schemas::sent::<Applied>,
            answers: "",
            problems: &[],
        }
    }

    const fn about(self, summary: &'static str, about: &'static str) -> Route {
        Route { summary, about, ..self }
    }

    const fn parameters(self, parameters: &'static [Parameter]) -> Route {
        Route { parameters, ..self }
    }

    const fn takes<T: ToSchema>(self, examples: Examples) -> Route {
        let body = Request { schema: Schemas::read::<T>, required: true, examples };
        Route { body: Some(body), ..self }
    }

    const fn may_take<T: ToSchema>(self, examples: Examples) -> Route {
        let body = Request { schema: Schemas::read::<T>, required: false, examples };
        Route { body: Some(body), ..self }
    }

    const fn takes_an_action(self) -> Route {
        Route { body: Some(Request { schema: any_action, required: true, examples: &[] }), ..self }
    }

    const fn answers<T: ToSchema>(self, answers: &'static str) -> Route {
        Route { answer: Schemas::sent::<T>, answers, ..self }
    }

    const fn unless(self, problems: &'static [Problem]) -> Route {
        Route { problems, ..self }
    }
}

const fn get(name: &'static str, path: &'static str, tag: &'static str) -> Route {
    Route::of("get", (name, path, tag))
}

const fn post(name: &'static str, path: &'static str, tag: &'static str) -> Route {
    Route::of("post", (name, path, tag))
}

const fn put(name: &'static str, path: &'static str, tag: &'static str) -> Route {
    Route::of("put", (name, path, tag))
}

const fn delete(name: &'static str, path: &'static str, tag: &'static str) -> Route {
    Route::of("delete", (name, path, tag))
}

/// The tags.
pub(super) const TAGS: [(&str, &str); 7] = [
    (OUTSIDE, "What vendors, banks, payors and the operator of the service do."),
    (CLOCK, "The clock of the mock. What is due happens when the clock passes it."),
    (REQUESTS, "What the mock has received."),
    (DELIVERIES, "The webhooks that the mock has sent, or will send."),
    (FAULTS, "Requests and deliveries that fail on purpose."),
    (WORLDS, "Services of their own in one mock, each selected by its API keys."),
    (ABOUT, "The mock itself."),
];

const OUTSIDE: &str = "Outside world";
const CLOCK: &str = "Clock";
const REQUESTS: &str = "Requests";
const DELIVERIES: &str = "Deliveries";
const FAULTS: &str = "Faults";
const WORLDS: &str = "Worlds";
const ABOUT: &str = "Mock";

const WORLD: Parameter = text("id", "The name of the world: `default`, `w1`, …");

const ENTRY: Parameter = text(
    "entry",
    "The number of a request, such as `17`, `i3` for an intervention, `d5` for a webhook, or `start`.",
);
const NOT_AN_ENTRY: &str = "the path: expected an entry: the number of a request, such as 17, i3 for an intervention, \
    d5 for a webhook, or start, got \"x\".";
const TEXT: Parameter =
    text("text", "Only those with this text in their identifiers or names.").optional();
const FROM: Parameter =
    text("from", "The entry to begin with; right before `to` if it is left out.").optional();
const TO: Parameter = text("to", "The entry to end with; now if it is left out.").optional();
const NO_ENTRIES: &str = "expected ?from=…&to=…: two entries, such as 17, i3 or d5; without from it is what the entry \
    to has changed, without to what has changed since from";
const NO_STATES: Problem = Refused(
    "this world keeps no earlier states: its service has a deliberate defect, or is not the model's own",
);

const FINAL: Parameter = flag("final", "Whether the caller is done.").optional();
const NOT_FINAL: &str = "final: expected true or false, got \"1\".";

const TOO_MANY_WAIT: Problem = Refused(
    "1000 requests wait already; let some end, or start the mock with a larger --max-waiting",
);
const AFTER: &str = "after: expected the number of a request, such as 17, got \"x\".";

/// What chooses among requests.
const FILTER: &[Parameter] = &[
    whole("after", "Only from this number on.").optional(),
    text("operation", "Only of this operation, by its `operationId`.").optional(),
    text("status", "Only answers with this status, such as `404` or `4xx`.").optional(),
    text("code", "Only refusals with this code.").optional(),
    text("clause", "Only those that this rule decided.").optional(),
    text("path", "Only paths that contain this.").optional(),
    text("payee", "Only about this business.").optional(),
    text("invoice", "Only about this invoice.").optional(),
    text("fault", "Only those that met the fault with this label.").optional(),
    text("text", "Only those whose bodies contain this.").optional(),
];

/// All routes.
pub(super) const ROUTES: &[Route] = &[
    get("list_actions", "/_sim/actions", OUTSIDE)
        .about("List the actions", "Each action with what it does, its fields, and an example.")
        .answers::<Actions>("The actions."),
    post("act", "/_sim/actions", OUTSIDE)
        .about("Play the outside world", "`{\"action\": NAME, …}` with the fields of the action.")
        .takes_an_action()
        .answers::<Done<'_>>("It happened.")
        .unless(&[
            UnknownKey,
            TooLarge,
            Unreadable,
            Invalid("amount: expected a whole number of cents from 1 to 2147483647, got \"5\"."),
            UnknownAction,
            Refused("the collection account is not open"),
        ]),
    get("read_clock", "/_sim/clock", CLOCK)
        .about("Read the clock", "The time that the mock believes in.")
        .answers::<ClockShown>("What the clock shows.")
        .unless(&[UnknownKey]),
    post("move_clock", "/_sim/clock", CLOCK)
        .about(
            "Move the clock forward",
            "By so many seconds, to an instant, to the next event, or until nothing is due \
                any more. Everything that is due happens on the way, in order. Each webhook \
                is answered or given up before the clock passes it.",
        )
        .takes::<ClockMove>(&[
            ("fiveMinutes", r#"{ "advanceSeconds": 300 }"#),
            ("anInstant", r#"{ "advanceTo": "2026-01-31T00:00:00Z" }"#),
            ("theNextEvent", r#"{ "nextEvent": true }"#),
            ("untilQuiet", r#"{ "untilQuiet": true }"#),
        ])
        .answers::<ClockMoved>("What the clock shows afterwards.")
        .unless(&[
            UnknownKey,
            TooLarge,
            Unreadable,
            Invalid("advanceSeconds: expected a whole number, not negative, got \"5\"."),
            Refused("the clock is already moving"),
        ]),
    post("reset", "/_sim/reset", ABOUT)
        .about(
            "Start again",
            "Everything is as it was at the start of the world: scenario, clock, faults, and \
                the platforms that it was made with, with their keys. Journal and deliveries \
                are empty. What is minted from then on has other names, unless they are to be \
                repeated.",
        )
        .may_take::<Reset>(&[("repeated", r#"{ "repeat": true }"#)])
        .answers::<Applied>("It is.")
        .unless(&[
            UnknownKey,
            TooLarge,
            Unreadable,
            Invalid("unknown field `hard`, expected `repeat`"),
        ]),
    get("health", "/_sim/health", ABOUT)
        .about("See whether the mock is up", "Needs no key.")
        .answers::<Health<'_>>("It is up."),
    get("list_keys", "/_sim/keys", ABOUT)
        .about(
            "List the API keys",
            "The platforms and their keys, without the middle of each key.",
        )
        .answers::<Keys>("The keys.")
        .unless(&[UnknownKey]),
    get("read_journal", "/_sim/journal", REQUESTS)
        .about(
            "List the last requests",
            "The last requests to the API, each with its answer, the rule that decided it, \
                and the webhooks that it caused. Parameters choose among them.",
        )
        .parameters(FILTER)
        .answers::<Journal>("The requests.")
        .unless(&[UnknownKey, Invalid(AFTER)]),
    get("count_requests", "/_sim/journal/count", REQUESTS)
        .about("Count requests", "Those that the parameters choose.")
        .parameters(FILTER)
        .answers::<Counted>("The number.")
        .unless(&[UnknownKey, Invalid(AFTER)]),
    get("list_unexpected_requests", "/_sim/journal/unexpected", REQUESTS)
        .about(
            "List the requests that show a mistake of the client",
            "An unknown path or method, an invalid key, a body of another form than the \
                published one, or a part of it that the mock ignores.",
        )
        .parameters(FILTER)
        .answers::<Journal>("The requests.")
        .unless(&[UnknownKey, Invalid(AFTER)]),
    get("archive_requests", "/_sim/journal.har", REQUESTS)
        .about(
            "Export requests as an HTTP Archive",
            "Those that the parameters choose. Secrets are masked.",
        )
        .parameters(FILTER)
        .answers::<Archive>("The archive.")
        .unless(&[UnknownKey, Invalid(AFTER)]),
    post("wait_for_requests", "/_sim/journal/wait", REQUESTS)
        .about(
            "Wait for requests",
            "Answers when so many requests have come that the filter chooses, or after the \
                patience.",
        )
        .takes::<RequestsWanted>(&[(
            "twoAdvances",
            r#"{ "filter": { "operation": "request_advance" }, "count": 2, "patienceSeconds": 5 }"#,
        )])
        .answers::<Waited>("What the wait came to.")
        .unless(&[
            UnknownKey,
            TOO_MANY_WAIT,
            TooLarge,
            Unreadable,
            Invalid("the body: expected an object, got an empty list."),
        ]),
    get("list_interventions", "/_sim/interventions", OUTSIDE)
        .about(
            "List what was done beside the API",
            "The last 1000 interventions: actions, moves of the clock, changes of the rules of \
                faults, webhooks sent again. `nextRequest` and `nextDelivery` say where each \
                stands among the requests and the deliveries.",
        )
        .parameters(&[whole("after", "Only from this number on.").optional()])
        .answers::<Intervened>("The interventions.")
        .unless(&[
            UnknownKey,
            Invalid("after: expected the number of an intervention, such as 17, got \"x\"."),
        ]),
    get("list_clauses", "/_sim/clauses", REQUESTS)
        .about(
            "List what the names of clauses mean",
            "Each testable sentence of the document and each assumption, in Tideover's own \
                words. Needs no key.",
        )
        .answers::<Clauses>("The clauses."),
    get("read_conduct", "/_sim/conduct", REQUESTS)
        .about(
            "See how the caller behaves",
            "A row for each duty that the API's document gives a caller or its receiver: met, \
                broken, with the requests and deliveries that show it, or not seen. What the \
                caller has begun and may still finish is open; with `final`, it counts as broken.",
        )
        .parameters(&[FINAL])
        .answers::<ConductView>("The rows.")
        .unless(&[UnknownKey, Invalid(NOT_FINAL)]),
    get("list_objections", "/_sim/objections", REQUESTS)
        .about(
            "See why an invoice cannot be financed",
            "All refusals that an advance would meet, and not only the first.",
        )
        .parameters(&[text("payee", "The payee of the invoice."), text("invoice", "The invoice.")])
        .answers::<Objections<'_>>("The objections.")
        .unless(&[
            UnknownKey,
            Invalid("expected ?payee=…&invoice=…: the identifiers of a payee and of its invoice"),
            UnknownBusiness,
            UnknownInvoice,
        ]),
    get("read_overview", "/_sim/overview", WORLDS)
        .about(
            "See what the page shows",
            "The clock, the businesses and invoices of the platform, the newest first and at \
                most 200 of each, and the books.",
        )
        .parameters(&[TEXT])
        .answers::<Shown>("The world, as the platform of the key sees it.")
        .unless(&[UnknownKey]),
    get("read_earlier_state", "/_sim/at/{entry}", WORLDS)
        .about(
            "See a world as it was",
            "As it was right after an entry of its logs: a request, an intervention, a webhook. The \
                form is that of `GET /_sim/overview`.",
        )
        .parameters(&[ENTRY, TEXT])
        .answers::<PastView>("The world, as the platform of the key saw it.")
        .unless(&[UnknownKey, Invalid(NOT_AN_ENTRY), UnknownEntry, NO_STATES]),
    get("read_difference", "/_sim/diff", WORLDS)
        .about(
            "See what has changed",
            "From one entry to another, in words: per business, invoice and subscription the \
                fields that differ, before and after.",
        )
        .parameters(&[FROM, TO])
        .answers::<Difference>("The changes.")
        .unless(&[UnknownKey, Invalid(NO_ENTRIES), UnknownEntry, NO_STATES]),
    get("watch_world", "/_sim/events", WORLDS)
        .about(
            "Hear of changes",
            "Server-sent events: one at once, and one after each change, at most ten a \
                second.",
        )
        .answers::<Changes>("The count of changes as `data`, again and again.")
        .unless(&[UnknownKey, TOO_MANY_WAIT]),
    get("read_freedoms", "/_sim/freedoms", REQUESTS)
        .about(
            "See which freedoms the client has met",
            "With `serve --grease`, the mock does at random what the API's document leaves a \
                service free to do. This counts how often the client has met each.",
        )
        .answers::<CoverageView>("The freedoms.")
        .unless(&[UnknownKey]),
    get("list_deliveries", "/_sim/deliveries", DELIVERIES)
        .about(
            "List the last deliveries",
            "The last 1000 webhook deliveries, each with its attempts: headers, answer, \
                duration, when the next is due. Parameters choose among them.",
        )
        .parameters(&[
            whole("after", "Only from this number on.").optional(),
            text("subscription", "Only of the subscription with this reference.").optional(),
            text("type", "Only events of this type, such as `partner.loan.paid`.").optional(),
            text("payee", "Only about invoices of this payee.").optional(),
            text("invoice", "Only about this invoice.").optional(),
            state("state", "Only in this state.").optional(),
        ])
        .answers::<Deliveries>("The deliveries.")
        .unless(&[
            UnknownKey,
            Invalid("after: expected the number of a delivery, such as 17, got \"x\"."),
        ]),
    post("receive", "/_sim/receiver", DELIVERIES)
        .about(
            "Accept a webhook",
            "A receiver for whoever has none yet: subscribe to this address to see \
                deliveries. It accepts everything, and looks at nothing. Needs no key.",
        )
        .answers::<Applied>("It is accepted."),
    post("wait_for_deliveries", "/_sim/deliveries/wait", DELIVERIES)
        .about(
            "Wait until all webhooks are sent",
            "Answers when nothing is left to be sent now, or after the patience: 30 seconds \
                unless the body says otherwise.",
        )
        .may_take::<Patience>(&[("atMostFiveSeconds", r#"{ "patienceSeconds": 5 }"#)])
        .answers::<Quiet>("Whether it is quiet.")
        .unless(&[
            UnknownKey,
            TOO_MANY_WAIT,
            TooLarge,
            Unreadable,
            Invalid("patienceSeconds: expected a whole number from 0 to 3600, got 3601."),
        ]),
    post("resend_delivery", "/_sim/deliveries/{id}/resend", DELIVERIES)
        .about("Send a delivery once more", "At once. Its schedule goes on as it was.")
        .parameters(&[text("id", "The delivery: the value of its `Service-Delivery` header.")])
        .answers::<Applied>("It will be sent.")
        .unless(&[UnknownKey, UnknownDelivery, Refused("the subscription is gone")]),
    get("list_faults", "/_sim/faults", FAULTS)
        .about("List the rules", "The rules by which requests and deliveries fail, and how often each acted.")
        .answers::<Faults<'_>>("The rules.")
        .unless(&[UnknownKey]),
    post("add_faults", "/_sim/faults", FAULTS)
        .about(
            "Add a rule, or several",
            "For the requests or the deliveries of all platforms, as its act says. Nothing is \
                added if any of them is impossible.",
        )
        .takes::<FaultsAdded>(&[
            (
                "lostAnswer",
                r#"{ "act": "connectionDrops", "when": "afterCommit", "operation": "request_advance", "nth": 1 }"#,
            ),
            (
                "several",
                r#"{ "rules": [{ "act": "answerDelayed", "milliseconds": 200, "percent": 10 },
                    { "act": "importStops", "afterRows": 1, "identifier": "january" }] }"#,
            ),
            (
                "outOfOrder",
                r#"{ "act": "deliverySwapped", "event": "partner.invoice.factoredUpdated", "nth": 2 }"#,
            ),
        ])
        .answers::<FaultIds>("The rules are added.")
        .unless(&[
            UnknownKey,
            TooLarge,
            Unreadable,
            Invalid("percent: expected a whole number from 1 to 100, got 101"),
            Refused("a world has at most 100 rules of faults; delete some first"),
        ]),
    delete("clear_faults", "/_sim/faults", FAULTS)
        .about("Remove all rules", "No request and no new delivery fails on purpose any more.")
        .answers::<Applied>("They are removed.")
        .unless(&[UnknownKey]),
    delete("remove_fault", "/_sim/faults/{id}", FAULTS)
        .about("Remove a rule", "The others keep their numbers.")
        .parameters(&[whole("id", "The number of the rule.")])
        .answers::<Applied>("It is removed.")
        .unless(&[UnknownKey, UnknownFault]),
    get("read_partner_api", "/_sim/openapi.json", ABOUT)
        .about(
            "Read the OpenAPI document of the API",
            "With its webhooks, and with examples. Its statuses are those of this mock's \
                profile.",
        )
        .answers::<OpenApi>("The document.")
        .unless(&[UnknownKey]),
    get("read_operator_port", "/_sim/operator.json", ABOUT)
        .about("Read this document", "Needs no key.")
        .answers::<OpenApi>("The document."),
    post("save_state", "/_sim/save", ABOUT)
        .about("Write the state file", "Needs no key. The answer comes once the file is whole.")
        .answers::<Saved>("It is written.")
        .unless(&[Refused("this mock keeps no state; start it with a state file")]),
    get("list_worlds", "/_sim/worlds", WORLDS)
        .about(
            "List the worlds",
            "With their keys: whoever reaches this port may use any world. Needs no key.",
        )
        .answers::<Worlds>("The worlds, the default one first."),
    post("make_world", "/_sim/worlds", WORLDS)
        .about(
            "Make a world",
            "A service of its own: state, clock, seed, faults, journal and webhooks. The \
                keys in the answer select it. Needs no key.",
        )
        .may_take::<NewWorld>(&[("funded", r#"{ "scenario": "funded", "platforms": 2 }"#)])
        .answers::<WorldMade>("Its name and its keys.")
        .unless(&[
            TooLarge,
            Unreadable,
            Invalid("platforms: expected 1 to 1000, got 1001."),
            Refused(
                "this mock has at most 10000 worlds; delete some first, or start it with a larger --max-worlds",
            ),
        ]),
    get("show_world", "/_sim/worlds/{id}", WORLDS)
        .about("Look at a world", "Needs no key.")
        .parameters(&[WORLD])
        .answers::<WorldView>("The world.")
        .unless(&[UnknownWorld]),
    delete("delete_world", "/_sim/worlds/{id}", WORLDS)
        .about("Delete a world", "After the answer, no webhook of it is sent. Needs no key.")
        .parameters(&[WORLD])
        .answers::<Deleted>("It is deleted.")
        .unless(&[UnknownWorld, Refused("the default world cannot be deleted; reset it instead")]),
    post("fork_world", "/_sim/worlds/{id}/fork", WORLDS)
        .about(
            "Copy a world",
            "As it is now, or as it was at an entry. The copy goes its own way. Needs no key.",
        )
        .parameters(&[WORLD])
        .may_take::<Fork>(&[
            ("forAMinute", r#"{ "expiresAfterIdleSeconds": 60 }"#),
            ("fromAnEntry", r#"{ "at": "17" }"#),
        ])
        .answers::<WorldMade>("The name of the copy, and its keys.")
        .unless(&[
            UnknownWorld,
            TooLarge,
            Unreadable,
            Invalid("unknown field `seed`, expected `expiresAfterIdleSeconds` or `at`"),
            UnknownEntry,
            Refused(
                "this mock has at most 10000 worlds; delete some first, or start it with a larger --max-worlds",
            ),
        ]),
    post("reset_world", "/_sim/worlds/{id}/reset", WORLDS)
        .about(
            "Start a world again",
            "As `POST /_sim/reset` does for the world of a key. Needs no key.",
        )
        .parameters(&[WORLD])
        .may_take::<Reset>(&[("repeated", r#"{ "repeat": true }"#)])
        .answers::<Applied>("It is as it was at its start.")
        .unless(&[
            UnknownWorld,
            TooLarge,
            Unreadable,
            Invalid("unknown field `hard`, expected `repeat`"),
        ]),
    get("read_conduct_of_world", "/_sim/worlds/{id}/conduct", WORLDS)
        .about(
            "See how the callers of a world behave",
            "As `GET /_sim/conduct` does for the world of a key. Needs no key.",
        )
        .parameters(&[WORLD, FINAL])
        .answers::<ConductView>("The rows.")
        .unless(&[UnknownWorld, Invalid(NOT_FINAL)]),
    get("read_earlier_state_of_world", "/_sim/worlds/{id}/at/{entry}", WORLDS)
        .about(
            "See a world as it was, by its name",
            "As `GET /_sim/at/{entry}` does for the world of a key: what its first platform saw. \
                Needs no key.",
        )
        .parameters(&[WORLD, ENTRY, TEXT])
        .answers::<PastView>("The world, as its first platform saw it.")
        .unless(&[UnknownWorld, Invalid(NOT_AN_ENTRY), UnknownEntry, NO_STATES]),
    get("read_difference_of_world", "/_sim/worlds/{id}/diff", WORLDS)
        .about(
            "See what has changed in a world",
            "As `GET /_sim/diff` does for the world of a key. Needs no key.",
        )
        .parameters(&[WORLD, FROM, TO])
        .answers::<Difference>("The changes.")
        .unless(&[UnknownWorld, Invalid(NO_ENTRIES), UnknownEntry, NO_STATES]),
    get("read_parting", "/_sim/worlds/{id}/parting", WORLDS)
        .about(
            "See where two worlds part",
            "A world and a copy of it, or two copies of one world: the last entry that both \
                have, and the first of each after it. Needs no key.",
        )
        .parameters(&[WORLD, text("with", "The name of the other world.")])
        .answers::<PartingView>("Where they part, if they share anything.")
        .unless(&[
            UnknownWorld,
            Invalid("expected ?with=…: the name of another world, such as w2"),
        ]),
    get("read_snapshot", "/_sim/worlds/{id}/snapshot", WORLDS)
        .about(
            "Read a world as a document",
            "It holds every key and every secret. The journal is not in it. Needs no key.",
        )
        .parameters(&[WORLD])
        .answers::<Snapshot>("The document.")
        .unless(&[
            UnknownWorld,
            Refused(
                "this world cannot be written: its service has a deliberate defect, or is not the model's own",
            ),
        ]),
    put("restore_snapshot", "/_sim/worlds/{id}/snapshot", WORLDS)
        .about(
            "Restore a world from a document",
            "The world of the document takes the place of this one. A damaged or newer \
                document is refused, and changes nothing. Needs no key.",
        )
        .parameters(&[WORLD])
        .takes::<Snapshot>(&[(
            "aDocument",
            r#"{ "format": "tideover-world", "version": 3, "checksum": "…", "state": {} }"#,
        )])
        .answers::<WorldMade>("The name of the world, and its keys.")
        .unless(&[
            UnknownWorld,
            Unreadable,
            Invalid("the snapshot is damaged: its state does not match its checksum"),
        ]),
];
