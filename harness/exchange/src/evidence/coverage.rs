//! Which interesting states a run has reached, by its responses.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::repeat;

use serde_json::Value;
use tideover_model::wire::field::{self, Fields};
use tideover_model::{ActionKind, Code, Operation, OperationKind, PlatformId};

use crate::evidence::matrix::{Matrix, advance_state};
use crate::{Exchange, PreparedCall};

#[derive(Clone, Debug, Default)]
pub struct Coverage {
    operations: BTreeMap<OperationKind, u64>,
    /// By group, and by the place of the name among the group's.
    counts: [Vec<u64>; Group::ALL.len()],
    interrupted: BTreeSet<String>,
    /// The platforms that have synced each tax id, for businesses that are shared.
    tax_ids: BTreeMap<String, BTreeSet<Option<PlatformId>>>,
    matrix: Matrix,
}

/// What kind of state it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    Operation,
    Code,
    /// How far an advance was.
    Advance,
    /// How much of an invoice was collected.
    Collection,
    /// What a sync did.
    Sync,
    /// What became of a row, and of a file.
    Import,
    /// How compliance was cleared.
    Compliance,
    /// What became of a tax id.
    TaxId,
    /// What else is interesting.
    Situation,
}

impl Group {
    pub const ALL: [Group; 9] = [
        Group::Operation,
        Group::Code,
        Group::Advance,
        Group::Collection,
        Group::Sync,
        Group::Import,
        Group::Compliance,
        Group::TaxId,
        Group::Situation,
    ];

    pub fn title(self) -> &'static str {
        match self {
            Group::Operation => "operations",
            Group::Code => "codes",
            Group::Advance => "advance states",
            Group::Collection => "collection states",
            Group::Sync => "sync outcomes",
            Group::Import => "imports",
            Group::Compliance => "compliance",
            Group::TaxId => "tax ids",
            Group::Situation => "situations",
        }
    }

    /// Whether the document names the states; another service may use other names for those that it doesn't.
    pub fn is_documented(self) -> bool {
        self != Group::TaxId
    }

    /// The states that a run of the mock should reach; those that are operations have names of two parts.
    const fn names(self) -> &'static [&'static str] {
        match self {
            Group::Operation => &[],
            Group::Code => &CODES,
            Group::Advance => &["REQUESTED", "FUNDING", "FUNDED", "REPAID"],
            Group::Collection => &["UNCOLLECTED", "PARTIALLY_COLLECTED", "COLLECTED"],
            Group::Sync => &["created", "updated", "statusOnly"],
            Group::Import => IMPORTS,
            Group::Compliance => &["VENDOR_ASSERTION", "W9_UPLOAD", "PARTNER_SUPPLIED"],
            Group::TaxId => &["accepted", "unchanged", "malformed", "differs", "heldByAnother"],
            Group::Situation => SITUATIONS,
        }
    }
}

const CODES: [&str; Code::ALL.len()] = {
    let mut names = [""; Code::ALL.len()];
    let mut index = 0;
    while index < names.len() {
        names[index] = Code::ALL[index].name();
        index += 1;
    }
    names
};

const IMPORTS: &[&str] =
    &["row created", "row updated", "row statusOnly", "row rejected", "interrupted", "finished"];

const SITUATIONS: &[&str] = &[
    "a business shared by two platforms",
    "an advance requested again",
    "a fundable invoice",
    "an open collection account",
    "an invitation accepted",
    "an import resumed",
    "a payment into suspense",
    "a payment before funding",
    "a subscription deleted",
    "a key revoked",
    "an upstream failure",
    "a webhook accepted",
    "a webhook to be tried again",
    "a subscription revoked by 410",
];

impl Coverage {
    /// How often each state of `group` was reached; those that should be and were not are counted as 0.
    pub fn of(&self, group: Group) -> Vec<(String, u64)> {
        if group == Group::Operation {
            let count = |kind| self.operations.get(&kind).copied().unwrap_or(0);
            return OperationKind::ALL.map(|kind| (kind.to_string(), count(kind))).to_vec();
        }
        let counts = self.counts[group as usize].iter().copied().chain(repeat(0));
        group.names().iter().map(|name| (*name).to_owned()).zip(counts).collect()
    }

    /// What was asked in which state.
    pub fn matrix(&self) -> &Matrix {
        &self.matrix
    }

    pub fn add(&mut self, other: &Coverage) {
        self.matrix.add(&other.matrix);
        for (kind, count) in &other.operations {
            *self.operations.entry(*kind).or_default() += count;
        }
        for (group, counts) in Group::ALL.into_iter().zip(&other.counts) {
            for (place, count) in counts.iter().enumerate() {
                self.reach_often(group, place, *count);
            }
        }
    }

    /// Counts that a state was reached, if it is one that should be.
    fn reach(&mut self, group: Group, name: &str) {
        if let Some(place) = group.names().iter().position(|known| *known == name) {
            self.reach_often(group, place, 1);
        }
    }

    fn reach_often(&mut self, group: Group, place: usize, times: u64) {
        let counts = &mut self.counts[group as usize];
        if place >= counts.len() {
            counts.resize(group.names().len(), 0);
        }
        counts[place] += times;
    }

    pub fn record(&mut self, exchange: &Exchange<'_>) {
        self.matrix.record(exchange);
        if let Some(kind) = exchange.kind() {
            *self.operations.entry(kind).or_default() += 1;
        }
        if exchange.call().is_some()
            && let Some(code) = exchange.seen.code()
        {
            self.reach(Group::Code, code);
        }
        for arrival in exchange.arrivals {
            self.reach(
                Group::Situation,
                match arrival.status {
                    200..=299 => "a webhook accepted",
                    410 => "a subscription revoked by 410",
                    _ => "a webhook to be tried again",
                },
            );
        }
        if exchange.seen.is_success() && exchange.kind() == Some(OperationKind::Unsubscribe) {
            self.reach(Group::Situation, "a subscription deleted");
        }
        let Some(body) = exchange.seen.json() else { return };
        if let Some(action) = exchange.acts() {
            self.record_action(action, exchange.seen.is_success(), body);
        }
        if exchange.seen.status == 502 {
            self.reach(Group::Situation, "an upstream failure");
        }
        if let Some(kind) = exchange.kind().filter(|_| exchange.seen.is_success()) {
            self.record_success(exchange, kind, body);
        }
    }

    fn record_action(&mut self, action: ActionKind, success: bool, body: &Value) {
        match action {
            ActionKind::Reset => self.tax_ids.clear(),
            ActionKind::VendorAcceptsInvitation if success => {
                self.reach(Group::Situation, "an invitation accepted");
            }
            ActionKind::RevokeKey if success => self.reach(Group::Situation, "a key revoked"),
            ActionKind::PayorPays if Fields::of(body).suspense() > Some(0) => {
                self.reach(Group::Situation, "a payment into suspense");
            }
            _ => {}
        }
    }

    fn record_success(&mut self, exchange: &Exchange<'_>, kind: OperationKind, body: &Value) {
        let word = |field: &str| body[field].as_str().unwrap_or_default();
        match kind {
            OperationKind::GetInvoice => self.record_invoice(body),
            OperationKind::SyncInvoice => self.reach(Group::Sync, word("outcome")),
            OperationKind::GetBusiness => {
                self.reach(Group::Compliance, word(field::COMPLIANCE_ROUTE));
                if Fields::of(body).remittance().is_some() {
                    self.reach(Group::Situation, "an open collection account");
                }
            }
            OperationKind::SyncBusiness => self.record_business(exchange, body),
            OperationKind::ImportInvoices => self.record_import(body),
            OperationKind::RequestAdvance if Fields::of(body).already_requested() == Some(true) => {
                self.reach(Group::Situation, "an advance requested again");
            }
            _ => {}
        }
    }

    fn record_invoice<'a>(&mut self, invoice: &'a Value) {
        let word = |value: &'a Value| value.as_str().unwrap_or_default();
        self.reach(Group::Collection, word(&invoice[field::COLLECTION_STATE]));
        if Fields::of(invoice).fundable() == Some(true) {
            self.reach(Group::Situation, "a fundable invoice");
        }
        let state = advance_state(&invoice[field::ADVANCE]).unwrap_or_default();
        self.reach(Group::Advance, state);
        if matches!(state, "REQUESTED" | "FUNDING") && invoice[field::COLLECTED] != 0 {
            self.reach(Group::Situation, "a payment before funding");
        }
    }

    fn record_business(&mut self, exchange: &Exchange<'_>, body: &Value) {
        if let Some(outcome) = Fields::of(body).tax_id_result().and_then(Fields::outcome) {
            self.reach(Group::TaxId, outcome);
        }
        let operation = exchange.call().and_then(PreparedCall::operation);
        let Some(Operation::SyncBusiness { details, .. }) = operation else { return };
        let Some(tax_id) = &details.tax_id else { return };
        let digits: String = tax_id.chars().filter(char::is_ascii_digit).collect();
        let platforms = self.tax_ids.entry(digits).or_default();
        let key = exchange.platform;
        let matched =
            Fields::of(body).created() == Some(false) && body[field::TAX_ID_RESULT].is_null();
        if matched && platforms.iter().any(|other| *other != key) {
            self.reach(Group::Situation, "a business shared by two platforms");
        } else {
            platforms.insert(key);
        }
    }

    fn record_import(&mut self, report: &Value) {
        let rows = Fields::of(report).rows().unwrap_or_default();
        for row in rows {
            let outcome = Fields::of(row).outcome().unwrap_or_default();
            let is_it = |name: &&&str| name.strip_prefix("row ") == Some(outcome);
            if let Some(name) = IMPORTS.iter().find(is_it) {
                self.reach(Group::Import, name);
            }
        }
        let name = Fields::of(report).external_id().unwrap_or_default();
        if Fields::of(report).finished() == Some(true) {
            self.reach(Group::Import, "finished");
            if self.interrupted.remove(name) {
                self.reach(Group::Situation, "an import resumed");
            }
        } else {
            self.reach(Group::Import, "interrupted");
            self.interrupted.insert(name.to_owned());
        }
    }
}
