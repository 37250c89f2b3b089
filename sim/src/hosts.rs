//! The host names by which the operator port answers.

use axum::http::header::HOST;
use axum::http::request::Parts;
use axum::http::uri::Authority;
use tideover_model::is_local_name;
use url::Host;

use crate::cors::Origins;

/// Host names by which the operator port answers, beside addresses, `localhost` and names without a dot. A page whose
/// own name a hostile name server points at the mock has none of these.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hosts(Vec<String>);

/// A text is no host name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no host name; expected one such as mock.example, without a scheme and a port")]
pub struct NoHost(String);

impl Hosts {
    /// The host names in `texts`.
    ///
    /// # Errors
    /// [`NoHost`]: the first text that is none.
    ///
    /// ```
    /// use tideover_sim::Hosts;
    ///
    /// assert!(Hosts::parse(&["mock.example", "host.docker.internal"]).is_ok());
    /// assert!(Hosts::parse(&["http://mock.example"]).is_err());
    /// ```
    pub fn parse<T: AsRef<str>>(texts: &[T]) -> Result<Hosts, NoHost> {
        let host = |text: &T| {
            let text = text.as_ref();
            let is_whole = |it: &Authority| it.host() == text && !text.starts_with('[');
            let is_host = text.parse::<Authority>().is_ok_and(|it| is_whole(&it));
            is_host.then(|| name(text).to_owned()).ok_or_else(|| NoHost(text.to_owned()))
        };
        texts.iter().map(host).collect::<Result<_, _>>().map(Hosts)
    }

    /// The first host of a request by which the operator port does not answer, with its port. A request without a host
    /// comes from no browser.
    pub(crate) fn foreign(&self, head: &Parts, allowed: Option<&Origins>) -> Option<String> {
        let named = head.headers.get_all(HOST).iter();
        let named = named.map(|host| String::from_utf8_lossy(host.as_bytes()).into_owned());
        let target = head.uri.authority().map(ToString::to_string);
        let foreign = |host: &String| {
            let is_own = host_of(host).is_some_and(|it| self.answer(name(&it), allowed));
            !host.is_empty() && !is_own
        };
        named.chain(target).find(foreign)
    }

    fn answer(&self, name: &str, allowed: Option<&Origins>) -> bool {
        let is_address = || matches!(Host::parse(name), Ok(Host::Ipv4(_) | Host::Ipv6(_)));
        !name.contains('.')
            || is_local_name(&name.to_ascii_lowercase())
            || is_address()
            || self.0.iter().any(|own| own.eq_ignore_ascii_case(name))
            || allowed.is_some_and(|origins| origins.name(name))
    }
}

/// The host in a host with an optional port, if a text is no more than that.
fn host_of(text: &str) -> Option<String> {
    let authority = text.parse::<Authority>().ok()?;
    let (host, port) = (authority.host(), authority.port());
    let port = port.map_or_else(String::new, |port| format!(":{port}"));
    (format!("{host}{port}") == text).then(|| host.to_owned())
}

/// A name without the dot of its root.
fn name(host: &str) -> &str {
    host.strip_suffix('.').unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    fn foreign(hosts: &Hosts, host: &str, allowed: Option<&Origins>) -> bool {
        let request = Request::get("/_sim/clock").header(HOST, host).body(()).unwrap();
        hosts.foreign(&request.into_parts().0, allowed).is_some()
    }

    #[test]
    fn only_own_names_are_answered() {
        let own = Hosts::parse(&["mock.example."]).unwrap();
        let origins =
            Origins::parse(&["https://app.example:8443", "http://[2001:db8::1]"]).unwrap();
        for host in [
            "127.0.0.1:4010",
            "127.1",
            "10.0.0.7",
            "[::1]:4010",
            "[2001:db8::7]",
            "localhost",
            "LOCALHOST:80",
            "localhost.",
            "a.localhost:4010",
            "mock",
            "mock_api:4010",
            "mock.example",
            "Mock.Example.:4010",
            "app.example:1",
        ] {
            assert!(!foreign(&own, host, Some(&origins)), "{host}");
        }
        for host in [
            "attacker.example",
            "attacker.example:4010",
            "127.0.0.1.attacker.example",
            "mock.example.evil",
            "amock.example",
            "localhost.evil",
            "a@b.example",
            "1.2.3.4.5",
            "a b",
            "\"",
            "[::1].evil.example",
        ] {
            assert!(foreign(&own, host, Some(&origins)), "{host}");
        }
        assert!(foreign(&Hosts::default(), "mock.example", None));
        assert!(!foreign(&Hosts::default(), "any.example", Some(&Origins::any())));
    }

    #[test]
    fn the_target_of_a_request_counts_too() {
        let request = Request::get("http://attacker.example/_sim/clock").header(HOST, "localhost");
        let head = request.body(()).unwrap().into_parts().0;
        assert_eq!(Hosts::default().foreign(&head, None).as_deref(), Some("attacker.example"));
        let head = Request::get("/_sim/clock").body(()).unwrap().into_parts().0;
        assert_eq!(Hosts::default().foreign(&head, None), None);
    }

    #[test]
    fn a_host_name_is_no_url() {
        for text in ["", "a:80", "http://a", "a/b", "a b", "[::1]", "a@b"] {
            let refused = Hosts::parse(&["a", text]).unwrap_err();
            assert!(refused.to_string().contains("mock.example"), "{text}");
        }
    }
}
