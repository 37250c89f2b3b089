//! Profile files.

use std::path::PathBuf;

use tideover_model::{Cents, Code, Profile, Range};
use tideover_sim::{ProfileError, load_profile};

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
