//! What is known of a target before its history is judged.

use tideover_exchange::target::{NO_INBOX, origin};
use tideover_exchange::transcript::Header;
use tideover_judge::{Outside, PriorState};
use tideover_model::{Cents, Profile, Service, Timestamp};

use crate::play::case::{Observed, TargetWorld};

/// What is known of a target before its history is judged.
#[derive(Clone, Debug)]
pub struct Known {
    /// The limits and statuses that the document leaves open.
    pub profile: Profile,
    /// The key of steps without a caller.
    pub api_key: String,
    /// Where webhooks may go although the address is not public.
    pub inbox: String,
    /// The target's time before the first request.
    pub start: Timestamp,
    /// Who moves the world outside.
    pub outside: Outside,
    /// State that may predate the first request.
    pub prior: PriorState,
    /// The concentration limit, if it is known.
    pub limit: Option<Cents>,
}

impl Known {
    /// A mock with the profile of `header`.
    pub fn of(header: &Header, inbox: &str) -> Known {
        Known {
            profile: header.profile.clone(),
            api_key: Service::FIRST_KEY.to_owned(),
            inbox: inbox.to_owned(),
            start: header.start,
            outside: Outside::Controlled,
            prior: PriorState::Nothing,
            limit: header.profile.concentration_limit.exact(),
        }
    }

    /// A fresh `target`. Of a foreign one, `header` says what is assumed.
    pub fn of_target<T: Observed>(header: &Header, target: &mut T) -> Known {
        let inbox = target.inbox().map_or_else(|| NO_INBOX.to_owned(), origin);
        let api_key = target.api_key().to_owned();
        let known = Known { api_key, ..Known::of(header, &inbox) };
        match target.world() {
            TargetWorld::Known => known,
            TargetWorld::Foreign { outside, prior, now, .. } => {
                Known { start: now, outside, prior, limit: None, ..known }
            }
        }
    }
}
