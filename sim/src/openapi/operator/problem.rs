//! The errors of the operator port, one row each.

use serde_json::{Value, json};
use tideover_model::wire::action::NotApplied;
use tideover_model::wire::reply::Failure;
use tideover_model::{Code, Impossible, Status};

use crate::history::{EntryName, NotKept};

/// A failure of a request.
#[derive(Clone, Copy, Debug)]
pub(super) enum Problem {
    ForeignOrigin,
    ForeignHost,
    UnknownKey,
    TooLarge,
    Unreadable,
    /// With what is wrong, as an example.
    Invalid(&'static str),
    UnknownAction,
    UnknownDelivery,
    UnknownFault,
    UnknownWorld,
    UnknownEntry,
    UnknownBusiness,
    UnknownInvoice,
    /// With a reason, as an example.
    Refused(&'static str),
}

impl Problem {
    /// When it comes.
    pub(super) fn means(self) -> &'static str {
        match self {
            Problem::ForeignOrigin => {
                "the `Origin` header names another host or port than `Host`, and `--cors` does not allow it"
            }
            Problem::ForeignHost => {
                "the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or \
                 `--cors` gives"
            }
            Problem::UnknownKey => "the API key was never issued",
            Problem::TooLarge => "the body has more than 1048576 bytes",
            Problem::Unreadable => "the body is not JSON",
            Problem::Invalid(_) => "a field or a parameter does not fit; the sentence names it",
            Problem::UnknownAction => "no action has this name",
            Problem::UnknownDelivery => "no delivery that is kept has this identifier",
            Problem::UnknownFault => "no rule has this number",
            Problem::UnknownWorld => "no world has this name",
            Problem::UnknownEntry => "no state is kept at this entry; the sentence says which are",
            Problem::UnknownBusiness => "the caller has not synced this business",
            Problem::UnknownInvoice => "the caller has not synced this invoice",
            Problem::Refused(_) => "that cannot happen now; nothing has changed",
        }
    }

    pub(super) fn status(self) -> u16 {
        match self.answer() {
            Ok(why) => why.status(),
            Err(code) => match code.status() {
                Status::Documented(status) | Status::Assumed(status) => status,
            },
        }
    }

    /// Its code, and a body with it.
    pub(super) fn example(self) -> (&'static str, Value) {
        let (code, error) = match self.answer() {
            Ok(why) => (why.code(), why.to_string()),
            Err(code) => (code.name(), code.sentence().to_owned()),
        };
        (code, json!(Failure { error: error.into(), code }))
    }

    /// An example of the error, or a code of the API if the port borrows it.
    fn answer(self) -> Result<NotApplied, Code> {
        Ok(match self {
            Problem::TooLarge => return Err(Code::PayloadTooLarge),
            Problem::UnknownBusiness => return Err(Code::BusinessNotFound),
            Problem::UnknownInvoice => return Err(Code::InvoiceNotFound),
            Problem::ForeignOrigin => NotApplied::ForeignOrigin("http://localhost:3000".into()),
            Problem::ForeignHost => NotApplied::ForeignHost("mock.example".into()),
            Problem::UnknownKey => NotApplied::UnknownKey,
            Problem::Unreadable => {
                NotApplied::Unreadable("EOF while parsing a value at line 1 column 0".into())
            }
            Problem::Invalid(why) => NotApplied::Invalid(why.into()),
            Problem::UnknownAction => NotApplied::Unknown("payorPay".into()),
            Problem::UnknownDelivery => NotApplied::UnknownDelivery,
            Problem::UnknownFault => NotApplied::UnknownFault,
            Problem::UnknownWorld => NotApplied::UnknownWorld("w7".into()),
            Problem::UnknownEntry => {
                let (entry, kept) = (EntryName::Request(3), "kept are requests 17 to 1016".into());
                NotApplied::UnknownEntry(NotKept::NoSuchEntry { entry, kept }.to_string())
            }
            Problem::Refused(why) => NotApplied::Impossible(Impossible::new(why)),
        })
    }
}
