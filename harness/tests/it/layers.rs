//! No two files of a crate import each other in a circle. That crates do not, Cargo holds.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// The root files of a crate.
const ROOTS: [&str; 2] = ["lib", "main"];

/// Fewer crates than this are not all of them.
const FEWEST_CRATES: usize = 14;

#[derive(Deserialize)]
struct Manifest {
    workspace: Workspace,
}

#[derive(Deserialize)]
struct Workspace {
    members: Vec<String>,
}

/// The text of each module of a crate, by its path: `judge::belief`.
type Modules = BTreeMap<String, String>;

/// What each file of a crate imports.
type Imports = BTreeMap<String, BTreeSet<String>>;

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let nested = entries.map(|path| if path.is_dir() { sources(&path) } else { vec![path] });
    nested.flatten().filter(|path| path.extension().is_some_and(|it| it == "rs")).collect()
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The folders of the workspace's crates.
fn crates() -> Vec<String> {
    let manifest = fs::read_to_string(workspace().join("Cargo.toml")).unwrap();
    toml::from_str::<Manifest>(&manifest).unwrap().workspace.members
}

/// The files of the crate in `folder`.
fn modules(folder: &str) -> Modules {
    let source = workspace().join(folder).join("src");
    let module = |file: PathBuf| {
        let path = file.strip_prefix(&source).unwrap().with_extension("");
        let parts: Vec<_> = path.iter().map(|part| part.to_str().unwrap()).collect();
        (parts.join("::").trim_end_matches("::mod").to_owned(), fs::read_to_string(file).unwrap())
    };
    sources(&source).into_iter().map(module).collect()
}

/// The names that a crate's root has from its modules, each with its path.
fn names_of_root(root: &str) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    for import in root.split("use ").skip(1) {
        let Some((path, list)) = import.split(';').next().and_then(|it| it.rsplit_once("::"))
        else {
            continue;
        };
        for name in list.trim_matches(['{', '}']).split(',').map(str::trim) {
            names.insert(name.to_owned(), format!("{path}::{name}"));
        }
    }
    names
}

/// The paths that a source imports, each without `crate::`.
fn imported(text: &str) -> Vec<String> {
    let is_in_path = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == ':';
    let mut paths = Vec::new();
    for import in text.split("crate::").skip(1) {
        let end = import.find(|letter| !is_in_path(letter)).unwrap_or(import.len());
        let (path, rest) = import.split_at(end);
        let list = rest.strip_prefix('{').and_then(|list| list.split_once('}'));
        match list.filter(|_| path.is_empty() || path.ends_with("::")) {
            Some((list, _)) => {
                let names = list.split(',').map(|name| name.split_whitespace().next());
                paths.extend(names.flatten().map(|name| format!("{path}{name}")));
            }
            None => paths.push(path.to_owned()),
        }
    }
    paths
}

/// The module of the root that a path leads to.
fn first_of(path: &str) -> &str {
    path.split("::").next().unwrap_or_default()
}

/// The file that a path leads to: the longest part of it that is one.
fn file_of(modules: &Modules, path: &str) -> Option<String> {
    let ends = path.match_indices("::").map(|(end, _)| end);
    let ends: Vec<usize> = ends.chain([path.len()]).collect();
    let parts = ends.into_iter().rev().map(|end| &path[..end]);
    parts.map(str::to_owned).find(|part| modules.contains_key(part))
}

/// Whether `inner` is `outer` or within it. A module's root file and its inner files may import each other.
fn is_within(inner: &str, outer: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// What each file imports, also through the names that the crate's root has from it.
fn imports(mut modules: Modules) -> Imports {
    let roots = ROOTS.map(|root| modules.remove(root).unwrap_or_default());
    let names = names_of_root(&roots[0]);
    let imports_of = |(file, text): (&String, &String)| {
        let others = imported(text).into_iter();
        let others = others.filter_map(|path| {
            let found = file_of(&modules, &path);
            found.or_else(|| file_of(&modules, names.get(first_of(&path))?))
        });
        let others = others.filter(|other| !is_within(file, other) && !is_within(other, file));
        (file.clone(), others.collect())
    };
    modules.iter().map(imports_of).collect()
}

/// The imports that form circles: repeatedly removes whatever imports nothing else.
fn circle(mut imports: Imports) -> Imports {
    loop {
        let ends = imports.iter().filter(|(_, others)| others.is_empty());
        let ends: Vec<String> = ends.map(|(name, _)| name.clone()).collect();
        if ends.is_empty() {
            return imports;
        }
        imports.retain(|name, _| !ends.contains(name));
        for others in imports.values_mut() {
            others.retain(|other| !ends.contains(other));
        }
    }
}

#[test]
fn no_crate_has_circular_imports() {
    let crates = crates();
    assert!(crates.len() >= FEWEST_CRATES, "{crates:?}");
    for name in crates {
        let modules = modules(&name);
        assert!(modules.contains_key("lib"), "{name} has no lib.rs");
        assert_eq!(circle(imports(modules)), Imports::new(), "files of {name}");
    }
}

/// The reading of imports: a circle is found, also through a name of the root.
#[test]
fn a_circle_is_found() {
    let files = [
        ("lib", "mod one;\nmod two;\n\npub use one::{One, Other};\npub use two::two;\n"),
        ("one", "use crate::two::inner::Two;\n"),
        ("two", "mod inner;\n"),
        ("two::inner", "use crate::One;\n"),
    ];
    let modules: Modules = files.map(|(file, text)| (file.to_owned(), text.to_owned())).into();
    assert_eq!(circle(imports(modules)).keys().collect::<Vec<_>>(), ["one", "two::inner"]);
}

/// What tests share is in their support module.
#[test]
fn no_test_file_imports_another() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let files = sources(&folder);
    assert!(files.len() > 30);
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let own = file.strip_prefix(&folder).unwrap().with_extension("");
        let own = own.iter().next().unwrap().to_str().unwrap().to_owned();
        let others = imported(&text).into_iter().map(|path| first_of(&path).to_owned());
        let others: Vec<_> = others.filter(|other| *other != own && other != "support").collect();
        assert!(own == "layers" || others.is_empty(), "{} imports {others:?}", file.display());
    }
}
