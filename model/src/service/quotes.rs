//! Prices without an invoice (§4 `POST /v1/quotes`).

use crate::cents::FaceValue;
use crate::choices::Choices;
use crate::clause;
use crate::face::Answer;
use crate::identity::PlatformId;
use crate::pricing::Terms;
use crate::service::Service;
use crate::wire::reply::{Quoted, Reply};

impl<C: Choices> Service<C> {
    /// `POST /v1/quotes`: a price (`4.quotes.1`) for a known business (`4.quotes.6`). It depends on no
    /// invoice (`4.quotes.7`), so the service may still refuse the advance (`4.quotes.8`). Changes nothing
    /// (`4.quotes.2`).
    pub(super) fn quote(
        &mut self,
        caller: PlatformId,
        external_id: &str,
        face_value: FaceValue,
    ) -> Answer {
        let relationship = self.known_relationship(caller, external_id, clause!("4.quotes.6"))?;
        let business = self.relationship(relationship).business;
        // `gap.quoteTerm`
        let terms = Terms { face_value, days: self.profile.quote_term_days };
        let offer = self.choices.offer(&self.profile, business, terms);
        let objection = self.object_to_amount(business, &offer).err();
        Ok(Reply::Quoted(Quoted {
            amounts: offer.into(),
            fundable: objection.is_none(),
            not_fundable_reason: objection.map(|objection| objection.sentence()),
            onboarding: self.business(business).onboarding(),
        }))
    }
}
