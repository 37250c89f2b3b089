//! The package for Python passes its own tests with the binary, from its sources: nothing is built for it.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::foreign::{home, python, skip};
use crate::support::pages::{page, root};

fn package() -> PathBuf {
    root().join("sim/packages/python")
}

#[test]
fn the_package_for_python_passes_its_tests() {
    match python(&home("python_package"), &package().join("requirements.txt")) {
        Ok(python) => passes(&python),
        Err(why) => skip(&why),
    }
}

/// Runs the package's tests, in two processes that share a mock.
fn passes(python: &Path) {
    let mut tests = Command::new(python);
    // No cache is left in the sources.
    tests.args(["-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "2"]);
    tests.current_dir(package()).env("TIDEOVER", env!("CARGO_BIN_EXE_tideover"));
    tests.env_remove("TIDEOVER_URL");
    tests.env("NO_PROXY", "127.0.0.1").env("no_proxy", "127.0.0.1");
    let output = tests.output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{printed}{complaint}");
    assert!(printed.contains(" passed") && !printed.contains(" skipped"), "{printed}");
}

/// The package has copies, since a link is none on every system.
#[test]
fn the_licences_are_those_of_the_repository() {
    for file in ["LICENSE-APACHE", "LICENSE-MIT"] {
        assert_eq!(page(file), page(&format!("sim/packages/python/{file}")), "{file}");
    }
}
