//! Why the operator port does not do as it was asked, one row each.

use serde_json::{Value, json};
use tideover_model::wire::action::NotApplied;
use tideover_model::wire::reply::Failure;
use tideover_model::{Code, Impossible, Status};

/// A failure of a request.
#[derive(Clone, Copy, Debug)]
pub(super) enum Problem {
    UnknownKey,
    TooLarge,
    Unreadable,
    /// With what is wrong, as an example.
    Invalid(&'static str),
    UnknownAction,
    UnknownDelivery,
    UnknownFault,
    UnknownWorld,
    /// With a reason, as an example.
    Refused(&'static str),
}

impl Problem {
    /// When it comes.
    pub(super) fn means(self) -> &'static str {
        match self {
            Problem::UnknownKey => "the API key was never issued",
            Problem::TooLarge => "the body has more than 1048576 bytes",
            Problem::Unreadable => "the body is not JSON",
            Problem::Invalid(_) => "a field or a parameter does not fit; the sentence names it",
            Problem::UnknownAction => "no action has this name",
            Problem::UnknownDelivery => "no delivery that is kept has this identifier",
            Problem::UnknownFault => "no rule has this number",
            Problem::UnknownWorld => "no world has this name",
            Problem::Refused(_) => "that cannot happen now; nothing has changed",
        }
    }

    pub(super) fn status(self) -> u16 {
        match (self.not_applied(), Code::PayloadTooLarge.status()) {
            (Some(why), _) => why.status(),
            (None, Status::Documented(status) | Status::Assumed(status)) => status,
        }
    }

    /// Its code, and a body with it.
    pub(super) fn example(self) -> (&'static str, Value) {
        let too_large = Code::PayloadTooLarge;
        let (code, error) = match self.not_applied() {
            Some(why) => (why.code(), why.to_string()),
            None => (too_large.name(), too_large.sentence().to_owned()),
        };
        (code, json!(Failure { error: error.into(), code }))
    }

    /// An instance; `None` if it is no matter of the operator port alone.
    fn not_applied(self) -> Option<NotApplied> {
        Some(match self {
            Problem::TooLarge => return None,
            Problem::UnknownKey => NotApplied::UnknownKey,
            Problem::Unreadable => {
                NotApplied::Unreadable("EOF while parsing a value at line 1 column 0".into())
            }
            Problem::Invalid(why) => NotApplied::Invalid(why.into()),
            Problem::UnknownAction => NotApplied::Unknown("payorPay".into()),
            Problem::UnknownDelivery => NotApplied::UnknownDelivery,
            Problem::UnknownFault => NotApplied::UnknownFault,
            Problem::UnknownWorld => NotApplied::UnknownWorld("w7".into()),
            Problem::Refused(why) => NotApplied::Impossible(Impossible::new(why)),
        })
    }
}
