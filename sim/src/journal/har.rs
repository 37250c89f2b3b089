//! The journal as an HTTP Archive (HAR 1.2). What HAR has no field for is in fields that begin with an underscore, as
//! HAR allows.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use url::form_urlencoded;

use crate::journal::entry::{Entry, Message, Payload, base64};

/// An entry of an archive. `base` is the address of the mock, for a request without a `Host` header.
pub(crate) struct Archived<'a> {
    pub(crate) entry: &'a Entry,
    pub(crate) base: &'a str,
}

impl Archived<'_> {
    /// What stands in front of the entries of an archive.
    pub(crate) fn opening() -> String {
        let version = env!("CARGO_PKG_VERSION");
        format!(
            r#"{{"log":{{"version":"1.2","creator":{{"name":"Tideover","version":"{version}"}},"entries":["#
        )
    }

    /// What stands after them.
    pub(crate) const CLOSING: &'static str = "]}}";
}

impl Serialize for Archived<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        exchange(self.entry, self.base).serialize(serializer)
    }
}

fn exchange(entry: &Entry, base: &str) -> Value {
    let mut exchange = json!({
        "startedDateTime": entry.real_time,
        "time": 0,
        "request": request(entry, base),
        "response": response(entry),
        "cache": {},
        "timings": { "send": 0, "wait": 0, "receive": 0 },
        "_number": entry.number,
        "_virtualTime": entry.time,
    });
    let Value::Object(fields) = &mut exchange else { return exchange };
    let more = [
        ("_operation", json!(entry.operation)),
        ("_code", json!(entry.code)),
        ("_clause", json!(entry.clause.map(|clause| clause.name()))),
        ("_cut", json!(entry.cut)),
        ("_masked", json!(entry.masked.then_some(true))),
        ("_note", json!(entry.note)),
        ("_fault", json!(entry.fault)),
        ("_warnings", json!(entry.warnings)),
        ("_grease", json!(entry.grease)),
        ("_events", json!(entry.events)),
    ];
    let is_given =
        |value: &Value| !value.is_null() && value.as_array().is_none_or(|it| !it.is_empty());
    fields.extend(
        more.into_iter()
            .filter(|(_, value)| is_given(value))
            .map(|(name, value)| (name.to_owned(), value)),
    );
    exchange
}

fn request(entry: &Entry, base: &str) -> Value {
    let Message { headers, body, unread } = &entry.request;
    let origin =
        headers.get("host").map_or_else(|| base.to_owned(), |host| format!("http://{host}"));
    let query = entry.query.as_ref().map_or_else(String::new, |query| format!("?{query}"));
    let pairs = form_urlencoded::parse(entry.query.as_deref().unwrap_or_default().as_bytes());
    let pairs: Vec<Value> =
        pairs.map(|(name, value)| json!({ "name": name, "value": value })).collect();
    let mut request = json!({
        "method": entry.method,
        "url": format!("{origin}{}{query}", entry.path),
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": named(&entry.request),
        "queryString": pairs,
        "headersSize": -1,
        "bodySize": body.as_ref().map_or(0, |body| body.length),
    });
    if *unread {
        request["bodySize"] = json!(-1);
        request["_unread"] = json!(true);
    }
    if let Some(body) = body {
        let mut data = content(body);
        data.insert("mimeType".to_owned(), json!(media_type(&entry.request)));
        // HAR knows no encoding of what is sent.
        if let Some(encoding) = data.remove("encoding") {
            data.insert("_encoding".to_owned(), encoding);
        }
        request["postData"] = Value::Object(data);
    }
    request
}

/// As browsers do, a request without an answer has the status 0.
fn response(entry: &Entry) -> Value {
    let none = Message::default();
    let message = entry.response.as_ref().unwrap_or(&none);
    let length = message.body.as_ref().map_or(0, |body| body.length);
    let mut content = message.body.as_ref().map_or_else(Map::new, content);
    content.insert("size".to_owned(), json!(length));
    content.insert("mimeType".to_owned(), json!(media_type(message)));
    json!({
        "status": entry.status.unwrap_or_default(),
        "statusText": "",
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": named(message),
        "content": content,
        "redirectURL": "",
        "headersSize": -1,
        "bodySize": length,
    })
}

fn named(message: &Message) -> Vec<Value> {
    let header = |(name, value)| json!({ "name": name, "value": value });
    message.headers.iter().map(header).collect()
}

fn media_type(message: &Message) -> &str {
    message.headers.get("content-type").map_or("x-unknown", String::as_str)
}

fn content(body: &Payload) -> Map<String, Value> {
    let mut fields = Map::new();
    match body.text() {
        Some(text) => fields.insert("text".to_owned(), text.into()),
        None => {
            fields.insert("encoding".to_owned(), "base64".into());
            fields.insert("text".to_owned(), base64(&body.bytes).into())
        }
    };
    if body.is_cut() {
        fields.insert("_cut".to_owned(), true.into());
    }
    fields
}
