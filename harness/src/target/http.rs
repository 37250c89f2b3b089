//! Anything that answers HTTP: the embedded mock, or a base URL.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE};
use reqwest::{Client, Method};
use serde_json::{Value, json};

use crate::inbox::{self, Arrival};
use crate::target::{Body, Prepared, PreparedAction, Seen, Target, Unreachable};

/// How long an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// A target under a base URL.
#[derive(Clone, Debug)]
pub struct Http {
    client: Client,
    base_url: String,
    api_key: String,
    deliveries_seen: u64,
    inbox: Option<Arc<inbox::Server>>,
    /// Whether the target may know of the inbox: otherwise nothing comes there.
    heard: bool,
    /// Whether the last step was a read, which sends nothing.
    has_read: bool,
}

impl Http {
    /// The target under `base_url`.
    ///
    /// # Errors
    /// [`Unreachable`] if no client can be made on this machine.
    pub fn new(base_url: &str, api_key: &str) -> Result<Http, Unreachable> {
        let client = Client::builder()
            .timeout(PATIENCE)
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .build()
            .map_err(|error| Unreachable(format!("no HTTP client: {}", causes(&error))))?;
        Ok(Http {
            client,
            base_url: base_url.trim_end_matches('/').to_owned(),
            api_key: api_key.to_owned(),
            deliveries_seen: 0,
            inbox: None,
            heard: false,
            has_read: false,
        })
    }

    /// The same target, which can send webhooks to `inbox`.
    #[must_use]
    pub fn with_inbox(self, inbox: inbox::Server) -> Http {
        inbox.ask_clock(self.client.clone(), &self.base_url);
        Http { inbox: Some(Arc::new(inbox)), ..self }
    }

    /// Waits until a mock has sent all that it has to send now.
    async fn settle(&self) -> Result<(), Unreachable> {
        let seen =
            self.operator("/_sim/deliveries/wait", None, json!({ "patienceSeconds": 20 })).await?;
        let quiet = seen.json().is_some_and(|body| body["quiet"] == true);
        if quiet { Ok(()) } else { Err(Unreachable(format!("deliveries do not end: {seen:?}"))) }
    }

    async fn exchange(
        &self,
        method: &str,
        path: &str,
        authorization: Option<&str>,
        content_type: Option<&str>,
        body: Vec<u8>,
    ) -> Result<Seen, Unreachable> {
        let failed = |error: &dyn std::error::Error| {
            Unreachable(format!("{method} {}{path}: {}", self.base_url, causes(error)))
        };
        let verb = Method::from_bytes(method.as_bytes()).map_err(|error| failed(&error))?;
        let mut request = self.client.request(verb, format!("{}{path}", self.base_url));
        if let Some(authorization) = authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        if let Some(content_type) = content_type {
            request = request.header(CONTENT_TYPE, content_type);
        }
        if !body.is_empty() || content_type.is_some() {
            request = request.body(body);
        }
        let response = request.send().await.map_err(|error| failed(&error))?;
        let status = response.status().as_u16();
        let bytes = response.bytes().await.map_err(|error| failed(&error))?;
        Ok(Seen::new(status, &bytes))
    }

    async fn operator(
        &self,
        path: &str,
        authorization: Option<&str>,
        body: Value,
    ) -> Result<Seen, Unreachable> {
        let body = body.to_string().into_bytes();
        self.exchange("POST", path, authorization, Some("application/json"), body).await
    }

    async fn deliveries(&mut self, authorization: Option<&str>) -> Result<Seen, Unreachable> {
        let path = format!("/_sim/deliveries?after={}", self.deliveries_seen);
        let seen = self.exchange("GET", &path, authorization, None, Vec::new()).await?;
        if let Body::Json(body) = &seen.body {
            let next = body.get("next").and_then(Value::as_u64);
            self.deliveries_seen = next.unwrap_or(self.deliveries_seen);
        }
        Ok(seen)
    }
}

impl Target for Http {
    fn api_key(&self) -> &str {
        &self.api_key
    }

    fn inbox(&self) -> Option<&str> {
        self.inbox.as_ref().map(|inbox| inbox.origin())
    }

    async fn arrivals(&mut self) -> Result<Vec<Arrival>, Unreachable> {
        let Some(inbox) = self.inbox.as_ref().filter(|_| self.heard && !self.has_read) else {
            return Ok(Vec::new());
        };
        self.settle().await?;
        Ok(inbox.inbox().take())
    }

    async fn send(&mut self, step: &Prepared) -> Result<Seen, Unreachable> {
        let authorization = step.authorization.as_deref();
        self.has_read = false;
        match &step.action {
            PreparedAction::Call(call) => {
                let content_type = call.content_type.as_deref();
                let body = call.body.clone();
                self.has_read = call.method == "GET";
                // Only a subscription can tell the target of the inbox.
                if call.method == "POST" {
                    let body = String::from_utf8_lossy(&body);
                    self.heard |= self.inbox().is_some_and(|origin| body.contains(origin));
                }
                self.exchange(&call.method, &call.path, authorization, content_type, body).await
            }
            PreparedAction::Act(fields) => {
                let reset = fields.get("action").is_some_and(|name| name == "reset");
                let body = Value::Object(fields.clone());
                let seen = self.operator("/_sim/actions", authorization, body).await?;
                if reset && seen.is_success() {
                    self.deliveries_seen = 0;
                    self.heard = false;
                    if let Some(inbox) = &self.inbox {
                        inbox.inbox().clear();
                    }
                }
                Ok(seen)
            }
            PreparedAction::Advance(seconds) => {
                let body = json!({ "advanceSeconds": seconds });
                self.operator("/_sim/clock", authorization, body).await
            }
            PreparedAction::Deliveries => self.deliveries(authorization).await,
        }
    }
}

/// An error with what caused it.
fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
