//! The pages of the README and the guide, and the commands that they show.

use std::path::{Path, PathBuf};

use tideover_exchange::step::{Action, Call, Step};

/// A page of the project, by its path.
pub(crate) fn page(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

/// The first block of a page in this language.
pub(crate) fn block(text: &str, language: &str) -> String {
    let (_, after) = text.split_once(&format!("```{language}\n")).unwrap();
    after.split_once("```").unwrap().0.to_owned()
}

/// The folder of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The README and the pages of the guide, by their paths.
pub(crate) fn pages() -> Vec<String> {
    let names = std::fs::read_dir(root().join("docs")).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let pages = names.filter(|name| name.ends_with(".md")).map(|name| format!("docs/{name}"));
    pages.chain(["README.md".to_owned(), "CONTRIBUTING.md".to_owned()]).collect()
}

/// The commands of the whole session, each with what was printed.
pub(crate) fn session() -> Vec<(String, String)> {
    session_of("docs/start-integrator.md")
}

/// The commands of a session on a page, each with its output.
pub(crate) fn session_of(path: &str) -> Vec<(String, String)> {
    let text = page(path);
    let (_, after) = text.split_once("$ api() {").unwrap();
    let (block, _) = after.split_once("```").unwrap();
    let mut lines = block.lines().skip(1).peekable();
    let mut session = Vec::new();
    while let Some(command) = lines.next() {
        let command = command.strip_prefix("$ api ").unwrap().to_owned();
        session.push((command, lines.next().unwrap().to_owned()));
    }
    session
}

/// The step that a command of a session sends.
pub(crate) fn step(command: &str) -> Step {
    let (method, rest) = command.split_once(' ').unwrap();
    let (path, body) = rest.split_once(' ').unwrap_or((rest, ""));
    let body = body.trim_matches('\'');
    Step::new(Action::Call(match body {
        "" => Call::bare(method, path),
        body => Call::text(method, path, body.to_owned(), "application/json"),
    }))
}

/// The tests of a file of the mock's, as the guide shows them: with a client that any project can make.
pub(crate) fn rust(file: &str) -> String {
    let own = ["crate", "plain", "client()"].join("::");
    page(&format!("sim/tests/it/{file}")).replace(&own, "reqwest::Client::new()")
}
