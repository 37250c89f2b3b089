//! A contract suite for the Receivables Advance Partner API. It plays random operation sequences against
//! the model, the mock or a live endpoint, and reports which clauses held.
//!
//! Each module imports only modules below it:
//!
//! | module | contents |
//! | --- | --- |
//! | [`cli`] | options, dispatch, exit codes; one file for one command |
//! | [`explore`] | small worlds, searched exhaustively |
//! | [`simulation`] | the whole world from one seed: actors, faults, invariants, campaigns |
//! | [`report`] | the report as data, on the terminal, as a page, as JUnit |
//! | [`prove`] | the catalogue of defects, proof runs, the evidence for each clause |
//! | [`recorded`] | the judgement of HAR files and journals |
//! | [`live`] | runs against a foreign target: gate, budget, session, pace, cleanup |
//! | [`play`] | one case, many cases, races, shrinking, learning |
//! | [`generate`] | walks toward goals, values, races |
//! | [`judge`] | belief, comparison, checks |
//! | [`evidence`] | finding, verdict, gap, tally, coverage, latency, ending |
//! | [`endpoint`] | the targets: model, mock, HTTP; the client and the inbox |
//! | [`exchange`] | the exchanged data: step, request, response, arrival, transcript |
//! | [`receiver`] | the examination of an integrator's own receiver; it imports no other module |

pub mod cli;
pub mod endpoint;
pub mod evidence;
pub mod exchange;
pub mod explore;
pub mod generate;
pub mod judge;
pub mod live;
pub mod play;
pub mod prove;
pub mod receiver;
pub mod recorded;
pub mod report;
pub mod simulation;
