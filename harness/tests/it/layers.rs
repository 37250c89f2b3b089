//! Imports go one way: rooms and files never import each other in a circle, and each room of the harness
//! imports only rooms below it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The rooms of the harness, from the top down.
const ROOMS: [&str; 14] = [
    "cli",
    "explore",
    "simulation",
    "report",
    "prove",
    "recorded",
    "live",
    "play",
    "generate",
    "judge",
    "evidence",
    "endpoint",
    "exchange",
    "receiver",
];

/// The root files of a crate.
const ROOTS: [&str; 2] = ["lib", "main"];

/// The text of each module of a crate, by its path: `judge::belief`.
type Modules = BTreeMap<String, String>;

/// What each room or file of a crate imports.
type Imports = BTreeMap<String, BTreeSet<String>>;

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let nested = entries.map(|path| if path.is_dir() { sources(&path) } else { vec![path] });
    nested.flatten().filter(|path| path.extension().is_some_and(|it| it == "rs")).collect()
}

fn modules(name: &str) -> Modules {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name).join("src");
    let module = |file: PathBuf| {
        let path = file.strip_prefix(&source).unwrap().with_extension("");
        let parts: Vec<_> = path.iter().map(|part| part.to_str().unwrap()).collect();
        (parts.join("::").trim_end_matches("::mod").to_owned(), fs::read_to_string(file).unwrap())
    };
    let modules = sources(&source).into_iter().map(module);
    modules.filter(|(path, _)| !ROOTS.contains(&path.as_str())).collect()
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

/// The room that a path leads to.
fn room_of(path: &str) -> String {
    path.split("::").next().unwrap_or_default().to_owned()
}

fn rooms(modules: &Modules) -> Imports {
    let mut imports = Imports::new();
    let known: BTreeSet<String> = modules.keys().map(|path| room_of(path)).collect();
    for (path, text) in modules {
        let room = room_of(path);
        let others = imported(text).into_iter().map(|path| room_of(&path));
        let others = others.filter(|other| *other != room && known.contains(other));
        imports.entry(room.clone()).or_default().extend(others);
    }
    imports
}

/// The file that a path leads to: the longest part of it that is one.
fn file_of<'a>(modules: &Modules, path: &'a str) -> Option<&'a str> {
    let ends = path.match_indices("::").map(|(end, _)| end);
    let ends: Vec<usize> = ends.chain([path.len()]).collect();
    ends.into_iter().rev().map(|end| &path[..end]).find(|path| modules.contains_key(*path))
}

/// Whether `inner` is `outer` or within it. A room's root file and its inner files may import each other.
fn is_within(inner: &str, outer: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

fn files(modules: &Modules) -> Imports {
    let imports_of = |(file, text): (&String, &String)| {
        let others = imported(text);
        let others = others.iter().filter_map(|path| file_of(modules, path));
        let others = others.filter(|other| !is_within(file, other) && !is_within(other, file));
        (file.clone(), others.map(str::to_owned).collect())
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
    for (name, fewest) in [("model", 50), ("sim", 20), ("harness", 200)] {
        let modules = modules(name);
        assert!(modules.len() >= fewest, "{name} has {} files", modules.len());
        assert_eq!(circle(rooms(&modules)), Imports::new(), "rooms of {name}");
        assert_eq!(circle(files(&modules)), Imports::new(), "files of {name}");
    }
}

#[test]
fn each_room_imports_only_rooms_below_it() {
    let imports = rooms(&modules("harness"));
    assert_eq!(imports.keys().map(String::as_str).collect::<BTreeSet<_>>(), ROOMS.into());
    for (index, room) in ROOMS.iter().enumerate() {
        let is_above = |other: &&String| ROOMS[..index].contains(&other.as_str());
        let above: Vec<&String> = imports[*room].iter().filter(is_above).collect();
        assert!(above.is_empty(), "{room} imports {above:?}, which are above it");
    }
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
        let others = imported(&text).into_iter().map(|path| room_of(&path));
        let others: Vec<_> = others.filter(|other| *other != own && other != "support").collect();
        assert!(own == "layers" || others.is_empty(), "{} imports {others:?}", file.display());
    }
}
