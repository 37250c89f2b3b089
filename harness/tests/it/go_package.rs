//! The package for Go passes its own tests, with the standard library alone: nothing is fetched for it.

use std::process::Command;

use crate::support::foreign::{run, skip};
use crate::support::pages::root;

#[test]
fn the_package_for_go_passes_its_tests() {
    match run(Command::new("go").arg("version")) {
        Ok(()) => passes(),
        Err(why) => skip(&why),
    }
}

/// Its files are formatted and vetted, and its tests pass, many at once with one mock.
fn passes() {
    assert_eq!(printed(&["gofmt", "-l", "."]), "", "not as gofmt writes them");
    printed(&["go", "vet", "./..."]);
    // Not from a cache: that knows the name of the program, and not what is in it.
    printed(&["go", "test", "-count=1", "./..."]);
}

fn printed(command: &[&str]) -> String {
    let mut go = Command::new(command[0]);
    go.args(&command[1..]).current_dir(root().join("sim/packages/go"));
    go.env("TIDEOVER", env!("CARGO_BIN_EXE_tideover")).env_remove("TIDEOVER_URL");
    go.env("GOPROXY", "off").env("GOWORK", "off");
    let output = go.output().unwrap();
    let printed = [&output.stdout[..], &output.stderr].concat();
    let printed = String::from_utf8_lossy(&printed).into_owned();
    assert!(output.status.success(), "{command:?}: {printed}");
    printed
}
