//! Vendors and payors.

use tideover_model::wire::reply::Reply;
use tideover_model::words::AdvanceState;
use tideover_model::{
    Address, Cents, Happening, Impossible, Operation, Outcome, PlatformId, VendorRoute,
};

use crate::simulation::auditor::Invariant;
use crate::simulation::client::{Wake, invoice_name, vendor_email, vendor_name, vendor_named};
use crate::simulation::plan::{Onboarding, Served, Vendor};
use crate::simulation::queue::{DAY, HOUR, Moment};
use crate::simulation::reached::Reached;
use crate::simulation::trace::Actor;
use crate::simulation::world::World;
use crate::simulation::world::event::{Event, Step};

impl World<'_> {
    /// Schedules what a platform does for a vendor, and what the payors do.
    pub(super) fn schedule_vendor(&mut self, vendor: u32, served: &Served) {
        let platform = served.platform;
        self.queue.add(served.at, Event::Client(platform, Wake::Onboard(vendor)));
        for invoice in &served.invoices {
            let number = invoice.number;
            let mut wake = |at, wake| self.queue.add(at, Event::Client(platform, wake));
            if invoice.import.is_none() {
                wake(invoice.at, Wake::Sync(vendor, number));
            }
            if let Some((at, _)) = invoice.corrected {
                wake(at, Wake::Correct(vendor, number));
            }
            if let Some((at, _)) = invoice.restated {
                wake(at, Wake::Restate(vendor, number));
            }
            if let Some(at) = invoice.wanted_at {
                wake(at, Wake::Want(vendor, number));
            }
            for at in &invoice.looks {
                wake(*at, Wake::Look(vendor, number));
            }
            for (at, cents) in &invoice.payments {
                let pays = Event::Pays { vendor, platform, invoice: number, cents: *cents };
                self.queue.add(*at, pays);
            }
        }
    }

    /// A vendor gets an invitation. Another one to the same address changes nothing for it.
    pub(super) fn vendor_is_invited(&mut self, platform: u32, business: &str) {
        let number = vendor_named(business, platform);
        let Some(vendor) = number.and_then(|number| self.vendors.get(&number)) else { return };
        let (number, onboarding) = (vendor.number, vendor.onboarding);
        if let Some(Onboarding { accepts_after, .. }) = onboarding
            && self.invited.entry(number).or_default().insert(platform)
        {
            self.schedule_step(number, platform, accepts_after, Step::Accepts);
        }
    }

    fn schedule_step(&mut self, vendor: u32, platform: u32, after: Moment, step: Step) {
        self.queue.add(self.now + after, Event::Vendor { vendor, platform, step });
    }

    /// A vendor takes a step, and plans the next one.
    pub(super) fn vendor_acts(&mut self, number: u32, platform: u32, step: Step) {
        let Some(vendor) = self.vendors.get(&number).copied() else { return };
        let Some(onboarding) = vendor.onboarding else { return };
        let payout_synced = vendor.payout_synced;
        let happening = step_happening(vendor, platform, step);
        let result = self.happen(Actor::Vendor(number), platform, happening);
        match (step, &result) {
            (Step::ConfirmsWrongly | Step::LinksWrongly, Err(impossible))
                if is_mistake(impossible) =>
            {
                self.counts.reach(Reached::OnboardingMistake);
            }
            (Step::FoundWrong, Ok(_)) => self.counts.reach(Reached::TaxIdFoundWrong),
            _ => {}
        }
        let is_first = self.invited.get(&number).is_some_and(|platforms| platforms.len() == 1);
        if let Some((after, next)) = following(onboarding, step, payout_synced)
            && (is_first || step != Step::Accepts)
        {
            self.schedule_step(number, platform, after, next);
        }
        if let (Step::Signs, Some(after)) = (step, onboarding.found_wrong_after) {
            self.schedule_step(number, platform, after, Step::FoundWrong);
        }
    }

    /// The outside world acts, unless it cannot do that now.
    fn happen(
        &mut self,
        actor: Actor,
        platform: u32,
        happening: Happening,
    ) -> Result<Outcome, Impossible> {
        let at = self.time();
        let platform = PlatformId(platform);
        self.server.handle_timeout(at);
        let result = self.server.happen(at, platform, happening.clone());
        self.chain.add(self.now, &[format!("{happening:?} {result:?}").as_bytes()]);
        self.note(actor, None, || match &result {
            Ok(Outcome::Paid { suspense, .. }) if *suspense > Cents::ZERO => {
                format!("{}, {suspense} of it into suspense", words(&happening))
            }
            Ok(_) => words(&happening),
            Err(impossible) => format!("{}: {impossible}", words(&happening)),
        });
        self.witness_change();
        self.auditor.happened(platform, &happening, &result);
        self.after_service();
        result
    }

    /// A payor pays into the account that the platform last published; if there is none, it asks again
    /// tomorrow.
    pub(super) fn payor_pays(&mut self, vendor: u32, platform: u32, invoice: u32, cents: i64) {
        let Some(account) = self.published.get(&(platform, vendor)).cloned() else {
            if self.is_faulty() {
                let again = Event::Pays { vendor, platform, invoice, cents };
                self.queue.add(self.now + DAY, again);
            }
            return;
        };
        let at = self.time();
        self.server.handle_timeout(at);
        let name = vendor_name(platform, vendor);
        self.auditor.check_one(&mut *self.server, at, PlatformId(platform), name.clone());
        let business = Operation::GetBusiness { business: name.clone() };
        let open = match self.server.handle(at, PlatformId(platform), business) {
            Ok(Reply::Business(business)) => business.remittance.map(|it| it.account_number),
            _ => None,
        };
        self.witness_payment(open.as_ref() == Some(&account));
        if open.as_ref() != Some(&account) {
            let subject = format!("payor of {name}, platform {platform}");
            let open = open.as_deref().unwrap_or("not open");
            let detail = format!("it pays into {account}, the collection account is {open}");
            return self.auditor.report(Invariant::RightAccount, subject, detail);
        }
        self.count_payment(vendor, platform, invoice);
        let (payee, invoice) = (name, invoice_name(platform, invoice));
        let paying = Happening::PayorPays { payee, invoice, amount: Cents(cents) };
        let outcome = self.happen(Actor::Payor(vendor), platform, paying);
        if let Ok(Outcome::Paid { suspense, .. }) = outcome
            && suspense > Cents::ZERO
        {
            self.counts.reach(Reached::PaidTwice);
        }
    }

    fn count_payment(&mut self, vendor: u32, platform: u32, number: u32) {
        let (payee, invoice) = (vendor_name(platform, vendor), invoice_name(platform, number));
        let question = Operation::GetInvoice { payee, invoice };
        let at = self.time();
        let Ok(Reply::Invoice(invoice)) = self.server.handle(at, PlatformId(platform), question)
        else {
            return;
        };
        if invoice.collected > Cents::ZERO {
            self.counts.reach(Reached::PaidInParts);
        }
        let state = invoice.advance.map(|advance| advance.state);
        if matches!(state, Some(AdvanceState::Requested | AdvanceState::Funding)) {
            self.counts.reach(Reached::PaidBeforeFunded);
        }
    }
}

/// Whether a vendor has made a mistake. One that has not claimed its account makes none.
fn is_mistake(impossible: &Impossible) -> bool {
    let reason = impossible.to_string();
    reason.contains("malformed") || reason.contains("routing number")
}

/// What a vendor does after a step, and after how long.
fn following(onboarding: Onboarding, step: Step, payout_synced: bool) -> Option<(Moment, Step)> {
    let Onboarding { confirms_after, signs_after, links_after, errs, .. } = onboarding;
    match step {
        Step::Accepts if errs => Some((confirms_after, Step::ConfirmsWrongly)),
        Step::Accepts => Some((confirms_after, Step::Confirms)),
        Step::ConfirmsWrongly => Some((HOUR, Step::Confirms)),
        Step::Confirms => Some((signs_after, Step::Signs)),
        Step::Signs if payout_synced => None,
        Step::Signs if errs => Some((links_after, Step::LinksWrongly)),
        Step::Signs => Some((links_after, Step::Links)),
        Step::LinksWrongly => Some((HOUR, Step::Links)),
        Step::FoundWrong => Some((confirms_after, Step::Corrects)),
        Step::Links | Step::Corrects => None,
    }
}

fn step_happening(vendor: &Vendor, platform: u32, step: Step) -> Happening {
    let payee = vendor_name(platform, vendor.number);
    let tax_id = format!("{:09}", 100_000_000 + vendor.number);
    let confirms = |tax_id: String| Happening::VendorConfirmsTaxId {
        payee: payee.clone(),
        route: VendorRoute::VendorAssertion,
        tax_id: Some(tax_id),
    };
    let links = |routing_number: &str| Happening::VendorAddsBankAccount {
        payee: payee.clone(),
        account_number: format!("{:08}", 30_000_000 + vendor.number),
        routing_number: routing_number.to_owned(),
    };
    match step {
        Step::Accepts => Happening::VendorAcceptsInvitation {
            payee: payee.clone(),
            email: vendor_email(vendor.number),
        },
        Step::ConfirmsWrongly => confirms("12".to_owned()),
        Step::Confirms | Step::Corrects => confirms(tax_id),
        Step::Signs => Happening::VendorSignsAgreement {
            payee: payee.clone(),
            address: if vendor.address_synced {
                Address::default()
            } else {
                address(vendor.number)
            },
        },
        Step::LinksWrongly => links("021000022"),
        Step::Links => links("021000021"),
        Step::FoundWrong => Happening::TaxIdFoundWrong { payee: payee.clone() },
    }
}

fn address(number: u32) -> Address {
    Address {
        line1: Some(format!("{} Quay Street", number + 1)),
        line2: None,
        city: Some("Portland".to_owned()),
        state: Some("OR".to_owned()),
        postal_code: Some("97201".to_owned()),
    }
}

/// A happening for a reader.
fn words(happening: &Happening) -> String {
    match happening {
        Happening::VendorAcceptsInvitation { payee, .. } => {
            format!("{payee} accepts its invitation")
        }
        Happening::VendorConfirmsTaxId { payee, .. } => format!("{payee} confirms its tax id"),
        Happening::VendorSignsAgreement { payee, .. } => format!("{payee} signs the agreement"),
        Happening::VendorAddsBankAccount { payee, .. } => format!("{payee} adds a bank account"),
        Happening::TaxIdFoundWrong { payee } => format!("the tax id of {payee} is found wrong"),
        Happening::PayorPays { payee, invoice, amount } => {
            format!("pays {amount} cents for {invoice} of {payee}")
        }
        other => format!("{other:?}"),
    }
}
