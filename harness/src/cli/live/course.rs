//! A run against a live endpoint, from its start to its cleanup.

use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use tideover_exchange::target::Unreachable;
use tideover_live::session::{Session, StopReason};

use crate::cli::Problem;
use crate::cli::progress::Progress;
use crate::cli::signals::StopSignals;

pub(super) struct End {
    /// Why the session ended, unless a signal ended the run.
    pub(super) ending: Option<StopReason>,
    pub(super) left_behind: Vec<String>,
}

/// Plays to the end, until nothing more may be sent, or until Ctrl-C. Then cleans up, even after a panic.
pub(super) async fn play_and_clean_up(
    session: &Session,
    progress: &Progress,
    playing: impl Future<Output = Result<(), Unreachable>>,
) -> Result<End, Problem> {
    let stop = StopSignals::listen()?;
    let (mut interrupted, mut failed, mut panicked) = (false, None, None);
    tokio::select! {
        biased;
        received = stop.received() => (interrupted, failed) = (true, received.err()),
        never = progress.watch(|| session.requests()) => match never {},
        played = catch_panic(playing) => match played {
            Ok(played) => failed = played.err().map(Problem::from),
            Err(why) => panicked = Some(format!("Tideover itself failed: {why}")),
        }
    }
    progress.finish();
    let left_behind = session.clean_up().await;
    let ended = || session.ended().filter(|_| !interrupted);
    let ending = panicked.map(StopReason::GivenUp).or_else(ended);
    match (failed, &ending) {
        (Some(problem), None) => Err(problem.and(&left_behind)),
        _ => Ok(End { ending, left_behind }),
    }
}

/// The output of `future`, or the message of its panic.
async fn catch_panic<T>(future: impl Future<Output = T>) -> Result<T, String> {
    let mut future = pin!(future);
    poll_fn(|context| {
        // After a panic the future is not polled again.
        match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
            Ok(poll) => poll.map(Ok),
            Err(panic) => Poll::Ready(Err(message(&*panic))),
        }
    })
    .await
}

fn message(panic: &(dyn Any + Send)) -> String {
    let message = panic.downcast_ref::<&str>().map(ToString::to_string);
    message.or_else(|| panic.downcast_ref().cloned()).unwrap_or_else(|| "it panicked".to_owned())
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use serde_json::Value;
    use tideover_endpoint::client::Client;
    use tideover_endpoint::wall_time;
    use tideover_exchange::Prepared;
    use tideover_exchange::target::Target;
    use tideover_exchange::transcript::Header;
    use tideover_live::Vocabulary;
    use tideover_live::settings::{Accounts, ApiKey, Budget, Settings, Webhooks};
    use tideover_live::target::LiveWorld;
    use tideover_model::Profile;
    use tideover_suite::generate::requests as make;
    use tideover_suite::play::cases::{Plan, Testbed};

    use super::*;
    use crate::cli::Output;

    const HOOKS: &str = "https://hooks.example.com";

    #[tokio::test]
    async fn a_panic_cleans_up_and_is_reported() {
        let mock = tideover_sim::Mock::builder().resolver(tideover_sim::NoNames).start().await;
        let mock = mock.unwrap();
        let key = ApiKey::new(mock.api_key().to_owned());
        let settings = Settings {
            webhooks: Some(Webhooks { listen: ([127, 0, 0, 1], 0).into(), url: HOOKS.into() }),
            allow_writes: true,
            accounts: Accounts { prefix: Some("test-".into()), ..Accounts::default() },
            budget: Budget { requests: 10, financed: 0, subscriptions: 1, seconds: None },
            per_second: None,
            ..Settings::new(mock.url().to_owned(), key, "td-r-".into())
        };
        let folder = tempfile::tempdir().unwrap();
        let client = Client::new(mock.url(), settings.timeout, None).unwrap();
        let header = Header::new(1, wall_time(), Profile::default());
        let journal = folder.path().join("journal.jsonl");
        let session =
            Session::new(settings.clone(), client, None, None, &journal, &header).unwrap();
        let vocabulary = Vocabulary::new(settings, session.abilities().clone(), 1);
        let session = Rc::new(session);
        let mut world = LiveWorld::new(Rc::clone(&session), vocabulary);
        let plan = Plan { header, first: 0, cases: 1, steps: 1, max_findings: 1 };
        let progress = Progress::new(&Output::new(true), &plan);
        let end = play_and_clean_up(&session, &progress, async {
            let mut target = world.fresh().await?;
            let url = format!("{}/accepts", target.inbox().unwrap());
            let subscribe = make::subscribe(&url, None);
            let sent = Prepared::from_step(&subscribe, &target.memory(), target.api_key());
            assert_eq!(target.send(&sent).await?.status, 201);
            panic!("a defect of ours");
        });
        let end = end.await.ok().unwrap();
        let why = StopReason::GivenUp("Tideover itself failed: a defect of ours".to_owned());
        assert_eq!((end.ending, end.left_behind), (Some(why), Vec::new()));
        let mut target = world.fresh().await.unwrap();
        let list = make::list_subscriptions();
        let list = Prepared::from_step(&list, &target.memory(), target.api_key());
        assert_eq!(target.send(&list).await.unwrap().json(), Some(&Value::Array(Vec::new())));
    }
}
