//! Every clause about the state of the service is cited in the implementation, a test or a story.

#![expect(clippy::disallowed_methods, reason = "reads the sources")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tideover_model::Clause;

/// The clauses that the model can neither satisfy nor violate, each with the reason.
const EXCEPTIONS: [(&str, &str); 7] = [
    ("2.business.complianceRoute.3", "permits a response that the model never gives"),
    ("4.advances.6", "an action of the caller's platform and the payor"),
    ("4.invitations.4", "the service's own pages, which the model doesn't have"),
    ("4.invitations.5", "the service's own pages, which the model doesn't have"),
    ("7.shape.2", "permits a response that the model never gives"),
    ("7.shape.4", "a client's behaviour"),
    ("7.retrying.3.2", "a client's behaviour; the recovery steps are `4.recovery.1` to 3"),
];

/// The document states no limit, and the model has none.
const UNLIMITED: [&str; 1] = ["8.requestRate"];

fn crate_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// The texts of all files below `folder` with the extension `ending`.
fn texts(folder: &Path, ending: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(texts(&path, ending));
        } else if path.extension().is_some_and(|extension| extension == ending) {
            let text = std::fs::read_to_string(&path).expect("a text");
            found.push((path, text));
        }
    }
    found
}

/// The sources, except the module `clause`, which names every clause.
fn sources() -> Vec<(PathBuf, String)> {
    let mut sources = texts(&crate_root().join("src"), "rs");
    sources.retain(|(path, _)| !path.components().any(|part| part.as_os_str() == "clause"));
    sources.retain(|(path, _)| !path.ends_with("src/clause.rs"));
    sources
}

fn tests() -> Vec<(PathBuf, String)> {
    let mut tests = texts(&crate_root().join("tests"), "rs");
    tests.retain(|(path, _)| !path.ends_with("it/clauses.rs"));
    tests
}

/// The text between backticks, or in `clause!("…")`.
fn cited(text: &str) -> BTreeSet<&str> {
    let in_backticks = text.split('`').skip(1);
    let in_macros = text.split("clause!(\"").skip(1).filter_map(|rest| rest.split('"').next());
    in_backticks.chain(in_macros).collect()
}

#[test]
fn every_clause_about_state_is_cited() {
    let (code, stories) = ([sources(), tests()].concat(), {
        texts(&crate_root().join("../fixtures/stories"), "jsonl")
    });
    let cited: BTreeSet<&str> = code.iter().flat_map(|(_, text)| cited(text)).collect();
    let concerns_state = |clause: &Clause| {
        let section = clause.name().split('.').next().unwrap_or_default();
        ["1", "2", "3", "4", "5", "7", "8"].contains(&section)
    };
    let mut silent = Vec::new();
    for clause in Clause::all().filter(concerns_state) {
        let name = clause.name();
        let in_a_story = || stories.iter().any(|(_, text)| text.contains(&format!("\"{name}\"")));
        let excepted = UNLIMITED.contains(&name) || EXCEPTIONS.iter().any(|(it, _)| *it == name);
        let found = cited.contains(name) || in_a_story();
        if !found && !excepted {
            silent.push(name);
        }
        assert!(!(excepted && cited.contains(name)), "{name} is cited: no exception any more");
    }
    assert!(silent.is_empty(), "cited nowhere: {silent:?}");
}

/// The code that implements the numbered rules of §3, §4 and §5 cites them.
#[test]
fn every_numbered_rule_is_cited_by_its_code() {
    let sources = sources();
    let cited: BTreeSet<&str> = sources.iter().flat_map(|(_, text)| cited(text)).collect();
    let mut silent = Vec::new();
    for clause in Clause::all() {
        let name = clause.name();
        let numbered = ["3.", "4.", "5."].iter().any(|section| name.starts_with(section));
        let excepted = EXCEPTIONS.iter().any(|(it, _)| *it == name);
        if numbered && !excepted && !cited.contains(name) {
            silent.push(name);
        }
    }
    assert!(silent.is_empty(), "no code names {silent:?}");
}

#[test]
fn every_cited_clause_exists() {
    for (path, text) in [sources(), tests()].concat() {
        for name in cited(&text) {
            let (head, rest) = name.split_once('.').unwrap_or_default();
            let looks_like_one = (head == "gap" || (head.len() == 1 && head < "a"))
                && head > "0"
                && rest.starts_with(|c: char| c.is_ascii_lowercase())
                && !rest.contains(char::is_whitespace);
            assert!(!looks_like_one || Clause::find(name).is_some(), "{name} in {path:?}");
        }
    }
}
