//! Whether an import that was interrupted goes on when its file comes again (`4.imports.7`).

use std::collections::BTreeMap;
use std::mem::take;

use serde_json::Value;
use tideover_exchange::Exchange;
use tideover_exchange::evidence::finding::Finding;
use tideover_model::wire::field::{self, Fields};
use tideover_model::{ActionKind, OperationKind, clause};

/// How many uploads must leave an import as it was, and none may take it further, before that is a finding: an import may
/// be interrupted at any time, and once more, but not each time.
const STUCK: u64 = 3;

/// What became of imports whose file came again. A read afterwards shows it.
#[derive(Clone, Debug, Default)]
pub(super) struct Resumptions {
    /// The unfinished imports of this case, by key and path: their file, and the rows of their report.
    unfinished: BTreeMap<(Option<String>, String), Unfinished>,
    /// Whether the operator port interrupts the next import.
    is_interrupted: bool,
    went_on: u64,
    stayed: u64,
}

#[derive(Clone, Debug)]
struct Unfinished {
    file: Vec<u8>,
    rows: Vec<Value>,
    /// Whether the file came again and took it no further.
    came_again: bool,
}

impl Resumptions {
    pub(super) fn observe(&mut self, exchange: &Exchange<'_>) {
        self.is_interrupted |= exchange.acts() == Some(ActionKind::InterruptNextImport);
        let Some(call) = exchange.call() else { return };
        let import = || (exchange.sent.authorization.clone(), call.path.clone());
        if let Some(report) = exchange.success_of(OperationKind::ImportInvoices) {
            let import = import();
            let was_interrupted = take(&mut self.is_interrupted);
            let before = self.unfinished.remove(&import).filter(|_| !was_interrupted);
            let before = before.filter(|before| before.file == **call.body());
            let went_on = before.as_ref().is_some_and(|before| before.goes_on_in(report));
            self.went_on += u64::from(went_on);
            if let Some(now) = Unfinished::of(call.body(), report) {
                let came_again = before.is_some() && !went_on;
                self.unfinished.insert(import, Unfinished { came_again, ..now });
            }
        } else if let Some(report) = exchange.success_of(OperationKind::GetImport)
            && let Some(before) = self.unfinished.get_mut(&import())
        {
            // It may go on in the background.
            let went_on = before.goes_on_in(report);
            self.went_on += u64::from(went_on);
            self.stayed += u64::from(take(&mut before.came_again) && !went_on);
        }
    }

    /// Learns of a request without a response, which may have been an upload.
    pub(super) fn miss(&mut self) {
        self.unfinished.clear();
    }

    /// Ends a case.
    pub(super) fn conclude(&mut self) {
        self.unfinished.clear();
        self.is_interrupted = false;
    }

    pub(super) fn add(&mut self, other: &Resumptions) {
        self.went_on += other.went_on;
        self.stayed += other.stayed;
    }

    /// That no import ever goes on.
    pub(super) fn finding(&self) -> Option<(Finding, u64)> {
        let times = self.stayed;
        (times >= STUCK && self.went_on == 0).then(|| {
            let expected = "a report with further rows";
            let seen = format!("as before, each of {times} times that its file came again");
            let operation = OperationKind::ImportInvoices.to_string();
            let clause = clause!("4.imports.7");
            (Finding::new(clause, operation, field::FINISHED, expected, seen), times)
        })
    }
}

impl Unfinished {
    /// The import of a file, if its report says that it is unfinished.
    fn of(file: &[u8], report: &Value) -> Option<Unfinished> {
        let report = Fields::of(report);
        let rows = report.rows().map(<[Value]>::to_vec).unwrap_or_default();
        let is_unfinished = report.finished() == Some(false);
        is_unfinished.then(|| Unfinished { file: file.to_vec(), rows, came_again: false })
    }

    /// Whether a later report shows more of it.
    fn goes_on_in(&self, report: &Value) -> bool {
        let report = Fields::of(report);
        report.finished() != Some(false) || report.rows().is_some_and(|rows| rows != self.rows)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tideover_exchange::step::{Action, Call, Step};
    use tideover_exchange::{Memory, Prepared, Response, start};

    use super::*;
    use crate::generate::requests as make;

    /// An upload or a read of its report, which lists so many rows.
    type Seen = (OperationKind, usize, bool);

    const INTERRUPTED: Seen = (OperationKind::ImportInvoices, 1, false);
    const READ: Seen = (OperationKind::GetImport, 1, false);

    fn found(before: &[Step], each: &[Seen]) -> bool {
        let mut resumptions = Resumptions::default();
        let mut see = |step: &Step, body: Value| {
            let sent = Prepared::from_step(step, &Memory::default(), "key");
            let seen = Response::new(200, body.to_string().as_bytes());
            resumptions.observe(&Exchange::alone(&sent, &seen, start()));
        };
        let report = |rows, finished| {
            let rows = vec![json!({ "outcome": "created" }); rows];
            json!({ "externalId": "m", "rowCount": 3, "finished": finished, "rows": rows })
        };
        see(&make::import("m", String::from("the file")), report(1, false));
        for _ in 0..STUCK {
            before.iter().for_each(|step| see(step, json!({})));
            for (kind, rows, finished) in each {
                let call = match kind {
                    OperationKind::ImportInvoices => make::import("m", String::from("the file")),
                    kind => Step::new(Action::Call(Call::at(*kind, &["m"]))),
                };
                see(&call, report(*rows, *finished));
            }
        }
        resumptions.finding().is_some()
    }

    #[test]
    fn an_import_that_never_goes_on_is_found() {
        assert!(found(&[], &[INTERRUPTED, READ]));
        assert!(!found(&[], &[INTERRUPTED]), "no read shows it");
        let done = (OperationKind::ImportInvoices, 3, true);
        assert!(!found(&[], &[INTERRUPTED, READ, done]), "it goes on, if late");
        let later = (OperationKind::GetImport, 2, false);
        assert!(!found(&[], &[INTERRUPTED, later]), "it goes on in the background");
        let interrupt = make::act(ActionKind::InterruptNextImport, json!({ "afterRows": 0 }));
        assert!(!found(&[interrupt], &[INTERRUPTED, READ]), "it is interrupted again");
    }
}
