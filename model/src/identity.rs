//! The service's internal identifiers: dense numbers in order of creation, never shown to a caller.

use serde::{Deserialize, Serialize};

macro_rules! identity {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        pub struct $name(pub u32);
    };
}

identity! {
    /// A caller with its own API keys and its own external identifiers.
    PlatformId
}
identity! {
    /// A business as the service knows it, perhaps under identifiers of several platforms.
    BusinessId
}
identity! {
    /// One platform's relationship with a business: what its `externalId` names (§5 rule 4).
    RelationshipId
}
identity! {
    /// An invoice: (platform, payee, invoice identifier) (§1 rule 3).
    InvoiceId
}

identity! {
    /// A webhook subscription.
    SubscriptionId
}

impl PlatformId {
    /// The platform that exists from the start.
    pub const DEFAULT: PlatformId = PlatformId(0);
}
