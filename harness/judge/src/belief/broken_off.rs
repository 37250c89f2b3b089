//! Imports that broke off where nobody asked for it: which of their rows were done is unknown until a response shows it
//! (`4.imports.7`).

use std::collections::{BTreeMap, BTreeSet};

use tideover_exchange::Prepared;
use tideover_model::{OperationKind, PlatformId};

use crate::belief::hypothesis::Subject;

/// An invoice by its payee, or a business without an invoice.
type Named = (PlatformId, String, Option<String>);

/// What the rows of such imports name, as far as no response has shown what became of it, by the paths of the imports.
#[derive(Clone, Debug, Default)]
pub(super) struct BrokenOff {
    imports: BTreeMap<(PlatformId, String), BTreeSet<Named>>,
    /// The platforms whose next import the operator port interrupts.
    interrupts: BTreeSet<PlatformId>,
    /// The imports that it has interrupted. Others may go on after they have failed.
    interrupted: BTreeSet<(PlatformId, String)>,
}

impl BrokenOff {
    /// Learns that the operator port interrupts the next import of a platform.
    pub(super) fn interrupt(&mut self, platform: PlatformId) {
        self.interrupts.insert(platform);
    }

    /// Learns of an import that failed or got no response.
    pub(super) fn miss(&mut self, sent: &Prepared, platform: PlatformId) {
        let Some(path) = import_of(sent) else { return };
        let import = (platform, path);
        if self.interrupts.remove(&platform) {
            self.interrupted.insert(import.clone());
        }
        self.imports.entry(import).or_default().extend(named_by(sent, platform));
    }

    /// Learns that a report of an import is as expected: of an upload, or of one that has come to its end.
    pub(super) fn report(&mut self, sent: &Prepared, is_finished: bool, platform: PlatformId) {
        let Some(path) = import_of(sent) else { return };
        let (import, uploads) =
            ((platform, path), sent.kind() == Some(OperationKind::ImportInvoices));
        if uploads {
            self.interrupts.remove(&platform);
        }
        if !uploads && !is_finished && !self.interrupted.contains(&import) {
            return;
        }
        self.interrupted.remove(&import);
        let own = self.imports.remove(&import).into_iter().flatten();
        let shown: Vec<Named> = own.chain(named_by(sent, platform)).collect();
        for named in self.imports.values_mut() {
            named.retain(|one| !shown.contains(one));
        }
    }

    /// Whether a response may show either that a row was done, or that it was not.
    pub(super) fn may_lack(&self, sent: &Prepared, subject: &Subject) -> bool {
        let import = import_of(sent).map(|path| (subject.platform, path));
        import.is_some_and(|import| self.imports.contains_key(&import))
            || key_of(subject).is_some_and(|key| self.imports.values().any(|it| it.contains(&key)))
    }

    /// Learns that a response has shown this.
    pub(super) fn see(&mut self, subject: &Subject) {
        if let Some(key) = key_of(subject) {
            self.imports.values_mut().for_each(|named| named.retain(|one| *one != key));
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

fn key_of(subject: &Subject) -> Option<Named> {
    Some((subject.platform, subject.payee.clone()?, subject.invoice.clone()))
}

/// The invoices of a file, and their parties.
fn named_by(sent: &Prepared, platform: PlatformId) -> impl Iterator<Item = Named> {
    let imports = sent.kind() == Some(OperationKind::ImportInvoices);
    let operation = sent.call().and_then(|call| call.operation()).filter(|_| imports);
    let syncs = operation.into_iter().flat_map(|operation| operation.syncs());
    syncs.flat_map(move |sync| {
        let [payee, payor] = [&sync.payee, &sync.payor].map(|party| party.business.clone());
        let invoice = Some(sync.invoice.clone());
        [(platform, payee.clone(), invoice), (platform, payee, None), (platform, payor, None)]
    })
}
