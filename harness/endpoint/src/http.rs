//! Anything that answers HTTP: the embedded mock, or a base URL.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tideover_exchange::target::{Target, Unanswered, Unreachable};
use tideover_exchange::{Arrival, Body, Prepared, PreparedAction, Response};
use tideover_model::ActionKind;

use crate::client::{Client, Outgoing};
use crate::inbox;

/// The timeout for a response.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// A target under a base URL.
#[derive(Clone, Debug)]
pub struct Http {
    client: Client,
    api_key: String,
    deliveries_seen: u64,
    inbox: Option<Arc<inbox::Server>>,
    /// Whether the target may know the inbox: otherwise nothing arrives there.
    knows_inbox: bool,
    /// Whether the last step was a read, which causes no webhook.
    has_read: bool,
}

impl Http {
    /// The target under `base_url`, without TLS.
    pub fn new(base_url: &str, api_key: &str) -> Result<Http, Unreachable> {
        let client = Client::new(base_url, PATIENCE, None);
        let client = client.map_err(|error| Unreachable(error.to_string()))?;
        Ok(Http::over(client, api_key))
    }

    pub fn over(client: Client, api_key: &str) -> Http {
        Http {
            client,
            api_key: api_key.to_owned(),
            deliveries_seen: 0,
            inbox: None,
            knows_inbox: false,
            has_read: false,
        }
    }

    /// The same target, which can send webhooks to `inbox`.
    #[must_use]
    pub fn with_inbox(self, inbox: inbox::Server) -> Http {
        inbox.ask_clock(self.client.clone());
        Http { inbox: Some(Arc::new(inbox)), ..self }
    }

    /// Waits until a mock has sent all webhooks that are due.
    async fn settle(&self) -> Result<(), Unanswered> {
        let seen =
            self.operator("/_sim/deliveries/wait", None, json!({ "patienceSeconds": 20 })).await?;
        let quiet = seen.json().is_some_and(|body| body["quiet"] == true);
        if quiet {
            return Ok(());
        }
        Err(Unanswered::may_be(format!("deliveries do not end: {seen:?}")).and_last())
    }

    /// A mock that fails to answer once will not answer any more.
    async fn exchange(&self, outgoing: Outgoing<'_>) -> Result<Response, Unanswered> {
        let answered = self.client.exchange(outgoing).await;
        answered.map(|answer| answer.seen).map_err(Unanswered::and_last)
    }

    async fn operator(
        &self,
        path: &str,
        authorization: Option<&str>,
        body: Value,
    ) -> Result<Response, Unanswered> {
        let body = body.to_string().into_bytes();
        let content_type = Some("application/json");
        self.exchange(Outgoing { method: "POST", path, authorization, content_type, body }).await
    }

    async fn deliveries(&mut self, authorization: Option<&str>) -> Result<Response, Unanswered> {
        let path = format!("/_sim/deliveries?after={}", self.deliveries_seen);
        let seen = self
            .exchange(Outgoing { method: "GET", path: &path, authorization, ..Outgoing::default() })
            .await?;
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

    async fn arrivals(&mut self) -> Result<Vec<Arrival>, Unanswered> {
        let Some(inbox) = self.inbox.as_ref().filter(|_| self.knows_inbox && !self.has_read) else {
            return Ok(Vec::new());
        };
        self.settle().await?;
        Ok(inbox.inbox().take())
    }

    async fn send(&mut self, step: &Prepared) -> Result<Response, Unanswered> {
        let authorization = step.authorization.as_deref();
        self.has_read = false;
        match &step.action {
            PreparedAction::Call(call) => {
                let content_type = call.content_type.as_deref();
                let body = call.body().to_vec();
                self.has_read = call.method == "GET";
                self.knows_inbox |= self.inbox().is_some_and(|origin| step.mentions(origin));
                let (method, path) = (&*call.method, &*call.path);
                self.exchange(Outgoing { method, path, authorization, content_type, body }).await
            }
            action => {
                let Some((path, body)) = action.operator_call() else {
                    return self.deliveries(authorization).await;
                };
                let seen = self.operator(path, authorization, body).await?;
                if step.acts() == Some(ActionKind::Reset) && seen.is_success() {
                    self.deliveries_seen = 0;
                    self.knows_inbox = false;
                    if let Some(inbox) = &self.inbox {
                        inbox.inbox().clear();
                    }
                }
                Ok(seen)
            }
        }
    }
}
