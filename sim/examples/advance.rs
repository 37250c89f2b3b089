//! A test with its own world: nobody is invited, and an hour passes.

use tideover_sim::Mock;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mock = Mock::start().await?;
    // Your client connects to `mock.url()` with the key `mock.api_key()`.
    assert!(mock.url().starts_with("http://127.0.0.1:"));
    // Nobody was invited yet, so no vendor can sign.
    assert!(mock.vendor_signs_agreement("acme").is_err());
    // The clock stands still until you move it. Everything due happens on the way.
    let now = mock.advance_clock(3600).await?;
    assert_eq!(now.to_string(), "2026-01-01T01:00:00Z");
    Ok(())
}
