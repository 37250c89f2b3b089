//! The media types of files, and whether a service takes them (`7.codes.unsupported_media_type`).

use std::collections::{BTreeMap, BTreeSet};

use tideover_exchange::Exchange;
use tideover_exchange::evidence::finding::Finding;
use tideover_model::{Code, OperationKind};

/// How often files of a type that is taken must be refused for their type before that is a finding.
const OFTEN: u64 = 3;

/// Which media types were taken, and which were refused where another code was due.
///
/// The document does not show the type of a file (`gap.csvForm`), so that a service may take none of ours. But one that
/// takes a type does not refuse it for its type.
#[derive(Clone, Debug, Default)]
pub struct MediaTypes {
    taken: BTreeSet<String>,
    refused: BTreeMap<(String, Code), u64>,
}

impl MediaTypes {
    /// Counts a response. `due` is the code with which the request had to be refused.
    pub(crate) fn record(&mut self, exchange: &Exchange<'_>, due: Option<Code>) {
        let file =
            exchange.call().filter(|_| exchange.kind() == Some(OperationKind::ImportInvoices));
        let Some(media_type) = file.and_then(|call| call.content_type.clone()) else { return };
        if exchange.seen.is_success() {
            self.taken.insert(media_type);
        } else if let Some(due) = due.filter(|due| !is_about_content(*due))
            && is_refused_for_its_type(exchange)
        {
            *self.refused.entry((media_type, due)).or_default() += 1;
        }
    }

    pub fn add(&mut self, other: &MediaTypes) {
        self.taken.extend(other.taken.iter().cloned());
        for (refused, times) in &other.refused {
            *self.refused.entry(refused.clone()).or_default() += times;
        }
    }

    /// The types that were taken and refused.
    pub(crate) fn findings(&self) -> Vec<(Finding, u64)> {
        let refused = self.refused.iter();
        let refused =
            refused.filter(|((of, _), times)| **times >= OFTEN && self.taken.contains(of));
        let finding = |((media_type, due), times): (&(String, Code), &u64)| {
            let unsupported = Code::UnsupportedMediaType.name();
            let seen =
                format!("{unsupported} each of {times} times, for {media_type}, which it takes");
            let operation = OperationKind::ImportInvoices.to_string();
            (Finding::new(due.clause(), operation, "code", due.name(), seen), *times)
        };
        refused.map(finding).collect()
    }
}

/// Whether a file was refused for its media type.
pub(super) fn is_refused_for_its_type(exchange: &Exchange<'_>) -> bool {
    exchange.kind() == Some(OperationKind::ImportInvoices)
        && exchange.seen.code() == Some(Code::UnsupportedMediaType.name())
}

/// Whether a file with this condition may be of another type than it claims.
fn is_about_content(code: Code) -> bool {
    matches!(
        code,
        Code::InvalidRequest
            | Code::UnreadableRequest
            | Code::UnreadableFile
            | Code::UnsupportedMediaType
    )
}
