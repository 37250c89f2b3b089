//! The courier: sends what the model says is due, many deliveries at once, and reports the results to it.
//!
//! When what is sent and what an answer means, the model decides.

use std::sync::Arc;
use std::time::Duration;

use tideover_model::{Attempt, Receipt};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::clock::instant;
use crate::deliveries::Ending;
use crate::sending::{Authorities, Letter, Resolver, Sender, SigningTime};
use crate::world::World;

/// How a world's webhooks are sent.
pub(crate) struct Courier {
    sender: Sender,
    signing: SigningTime,
}

/// An attempt on its way.
struct Begun {
    attempt: Attempt,
    letter: Letter,
    patience: Duration,
}

impl Courier {
    pub(crate) fn new(
        resolver: Arc<dyn Resolver>,
        authorities: Authorities,
        signing: SigningTime,
    ) -> Courier {
        Courier { sender: Sender::new(resolver, authorities), signing }
    }

    /// Sends what is due in `world`, for as long as it is polled.
    pub(crate) async fn run(self, world: World) {
        let courier = Arc::new(self);
        let mut under_way = JoinSet::new();
        loop {
            while let Some(begun) = courier.begin(&world) {
                under_way.spawn(deliver(Arc::clone(&courier), world.clone(), begun));
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
                // Without this the set would keep every attempt that there ever was.
                Some(_) = under_way.join_next() => {}
            }
        }
    }

    fn begin(&self, world: &World) -> Option<Begun> {
        let (attempt, headers, patience) = world.begin_attempt(self.signing)?;
        let letter = Letter {
            url: Arc::clone(&attempt.delivery.url),
            headers,
            body: Arc::clone(&attempt.delivery.body),
        };
        Some(Begun { attempt, letter, patience })
    }
}

async fn deliver(courier: Arc<Courier>, world: World, begun: Begun) {
    let Begun { attempt, letter, patience } = begun;
    let destinations = world.destinations();
    let started = instant();
    let is_wanted = || world.is_wanted(&attempt);
    let sending = courier.sender.post(&destinations, letter, is_wanted);
    let posted = timeout(patience, sending).await;
    let took = started.elapsed();
    let (receipt, answer) = match posted {
        Ok(Ok(status)) => (Receipt::Answered(status), Ok(status)),
        Ok(Err(unsent)) => (Receipt::Failed, Err(unsent.to_string())),
        Err(_) => (Receipt::TimedOut, Err("no answer in time".to_owned())),
    };
    world.end_attempt(&attempt, receipt, Ending { answer, took });
}
