//! What a world is asked that nobody sees.

use tideover_model::wire::reply::Reply;
use tideover_model::{
    BusinessId, Cents, Code, Face, FaceValue, Operation, OperationKind, PlatformId, Service,
    Timestamp,
};

use crate::exchange::Prepared;
use crate::judge::reading::{Asked, NEVER, Reading, Revealed};
use crate::judge::world::{Subject, World};

impl World {
    /// What `operation` would be answered, and nothing else.
    pub(crate) fn look(
        &self,
        now: Timestamp,
        platform: PlatformId,
        operation: Operation,
    ) -> Option<Reply> {
        self.bare.face().clone().handle(now, platform, operation).ok()
    }

    /// Whether a tax id of a business is on file, if a platform calls one so.
    pub(crate) fn has_tax_id(
        &self,
        now: Timestamp,
        platform: PlatformId,
        payee: &str,
    ) -> Option<bool> {
        match self.look(now, platform, Operation::GetBusiness { business: payee.to_owned() })? {
            Reply::Business(business) => Some(business.tax_id_on_file),
            _ => None,
        }
    }

    /// Whether a request tells the tax id of a business that is known and has none.
    pub(crate) fn lacks_tax_id(&self, sent: &Prepared, now: Timestamp) -> bool {
        if sent.kind() != Some(OperationKind::SyncBusiness) || self.tax_ids(sent).is_empty() {
            return false;
        }
        let Subject { platform, payee, .. } = self.subject(sent);
        payee.and_then(|payee| self.has_tax_id(now, platform, &payee)) == Some(false)
    }

    /// What is outstanding with a business at the least: whatever takes its time may have happened. Cents.
    pub(crate) fn least_outstanding(&self, platform: PlatformId, payee: &str) -> Option<Cents> {
        let mut service = self.bare.face().clone();
        let (business, eventually) = (payee.to_owned(), service.poll_timeout());
        if let Some(eventually) = eventually {
            // One transition enables the next.
            (1..=2).for_each(|times| service.handle_timeout(eventually.after(times * NEVER)));
        }
        let now = self.bare.now();
        asked_of_limit(&mut service, now, platform, business).map(|asked| asked.outstanding)
    }

    /// The business that a platform calls `payee`.
    pub(crate) fn business(&self, platform: PlatformId, payee: &str) -> Option<BusinessId> {
        let (mut service, now) = (self.bare.face().clone(), self.bare.now());
        let asked = asked_of_limit(&mut service, now, platform, payee.to_owned());
        asked.map(|asked| asked.business)
    }
}

/// The question about its limit that a quote for a business asks, whatever else is missing.
fn asked_of_limit(
    service: &mut Service<Reading>,
    now: Timestamp,
    platform: PlatformId,
    business: String,
) -> Option<Asked> {
    service.choices_mut().read(Revealed::refused(Code::ConcentrationExceeded));
    service.choices_mut().leave_precedence();
    let quote = Operation::Quote { business, face_value: FaceValue::new(1)? };
    service.handle(now, platform, quote).ok()?;
    service.choices_mut().take_asked()
}
