//! Why a request got no response, in words.

use std::error::Error;
use std::io;

use hyper::StatusCode;
use tideover_exchange::target::{Silence, Unanswered};
use tokio_rustls::rustls::{self, AlertDescription};

/// How rustls' message of an alert begins.
const ALERT: &str = "received fatal alert: ";

/// The alerts of a server that asks for a client certificate.
const CERTIFICATE_WANTED: [AlertDescription; 2] =
    [AlertDescription::CertificateRequired, AlertDescription::HandshakeFailure];

pub(super) fn in_words(error: &hyper::Error) -> String {
    if error.is_parse() || error.is_parse_too_large() || error.is_parse_status() {
        format!("the answer is not HTTP: {}", causes(error))
    } else if error.is_incomplete_message() || error.is_canceled() || error.is_closed() {
        "the connection was closed before an answer came".to_owned()
    } else {
        causes(error)
    }
}

/// The connection ended within the response.
pub(super) fn interrupted(status: StatusCode, why: &str) -> Unanswered {
    let status = status.as_u16();
    Unanswered::may_be(format!(
        "the connection ended in the middle of an answer of {status}: {why}"
    ))
    .of(Silence::NoAnswer)
}

pub(super) fn no_connection(error: &(dyn Error + 'static)) -> Silence {
    let is_refused = |error: &(dyn Error + 'static)| {
        let error = error.downcast_ref::<io::Error>();
        error.is_some_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
    };
    if chain(error).any(is_refused) { Silence::Refused } else { Silence::Unreachable }
}

/// Why TLS failed, and which option may help.
pub(super) fn tls_in_words(error: &(dyn Error + 'static)) -> String {
    let why = chain(error).find_map(tls_failure).unwrap_or_else(|| causes(error));
    let is_untrusted = |error| matches!(of_tls(error), Some(rustls::Error::InvalidCertificate(_)));
    let hint = if chain(error).any(is_untrusted) {
        " (--ca FILE trusts a private authority)"
    } else if CERTIFICATE_WANTED.iter().any(|alert| why == format!("{ALERT}{alert:?}")) {
        " (it may ask for a certificate: --client-cert FILE)"
    } else {
        ""
    };
    format!("no TLS with it: {why}{hint}")
}

pub(super) fn is_of_tls(error: &(dyn Error + 'static)) -> bool {
    chain(error).any(|error| tls_failure(error).is_some())
}

/// An error and its sources.
pub(super) fn chain<'a>(
    error: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| (*error).source())
}

/// An error with its sources, in words.
pub(super) fn causes(error: &(dyn Error + 'static)) -> String {
    let mut parts: Vec<String> = chain(error).map(ToString::to_string).collect();
    parts.dedup();
    parts.join(": ")
}

/// The message of an error of TLS. Over HTTP/2 an alert keeps only its words, not its type.
fn tls_failure(error: &(dyn Error + 'static)) -> Option<String> {
    let is_alert = |text: &String| error.is::<io::Error>() && text.starts_with(ALERT);
    match of_tls(error) {
        Some(error) => Some(error.to_string()),
        None => Some(error.to_string()).filter(is_alert),
    }
}

fn of_tls<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    // `io::Error::source` skips the error that it wraps, which may be another I/O error.
    match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(inner) => of_tls(inner),
        None => error.downcast_ref(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alert_is_known_by_its_words_as_well() {
        for alert in CERTIFICATE_WANTED {
            let error = rustls::Error::AlertReceived(alert);
            let words = io::Error::new(io::ErrorKind::InvalidData, error.to_string());
            let whole = io::Error::new(io::ErrorKind::InvalidData, error);
            assert!(is_of_tls(&words) && is_of_tls(&whole));
            assert_eq!(tls_in_words(&words), tls_in_words(&whole));
            assert!(tls_in_words(&words).ends_with("--client-cert FILE)"));
        }
        assert!(!is_of_tls(&io::Error::other("refused")));
    }

    #[test]
    fn an_error_of_tls_may_be_wrapped_twice() {
        let untrusted = rustls::Error::InvalidCertificate(rustls::CertificateError::UnknownIssuer);
        let wrapped = io::Error::other(io::Error::new(io::ErrorKind::InvalidData, untrusted));
        assert!(is_of_tls(&wrapped) && tls_in_words(&wrapped).contains("--ca FILE"));
    }
}
