//! Every `tideover` command in the README and the guide is one that the binary accepts.

use std::process::Command;

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
