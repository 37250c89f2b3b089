//! The embedded target: a mock in this process, talked to over HTTP.

use tideover_model::Destinations;
use tideover_sim::{Mock, NoNames};

use crate::inbox;
use crate::target::{Http, Unreachable};
use crate::transcript::Header;

/// A mock in the world of `header`, on a free port, and the target that talks to it.
///
/// # Errors
/// [`Unreachable`] if no port can be listened on.
pub async fn embedded(header: &Header) -> Result<(Mock, Http), Unreachable> {
    let inbox = inbox::Server::start()
        .await
        .map_err(|error| Unreachable(format!("no port for the inbox: {error}")))?;
    let mock = Mock::builder()
        .webhooks(Destinations::PublicAnd(inbox.origin().to_owned()))
        .seed(header.seed)
        .profile(header.profile.clone())
        .start_at(header.start)
        .resolver(NoNames)
        .start()
        .await
        .map_err(|error| Unreachable(error.to_string()))?;
    let target = Http::new(mock.url(), mock.api_key())?.with_inbox(inbox);
    Ok((mock, target))
}
