//! The bodies of the operator port's requests and answers, one entry each.

use serde_json::{Map, Value, json};

use crate::openapi::operator::property::{
    Property, anything, choice, flag, many, object, objects, one, text, text_by_name, texts, time,
    whole, wholes, word,
};
use crate::openapi::schemas::reference;

/// The name of the one body that is a stream of server-sent events. All others are JSON.
pub(super) const STREAMED: &str = "Changes";

/// An object.
struct Body {
    name: &'static str,
    about: &'static str,
    properties: &'static [Property],
}

/// The schemas of all bodies, by name.
pub(super) fn bodies() -> Map<String, Value> {
    let mut schemas: Map<String, Value> =
        BODIES.iter().map(|body| (body.name.to_owned(), body.schema())).collect();
    let one_of = |names: &[&str]| json!({ "oneOf": names.iter().map(|name| reference(name)).collect::<Vec<_>>() });
    schemas.insert(
        "ActionDone".into(),
        one_of(&["KeyIssued", "PaymentCollected", "OnboardingCompleted", "Applied"]),
    );
    schemas.insert("FaultsAdded".into(), one_of(&["FaultRules", "FaultRule"]));
    let openapi = json!({ "type": "object", "description": "A document in OpenAPI 3.1." });
    schemas.insert("OpenApi".into(), openapi);
    let changes =
        json!({ "type": "string", "description": "Events without a name. Their data grows." });
    schemas.insert(STREAMED.into(), changes);
    schemas
}

impl Body {
    /// No property may be missing here that a body has: a test compares them.
    fn schema(&self) -> Value {
        let properties = self.properties.iter();
        let named: Map<String, Value> =
            properties.clone().map(|it| (it.name.to_owned(), it.schema())).collect();
        let required: Vec<&str> = properties.filter(|it| !it.optional).map(|it| it.name).collect();
        json!({
            "type": "object",
            "description": self.about,
            "properties": named,
            "required": required,
            "additionalProperties": false,
        })
    }
}

/// How far a delivery can be.
pub(super) const STATES: &[&str] =
    &["queued", "underWay", "retrying", "accepted", "givenUp", "revoked", "dropped"];
const CAUSES: &[&str] = &["event", "late", "retry", "duplicate", "resent"];
const ACTS: &[&str] = &[
    "upstreamFails",
    "connectionDrops",
    "answerCut",
    "importStops",
    "answerDelayed",
    "requestRepeated",
];
const WHEN: &[&str] = &["beforeCommit", "afterCommit"];

/// What a rule of faults says, in a request.
const RULE: [Property; 10] = [
    choice("act", ACTS, "What happens to a request."),
    text("label", "The name of the rule in the journal; that of its act if it is left out.")
        .optional(),
    text("operation", "Only requests of this operation, by its `operationId`.").optional(),
    text("identifier", "Only requests that name this business, invoice, import or subscription.")
        .optional(),
    whole("nth", "Only the request of this number, from 1, among those selected.").optional(),
    whole("percent", "Only this percentage of those selected, at random.").optional(),
    choice(
        "when",
        WHEN,
        "For `upstreamFails` and `connectionDrops`: before or after the effect of the request.",
    )
    .optional(),
    whole("afterBytes", "For `answerCut`: how many bytes of the body arrive.").optional(),
    whole("afterRows", "For `importStops`: how many rows are carried out.").optional(),
    whole("milliseconds", "For `answerDelayed`: how late the answer is.").optional(),
];

/// The same in an answer, with counters.
const COUNTED_RULE: [Property; 13] = {
    let [act, label, operation, identifier, nth, percent, when, bytes, rows, milliseconds] = RULE;
    let label = label.always();
    let id = whole("id", "Its number: `DELETE /_sim/faults/{id}` removes it.");
    let matched = whole("matched", "How many requests it has selected.");
    let fired = whole("fired", "How often it has acted.");
    [
        id,
        act,
        label,
        operation,
        identifier,
        nth,
        percent,
        when,
        bytes,
        rows,
        milliseconds,
        matched,
        fired,
    ]
};

const BODIES: &[Body] = &[
    Body {
        name: "Failure",
        about: "Every failure, in the shape of the API's own (§7).",
        properties: &[
            text("error", "Prose for a log: what is wrong, and what to do."),
            text("code", "What a program branches on. Codes may be added: keep a default branch."),
        ],
    },
    Body { name: "Applied", about: "It happened.", properties: &[flag("applied", "True.")] },
    Body {
        name: "PaymentCollected",
        about: "What became of a payment.",
        properties: &[
            whole("applied", "Cents collected on the invoice."),
            whole("suspense", "Cents beyond its face value, kept in suspense."),
        ],
    },
    Body {
        name: "KeyIssued",
        about: "A new API key.",
        properties: &[
            flag("applied", "True."),
            text("key", "The key."),
            text("platform", "The platform that it belongs to."),
        ],
    },
    Body {
        name: "Actions",
        about: "What `POST /_sim/actions` can do.",
        properties: &[
            texts("actions", "The names of the actions."),
            many("described", "ActionDescribed", "Each action with its fields and an example."),
        ],
    },
    Body {
        name: "ActionDescribed",
        about: "An action.",
        properties: &[
            text("action", "The name."),
            text("does", "What it does, in a sentence."),
            many("fields", "ActionField", "The fields beside `action`."),
            object("example", "The body of a request for it."),
        ],
    },
    Body {
        name: "ActionField",
        about: "A field of an action.",
        properties: &[
            text("name", "The name."),
            text("type", "What it holds, in words."),
            flag("required", "Whether every request needs it."),
            text("meaning", "What it means."),
        ],
    },
    Body { name: "Clock", about: "What the clock shows.", properties: &[time("now", "The time.")] },
    Body {
        name: "ClockMove",
        about: "How far the clock moves: exactly one of these.",
        properties: &[
            whole("advanceSeconds", "Forward by so many seconds; 0 or more.").optional(),
            time("advanceTo", "Forward to this instant.").optional(),
            flag("nextEvent", "True: to the next thing that is due.").optional(),
            flag("untilQuiet", "True: until nothing is due any more.").optional(),
        ],
    },
    Body {
        name: "ClockMoved",
        about: "What the clock shows after a move.",
        properties: &[
            time("now", "The time."),
            flag("moved", "After `nextEvent`: whether anything was due.").optional(),
            flag("quiet", "After `untilQuiet`: whether nothing is due any more.").optional(),
            time("nextDue", "After `untilQuiet`: what is due next; null if nothing is.")
                .nullable()
                .optional(),
        ],
    },
    Body {
        name: "OnboardingCompleted",
        about: "A business meets all four requirements.",
        properties: &[
            flag("applied", "True."),
            texts("steps", "What was left to do, in order: names of actions."),
        ],
    },
    Body {
        name: "Saved",
        about: "The state file is written.",
        properties: &[flag("saved", "True.")],
    },
    Body { name: "Deleted", about: "It is gone.", properties: &[flag("deleted", "True.")] },
    Body {
        name: "Worlds",
        about: "All worlds.",
        properties: &[many("worlds", "World", "The worlds.")],
    },
    Body {
        name: "World",
        about: "A service of its own.",
        properties: &[
            text("id", "Its name."),
            time("now", "What its clock shows."),
            texts("platforms", "The names of its platforms."),
            many("keys", "WorldKey", "Its keys that are not revoked, whole."),
            whole("businesses", "How many businesses its platforms have synced."),
            whole("invoices", "How many invoices it has."),
            whole("requests", "How many requests to the API it has had since its start."),
        ],
    },
    Body {
        name: "NewWorld",
        about: "A world to make. What is left out is as in the default world at its start.",
        properties: &[
            anything(
                "platforms",
                "The number of platforms, or the names of those beside the first.",
            )
            .optional(),
            whole("seed", "The seed of all that the service chooses.").optional(),
            time("start", "When its clock starts. If neither this nor the mock says it, and the mock's clock runs: now.").optional(),
            choice("clock", &["still", "running"], "Whether its clock runs by itself.").optional(),
            whole("speed", "How many times as fast as the wall clock it runs.").optional(),
            anything("profile", "The fields of a profile.").optional(),
            many("faults", "FaultRule", "Rules of faults.").optional(),
            flag("grease", "Whether it takes freedoms.").optional(),
            choice(
                "scenario",
                &["fresh", "onboarded", "funded", "repaid", "at-the-limit"],
                "How far the story has gone.",
            )
            .optional(),
            whole(
                "expiresAfterIdleSeconds",
                "It is deleted once nobody has used it for so many seconds: no request, and no stream of events.",
            )
            .optional(),
        ],
    },
    Body {
        name: "Fork",
        about: "A copy to make.",
        properties: &[
            whole(
                "expiresAfterIdleSeconds",
                "It is deleted once nobody has used it for so many seconds; as its original, if this is left out.",
            )
            .optional(),
        ],
    },
    Body {
        name: "WorldMade",
        about: "A world and the keys that select it.",
        properties: &[
            text("id", "Its name."),
            time("now", "What its clock shows."),
            many("keys", "WorldKey", "Every key that is not revoked, by platform."),
        ],
    },
    Body {
        name: "WorldKey",
        about: "A key of a world.",
        properties: &[text("platform", "The platform."), text("key", "Its key.")],
    },
    Body {
        name: "Snapshot",
        about: "A world as a document.",
        properties: &[
            text("format", "`tideover-world`."),
            whole("version", "The version of the form."),
            text("checksum", "SHA-256 of the state, in hex."),
            anything("state", "The state."),
        ],
    },
    Body {
        name: "Health",
        about: "The mock is up.",
        properties: &[
            text("status", "`ok`."),
            text("mock", "`tideover`."),
            time("now", "What the clock shows."),
            text("defect", "The deliberate error that the mock was started with, if any.")
                .optional(),
        ],
    },
    Body {
        name: "Keys",
        about: "The API keys.",
        properties: &[many("keys", "Key", "Every key ever issued.")],
    },
    Body {
        name: "Key",
        about: "An API key.",
        properties: &[
            text("platform", "The platform that it belongs to."),
            text("key", "The key, without its middle."),
            flag("revoked", "Whether it was revoked."),
        ],
    },
    Body {
        name: "Journal",
        about: "The last requests to the API.",
        properties: &[
            many("entries", "JournalEntry", "The oldest first."),
            whole("next", "The number of the next request: `?after=` waits for it."),
            whole("dropped", "How many older ones are no longer kept."),
        ],
    },
    Body {
        name: "JournalEntry",
        about: "A request to the API.",
        properties: &[
            whole("number", "The number of requests before it."),
            time("time", "When the mock answered it, by its clock."),
            time("realTime", "When that was by the wall clock."),
            text("method", "Its method."),
            text("path", "Its path, without the query; at most 256 bytes."),
            text("query", "Its query; at most 256 bytes.").optional(),
            texts(
                "cut",
                "Of what only the beginning is kept: `method`, `path`, `query`, `headers`.",
            )
            .optional(),
            text("operation", "Its `operationId`; null if the API serves no such path.").nullable(),
            whole(
                "status",
                "The status of the answer; null if a fault kept the request from the service.",
            )
            .nullable(),
            text("code", "The code of the refusal.").nullable(),
            text("clause", "The rule that decided the answer: the stable name of its place.")
                .nullable(),
            text("note", "A hint, such as what an address lacks.").nullable(),
            text("fault", "The label of the fault that acted on it.").optional(),
            texts("grease", "The freedoms that the answer took.").optional(),
            texts("warnings", "What the mock ignored in the request.").optional(),
            flag(
                "masked",
                "True if a key or a signing secret in the request is masked, beside the header `Authorization`.",
            )
            .optional(),
            many("events", "CausedEvent", "The webhooks that the request caused."),
            one("request", "Message", "The request."),
            one("response", "Message", "The answer; null if there was none.").nullable(),
        ],
    },
    Body {
        name: "Message",
        about: "Headers and body of a request or an answer.",
        properties: &[
            text_by_name("headers", "The headers, by names in lower case. Secrets are masked."),
            one("body", "Payload", "The body; null if there is none.").nullable(),
            flag("unread", "True if there is a body that the mock did not read.").optional(),
        ],
    },
    Body {
        name: "Payload",
        about: "A body, or its beginning.",
        properties: &[
            whole("length", "The length of the whole body. Bytes."),
            text("text", "The body, if it is text.").optional(),
            text("base64", "The body in base64, if it is not text.").optional(),
            flag("cut", "True if only the beginning of the body is kept.").optional(),
        ],
    },
    Body {
        name: "CausedEvent",
        about: "A webhook that a request caused.",
        properties: &[
            whole("index", "The number of the delivery."),
            text("delivery", "Its `Service-Delivery`."),
            text("id", "The identifier of the event."),
            text("type", "The type of the event."),
        ],
    },
    Body {
        name: "Counted",
        about: "How many requests there are.",
        properties: &[whole("count", "The number.")],
    },
    Body {
        name: "RequestsWanted",
        about: "The requests to wait for.",
        properties: &[
            object("filter", "The parameters of `GET /_sim/journal`, as fields.").optional(),
            whole("count", "How many are wanted; 1 if it is left out.").optional(),
            whole("patienceSeconds", "Real seconds, 0 to 3600; 30 if it is left out.").optional(),
        ],
    },
    Body {
        name: "RequestsCame",
        about: "What the wait came to.",
        properties: &[
            flag("reached", "Whether so many requests have come."),
            whole("count", "How many have come."),
        ],
    },
    Body {
        name: "Archive",
        about: "An HTTP Archive, version 1.2.",
        properties: &[object("log", "The log.")],
    },
    Body {
        name: "Objections",
        about: "Why an invoice cannot be financed.",
        properties: &[many(
            "objections",
            "Objection",
            "In order of precedence; empty if the invoice can be financed.",
        )],
    },
    Body {
        name: "Objection",
        about: "A refusal that an advance would meet, if it met no other.",
        properties: &[
            text("code", "The code."),
            text("clause", "The rule: the stable name of its place."),
            text("sentence", "What is wrong."),
        ],
    },
    Body {
        name: "Overview",
        about: "A world, as a platform sees it from inside.",
        properties: &[
            text("world", "The name of the world."),
            text("key", "The key whose part of the world this is."),
            time("now", "What the clock shows."),
            whole("speed", "How many times as fast as the wall clock it runs; 0 if it stands."),
            time("nextDue", "When something is due next; null if nothing is.").nullable(),
            whole("resets", "How often the world was reset."),
            whole("nextRequest", "The number of the next request."),
            whole("nextDelivery", "The number of the next delivery."),
            objects(
                "businesses",
                "The businesses: as the API shows them, and what it does not show.",
            ),
            objects("invoices", "The invoices, and where the money of each is. Cents."),
            flag("more", "Whether there are more of either."),
            objects("subscriptions", "The subscriptions, without their secrets."),
            object("books", "The books of all platforms: amounts that add up to 0. Cents."),
        ],
    },
    Body {
        name: "Freedoms",
        about: "What the API's document leaves a service free to do, and `serve --grease` does at random.",
        properties: &[
            flag("grease", "Whether the mock takes freedoms."),
            many("freedoms", "Freedom", "All of them."),
            texts("unmet", "The names of those that the client has not met."),
        ],
    },
    Body {
        name: "Freedom",
        about: "Something that a service is free to do.",
        properties: &[
            text("name", "The name."),
            text("clause", "The rule that permits it: the stable name of its place."),
            text("place", "The place in the API's document."),
            text("sentence", "What it does."),
            whole("met", "How often the client has met it."),
        ],
    },
    Body {
        name: "Deliveries",
        about: "The last webhook deliveries.",
        properties: &[
            many("deliveries", "Delivery", "The oldest first."),
            whole("next", "The number of the next delivery: `?after=` waits for it."),
            whole("dropped", "How many older ones are no longer kept."),
        ],
    },
    Body {
        name: "Delivery",
        about: "One event for one subscription.",
        properties: &[
            whole("index", "The number of deliveries before it."),
            text("id", "The value of its `Service-Delivery` header."),
            text("subscription", "The reference of the subscription."),
            text("url", "Where it goes."),
            text("event", "The type of its event."),
            time("queuedAt", "When the event happened."),
            word("state", STATES, "How far it is."),
            time("nextAttemptAt", "When the next attempt is due; null if none is.").nullable(),
            texts("grease", "The freedoms that it takes.").optional(),
            many("attempts", "DeliveryAttempt", "The last attempts, the oldest first."),
            anything("body", "The event."),
            text("text", "The body as it is sent: its bytes are signed."),
        ],
    },
    Body {
        name: "DeliveryAttempt",
        about: "One request to a receiver.",
        properties: &[
            whole("number", "Its number among the attempts of the delivery, from 1."),
            time("at", "When it began, by the clock of the mock."),
            word("cause", CAUSES, "Why it was made."),
            text_by_name("headers", "Its headers."),
            whole("status", "The status of the receiver's answer.").nullable(),
            text("problem", "Why there was no answer.").nullable(),
            whole("milliseconds", "How long it really took; null while it is under way.")
                .nullable(),
        ],
    },
    Body {
        name: "Patience",
        about: "How long to wait.",
        properties: &[whole("patienceSeconds", "Real seconds, 0 to 3600; 30 if it is left out.").optional()],
    },
    Body {
        name: "Quiet",
        about: "What the wait came to.",
        properties: &[
            flag(
                "quiet",
                "Whether nothing is left to be sent now. False if the patience ended first.",
            ),
            time("nextDue", "When something is due again; null if nothing is.").nullable(),
            whole("retrying", "How many deliveries failed and will be tried again."),
        ],
    },
    Body {
        name: "FaultRule",
        about: "A rule by which requests fail. Every condition that it has must hold.",
        properties: &RULE,
    },
    Body {
        name: "FaultRules",
        about: "Several rules: all of them are added, or none.",
        properties: &[many("rules", "FaultRule", "The rules, in order of precedence.")],
    },
    Body {
        name: "FaultIds",
        about: "The new rules.",
        properties: &[wholes("ids", "The numbers of the rules, in the order of the request.")],
    },
    Body {
        name: "Faults",
        about: "The rules by which requests fail.",
        properties: &[many("faults", "Fault", "In order of precedence.")],
    },
    Body { name: "Fault", about: "A rule, and how often it acted.", properties: &COUNTED_RULE },
];
