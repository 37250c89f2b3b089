//! A read returns the same report as the upload (`4.import.1`).

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use tideover_exchange::{Exchange, Prepared};
use tideover_model::{OperationKind, PlatformId, clause};

use crate::checks::{Check, Notes, is_reset};

/// The report of each import, by platform and path.
#[derive(Default)]
pub(super) struct IdenticalReport {
    uploaded: BTreeMap<(Option<PlatformId>, String), Arc<Value>>,
}

impl Check for IdenticalReport {
    fn miss(&mut self, _sent: &Prepared) {
        // The missed request may be an upload that went further.
        self.uploaded.clear();
    }

    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        // A lost upload may go further at any time.
        if is_reset(exchange) || exchange.unsettled {
            self.uploaded.clear();
        }
        let Some(call) = exchange.call() else { return };
        let import = || (exchange.platform, call.path.clone());
        if let Some(report) = exchange.success_of(OperationKind::ImportInvoices) {
            self.uploaded.insert(import(), Arc::clone(report));
        } else if let Some(report) = exchange.success_of(OperationKind::GetImport)
            && let Some(uploaded) = self.uploaded.get(&import())
        {
            let evidence = || (uploaded.to_string(), report.to_string());
            let is_same = documented(uploaded) == documented(report);
            notes.expect(exchange, clause!("4.import.1"), is_same, "body", evidence);
        }
    }
}

/// The members of a report that the document has: those that it names, and the further object where only one can be it.
/// What a service adds may differ each time, such as the number of a request, also where it adds the same to the objects
/// within.
fn documented(report: &Value) -> BTreeMap<&str, Value> {
    let is_named = |name: &str| {
        let fields = OperationKind::GetImport.reply_fields();
        fields.iter().any(|field| field.name == name && field.is_documented())
    };
    let members = report.as_object().into_iter().flatten();
    let (mut named, added): (BTreeMap<&str, &Value>, BTreeMap<&str, &Value>) =
        members.map(|(name, value)| (name.as_str(), value)).partition(|(name, _)| is_named(name));
    let mut objects = added.iter().filter(|(_, value)| value.is_object());
    if let (Some((name, value)), None) = (objects.next(), objects.next()) {
        named.insert(name, value);
    }
    named.into_iter().map(|(name, value)| (name, without(value, &added))).collect()
}

/// A value without the members that are `added` everywhere.
fn without(value: &Value, added: &BTreeMap<&str, &Value>) -> Value {
    match value {
        Value::Object(members) => {
            let kept = members.iter().filter(|(name, _)| !added.contains_key(name.as_str()));
            kept.map(|(name, value)| (name.clone(), without(value, added))).collect()
        }
        Value::Array(items) => items.iter().map(|item| without(item, added)).collect(),
        other => other.clone(),
    }
}
