//! Choices read off the answers of a target.

use serde_json::Value;
use tideover_model::wire::reply::Remittance;
use tideover_model::{
    BusinessId, Cents, Choices, Code, FaceValue, Offer, Profile, Reservation, Seconds, Seeded,
    Terms, Token, Transition,
};

use crate::exchange::Seen;

/// So late that a transition happens when an answer shows it, and not before. Seconds: a hundred years.
pub(crate) const NEVER: Seconds = 100 * 366 * 24 * 3600;

/// What a target chooses, as the answer at hand tells it.
///
/// Names are stand-ins until they are bound to the target's own. Offers, limits and what else decides whether
/// an invoice is financed are what makes the answer right, if anything can.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Reading {
    names: Seeded,
    revealed: Revealed,
    /// The code that a refusal is told with where several hold; none while they go by precedence.
    refused_with: Option<Code>,
    offered: Cents,
    face_value: Cents,
    asked: Option<Asked>,
}

/// What an answer tells of choices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Revealed {
    offer: Option<Amounts>,
    financed: Option<bool>,
    code: Option<Code>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Amounts {
    financeable: Option<Cents>,
    advance: Cents,
    fee: Cents,
}

/// A question about a limit: the concentration limit of a business.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Asked {
    pub(crate) business: BusinessId,
    /// Without the advance in question. Cents.
    pub(crate) outstanding: Cents,
    /// What the advance would be. Cents.
    pub(crate) advance: Cents,
    /// The face value that the advance is offered for. Cents.
    pub(crate) face_value: Cents,
}

impl Revealed {
    /// What `seen` tells.
    pub(crate) fn by(seen: &Seen) -> Revealed {
        let body = seen.success_body();
        let code = seen.code().and_then(Code::parse);
        let fundable = body.and_then(|body| body.get("fundable")?.as_bool());
        let granted = body.and_then(|body| body.get("alreadyRequested")).map(|_| true);
        let nested = body.and_then(|body| body.get("advance"));
        Revealed {
            offer: body.and_then(amounts).or_else(|| nested.and_then(amounts)),
            financed: fundable.or(granted).or_else(|| code.map(|_| false)),
            code,
        }
    }

    /// That a request was refused with `code`.
    pub(crate) fn refused(code: Code) -> Revealed {
        Revealed { code: Some(code), ..Revealed::default() }
    }

    /// The same, of a request that was granted.
    pub(crate) fn granted(self) -> Revealed {
        Revealed { financed: Some(true), code: None, ..self }
    }

    /// Whether the amounts of an advance are told.
    pub(crate) fn has_offer(&self) -> bool {
        self.offer.is_some()
    }

    /// The amounts of an advance that are not told, and so are estimates.
    pub(crate) fn unrevealed(&self) -> &'static [&'static str] {
        match self.offer {
            None => &["financeableAmount", "advanceAmount", "feeTotal", "forwardedAtPayment"],
            Some(Amounts { financeable: None, .. }) => &["financeableAmount"],
            Some(_) => &[],
        }
    }
}

fn amounts(body: &Value) -> Option<Amounts> {
    Some(Amounts {
        financeable: amount(body, "financeableAmount"),
        advance: amount(body, "advanceAmount")?,
        fee: amount(body, "feeTotal")?,
    })
}

/// An amount that an answer tells of an invoice, if it can be one: it is not negative, and no more than any
/// invoice is worth (`8.faceValue`). Cents.
pub(crate) fn amount(body: &Value, name: &str) -> Option<Cents> {
    let cents = body.get(name)?.as_i64()?;
    (0..=FaceValue::MAX).contains(&cents).then_some(Cents(cents))
}

impl Reading {
    pub(crate) fn new() -> Reading {
        Reading {
            names: Seeded { seed: 0 },
            revealed: Revealed::default(),
            refused_with: None,
            offered: Cents::ZERO,
            face_value: Cents::ZERO,
            asked: None,
        }
    }

    /// From now on, choices are those that `told` tells.
    pub(crate) fn read(&mut self, revealed: Revealed) {
        *self = Reading { revealed, ..Reading::new() };
    }

    /// Of several refusals that hold, the one is told that was seen.
    pub(crate) fn leave_precedence(&mut self) {
        self.refused_with = self.revealed.code;
    }

    /// The question about a limit that was asked last.
    pub(crate) fn take_asked(&mut self) -> Option<Asked> {
        self.asked.take()
    }
}

impl Choices for Reading {
    fn remittance(&mut self, business: BusinessId) -> Remittance {
        self.names.remittance(business)
    }

    fn token(&mut self, purpose: Token, counter: u64) -> String {
        self.names.token(purpose, counter)
    }

    fn offer(&mut self, profile: &Profile, business: BusinessId, terms: Terms) -> Offer {
        let estimate = self.names.offer(profile, business, terms);
        let offer = match self.revealed.offer {
            None => estimate,
            Some(Amounts { financeable, advance, fee }) => Offer {
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
        self.asked = Some(Asked { business, outstanding, advance, face_value });
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
            Reservation::Unknown => self.revealed.code == Some(Code::InvoiceNotFinanceable),
        }
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
}
