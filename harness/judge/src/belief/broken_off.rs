//! Imports that broke off where nobody asked for it: which of their rows were done is unknown until a response shows it
//! (`4.imports.7`).

use std::collections::BTreeSet;

use tideover_exchange::Prepared;
use tideover_model::{OperationKind, PlatformId};

use crate::belief::hypothesis::Subject;

/// What the rows of such imports name, as far as no response has shown what became of it.
#[derive(Clone, Debug, Default)]
pub(super) struct BrokenOff {
    /// Invoices by their payees, and businesses without an invoice.
    named: BTreeSet<(PlatformId, String, Option<String>)>,
    /// The imports themselves, by their paths.
    imports: BTreeSet<(PlatformId, String)>,
}

impl BrokenOff {
    /// Learns of an import that failed or got no response.
    pub(super) fn miss(&mut self, sent: &Prepared, platform: PlatformId) {
        self.named.extend(named_by(sent, platform));
        self.imports.extend(import_of(sent).map(|path| (platform, path)));
    }

    /// Learns that an import has come to its end.
    pub(super) fn finish(&mut self, sent: &Prepared, platform: PlatformId) {
        for named in named_by(sent, platform) {
            self.named.remove(&named);
        }
        if let Some(path) = import_of(sent) {
            self.imports.remove(&(platform, path));
        }
    }

    /// Whether a response may show either that a row was done, or that it was not.
    pub(super) fn may_lack(&self, sent: &Prepared, subject: &Subject) -> bool {
        let import = import_of(sent).map(|path| (subject.platform, path));
        import.is_some_and(|import| self.imports.contains(&import))
            || key_of(subject).is_some_and(|key| self.named.contains(&key))
    }

    /// Learns that a response has shown this.
    pub(super) fn see(&mut self, subject: &Subject) {
        if let Some(key) = key_of(subject) {
            self.named.remove(&key);
        }
    }
}

/// The path of an upload, or of the read of its report.
fn import_of(sent: &Prepared) -> Option<String> {
    let is_of_one = |kind: &OperationKind| {
        matches!(kind, OperationKind::ImportInvoices | OperationKind::GetImport)
    };
    sent.kind().filter(is_of_one)?;
    sent.call().map(|call| call.path.clone())
}

fn key_of(subject: &Subject) -> Option<(PlatformId, String, Option<String>)> {
    Some((subject.platform, subject.payee.clone()?, subject.invoice.clone()))
}

/// The invoices of a file, and their parties.
fn named_by(
    sent: &Prepared,
    platform: PlatformId,
) -> impl Iterator<Item = (PlatformId, String, Option<String>)> {
    let imports = sent.kind() == Some(OperationKind::ImportInvoices);
    let operation = sent.call().and_then(|call| call.operation()).filter(|_| imports);
    let syncs = operation.into_iter().flat_map(|operation| operation.syncs());
    syncs.flat_map(move |sync| {
        let [payee, payor] = [&sync.payee, &sync.payor].map(|party| party.business.clone());
        let invoice = Some(sync.invoice.clone());
        [(platform, payee.clone(), invoice), (platform, payee, None), (platform, payor, None)]
    })
}
