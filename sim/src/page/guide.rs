//! The guide, as it is in `docs/`: the page leads to it, and a mock may run where nothing else can be reached.

use crate::page::Asset;

macro_rules! pages {
    ($($name:literal),* $(,)?) => {
        &[$(Asset {
            path: concat!("/_sim/guide/", $name),
            media: "text/markdown; charset=utf-8",
            text: include_str!(concat!("../../../docs/", $name)),
        }),*]
    };
}

/// All pages, and the table of contents. A test compares them with `docs/`.
pub(super) const PAGES: &[Asset] = pages![
    "SUMMARY.md",
    "introduction.md",
    "start-integrator.md",
    "start-qa.md",
    "start-service.md",
    "mock.md",
    "page.md",
    "operator-port.md",
    "worlds.md",
    "journal.md",
    "step-back.md",
    "profiles.md",
    "faults.md",
    "grease.md",
    "webhooks.md",
    "webhook-faults.md",
    "signatures.md",
    "receiver-check.md",
    "conduct.md",
    "tests.md",
    "check.md",
    "findings.md",
    "reports.md",
    "regressions.md",
    "drift.md",
    "sandbox.md",
    "live.md",
    "foreign.md",
    "recorded.md",
    "watch.md",
    "prove.md",
    "proof.md",
    "liberties.md",
    "simulate.md",
    "explore.md",
    "ci.md",
    "commands.md",
    "figures.md",
    "architecture.md",
    "extending.md",
    "api.md",
    "glossary.md",
];
