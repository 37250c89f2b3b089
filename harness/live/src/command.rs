//! Commands of the user.

use tokio::process::Command;

#[cfg(unix)]
pub fn shell(line: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(line);
    shell
}

#[cfg(windows)]
pub fn shell(line: &str) -> Command {
    let mut shell = Command::new("cmd");
    // `cmd` has quoting rules of its own, so the line must reach it unquoted.
    shell.raw_arg("/C").raw_arg(line);
    shell
}
