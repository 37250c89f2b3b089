//! The curl lines that are printed send what the harness sent.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::json;
use tideover_endpoint::Http;
use tideover_exchange::step::{Action, Call, Step};
use tideover_exchange::transcript::{Header, LiveEndpoint, Transcript};
use tideover_exchange::{Response, start};
use tideover_live::session::Abilities;
use tideover_live::settings::{Settings, Webhooks};
use tideover_live::{Vocabulary, live_case};
use tideover_model::Profile;
use tideover_report::curl;
use tideover_sim::Mock;
use tideover_suite::generate;
use tideover_suite::play::case::play;

/// Runs a line in a shell, against `url`; `None` where there is no curl.
async fn run(line: String, url: String, keys: BTreeMap<String, String>) -> Option<Response> {
    let script = format!("{line} -s -w '\\n%{{http_code}}'");
    let output = tokio::task::spawn_blocking(move || {
        Command::new("bash")
            .args(["-c", &script])
            .env("BASE_URL", url)
            .env("API_KEY", "rap_sk_local")
            .envs(keys)
            .output()
    })
    .await
    .unwrap()
    .ok()?;
    let text = String::from_utf8(output.stdout).unwrap();
    let (body, status) = text.rsplit_once('\n')?;
    Some(Response::new(status.parse().ok()?, body.as_bytes()))
}

fn has_curl() -> bool {
    Command::new("bash")
        .args(["-c", "curl --version"])
        .output()
        .is_ok_and(|out| out.status.success())
}

#[tokio::test]
async fn a_printed_line_is_answered_as_the_step_was() {
    if !has_curl() {
        eprintln!("skipped: there is no bash with curl on this machine");
        return;
    }
    let header = Header::new(9, start(), Profile::default());
    // The goals that these cases begin with: an import, a shared business, links, keys.
    for case in [1, 3, 6, 7] {
        let steps = generate::case(&header, case, 25);
        let mock = Mock::builder().seed(9).start().await.unwrap();
        let mut target = Http::new(mock.url(), mock.api_key()).unwrap();
        let played = play(&mut target, &header, &steps).await.unwrap();
        let transcript = Transcript::new(header.clone(), steps.clone());
        let again = Mock::builder().seed(9).start().await.unwrap();
        let keys: BTreeMap<String, String> = steps
            .iter()
            .zip(&played.answers)
            .filter_map(|(step, (_, seen))| {
                let name = step.name.as_ref()?.to_ascii_uppercase().replace('-', "_");
                let body = seen.as_ref()?.json()?.as_object()?;
                let minted = ["key", "reference", "url"].into_iter().filter_map(move |field| {
                    let value = body.get(field)?.as_str()?.to_owned();
                    Some((format!("{name}_{}", field.to_ascii_uppercase()), value))
                });
                Some(minted.collect::<Vec<_>>())
            })
            .flatten()
            .collect();
        for (line, (_, seen)) in curl(&transcript, &played.answers).into_iter().zip(&played.answers)
        {
            let minted = keys.iter().filter(|(name, _)| !name.ends_with("_URL"));
            assert!(minted.clone().all(|(_, value)| !line.contains(value)), "{line}");
            if line.contains("/_sim/deliveries") {
                continue;
            }
            let answered = run(line.clone(), again.url().to_owned(), keys.clone()).await;
            assert_eq!(&answered, seen, "{line}");
        }
    }
}

/// A reference that one run minted is a variable, with words on where another run finds it.
#[tokio::test]
async fn a_minted_reference_is_a_variable() {
    let url = json!({ "url": "https://hooks.example.com/mine" });
    let subscribe = Call::json("POST", "/v1/webhooks", url);
    let steps = vec![
        Step::new(Action::Call(subscribe)).named("mine"),
        Step::new(Action::Call(Call::bare("DELETE", "/v1/webhooks/${mine.reference}"))),
    ];
    let header = Header::new(9, start(), Profile::default());
    let mock = Mock::builder().seed(9).start().await.unwrap();
    let mut target = Http::new(mock.url(), mock.api_key()).unwrap();
    let played = play(&mut target, &header, &steps).await.unwrap();
    let lines = curl(&Transcript::new(header, steps), &played.answers);
    let words = "'/v1/webhooks/'\"${MINE_REFERENCE:?reference in the response to step 1}\"";
    assert!(lines[1].contains(words), "{}", lines[1]);
    assert!(!lines[1].contains("whs_"), "{}", lines[1]);
}

/// Names, tax ids and accounts against a live endpoint are variables of the shell, and all of them are set.
#[tokio::test]
async fn a_line_for_a_live_endpoint_can_be_pasted() {
    let mock = Mock::builder().start().await.unwrap();
    let url = "https://hooks.example".to_owned();
    let webhooks = Some(Webhooks { listen: "127.0.0.1:0".parse().unwrap(), url });
    let settings = Settings { webhooks, ..crate::support::live::settings(&mock) };
    let abilities = Abilities { disturbs: true, moves_clock: true, ..Abilities::default() };
    let vocabulary = Vocabulary::new(settings.clone(), abilities, 1);
    let (target, run) = (settings.target.clone(), settings.own_name.clone());
    let mut header = Header::new(2, start(), Profile::default());
    header.live = Some(LiveEndpoint { target, run, fresh: true, headers: Vec::new() });
    let steps: Vec<_> =
        (0..12).flat_map(|case| live_case(&header, case, 30, &vocabulary).steps).collect();
    let lines = curl(&Transcript::new(header, steps), &[]);
    let set = "BASE_URL=b API_KEY=k OTHER_KEY=o RUN=td-new INBOX=https://own.example TAX_ID_{1..6}=98-7654321 ACCOUNT_1=000123456789";
    let script = format!(
        "set -u\nexport {set}\ncurl() {{ printf '%s\\n' \"$*\"; }}\n{}\n",
        lines.join("\n")
    );
    let Ok(output) = Command::new("bash").args(["-c", &script]).output() else { return };
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for named in [
        "b/v1/organizations/test-td-new-v1",
        "98-7654321",
        "https://own.example/accepts",
        "000123456789",
    ] {
        assert!(printed.contains(named), "{named} is not in {printed}");
    }
    // Subscriptions and keys that no answer gave stay references.
    let open = printed.lines().filter(|line| line.contains("${") || line.contains("%7B"));
    let open: Vec<&str> = open.filter(|line| !line.contains(".reference")).collect();
    assert!(open.iter().all(|line| line.contains(".key}") || line.contains(".url}")), "{open:?}");
    mock.stop().await;
}
