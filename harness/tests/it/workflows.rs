//! The workflows that the guide offers: they are YAML, and the program accepts each of their commands.

use std::path::Path;
use std::process::Command;

use saphyr::{LoadableYamlNode, Yaml};

/// The scripts of the steps, wherever they stand.
fn scripts(yaml: &Yaml<'_>, found: &mut Vec<String>) {
    if let Some(list) = yaml.as_sequence() {
        list.iter().for_each(|item| scripts(item, found));
    }
    for (name, value) in yaml.as_mapping().into_iter().flatten() {
        match (name.as_str(), value.as_str()) {
            (Some("run"), Some(script)) => found.push(script.to_owned()),
            _ => scripts(value, found),
        }
    }
}

/// A script without the expressions of the workflow.
fn plain(script: &str) -> String {
    let mut plain = String::new();
    let mut rest = script;
    while let Some((before, after)) = rest.split_once("${{") {
        plain += before;
        plain += "0";
        rest = after.split_once("}}").unwrap().1;
    }
    plain + rest
}

#[test]
fn the_workflows_of_the_guide_run_what_the_program_accepts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/workflows");
    let mut commands = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let documents = Yaml::load_from_str(&text).unwrap();
        assert_eq!(documents.len(), 1, "{}", path.display());
        for key in ["name", "on", "permissions", "jobs"] {
            assert!(documents[0].as_mapping_get(key).is_some(), "{}: {key}", path.display());
        }
        let mut found = Vec::new();
        scripts(&documents[0], &mut found);
        for script in found {
            let script =
                format!("tideover() {{ \"$TIDEOVER\" \"$@\" --help; }}\n{}", plain(&script));
            let folder = tempfile::tempdir().unwrap();
            let output = Command::new("bash")
                .args(["-eo", "pipefail", "-c", &script])
                .current_dir(&folder)
                .envs([("TIDEOVER", env!("CARGO_BIN_EXE_tideover"))])
                .envs([("GITHUB_STEP_SUMMARY", "summary.md"), ("GITHUB_RUN_NUMBER", "7")])
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}: {script}\n{said}", path.display());
            commands += script.matches("\ntideover ").count();
        }
    }
    assert!(commands >= 5, "{commands}");
}
