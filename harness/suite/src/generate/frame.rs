//! Reads of what a write must leave alone.

use proptest::bool::weighted;
use tideover_exchange::step::{Action, Call, Step};
use tideover_model::OperationKind::{GetBusiness, GetInvoice};
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
        let (near, far): (Vec<Step>, Vec<Step>) =
            (near.into_iter().cloned().collect(), far.into_iter().cloned().collect());
        match (near.is_empty(), far.is_empty()) {
            (true, true) => None,
            (false, true) => Some(self.pick(&near)),
            (true, false) => Some(self.pick(&far)),
            (false, false) if self.draw(weighted(0.7)) => Some(self.pick(&near)),
            (false, false) => Some(self.pick(&far)),
        }
    }

    /// A read that combines a business, an invoice and a caller of the case that may never have met.
    pub(super) fn crossing(&mut self) -> Option<Step> {
        let of = |kind| {
            let reads = self.written.iter().filter(move |read| kind_of(read) == Some(kind));
            reads.cloned().collect::<Vec<Step>>()
        };
        let (mut businesses, invoices) = (of(GetBusiness), of(GetInvoice));
        businesses.extend(invoices.iter().cloned());
        if businesses.is_empty() {
            return None;
        }
        let known = self.pick(&businesses);
        let [business, _] = identifiers(&known)?;
        let caller = if self.draw(weighted(0.7)) { known } else { self.pick(&businesses) }.caller;
        let call = match invoices.is_empty() || self.draw(weighted(0.2)) {
            true => Call::at(GetBusiness, &[&business]),
            false => {
                let [_, invoice] = identifiers(&self.pick(&invoices))?;
                Call::at(GetInvoice, &[&business, &invoice])
            }
        };
        Some(Step::new(Action::Call(call)).by(&caller))
    }
}

/// Whether two reads are about things that a service could mix up: they share an identifier, or have different callers.
fn are_near(one: &Step, other: &Step) -> bool {
    let (Some(ones), Some(others)) = (identifiers(one), identifiers(other)) else { return false };
    one.caller != other.caller || ones.iter().any(|name| !name.is_empty() && others.contains(name))
}

fn kind_of(read: &Step) -> Option<tideover_model::OperationKind> {
    match &read.action {
        Action::Call(call) => call.kind(),
        _ => None,
    }
}

/// The identifiers in the path, still encoded.
fn identifiers(read: &Step) -> Option<[String; 2]> {
    let Action::Call(call) = &read.action else { return None };
    Some(route(&call.method, &call.path).ok()?.encoded_identifiers().map(str::to_owned))
}
