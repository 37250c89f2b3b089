//! What is known of a target before its history is judged.

use tideover_exchange::target::{NO_INBOX, origin};
use tideover_exchange::transcript::Header;
use tideover_judge::{Outside, PriorState};
use tideover_model::{Cents, Profile, Service, Timestamp};

use crate::play::case::{Observed, Standing};

/// What is known of a target before its history is judged.
#[derive(Clone, Debug)]
pub struct Known {
    /// What the document leaves open, as far as it matters to answers: limits and statuses.
    pub profile: Profile,
    /// The key that steps of nobody in particular carry.
    pub api_key: String,
    /// Where webhooks may go though the address is not public.
    pub inbox: String,
    /// What the target's clock showed at first.
    pub start: Timestamp,
    /// Who moves the world outside.
    pub outside: Outside,
    /// What of that which is named may have been there before the first request.
    pub prior: PriorState,
    /// The concentration limit, if it is known. Cents.
    pub limit: Option<Cents>,
}

impl Known {
    /// A mock in the world of `header`, of which only its profile is known.
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

    /// What is known of `target` before its first request; of a foreign one, `header` says what is assumed.
    pub fn of_target<T: Observed>(header: &Header, target: &mut T) -> Known {
        let inbox = target.inbox().map_or_else(|| NO_INBOX.to_owned(), origin);
        let api_key = target.api_key().to_owned();
        let known = Known { api_key, ..Known::of(header, &inbox) };
        match target.standing() {
            Standing::Known => known,
            Standing::Foreign { outside, prior, now, .. } => {
                Known { start: now, outside, prior, limit: None, ..known }
            }
        }
    }
}
