//! A refusal that is another one, or none: each code of the error table, at each endpoint that can return it.

use serde_json::json;
use tideover_model::clause::Kind;
use tideover_model::exchange::respond;
use tideover_model::{Clause, Code, OperationKind, Refusal, Status, clause};

use crate::Hooks;
use crate::generated::{Mutation, Operator, keep};
use crate::hooks::{answer, encoding};

/// What a client gets in place of a failure.
#[derive(Clone, Copy, Debug)]
enum Other {
    Status(u16),
    Listed(Code),
    UnlistedCode,
    Crash,
    Upstream,
    WithoutCode,
    NotJson,
}

const OTHERS: [Other; 7] = [
    Other::Status(400),
    Other::Status(418),
    Other::UnlistedCode,
    Other::Crash,
    Other::Upstream,
    Other::WithoutCode,
    Other::NotJson,
];

pub(super) fn mutations() -> Vec<Mutation> {
    let shapes = Code::ALL.into_iter().flat_map(|code| {
        let is_open = move |other: &Other| {
            let is_assumed = matches!(code.status(), Status::Assumed(_));
            let is_same = code.status() == Status::Documented(400);
            match other {
                Other::Status(status) => is_assumed || (is_same && *status == 400),
                Other::Upstream => code == Code::UpstreamFailed,
                _ => false,
            }
        };
        OTHERS.into_iter().filter(move |it| !is_open(it)).map(move |other| shape(code, other))
    });
    let of_endpoints = OperationKind::ALL.into_iter().flat_map(|kind| {
        codes(kind).into_iter().flat_map(move |code| {
            let others =
                Code::ALL.into_iter().filter(move |other| !may_replace(kind, code, *other));
            let confused = others.map(move |other| replaced(kind, code, Other::Listed(other)));
            let unlisted = [Other::UnlistedCode, Other::Crash, Other::Upstream];
            let unlisted = unlisted.into_iter().filter(move |other| match other {
                Other::Upstream => code != Code::UpstreamFailed,
                Other::UnlistedCode => is_stated(kind, code),
                _ => true,
            });
            let unlisted = unlisted.map(move |other| replaced(kind, code, other));
            let accepted = is_decided(kind, code).then(|| accepted(kind, code));
            confused.chain(unlisted).chain(accepted)
        })
    });
    shapes.chain(of_endpoints).collect()
}

/// The codes that requests for an endpoint can meet.
fn codes(kind: OperationKind) -> Vec<Code> {
    let of_any = Code::OF_ANY_OPERATION.into_iter().filter(|code| match code {
        Code::InvalidRequest => !kind.fields().is_empty(),
        Code::UnreadableRequest => kind.endpoint().has_body() && !kind.fields().is_empty(),
        // A body that is not read has no limit.
        Code::PayloadTooLarge => kind.endpoint().has_body(),
        _ => true,
    });
    kind.codes().iter().copied().chain(of_any).collect()
}

/// Whether a sentence says that this endpoint, or any, answers with the code. Where none does, new codes may be added
/// (`7.shape.3`), and an endpoint may have one of its own.
fn is_stated(kind: OperationKind, code: Code) -> bool {
    let body = kind.endpoint().body.name();
    let mut dots = body.match_indices('.').map(|(place, _)| place);
    let part = dots.nth(1).map_or(body, |end| &body[..=end]);
    let mut of_endpoint = Clause::all().filter(|clause| clause.name().starts_with(part));
    code == Code::Unauthorized || of_endpoint.any(|clause| code.is_named_by(clause))
}

/// Whether the service decides on the code once the request is read.
fn is_decided(kind: OperationKind, code: Code) -> bool {
    let is_of_file =
        matches!(code, Code::UnsupportedMediaType | Code::UnreadableFile | Code::TooManyRows);
    kind.codes().contains(&code) && !is_of_file
}

/// Whether the condition of `other` may hold wherever that of `code` does, so that a right service may give it: which of
/// several comes first is open (`gap.refusalPrecedence`).
fn may_replace(kind: OperationKind, code: Code, other: Code) -> bool {
    match (code, other) {
        _ if code == other => true,
        // Always another failure: it is one of the unlisted ones.
        (_, Code::UpstreamFailed) => true,
        // The size of a body that is too large is not shown.
        (_, Code::PayloadTooLarge) => kind.endpoint().has_body(),
        // The invoice of an unknown payee is not known either.
        (Code::BusinessNotFound, Code::InvoiceNotFound) => true,
        // The published form of what has a code of its own is not shown.
        (code, Code::InvalidRequest) => code.is_of_form() || code == Code::DestinationRefused,
        // Nothing is sent to a URL that is none.
        (Code::InvalidRequest, Code::DestinationRefused) => kind == OperationKind::Subscribe,
        // A file under another media type is not what it claims to be, and one that cannot be read is neither.
        (Code::UnsupportedMediaType | Code::UnreadableFile, Code::UnreadableRequest) => true,
        // What else makes an invoice not financeable is not shown, nor is the limit.
        (Code::ConcentrationExceeded, Code::InvoiceNotFinanceable) => true,
        _ => false,
    }
}

/// Each code whose status the document states, with a status that no code has; and in place of each that a sentence asks
/// for, a code whose condition every caller can exclude.
pub(super) fn of_codes() -> impl Iterator<Item = Mutation> {
    let is_stated = |code: &Code| matches!(code.status(), Status::Documented(_));
    let of_rows = Code::ALL
        .into_iter()
        .filter(is_stated)
        .map(|code| Mutation { clause: code.clause(), ..shape(code, Other::Status(418)) });
    let documented = Clause::all().filter(|clause| clause.kind() == Kind::Documented);
    let of_sentences = documented.filter_map(|clause| {
        let code = Code::named_alone_by(clause)?;
        let other = match code {
            Code::InvalidRequest => Code::UnreadableRequest,
            _ => Code::InvalidRequest,
        };
        Some(Mutation { clause, ..shape(code, Other::Listed(other)) })
    });
    of_rows.chain(of_sentences)
}

fn shape(code: Code, other: Other) -> Mutation {
    let words = format!("{code} is answered with {}", other.words());
    let clause = match other {
        Other::Status(_) => clause!("7.shape.1"),
        _ => clause!("7.shape.code"),
    };
    Mutation::new(Operator::Code, clause, words, move || written(code, other))
}

/// The same at one endpoint alone.
fn replaced(kind: OperationKind, code: Code, other: Other) -> Mutation {
    let words = match other {
        Other::Listed(other) => format!("{kind:?} answers {other} in place of {code}"),
        other => format!("{kind:?} answers with {} in place of {code}", other.words()),
    };
    Mutation::new(Operator::Code, clause!("7.shape.code"), words, move || {
        written(code, other).and_endpoint(kind)
    })
}

/// Writes `other` in place of `code`.
fn written(code: Code, other: Other) -> Hooks {
    encoding(keep(move |profile: &_, answer: &tideover_model::Answer| {
        let mut response = respond(profile, answer);
        if let Err(refusal) = answer
            && refusal.code == code
        {
            match other {
                Other::Listed(other) => {
                    response = respond(profile, &Err(Refusal::new(other, refusal.clause)));
                }
                Other::Status(status) => response.status = status,
                Other::UnlistedCode => response.body = failure("conflict_detected"),
                Other::Crash => {
                    response.status = 500;
                    response.body = failure("internal");
                }
                Other::Upstream => {
                    response.status = 502;
                    response.body = failure("upstream_failed");
                }
                Other::WithoutCode => {
                    response.body = json!({ "error": "No." }).to_string().into_bytes();
                }
                Other::NotJson => response.body = b"<h1>Error</h1>".to_vec(),
            }
        }
        response
    }))
}

fn failure(code: &str) -> Vec<u8> {
    json!({ "error": "It failed.", "code": code }).to_string().into_bytes()
}

impl Other {
    fn words(self) -> String {
        match self {
            Other::Status(status) => format!("status {status}"),
            Other::Listed(code) => code.to_string(),
            Other::UnlistedCode => "an unlisted code".to_owned(),
            Other::Crash => "status 500".to_owned(),
            Other::Upstream => "upstream_failed".to_owned(),
            Other::WithoutCode => "no code".to_owned(),
            Other::NotJson => "a page".to_owned(),
        }
    }
}

fn accepted(kind: OperationKind, code: Code) -> Mutation {
    let words = format!("{kind:?} answers with its last success in place of {code}");
    Mutation::new(Operator::Code, clause!("7.shape.code"), words, move || {
        answer(keep(move |inner: &mut crate::Inner<'_>, operation: tideover_model::Operation| {
            let is_it = operation.kind() == kind;
            let answer = inner.answer(operation);
            match &answer {
                Ok(reply) if is_it => inner.memory.keep("last".to_owned(), reply.clone()),
                Err(refusal) if is_it && refusal.code == code => {
                    if let Some(last) = inner.memory.kept("last") {
                        return Ok(last.clone());
                    }
                }
                _ => {}
            }
            answer
        }))
    })
}
