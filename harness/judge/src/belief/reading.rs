//! Choices inferred from the responses of a target.

use std::collections::BTreeMap;

use serde_json::Value;
use tideover_exchange::Response;
use tideover_model::wire::field::{self, Fields};
use tideover_model::words::UnlistedEvent;
use tideover_model::{
    BusinessId, Cents, Choices, Code, FaceValue, Offer, Profile, Reading, Reservation, Seconds,
    Seeded, Terms, Transition,
};

/// A delay so long that a transition happens only when a response shows it: a hundred years. Seconds.
pub(crate) const NEVER: Seconds = 100 * 366 * 24 * 3600;

/// A target's choices, as the current response reveals them.
///
/// Names are placeholders until they are bound to the target's own. Offers, limits and the other choices that
/// decide whether an invoice is financed take the values that make the response right, if any values can.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct InferredChoices {
    names: Seeded,
    revealed: Revealed,
    /// The code of the refusal where several conditions hold. `None` while precedence decides.
    refused_with: Option<Code>,
    offered: Cents,
    face_value: Cents,
    limit_question: Option<LimitQuestion>,
    /// How the target reads what can be read in two ways, as far as that mattered.
    pub(crate) readings: BTreeMap<Reading, bool>,
    /// The first reading that mattered for the current response and is undecided.
    pub(crate) undecided: Option<Reading>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Revealed {
    offer: Option<OfferAmounts>,
    financed: Option<bool>,
    code: Option<Code>,
    /// Whether an invoice may be refused for a reason that is not shown.
    is_unreserved: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct OfferAmounts {
    financeable: Option<Cents>,
    advance: Cents,
    fee: Cents,
}

/// A question about the concentration limit of a business.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LimitQuestion {
    pub(crate) business: BusinessId,
    /// Without the advance in question. Cents.
    pub(crate) outstanding: Cents,
    pub(crate) advance: Cents,
    pub(crate) face_value: Cents,
}

impl Revealed {
    pub fn by(seen: &Response) -> Revealed {
        let body = seen.success_body();
        let code = seen.code().and_then(Code::parse);
        let fundable = body.and_then(|body| Fields::of(body).fundable());
        let granted = body.and_then(|body| body.get(field::ALREADY_REQUESTED)).map(|_| true);
        let nested = body.and_then(|body| body.get(field::ADVANCE));
        Revealed {
            offer: body.and_then(amounts).or_else(|| nested.and_then(amounts)),
            financed: fundable.or(granted).or_else(|| code.map(|_| false)),
            code,
            is_unreserved: false,
        }
    }

    /// The same choices, where no invoice is refused for a reason that is not shown.
    pub(crate) fn without_reservation(self) -> Revealed {
        Revealed { is_unreserved: true, ..self }
    }

    pub(crate) fn refused(code: Code) -> Revealed {
        Revealed { code: Some(code), ..Revealed::default() }
    }

    /// The same choices, for a request that was granted.
    pub(crate) fn granted(self) -> Revealed {
        Revealed { financed: Some(true), code: None, ..self }
    }

    pub fn has_offer(&self) -> bool {
        self.offer.is_some()
    }

    /// The amounts of an advance that are not shown, and so are estimates.
    pub(crate) fn unrevealed(&self) -> &'static [&'static str] {
        match self.offer {
            None => &[
                field::FINANCEABLE_AMOUNT,
                field::ADVANCE_AMOUNT,
                field::FEE_TOTAL,
                "forwardedAtPayment",
            ],
            Some(OfferAmounts { financeable: None, .. }) => &[field::FINANCEABLE_AMOUNT],
            Some(_) => &[],
        }
    }
}

fn amounts(body: &Value) -> Option<OfferAmounts> {
    Some(OfferAmounts {
        financeable: amount(body, field::FINANCEABLE_AMOUNT),
        advance: amount(body, field::ADVANCE_AMOUNT)?,
        fee: amount(body, field::FEE_TOTAL)?,
    })
}

/// An amount of an invoice in a response, if it is possible: not negative, and at most the greatest face
/// value (`8.faceValue`). Cents.
pub fn amount(body: &Value, name: &str) -> Option<Cents> {
    let cents = body.get(name)?.as_i64()?;
    (0..=FaceValue::MAX).contains(&cents).then_some(Cents(cents))
}

impl InferredChoices {
    pub(crate) fn new() -> InferredChoices {
        InferredChoices {
            names: Seeded { seed: 0 },
            revealed: Revealed::default(),
            refused_with: None,
            offered: Cents::ZERO,
            face_value: Cents::ZERO,
            limit_question: None,
            readings: BTreeMap::new(),
            undecided: None,
        }
    }

    pub(crate) fn read(&mut self, revealed: Revealed) {
        let readings = std::mem::take(&mut self.readings);
        *self = InferredChoices { revealed, readings, ..InferredChoices::new() };
    }

    pub(crate) fn decide(&mut self, reading: Reading, value: bool) {
        self.readings.insert(reading, value);
        self.undecided = None;
    }

    /// Where several refusals hold, uses the one that was seen.
    pub(crate) fn leave_precedence(&mut self) {
        self.refused_with = self.revealed.code;
    }

    pub(crate) fn take_limit_question(&mut self) -> Option<LimitQuestion> {
        self.limit_question.take()
    }
}

impl Choices for InferredChoices {
    type Base = Seeded;

    fn base(&mut self) -> &mut Seeded {
        &mut self.names
    }

    fn offer(&mut self, profile: &Profile, business: BusinessId, terms: Terms) -> Offer {
        let estimate = self.names.offer(profile, business, terms);
        let offer = match self.revealed.offer {
            None => estimate,
            Some(OfferAmounts { financeable, advance, fee }) => Offer {
                financeable: financeable.unwrap_or(estimate.financeable),
                advance,
                fee,
                ..estimate
            },
        };
        (self.offered, self.face_value) = (offer.advance, offer.face_value);
        offer
    }

    fn fits(&mut self, _profile: &Profile, business: BusinessId, outstanding: Cents) -> bool {
        let (advance, face_value) = (self.offered, self.face_value);
        let outstanding = outstanding - advance;
        self.limit_question = Some(LimitQuestion { business, outstanding, advance, face_value });
        match self.revealed.code {
            Some(code) => code != Code::ConcentrationExceeded,
            None => self.revealed.financed.unwrap_or(true),
        }
    }

    fn reserves(&mut self, reservation: Reservation) -> bool {
        match reservation {
            Reservation::Collected | Reservation::ZeroAdvance => {
                self.revealed.financed != Some(true)
            }
            Reservation::Unknown => {
                self.revealed.code == Some(Code::InvoiceNotFinanceable)
                    && !self.revealed.is_unreserved
            }
        }
    }

    fn reads_so(&mut self, profile: &Profile, reading: Reading) -> bool {
        self.readings.get(&reading).copied().unwrap_or_else(|| {
            self.undecided.get_or_insert(reading);
            profile.readings.get(reading)
        })
    }

    fn refuses_with(&mut self, code: Code) -> bool {
        self.refused_with.is_none_or(|revealed| revealed == code)
    }

    fn delay(&mut self, _profile: &Profile, _transition: Transition) -> Seconds {
        NEVER
    }

    fn lateness(&mut self, _profile: &Profile, _delivery: u64) -> Seconds {
        0
    }

    fn is_duplicated(&mut self, _profile: &Profile, _delivery: u64) -> bool {
        false
    }

    fn unlisted_event(&mut self, _event: u64) -> Option<UnlistedEvent> {
        None
    }
}
