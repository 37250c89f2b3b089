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
    name == LOCAL_NAME || name.ends_with(".localhost")
}

/// The name that every system resolves to itself. That the names below it resolve so too, RFC 6761 only recommends.
const LOCAL_NAME: &str = "localhost";

/// Whether an address is on the public internet, in any notation.
pub fn is_public(address: IpAddr) -> bool {
    judge_address(address).is_ok()
}

/// Whether the document leaves it open that webhooks go to a URL which we refuse for its host. It names private,
/// loopback and link-local addresses alone. Whether an unusual notation is an address, or a name below `localhost`
/// resolves, depends on who resolves it.
///
/// ```
/// use tideover_model::destination::is_left_open;
///
/// assert!(!is_left_open("https://10.0.0.7/hooks"));
/// assert!(is_left_open("https://192.0.2.7/hooks"));
/// assert!(is_left_open("https://0xa000007/hooks"));
/// ```
pub fn is_left_open(text: &str) -> bool {
    let host = host_as_written(text);
    match Destinations::Public.judge(text, &[]) {
        Err(Unfit::Local(_)) => !host.eq_ignore_ascii_case(LOCAL_NAME),
        Err(Unfit::Address(..)) => {
            let written = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
            let named =
                |address: IpAddr| Block::of(address.to_canonical()).is_some_and(|it| it.is_named);
            !written.is_ok_and(named)
        }
        _ => false,
    }
}

/// The host of a URL without credentials, as it is written.
fn host_as_written(text: &str) -> &str {
    let after_scheme = text.split_once("://").map_or("", |(_, rest)| rest);
    let authority = after_scheme.split(['/', '?', '#']).next().unwrap_or_default();
    match authority.find(']') {
        Some(end) => &authority[..=end],
        None => authority.split(':').next().unwrap_or_default(),
    }
}

fn judge_address(address: IpAddr) -> Result<(), Unfit> {
    match Block::of(unwrapped(address)) {
        Some(block) => Err(Unfit::Address(address, block.what)),
        None => Ok(()),
    }
}

/// The address that finally receives the packets.
fn unwrapped(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(v6) => embedded_v4(v6).map_or(address, IpAddr::V4),
    }
}

/// A block of addresses that is not part of the public internet.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// The first of its addresses.
    pub first: IpAddr,
    /// The last of them, of the same version.
    pub last: IpAddr,
    /// What its addresses are.
    pub what: &'static str,
    /// Whether the document says that such a destination is refused (§6 Subscription 2).
    pub is_named: bool,
}

impl Block {
    const fn v4([a, b, c]: [u8; 3], length: u32, what: &'static str) -> Block {
        let first = u32::from_be_bytes([a, b, c, 0]);
        let last = first | (u32::MAX >> length);
        let [first, last] = [Ipv4Addr::from_bits(first), Ipv4Addr::from_bits(last)];
        Block { first: IpAddr::V4(first), last: IpAddr::V4(last), what, is_named: false }
    }

    /// `start` are the first 32 bits of its addresses, of which `length` tell them.
    const fn v6(start: u32, length: u32, what: &'static str) -> Block {
        let first = (start as u128) << 96;
        let last = first | (u128::MAX >> length);
        Block::of_v6(first, last, what)
    }

    const fn of_v6(first: u128, last: u128, what: &'static str) -> Block {
        let [first, last] = [Ipv6Addr::from_bits(first), Ipv6Addr::from_bits(last)];
        Block { first: IpAddr::V6(first), last: IpAddr::V6(last), what, is_named: false }
    }

    /// The same block, where the document names it.
    const fn named(self) -> Block {
        Block { is_named: true, ..self }
    }

    /// The first of the [`BLOCKS`] that an address is in.
    pub fn of(address: IpAddr) -> Option<&'static Block> {
        BLOCKS.iter().find(|block| (block.first..=block.last).contains(&address))
    }
}

/// Every block that is not public: those of the registries of special purposes, and what is not given out. Where two
/// overlap, the first counts.
pub static BLOCKS: [Block; 27] = [
    Block::v4([0, 0, 0], 8, "this-network"),
    Block::v4([10, 0, 0], 8, PRIVATE).named(),
    Block::v4([100, 64, 0], 10, "shared"),
    Block::v4([127, 0, 0], 8, LOOPBACK).named(),
    Block::v4([169, 254, 0], 16, "link-local").named(),
    Block::v4([172, 16, 0], 12, PRIVATE).named(),
    Block::v4([192, 0, 0], 24, "protocol"),
    Block::v4([192, 0, 2], 24, "documentation"),
    Block::v4([192, 88, 99], 24, "relay"),
    Block::v4([192, 168, 0], 16, PRIVATE).named(),
    Block::v4([198, 18, 0], 15, "benchmarking"),
    Block::v4([198, 51, 100], 24, "documentation"),
    Block::v4([203, 0, 113], 24, "documentation"),
    Block::v4([224, 0, 0], 4, "multicast"),
    Block::v4([240, 0, 0], 4, "reserved"),
    Block::of_v6(0, 0, "unspecified"),
    Block::of_v6(1, 1, LOOPBACK).named(),
    Block::v6(0xfc00_0000, 7, "unique-local").named(),
    Block::v6(0xfe80_0000, 10, "link-local").named(),
    Block::v6(0xfec0_0000, 10, "site-local"),
    Block::v6(0xff00_0000, 8, "multicast"),
    Block::v6(0x2001_0db8, 32, "documentation"),
    Block::v6(0x3fff_0000, 20, "documentation"),
    Block::v6(0x2001_0000, 23, "protocol"),
    // Of IPv6 only 2000::/3 is given out.
    Block::v6(0x0000_0000, 3, "reserved"),
    Block::v6(0x4000_0000, 2, "reserved"),
    Block::v6(0x8000_0000, 1, "reserved"),
];

/// A form of IPv6 addresses that stand for one of IPv4.
#[derive(Clone, Copy, Debug)]
pub struct Embedding {
    /// What such addresses are.
    pub what: &'static str,
    /// The bits that all of them have in common.
    mask: u128,
    /// What these bits are.
    bits: u128,
    /// The number of bits after the IPv4 address.
    after: u32,
    /// Whether its form is one of the lower half alone. It counts only if the upper half has no special meaning.
    is_of_lower_half: bool,
}

impl Embedding {
    const fn of(what: &'static str, mask: u128, bits: u128, after: u32) -> Embedding {
        Embedding { what, mask, bits, after, is_of_lower_half: false }
    }

    /// The IPv4 address within `address`, if it has this form.
    pub fn within(&self, address: Ipv6Addr) -> Option<Ipv4Addr> {
        let bits = address.to_bits();
        let has_form = bits & self.mask == self.bits
            // The first of them have other meanings: unspecified, loopback.
            && bits > u128::from(u16::MAX)
            && !(self.is_of_lower_half && Block::of(address.into()).is_some());
        let [.., a, b, c, d] = (bits >> self.after).to_be_bytes();
        has_form.then(|| Ipv4Addr::new(a, b, c, d))
    }

    /// An address of this form, with the bits of `rest` where the form leaves them open.
    pub fn around(&self, address: Ipv4Addr, rest: Ipv6Addr) -> Ipv6Addr {
        let within = u128::from(u32::MAX) << self.after;
        let open = rest.to_bits() & !self.mask & !within;
        Ipv6Addr::from_bits(self.bits | u128::from(address.to_bits()) << self.after | open)
    }
}

/// All bits but the last 32.
const ALL_BUT_32: u128 = !(u32::MAX as u128);

/// Every form of embedded addresses.
pub static EMBEDDINGS: [Embedding; 6] = [
    Embedding::of("mapped", ALL_BUT_32, 0xffff << 32, 0),
    Embedding::of("translated", ALL_BUT_32, 0x0064_ff9b << 96, 0),
    Embedding::of("translated by a host", ALL_BUT_32, 0xffff << 48, 0),
    Embedding::of("compatible", ALL_BUT_32, 0, 0),
    Embedding::of("6to4", 0xffff << 112, 0x2002 << 112, 80),
    Embedding {
        is_of_lower_half: true,
        // One bit tells whether the address within is unique.
        ..Embedding::of("ISATAP", 0xfdff_ffff << 32, 0x5efe << 32, 0)
    },
];

/// The IPv4 address inside a mapped, compatible, translated, 6to4 or ISATAP one.
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    EMBEDDINGS.iter().find_map(|embedding| embedding.within(address))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The address `by` places after another one of the same version.
    fn beside(address: IpAddr, by: i8) -> Option<IpAddr> {
        match address {
            IpAddr::V4(v4) => {
                let bits = v4.to_bits().checked_add_signed(by.into())?;
                Some(Ipv4Addr::from_bits(bits).into())
            }
            IpAddr::V6(v6) => {
                let bits = v6.to_bits().checked_add_signed(by.into())?;
                Some(Ipv6Addr::from_bits(bits).into())
            }
        }
    }

    #[test]
    fn a_block_ends_where_the_public_or_another_one_begins() {
        for block in &BLOCKS {
            assert!(!is_public(block.first) && !is_public(block.last), "{block:?}");
            let outside = [beside(block.first, -1), beside(block.last, 1)];
            for neighbour in outside.into_iter().flatten() {
                let other = Block::of(neighbour);
                assert!(other.is_none_or(|other| other.first != block.first), "{neighbour}");
            }
        }
        let public =
            ["9.255.255.255", "11.0.0.0", "172.32.0.0", "126.255.255.255", "169.253.255.255"];
        assert!(public.iter().all(|address| is_public(address.parse().unwrap())));
    }

    #[test]
    fn what_is_embedded_is_found_again() {
        let inner = Ipv4Addr::new(172, 16, 254, 7);
        for embedding in &EMBEDDINGS {
            let around = embedding.around(inner, "2600:1234:5678:9abc:de00::1".parse().unwrap());
            assert_eq!(embedded_v4(around), Some(inner), "{embedding:?}");
            assert!(!is_public(around.into()), "{embedding:?}");
        }
        assert_eq!(embedded_v4("2600::1".parse().unwrap()), None);
    }
}
