//! Sends the webhooks that are due, many at once, and reports each result to the model. The model decides when a
//! delivery is due, and what a response means.

use std::sync::Arc;
use std::time::Duration;

use tideover_model::{Attempt, Receipt};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use url::Url;

use crate::clock::{instant, since};
use crate::deliveries::{AttemptResult, NoResponse};
use crate::journal::Masks;
use crate::sending::{Authorities, Letter, Resolver, Sender, SigningTime};
use crate::world::World;

/// The sender of a world's webhooks.
pub(crate) struct Courier {
    sender: Sender,
    signing: SigningTime,
}

impl Courier {
    pub(crate) fn new(
        resolver: Arc<dyn Resolver>,
        authorities: Authorities,
        signing: SigningTime,
    ) -> Courier {
        Courier { sender: Sender::new(resolver, authorities), signing }
    }

    /// Sends what is due in `world`, which has this name, until the sender of `stopping` is dropped. Then it cancels what
    /// is in flight.
    pub(crate) async fn run(
        self: Arc<Self>,
        name: Arc<str>,
        world: World,
        mut stopping: watch::Receiver<()>,
    ) {
        let mut in_flight = JoinSet::new();
        loop {
            while let Some((attempt, letter, patience)) = world.begin_attempt(self.signing) {
                let (courier, world) = (Arc::clone(&self), (Arc::clone(&name), world.clone()));
                in_flight.spawn(deliver(courier, world, attempt, letter, patience));
            }
            let until_due = world.until_due();
            let due = async {
                match until_due {
                    Some(time) => sleep(time).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = world.woken() => {}
                () = due => {}
                // Without this, the set would keep every finished attempt.
                Some(_) = in_flight.join_next() => {}
                _ = stopping.changed() => return in_flight.shutdown().await,
            }
        }
    }
}

async fn deliver(
    courier: Arc<Courier>,
    (name, world): (Arc<str>, World),
    attempt: Attempt,
    letter: Letter,
    patience: Duration,
) {
    let destinations = world.destinations();
    let started = instant();
    let is_wanted = || world.is_wanted(&attempt);
    let sending = courier.sender.post(&destinations, letter, is_wanted);
    let posted = timeout(patience, sending).await;
    let took = since(started);
    let (receipt, status) = match posted {
        Ok(Ok(status)) => (Receipt::Answered(status), Ok(status)),
        Ok(Err(unsent)) => (Receipt::Failed, Err(NoResponse(unsent.to_string()))),
        Err(_) => (Receipt::TimedOut, Err(NoResponse("no answer in time".to_owned()))),
    };
    warn(&name, &attempt, &status);
    world.end_attempt(&attempt, receipt, AttemptResult { status, took });
}

/// Logs an attempt that was not accepted. It shows host, port and path of the URL: a query may be a secret.
fn warn(world: &str, attempt: &Attempt, status: &Result<u16, NoResponse>) {
    let problem = match status {
        Ok(200..=299) => return,
        Ok(status) => format!("answered {status}"),
        Err(why) => why.to_string(),
    };
    let Attempt { delivery, number, .. } = attempt;
    let url = Url::parse(&delivery.url).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
    let port = url.as_ref().and_then(Url::port).map(|port| format!(":{port}")).unwrap_or_default();
    let path = url.as_ref().map(Url::path).unwrap_or_default();
    let (event, delivery) = (delivery.event.name(), &delivery.id);
    let line = format!(
        "world {world}: {event} to {host}{port}{path}, attempt {number}: {problem} ({delivery})"
    );
    tracing::warn!("{}", Masks::default().concealed(&line).unwrap_or(line));
}
