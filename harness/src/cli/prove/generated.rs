//! `tideover prove --generated`

use std::sync::Arc;
use std::time::Instant;

use serde_json::json;
use tideover_prove::Setup;
use tideover_prove::defects::generated::Operator;
use tideover_prove::generated::{Drawn, Group, Rate, median, rate, sample, try_drawn};

use crate::cli::prove::progress;
use crate::cli::signals::until_stopped;
use crate::cli::{Outcome, Output, Problem, threads};

/// What the suite is asked to find mutations as.
const SETUPS: [Setup; 2] = [Setup::Stranger, Setup::Caller];

/// Which mutations are drawn, and how the result is printed.
pub(super) struct Wanted<'a> {
    pub(super) seed: u64,
    pub(super) count: usize,
    /// Those kinds of mistakes alone; all, if there is none.
    pub(super) operators: &'a [Operator],
    /// Whether the rates are a table in Markdown.
    pub(super) markdown: bool,
}

/// Draws mutations, and says how many are found.
pub(super) async fn run(output: &Output, wanted: Wanted<'_>) -> Result<Outcome, Problem> {
    let began = Instant::now();
    let Wanted { seed, count, operators, markdown } = wanted;
    let mut mutations = sample(seed, count);
    mutations.retain(|one| operators.is_empty() || operators.contains(&one.operator));
    let wanted = mutations.len();
    let bar = progress(output, wanted as u64 * 2 * SETUPS.len() as u64);
    let tried = until_stopped(Arc::default(), bar, move |stop, bar| {
        try_drawn(&mutations, &SETUPS, threads(), stop, &|| bar.inc(1))
    });
    let drawn = tried.await??;
    for setup in SETUPS {
        print_missed(output, &drawn, setup)?;
    }
    if markdown {
        output.print(table(&drawn).trim_end(), || json!(null))?;
    } else {
        for (group, setup) in groups() {
            print_rate(output, rate(&drawn, group, setup), group, setup)?;
        }
    }
    for setup in SETUPS {
        print_median(output, &drawn, setup)?;
    }
    let is_whole = drawn.len() == wanted;
    let ending = match is_whole {
        true => String::new(),
        false => format!("; interrupted: {} were not tried", wanted - drawn.len()),
    };
    output.print(
        format!(
            "{wanted} wrong services, drawn by seed {seed}, in {:.0} s{ending}",
            began.elapsed().as_secs_f64()
        ),
        || json!({ "services": wanted, "tried": drawn.len(), "seed": seed }),
    )?;
    Ok(if is_whole { Outcome::Pass } else { Outcome::Interrupted })
}

fn groups() -> impl Iterator<Item = (Group, Setup)> {
    Group::all().flat_map(|group| SETUPS.map(|setup| (group, setup)))
}

/// Those that show and are not found, those that no request has met, and those that show nothing that is wrong.
fn print_missed(output: &Output, drawn: &[Drawn], setup: Setup) -> Result<(), Problem> {
    type Is = fn(&Drawn, Setup) -> bool;
    let lists: [(&str, &str, Is); 3] = [
        ("missed by", "missed", Drawn::is_missed),
        ("never triggered by", "untriggered", Drawn::is_untriggered),
        ("equal or lawful to", "lawful", Drawn::is_lawful),
    ];
    for (words, key, is_it) in lists {
        for Drawn { defect, .. } in drawn.iter().filter(|one| is_it(one, setup)) {
            output.print(
                format!("{words} a {}: {defect}", setup.name()),
                || json!({ key: defect.name, "words": defect.words, "setup": setup.name() }),
            )?;
        }
    }
    Ok(())
}

fn print_rate(output: &Output, rate: Rate, group: Group, setup: Setup) -> Result<(), Problem> {
    if rate.drawn == 0 {
        return Ok(());
    }
    let interval = rate.interval();
    let share = interval.map_or_else(
        || "nothing shows".to_owned(),
        |(share, least, most)| format!("{share:5.1} % of those that show ({least:.0}–{most:.0} %)"),
    );
    let Rate { drawn, shown, found, .. } = rate;
    let (untriggered, lawful) = (rate.untriggered(), rate.lawful());
    output.print(
        format!(
            "{group:29} {:9} {drawn:4} drawn, {untriggered:4} never triggered, {lawful:3} equal or lawful, \
             {shown:4} show, {found:4} found: {share}",
            setup.name(),
        ),
        || {
            json!({
                group.kind(): group.to_string(), "setup": setup.name(), "drawn": drawn,
                "untriggered": untriggered, "lawful": lawful, "shown": shown, "found": found,
                "percent": interval.map(|it| it.0), "least": interval.map(|it| it.1),
                "most": interval.map(|it| it.2),
            })
        },
    )?;
    Ok(())
}

/// The rates as a table in Markdown.
fn table(drawn: &[Drawn]) -> String {
    let mut lines = vec![
        "| group | as | drawn | never triggered | equal or lawful | show | found | share of those that show |"
            .to_owned(),
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |".to_owned(),
    ];
    for (group, setup) in groups() {
        let rate = rate(drawn, group, setup);
        let share = rate.interval().map_or_else(String::new, |(share, least, most)| {
            format!("{share:.1} % ({least:.0}–{most:.0} %)")
        });
        if rate.drawn > 0 {
            lines.push(format!(
                "| {group} | {} | {} | {} | {} | {} | {} | {share} |",
                setup.name(),
                rate.drawn,
                rate.untriggered(),
                rate.lawful(),
                rate.shown,
                rate.found,
            ));
        }
    }
    lines.join("\n")
}

fn print_median(output: &Output, drawn: &[Drawn], setup: Setup) -> Result<(), Problem> {
    let Some(requests) = median(drawn, setup) else { return Ok(()) };
    output.print(
        format!("{:19} finds half of what it finds within {requests} requests", setup.name()),
        || json!({ "setup": setup.name(), "medianRequests": requests }),
    )?;
    Ok(())
}
