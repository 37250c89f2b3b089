//! The package for Node: its own tests, with the program under test.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::foreign::{first_steps, first_test, home, install_for_node, run, skip};
use crate::support::pages::page;

/// What the package's tests read, as it lies in the repository.
const FOLDERS: [&str; 2] = ["sim/packages/node", "fixtures/signature"];

/// Then as a user: the two packed files, an empty folder, the first test that the package shows.
#[test]
fn the_node_package_passes_its_own_tests_and_once_packed_a_first_one() {
    match installed() {
        Ok(package) => {
            ["pretest", "test:node"].iter().for_each(|script| passes(&package, script));
            assert_first_test_passes(&package);
        }
        Err(why) => skip(&why),
    }
}

#[test]
#[ignore = "takes a minute"]
fn the_node_package_passes_with_every_runner() {
    match installed() {
        Ok(package) => passes(&package, "test"),
        Err(why) => skip(&why),
    }
}

fn assert_first_test_passes(package: &Path) {
    let out = tempfile::tempdir().unwrap();
    let mut pack = Command::new("node");
    pack.args(["scripts/pack.mjs", env!("CARGO_BIN_EXE_tideover")]).arg(out.path());
    run(pack.current_dir(package)).unwrap();
    let packed = std::fs::read_dir(out.path()).unwrap();
    let packed: Vec<PathBuf> = packed.map(|entry| entry.unwrap().path()).collect();
    assert_eq!(packed.len(), 2, "{packed:?}");
    let empty = tempfile::tempdir().unwrap();
    let test = first_test(&page("sim/packages/node/README.md"), "js");
    std::fs::write(empty.path().join("advance.test.mjs"), test).unwrap();
    let mut install = Command::new("npm");
    install.args(["install", "--no-audit", "--no-fund", "--fetch-retries=0"]).args(&packed);
    let mut test = Command::new("node");
    test.arg("--test");
    first_steps("npm", empty.path(), &mut [install, test]);
}

/// The package with what its tests need, copied to where packages are kept.
fn installed() -> Result<PathBuf, String> {
    let home = home("node-package");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for folder in FOLDERS {
        copy(&root.join(folder), &home.join(folder));
    }
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        std::fs::copy(root.join(licence), home.join(licence)).unwrap();
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
