//! The package for Node: its own tests, with the program under test.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::foreign::{home, install_for_node, skip};

/// What the package's tests read, as it lies in the repository.
const FOLDERS: [&str; 2] = ["sim/packages/node", "fixtures/signature"];

#[test]
fn the_node_package_passes_its_own_tests() {
    assert_passes(&["pretest", "test:node"]);
}

#[test]
#[ignore = "takes a minute"]
fn the_node_package_passes_with_every_runner() {
    assert_passes(&["test"]);
}

fn assert_passes(scripts: &[&str]) {
    match installed() {
        Ok(package) => scripts.iter().for_each(|script| passes(&package, script)),
        Err(why) => skip(&why),
    }
}

/// The package with what its tests need, copied to where packages are kept.
fn installed() -> Result<PathBuf, String> {
    let home = home("node-package");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for folder in FOLDERS {
        copy(&root.join(folder), &home.join(folder));
    }
    let package = home.join(FOLDERS[0]);
    install_for_node(&package)?;
    Ok(package)
}

fn passes(package: &Path, script: &str) {
    let mut tests = Command::new("npm");
    tests.args(["run", script]).current_dir(package);
    tests.env("TIDEOVER", env!("CARGO_BIN_EXE_tideover")).env_remove("TIDEOVER_URL");
    let output = tests.output().unwrap();
    let printed = [&output.stdout[..], &output.stderr].concat();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&printed));
}

/// Copies a folder, but not what was installed or built in it. Nothing that an earlier copy had more is left.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let name = entry.file_name();
        let (from, to) = (entry.path(), to.join(&name));
        if name == "node_modules" || name == "dist" {
            continue;
        }
        if from.is_dir() {
            // There may be none yet.
            let _ = std::fs::remove_dir_all(&to);
            copy(&from, &to);
        } else {
            std::fs::copy(&from, &to).unwrap();
        }
    }
}
