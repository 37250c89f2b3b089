//! Reads of what a write must leave alone.

use proptest::bool::weighted;
use tideover_exchange::step::{Action, Call, Step};
use tideover_model::OperationKind;
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
        let is_near = !near.is_empty() && (far.is_empty() || self.source.value(weighted(0.7)));
        let from = if is_near { near } else { far };
        (!from.is_empty()).then(|| (*self.source.pick(&from)).clone())
    }

    /// A read that combines a business, an invoice and a caller of the case that may never have met.
    pub(super) fn crossing(&mut self) -> Option<Step> {
        let of = |kind| {
            self.written.iter().filter(move |read| kind_of(read) == Some(kind)).collect::<Vec<_>>()
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
        let call = match invoices.is_empty() || source.value(weighted(0.2)) {
            true => Call::at(GetBusiness, &[&business]),
            false => {
                let read = *source.pick(&invoices);
                let [_, invoice] = identifiers(read)?;
                Call::at(GetInvoice, &[&business, &invoice])
            }
        };
        Some(Step::new(Action::Call(call)).by(&caller.caller))
    }
}

/// Whether two reads are about things that a service could mix up: they share an identifier, or have different callers.
fn are_near(one: &Step, other: &Step) -> bool {
    let (Some(ones), Some(others)) = (identifiers(one), identifiers(other)) else { return false };
    one.caller != other.caller || ones.iter().any(|name| !name.is_empty() && others.contains(name))
}

fn kind_of(read: &Step) -> Option<OperationKind> {
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
