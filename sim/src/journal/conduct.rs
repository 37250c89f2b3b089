//! A recorded request as the watch of conduct sees it. It is parsed only when someone asks, so that recording stays cheap.

use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, ORIGIN};
use tideover_model::bearer;
use tideover_model::conduct::{Access, Answered, Arrival, Exchange, Moment, RequestId};
use tideover_model::wire::route::route;

use crate::fault::{Act, When};
use crate::journal::record::Record;

/// Only browsers send it. The mock's own page is of the same origin.
const FETCH_SITE: &str = "sec-fetch-site";
const ELSEWHERE: [&str; 2] = ["cross-site", "same-site"];

impl Record {
    /// Calls `take` with the request of this number.
    pub(super) fn witness(&self, number: u64, take: &mut impl FnMut(&Exchange<'_>)) {
        let header =
            |wanted: &str| self.headers().find(|(name, _)| *name == wanted).map(|(_, value)| value);
        let content_type = header(CONTENT_TYPE.as_str());
        let route = self.whole_path().and_then(|path| route(self.method(), path).ok());
        let operation = route
            .filter(|_| self.has_whole_body())
            .and_then(|route| route.decode(content_type.as_deref(), self.sent()).ok());
        let authorization = header(AUTHORIZATION.as_str());
        let is_elsewhere = header(FETCH_SITE).is_some_and(|site| ELSEWHERE.contains(&&*site));
        let access = match authorization.as_deref().map(bearer) {
            Some(Some(_)) if header(ORIGIN.as_str()).is_some() && is_elsewhere => Access::Browser,
            Some(Some(_)) => Access::Key,
            Some(None) => Access::None,
            // Headers that are not kept say nothing.
            None if self.are_headers_cut() => Access::Key,
            None => Access::None,
        };
        let key = authorization.as_deref().unwrap_or_default().as_bytes();
        // Masked keys of two platforms may look the same.
        let caller = self.caller.map_or([0xff; 4], |caller| caller.0.to_le_bytes());
        let (method, path) = (self.method().as_bytes(), self.path().as_bytes());
        let parts = [&caller, key, method, path, self.query(), self.sent()];
        let sent = Moment { world: self.time, wall: self.real_time };
        let answer =
            self.status.map(|status| Answered { status, code: self.code, body: self.answered() });
        take(&Exchange {
            number,
            sent_after: self.after,
            sent,
            ended: Moment { wall: self.real_time + self.delay(), ..sent },
            changes: Some(self.turns),
            caller: self.caller,
            kind: self.operation,
            operation: operation.as_ref(),
            request: self.is_whole().then(|| RequestId::of(&parts)),
            access,
            answer,
            arrival: self.arrival(),
            retry_after: self.retry_after,
            taken: None,
        });
    }

    /// How much later than the request its answer leaves. Milliseconds.
    fn delay(&self) -> u64 {
        match self.act {
            Some(Act::AnswerDelayed { milliseconds }) => milliseconds,
            _ => 0,
        }
    }

    /// What of the answer reaches the client.
    fn arrival(&self) -> Arrival {
        match self.act {
            Some(Act::ConnectionDrops { when: When::BeforeCommit | When::AfterCommit })
            | Some(Act::ImportStops { .. }) => Arrival::Lost,
            Some(Act::AnswerCut { after_bytes }) if self.answered_length() as u64 > after_bytes => {
                Arrival::Lost
            }
            Some(Act::AnswerDelayed { .. }) => Arrival::Late,
            Some(
                Act::AnswerCut { .. }
                | Act::UpstreamFails { .. }
                | Act::RequestRepeated
                | Act::RequestThrottled { .. }
                // It acts on no request.
                | Act::Delivery(_),
            )
            | None => Arrival::Whole,
        }
    }
}
