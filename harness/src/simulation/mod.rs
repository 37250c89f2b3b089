//! The whole world from one seed: platforms, vendors, payors, the service, and an unreliable network.

pub mod auditor;
