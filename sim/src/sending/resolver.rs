//! Resolution of host names.

use std::future::Future;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::pin::Pin;

use tideover_model::is_local_name;
use tokio::net::lookup_host;

/// The addresses of a host name, or why there are none.
pub type Resolution<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// Resolves host names, at a subscription and again at each attempt.
pub trait Resolver: Send + Sync + 'static {
    /// The addresses of `host`.
    fn resolve<'a>(&'a self, host: &'a str) -> Resolution<'a>;
}

/// The names of this machine and its network. `localhost` and the names below it are always this machine, and
/// `invalid` and the names below it are nowhere (RFC 6761), even where the system does not say so, or takes
/// seconds to.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

impl Resolver for SystemResolver {
    fn resolve<'a>(&'a self, host: &'a str) -> Resolution<'a> {
        Box::pin(async move {
            if is_local_name(host) {
                return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
            }
            if is_nowhere(host) {
                return Err(nowhere());
            }
            let addresses = lookup_host((host, 0)).await?;
            Ok(addresses.map(|address| address.ip()).collect())
        })
    }
}

/// Whether a name is `invalid` or below it: no resolver needs to be asked (RFC 6761, section 6.4).
fn is_nowhere(host: &str) -> bool {
    let name = host.strip_suffix('.').unwrap_or(host);
    let last = name.rsplit('.').next().unwrap_or_default();
    last.eq_ignore_ascii_case("invalid")
}

fn nowhere() -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, "no name resolves below .invalid")
}

/// Resolves no name, for a run that must not depend on a network.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoNames;

impl Resolver for NoNames {
    fn resolve<'a>(&'a self, _host: &'a str) -> Resolution<'a> {
        Box::pin(async { Err(io::Error::new(io::ErrorKind::NotFound, "no name resolves here")) })
    }
}
