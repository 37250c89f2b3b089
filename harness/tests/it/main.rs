//! The harness, through its public face.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod cleanup;
mod clients;
mod clock;
mod command;
mod concurrent;
mod curl;
mod generation;
mod guide;
mod guide_commands;
mod hostile;
mod http_client;
mod inbox_server;
mod keys;
mod layers;
mod learning;
mod liberties;
mod live;
mod live_races;
mod noticed;
mod page;
mod planted;
mod proof;
mod receiver_check;
mod receivers;
mod recorded;
mod rehearsed;
mod replica;
mod report;
mod sandbox;
mod scope;
mod signature;
mod standing;
mod stories;
mod stranger;
mod support;
