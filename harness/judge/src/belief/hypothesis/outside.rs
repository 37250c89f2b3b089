//! Responses of the operator port. They are no evidence against the service: they report what happened
//! outside.

use tideover_exchange::target::{Target, is_this_machine};
use tideover_exchange::{Prepared, Response};
use tideover_model::destination::is_left_open;
use tideover_model::wire::field;
use tideover_model::{Destinations, clause};
use url::Url;

use crate::belief::Observation;
use crate::belief::hypothesis::deeds::Deeds;
use crate::belief::hypothesis::{Fit, Hypothesis, Subject, status_point};
use crate::belief::reading::Revealed;
use crate::comparison::Comparison;
use tideover_model::{Code, OperationKind};

impl Hypothesis {
    /// The hypothesis after an action. A success means that the event happened now or before. Anything else means
    /// that it did not happen.
    pub(super) fn after_action(
        &self,
        Observation { sent, seen, now }: Observation<'_>,
    ) -> (Hypothesis, Fit) {
        if !seen.is_success() {
            return (self.clone(), Fit { predicted: seen.clone(), ..Fit::default() });
        }
        let mut after = self.clone();
        let (predicted, refusal) = after.play(sent, Revealed::by(seen), now);
        if predicted.is_success() {
            // Binds the names in the response, such as a key. No point of it accuses the service.
            let action = &sent.action;
            let comparison = Comparison {
                action,
                kind: None,
                seen,
                predicted: &predicted,
                refusal,
                freedom: None,
            };
            comparison.points(&mut after.bindings);
            return (after, Fit { predicted, refusal, ..Fit::default() });
        }
        let mut forced = self.clone();
        let Subject { platform, payee, .. } = self.subject(sent);
        let is_done = payee.is_some_and(|payee| {
            Deeds { hypothesis: &mut forced, platform, payee: &payee, now }.act(sent)
        });
        let after = if is_done { forced } else { self.clone() };
        let expected = "a refusal, as the model has it";
        let point = status_point(clause!("gap.operatorPort"), false, expected, seen);
        (after, Fit { predicted, refusal, points: vec![point], ..Fit::default() })
    }

    /// The same hypothesis, where the target accepts a destination that the document does not name, or one like the
    /// run's own inbox. A service that sends to an inbox on this machine, or elsewhere over plain http, is open for
    /// tests, so other such destinations prove nothing.
    pub(super) fn with_open_door(
        &self,
        sent: &Prepared,
        predicted: &Response,
        seen: &Response,
    ) -> Option<Hypothesis> {
        let is_refused = predicted.code() == Some(Code::DestinationRefused.name());
        let is_past_door = seen.is_success() || seen.code() == Some(Code::AlreadySubscribed.name());
        if sent.kind() != Some(OperationKind::Subscribe) || !is_refused || !is_past_door {
            return None;
        }
        let url = sent.call()?.body().json()?.get(field::URL)?.as_str()?;
        let is_open = is_left_open(url) && seen.is_success();
        (is_open || self.is_like_inbox(url)).then(|| {
            let mut opened = self.clone();
            opened.service().send_to(Destinations::Anywhere);
            opened
        })
    }

    /// Whether a service that sends to the run's inbox is open for this URL, too.
    fn is_like_inbox(&self, url: &str) -> bool {
        let inbox = self.bare.inbox().and_then(|inbox| Url::parse(inbox).ok());
        // An inbox on this machine opens no more than this machine.
        inbox.zip(Url::parse(url).ok()).is_some_and(|(inbox, url)| match is_this_machine(&inbox) {
            true => is_this_machine(&url),
            false => inbox.scheme() == "http" && url.scheme() == "http",
        })
    }

    /// Undoes `with_open_door`, which applies to one request.
    pub(super) fn shut_door(&mut self) {
        let inbox = self.bare.inbox().map(str::to_owned).unwrap_or_default();
        self.service().send_to(Destinations::PublicAnd(inbox));
    }
}
