//! A read shows the name of a business that was sent (`2.business.name`), the latest one (`4.businessSync.intro.2`).
//! A business that only invoices name has one of their names. Whether a read shows a name at all, whether an invoice
//! changes the name of a sync, and whose name it is once a tax id matched another business or the vendor acted, is open.
//! So is the form: a service that shows no name as it was sent may have one of its own.

use std::collections::{BTreeMap, BTreeSet};

use tideover_exchange::{Exchange, Prepared};
use tideover_model::wire::field::{self, Fields};
use tideover_model::{Code, Operation, OperationKind, clause};

use super::ledger::{BusinessName, acted_on, business, caller};
use crate::checks::{Check, Notes, is_reset};

/// The names that a caller has sent for a business.
#[derive(Debug, Default)]
struct SentNames {
    /// The name in its last sync.
    synced: Option<String>,
    /// The names in invoices and rows since then.
    mentioned: BTreeSet<String>,
    /// The names that the last sync replaced.
    replaced: BTreeSet<String>,
    /// Whether a response showed that no one had named it before: it was not there, or a sync created it.
    is_new: bool,
    /// Whether a tax id may have matched another business, or the vendor may have told a name.
    may_be_named_by_others: bool,
    /// Whether a request without a response may have named it.
    is_uncertain: bool,
}

/// How many businesses must show names of a form as they were sent before another one must show its name so: one may
/// have been named before.
const CONVENTION: usize = 3;

/// The kinds of signs in a name: capitals, small letters and digits, each at the beginning of a word or within one, and
/// each other sign. A service may change all of a kind.
type Form = BTreeSet<(char, bool)>;

fn form(name: &str) -> impl Iterator<Item = (char, bool)> {
    let before = std::iter::once(' ').chain(name.chars());
    name.chars().zip(before).map(|(sign, before)| {
        let is_within = before.is_alphanumeric();
        match sign {
            sign if sign.is_uppercase() => ('A', is_within),
            sign if sign.is_lowercase() => ('a', is_within),
            sign if sign.is_numeric() => ('0', is_within),
            sign => (sign, false),
        }
    })
}

impl SentNames {
    fn sync(&mut self, name: &str) {
        let before = self.synced.replace(name.to_owned());
        self.replaced.extend(before);
        self.replaced.append(&mut self.mentioned);
        self.replaced.remove(name);
    }

    fn mention(&mut self, name: &str) {
        self.replaced.remove(name);
        self.mentioned.insert(name.to_owned());
    }

    /// The name of the last sync, or one of the invoices' names.
    fn latest(&self) -> Option<&String> {
        self.synced.as_ref().or(self.mentioned.last())
    }

    fn has(&self, name: &str) -> bool {
        self.all().any(|known| known == name)
    }

    fn all(&self) -> impl Iterator<Item = &String> {
        self.synced.iter().chain(&self.mentioned).chain(&self.replaced)
    }

    /// Whether all names are plain: white space and Unicode may be normalised, and the longest length is not stated.
    fn are_plain(&self) -> bool {
        let is_plain = |name: &String| {
            name.len() <= LONGEST
                && name.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic())
                && name.split(' ').all(|word| !word.is_empty())
        };
        self.all().all(is_plain)
    }
}

/// The longest name that no service has a reason to cut. Bytes.
const LONGEST: usize = 100;

/// Looks for names that a sync has replaced, and for names that nobody sent.
#[derive(Default)]
pub(in crate::checks) struct Names {
    sent: BTreeMap<BusinessName, SentNames>,
    /// The forms of the names that reads showed as they were sent.
    shown_as_sent: BTreeMap<BusinessName, Form>,
}

impl Check for Names {
    fn miss(&mut self, sent: &Prepared) {
        let Some(operation) = sent.call().and_then(|call| call.operation()) else { return };
        // It may take effect at any time, so that any of the names may be shown.
        let parties = operation.syncs().into_iter().flat_map(|sync| [&sync.payee, &sync.payor]);
        let parties = parties.map(|party| party.business.as_str());
        for name in operation.subject().business().into_iter().chain(parties) {
            let owner = sent.authorization.clone().unwrap_or_default();
            self.sent.entry((owner, name.to_owned())).or_default().is_uncertain = true;
        }
    }

    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        if is_reset(exchange) {
            *self = Names::default();
        }
        self.check(exchange, notes);
        let acted = [field::EXTERNAL_ID, field::PAYEE_EXTERNAL_ID].map(|it| acted_on(exchange, it));
        let invites = [OperationKind::Invite, OperationKind::CreateOnboardingSession];
        let invited =
            business(exchange).filter(|_| exchange.kind().is_some_and(|it| invites.contains(&it)));
        for name in acted.into_iter().flatten().chain(invited) {
            self.sent.entry(name).or_default().may_be_named_by_others = true;
        }
        let Some(operation) = exchange.call().and_then(|call| call.operation()) else {
            // What a service takes from a malformed request is unknown.
            if exchange.kind().is_some_and(|kind| !kind.reads()) && exchange.seen.is_success() {
                self.sent.clear();
            }
            return;
        };
        if let Operation::SyncBusiness { details, .. } = operation
            && let Some(name) = business(exchange)
        {
            let known = self.sent.entry(name).or_default();
            known.may_be_named_by_others |= details.tax_id.is_some();
            if let Some(body) = exchange.seen.success_body() {
                known.sync(&details.legal_name);
                known.is_new |= Fields::of(body).created() == Some(true);
            }
        }
        // Also those of a refused request, of which the document does not say that nothing is kept.
        for sync in operation.syncs() {
            for party in [&sync.payee, &sync.payor] {
                let name = (caller(exchange), party.business.clone());
                let known = self.sent.entry(name).or_default();
                known.mention(&party.details.legal_name);
                known.may_be_named_by_others |= party.details.tax_id.is_some();
            }
        }
    }
}

impl Names {
    fn check(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        if exchange.kind() != Some(OperationKind::GetBusiness) {
            return;
        }
        let Some(business) = business(exchange) else { return };
        let Some(body) = exchange.seen.success_body() else {
            if exchange.seen.code() == Some(Code::BusinessNotFound.name()) {
                self.sent.entry(business).or_default().is_new = true;
            }
            return;
        };
        let Some(sent) = self.sent.get(&business).filter(|sent| !sent.is_uncertain) else { return };
        let Some(shown) = body.get(field::NAME).and_then(|name| name.as_str()) else { return };
        if self.is_named_by_another_key(&business, shown) {
            return;
        }
        if let Some(synced) = &sent.synced {
            let is_stale = sent.replaced.contains(shown);
            if is_stale || shown == synced {
                let clause = clause!("4.businessSync.intro.2");
                let evidence = || (synced.clone(), shown.to_owned());
                notes.expect(exchange, clause, !is_stale, field::NAME, evidence);
            }
        }
        let Some(latest) = sent.latest() else { return };
        let is_own = sent.is_new && !sent.may_be_named_by_others && sent.are_plain();
        let is_sent = sent.has(shown);
        if is_own && (self.shows_as_sent(sent) || !is_sent && self.is_of_another(&business, shown))
        {
            let evidence = || (format!("{latest}, as it was sent"), shown.to_owned());
            notes.expect(exchange, clause!("2.business.name"), is_sent, field::NAME, evidence);
        }
        if is_sent {
            self.shown_as_sent.insert(business, form(shown).collect());
        }
    }

    /// Whether a name that is like none of this business's names was sent for another one. In whatever form a service shows
    /// names, this is the other one's.
    fn is_of_another(&self, business: &BusinessName, shown: &str) -> bool {
        let letters = |name: &str| -> String {
            let letters = name.chars().filter(|sign| sign.is_alphanumeric());
            letters.flat_map(char::to_lowercase).collect()
        };
        let shown_letters = letters(shown);
        let is_like = |own: &String| {
            let own = letters(own);
            own.starts_with(&shown_letters) || shown_letters.starts_with(&own)
        };
        let mut others = self.sent.iter().filter(|(it, _)| it.0 == business.0 && *it != business);
        let own = self.sent.get(business);
        !own.is_some_and(|own| own.all().any(is_like)) && others.any(|(_, sent)| sent.has(shown))
    }

    /// Whether another key, which may be the same platform's, has given this business the name.
    fn is_named_by_another_key(&self, business: &BusinessName, shown: &str) -> bool {
        let mut others =
            self.sent.iter().filter(|(it, _)| it.1 == business.1 && it.0 != business.0);
        others.any(|(_, sent)| sent.has(shown))
    }

    /// Whether the service shows names of this form as they are sent.
    fn shows_as_sent(&self, sent: &SentNames) -> bool {
        let wanted: Form = sent.all().flat_map(|name| form(name)).collect();
        let like_it = self.shown_as_sent.values().filter(|form| form.is_superset(&wanted));
        like_it.count() >= CONVENTION
    }
}
