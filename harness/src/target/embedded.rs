//! The embedded target: a mock in this process, talked to over HTTP.

use tideover_model::Destinations;
use tideover_sim::{Mock, NoNames, SigningTime};

use crate::defects::Defect;
use crate::inbox;
use crate::target::{Http, Unreachable};
use crate::transcript::Header;

/// A mock in the world of `header`, on a free port, and the target that talks to it.
///
/// # Errors
/// [`Unreachable`] if no port can be listened on.
pub async fn embedded(header: &Header) -> Result<(Mock, Http), Unreachable> {
    embedded_with(header, None).await
}

/// The same, with a defect.
///
/// # Errors
/// [`Unreachable`] if no port can be listened on.
pub async fn embedded_with(
    header: &Header,
    defect: Option<&'static Defect>,
) -> Result<(Mock, Http), Unreachable> {
    let inbox = inbox::Server::start()
        .await
        .map_err(|error| Unreachable(format!("no port for the inbox: {error}")))?;
    let destinations = Destinations::PublicAnd(inbox.origin().to_owned());
    let (profile, seed) = (header.profile.clone(), header.seed);
    let builder = match defect {
        None => Mock::builder().webhooks(destinations).seed(seed).profile(profile),
        Some(defect) => Mock::builder().face(Box::new(defect.service(profile, seed, destinations))),
    };
    let mock = builder
        .start_at(header.start)
        .resolver(NoNames)
        // Time is the steps' own here, and the same seed gives the same bytes.
        .signing(SigningTime::Virtual)
        .start()
        .await
        .map_err(|error| Unreachable(error.to_string()))?;
    let target = Http::new(mock.url(), mock.api_key())?.with_inbox(inbox);
    Ok((mock, target))
}
