//! Profile files.

use std::path::PathBuf;

use tideover_model::{Cents, Code, Profile, Range};
use tideover_sim::fault::{Act, Rule, When};
use tideover_sim::{ProfileError, ProfileFile, load_profile};

/// A file that is deleted on drop.
struct File(PathBuf);

impl File {
    fn with(name: &str, text: impl AsRef<[u8]>) -> File {
        let name = format!("tideover-profile-{}-{name}.toml", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, text).unwrap();
        File(path)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn a_file_overrides_the_standard_profile() {
    let file = File::with(
        "right",
        "concentration_limit = 5\nsession_links_live = true\n[refusals]\ntoo_many_rows = 413\n",
    );
    let mut expected = Profile {
        concentration_limit: Range::exactly(Cents(5)),
        session_links_live: true,
        ..Profile::default()
    };
    expected.refusals.insert(Code::TooManyRows, 413);
    assert_eq!(load_profile(&file.0).unwrap(), expected);
    assert_eq!(load_profile(&File::with("empty", "").0).unwrap(), Profile::default());
}

#[test]
fn an_error_is_one_line() {
    for (name, text, place, expected) in [
        ("field", "\n\nconcentration = 1\n", ":3", "unknown field `concentration`"),
        ("nested", "[delays]\nfunding = 1\n", ":2", "unknown field `funding`"),
        ("syntax", "body_limit = \n", ":1", ""),
        (
            "type",
            "body_limit = 1\nquote_term_days = \"x\"\n",
            ":2",
            "quote_term_days: invalid type: string \"x\", expected a whole number",
        ),
        (
            "float",
            "body_limit = 1.5\n",
            ":1",
            "body_limit: expected a whole number, or { min = …, max = … }",
        ),
        (
            "negative",
            "body_limit = -1\n",
            ":1",
            "body_limit: expected a whole number, or { min = …, max = … }",
        ),
        (
            "boolean",
            "session_links_live = 1\n",
            ":1",
            "session_links_live: invalid type: integer `1`, expected true or false",
        ),
        ("status", "[success]\nquote = 70000\n", ":2", "integer `70000`, expected an HTTP status"),
        ("twice", "body_limit = 1\nbody_limit = 2\n", ":2", "duplicate key"),
        ("range", "rates.fee = []\n", ":1", "a whole number, or { min = …, max = … }"),
        ("code", "[refusals]\nteapot = 418\n", ":2", "unknown variant `teapot`"),
        ("impossible", "body_limit = 0\n", "", "body_limit: must be 1 to 1073741824 bytes"),
        ("stated", "refusals.unauthorized = 403\n", "", "the document states 401"),
    ] {
        let file = File::with(name, text);
        let error = load_profile(&file.0).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{}{place}: ", file.0.display())), "{error}");
        assert!(error.contains(expected), "{error}");
        assert!(!error.contains('\n'), "{error}");
    }
}

#[test]
fn an_unreadable_file_is_named() {
    let missing = PathBuf::from("no/such/profile.toml");
    let error = load_profile(&missing).unwrap_err();
    assert!(matches!(&error, ProfileError::Unreadable { path, .. } if *path == missing));
    assert!(error.to_string().starts_with("cannot read the profile no/such/profile.toml: No such"));
    let file = File::with("bytes", [0xff, 0xfe]);
    assert!(matches!(load_profile(&file.0), Err(ProfileError::Unreadable { .. })));
}

#[test]
fn a_file_may_have_faults_beside_the_profile() {
    let text = "quote_term_days = 5\n\n[[faults]]\nact = \"importStops\"\nafter_rows = 2\n\
        identifier = \"acme\"\n\n[[faults]]\nact = \"upstreamFails\"\nwhen = \"afterCommit\"\npercent = 3\n";
    let file = File::with("faults", text);
    let ProfileFile { profile, faults } = ProfileFile::load(&file.0).unwrap();
    assert_eq!(profile, Profile { quote_term_days: 5, ..Profile::default() });
    let stops = Rule::always(Act::ImportStops { after_rows: 2 });
    let fails = Rule::always(Act::UpstreamFails { when: When::AfterCommit });
    let expected =
        [Rule { identifier: Some("acme".into()), ..stops }, Rule { percent: Some(3), ..fails }];
    assert_eq!(faults, expected);
    let error = load_profile(&file.0).unwrap_err().to_string();
    let place = file.0.display();
    assert_eq!(
        error,
        format!("{place}: faults: only the mock applies them; serve takes this file")
    );
}

#[test]
fn an_error_in_a_fault_is_one_line() {
    let row = "\n[[faults]]\nact = \"requestRepeated\"\n";
    for (name, text, place, expected) in [
        ("fault-list", "faults = 3\n".into(), ":1", "faults: expected [[faults]] tables"),
        ("fault-row", "faults = [3]\n".into(), ":1", "faults: expected [[faults]] tables"),
        ("fault-act", "\n[[faults]]\n".into(), ":2", "faults.act: expected one of upstreamFails, "),
        (
            "fault-field",
            format!("{row}{row}nth = 0\n"),
            ":7",
            "faults.nth: expected a whole number from 1",
        ),
        (
            "fault-name",
            format!("{row}afterRows = 0\n"),
            ":4",
            "faults.afterRows: requestRepeated has only",
        ),
        (
            "fault-rest",
            format!("body_limit = -1{row}nth = 0\n"),
            ":1",
            "body_limit: expected a whole",
        ),
        ("fault-many", row.repeat(101), "", "a world has at most 100 rules of faults"),
    ] {
        let file = File::with(name, text);
        let error = ProfileFile::load(&file.0).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{}{place}: ", file.0.display())), "{error}");
        assert!(error.contains(expected), "{error}");
        assert!(!error.contains('\n'), "{error}");
    }
}
