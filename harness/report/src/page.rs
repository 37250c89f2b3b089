//! The proof in each setup, as a page of Markdown.

use std::fmt::Write as _;

use tideover_exchange::evidence::latency::percentile;
use tideover_prove::Proof;
use tideover_prove::Setup;

use crate::matrix::Matrix;

/// The page: a line for each setup, and a row for each defect.
pub fn of(matrices: &[Matrix]) -> String {
    let mut page = String::from(
        "# What the suite finds of its catalogue of defects\n\n\
         `tideover prove --as all --markdown > docs/proof.md` writes this page anew.\n\n",
    );
    for matrix in matrices {
        let _ = writeln!(page, "- {}", line(matrix));
    }
    page.push_str(
        "\nFor each setup: how many seeds found the defect, and the median number of requests that they needed. \
         A dash means that no seed found it; the last column gives the reason.\n\n",
    );
    let setups = matrices.iter().map(|matrix| matrix.setup.name());
    row(
        &mut page,
        [["defect", "clause"].map(str::to_owned).to_vec(), texts(setups), texts(["why not"])],
    );
    let rules = matrices.iter().map(|_| "---:");
    row(&mut page, [texts(["---", "---"]), texts(rules), texts(["---"])]);
    let defects = matrices.first().map_or(0, |matrix| matrix.proofs.len());
    for index in 0..defects {
        let proofs: Vec<&Proof> =
            matrices.iter().filter_map(|matrix| matrix.proofs.get(index)).collect();
        let defect = proofs[0].defect;
        let head = [format!("`{}`", defect.name), defect.clause.to_string()];
        let cells = proofs.iter().map(|proof| cell(proof)).collect();
        row(&mut page, [head.to_vec(), cells, vec![reasons(&proofs)]]);
    }
    page
}

/// The result of a setup, in one line.
pub fn line(matrix: &Matrix) -> String {
    let command = match matrix.setup {
        Setup::Known => "tideover prove".to_owned(),
        other => format!("tideover prove --as {}", other.name()),
    };
    let Matrix { setup, proofs, seeds, .. } = matrix;
    // A reader can verify it in the table below.
    let medians = proofs.iter().filter_map(|proof| proof.requests(50)).collect();
    let requests = percentile(medians, 50)
        .map_or_else(String::new, |requests| format!(", half of them within {requests} requests"));
    let (words, found, all) = (setup.words(), matrix.found(), proofs.len());
    format!("`{command}`: {words}, {found} of {all} defects are found over {seeds} seeds{requests}")
}

fn texts<'a>(cells: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    cells.into_iter().map(str::to_owned).collect()
}

fn row(page: &mut String, cells: [Vec<String>; 3]) {
    let _ = writeln!(page, "| {} |", cells.concat().join(" | "));
}

fn cell(proof: &Proof) -> String {
    let (found, tried) = (proof.found().count(), proof.trials.len());
    proof
        .requests(50)
        .map_or_else(|| "-".to_owned(), |requests| format!("{found}/{tried}, {requests}"))
}

/// Why a defect is not found. A reason that several setups share appears once.
fn reasons(proofs: &[&Proof]) -> String {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for proof in proofs.iter().filter(|proof| proof.survived()) {
        let reason = proof.reason().unwrap_or("missed");
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, setups)) => setups.push(proof.setup.name()),
            None => reasons.push((reason, vec![proof.setup.name()])),
        }
    }
    let reasons = reasons.iter().map(|(reason, setups)| format!("{}: {reason}", setups.join(", ")));
    reasons.collect::<Vec<_>>().join("; ")
}
