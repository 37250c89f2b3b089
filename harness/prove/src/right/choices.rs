//! The choices of a right service: those of its seed, in forms and by rules of its own.

use tideover_model::words::UnlistedEvent;
use tideover_model::{
    BusinessId, Cents, Choices, Offer, Profile, Reservation, Seeded, Terms, Token,
};

use crate::right::draw::Draw;

/// Choices that the document leaves to a service, other ones than those of the model.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct FreeChoices {
    seeded: Seeded,
    /// The number of a form, a rule or an exception for each kind of choice.
    salt: u64,
}

impl FreeChoices {
    /// Those of the right service of `seed`; `own` is the seed of what it chooses.
    pub(super) fn of(seed: u64, own: u64) -> FreeChoices {
        FreeChoices { seeded: Seeded { seed: own }, salt: Draw::of_seed(!seed).next() }
    }

    /// One of so many ways, drawn for the kind of choice of this number.
    fn way(&self, kind: u32, ways: u64) -> u64 {
        self.salt.rotate_right(kind * 8) % ways
    }
}

impl Choices for FreeChoices {
    type Base = Seeded;

    fn base(&mut self) -> &mut Seeded {
        &mut self.seeded
    }

    /// `gap.apiKeys`, `gap.invitationLink`, `gap.subscriptionForm`, `gap.deliveryIdentity`
    fn token(&mut self, purpose: Token, counter: u64) -> String {
        let token = self.seeded.token(purpose, counter);
        match (purpose, self.way(0, 4)) {
            (Token::ApiKey, 0) => token.replacen("rap_sk_", "live_sk_", 1),
            (Token::ApiKey, _) | (_, 0) => token,
            (_, 1) => token.rsplit('_').next().unwrap_or_default().to_owned(),
            (_, 2) => token.to_uppercase(),
            _ => token.replace('_', "."),
        }
    }

    /// `gap.pricing`: amounts in whole units of the service's own, and never more than is left for the fee.
    fn offer(&mut self, profile: &Profile, business: BusinessId, terms: Terms) -> Offer {
        let offer = self.seeded.offer(profile, business, terms);
        let unit = [1, 1, 5, 100][usize::try_from(self.way(1, 4)).unwrap_or(0)];
        let Cents(cents) = offer.advance;
        Offer { advance: Cents(cents - cents % unit), ..offer }
    }

    /// `gap.alreadyCollected`, `gap.zeroAdvance`
    fn reserves(&mut self, reservation: Reservation) -> bool {
        match reservation {
            Reservation::Collected => self.way(2, 2) == 0,
            Reservation::ZeroAdvance => self.way(3, 2) == 0,
            Reservation::Unknown => false,
        }
    }

    /// `9.versioning.4`
    fn unlisted_event(&mut self, event: u64) -> Option<UnlistedEvent> {
        let is_sent = self.way(4, 4) == 0 && event.is_multiple_of(5);
        is_sent.then(|| {
            if event.is_multiple_of(2) { UnlistedEvent::ALL[0] } else { UnlistedEvent::ALL[1] }
        })
    }
}
