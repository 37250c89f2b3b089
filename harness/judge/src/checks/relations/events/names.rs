//! Since when a caller has named each business and invoice, and whether events may call it by another name.

use std::collections::{BTreeMap, BTreeSet};

use aho_corasick::{AhoCorasick, AhoCorasickKind, Span};
use serde_json::Value;
use tideover_exchange::{Exchange, Prepared, PreparedAction};
use tideover_model::wire::field::{self, Fields};
use tideover_model::wire::route::route;
use tideover_model::wire::schema::Role;
use tideover_model::{ActionKind, InvoiceSync, Operation, OperationKind, tax_id_digits};

use crate::checks::relations::events::Announcement;
use crate::checks::relations::ledger::{BusinessName, InvoiceName, acted_on, business, caller};

/// What the requests of a run have named.
#[derive(Default)]
pub(super) struct Names {
    /// The step that first named each business.
    businesses: BTreeMap<BusinessName, u64>,
    /// The step that first named each invoice.
    invoices: BTreeMap<InvoiceName, u64>,
    /// The payees of the invoices that have one identifier.
    payees: BTreeMap<String, BTreeSet<BusinessName>>,
    /// Businesses that may be linked to others, so that unknown callers may act on them.
    shared: BTreeSet<BusinessName>,
    /// The businesses for which each tax id was sent, by its digits.
    holders: BTreeMap<String, BTreeSet<BusinessName>>,
    /// Businesses whose tax id was found wrong, or for which several were sent, or one that cannot be read.
    contested: BTreeSet<BusinessName>,
    /// The digits of the first tax id of each business.
    first_tax_ids: BTreeMap<BusinessName, String>,
    /// Businesses that events may call by another name, or that may get no events: parties with a tax id, those of
    /// a request without a response, and test accounts.
    doubtful: BTreeSet<BusinessName>,
}

/// The known names that one event mentions.
#[derive(Clone, Debug, Default)]
pub(super) struct Mentioned<'a>(BTreeSet<&'a str>);

impl Names {
    /// Learns from a request and its response.
    pub(super) fn learn(&mut self, exchange: &Exchange<'_>, step: u64) {
        let created = exchange.success_of(OperationKind::SyncBusiness);
        let created = created.map(|answer| Fields::of(answer).created() == Some(true));
        if let Some(name) = business(exchange) {
            let is_new = !self.businesses.contains_key(&name);
            self.businesses.entry(name.clone()).or_insert(step);
            if is_new && created == Some(false) {
                self.shared.insert(name);
            }
        }
        self.learn_request(exchange.sent, step);
        self.learn_action(exchange);
    }

    /// Learns from a request without a response: it may have been carried out.
    pub(super) fn miss(&mut self, sent: &Prepared, step: u64) {
        self.learn_request(sent, step);
        let owner = sent.authorization.clone().unwrap_or_default();
        let Some(operation) = sent.call().and_then(|call| call.operation()) else { return };
        let mut named: Vec<&String> = operation
            .syncs()
            .into_iter()
            .flat_map(|sync| [&sync.payee.business, &sync.payor.business])
            .collect();
        if let Operation::SyncBusiness { business, .. } = operation {
            named.push(business);
        }
        for name in named {
            self.doubtful.insert((owner.clone(), name.clone()));
        }
    }

    fn learn_request(&mut self, sent: &Prepared, step: u64) {
        let owner = sent.authorization.clone().unwrap_or_default();
        let Some(operation) = sent.call().and_then(|call| call.operation()) else {
            return self.learn_unread(sent, &owner, step);
        };
        if let Operation::SyncBusiness { business, details } = operation {
            self.hold(&(owner.clone(), business.clone()), details.tax_id.as_deref());
        }
        for sync in operation.syncs() {
            self.learn_sync(&owner, sync, step);
        }
    }

    /// Learns from a sync of another form than the published one: a service may read it all the same.
    fn learn_unread(&mut self, sent: &Prepared, owner: &str, step: u64) {
        let Some(call) = sent.call() else { return };
        let path = route(&call.method, call.plain_path()).and_then(|route| route.identifiers());
        let Ok([name, _]) = path else { return };
        match sent.kind() {
            Some(OperationKind::SyncBusiness) => {
                self.contested.insert((owner.to_owned(), name));
            }
            Some(OperationKind::SyncInvoice) => {
                self.learn_unread_invoice(owner, name, call.body().json(), step);
            }
            _ => {}
        }
    }

    fn learn_unread_invoice(
        &mut self,
        owner: &str,
        invoice: String,
        body: Option<&Value>,
        step: u64,
    ) {
        let Some(body) = body else { return };
        // The payee is the first of the parties.
        let parties = OperationKind::SyncInvoice.fields().iter();
        let parties = parties.filter(|field| matches!(field.role, Role::Object(_)));
        let parties: Vec<Option<BusinessName>> = parties
            .map(|party| {
                let name = body.get(party.name)?.get(field::EXTERNAL_ID)?.as_str()?;
                Some((owner.to_owned(), name.to_owned()))
            })
            .collect();
        for business in parties.iter().flatten() {
            self.businesses.entry(business.clone()).or_insert(step);
        }
        if let Some(payee) = parties.into_iter().next().flatten() {
            self.learn_invoice(payee, invoice, step);
        }
    }

    fn learn_invoice(&mut self, payee: BusinessName, invoice: String, step: u64) {
        self.payees.entry(invoice.clone()).or_default().insert(payee.clone());
        self.invoices.entry((payee, invoice)).or_insert(step);
    }

    fn learn_sync(&mut self, owner: &str, sync: &InvoiceSync, step: u64) {
        let payee = (owner.to_owned(), sync.payee.business.clone());
        self.learn_invoice(payee, sync.invoice.clone(), step);
        for party in [&sync.payee, &sync.payor] {
            let name = (owner.to_owned(), party.business.clone());
            self.businesses.entry(name.clone()).or_insert(step);
            // Whether a party's tax id links it is not shown (`gap.partyTaxIdAndContact`).
            if let Some(tax_id) = &party.details.tax_id {
                self.hold(&name, Some(tax_id));
                self.doubtful.insert(name);
            }
        }
    }

    fn learn_action(&mut self, exchange: &Exchange<'_>) {
        let PreparedAction::Act(fields) = &exchange.sent.action else { return };
        if exchange.acts() == Some(ActionKind::MarkTestAccount) {
            self.doubtful.extend(acted_on(exchange, field::EXTERNAL_ID));
        }
        if exchange.acts() == Some(ActionKind::TaxIdFoundWrong) {
            self.contested.extend(acted_on(exchange, field::PAYEE_EXTERNAL_ID));
        }
        let tax_id = fields.get(field::TAX_ID).and_then(Value::as_str);
        if let Some(name) =
            acted_on(exchange, field::PAYEE_EXTERNAL_ID).filter(|_| tax_id.is_some())
        {
            self.hold(&name, tax_id);
        }
    }

    /// Records whose tax id it is. Two names with one tax id may stand for one business, and what they share of it is
    /// not shown (`gap.oneTaxIdTwoIdentifiers`, `gap.sharedBusiness`).
    fn hold(&mut self, name: &BusinessName, tax_id: Option<&str>) {
        let Some(tax_id) = tax_id else { return };
        let digits = tax_id_digits(tax_id);
        let first = self.first_tax_ids.entry(name.clone()).or_insert_with(|| digits.clone());
        if *first != digits {
            self.contested.insert(name.clone());
        }
        if digits.is_empty() {
            return;
        }
        let holders = self.holders.entry(digits).or_default();
        holders.insert(name.clone());
        if holders.len() > 1 {
            self.doubtful.extend(holders.iter().cloned());
        }
    }

    /// Whether compliance may have been taken away again: the tax id was found wrong, or what another one does, or a
    /// malformed one, is not shown (`gap.rejectedTaxId`).
    pub(super) fn may_lose_compliance(&self, name: &BusinessName) -> bool {
        self.contested.contains(name)
    }

    /// The step since which events about a business must name it so. `None` if they need not.
    pub(super) fn business_since(&self, name: &BusinessName) -> Option<u64> {
        let is_own = !self.shared.contains(name) && !self.doubtful.contains(name);
        self.businesses.get(name).copied().filter(|_| is_own)
    }

    /// The step since which events about an invoice must name it so. `None` if they need not.
    pub(super) fn invoice_since(&self, name: &InvoiceName) -> Option<u64> {
        self.invoices.get(name).copied().filter(|_| !self.doubtful.contains(&name.0))
    }

    /// The texts that are names of a caller's businesses.
    pub(super) fn businesses_in<'a>(
        &self,
        texts: &'a BTreeSet<String>,
        caller: &str,
    ) -> impl Iterator<Item = &'a String> {
        texts.iter().filter(move |text| self.is_business(caller, text))
    }

    /// The synced invoices whose identifiers are among the texts, of any payee.
    pub(super) fn invoices_in<'a>(
        &'a self,
        texts: &'a BTreeSet<String>,
    ) -> impl Iterator<Item = (&'a BusinessName, &'a String)> {
        texts.iter().flat_map(|text| {
            let payees = self.payees.get(text).into_iter().flatten();
            payees.map(move |payee| (payee, text))
        })
    }

    fn is_business(&self, caller: &str, name: &str) -> bool {
        self.businesses.contains_key(&(caller.to_owned(), name.to_owned()))
    }

    /// The known names that each event mentions: a name stands in one of its texts, alone or as a part of its own.
    pub(super) fn mentioned_in<'a>(&'a self, announced: &'a [Announcement]) -> Vec<Mentioned<'a>> {
        let businesses = self.businesses.keys().map(|(_, business)| business);
        let all = businesses.chain(self.invoices.keys().map(|(_, invoice)| invoice));
        // An empty name stands everywhere, and is mentioned where it is a text of its own.
        let all: BTreeSet<&str> = all.map(String::as_str).filter(|name| !name.is_empty()).collect();
        let names: Vec<&str> = all.into_iter().collect();
        // Other kinds take longer to build than to search so few texts.
        let kind = Some(AhoCorasickKind::NoncontiguousNFA);
        let Ok(search) = AhoCorasick::builder().kind(kind).build(&names) else {
            return vec![Mentioned::default(); announced.len()];
        };
        let mentioned = |one: &'a Announcement| {
            let found = one.texts.iter().flat_map(|text| {
                let all = search.find_overlapping_iter(text).filter(|it| is_apart(text, it.span()));
                all.map(|it| names[it.pattern()])
            });
            Mentioned(found.chain(one.texts.get("").map(String::as_str)).collect())
        };
        announced.iter().map(mentioned).collect()
    }

    /// Whether an event can be about these names of a caller's business, or payee and invoice. Where the event names none
    /// that is known, it can be about any: what its payload contains is not shown.
    pub(super) fn fit(&self, owner: &str, names: &[String], mentioned: &Mentioned<'_>) -> bool {
        let is_named = |name: &String| mentioned.0.contains(name.as_str());
        let any_business = || mentioned.0.iter().any(|name| self.is_business(owner, name));
        let any_invoice = || {
            let payees = mentioned.0.iter().filter_map(|name| self.payees.get(*name));
            payees.flatten().any(|(caller, _)| caller == owner)
        };
        match names {
            [payee, invoice] => {
                (is_named(invoice) || !any_invoice()) && (is_named(payee) || !any_business())
            }
            names => names.iter().all(is_named) || !any_business(),
        }
    }

    /// Whether unknown callers may act on any business.
    pub(super) fn has_shared(&self) -> bool {
        !self.shared.is_empty()
    }

    /// Whether events may call a business by another name.
    pub(super) fn is_doubtful(&self, name: &BusinessName) -> bool {
        self.doubtful.contains(name)
    }
}

/// The invoice that a request is about, if any.
pub(super) fn invoice_of(exchange: &Exchange<'_>) -> Option<InvoiceName> {
    let (payee, invoice) = match exchange.call()?.operation()? {
        Operation::GetInvoice { payee, invoice } | Operation::RequestAdvance { payee, invoice } => {
            (payee, invoice)
        }
        Operation::SyncInvoice(sync) => (&sync.payee.business, &sync.invoice),
        _ => return None,
    };
    Some(((caller(exchange), payee.clone()), invoice.clone()))
}

/// Whether a part of a text is not a piece of a longer word.
fn is_apart(text: &str, part: Span) -> bool {
    let goes_on = |beside: Option<char>| beside.is_some_and(char::is_alphanumeric);
    let (before, after) = (&text[..part.start], &text[part.end..]);
    !goes_on(before.chars().next_back()) && !goes_on(after.chars().next())
}
