//! Reads of what a write must leave alone, and of what it changes elsewhere.

use proptest::bool::weighted;
use tideover_exchange::step::{Action, Call, Step};
use tideover_model::OperationKind;
use tideover_model::OperationKind::{
    CreateOnboardingSession, GetBusiness, GetInvoice, Invite, Quote,
};
use tideover_model::wire::route::route;

use crate::generate::{Walk, requests as make};

impl Walk {
    /// A read of something that the case has written, but not in its last step. Mostly a neighbour of what that step
    /// wrote: a write that reaches too far reaches those first.
    pub(super) fn bystander(&mut self) -> Option<Step> {
        let last = self.steps.last().and_then(make::read_back);
        let others = self.written.iter().filter(|read| Some(*read) != last.as_ref());
        let near = |read: &&Step| last.as_ref().is_some_and(|last| are_near(read, last));
        let (near, far): (Vec<&Step>, Vec<&Step>) = others.partition(near);
        let is_near = !near.is_empty() && (far.is_empty() || self.source.value(weighted(0.7)));
        let from = if is_near { near } else { far };
        (!from.is_empty()).then(|| (*self.source.pick(&from)).clone())
    }

    /// The read of what an earlier write has changed, and of what nothing shows any more after `step`.
    pub(super) fn overwritten_by(&self, step: &Step) -> Option<Step> {
        let read = make::read_back(step).filter(|_| changes_what_it_names(step))?;
        let is_repeat = self.steps.last().is_some_and(|last| last.action == step.action);
        (!is_repeat && self.unread.contains(&read)).then_some(read)
    }

    /// A read of something that may depend on what a step changes. It comes before that step and after it, so that what
    /// the target has kept of the first answer shows.
    pub(super) fn dependent_of(&mut self, step: &Step) -> Option<Step> {
        const FACE_VALUE: i64 = 300_000;
        let time_passes = matches!(step.action, Action::Advance(_));
        let changed = make::read_back(step);
        let is_quote = |call: &Call| call.kind() == Some(OperationKind::Quote);
        let writes = !matches!(&step.action, Action::Call(call) if is_quote(call));
        if !writes || changed.is_none() && !time_passes {
            return None;
        }
        let depends = |read: &&Step| match &changed {
            Some(changed) => *read != changed && share_a_name(read, changed),
            None => true,
        };
        let mut from: Vec<Step> = self.written.iter().filter(depends).cloned().collect();
        let business = changed.as_ref().and_then(names_of).map(|[business, _]| business);
        let quote = business.map(|it| make::quote(&it, FACE_VALUE).by(&step.caller));
        from.extend(quote);
        (!from.is_empty()).then(|| self.source.pick(&from).clone())
    }

    /// A read that combines a business, an invoice and a caller of the case that may never have met.
    pub(super) fn crossing(&mut self) -> Option<Step> {
        let of = |kind| {
            self.written.iter().filter(move |read| read.kind() == Some(kind)).collect::<Vec<_>>()
        };
        let (mut businesses, invoices) = (of(GetBusiness), of(GetInvoice));
        businesses.extend(&invoices);
        if businesses.is_empty() {
            return None;
        }
        let source = &mut self.source;
        let known = *source.pick(&businesses);
        let [business, _] = identifiers(known)?;
        let caller = if source.value(weighted(0.7)) { known } else { source.pick(&businesses) };
        let caller = caller.caller.clone();
        let call = match invoices.is_empty() || source.value(weighted(0.2)) {
            true => Call::at(GetBusiness, &[&business]),
            false => {
                let read = *source.pick(&invoices);
                let [_, invoice] = identifiers(read)?;
                Call::at(GetInvoice, &[&business, &invoice])
            }
        };
        let read = Step::new(Action::Call(call)).by(&caller);
        // What nobody synced cannot be financed, either.
        let request = self.advance_of_nothing(&read).filter(|_| self.source.value(weighted(0.3)));
        Some(request.unwrap_or(read))
    }

    /// A request of an advance on the invoice of a read, if there is none.
    fn advance_of_nothing(&mut self, read: &Step) -> Option<Step> {
        let [payee, invoice] = names_of(read).filter(|[_, invoice]| !invoice.is_empty())?;
        let is_there = self.peek_invoice(&read.caller, &payee, &invoice).is_some();
        (!is_there).then(|| make::request_advance(&payee, &invoice).by(&read.caller))
    }
}

/// Whether the read that belongs to a step may show something else after it.
pub(super) fn changes_what_it_names(step: &Step) -> bool {
    !matches!(step.kind(), Some(Quote | Invite | CreateOnboardingSession))
}

/// Whether two reads are about things that a service could mix up: they share an identifier, or have different callers.
fn are_near(one: &Step, other: &Step) -> bool {
    one.caller != other.caller || share_a_name(one, other)
}

fn share_a_name(one: &Step, other: &Step) -> bool {
    let (Some(ones), Some(others)) = (identifiers(one), identifiers(other)) else { return false };
    ones.iter().any(|name| !name.is_empty() && others.contains(name))
}

/// The identifiers in the path, still encoded.
pub(super) fn identifiers(read: &Step) -> Option<[String; 2]> {
    let Action::Call(call) = &read.action else { return None };
    Some(route(&call.method, &call.path).ok()?.encoded_identifiers().map(str::to_owned))
}

/// The identifiers in the path.
pub(super) fn names_of(read: &Step) -> Option<[String; 2]> {
    let Action::Call(call) = &read.action else { return None };
    route(&call.method, &call.path).ok()?.identifiers().ok()
}
