//! Choices that the service may not make.

use std::collections::BTreeMap;

use tideover_model::{BusinessId, Cents, Choices, Code, Offer, Profile, Seeded, Terms, Token};

/// The choices of a service, one kind of which may be wrong.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DefectiveChoices<C = Seeded> {
    right: C,
    wrong: Option<WrongChoice>,
    /// What was outstanding with each business at the last question about its limit. Only
    /// [`WrongChoice::StaleLimit`] needs it: any other service would have more states for nothing.
    outstanding: BTreeMap<BusinessId, Cents>,
}

/// The choice that is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WrongChoice {
    /// No limit is ever reached.
    NoLimit,
    /// The limit is a tenth too high.
    WideLimit,
    /// What was outstanding at the question before is compared with the limit.
    StaleLimit,
    /// A face value of any size is financed in full.
    NoCap,
    /// The cap is a cent too high.
    CapOffByOne,
    /// The fee is deducted from the amount paid out.
    FeeTakenOff,
    /// Nothing is refused with this code.
    Overlooked(Code),
    /// Every token for this purpose is the same.
    Same(Token),
    /// Every accepted delivery is sent twice, which the document permits.
    Twice,
}

impl<C> DefectiveChoices<C> {
    pub(crate) fn new(right: C, wrong: Option<WrongChoice>) -> DefectiveChoices<C> {
        DefectiveChoices { right, wrong, outstanding: BTreeMap::new() }
    }
}

impl<C: Choices> Choices for DefectiveChoices<C> {
    type Base = C;

    fn base(&mut self) -> &mut C {
        &mut self.right
    }

    fn token(&mut self, purpose: Token, counter: u64) -> String {
        let counter = if self.wrong == Some(WrongChoice::Same(purpose)) { 0 } else { counter };
        self.right.token(purpose, counter)
    }

    fn offer(&mut self, profile: &Profile, business: BusinessId, terms: Terms) -> Offer {
        let cap = match self.wrong {
            Some(WrongChoice::NoCap) => Cents(i64::MAX),
            Some(WrongChoice::CapOffByOne) => profile.per_invoice_maximum + Cents(1),
            Some(WrongChoice::FeeTakenOff) => {
                let offer = self.right.offer(profile, business, terms);
                return Offer { advance: offer.advance - offer.fee, ..offer };
            }
            _ => return self.right.offer(profile, business, terms),
        };
        let capped = Profile { per_invoice_maximum: cap, ..profile.clone() };
        self.right.offer(&capped, business, terms)
    }

    fn fits(&mut self, profile: &Profile, business: BusinessId, outstanding: Cents) -> bool {
        let outstanding = match self.wrong {
            Some(WrongChoice::NoLimit) => Cents::ZERO,
            Some(WrongChoice::WideLimit) => Cents(outstanding.0 / 11 * 10),
            Some(WrongChoice::StaleLimit) => {
                self.outstanding.insert(business, outstanding).unwrap_or(Cents::ZERO)
            }
            _ => outstanding,
        };
        self.right.fits(profile, business, outstanding)
    }

    fn refuses_with(&mut self, code: Code) -> bool {
        self.wrong != Some(WrongChoice::Overlooked(code)) && self.right.refuses_with(code)
    }

    fn is_duplicated(&mut self, profile: &Profile, delivery: u64) -> bool {
        self.wrong == Some(WrongChoice::Twice) || self.right.is_duplicated(profile, delivery)
    }
}
