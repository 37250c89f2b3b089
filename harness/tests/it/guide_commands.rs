//! The commands in the README and the guide: the binary accepts each of them, and prints what they show.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use tideover_endpoint::wall_time;
use tideover_sim::{Mock, SigningTime};

use crate::support::pages::{page, pages};

/// The lines of the blocks of shell on a page that run `tideover`, continuation lines joined.
fn commands(text: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let mut is_shell = false;
    let mut command = String::new();
    for line in text.lines() {
        if let Some(language) = line.strip_prefix("```") {
            is_shell = matches!(language, "sh" | "console");
        } else if is_shell {
            command.push_str(line.strip_prefix("$ ").unwrap_or(line));
            if command.ends_with('\\') {
                command.pop();
                continue;
            }
            let whole = std::mem::take(&mut command).replace("cargo run --release --", "tideover");
            if whole.starts_with("tideover ") {
                commands.push(whole.trim_end_matches('&').replace('…', ""));
            }
        }
    }
    commands
}

/// The shell runs each line, but with `--help` at the end of each command: an unknown option still fails.
#[test]
fn every_command_of_the_guide_is_accepted() {
    let mut count = 0;
    for path in pages() {
        for command in commands(&page(&path)) {
            let folder = tempfile::tempdir().unwrap();
            let script =
                format!("tideover() {{ \"$TIDEOVER\" \"$@\" --help > help.txt; }}\n{command}");
            let output = Command::new("bash")
                .args(["-o", "pipefail", "-c", &script])
                .current_dir(&folder)
                .env("TIDEOVER", env!("CARGO_BIN_EXE_tideover"))
                .env("STAGING_URL", "https://staging.example.com")
                .env("BUILD_NUMBER", "1")
                .output()
                .unwrap();
            let complaint = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{path}: {command}\n{complaint}");
            count += 1;
        }
    }
    assert!(count > 25, "only {count} commands were found");
}

/// The block of a page that begins with `first`, without its command.
fn block(page: &str, first: &str) -> String {
    let (_, after) = page.split_once(first).unwrap();
    let (block, _) = after.split_once("\n```").unwrap();
    format!("{first}{block}")
}

/// Compares `printed` with a block, which leaves out what it shows as `…`.
fn assert_shows(block: &str, printed: &str) {
    let mut rest = printed;
    for part in block.split('…').map(str::trim_end) {
        (_, rest) = rest.split_once(part).unwrap_or_else(|| {
            panic!("the guide shows\n{part}\nwhich is not printed there:\n{rest}")
        });
    }
}

/// The beginning of the mock's output, but for its port.
#[test]
fn the_mock_greets_as_in_the_guide() {
    let mut mock = Command::new(env!("CARGO_BIN_EXE_tideover"))
        .args(["serve", "--port", "0", "--clock", "still", "--start", "2026-01-01T00:00:00Z"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(mock.stdout.take().unwrap()).lines();
    let mut printed = String::new();
    for line in lines.map(Result::unwrap) {
        printed.push_str(&line);
        printed.push('\n');
        if line.starts_with("Ctrl-C") {
            break;
        }
    }
    mock.kill().unwrap();
    mock.wait().unwrap();
    let (_, port) = printed.split_once("base URL  http://127.0.0.1:").unwrap();
    let port = port.split_whitespace().next().unwrap();
    let printed = printed.replace(port, "4010");
    for path in ["README.md", "docs/start-integrator.md"] {
        assert_shows(&block(&page(path), "Tideover is ready"), &printed);
    }
}

/// The run against a sandbox that the guide shows, but for the target and the time that it takes.
#[tokio::test]
async fn a_sandbox_is_checked_as_in_the_guide() {
    let mock = Mock::builder().resolver(tideover_sim::NoNames);
    let mock = mock.start_at(wall_time()).signing(SigningTime::Virtual).start().await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_tideover"));
    command.args(["check", "--target", mock.url(), "--sandbox", "--seed", "1"]);
    command.current_dir(folder.path()).env("TIDEOVER_KEY", mock.api_key());
    let output = command.output().await.unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let printed = printed.replace(mock.url(), "http://127.0.0.1:8080");
    for path in ["docs/start-qa.md", "docs/sandbox.md"] {
        assert_shows(&block(&page(path), "Tideover checks a sandbox."), &printed);
    }
}

/// The run that the README shows, but for its speed. Over HTTP, the count of assertions varies with when webhooks
/// arrive.
#[test]
fn the_suite_passes_as_in_the_readme() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tideover"));
    let output = command.args(["check", "--seed", "1"]).current_dir(&folder).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let shown = block(&page("README.md"), "PASS: ");
    let comparable = |text: &str| {
        let text = without(text, "over HTTP, ", ", seed");
        without(&text, " not observable · ", " assertions")
    };
    assert_shows(&comparable(&shown), &comparable(&printed));
}

/// The world and the failure of the simulation that the guide shows, and the parts of a campaign.
#[test]
fn the_world_is_simulated_as_in_the_guide() {
    let folder = tempfile::tempdir().unwrap();
    let text = page("docs/simulate.md");
    for (arguments, first) in [
        ("simulate --seed 7", "seed 7, tideover"),
        ("simulate --seeds 0..1000 --bug client-repeats-subscribe", "shrunk to"),
        ("simulate --seeds 0..100 --twice", "PASS  the same hash"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tideover"));
        let output = command.args(arguments.split(' ')).current_dir(&folder).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        let printed = printed.replace(env!("CARGO_BIN_EXE_tideover"), "tideover");
        let printed = printed.replace(&std::env::temp_dir().display().to_string(), "/tmp");
        assert_shows(&block(&text, first), &printed);
    }
}

/// A run that depends on the environment is caught.
#[test]
fn two_processes_show_a_dependence_on_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    let run = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tideover"));
        command.args(["simulate", "--seed", "3", "--twice"]).args(more).current_dir(&folder);
        command.output().unwrap().status.code()
    };
    assert_eq!(run(&[]), Some(0));
    assert_eq!(run(&["--bug", "reads-environment"]), Some(1));
}

/// The same text, without what is between `before` and `after`.
fn without(text: &str, before: &str, after: &str) -> String {
    let (first, rest) = text.split_once(before).unwrap();
    let (_, last) = rest.split_once(after).unwrap();
    format!("{first}{before}{after}{last}")
}
