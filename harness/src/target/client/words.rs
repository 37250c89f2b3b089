//! Why a request was not answered, in words.

use std::error::Error;
use std::io;

use hyper::StatusCode;
use tokio_rustls::rustls::{self, AlertDescription};

use crate::target::Unanswered;

/// What hyper tells.
pub(super) fn in_words(error: &hyper::Error) -> String {
    if error.is_parse() || error.is_parse_too_large() || error.is_parse_status() {
        format!("the answer is not HTTP: {}", causes(error))
    } else if error.is_incomplete_message() || error.is_canceled() || error.is_closed() {
        "the connection was closed before an answer came".to_owned()
    } else {
        causes(error)
    }
}

/// An answer of which a part came.
pub(super) fn interrupted(status: StatusCode, why: &str) -> Unanswered {
    let status = status.as_u16();
    Unanswered::may_be(format!(
        "the connection ended in the middle of an answer of {status}: {why}"
    ))
}

/// Why there is no TLS, and what may help.
pub(super) fn tls_in_words(error: &(dyn Error + 'static)) -> String {
    use AlertDescription::{CertificateRequired, HandshakeFailure};
    let found = chain(error).find_map(of_tls);
    let hint = match found {
        Some(rustls::Error::InvalidCertificate(_)) => " (--ca FILE trusts a private authority)",
        Some(rustls::Error::AlertReceived(CertificateRequired | HandshakeFailure)) => {
            " (it may ask for a certificate: --client-cert FILE)"
        }
        _ => "",
    };
    let why = found.map_or_else(|| causes(error), ToString::to_string);
    format!("no TLS with it: {why}{hint}")
}

/// Whether TLS is what failed.
pub(super) fn is_of_tls(error: &(dyn Error + 'static)) -> bool {
    chain(error).any(|error| of_tls(error).is_some())
}

/// An error, and one after the other what caused it.
pub(super) fn chain<'a>(
    error: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| (*error).source())
}

/// An error with what caused it.
pub(super) fn causes(error: &(dyn Error + 'static)) -> String {
    let mut parts: Vec<String> = chain(error).map(ToString::to_string).collect();
    parts.dedup();
    parts.join(": ")
}

fn of_tls<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    // An error of input and output does not tell as its cause what it stands for.
    let inner = error.downcast_ref::<io::Error>().and_then(|error| error.get_ref());
    match inner {
        Some(inner) => inner.downcast_ref(),
        None => error.downcast_ref(),
    }
}
