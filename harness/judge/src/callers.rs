//! Who sends a request: a platform may have several keys, and what is done under one of them is seen under each.

use std::collections::BTreeMap;

use tideover_exchange::Prepared;
use tideover_model::PlatformId;

/// Platforms from this number on stand for keys whose platform is not certain. No run has so many.
pub(crate) const UNSURE: u32 = 1 << 16;

/// Whether it is certain which platform has a key.
pub(crate) fn is_certain(platform: PlatformId) -> bool {
    platform.0 < UNSURE
}

/// The first `Authorization` header of each platform.
#[derive(Clone, Debug, Default)]
pub(crate) struct Callers {
    headers: BTreeMap<PlatformId, String>,
}

impl Callers {
    /// The request of a platform under the first of its keys. `None` if that is its own, or nobody knows whose it is.
    pub(crate) fn under_first_key(
        &mut self,
        sent: &Prepared,
        platform: Option<PlatformId>,
    ) -> Option<Prepared> {
        let header = sent.authorization.as_ref()?;
        let platform = platform.filter(|platform| is_certain(*platform))?;
        let first = self.headers.entry(platform).or_insert_with(|| header.clone());
        (first != header).then(|| Prepared { authorization: Some(first.clone()), ..sent.clone() })
    }
}

#[cfg(test)]
mod tests {
    use tideover_exchange::{Prepared, PreparedAction};
    use tideover_model::PlatformId;

    use super::Callers;

    fn under(key: &str) -> Prepared {
        let authorization = Some(format!("Bearer {key}"));
        Prepared { authorization, action: PreparedAction::Deliveries }
    }

    /// What a platform does under its second key, its subscriptions under the first one may tell of.
    #[test]
    fn all_keys_of_a_platform_are_one_caller() {
        let [own, other] = [PlatformId::DEFAULT, PlatformId(7)];
        let mut callers = Callers::default();
        assert_eq!(callers.under_first_key(&under("a"), Some(own)), None);
        assert_eq!(callers.under_first_key(&under("b"), Some(own)), Some(under("a")));
        assert_eq!(callers.under_first_key(&under("c"), Some(other)), None);
        assert_eq!(callers.under_first_key(&under("d"), None), None);
    }
}
