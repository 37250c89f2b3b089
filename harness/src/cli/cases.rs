//! The options that say which cases a check plays.

use clap::Args;
use tideover_exchange::evidence::Shard;

use crate::cli::{Problem, wrong};

#[derive(Args, Clone, Copy)]
pub(super) struct CaseOptions {
    /// The number of cases, each in a fresh world [default: 400; 20 against a live endpoint]
    #[arg(long, value_name = "N", conflicts_with = "case", value_parser = clap::value_parser!(u64).range(1..))]
    cases: Option<u64>,
    /// Play this case alone
    #[arg(long, value_name = "N")]
    pub(super) case: Option<u64>,
    /// Play part K of N of the cases, K from 0 to N-1; tideover merge adds up the parts of one --seed
    #[arg(long, value_name = "K/N", conflicts_with = "case", requires = "seed")]
    shard: Option<Shard>,
}

impl CaseOptions {
    pub(super) fn shard(&self) -> Shard {
        self.shard.unwrap_or(Shard::WHOLE)
    }

    /// The number of the first case, and how many there are; `most` if the user does not say.
    pub(super) fn numbers(&self, most: u64) -> Result<(u64, u64), Problem> {
        if let Some(case) = self.case {
            return Ok((case, 1));
        }
        let (all, shard) = (self.cases.unwrap_or(most), self.shard());
        match shard.share(all) {
            (_, 0) => {
                Err(wrong(format!("--shard {shard}: there are {all} cases, so that it has none")))
            }
            share => Ok(share),
        }
    }
}
