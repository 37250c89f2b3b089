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

    /// What the target's answer shows of the destinations that it permits, if that differs from what we expect.
    ///
    /// Where the document does not name a destination, either answer proves nothing. A service that sends to an inbox on
    /// this machine, or elsewhere over plain http, is open for tests, so other such destinations prove nothing either. One
    /// that refuses such an inbox does what the document says.
    pub(super) fn destinations_of(
        &self,
        sent: &Prepared,
        predicted: &Response,
        seen: &Response,
    ) -> Option<Destinations> {
        if sent.kind() != Some(OperationKind::Subscribe) {
            return None;
        }
        let url = sent.call()?.body().json()?.get(field::URL)?.as_str()?;
        let refused = Some(Code::DestinationRefused.name());
        let is_past_door = seen.is_success() || seen.code() == Some(Code::AlreadySubscribed.name());
        if predicted.code() == refused && is_past_door {
            let is_open = is_left_open(url) && seen.is_success() || self.is_like_inbox(url);
            return is_open.then_some(Destinations::Anywhere);
        }
        let is_shut = predicted.code() != refused && seen.code() == refused;
        (is_shut && self.is_unfit_inbox(url)).then_some(Destinations::Public)
    }

    /// Whether a service that sends to the run's inbox is open for this URL, too.
    fn is_like_inbox(&self, url: &str) -> bool {
        // An inbox on this machine opens no more than this machine.
        self.beside_inbox(url).is_some_and(|(inbox, url)| match is_this_machine(&inbox) {
            true => is_this_machine(&url),
            false => inbox.scheme() == "http" && url.scheme() == "http",
        })
    }

    /// Whether a URL leads to the run's inbox, and the document refuses it.
    fn is_unfit_inbox(&self, url: &str) -> bool {
        self.beside_inbox(url).is_some_and(|(inbox, url)| {
            url.origin() == inbox.origin()
                && Destinations::Public.judge(inbox.as_str(), &[]).is_err()
        })
    }

    /// The URL of the run's inbox, and this one.
    fn beside_inbox(&self, url: &str) -> Option<(Url, Url)> {
        Url::parse(self.bare.inbox()?).ok().zip(Url::parse(url).ok())
    }

    /// Compares under other destinations. They apply to one request.
    pub(super) fn compare_with(
        &self,
        destinations: Destinations,
        observed: Observation<'_>,
        revealed: Revealed,
    ) -> (Hypothesis, Fit) {
        let mut other = self.clone();
        other.service().send_to(destinations);
        let fit = other.compare(observed, revealed);
        let inbox = self.bare.inbox().map(str::to_owned).unwrap_or_default();
        other.service().send_to(Destinations::PublicAnd(inbox));
        (other, fit)
    }
}
