//! The file for Java passes its own tests: with JUnit as Debian's package `junit5` has it, else as Maven fetches it.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::foreign::{home, run, skip};
use crate::support::pages::root;

/// Where Debian keeps what is written in Java.
const JARS: &str = "/usr/share/java";
/// JUnit, and what it needs.
const JUNIT: [&str; 13] = [
    "apiguardian-api",
    "junit-jupiter-api",
    "junit-jupiter-engine",
    "junit-jupiter-params",
    "junit-platform-commons",
    "junit-platform-console",
    "junit-platform-engine",
    "junit-platform-launcher",
    "junit-platform-reporting",
    "opentest4j",
    "opentest4j-reporting-events",
    "picocli",
    "univocity-parsers",
];

fn package() -> PathBuf {
    root().join("sim/packages/java")
}

#[test]
fn the_package_for_java_passes_its_tests() {
    match tests() {
        Ok(tests) => passes(tests),
        Err(why) => skip(&why),
    }
}

/// The command that runs the tests. What it builds is kept outside the sources.
fn tests() -> Result<Command, String> {
    run(Command::new("javac").arg("--version"))?;
    let built = home("java_package");
    if Path::new(JARS).join("junit-platform-console.jar").exists() {
        return Ok(with_console(&built));
    }
    let maven = || {
        let mut maven = Command::new("mvn");
        maven.args(["--batch-mode", "--quiet"]).current_dir(package());
        maven
    };
    let absent = "neither Debian nor Maven has JUnit here";
    run(maven().arg("dependency:resolve")).map_err(|_| absent.to_owned())?;
    let mut tests = maven();
    tests.arg(format!("-Dbuild={}", built.display())).arg("test");
    Ok(tests)
}

fn with_console(built: &Path) -> Command {
    let classes = built.join("classes");
    // Nothing that an earlier build had more is left; there may be none yet.
    let _ = std::fs::remove_dir_all(&classes);
    let jars = JUNIT.map(|name| Path::new(JARS).join(format!("{name}.jar")));
    let mut compile = Command::new("javac");
    compile.args(["--release", "17", "-cp"]).arg(std::env::join_paths(&jars).unwrap());
    compile.arg("-d").arg(&classes);
    compile.args(sources(&package().join("src")));
    let output = compile.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let here = [classes.clone(), package().join("src/test/resources")];
    let path = std::env::join_paths(here.iter().chain(&jars)).unwrap();
    let mut tests = Command::new("java");
    tests.arg("-cp").arg(path).arg("org.junit.platform.console.ConsoleLauncher");
    tests.args(["--disable-banner", "--details=summary", "--fail-if-no-tests"]);
    tests.arg("--scan-classpath").arg(classes);
    tests
}

/// The files with code in the folder and below it.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let code = files.into_iter().filter(|file| file.extension().is_some_and(|it| it == "java"));
    code.chain(folders.iter().flat_map(|folder| sources(folder))).collect()
}

/// Runs the package's tests, many at once with one mock.
fn passes(mut tests: Command) {
    tests.current_dir(package()).env("TIDEOVER", env!("CARGO_BIN_EXE_tideover"));
    tests.env_remove("TIDEOVER_URL");
    let output = tests.output().unwrap();
    let printed = [&output.stdout[..], &output.stderr].concat();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&printed));
}
