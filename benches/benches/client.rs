//! The reason for a separate client for our own mock: its exchange, directly with the host, compared with the
//! same exchange by the client for foreign services.
//!
//! Both request the same invoice from the same mock over a kept local connection, one request after the
//! other, in a single-threaded runtime, like the suite with an embedded mock. The creation of both clients is
//! measured too.

use std::io;
use std::time::Duration;

use tideover_benches::figures;
use tideover_benches::population::{Population, now};
use tideover_benches::race::Entries;
use tideover_benches::request::{authorization, get_invoice};
use tideover_endpoint::client::{Client, Outgoing};
use tideover_model::wire::written::Written;
use tideover_sim::{Authorities, Mock};
use tokio::runtime::Builder;

const INVOICES: u32 = 1_000;
const PATIENCE: Duration = Duration::from_secs(10);
/// Requests per call, so that many requests share one entry into the runtime.
const REQUESTS: u32 = 16;

fn main() -> io::Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    let population = Population::new(INVOICES);
    let mock = runtime.block_on(async {
        let builder = Mock::builder().face(Box::new(population.service())).start_at(now());
        builder.start().await.expect("a free port")
    });
    let sent = get_invoice(population, 7);
    // Reading the system's authorities takes long, and happens once per run.
    let tls = Authorities::default().client_config().expect("authorities");
    let by_hand = || Client::new(mock.url(), PATIENCE, None).expect("a URL");
    let general = || Client::general(mock.url(), PATIENCE, tls.clone(), &[]).expect("a URL");
    let clients = [by_hand(), general()];
    let mut entries = Entries::new();
    entries.add("by hand", || runtime.block_on(exchange(&clients[0], &sent)));
    entries.add("reqwest", || runtime.block_on(exchange(&clients[1], &sent)));
    entries.run("client", REQUESTS.into()).save(&figures::home())?;
    let mut entries = Entries::new();
    entries.add("by hand", by_hand);
    entries.add("reqwest", general);
    entries.run("client, made", 1).save(&figures::home())
}

async fn exchange(client: &Client, sent: &Written) {
    let authorization = authorization();
    for _ in 0..REQUESTS {
        let outgoing = Outgoing {
            method: sent.method,
            path: &sent.path,
            authorization: Some(&authorization),
            content_type: sent.content_type,
            body: sent.body.clone(),
        };
        let answer = client.exchange(outgoing).await.expect("an answer");
        assert_eq!(answer.seen.status, 200);
    }
}
