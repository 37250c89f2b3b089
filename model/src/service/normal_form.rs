//! The normal form of a service: two services that differ only in the names that they minted, in the order in
//! which entities were created, and in absolute time have the same one.

use crate::choices::{Choices, Token};
use crate::service::Service;
use crate::timestamp::{Shift, Timestamp};

impl<C: Choices> Service<C> {
    /// The service as it would be if `now` were `origin`, without what has no effect on anything to come, for
    /// a search that compares states.
    ///
    /// - Time moves: what is due in a minute stays due in a minute. No rule compares the past with anything
    ///   but the present, so all past instants become `origin`, except those that schedules count from.
    /// - Names that nothing pending bears are free again: events and deliveries are counted anew.
    /// - Relationships and invoices are numbered by the callers' identifiers, not in the order of creation.
    ///
    /// From then on, it answers as before, except for names and dates. This holds if its choices don't depend
    /// on the numbers of invoices and deliveries, if all its deliveries were polled, and if no attempt is in
    /// flight.
    #[must_use]
    pub fn normal_form(mut self, now: Timestamp, origin: Timestamp) -> Service<C> {
        self.renumber();
        self.count_anew();
        self.forget_revoked();
        self.shift(Shift { from: now, to: origin });
        self
    }

    /// Businesses keep their numbers, because their collection accounts were chosen by them.
    fn renumber(&mut self) {
        let relationships = self.relationships.renumber(|platform| platform);
        let renumbered = |id: u32| relationships[id as usize];
        for business in self.businesses.iter_mut() {
            business.relationships.iter_mut().for_each(|id| id.0 = renumbered(id.0));
            business.relationships.sort_unstable();
        }
        *self.invitations = std::mem::take(&mut *self.invitations)
            .into_iter()
            .map(|((mut id, email), invitation)| {
                id.0 = renumbered(id.0);
                ((id, email), invitation)
            })
            .collect();
        self.session_links.values_mut().for_each(|link| link.renumber(&relationships));
        let invoices = self.invoices.renumber(renumbered);
        self.invoices
            .values_mut()
            .for_each(|invoice| invoice.payor.0 = renumbered(invoice.payor.0));
        let timers = self.timers.iter().map(|(due, timer)| (*due, timer.renumbered(&invoices)));
        *self.timers = timers.collect();
    }

    /// Where nobody can delete them, the references of revoked subscriptions are unknown like any other.
    fn forget_revoked(&mut self) {
        let has_revoked = self.platforms.iter().any(|platform| !platform.revoked.is_empty());
        if has_revoked && self.profile.readings.forgotten_revoked {
            self.platforms.iter_mut().for_each(|platform| platform.revoked.clear());
        }
    }

    /// An event never has a greater number than its deliveries, so both can go on with the same.
    fn count_anew(&mut self) {
        let next = self.deliveries.next_number();
        self.minted.extend([(Token::Event, next), (Token::Delivery, next)]);
    }

    fn shift(&mut self, shift: Shift) {
        for invoice in self.invoices.values_mut() {
            invoice.issue_date = shift.ahead(invoice.issue_date);
            invoice.due_date = shift.ahead(invoice.due_date);
            invoice.advance.iter_mut().for_each(|advance| advance.shift(shift));
        }
        for business in self.businesses.iter_mut() {
            business.collection_account.shift(shift);
        }
        self.invitations.values_mut().for_each(|invitation| invitation.shift(shift));
        self.session_links.values_mut().for_each(|link| link.shift(shift));
        self.subscriptions.values_mut().for_each(|subscription| subscription.shift(shift));
        self.deliveries.shift(shift);
        *self.timers = self.timers.iter().map(|(due, it)| (shift.exactly(*due), *it)).collect();
    }
}
