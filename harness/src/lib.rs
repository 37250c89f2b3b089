//! The `tideover` command. It brings the crates of the harness together, and is the only one of them that knows
//! options and the terminal.
//!
//! - `tideover-exchange` is what is said, `tideover-endpoint` sends it, `tideover-judge` compares,
//!   `tideover-suite` plays, `tideover-live` asks a service that is not ours, and `tideover-report` shows it.
//! - Never here: a rule of the document, a comparison, a second form of a report.
//! - Begin at [`cli`]: one file for one command.

pub mod cli;
