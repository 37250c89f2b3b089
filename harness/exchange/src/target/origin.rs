//! Where a URL leads.

use url::{Host, Url};

pub fn origin(url: &str) -> String {
    Url::parse(url).map_or_else(|_| url.to_owned(), |url| url.origin().ascii_serialization())
}

/// The path of a URL as it is written, with its query; `None` if it has no scheme.
pub fn path_of(url: &str) -> Option<&str> {
    let (_, after_scheme) = url.split_once("://")?;
    Some(after_scheme.find('/').map_or("/", |start| &after_scheme[start..]))
}

/// Whether a URL names this machine by a loopback address or a `localhost` name.
pub fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.to_canonical().is_loopback(),
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        None => false,
    }
}
