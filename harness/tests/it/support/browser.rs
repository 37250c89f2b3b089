//! A headless Chromium with the screen of a phone, driven through its own driver (WebDriver).

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

/// A browser that is ended when the test is.
pub(crate) struct Browser {
    driver: Child,
    client: reqwest::Client,
    session: String,
    _profile: tempfile::TempDir,
}

/// Whether there is none on this machine; said on stderr, and not accepted where `CI` is set.
#[expect(clippy::print_stderr, reason = "whoever runs the tests is to know what they did not show")]
pub(crate) fn is_missing() -> bool {
    let runs = |name: &str| {
        let version = Command::new(name)
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        version.is_ok_and(|status| status.success())
    };
    if runs("chromedriver") && runs("chromium") {
        return false;
    }
    assert!(std::env::var_os("CI").is_none(), "CI has no chromium with its chromedriver");
    eprintln!("skipped: there is no chromium with its chromedriver on this machine");
    true
}

impl Browser {
    pub(crate) async fn start(width: u32, scheme: &str) -> Browser {
        // It takes a port for both versions of IP, and ends when one of them is not free.
        let (driver, port) = (0..5).find_map(|_| driver()).expect("a driver that listens");
        let profile = tempfile::tempdir().unwrap();
        let scheme = if scheme == "dark" { 0 } else { 1 };
        let options = json!({
            "args": [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--disable-sync",
                "--disable-dev-shm-usage", "--window-size=1100,1400",
                format!("--blink-settings=preferredColorScheme={scheme}"),
                format!("--user-data-dir={}", profile.path().display()),
            ],
            "mobileEmulation": {
                "deviceMetrics": { "width": width, "height": 780, "pixelRatio": 2.0 },
            },
        });
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
        }}});
        let client = crate::support::plain::client();
        let base = format!("http://127.0.0.1:{port}/session");
        let mut browser = Browser { driver, client, session: base, _profile: profile };
        let session = browser.post("", wanted).await;
        browser.session = format!("{}/{}", browser.session, session["sessionId"].as_str().unwrap());
        browser
    }

    pub(crate) async fn open(&self, page: &Path) {
        self.visit(&format!("file://{}", page.display())).await;
    }

    pub(crate) async fn visit(&self, url: &str) {
        // The browser's own first page asks for many things.
        self.post("/url", json!({ "url": "about:blank" })).await;
        self.log("performance").await;
        self.post("/url", json!({ "url": url })).await;
        // Under load, the driver returns before the end of the page is parsed.
        while self.run("return document.readyState").await != "complete" {
            tokio::task::yield_now().await;
        }
    }

    /// What a script returns, run in the page.
    pub(crate) async fn run(&self, script: &str) -> Value {
        self.post("/execute/sync", json!({ "script": script, "args": [] })).await
    }

    /// What was logged since this was last asked.
    pub(crate) async fn log(&self, kind: &str) -> Vec<Value> {
        self.post("/se/log", json!({ "type": kind })).await.as_array().unwrap().clone()
    }

    /// The addresses that were asked for since the page was opened.
    pub(crate) async fn requests(&self) -> Vec<String> {
        let entries = self.log("performance").await;
        let report = entries.iter().filter_map(|entry| {
            let message: Value = serde_json::from_str(entry["message"].as_str()?).ok()?;
            let message = &message["message"];
            let asked = message["method"] == "Network.requestWillBeSent";
            Some(message["params"]["request"]["url"].as_str().filter(|_| asked)?.to_owned())
        });
        report.collect()
    }

    async fn post(&self, path: &str, body: Value) -> Value {
        let sent = self.client.post(format!("{}{path}", self.session)).json(&body).send().await;
        let mut response: Value = sent.unwrap().json().await.unwrap();
        assert!(response["value"]["error"].is_null(), "{path}: {response}");
        response["value"].take()
    }
}

/// A driver, and the port that it says it listens on.
fn driver() -> Option<(Child, u16)> {
    let mut command = Command::new("chromedriver");
    command.arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null());
    let mut driver = command.spawn().unwrap();
    let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
    let line = lines.by_ref().map_while(Result::ok).find(|it| it.contains("successfully on port "));
    let Some(line) = line else {
        driver.wait().unwrap();
        return None;
    };
    // What it says afterwards is read and thrown away, so that it never waits for a reader.
    std::thread::spawn(move || lines.for_each(drop));
    let digits = line.rsplit("on port ").next().unwrap().trim_end_matches('.');
    Some((driver, digits.parse().unwrap()))
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The driver ends its browser with the session, and leaves it when it is killed.
        let session = self.session.clone();
        let ended = std::thread::spawn(|| end(session)).join();
        let killed = self.driver.kill();
        let _ = self.driver.wait();
        if !std::thread::panicking() {
            ended.unwrap();
            killed.unwrap();
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn end(session: String) {
    let client = crate::support::plain::client();
    client.delete(session).send().await.unwrap().error_for_status().unwrap();
}
