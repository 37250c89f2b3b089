//! What several tests need. No test file imports another: what they share is here.

pub(crate) mod app;
pub(crate) mod browser;
pub(crate) mod command;
pub(crate) mod foreign;
pub(crate) mod hostile;
pub(crate) mod live;
pub(crate) mod mortal;
pub(crate) mod pages;
pub(crate) mod plain;
pub(crate) mod races;
pub(crate) mod receiver;
pub(crate) mod reports;
pub(crate) mod settings;
pub(crate) mod slow;
pub(crate) mod tls;
