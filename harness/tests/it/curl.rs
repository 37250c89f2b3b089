//! The curl lines that are printed send what the harness sent.

use std::collections::BTreeMap;
use std::process::Command;

use tideover_harness::generate;
use tideover_harness::report::curl;
use tideover_harness::run::play;
use tideover_harness::target::{Http, Seen, start};
use tideover_harness::transcript::Header;
use tideover_model::Profile;
use tideover_sim::Mock;

/// Runs a line in a shell, against `url`; `None` where there is no curl.
async fn run(line: String, url: String, keys: BTreeMap<String, String>) -> Option<Seen> {
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
    Some(Seen::new(status.parse().ok()?, body.as_bytes()))
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
        let again = Mock::builder().seed(9).start().await.unwrap();
        let keys: BTreeMap<String, String> = steps
            .iter()
            .zip(&played.answers)
            .filter_map(|(step, (_, seen))| {
                let name = step.name.as_ref()?.to_ascii_uppercase();
                Some((format!("{name}_KEY"), seen.json()?.get("key")?.as_str()?.to_owned()))
            })
            .collect();
        for (line, (_, seen)) in curl(&steps, &played.answers).into_iter().zip(&played.answers) {
            assert!(keys.values().all(|key| !line.contains(key)), "{line}");
            if line.contains("/_sim/deliveries") {
                continue;
            }
            let answered = run(line.clone(), again.url().to_owned(), keys.clone()).await;
            assert_eq!(answered.as_ref(), Some(seen), "{line}");
        }
    }
}
