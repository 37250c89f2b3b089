//! `tideover prove --generated`

use std::sync::Arc;
use std::time::Instant;

use serde_json::json;
use tideover_prove::Setup;
use tideover_prove::defects::generated::Operator;
use tideover_prove::generated::{Drawn, median, rate, sample, try_drawn};

use crate::cli::prove::progress;
use crate::cli::signals::until_stopped;
use crate::cli::{Outcome, Output, Problem, threads};

/// What the suite is asked to find mutations as.
const SETUPS: [Setup; 2] = [Setup::Stranger, Setup::Caller];

/// Draws `count` mutations by `seed`, and says how many are found: of all, or of `operators` alone.
pub(super) async fn run(
    output: &Output,
    seed: u64,
    count: usize,
    operators: &[Operator],
) -> Result<Outcome, Problem> {
    let began = Instant::now();
    let mut mutations = sample(seed, count);
    mutations.retain(|one| operators.is_empty() || operators.contains(&one.operator));
    let wanted = mutations.len();
    let bar = progress(output, wanted as u64 * 2 * SETUPS.len() as u64);
    let tried = until_stopped(Arc::default(), bar, move |stop, bar| {
        try_drawn(&mutations, &SETUPS, threads(), stop, &|| bar.inc(1))
    });
    let drawn = tried.await??;
    for setup in SETUPS {
        for Drawn { defect, .. } in drawn.iter().filter(|one| one.is_missed(setup)) {
            output.print(
                format!("missed by a {}: {defect}", setup.name()),
                || json!({ "missed": defect.name, "words": defect.words, "setup": setup.name() }),
            )?;
        }
    }
    for operator in Operator::ALL.into_iter().map(Some).chain([None]) {
        for setup in SETUPS {
            print_rate(output, &drawn, operator, setup)?;
        }
    }
    for setup in SETUPS {
        if let Some(requests) = median(&drawn, setup) {
            output.print(
                format!(
                    "{:19} finds half of what it finds within {requests} requests",
                    setup.name()
                ),
                || json!({ "setup": setup.name(), "medianRequests": requests }),
            )?;
        }
    }
    output.print(
        format!(
            "{wanted} wrong services, drawn by seed {seed}, in {:.0} s",
            began.elapsed().as_secs_f64()
        ),
        || json!({ "services": wanted, "seed": seed }),
    )?;
    Ok(if drawn.len() < wanted { Outcome::Interrupted } else { Outcome::Pass })
}

fn print_rate(
    output: &Output,
    drawn: &[Drawn],
    operator: Option<Operator>,
    setup: Setup,
) -> Result<(), Problem> {
    let rate = rate(drawn, operator, setup);
    let Some((share, least, most)) = rate.interval() else { return Ok(()) };
    let name = operator.map_or_else(|| "all".to_owned(), |operator| operator.to_string());
    output.print(
        format!(
            "{name:9} {:9} {:4} drawn, {:4} show, {:4} found: {share:5.1} % ({least:.0}–{most:.0} %)",
            setup.name(),
            rate.drawn,
            rate.shown,
            rate.found
        ),
        || {
            json!({
                "operator": name, "setup": setup.name(), "drawn": rate.drawn, "shown": rate.shown,
                "found": rate.found, "percent": share, "least": least, "most": most,
            })
        },
    )?;
    Ok(())
}
