//! Who may be sent webhooks: public https URLs alone (§6 subscription rules 1 and 2).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

/// Why a destination is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// It is no URL.
    #[error("the destination is not an absolute URL")]
    NotAUrl,
    /// Not https.
    #[error("the destination must be an https URL, not {0}")]
    Scheme(String),
    /// A user or a password stands in it.
    #[error("the destination must not carry credentials")]
    Credentials,
    /// Its host is this machine.
    #[error("the destination {0} names this machine")]
    Local(String),
    /// Its host is an address that is not public.
    #[error("the destination {0} is a {1} address, not a public one")]
    Address(IpAddr, &'static str),
}

/// The URL, normalised and without its fragment, which is never sent, if webhooks may be sent there. A host name is not resolved here.
///
/// # Errors
/// The first thing that is wrong, from the scheme to the host.
pub fn judge(text: &str) -> Result<Url, Unfit> {
    let mut url = Url::parse(text).map_err(|_| Unfit::NotAUrl)?;
    url.set_fragment(None);
    if url.scheme() != "https" {
        return Err(Unfit::Scheme(url.scheme().to_owned()));
    }
    // The parser is lenient: it trims, takes back slashes for slashes, and supplies missing ones.
    let strict = text.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("https://"));
    if !strict || text.contains(|character: char| character == '\\' || character.is_whitespace()) {
        return Err(Unfit::NotAUrl);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Unfit::Credentials);
    }
    match url.host() {
        None => Err(Unfit::NotAUrl),
        Some(Host::Domain(name)) if is_local_name(name) => Err(Unfit::Local(name.to_owned())),
        Some(Host::Domain(_)) => Ok(()),
        Some(Host::Ipv4(address)) => judge_address(address.into()),
        Some(Host::Ipv6(address)) => judge_address(address.into()),
    }?;
    Ok(url)
}

fn is_local_name(name: &str) -> bool {
    let name = name.trim_end_matches('.');
    name == "localhost" || name.ends_with(".localhost")
}

/// Whether an address is public.
///
/// # Errors
/// [`Unfit::Address`] with the kind of address it is.
pub fn judge_address(address: IpAddr) -> Result<(), Unfit> {
    let kind = match address {
        IpAddr::V4(v4) => special_v4(v4),
        IpAddr::V6(v6) => match embedded_v4(v6) {
            Some(v4) => special_v4(v4),
            None => special_v6(v6),
        },
    };
    kind.map_or(Ok(()), |kind| Err(Unfit::Address(address, kind)))
}

/// The address blocks that are not the public internet's.
fn special_v4(address: Ipv4Addr) -> Option<&'static str> {
    let [a, b, c, _] = address.octets();
    match (a, b, c) {
        (0, ..) => Some("this-network"),
        (10, ..) | (172, 16..=31, _) | (192, 168, _) => Some("private"),
        (100, 64..=127, _) => Some("shared"),
        (127, ..) => Some("loopback"),
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
        _ if address.is_loopback() => Some("loopback"),
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

/// The IPv4 address inside a mapped, compatible, translated, 6to4 one.
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
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_https_urls_are_fit() {
        for url in [
            "https://example.com/hooks",
            "https://example.com:8443/hooks?x=1",
            "https://8.8.8.8/",
            "https://[2606:4700::1111]/",
            "https://no-such-host.invalid/",
        ] {
            assert!(judge(url).is_ok(), "{url}");
        }
    }

    #[test]
    fn everything_else_is_not() {
        for url in [
            "",
            "hooks",
            "/hooks",
            "http://example.com/",
            "ftp://example.com/",
            "https://",
            "https://user@example.com/",
            "https://user:pass@example.com/",
            "https://localhost/",
            "https://LOCALHOST./",
            "https://a.localhost/",
            "https://127.0.0.1/",
            "https://127.1/",
            "https://2130706433/",
            "https://0x7f.1/",
            "https://0177.0.0.1/",
            "https://0.0.0.0/",
            "https://10.1.2.3/",
            "https://172.16.0.1/",
            "https://172.31.255.255/",
            "https://192.168.1.1/",
            "https://169.254.169.254/",
            "https://100.64.0.1/",
            "https://192.0.2.1/",
            " https://example.com/",
            "https:example.com",
            "https://example.com\\@127.0.0.1/",
            "https://198.18.0.1/",
            "https://224.0.0.1/",
            "https://255.255.255.255/",
            "https://[::1]/",
            "https://[::]/",
            "https://[fe80::1]/",
            "https://[fc00::1]/",
            "https://[fd12::1]/",
            "https://[ff02::1]/",
            "https://[2001:db8::1]/",
            "https://[::ffff:127.0.0.1]/",
            "https://[::ffff:10.0.0.1]/",
            "https://[64:ff9b::7f00:1]/",
            "https://[2002:7f00:1::]/",
            "https://[::7f00:1]/",
        ] {
            assert!(judge(url).is_err(), "{url}");
        }
    }

    #[test]
    fn an_address_is_judged_by_what_it_embeds() {
        assert!(judge("https://[::ffff:8.8.8.8]/").is_ok());
        assert!(judge("https://172.32.0.1/").is_ok());
    }
}
