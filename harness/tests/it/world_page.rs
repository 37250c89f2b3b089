//! The mock's page, in a real browser.

use std::time::Duration;

use serde_json::{Value, json};
use tideover_sim::{Mock, Timestamp};

use crate::support::browser::{self, Browser};

const EVIL: &str = "<img src=x onerror=alert(1)>";
const PHONE: u32 = 360;

/// A mock with a business whose name is hostile, and an invoice of it. Its first key is not the usual one.
async fn mock() -> Mock {
    let start = Timestamp::parse("2026-01-01T00:00:00Z").unwrap();
    let mock = Mock::builder().seed(1).start_at(start).api_key("partner-key").start();
    let mock = mock.await.unwrap();
    put(&mock, "organizations/acme", json!({ "legalName": EVIL, "taxId": "12-3456789" })).await;
    let party = |name: &str| json!({ "externalId": name, "legalName": name });
    let invoice = json!({
        "payee": party("acme"), "payor": party("globex"), "status": "ISSUED", "faceValue": 1_000_000,
        "issueDate": "2026-01-01T00:00:00Z", "dueDate": "2026-03-02T00:00:00Z",
    });
    put(&mock, "invoices/INV-7", invoice).await;
    mock
}

async fn put(mock: &Mock, path: &str, body: Value) {
    let client = crate::support::plain::client();
    let request = client.put(format!("{}/v1/{path}", mock.url())).bearer_auth(mock.api_key());
    request.json(&body).send().await.unwrap().error_for_status().unwrap();
}

/// The page, once it shows the world.
struct Page {
    browser: Browser,
}

impl Page {
    async fn open(mock: &Mock, width: u32, scheme: &str) -> Page {
        let page = Page { browser: Browser::start(width, scheme).await };
        page.browser.visit(mock.url()).await;
        page.until("document.querySelectorAll('#businesses article').length > 0").await;
        page
    }

    /// Waits until an expression is true in the page.
    async fn until(&self, expression: &str) {
        let script = format!("return Boolean({expression})");
        let seen = async { while self.browser.run(&script).await != true {} };
        let seen = tokio::time::timeout(Duration::from_secs(30), seen).await;
        assert!(seen.is_ok(), "never: {expression}");
    }

    /// Clicks the button with this accessible name once it is there.
    async fn click(&self, name: &str) {
        let button = format!(
            "Array.from(document.querySelectorAll('button')).find(it => \
                (it.getAttribute('aria-label') ?? it.textContent) === {})",
            json!(name)
        );
        self.until(&button).await;
        self.browser.run(&format!("{button}.click()")).await;
    }

    async fn says(&self, text: &str) {
        let said =
            format!("document.getElementById('result').textContent.includes({})", json!(text));
        self.until(&said).await;
    }

    async fn shows_world(&self, name: &str) {
        let shown =
            format!("document.getElementById('where').textContent.startsWith('World {name} · ')");
        self.until(&shown).await;
    }

    async fn has_state(&self, state: &str) {
        let shown =
            format!("document.querySelector('#invoices .state')?.textContent === '{state}'");
        self.until(&shown).await;
    }
}

#[tokio::test]
async fn an_advance_is_repaid_by_clicks_alone() {
    if browser::is_missing() {
        return;
    }
    let mock = mock().await;
    let page = Page::open(&mock, 1100, "light").await;
    page.click("Why can it not be financed? (INV-7)").await;
    page.says("3 objections").await;
    for step in [
        "Invite the vendor (acme)",
        "The vendor accepts (acme)",
        "The vendor signs (acme)",
        "The vendor adds an account (acme)",
        "The bank opens the account (acme)",
        "Request an advance (INV-7)",
        "Funding starts (INV-7)",
    ] {
        page.click(step).await;
    }
    page.has_state("funding").await;
    page.click("Until quiet").await;
    page.has_state("funded").await;
    page.click("The payor pays for INV-7").await;
    page.says("The payor paid 10,000.00 for INV-7.").await;
    page.has_state("repaid").await;
    mock.audit().unwrap();
    let parts = "return Array.from(document.querySelectorAll('#invoices tbody tr'), \
        it => [it.cells[0].textContent, Number(it.cells[1].textContent.replaceAll(',', ''))])";
    let parts = page.browser.run(parts).await;
    let cents = |name: &str| {
        let row = parts.as_array().unwrap().iter().find(|row| row[0] == name);
        row.unwrap_or_else(|| panic!("no {name}: {parts}"))[1].as_f64().unwrap()
    };
    let collected =
        cents("Back to the funder") + cents("Fee to the funder") + cents("Forwarded to the vendor");
    assert!((cents("Face value") - collected).abs() < 0.001, "{parts}");
    let requests = "return Array.from(document.querySelectorAll('.row.request .what'), \
        it => it.textContent)";
    let paths = json!([
        "POST /v1/advances",
        "POST /v1/invitations",
        "PUT /v1/invoices/INV-7",
        "PUT /v1/organizations/acme"
    ]);
    assert_eq!(page.browser.run(requests).await, paths, "the newest first");
}

#[tokio::test]
async fn worlds_are_made_opened_copied_reset_and_deleted() {
    if browser::is_missing() {
        return;
    }
    let mock = mock().await;
    let page = Page::open(&mock, 1100, "light").await;
    page.browser.run("document.getElementById('make-scenario').value = 'funded'").await;
    page.click("New world").await;
    page.shows_world("w1").await;
    page.has_state("funded").await;
    page.click("Fork world w1").await;
    page.says("World w2 is a copy of world w1.").await;
    page.click("The payor pays for INV-1").await;
    page.has_state("repaid").await;
    page.click("Open world w2").await;
    page.shows_world("w2").await;
    page.has_state("funded").await;
    let snapshot = "document.querySelector('a[aria-label=\"Snapshot of world w2\"]')";
    let kept = format!("return fetch({snapshot}.href).then(it => it.json())");
    assert_eq!(page.browser.run(&kept).await["format"], "tideover-world");

    page.click("Delete world w2").await;
    page.click("Cancel").await;
    let worlds = "document.querySelectorAll('#worlds article').length";
    page.until(&format!("!document.getElementById('confirm').open && {worlds} === 3")).await;
    page.click("Delete world w2").await;
    page.click("Delete").await;
    page.says("World w2 is deleted.").await;
    page.shows_world("default").await;
    page.until(&format!("{worlds} === 2")).await;
    assert_eq!(page.browser.run("return document.activeElement.id").await, "worlds-title");
    page.click("Reset world default").await;
    page.click("Reset").await;
    page.until("document.querySelectorAll('#businesses article').length === 0").await;
    let delete = "return Array.from(document.querySelectorAll('#worlds button'), \
        it => it.getAttribute('aria-label')).filter(it => it?.startsWith('Delete'))";
    assert_eq!(page.browser.run(delete).await, json!(["Delete world w1"]));
}

/// A mark for text from right to left stays in the name that has it.
#[tokio::test]
async fn names_do_not_turn_what_stands_beside_them() {
    if browser::is_missing() {
        return;
    }
    let mock = mock().await;
    let party = |name: &str| json!({ "externalId": name, "legalName": name });
    let invoice = json!({
        "payee": party("v\u{202e}4"), "payor": party("p\u{202e}5"), "status": "ISSUED",
        "faceValue": 100, "issueDate": "2026-01-01T00:00:00Z", "dueDate": "2026-03-02T00:00:00Z",
    });
    put(&mock, "invoices/INV-8", invoice).await;
    let page = Page::open(&mock, 1100, "light").await;
    page.until("document.querySelectorAll('#invoices article').length === 2").await;
    page.click("Why can it not be financed? (INV-8)").await;
    page.says("INV-8 cannot be financed").await;
    let places = "const place = node => { const it = document.createRange(); \
        it.selectNodeContents(node); return it.getBoundingClientRect(); }; \
        const whole = document.querySelector('#invoices dd'); \
        const [payee, arrow, payor] = Array.from(whole.childNodes, place); \
        return [whole.textContent, payee.right <= arrow.left + 1, arrow.right <= payor.left + 1]";
    let expected = json!(["v\u{202e}4 → p\u{202e}5", true, true]);
    assert_eq!(page.browser.run(places).await, expected);
    let name = "const [name, id] = document.querySelector('#businesses article h3').children; \
        return name.getBoundingClientRect().right <= id.getBoundingClientRect().left + 1";
    assert_eq!(page.browser.run(name).await, true);
}

/// What the page offers as a command for each request, run by a shell, arrives as the same request again.
#[tokio::test]
async fn a_copied_command_sends_the_same_request() {
    if browser::is_missing() {
        return;
    }
    let mock = mock().await;
    let client = crate::support::plain::client();
    let send = async |path: &str, body: Vec<u8>| {
        let request = client.post(format!("{}/v1/{path}", mock.url())).body(body);
        request.bearer_auth(mock.api_key()).send().await.unwrap();
    };
    send("quotes?a=[1-2]&b={x,y}", b"@/etc/passwd".to_vec()).await;
    send("quotes?", "{\"externalId\":\"it's \\\"€\\\"\"}".into()).await;
    let page = Page::open(&mock, 1100, "light").await;
    page.until("document.querySelectorAll('.row').length === 4").await;
    page.browser.run("document.querySelectorAll('.row').forEach(it => it.open = true)").await;
    page.until("document.querySelectorAll('.row .details').length === 4").await;
    let commands = "return Array.from(document.querySelectorAll( \
        'pre[aria-label=\"The request as a curl command\"]'), it => it.textContent).reverse()";
    let commands = page.browser.run(commands).await;
    for command in commands.as_array().unwrap() {
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", command.as_str().unwrap()]).env("TIDEOVER_KEY", mock.api_key());
        // The mock answers in this thread.
        let ended = tokio::task::spawn_blocking(move || shell.output()).await.unwrap().unwrap();
        assert!(ended.status.success(), "{command}: {ended:?}");
    }
    let sent = mock.journal().into_iter().map(|it| {
        let media_type = it.request.headers.get("content-type").cloned();
        (it.method, it.path, it.query, media_type, it.request.body)
    });
    let sent: Vec<_> = sent.collect();
    assert_eq!((sent.len(), &sent[..4]), (8, &sent[4..]));
}

/// A wrong command would be worse than none.
#[tokio::test]
async fn no_command_is_offered_for_what_is_not_known() {
    if browser::is_missing() {
        return;
    }
    let mock = mock().await;
    let client = crate::support::plain::client();
    let send = async |key: &str, path: &str, body: Vec<u8>| {
        let request = client.put(format!("{}/v1/organizations/{path}", mock.url())).body(body);
        request.bearer_auth(key).send().await.unwrap();
    };
    send(mock.api_key(), "large", vec![b' '; 70_000]).await;
    send(mock.api_key(), &"x".repeat(300), Vec::new()).await;
    send("rap_sk_guessed", "unread", b"{}".to_vec()).await;
    send(mock.api_key(), "bytes", vec![255]).await;
    let page = Page::open(&mock, 1100, "light").await;
    page.until("document.querySelectorAll('.row').length === 6").await;
    page.browser.run("document.querySelectorAll('.row').forEach(it => it.open = true)").await;
    page.until("document.querySelectorAll('.row .details').length === 6").await;
    let said = "return Array.from(document.querySelectorAll('.row'), it => [ \
        /There is no curl command .*: (.*)\\./.exec(it.textContent)?.[1] ?? null, \
        it.textContent.includes('Copy as curl')]).reverse()";
    let why = [
        json!([null, true]),
        json!([null, true]),
        json!(["the journal keeps only the beginning of its body of 70000 bytes", false]),
        json!(["the journal keeps only a part of its path", false]),
        json!(["the mock did not read its body", false]),
        json!(["its body is not text", false]),
    ];
    assert_eq!(page.browser.run(said).await, json!(why));
}

#[tokio::test]
async fn a_page_whose_world_is_gone_leads_back() {
    if browser::is_missing() {
        return;
    }
    let mock = mock().await;
    let page = Page::open(&mock, 1100, "light").await;
    page.click("New world").await;
    page.shows_world("w1").await;
    assert_eq!(page.browser.run("return document.getElementById('gone').hidden").await, true);
    let client = crate::support::plain::client();
    let deleted = client.delete(format!("{}/_sim/worlds/w1", mock.url())).send().await.unwrap();
    assert_eq!(deleted.status(), 200);
    page.browser.visit(mock.url()).await;
    let says = "document.getElementById('gone').checkVisibility() && \
        document.getElementById('gone').textContent.includes('is gone')";
    page.until(says).await;
    page.until("document.querySelectorAll('#worlds article').length === 1").await;
    page.click("Back to the default world").await;
    page.shows_world("default").await;
    page.until("document.getElementById('gone').hidden").await;
    page.until("document.querySelectorAll('#businesses article').length > 0").await;
}

#[tokio::test]
async fn what_a_client_sends_is_shown_as_text() {
    if browser::is_missing() {
        return;
    }
    let mock = mock().await;
    let page = Page::open(&mock, 1100, "light").await;
    page.until("document.querySelectorAll('.row').length === 2").await;
    page.browser.run("document.querySelectorAll('.row').forEach(it => it.open = true)").await;
    page.until("document.querySelectorAll('.row .details').length === 2").await;
    let seen = "return [document.images.length, \
        document.querySelector('#businesses article:last-child h3').textContent.trim(), \
        Array.from(document.querySelectorAll('.row pre')).some(it => it.textContent.includes('onerror')), \
        document.documentElement.innerHTML.includes('<img')]";
    assert_eq!(page.browser.run(seen).await, json!([0, format!("{EVIL} acme"), true, false]));
    assert_eq!(page.browser.log("browser").await, Vec::<Value>::new());
}

/// What is wrong with the page for a keyboard, a screen reader, or weak eyes.
const BARRIERS: &str = include_str!("support/barriers.js");

#[tokio::test]
async fn the_page_has_no_barriers_at_any_width() {
    if browser::is_missing() {
        return;
    }
    let mock = mock().await;
    for scheme in ["light", "dark"] {
        for width in [PHONE, 1100] {
            let page = Page::open(&mock, width, scheme).await;
            page.until("document.querySelectorAll('.row').length === 2").await;
            page.click("Why can it not be financed? (INV-7)").await;
            page.until("document.querySelector('.answer li')").await;
            page.browser
                .run("document.querySelectorAll('details').forEach(it => it.open = true)")
                .await;
            page.until("document.querySelectorAll('.row .details').length === 2").await;
            page.browser
                .run("document.querySelectorAll('details').forEach(it => it.open = true)")
                .await;
            assert_eq!(page.browser.run(BARRIERS).await, json!([]), "{scheme}, {width}");
            let sideways = "return document.documentElement.scrollWidth";
            assert_eq!(page.browser.run(sideways).await, width, "{scheme}");
        }
    }
}

/// The check itself finds what it is for.
#[tokio::test]
async fn barriers_are_found() {
    if browser::is_missing() {
        return;
    }
    let mock = mock().await;
    let page = Page::open(&mock, 1100, "light").await;
    let spoil = "const main = document.querySelector('main'); \
        main.append(document.createElement('button'), document.createElement('h5'), \
            document.createElement('main'), document.createElement('img')); \
        main.append(Object.assign(document.createElement('p'), { textContent: 'faint', tabIndex: 3 })); \
        main.lastChild.style.color = '#999'; document.documentElement.lang = ''";
    page.browser.run(spoil).await;
    let found = page.browser.run(BARRIERS).await;
    for barrier in ["no name", "skips", "main", "alt", "tabindex", "contrast", "lang"] {
        assert!(found.to_string().contains(barrier), "{barrier}: {found}");
    }
}
