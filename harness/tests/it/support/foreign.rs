//! What runs in other languages: with packages of its own, which are fetched where they can be had.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::Command;

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

#[expect(clippy::print_stdout, reason = "says why nothing is tested")]
pub(crate) fn skip(why: &dyn Display) {
    println!("skipped: {why}");
}
