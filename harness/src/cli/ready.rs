//! `tideover ready`

use std::time::Duration;

use clap::Args;
use serde_json::Value;
use tideover_endpoint::client::{Client, Outgoing};
use tokio::time::{sleep, timeout};

use crate::cli::{Outcome, Output, Problem, authorities, wrong};

/// Wait until a mock is ready.
///
/// It asks GET /_sim/health again and again, and ends as soon as the mock answers: exit code 0. If no mock is ready
/// in time, the exit code is 3. With --within 0 it asks once, as a health check does.
#[derive(Args)]
pub(super) struct Ready {
    /// The base URL of the mock, or its host and port [default: the port of --port on this machine]
    url: Option<String>,
    /// The port of a mock on this machine
    #[arg(long, env = "TIDEOVER_PORT", hide_env_values = true, default_value_t = 4010)]
    port: u16,
    /// How long to wait, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    within: u64,
    /// Print the answer of the mock as a line of JSON
    #[arg(long)]
    json: bool,
}

/// The pause between two requests.
const PAUSE: Duration = Duration::from_millis(100);
/// The timeout of one request.
const TIMEOUT: Duration = Duration::from_secs(5);

impl Ready {
    pub(super) async fn run(self) -> Result<Outcome, Problem> {
        let url = self.url.unwrap_or_else(|| format!("127.0.0.1:{}", self.port));
        let url = if url.contains("://") { url } else { format!("http://{url}") };
        let tls = authorities(None)?.client_config().map_err(wrong)?;
        let client = Client::new(&url, TIMEOUT, Some(tls))?;
        let mut last = ask(&client).await;
        let until_ready = async {
            while last.is_err() {
                sleep(PAUSE).await;
                last = ask(&client).await;
            }
        };
        // The last answer says why it is not ready.
        let _ = timeout(Duration::from_secs(self.within), until_ready).await;
        let health = last.map_err(|why| {
            Problem::Target(format!("no mock is ready within {} s: {why}", self.within))
        })?;
        let now = health["now"].as_str().unwrap_or_default();
        let text = format!("ready: {url}, the clock shows {now}");
        Output::new(self.json).print(text, || health.clone())?;
        Ok(Outcome::Pass)
    }
}

/// The health of the mock, or why it is not ready.
async fn ask(client: &Client) -> Result<Value, String> {
    let path = "/_sim/health";
    let (method, body) = ("GET", Vec::new());
    let outgoing = Outgoing { method, path, authorization: None, content_type: None, body };
    let seen = client.exchange(outgoing).await.map_err(|unanswered| unanswered.why)?.seen;
    let health = seen.success_body().filter(|health| health["mock"] == "tideover");
    health.cloned().ok_or_else(|| {
        format!(
            "GET {}{path}: {} is not the answer of a mock of Tideover",
            client.base_url(),
            seen.status
        )
    })
}
