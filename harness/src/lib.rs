//! A contract suite for the Receivables Advance Partner API. It plays random operation sequences against the model,
//! the mock or a live endpoint, and reports every clause that does not hold.
//!
//! Each room imports only rooms below it:
//!
//! | room | what lives there |
//! | --- | --- |
//! | [`cli`] | options, dispatch, exit codes; one file for one command |
//! | [`report`] | the report as data, on the terminal, as a page, as JUnit |
//! | [`prove`] | the catalogue of defects, proof runs, the evidence for each clause |
//! | [`recorded`] | HAR files and journals, judged |
//! | [`live`] | what a foreign target needs: gate, budget, session, pace, cleanup |
//! | [`play`] | one case, many cases, races, shrinking, learning |
//! | [`generate`] | walks toward goals, values, races |
//! | [`judge`] | belief, comparison, checks |
//! | [`evidence`] | finding, verdict, gap, tally, coverage, latency, ending |
//! | [`endpoint`] | the targets: model, mock, HTTP client, inbox |
//! | [`exchange`] | step, request, response, arrival, transcript |
//! | [`receiver`] | the examination of an integrator's own receiver; it imports none of the others |

pub mod cli;
pub mod endpoint;
pub mod evidence;
pub mod exchange;
pub mod generate;
pub mod judge;
pub mod live;
pub mod play;
pub mod prove;
pub mod receiver;
pub mod recorded;
pub mod report;
