//! Where webhooks may go: only to public https URLs (§6 subscription rules 1 and 2).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use serde::{Deserialize, Serialize};
use url::{Host, Url};

/// Where webhooks may go.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Destinations {
    /// Only to public https URLs, as the document says.
    #[default]
    Public,
    /// Also to this machine, and there over plain http: for local work.
    Local,
    /// Also over plain http and to any address: for receivers in containers and private networks.
    Anywhere,
    /// To public https URLs and to this origin: the inbox of a contract run, such as
    /// `http://127.0.0.1:4567`.
    PublicAnd(String),
}

/// The reason to refuse a destination.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// It isn't a URL.
    #[error("the destination is not an absolute URL")]
    NotAUrl,
    /// Its host stands where the scheme belongs: `localhost:8000/hooks`.
    #[error("the destination has no scheme such as https:// in front of its host")]
    NoScheme,
    /// Not https.
    #[error("the destination must be an https URL, not {0}{hint}", hint = hint(.0 == "http"))]
    Scheme(String),
    /// It contains a user or a password.
    #[error("the destination must not carry credentials")]
    Credentials,
    /// Nothing can listen there.
    #[error("the destination has no port that could be connected to")]
    Port,
    /// Its host is no name that anything can have: a part of it is empty or too long.
    #[error(
        "the destination has no host name that could resolve: a part of it is empty or too long"
    )]
    HostName,
    /// Its host is this machine.
    #[error("the destination {0} names this machine{hint}", hint = hint(true))]
    Local(String),
    /// Its host is an address that is not public, or a name of one.
    #[error(
        "the destination leads to {0}, which is not public but {1}{hint}",
        hint = network_hint(.1)
    )]
    Address(IpAddr, &'static str),
}

const LOOPBACK: &str = "loopback";
const PRIVATE: &str = "private";

/// The option that permits local work, if that helps.
fn hint(helps: bool) -> &'static str {
    if helps { "; for local work start the mock with --webhooks local" } else { "" }
}

/// The option that permits an address of this kind, if one does.
fn network_hint(kind: &str) -> &'static str {
    match kind {
        LOOPBACK => hint(true),
        PRIVATE => "; for containers and private networks start the mock with --webhooks anywhere",
        _ => "",
    }
}

impl Destinations {
    /// The URL, normalised and without its fragment, if webhooks may go there. For a host name, webhooks must
    /// be allowed to go to each of the `addresses` that it resolves to.
    ///
    /// # Errors
    /// The first thing that is wrong: the scheme, credentials, the port, the host name, the host, an address.
    ///
    /// ```
    /// use tideover_model::Destinations;
    ///
    /// let public = [[203, 0, 114, 7].into()];
    /// let private = [[10, 0, 0, 7].into()];
    /// assert!(Destinations::Public.judge("https://hooks.acme.example/a", &public).is_ok());
    /// assert!(Destinations::Public.judge("https://hooks.acme.example/a", &private).is_err());
    /// assert!(Destinations::Public.judge("http://hooks.acme.example/a", &public).is_err());
    /// ```
    pub fn judge(&self, text: &str, addresses: &[IpAddr]) -> Result<Url, Unfit> {
        let mut url = Url::parse(text).map_err(|_| Unfit::NotAUrl)?;
        url.set_fragment(None);
        let is_inbox = matches!(self, Destinations::PublicAnd(inbox)
            if *inbox == url.origin().ascii_serialization());
        let anywhere = *self == Destinations::Anywhere;
        let local = anywhere || *self == Destinations::Local;
        let may_be_plain = anywhere || is_inbox || local && is_this_machine(&url);
        if url.scheme() != "https" && !(url.scheme() == "http" && may_be_plain) {
            let is_port =
                url.cannot_be_a_base() && url.path().starts_with(|it: char| it.is_ascii_digit());
            return Err(if is_port {
                Unfit::NoScheme
            } else {
                Unfit::Scheme(url.scheme().to_owned())
            });
        }
        if !is_strict(text, url.scheme()) {
            return Err(Unfit::NotAUrl);
        }
        if has_credentials(text) {
            return Err(Unfit::Credentials);
        }
        if url.port() == Some(0) {
            return Err(Unfit::Port);
        }
        let judge = |address: IpAddr| {
            if is_inbox || anywhere || local && unwrapped(address).is_loopback() {
                Ok(())
            } else {
                judge_address(address)
            }
        };
        match url.host() {
            None => Err(Unfit::NotAUrl),
            Some(Host::Domain(name)) if !is_host_name(name) => Err(Unfit::HostName),
            Some(Host::Domain(name)) if is_local_name(name) && !local && !is_inbox => {
                Err(Unfit::Local(name.to_owned()))
            }
            Some(Host::Domain(_)) => addresses.iter().copied().try_for_each(judge),
            Some(Host::Ipv4(address)) => judge(address.into()),
            Some(Host::Ipv6(address)) => judge(address.into()),
        }?;
        Ok(url)
    }
}

/// Whether a URL leads to this machine, by address or by name.
fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => is_local_name(name),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => unwrapped(address.into()).is_loopback(),
        None => false,
    }
}

/// Whether the URL needs no leniency. The parser trims, accepts backslashes as slashes, and corrects the
/// number of slashes.
fn is_strict(text: &str, scheme: &str) -> bool {
    let start = format!("{scheme}://");
    text.get(..start.len()).is_some_and(|begun| begun.eq_ignore_ascii_case(&start))
        && !text[start.len()..].starts_with('/')
        && !text.contains(|character: char| character == '\\' || character.is_whitespace())
}

/// Whether the URL has a user or a password before the host, even an empty one.
fn has_credentials(text: &str) -> bool {
    let after_scheme = text.split_once("://").map_or("", |(_, rest)| rest);
    let authority = after_scheme.split(['/', '?', '#']).next().unwrap_or_default();
    authority.contains('@')
}

/// Whether a name can be one of a host: no part of it is empty, and none is too long (RFC 1035, 2.3.4). A dot at its
/// end is its root.
fn is_host_name(name: &str) -> bool {
    const LONGEST_PART: usize = 63;
    const LONGEST: usize = 253;
    let name = name.strip_suffix('.').unwrap_or(name);
    name.len() <= LONGEST && name.split('.').all(|part| (1..=LONGEST_PART).contains(&part.len()))
}

/// Whether a host name means this machine (RFC 6761).
pub fn is_local_name(name: &str) -> bool {
    let name = name.trim_end_matches('.');
    name == "localhost" || name.ends_with(".localhost")
}

/// Whether an address is on the public internet, in any notation.
pub fn is_public(address: IpAddr) -> bool {
    judge_address(address).is_ok()
}

fn judge_address(address: IpAddr) -> Result<(), Unfit> {
    let kind = match unwrapped(address) {
        IpAddr::V4(v4) => special_v4(v4),
        IpAddr::V6(v6) => special_v6(v6),
    };
    kind.map_or(Ok(()), |kind| Err(Unfit::Address(address, kind)))
}

/// The address that finally receives the packets.
fn unwrapped(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(v6) => embedded_v4(v6).map_or(address, IpAddr::V4),
    }
}

/// The address blocks that are not part of the public internet.
fn special_v4(address: Ipv4Addr) -> Option<&'static str> {
    let [a, b, c, _] = address.octets();
    match (a, b, c) {
        (0, ..) => Some("this-network"),
        (10, ..) | (172, 16..=31, _) | (192, 168, _) => Some(PRIVATE),
        (100, 64..=127, _) => Some("shared"),
        (127, ..) => Some(LOOPBACK),
        (169, 254, _) => Some("link-local"),
        (192, 0, 0) => Some("protocol"),
        (192, 0, 2) | (198, 51, 100) | (203, 0, 113) => Some("documentation"),
        (192, 88, 99) => Some("relay"),
        (198, 18..=19, _) => Some("benchmarking"),
        (224..=239, ..) => Some("multicast"),
        (240..=255, ..) => Some("reserved"),
        _ => None,
    }
}

fn special_v6(address: Ipv6Addr) -> Option<&'static str> {
    let [first, second, ..] = address.segments();
    match (first, second) {
        _ if address.is_unspecified() => Some("unspecified"),
        _ if address.is_loopback() => Some(LOOPBACK),
        (0xfc00..=0xfdff, _) => Some("unique-local"),
        (0xfe80..=0xfebf, _) => Some("link-local"),
        (0xfec0..=0xfeff, _) => Some("site-local"),
        (0xff00..=0xffff, _) => Some("multicast"),
        (0x2001, 0x0db8) | (0x3fff, 0..=0x0fff) => Some("documentation"),
        (0x2001, 0..=0x01ff) => Some("protocol"),
        (0x2000..=0x3fff, _) => None,
        _ => Some("reserved"),
    }
}

/// The IPv4 address inside a mapped, compatible, translated, 6to4 or ISATAP one.
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let [a, b, c, d, e, f, g, h] = address.segments();
    let v4 = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        Ipv4Addr::new(a, b, c, d)
    };
    match [a, b, c, d, e, f] {
        [0, 0, 0, 0, 0, 0xffff] | [0x64, 0xff9b, 0, 0, 0, 0] | [0, 0, 0, 0, 0xffff, 0] => {
            Some(v4(g, h))
        }
        [0, 0, 0, 0, 0, 0] if g != 0 => Some(v4(g, h)),
        [0x2002, high, low, ..] => Some(v4(high, low)),
        // The interface identifier counts only if the prefix has no special meaning.
        [.., 0 | 0x0200, 0x5efe] if special_v6(address).is_none() => Some(v4(g, h)),
        _ => None,
    }
}
