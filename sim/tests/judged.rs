//! The mock as it is now, judged by a contract suite that was built before. `.ci/mutants` breaks the model and asks
//! again. It is a test of its own, since it is linked once for each mutant.

use std::net::{Ipv4Addr, TcpListener};
use std::process::Command;

use tideover_model::Destinations;
use tideover_sim::Mock;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the program of a build that nobody has broken, in TIDEOVER"]
async fn a_suite_that_was_built_before_accuses_nobody() {
    let program = std::env::var("TIDEOVER").expect("TIDEOVER names the program that judges");
    let inbox = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
    let origin = format!("http://{inbox}");
    let mock =
        Mock::builder().webhooks(Destinations::PublicAnd(origin.clone())).start().await.unwrap();
    let mut check = Command::new(program);
    check.args(["check", "--target", mock.url(), "--key", mock.api_key()]);
    check.args(["--operator", mock.url(), "--sandbox", "--max-findings", "1"]);
    check.args(["--webhook-listen", &inbox.to_string(), "--webhook-url", &origin]);
    let judged = tokio::task::spawn_blocking(move || check.output()).await.unwrap().unwrap();
    let said = String::from_utf8_lossy(&judged.stdout);
    assert!(judged.status.success(), "{said}{}", String::from_utf8_lossy(&judged.stderr));
}
