//! A mock whose second event about the state of an advance comes after the third.

use tideover_sim::fault::{DeliveryAct, Rule};
use tideover_sim::{Destinations, EventType, Mock, Scenario};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let swapped = Rule {
        event: Some(EventType::FactoredUpdated),
        nth: Some(2),
        ..Rule::always(DeliveryAct::Swapped)
    };
    let builder = Mock::builder().webhooks(Destinations::Local).scenario(Scenario::Onboarded);
    let mock = builder.faults(vec![swapped]).start().await?;
    // Your client subscribes your receiver, and requests an advance. Then the time passes.
    mock.advance_until_quiet().await?;
    // After that, your receiver has seen sequence 2 after 3, and `fired` is 1.
    assert_eq!(mock.faults()[0].fired, 0);
    Ok(())
}
