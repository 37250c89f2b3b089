//! The README and the guide say what is true: what they print is really printed, and their links lead somewhere.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde_json::Value;
use tideover_endpoint::{Http, inbox};
use tideover_exchange::Memory;
use tideover_exchange::step::Action;
use tideover_exchange::target::Target;
use tideover_exchange::{Arrival, Body, Prepared};
use tideover_model::clause::Kind;
use tideover_model::conduct::Duty;
use tideover_model::{Clause, Destinations, Reading, Readings, Timestamp};
use tideover_prove::Setup;
use tideover_prove::right::gaps::{gaps, variation};
use tideover_prove::right::liberties::LIBERTIES;
use tideover_prove::{ProofBudget, defects, prove};
use tideover_report::matrix::Matrix;
use tideover_sim::Mock;
use tideover_sim::grease::Freedom;
use tideover_suite::generate;

use crate::support::foreign::skip;
use crate::support::pages::{block, page, pages, root, rust, session_of, step};

/// The pages with a session of the mock.
const SESSIONS: [&str; 2] = ["README.md", "docs/start-integrator.md"];

#[tokio::test]
async fn the_sessions_are_what_is_printed() {
    for (path, fewest) in SESSIONS.into_iter().zip([4, 11]) {
        let start = Timestamp::parse("2026-01-01T00:00:00Z").unwrap();
        let mock = Mock::builder().seed(1).start_at(start).start().await.unwrap();
        let mut target = Http::new(mock.url(), mock.api_key()).unwrap();
        let session = session_of(path);
        assert!(session.len() >= fewest, "{path}");
        for (command, printed) in session {
            let sent = Prepared::from_step(&step(&command), &Memory::default(), target.api_key());
            let seen = target.send(&sent).await.unwrap();
            let printed: Value = serde_json::from_str(&printed).unwrap();
            assert_eq!(seen.body, Body::Json(Arc::new(printed)), "{command}");
        }
    }
}

/// The session with a receiver, but for its port and what the time of day signs.
#[tokio::test]
async fn the_webhooks_are_what_is_printed() {
    let section = page("docs/webhooks.md");
    let inbox = inbox::Server::start().await.unwrap();
    let start = Timestamp::parse("2026-01-01T00:00:00Z").unwrap();
    let builder = Mock::builder().seed(1).start_at(start).webhooks(Destinations::Local);
    let mock = builder.start().await.unwrap();
    let mut target = Http::new(mock.url(), mock.api_key()).unwrap();
    let here = section.replace("http://127.0.0.1:8000", inbox.origin());
    let mut lines = here.lines();
    let mut asked = 0;
    while let Some(line) = lines.next() {
        if let Some(command) = line.strip_prefix("$ api ") {
            let step = step(command);
            let sent = Prepared::from_step(&step, &Memory::default(), target.api_key());
            let seen = target.send(&sent).await.unwrap();
            let printed = lines.next().unwrap();
            match serde_json::from_str(printed) {
                Ok(printed) => assert_eq!(seen.body, Body::Json(Arc::new(printed)), "{command}"),
                Err(_) => assert_eq!((seen.body, printed), (Body::Empty, ""), "{command}"),
            }
            asked += 1;
        } else if line.starts_with("/hooks ") {
            assert!(mock.quiet(Duration::from_secs(20)).await.quiet);
            let arrivals = inbox.inbox().take();
            let [Arrival { path, delivery: Some(delivery), body, .. }] = &arrivals[..] else {
                panic!("{arrivals:?}")
            };
            let body = String::from_utf8_lossy(body);
            assert_eq!(format!("{path} {delivery} {body}"), line);
        }
    }
    assert_eq!(asked, 6);
}

/// The session with grease. A line of dots leaves something out.
#[tokio::test]
async fn the_grease_is_what_is_printed() {
    let text = page("docs/grease.md");
    let start = Timestamp::parse("2026-01-01T00:00:00Z").unwrap();
    let mock = Mock::builder().seed(7).start_at(start).grease(true).start().await.unwrap();
    let (client, mut asked) = (crate::support::plain::client(), 0);
    for command in text.split("$ api ").skip(1) {
        let (command, shown) = command.split_once('\n').unwrap();
        let shown = shown.split("```").next().unwrap().trim_end();
        let Action::Call(call) = step(command).action else { panic!("{command}") };
        let request =
            client.request(call.method.parse().unwrap(), format!("{}{}", mock.url(), call.path));
        let request = request
            .bearer_auth(mock.api_key())
            .body(command.split('\'').nth(1).unwrap_or_default().to_owned());
        let printed = request.send().await.unwrap().text().await.unwrap();
        let mut parts = shown.split('…').filter(|part| !part.is_empty());
        assert!(parts.all(|part| printed.contains(part)), "{command}\n{printed}");
        asked += 1;
    }
    assert_eq!(asked, 5);
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    let expected = Freedom::ALL.map(|freedom| {
        let (name, clause, sentence) = (freedom.name(), freedom.clause(), freedom.sentence());
        format!("| `{name}` | `{clause}` | {sentence} |")
    });
    assert_eq!(rows.collect::<Vec<_>>(), expected);
}

/// The guide has every point with two readings.
#[test]
fn the_guide_has_every_reading() {
    let page = page("docs/profiles.md");
    for reading in Reading::ALL {
        let [yes, no] = [true, false].map(|value| reading.sentence(value));
        let row = format!("| `{}` | {yes} | {no} |", reading.name());
        assert!(page.contains(&row), "{row}");
        assert!(Readings::default().get(reading), "the table says so");
    }
}

/// The guide has every liberty of a right service, and how right services vary each gap.
#[test]
fn the_guide_has_every_liberty_and_every_gap() {
    let page = page("docs/liberties.md");
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let by_liberty = LIBERTIES.iter().map(|row| {
        let clauses: Vec<String> = row.clauses.iter().map(|it| format!("`{it}`")).collect();
        format!("| `{}` | {} | {} |", row.name, clauses.join(", "), row.words)
    });
    let by_gap = gaps().map(|gap| format!("| `{gap}` | {} |", variation(gap)));
    let expected: Vec<String> = by_liberty.chain(by_gap).collect();
    assert_eq!(rows.collect::<Vec<_>>(), expected, "\n{}", expected.join("\n"));
}

/// The guide has every duty of a caller.
#[test]
fn the_guide_has_every_duty() {
    let page = page("docs/conduct.md");
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let expected = Duty::ALL.map(|duty| {
        let (id, clause) = (duty.id(), duty.clause());
        format!("| `{id}` | `{clause}` | {} | {} |", duty.words(), duty.shown())
    });
    assert_eq!(rows.collect::<Vec<_>>(), expected, "\n{}", expected.join("\n"));
}

/// The cells of each defect in the table of the proof.
fn defect_rows(page: &str) -> Vec<Vec<&str>> {
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    rows.map(|line| line.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

/// The page of the proof has every defect of the catalogue, found or with the reason why not.
#[test]
fn the_page_of_the_proof_has_every_defect() {
    let page = page("docs/proof.md");
    let rows = defect_rows(&page);
    let names: Vec<String> = defects::all().map(|defect| format!("`{}`", defect.name)).collect();
    assert_eq!(rows.iter().map(|row| row[0]).collect::<Vec<_>>(), names);
    for (row, defect) in rows.iter().zip(defects::all()) {
        let [_, clause, known, stranger, caller, why] = row[..] else { panic!("{row:?}") };
        assert_eq!(clause, defect.clause.to_string());
        assert_ne!(known, "-", "{row:?}");
        for (setup, cell) in [(Setup::Stranger, stranger), (Setup::Caller, caller)] {
            // What hides a defect as a rule may show it in one seed.
            let has_reason = setup.reason(defect).is_some_and(|reason| why.contains(reason));
            assert!(cell != "-" || has_reason, "{row:?}");
        }
    }
}

/// The lines at the top of the page follow from its table.
#[test]
fn the_lines_of_the_proof_follow_from_its_table() {
    let page = page("docs/proof.md");
    let rows = defect_rows(&page);
    let lines = page.lines().filter(|line| line.starts_with("- `tideover prove"));
    for (line, column) in lines.zip(2..) {
        let found = rows.iter().filter_map(|row| row[column].split_once(", "));
        let mut requests: Vec<u64> = found.map(|(_, requests)| requests.parse().unwrap()).collect();
        requests.sort_unstable();
        let median = requests[(requests.len() - 1) / 2];
        let (found, all) = (requests.len(), rows.len());
        assert!(line.contains(&format!(" {found} of {all} defects ")), "{line}");
        assert!(
            line.ends_with(&format!(" half of them within {median} requests")),
            "{line}: {median}"
        );
    }
}

/// The README and the guide have the lines of the proof's page on what is found from each point of view.
#[test]
fn each_point_of_view_has_the_line_of_the_proof() {
    let proof = page("docs/proof.md");
    let lines = proof.lines().filter(|line| line.starts_with("- `tideover prove"));
    let lines: Vec<&str> = lines.collect();
    assert_eq!(lines.len(), Setup::ALL.len());
    for path in ["README.md", "docs/prove.md"] {
        let text = page(path);
        for line in &lines {
            assert!(text.lines().any(|shown| shown == *line), "{path} does not show\n{line}");
        }
    }
}

/// The profile in the guide is one.
#[test]
fn the_profile_is_possible() {
    let text = page("docs/profiles.md");
    let (_, after) = text.split_once("```toml").unwrap();
    let (text, _) = after.split_once("```").unwrap();
    let profile: tideover_model::Profile = toml::from_str(text).unwrap();
    profile.check().unwrap();
    assert_ne!(profile, tideover_model::Profile::default());
}

/// What a snapshot has.
fn printed(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/snapshots");
    let snapshot = std::fs::read_to_string(folder.join(name)).unwrap();
    snapshot.splitn(3, "---\n").nth(2).unwrap().trim_end().to_owned()
}

/// Every gap has its row among the profiles, and no other has one.
#[test]
fn every_gap_has_its_row() {
    let text = page("docs/profiles.md");
    let rows = text.lines().filter(|line| line.starts_with("| `gap."));
    let expected = Clause::all().filter_map(|clause| {
        let Kind::Assumed { reason, .. } = clause.kind() else { return None };
        Some(format!("| `{clause}` | {} | {} | {reason} |", clause.place(), clause.wording()))
    });
    assert_eq!(rows.map(str::to_owned).collect::<Vec<_>>(), expected.collect::<Vec<_>>());
}

/// The finding in the guide is the snapshot, and that in the README its beginning.
#[test]
fn the_failure_is_what_is_printed() {
    let printed = printed("it__planted__a_failure_reads_plainly_with_curl_lines.snap");
    assert!(page("docs/findings.md").contains(&printed), "the guide does not show\n{printed}");
    let beginning: Vec<&str> = printed.lines().take(5).collect();
    assert!(page("README.md").contains(&beginning.join("\n")));
}

/// The clauses in the guide are as printed.
#[test]
fn the_clauses_are_what_is_printed() {
    let text = page("docs/findings.md");
    let command = "checks 4.imports.7";
    let (_, after) = text.split_once(&format!("$ tideover {command}\n")).unwrap();
    let (block, _) = after.split_once("```").unwrap();
    let mut tideover = std::process::Command::new(env!("CARGO_BIN_EXE_tideover"));
    let output = tideover.args(command.split(' ')).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), block);
}

/// Two of the lines of the proof, proven again.
#[test]
fn the_proof_is_what_is_printed() {
    let text = page("docs/prove.md");
    for name in ["other-file-is-taken-for-the-same", "list-shows-secrets"] {
        let defect = defects::find(name).unwrap();
        let (setup, seeds) = (Setup::Known, 5);
        let budget = ProofBudget {
            seeds: 1..=seeds,
            requests: setup.requests(),
            steps: generate::DEFAULT_STEPS,
        };
        let stop = AtomicBool::new(false);
        let proofs = prove(setup, &[defect], &budget, 2, &stop, &|| {}).unwrap();
        let matrix = Matrix { setup, proofs, seeds, took: Duration::ZERO }.to_string();
        let printed = words(matrix.lines().nth(1).unwrap());
        let shown = text.lines().find(|line| line.starts_with(name)).map(words);
        assert_eq!(shown, Some(printed));
    }
}

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// The scorecard in the guide is what the snapshot is, but for what is left out at each line of dots.
#[test]
fn the_scorecard_is_what_is_printed() {
    let text = page("docs/receiver-check.md");
    let printed = printed("it__receiver_check__scorecard.snap");
    let (_, after) = text.split_once("$ tideover receiver-check ").unwrap();
    let (block, _) = after.split_once("```").unwrap();
    let (_, block) = block.split_once('\n').unwrap();
    let mut rest = printed.as_str();
    let parts: Vec<&str> = block.split("…\n").collect();
    assert!(parts.len() > 1);
    for part in parts {
        (_, rest) = rest.split_once(part.trim_end()).unwrap_or_else(|| {
            panic!("the guide shows what is not printed there:\n{part}");
        });
    }
    assert_eq!(rest, "");
}

/// The targets of the links on a page that lead to other files.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let targets = targets.map(|target| target.split('#').next().unwrap_or_default());
    targets.filter(|target| !target.is_empty() && !target.contains("://"))
}

#[test]
fn every_link_leads_to_a_file() {
    let mut followed = 0;
    for path in pages() {
        let folder = root().join(Path::new(&path).parent().unwrap());
        for target in links(&page(&path)) {
            assert!(folder.join(target).exists(), "{path} links to {target}");
            followed += 1;
        }
    }
    assert!(followed > 60, "only {followed} links were followed");
}

#[test]
fn the_summary_lists_every_page() {
    let summary = page("docs/SUMMARY.md");
    let listed: Vec<&str> = links(&summary).collect();
    for path in pages() {
        let name = path.strip_prefix("docs/").filter(|name| *name != "SUMMARY.md");
        assert!(name.is_none_or(|name| listed.contains(&name)), "{path} is not in the summary");
    }
}

#[test]
fn the_readme_fits_on_few_screens() {
    let lines = page("README.md").lines().count();
    assert!(lines <= 200, "{lines} lines");
}

#[test]
fn every_command_is_described_as_its_help_does() {
    let text = page("docs/commands.md");
    let rows = text.lines().filter_map(|line| line.strip_prefix("| [`")?.split_once('`'));
    let rows: Vec<(&str, &str)> = rows.collect();
    assert_eq!(rows.len(), 19);
    for (command, row) in rows {
        let mut tideover = std::process::Command::new(env!("CARGO_BIN_EXE_tideover"));
        let output = tideover.args([command, "--help"]).output().unwrap();
        let help = String::from_utf8(output.stdout).unwrap();
        let (first, _) = help.split_once("\n\n").unwrap();
        assert!(row.ends_with(&format!("| {} |", first.replace('\n', " "))), "{command}: {row}");
    }
}

#[test]
fn the_tests_in_other_languages_pass() {
    let text = page("docs/tests.md");
    for (interpreter, language, file, passed) in [
        (
            "python3",
            "python",
            "test_advance.py",
            "The advance is repaid, and every webhook is verified.",
        ),
        ("node", "js", "advance.test.mjs", "pass 1\n"),
    ] {
        if std::process::Command::new(interpreter).arg("--version").output().is_err() {
            skip(&format!("there is no {interpreter}"));
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(file), block(&text, language)).unwrap();
        let mut test = std::process::Command::new(interpreter);
        test.arg(file).current_dir(&folder).env("TIDEOVER", env!("CARGO_BIN_EXE_tideover"));
        let output = test.output().unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{interpreter}: {complaint}");
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(printed.contains(passed), "{interpreter}: {printed}");
    }
}

/// The library's own client needs no certificates of the system.
#[test]
fn the_tests_of_an_integration_are_those_of_the_crate() {
    assert!(page("docs/tests.md").contains(&format!("```rust\n{}```", rust("documented.rs"))));
}

#[test]
fn the_rust_test_is_the_example_of_the_crate() {
    assert_eq!(block(&page("docs/tests.md"), "rust"), page("sim/examples/advance.rs"));
}
