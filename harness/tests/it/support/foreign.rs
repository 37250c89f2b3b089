//! What runs in other languages: with packages of its own, which are fetched where they can be had.

use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::support::pages::block;

/// Where packages are kept from one run to the next.
pub(crate) fn home(name: &str) -> PathBuf {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&home).unwrap();
    home
}

/// Runs a command to its end; if it fails, what it complained of.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{name}: {error}"))?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    let error = complaint.lines().find(|line| line.to_lowercase().contains("error"));
    if output.status.success() { Ok(()) } else { Err(error.unwrap_or(&name).to_owned()) }
}

/// A Python with these packages, in an environment of its own.
pub(crate) fn python(home: &Path, requirements: &Path) -> Result<PathBuf, String> {
    let python = home.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    if run(Command::new(&python).args(["-m", "pip", "--version"])).is_err() {
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(home))?;
    }
    let install = ["-m", "pip", "install", "--quiet", "--retries", "0", "--timeout", "10", "-r"];
    run(Command::new(&python).args(install).arg(requirements))?;
    Ok(python)
}

/// Installs the packages that the `package.json` in `home` names.
pub(crate) fn install_for_node(home: &Path) -> Result<(), String> {
    run(Command::new("node").arg("--version"))?;
    let install = ["install", "--no-audit", "--no-fund", "--prefer-offline", "--fetch-retries=0"];
    run(Command::new("npm").current_dir(home).args(install).arg("--fetch-timeout=10000"))
}

/// Says why nothing is tested. It is seen although the test passes: what a test prints otherwise is kept from a user.
pub(crate) fn skip(why: &dyn Display) {
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}

/// The longest that a user waits from the installation of a package to the end of the first test.
const FIRST_TEST: Duration = Duration::from_secs(120);

/// The most lines of a first test.
const LINES: usize = 15;

/// The first block of code on a page in this language, short enough for a first test.
pub(crate) fn first_test(text: &str, language: &str) -> String {
    let code = block(text, language);
    let lines = code.lines().filter(|line| !line.trim().is_empty()).count();
    assert!(lines <= LINES, "{lines} lines: {code}");
    code
}

/// Runs the commands of a first test one after the other in a folder, as a user would, and says how long they took.
pub(crate) fn first_steps(what: &str, folder: &Path, commands: &mut [Command]) {
    let began = Instant::now();
    for command in commands {
        command.current_dir(folder).env_remove("TIDEOVER").env_remove("TIDEOVER_URL");
        let output = command.output().unwrap();
        let printed = [&output.stdout[..], &output.stderr].concat();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&printed));
    }
    let took = began.elapsed();
    let _ = writeln!(std::io::stderr(), "{what}: installed and tested in {took:.1?}");
    assert!(took < FIRST_TEST, "{what}: {took:.1?}");
}
