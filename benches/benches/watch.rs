//! What `watch` costs a request: the same exchange directly with our own mock, and through the proxy that copies it for the
//! judge.
//!
//! Client, proxy and mock share one single-threaded runtime, so that all that the proxy does counts; the judge runs in its
//! own thread, as it always does.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tideover_benches::figures;
use tideover_benches::population::{Population, now};
use tideover_benches::race::Entries;
use tideover_benches::request::{authorization, get_invoice};
use tideover_endpoint::client::{Client, Outgoing};
use tideover_model::Profile;
use tideover_model::conduct::Ending;
use tideover_model::wire::written::Written;
use tideover_sim::{Authorities, Mock, wall_time};
use tideover_watch::{Bases, Given, Proxy, Side, Target, Watcher, tape};
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
    let tls = Authorities::default().client_config().expect("authorities");
    let (tape, copies) = tape(wall_time());
    let target = Target::new(mock.url(), tls).expect("a URL");
    let given = Given {
        profile: Profile::default(),
        bases: Bases { service: mock.url().to_owned(), receiver: String::new() },
        alone: false,
        ending: Ending::Open,
    };
    let watcher = Watcher::start(copies, given, None, |_| {})?;
    let here = SocketAddr::from(([127, 0, 0, 1], 0));
    let proxy = runtime.block_on(Proxy::start(here, target, Side::Api, tape.clone()))?;
    let client = |url: &str| Client::new(url, PATIENCE, None).expect("a URL");
    let clients = [client(mock.url()), client(&format!("http://{}", proxy.address()))];
    let mut entries = Entries::new();
    entries.add("directly", || runtime.block_on(exchange(&clients[0], &sent)));
    entries.add("through watch", || runtime.block_on(exchange(&clients[1], &sent)));
    entries.run("watch", REQUESTS.into()).save(&figures::home())?;
    runtime.block_on(proxy.stop());
    tape.close();
    drop(watcher.finish());
    Ok(())
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
