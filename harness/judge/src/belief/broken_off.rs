//! Imports that broke off: which of their rows were done is unknown until a response shows it (`4.imports.7`).

use std::collections::{BTreeMap, BTreeSet};

use tideover_exchange::{Prepared, Response};
use tideover_model::wire::field::Fields;
use tideover_model::{OperationKind, PlatformId};

use crate::belief::hypothesis::Subject;

/// An invoice by its payee, or a business without an invoice.
type Named = (PlatformId, String, Option<String>);

/// An import that broke off.
#[derive(Clone, Debug, Default)]
struct Import {
    /// What its rows name, as far as no response has shown what became of it.
    named: BTreeSet<Named>,
    /// Whether the operator port interrupted it. Another one may go on after it has failed.
    is_interrupted: bool,
}

/// The imports that broke off, by their paths.
#[derive(Clone, Debug, Default)]
pub(super) struct BrokenOff {
    imports: BTreeMap<(PlatformId, String), Import>,
    /// The platforms whose next import the operator port interrupts.
    interrupts: BTreeSet<PlatformId>,
}

impl BrokenOff {
    /// Learns that the operator port interrupts the next import of a platform.
    pub(super) fn interrupt(&mut self, platform: PlatformId) {
        self.interrupts.insert(platform);
    }

    /// Learns of an import that failed or got no response.
    pub(super) fn miss(&mut self, sent: &Prepared, platform: PlatformId) {
        let Some(path) = import_of(sent) else { return };
        let import = self.imports.entry((platform, path)).or_default();
        import.is_interrupted |= self.interrupts.remove(&platform);
        import.named.extend(named_by(sent, platform));
    }

    /// Learns that a report is as expected: of an upload, of an import that was interrupted, or of one at its end.
    pub(super) fn report(&mut self, sent: &Prepared, seen: &Response, platform: PlatformId) {
        let Some(path) = import_of(sent) else { return };
        let uploads = sent.kind() == Some(OperationKind::ImportInvoices);
        if uploads {
            self.interrupts.remove(&platform);
        }
        let import = (platform, path);
        let finished = || seen.success_body().and_then(|body| Fields::of(body).finished());
        let is_interrupted = || self.imports.get(&import).is_some_and(|it| it.is_interrupted);
        if !uploads && !is_interrupted() && finished() != Some(true) {
            return;
        }
        let mut shown = self.imports.remove(&import).unwrap_or_default().named;
        shown.extend(named_by(sent, platform));
        for import in self.imports.values_mut() {
            import.named.retain(|one| !shown.contains(one));
        }
    }

    /// Whether a response may show either that a row was done, or that it was not.
    pub(super) fn may_lack(&self, sent: &Prepared, subject: &Subject) -> bool {
        let import = import_of(sent).map(|path| (subject.platform, path));
        import.is_some_and(|import| self.imports.contains_key(&import))
            || key_of(subject)
                .is_some_and(|key| self.imports.values().any(|it| it.named.contains(&key)))
    }

    /// Learns that a response has shown this.
    pub(super) fn see(&mut self, subject: &Subject) {
        if let Some(key) = key_of(subject) {
            for import in self.imports.values_mut() {
                import.named.remove(&key);
            }
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
