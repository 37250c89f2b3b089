//! `tideover ready`, and what is generated from the options: completions and manual pages.

use std::net::TcpListener;
use std::process::Output;
use std::thread;
use std::time::Duration;

use crate::support::command::{serve, tideover};

fn run(arguments: &[&str]) -> Output {
    tideover().args(arguments).env_remove("TIDEOVER_PORT").output().unwrap()
}

fn printed(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

#[test]
fn a_mock_that_is_up_is_ready() {
    let (_served, ready) = serve(&["--clock", "still", "--start", "2026-01-01T00:00:00Z"]);
    let url = ready["baseUrl"].as_str().unwrap();
    let text = printed(&run(&["ready", url, "--within", "0"]));
    assert_eq!(text, format!("ready: {url}, the clock shows 2026-01-01T00:00:00Z\n"));
    let port = url.rsplit(':').next().unwrap();
    let json = printed(&run(&["ready", "--port", port, "--within", "0", "--json"]));
    let health: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(health["mock"], "tideover");
    printed(&run(&["ready", &format!("127.0.0.1:{port}"), "--within", "0"]));
    let by_variable =
        tideover().args(["ready", "--within", "0"]).env("TIDEOVER_PORT", port).output();
    printed(&by_variable.unwrap());
}

#[test]
fn a_mock_that_starts_later_is_waited_for() {
    let port = free_port().to_string();
    let waiting = thread::spawn({
        let port = port.clone();
        move || run(&["ready", "--port", &port, "--within", "60"])
    });
    let mut mock =
        tideover().args(["serve", "--port", &port]).stdout(std::process::Stdio::null()).spawn();
    let output = waiting.join().unwrap();
    let mock = mock.as_mut().unwrap();
    mock.kill().unwrap();
    mock.wait().unwrap();
    printed(&output);
}

#[test]
fn nothing_and_another_server_are_not_ready() {
    let port = free_port().to_string();
    let output = run(&["ready", "--port", &port, "--within", "0"]);
    assert_eq!(output.status.code(), Some(3));
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert!(complaint.starts_with("tideover: no mock is ready within 0 s: "), "{complaint}");
    assert_eq!(complaint.trim_end().lines().count(), 1, "{complaint}");

    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = other.local_addr().unwrap().port().to_string();
    let answering = thread::spawn(move || {
        use std::io::{Read, Write};
        let (mut socket, _) = other.accept().unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let _ = socket.read(&mut [0; 1024]).unwrap();
        socket.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").unwrap();
    });
    let output = run(&["ready", "--port", &port, "--within", "0"]);
    answering.join().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert!(complaint.contains("200 is not the answer of a mock of Tideover"), "{complaint}");

    let wrong = run(&["ready", "ftp://localhost:4010"]);
    assert_eq!(wrong.status.code(), Some(2), "{wrong:?}");
}

#[test]
fn each_shell_has_completions() {
    for (shell, first) in [
        ("bash", "_tideover() {"),
        ("zsh", "#compdef tideover"),
        ("fish", "# Print an optspec"),
        ("powershell", "using namespace System.Management.Automation"),
        ("elvish", "use builtin;"),
    ] {
        let script = printed(&run(&["completions", shell]));
        assert!(script.trim_start().starts_with(first), "{shell}: {script}");
        for word in ["serve", "receiver-check", "webhook-ca"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    assert_eq!(run(&["completions", "tcsh"]).status.code(), Some(2));
}

/// Bash itself completes a command and an option.
#[test]
fn bash_completes() {
    let script = "source <(\"$TIDEOVER\" completions bash)
        COMP_WORDS=(tideover serve --webhook-) COMP_CWORD=2
        _tideover tideover --webhook- serve
        echo \"${COMPREPLY[*]}\"";
    let mut bash = std::process::Command::new("bash");
    let output = bash.args(["-c", script]).env("TIDEOVER", env!("CARGO_BIN_EXE_tideover")).output();
    assert_eq!(printed(&output.unwrap()), "--webhook-ca\n");
}

#[test]
fn each_command_has_a_manual_page() {
    let page = printed(&run(&["man"]));
    assert!(page.contains(".TH tideover 1"), "{page}");
    assert!(page.contains("Exit codes"), "{page}");
    let serve = printed(&run(&["man", "serve"]));
    assert!(serve.contains(".TH tideover-serve 1"), "{serve}");
    for word in ["TIDEOVER_PORT", "\\-\\-webhook\\-ca", "127.0.0.1"] {
        assert!(serve.contains(word), "{word}: {serve}");
    }
    let unknown = run(&["man", "server"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8(unknown.stderr).unwrap().contains("there are serve, ready, check"));
}
