//! Requests sent at once to a live endpoint.

use std::net::SocketAddr;
use std::process::Command;

use tideover_endpoint::inbox;
use tideover_exchange::evidence::Reproduced;
use tideover_live::settings::{Settings, Webhooks};
use tideover_model::{Destinations, Profile};
use tideover_prove::defects;
use tideover_sim::{Mock, NoNames};
use tideover_suite::generate::Size;
use tideover_suite::play::cases::Plan;
use tideover_suite::play::concurrent::{History, Known, RaceTestbed, Races, Summary};

use crate::support::live::{Begun, begin, endpoint, header, settings};

const CLIENTS: usize = 6;

fn racing(mock: &Mock) -> Settings {
    Settings { at_once: 6.try_into().unwrap(), ..settings(mock) }
}

async fn race(begun: &mut Begun, number: u64) -> (History, Known) {
    let race = begun.world.race(&header(), number, Size { clients: CLIENTS, steps: 8 });
    begun.world.run(&header(), &race, 0).await.unwrap()
}

/// How many requests started before the response to another client's request.
fn overlapping(history: &History) -> usize {
    let requests = &history.requests;
    let overlaps = |(index, one): &(usize, &tideover_suite::play::concurrent::TimedRequest)| {
        requests[..*index].iter().any(|before| {
            let answered = before.response.as_ref().is_none_or(|response| response.at > one.called);
            before.client != one.client && answered
        })
    };
    requests.iter().enumerate().filter(overlaps).count()
}

#[tokio::test]
async fn a_correct_endpoint_is_not_accused_in_races() {
    let inbox = inbox::Server::start().await.unwrap();
    let mock = endpoint(Some(&inbox)).await;
    let listen: SocketAddr = "127.0.0.1:0".parse().unwrap();
    let webhooks = Some(Webhooks { listen, url: inbox.origin().into() });
    let mut begun = begin(Settings { webhooks, ..racing(&mock) }, Some(inbox)).await;
    let mut summary = Summary::default();
    let (mut raced, mut advances) = (0, 0);
    for number in 0..10 {
        let (history, known) = race(&mut begun, number).await;
        raced += overlapping(&history);
        let sent = |text: &str| {
            history.requests.iter().any(|one| format!("{:?}", one.sent.action).contains(text))
        };
        assert!(sent("vendorSignsAgreement"), "race {number}");
        advances += usize::from(sent("/v1/advances"));
        summary.add(&header(), number, &history, &known);
    }
    assert!(summary.counted.failures.is_empty(), "{:?}", summary.counted.failures);
    assert_eq!((summary.parts.open(), summary.parts.unknown), (0, 0), "{:?}", summary.parts);
    assert!(raced > 50, "{raced} requests overlapped with others");
    assert!(advances > 5, "{advances} of 10 races requested an advance");
    let left = begun.session.clean_up().await;
    assert!(!left.iter().any(|left| left.contains("subscription")), "{left:?}");
    mock.stop().await;
}

/// `4.advances.2` at an endpoint about which the judge knows nothing. Minimisation sends nothing: the failure
/// shows the racing requests, and before them the steps that the model needs.
#[tokio::test]
async fn two_first_requests_in_a_race_are_found() {
    let defect = defects::find("repeat-is-answered-as-the-first").unwrap();
    let face = defect.service(Profile::default(), 1, Destinations::Public);
    let mock = Mock::builder().resolver(NoNames).face(Box::new(face)).start().await.unwrap();
    let mut begun = begin(racing(&mock), None).await;
    let plan = Plan { header: header(), first: 0, cases: 5, steps: 48, max_findings: 5 };
    let mut races = Races::new(&plan, CLIENTS);
    races.run(&mut begun.world, |_| {}).await.unwrap();
    let counted = races.summary.counted;
    let failure = &counted.failures[0];
    assert_eq!(failure.finding().clause.name(), "4.advances.2");
    let at_once = failure.raced.iter().filter(|one| one.is_at_once()).count();
    let steps = failure.transcript.steps.len();
    assert!(at_once >= 2 && steps == at_once + 7, "{at_once} of {steps}: {failure:?}");
    assert_eq!((failure.probes, failure.reproduced), (0, Some(Reproduced::default())));
    let sent = begun.session.requests();
    assert!(sent <= counted.steps + 20, "{sent} were sent for {} steps", counted.steps);
    mock.stop().await;
}

#[tokio::test]
async fn the_command_races_only_with_writes_allowed() {
    let mock = endpoint(None).await;
    let folder = tempfile::tempdir().unwrap();
    let check = async |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tideover"));
        command.current_dir(folder.path()).env("TIDEOVER_KEY", mock.api_key());
        command.args(["check", "--seed", "1", "--concurrency", "4", "--target", mock.url()]);
        command.args(["--requests-per-second", "100000"]).args(arguments);
        // The mock answers in this very runtime.
        let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
        let printed = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(!printed.contains(mock.api_key()), "{printed}");
        (output.status.code(), printed)
    };
    let (code, printed) = check(&[]).await;
    assert!(code == Some(2) && printed.contains("concurrency needs allow-writes"), "{printed}");
    let leave = ["--allow-writes", "--account-prefix", "test-", "--cases", "3"];
    let (code, printed) = check(&leave).await;
    assert!(code == Some(0) && printed.contains("3 races of 4 clients"), "{printed}");
    assert!(printed.contains("left behind: business test-td-"), "{printed}");
    let (code, printed) = check(&[&leave[..], &["--max-requests", "1"]].concat()).await;
    assert!(code == Some(3) && printed.contains("nothing was examined"), "{printed}");
    mock.stop().await;
}
