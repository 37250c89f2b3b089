//! Imports go one way: no room of a crate imports one that imports it, and each room of the harness imports only rooms
//! below it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The rooms of the harness, from the top down.
const ROOMS: [&str; 12] = [
    "cli", "report", "prove", "recorded", "live", "play", "generate", "judge", "evidence",
    "endpoint", "exchange", "receiver",
];

/// The files that stand for a crate as a whole.
const ROOTS: [&str; 2] = ["lib", "main"];

/// Which rooms each room of a crate imports.
type Imports = BTreeMap<String, BTreeSet<String>>;

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let nested = entries.map(|path| if path.is_dir() { sources(&path) } else { vec![path] });
    nested.flatten().filter(|path| path.extension().is_some_and(|it| it == "rs")).collect()
}

/// What comes after each `crate::` of a source.
fn imported(text: &str) -> impl Iterator<Item = String> {
    let is_in_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    let paths = text.split("crate::").skip(1);
    paths.map(move |path| path.chars().take_while(|letter| is_in_name(*letter)).collect())
}

fn imports_of(name: &str) -> Imports {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name).join("src");
    let mut imports = Imports::new();
    for file in sources(&source) {
        let room = file.strip_prefix(&source).unwrap().iter().next().unwrap();
        let room = Path::new(room).with_extension("").display().to_string();
        if ROOTS.contains(&room.as_str()) {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        assert!(!text.contains("use crate::{"), "{}: one line for each room", file.display());
        let others = imported(&text).filter(|other| *other != room);
        imports.entry(room.clone()).or_default().extend(others);
    }
    let rooms: BTreeSet<String> = imports.keys().cloned().collect();
    for others in imports.values_mut() {
        others.retain(|other| rooms.contains(other));
    }
    imports
}

/// The rooms that are left once those are taken away, again and again, that import none of the others.
fn circle(mut imports: Imports) -> Imports {
    loop {
        let bottom: Vec<String> = imports
            .iter()
            .filter(|(_, rooms)| rooms.is_empty())
            .map(|(room, _)| room.clone())
            .collect();
        if bottom.is_empty() {
            return imports;
        }
        imports.retain(|room, _| !bottom.contains(room));
        for rooms in imports.values_mut() {
            rooms.retain(|room| !bottom.contains(room));
        }
    }
}

#[test]
fn no_crate_has_a_circle_of_rooms() {
    for (name, fewest) in [("model", 20), ("sim", 15), ("harness", ROOMS.len())] {
        let imports = imports_of(name);
        assert!(imports.len() >= fewest, "{name} has {} rooms", imports.len());
        assert_eq!(circle(imports), Imports::new(), "{name}");
    }
}

#[test]
fn each_room_of_the_harness_imports_only_rooms_below_it() {
    let imports = imports_of("harness");
    assert_eq!(imports.keys().map(String::as_str).collect::<BTreeSet<_>>(), ROOMS.into());
    for (index, room) in ROOMS.iter().enumerate() {
        let above: Vec<&String> = imports[*room]
            .iter()
            .filter(|other| ROOMS[..index].contains(&other.as_str()))
            .collect();
        assert!(above.is_empty(), "{room} imports {above:?}, which stand above it");
    }
}
