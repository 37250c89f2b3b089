//! A refusal that is another one, or none: each code of the error table, at each endpoint that can return it.

use serde_json::json;
use tideover_model::clause::Kind;
use tideover_model::exchange::respond;
use tideover_model::{Clause, Code, OperationKind, Refusal, Status, clause};

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
            matches!(other, Other::Status(status) if is_assumed || (is_same && *status == 400))
        };
        OTHERS.into_iter().filter(move |it| !is_open(it)).map(move |other| shape(code, other))
    });
    let ladders = OperationKind::ALL.into_iter().flat_map(|kind| {
        let codes = kind.endpoint().codes;
        codes.iter().flat_map(move |code| {
            let others =
                codes.iter().filter(move |other| *other != code && !also_holds(*code, **other));
            let confused = others.map(move |other| confused(kind, *code, *other));
            confused.chain([accepted(kind, *code)])
        })
    });
    shapes.chain(ladders).collect()
}

/// Whether the condition of `other` holds wherever that of `code` does.
fn also_holds(code: Code, other: Code) -> bool {
    // The invoice of an unknown payee is not known either.
    code == Code::BusinessNotFound && other == Code::InvoiceNotFound
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
    Mutation::new(Operator::Code, clause, words, move || {
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
                    Other::UnlistedCode => {
                        let body = json!({ "error": "No.", "code": "conflict_detected" });
                        response.body = body.to_string().into_bytes();
                    }
                    Other::Crash => {
                        response.status = 500;
                        let body = json!({ "error": "Something failed.", "code": "internal" });
                        response.body = body.to_string().into_bytes();
                    }
                    Other::Upstream => {
                        response.status = 502;
                        let body = json!({ "error": "It failed.", "code": "upstream_failed" });
                        response.body = body.to_string().into_bytes();
                    }
                    Other::WithoutCode => {
                        response.body = json!({ "error": "No." }).to_string().into_bytes();
                    }
                    Other::NotJson => response.body = b"<h1>Error</h1>".to_vec(),
                }
            }
            response
        }))
    })
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

fn confused(kind: OperationKind, code: Code, other: Code) -> Mutation {
    let words = format!("{kind:?} answers {other} in place of {code}");
    Mutation::new(Operator::Code, clause!("7.shape.code"), words, move || {
        answer(keep(move |inner: &mut crate::Inner<'_>, operation: tideover_model::Operation| {
            let is_it = operation.kind() == kind;
            match inner.answer(operation) {
                Err(refusal) if is_it && refusal.code == code => {
                    Err(Refusal::new(other, refusal.clause))
                }
                answer => answer,
            }
        }))
    })
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
