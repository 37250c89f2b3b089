//! Imports (§4 `GET` and `PUT /v1/invoices/imports/{externalId}`).

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::choices::Choices;
use crate::clause;
use crate::face::Answer;
use crate::happening::Outcome;
use crate::identity::PlatformId;
use crate::operation::{BadRow, ImportFile, ImportRow};
use crate::refusal::{Code, Refusal};
use crate::sealed::ImpossibleState;
use crate::service::Service;
use crate::timestamp::Timestamp;
use crate::wire::reply::{ImportReport, ImportSummary, Reply, RowReport};
use crate::words::RowOutcome;

/// An import, whole or interrupted.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Import {
    #[serde(with = "crate::hex")]
    digest: [u8; 32],
    row_count: usize,
    /// The rows done so far, in the file's order: a resumed import skips them.
    done: Vec<RowReport>,
}

impl Import {
    /// Whether it has done no more rows than its file has.
    pub(super) fn check(&self) -> Result<(), ImpossibleState> {
        let (done, row_count) = (self.done.len(), self.row_count);
        if done <= row_count {
            return Ok(());
        }
        Err(ImpossibleState::new(format!("an import has done {done} of {row_count} rows")))
    }

    fn report(&self, external_id: &str) -> ImportReport {
        let count = |outcome| self.done.iter().filter(|row| row.outcome == outcome).count();
        ImportReport {
            external_id: external_id.to_owned(),
            row_count: self.row_count,
            finished: self.done.len() == self.row_count,
            summary: ImportSummary {
                created: count(RowOutcome::Created),
                updated: count(RowOutcome::Updated),
                status_only: count(RowOutcome::StatusOnly),
                rejected: count(RowOutcome::Rejected),
            },
            rows: self.done.clone(),
        }
    }
}

impl<C: Choices> Service<C> {
    /// `GET /v1/invoices/imports/{externalId}`: the imported rows (`4.import.2`), or a refusal
    /// (`4.import.3`).
    pub(super) fn get_import(&self, caller: PlatformId, external_id: &str) -> Answer {
        let import = self.imports.get(&(caller, external_id.to_owned())).ok_or_else(|| {
            Refusal::new(Code::ImportNotFound, clause!("7.codes.import_not_found"))
        })?;
        Ok(Reply::Import(import.report(external_id)))
    }

    /// `PUT /v1/invoices/imports/{externalId}`: the path has the upload's identifier (`4.imports.intro.2`).
    pub(super) fn import_invoices(
        &mut self,
        now: Timestamp,
        caller: PlatformId,
        external_id: String,
        file: ImportFile,
    ) -> Answer {
        let key = (caller, external_id);
        let digest = self.digest_of(&file);
        // §4 imports rule 8.
        if self.imports.get(&key).is_some_and(|import| import.digest != digest) {
            return Err(Refusal::new(Code::AlreadyImported, clause!("4.imports.8")));
        }
        let row_count = file.rows.len();
        let mut import = self.imports.remove(&key).unwrap_or_else(|| {
            Import { digest, row_count, done: Vec::with_capacity(row_count) }.into()
        });
        // §4 imports rule 7: skip the rows that are done (`4.imports.7`, `4.imports.7.2`).
        let done = import.done.len();
        if done < row_count {
            let interruption = self.platform_mut(caller).interrupt_import_after.take();
            let rows = file.rows.into_iter().enumerate().skip(done);
            for (index, row) in rows.take(interruption.unwrap_or(usize::MAX)) {
                let report = self.import_row(now, caller, index + 1, row);
                import.done.push(report);
            }
        }
        let report = import.report(&key.1);
        self.imports.insert(key, import);
        Ok(Reply::Imported(report))
    }

    /// What two files have in common that are the same (`gap.sameFile`).
    fn digest_of(&self, file: &ImportFile) -> [u8; 32] {
        match self.profile.readings.same_bytes {
            true => file.digest,
            false => Sha256::digest(format!("{:?}", file.rows)).into(),
        }
    }

    /// A row does exactly what a single sync does (`4.imports.2`); a bad row is reported and changes nothing
    /// (`4.imports.6`).
    fn import_row(
        &mut self,
        now: Timestamp,
        caller: PlatformId,
        row: usize,
        ImportRow { invoice, payee, sync }: ImportRow,
    ) -> RowReport {
        let (outcome, code, error) = match sync {
            Ok(sync) => (self.apply_sync(now, caller, sync).0.into(), None, None),
            Err(BadRow(why)) => (RowOutcome::Rejected, Some(Code::InvalidRequest), Some(why)),
        };
        RowReport { row, external_id: invoice, payee_external_id: payee, outcome, code, error }
    }

    /// Makes the platform's next import stop early.
    pub(super) fn interrupt_next_import(
        &mut self,
        platform: PlatformId,
        after_rows: usize,
    ) -> Outcome {
        self.platform_mut(platform).interrupt_import_after = Some(after_rows);
        Outcome::Applied
    }
}
