//! The requests that the service sends: one for each event, with its body, its headers and its signature (§6).

use serde_json::{Map, Value, json};
use tideover_model::Clause;
use tideover_model::signature::{DELIVERY_HEADER, HEADER, TOLERANCE};
use tideover_model::wire::event::Event;
use tideover_model::words::EventType;

use crate::openapi::examples::{Delivered, Examples};
use crate::openapi::prose;
use crate::openapi::schemas::{Schemas, opened, reference, schemas_of};

/// The requests for all events, by name.
pub(super) fn webhooks(schemas: &mut Schemas, examples: &Examples) -> Map<String, Value> {
    let all = schemas_of::<Event<'_>>();
    let named = |event: EventType| {
        let schema = event_schema(event, &all, schemas);
        (event.name().to_owned(), json!({ "post": webhook(event, &schema, examples) }))
    };
    EventType::ALL.into_iter().map(named).collect()
}

fn webhook(event: EventType, schema: &Value, examples: &Examples) -> Value {
    let delivered = examples.delivery(event);
    let mut content = json!({ "schema": schema });
    if let Some(delivered) = delivered {
        content["examples"] = json!({ "delivered": example(delivered, examples) });
    }
    let name = event.name().trim_start_matches("partner.");
    let clause = Clause::find(&format!("6.events.{name}"));
    json!({
        "operationId": format!("receive{}", title(event)),
        "tags": [prose::EVENTS],
        "summary": event.name(),
        "description": clause.map(prose::rule),
        "parameters": headers(delivered),
        "requestBody": { "required": true, "content": { "application/json": content } },
        "responses": responses(),
        "security": [],
    })
}

/// The body of an event: the envelope, with its own type and its own subject.
fn event_schema(event: EventType, all: &Map<String, Value>, schemas: &mut Schemas) -> Value {
    let mut schema = all["Event"].clone();
    let properties = &mut schema["properties"];
    let about = &properties["type"]["description"];
    properties["type"] = json!({ "type": "string", "const": event.name(), "description": about });
    properties["data"] = subject(event, all, schemas);
    if event == EventType::FactoredUpdated {
        let required = schema["required"].as_array_mut();
        required.into_iter().for_each(|required| required.push("sequence".into()));
    } else if let Some(properties) = properties.as_object_mut() {
        properties.remove("sequence");
    }
    let name = format!("{}Event", title(event));
    schemas.0.insert(name.clone(), schema);
    reference(&name)
}

/// The subject of an event.
fn subject(event: EventType, all: &Map<String, Value>, schemas: &mut Schemas) -> Value {
    let title = match event {
        EventType::BusinessAdded | EventType::BusinessOptedIn | EventType::RemittanceUpdated => {
            "EventBusiness"
        }
        EventType::InvoiceCreated => "EventInvoice",
        EventType::InvoicePaid => "EventCollection",
        EventType::FactoredUpdated => "EventFinancing",
        EventType::AdvanceCreated | EventType::AdvanceIssued | EventType::AdvancePaid => {
            "EventAdvance"
        }
    };
    let mut forms = all["EventData"]["oneOf"].as_array().into_iter().flatten();
    if let Some(form) = forms.find(|form| form["title"] == title) {
        schemas.0.insert(title.to_owned(), opened(form, all));
    }
    reference(title)
}

/// The name of an event in a program: `InvoiceFactoredUpdated`.
fn title(event: EventType) -> String {
    let words = event.name().split('.').skip(1);
    words.map(|word| word[..1].to_ascii_uppercase() + &word[1..]).collect()
}

fn headers(delivered: Option<&Delivered>) -> Value {
    let signature = prose::list(prose::family("6.signature."));
    let how = format!(
        "`t=<unix seconds>,v1=<hex>`. To verify it: take the bytes of the body as they arrived; compute \
         HMAC-SHA256 over the digits of `t`, a dot and these bytes, with the secret of the subscription as \
         key; compare the result with `v1`; reject a `t` more than {TOLERANCE} seconds from now.\n\n{signature}"
    );
    let header = |name: &str, about: &str, schema: Value, example: Option<&str>| {
        json!({ "name": name, "in": "header", "required": true, "description": about,
            "schema": schema, "example": example })
    };
    let form = json!({ "type": "string", "pattern": "^t=[0-9]+,v1=[0-9a-f]{64}$" });
    let once = "The same for each attempt of one delivery: a receiver that has seen it accepts the repeat and \
        does nothing (§6 Delivery rule 3).";
    json!([
        header(HEADER, &how, form, delivered.map(|it| &*it.signature)),
        header(DELIVERY_HEADER, once, json!({ "type": "string" }), delivered.map(|it| &*it.id)),
    ])
}

/// The delivery as JSON, with the bytes and the secret that its signature is made of.
fn example(delivered: &Delivered, examples: &Examples) -> Value {
    let raw = String::from_utf8_lossy(&delivered.body);
    let value: Value = serde_json::from_slice(&delivered.body).unwrap_or_default();
    let secret = examples.secret().unwrap_or_default();
    let signed = format!(
        "The example of `{HEADER}` signs these bytes: `{raw}` The secret is `{secret}`, as in the example of \
         `POST /v1/webhooks`."
    );
    json!({ "summary": "A delivery", "description": signed, "value": value })
}

/// What a receiver can answer.
fn responses() -> Value {
    json!({
        "2XX": { "description": "The delivery is done (§6 Delivery rule 1)." },
        "410": {
            "description": "Deliveries stop, and the subscription ends (§6 Delivery rule 2).",
        },
        "default": {
            "description": "The service repeats the delivery, over about 28 hours (§6 Delivery rule 1). It \
                follows no redirect (§6 Subscription rule 2).",
        },
    })
}
