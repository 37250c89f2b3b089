//! `tideover sign` and `tideover verify`, as a user types them.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::support::pages::page;

const BODY: &[u8] = b"{\"name\": \"caf\xe9\"}\n";
const SECRET: &str = "whsec_1f3a";
/// The signature of `BODY` with `SECRET` at the start of 2026, by openssl:
/// `openssl dgst -sha256 -hmac whsec_1f3a` of `1767225600.` and the body.
const HEADER: &str = "Service-Signature: t=1767225600,v1=1a624f4a30cf631ca56c2f121d7344bbb69458b5e44b68550e4c9e27a84d4951";

fn tideover(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tideover"));
    command.args(arguments).env_remove("TIDEOVER_SECRET");
    command
}

/// Runs a command that reads `body` on its standard input.
fn given(command: &mut Command, body: &[u8]) -> Output {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    // An invalid command ends without reading.
    let _ = input.write_all(body);
    drop(input);
    child.wait_with_output().unwrap()
}

fn with_secret(arguments: &[&str], body: &[u8]) -> Output {
    given(tideover(arguments).env("TIDEOVER_SECRET", SECRET), body)
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap().trim_end()
}

fn complaint(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap().trim_end()
}

fn verify(header: &str, now: &str, body: &[u8]) -> Output {
    with_secret(&["verify", "--header", header, "--now", now], body)
}

#[test]
fn sign_prints_the_header() {
    for at in ["1767225600", "2026-01-01T00:00:00Z", "2026-01-01T01:00:00.9+01:00"] {
        let output = with_secret(&["sign", "--at", at], BODY);
        assert_eq!((stdout(&output), output.status.code()), (HEADER, Some(0)), "{at}");
    }
    let output = with_secret(&["sign", "--at", "1767225600", "--json"], BODY);
    let printed: Value = serde_json::from_str(stdout(&output)).unwrap();
    let (header, value) = HEADER.split_once(": ").unwrap();
    assert_eq!(printed, json!({ "header": header, "value": value }));
}

#[test]
fn the_body_comes_from_a_file_or_stdin() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("body");
    std::fs::write(&path, BODY).unwrap();
    let at = ["sign", "--at", "1767225600"];
    let with = |more: &[&str], body| with_secret(&[&at, more].concat(), body);
    assert_eq!(stdout(&with(&[path.to_str().unwrap()], b"another")), HEADER);
    assert_eq!(stdout(&with(&["-"], BODY)), HEADER);
    assert_ne!(stdout(&with(&[], b"another")), HEADER);
}

#[test]
fn the_secret_has_three_sources() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("secret");
    let file = path.to_str().unwrap();
    let at = ["sign", "--at", "1767225600"];
    let with = |more: &[&str]| given(&mut tideover(&[&at, more].concat()), BODY);
    for text in [SECRET.to_owned(), format!("{SECRET}\n"), format!("{SECRET}\r\n")] {
        std::fs::write(&path, &text).unwrap();
        assert_eq!(stdout(&with(&["--secret-file", file])), HEADER, "{text:?}");
    }
    // Only the line end is no part of the secret.
    std::fs::write(&path, format!("{SECRET} \n")).unwrap();
    assert_ne!(stdout(&with(&["--secret-file", file])), HEADER);
    assert_eq!(stdout(&with(&["--secret", SECRET])), HEADER);
    // The command line takes precedence over the environment.
    let mut both = tideover(&[&at[..], &["--secret", SECRET]].concat());
    assert_eq!(stdout(&given(both.env("TIDEOVER_SECRET", "another"), BODY)), HEADER);
}

#[test]
fn verify_accepts_what_sign_prints() {
    let header = with_secret(&["sign"], BODY);
    let output = with_secret(&["verify", "--header", stdout(&header)], BODY);
    assert_eq!((stdout(&output), output.status.code()), ("valid", Some(0)));
    let value = HEADER.strip_prefix("Service-Signature: ").unwrap();
    let lower = format!("service-signature:{value}\n");
    for header in [HEADER, value, &lower] {
        assert_eq!(stdout(&verify(header, "1767225900", BODY)), "valid", "{header}");
    }
}

#[test]
fn verify_says_which_rule_is_broken() {
    let hours = ["2025-12-31T23:54:59Z", "1767225600", "1767225901"];
    let [early, then, late] = hours;
    for (header, now, body, rule, reason) in [
        (HEADER, late, BODY, "6.signature.4", "more than 300 seconds old"),
        (HEADER, early, BODY, "6.signature.4", "300 seconds in the future"),
        (HEADER, then, &BODY[1..], "6.signature.3", "the digest is not that of"),
        ("", then, BODY, "6.signature.3", "malformed"),
        ("X-Signature: t=1,v1=00", then, BODY, "6.signature.3", "malformed"),
        ("t=1,v1=xy", then, BODY, "6.signature.3", "not hexadecimal"),
    ] {
        let output = verify(header, now, body);
        assert_eq!(output.status.code(), Some(1), "{header}");
        let printed = stdout(&output);
        assert!(printed.starts_with("not valid: ") && printed.contains(reason), "{printed}");
        assert!(printed.contains(rule) && output.stderr.is_empty(), "{printed}");
    }
    let output = with_secret(&["verify"], BODY);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("no Service-Signature header"), "{}", stdout(&output));
    let output = with_secret(&["verify", "--json", "--header", HEADER, "--now", late, "-"], BODY);
    let printed: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!(
        printed,
        json!({
            "valid": false,
            "rejection": "tooOld",
            "error": "the timestamp is more than 300 seconds old",
            "clause": "6.signature.4",
        })
    );
}

#[test]
fn an_invalid_command_exits_with_2_without_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (empty, binary) = (write("empty", b"\n"), write("binary", b"hush\xff"));
    for (arguments, named) in [
        (vec!["sign"], "TIDEOVER_SECRET"),
        (vec!["sign", "--secret", ""], "the secret is empty"),
        (vec!["sign", "--secret-file", &empty], "the secret is empty"),
        (vec!["sign", "--secret-file", &binary], "not UTF-8"),
        (vec!["sign", "--secret-file", "/no/such/file"], "/no/such/file"),
        (vec!["sign", "--secret", "hush", "/no/such/body"], "/no/such/body"),
        (vec!["sign", "--secret", "hush", "--secret-file", &binary], "cannot be used with"),
        (vec!["sign", "--secret", "hush", "--at", "noon"], "Unix seconds"),
        (vec!["sign", "--secret", "hush", "--at", "1969-12-31T23:59:59Z"], "since 1970"),
    ] {
        let output = given(&mut tideover(&arguments), BODY);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let complaint = complaint(&output);
        assert!(complaint.contains(named) && !complaint.contains("hush"), "{complaint}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn a_large_body_is_signed_whole() {
    let mut body = vec![b'a'; 8 << 20];
    let header = with_secret(&["sign", "--at", "1767225600"], &body);
    assert_eq!(stdout(&verify(stdout(&header), "1767225600", &body)), "valid");
    *body.last_mut().unwrap() = b'b';
    assert_eq!(verify(stdout(&header), "1767225600", &body).status.code(), Some(1));
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_error() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = tideover(&["sign", "--secret", SECRET, "/dev/null"]);
    let output = command.stdout(writer).output().unwrap();
    assert_eq!((complaint(&output), output.status.code()), ("", Some(0)));
    // An invalid signature exits with 1 even if nobody reads the output.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command =
        tideover(&["verify", "--secret", SECRET, "--header", "t=1,v1=00", "/dev/null"]);
    let output = command.stdout(writer).output().unwrap();
    assert_eq!((complaint(&output), output.status.code()), ("", Some(1)));
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/signature")
}

/// What a program of `fixtures/signature` prints, or `None` without its interpreter.
#[expect(clippy::print_stdout, reason = "says why nothing is played")]
fn played(interpreter: &str, arguments: &[&str]) -> Option<String> {
    let run = Command::new(interpreter).current_dir(fixtures()).args(arguments).output();
    let Ok(output) = run else {
        println!("skipped: {interpreter} is not here");
        return None;
    };
    let (printed, complaint) = (stdout(&output), complaint(&output));
    assert!(output.status.success(), "{interpreter} {arguments:?}: {printed}\n{complaint}");
    Some(printed.to_owned())
}

/// Another tool makes the vectors, and a third one agrees with them.
#[test]
fn independent_tools_make_the_same_vectors() {
    if played("openssl", &["version"]).is_some() {
        played("python3", &["make.py", "--check"]);
    }
}

/// The examples hold, and print what their README shows.
#[test]
fn the_vectors_play_in_python_and_in_node() {
    let readme = std::fs::read_to_string(fixtures().join("README.md")).unwrap();
    for (interpreter, program) in [("python3", "verify.py"), ("node", "verify.mjs")] {
        let Some(printed) = played(interpreter, &[program]) else { continue };
        assert!(readme.contains(&printed), "the README does not show\n{printed}");
    }
}

/// The commands of the guide's session print what the guide shows.
#[cfg(unix)]
#[test]
fn the_guides_session_matches_the_output() {
    let text = page("docs/signatures.md");
    let (_, session) = text.split_once("```console\n").unwrap();
    let (session, _) = session.split_once("```").unwrap();
    let (commands, printed): (Vec<&str>, Vec<&str>) =
        session.lines().partition(|line| line.starts_with("$ "));
    let script: Vec<&str> = commands.iter().filter_map(|line| line.strip_prefix("$ ")).collect();
    let binary = Path::new(env!("CARGO_BIN_EXE_tideover")).parent().unwrap();
    let paths = std::env::var_os("PATH").unwrap();
    let paths = std::iter::once(binary.to_owned()).chain(std::env::split_paths(&paths));
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new("sh")
        .args(["-c", &script.join("\n")])
        .current_dir(&folder)
        .env("PATH", std::env::join_paths(paths).unwrap())
        .output()
        .unwrap();
    assert!(commands.len() > 4);
    assert_eq!(stdout(&output).lines().collect::<Vec<_>>(), printed, "{}", complaint(&output));
}
