//! One play against a live endpoint, up to its end: finished, out of budget, interrupted or failed.

use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use crate::cli::Problem;
use crate::cli::progress::Progress;
use crate::cli::signals::Ended;
use crate::endpoint::Unreachable;
use crate::live::session::{Ending, Session};

/// How a play came to its end.
pub(super) struct End {
    pub(super) ending: Option<Ending>,
    pub(super) interrupted: bool,
    pub(super) left_behind: Vec<String>,
}

/// Plays until the end, until nothing more may be sent, or until Ctrl-C; then cleans up, even if playing panics.
pub(super) async fn to_the_end(
    session: &Session,
    progress: &Progress,
    playing: impl Future<Output = Result<(), Unreachable>>,
) -> Result<End, Problem> {
    let ended = Ended::listen()?;
    let (mut interrupted, mut failed, mut panicked) = (false, None, None);
    tokio::select! {
        biased;
        heard = ended.heard() => (interrupted, failed) = (true, heard.err()),
        played = caught(playing) => match played {
            Ok(played) => failed = played.err().map(Problem::from),
            Err(why) => panicked = Some(format!("Tideover itself failed: {why}")),
        }
    }
    progress.finish();
    let left_behind = session.clean_up().await;
    let ending = panicked.map(Ending::GivenUp).or_else(|| session.ended());
    match (failed, &ending) {
        (Some(problem), None) => Err(problem.and(&left_behind)),
        _ => Ok(End { ending, interrupted, left_behind }),
    }
}

/// What comes of `future`, or with which words it panicked.
async fn caught<T>(future: impl Future<Output = T>) -> Result<T, String> {
    let mut future = pin!(future);
    poll_fn(|context| {
        // The course is not used again after a panic.
        match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
            Ok(poll) => poll.map(Ok),
            Err(panic) => Poll::Ready(Err(words(&*panic))),
        }
    })
    .await
}

fn words(panic: &(dyn Any + Send)) -> String {
    let words = panic.downcast_ref::<&str>().map(ToString::to_string);
    words.or_else(|| panic.downcast_ref().cloned()).unwrap_or_else(|| "it panicked".to_owned())
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;
    use std::time::Duration;

    use serde_json::{Value, json};
    use tideover_model::Profile;

    use super::*;
    use crate::cli::Output;
    use crate::endpoint::client::Client;
    use crate::endpoint::{Target, wall_time};
    use crate::exchange::Prepared;
    use crate::exchange::step::{Action, Call, Step};
    use crate::exchange::transcript::Header;
    use crate::live::Vocabulary;
    use crate::live::settings::{Accounts, ApiKey, Budget, Settings, Webhooks};
    use crate::live::target::LiveWorld;
    use crate::play::cases::{Plan, World};

    const HOOKS: &str = "https://hooks.example.com";

    #[tokio::test]
    async fn a_panic_still_cleans_up_and_says_why() {
        let mock = tideover_sim::Mock::builder().resolver(tideover_sim::NoNames).start().await;
        let mock = mock.unwrap();
        let settings = Settings {
            target: mock.url().to_owned(),
            key: ApiKey::new(mock.api_key().to_owned()),
            second_key: None,
            operator: None,
            headers: Vec::new(),
            webhooks: Some(Webhooks { listen: ([127, 0, 0, 1], 0).into(), url: HOOKS.into() }),
            allow_writes: true,
            allow_disturbance: false,
            accounts: Accounts { prefix: Some("test-".into()), ..Accounts::default() },
            budget: Budget { requests: 10, financed: 0, subscriptions: 1, seconds: None },
            per_second: None,
            sandbox: None,
            at_once: 1.try_into().unwrap(),
            timeout: Duration::from_secs(20),
            own_name: "td-r-".into(),
            is_run_new: true,
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
        let end = to_the_end(&session, &progress, async {
            let mut target = world.fresh().await?;
            let url = format!("{}/accepts", target.inbox().unwrap());
            let subscribe = Call::json("POST", "/v1/webhooks", json!({ "url": url }));
            let step = Step::new(Action::Call(subscribe));
            let sent = Prepared::from_step(&step, &target.memory(), target.api_key());
            assert_eq!(target.send(&sent).await?.status, 201);
            panic!("a defect of ours");
        });
        let end = end.await.ok().unwrap();
        let why = Ending::GivenUp("Tideover itself failed: a defect of ours".to_owned());
        assert_eq!((end.ending, end.left_behind), (Some(why), Vec::new()));
        let mut target = world.fresh().await.unwrap();
        let list = Step::new(Action::Call(Call::bare("GET", "/v1/webhooks")));
        let list = Prepared::from_step(&list, &target.memory(), target.api_key());
        assert_eq!(target.send(&list).await.unwrap().json(), Some(&Value::Array(Vec::new())));
    }
}
