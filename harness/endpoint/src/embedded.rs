//! The embedded target: a mock in this process, reached over HTTP.

use tideover_exchange::target::Unreachable;
use tideover_exchange::transcript::Header;
use tideover_model::{Destinations, Face};
use tideover_sim::{Mock, NoNames, SigningTime};

use crate::{Http, inbox};

/// Starts a mock in the world of `header` on a free port. Returns it with the target that talks to it.
pub async fn embedded(header: &Header) -> Result<(Mock, Http), Unreachable> {
    embedded_with(header, |_| None).await
}

/// The same over the service that `face` makes, if it makes one; it may send webhooks to the given destinations.
pub async fn embedded_with(
    header: &Header,
    face: impl FnOnce(&Destinations) -> Option<Box<dyn Face>>,
) -> Result<(Mock, Http), Unreachable> {
    let inbox = inbox::Server::start()
        .await
        .map_err(|error| Unreachable(format!("no port for the inbox: {error}")))?;
    let destinations = Destinations::PublicAnd(inbox.origin().to_owned());
    let builder = match face(&destinations) {
        None => {
            let builder = Mock::builder().webhooks(destinations).seed(header.seed);
            builder.profile(header.profile.clone())
        }
        Some(face) => Mock::builder().face(face),
    };
    let mock = builder
        .start_at(header.start)
        .resolver(NoNames)
        // The steps move the clock, and the same seed must give the same bytes.
        .signing(SigningTime::Virtual)
        .start()
        .await
        .map_err(|error| Unreachable(error.to_string()))?;
    let target = Http::new(mock.url(), mock.api_key())?.with_inbox(inbox);
    Ok((mock, target))
}
