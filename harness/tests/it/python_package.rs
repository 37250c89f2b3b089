//! The package for Python: its own tests from its sources, with the program under test, and a first test with the wheel.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::foreign::{first_steps, first_test, home, python, run, skip};
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

/// As a user: the wheel, an empty environment without Rust, the first test that the package shows.
#[test]
#[ignore = "builds the wheel"]
fn the_wheel_passes_a_first_test_in_an_empty_environment() {
    match built() {
        Ok(wheel) => assert_first_test_passes(&wheel),
        Err(why) => skip(&why),
    }
}

/// The wheel, as a release has it but for its profile.
fn built() -> Result<PathBuf, String> {
    let home = home("wheel");
    let maturin = home.join("requirements.txt");
    std::fs::write(&maturin, "maturin>=1.9,<2\n").unwrap();
    let python = python(&home, &maturin)?;
    let wheels = home.join("wheels");
    // Nothing is left of an earlier version.
    let _ = std::fs::remove_dir_all(&wheels);
    let mut build = Command::new(python);
    build.args(["-m", "maturin", "build", "--profile", "dev", "--out"]).arg(&wheels);
    run(build.current_dir(package()).env("CARGO_TARGET_DIR", home.join("target")))?;
    let wheel = std::fs::read_dir(&wheels).unwrap().next().expect("a wheel");
    Ok(wheel.unwrap().path())
}

fn assert_first_test_passes(wheel: &Path) {
    let empty = tempfile::tempdir().unwrap();
    let test = first_test(&page("sim/packages/python/README.md"), "python");
    std::fs::write(empty.path().join("test_advance.py"), test).unwrap();
    let python = empty.path().join("env/bin/python");
    let mut environment = Command::new("python3");
    environment.args(["-m", "venv", "env"]);
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet", "pytest"]).arg(wheel);
    let mut test = Command::new(&python);
    test.args(["-m", "pytest", "-q"]);
    test.env("PATH", "/usr/bin:/bin").env("NO_PROXY", "127.0.0.1").env("no_proxy", "127.0.0.1");
    first_steps("pip", empty.path(), &mut [environment, install, test]);
}

/// The package has copies, since a link is none on every system.
#[test]
fn the_licences_are_those_of_the_repository() {
    for file in ["LICENSE-APACHE", "LICENSE-MIT"] {
        assert_eq!(page(file), page(&format!("sim/packages/python/{file}")), "{file}");
    }
}
