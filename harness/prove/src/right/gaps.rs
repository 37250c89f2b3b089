//! How right services vary each gap.

use tideover_model::clause::Kind;
use tideover_model::{Clause, Reading, clause};

use crate::right::liberties::LIBERTIES;

/// The gaps that the choices of a right service vary.
const CHOSEN: [Clause; 4] = [
    clause!("gap.apiKeys"),
    clause!("gap.pricing"),
    clause!("gap.alreadyCollected"),
    clause!("gap.zeroAdvance"),
];

/// The gaps in which every right service is the model, and why.
const FIXED: &[(&[Clause], &str)] = &[
    (
        &[
            clause!("gap.signatureFields"),
            clause!("gap.signatureTime"),
            clause!("gap.signatureBytes"),
            clause!("gap.signatureHex"),
            clause!("gap.signaturePrecedence"),
        ],
        "they say what a receiver does; the service is the sender",
    ),
    (
        &[
            clause!("gap.outstanding"),
            clause!("gap.waterfall"),
            clause!("gap.daysToDueDate"),
            clause!("gap.testAccount"),
            clause!("gap.businessMatching"),
            clause!("gap.syncedParty"),
            clause!("gap.statusOnlyParties"),
            clause!("gap.partyTaxIdAndContact"),
            clause!("gap.vendorCompliance"),
            clause!("gap.addressKnown"),
            clause!("gap.taxIdForm"),
            clause!("gap.csvForm"),
            clause!("gap.sameFile"),
            clause!("gap.derivedIdentifier"),
            clause!("gap.eventCauses"),
            clause!("gap.emptyIdentifier"),
        ],
        "another value is another rule inside the model; services written by others vary them",
    ),
    (
        &[clause!("gap.partyFields")],
        "a service that names them otherwise ignores what the suite sends",
    ),
    (&[clause!("gap.advanceVariants")], "the document counts the properties of both"),
    (&[clause!("gap.invitationLink")], "no response shows what a repeat keeps"),
    (
        &[clause!("gap.readOwnWrites")],
        "in process no read is stale; the tests of replicas have them",
    ),
];

/// How right services vary a gap, or why they do not, as a cell of a table in Markdown.
pub fn variation(gap: Clause) -> String {
    let field = gap.kind().profile_key().filter(|key| *key != "readings");
    let field = field.map(|key| format!("`{key}`"));
    let readings = Reading::ALL.into_iter().filter(|reading| reading.clause() == gap);
    let readings = readings.map(|reading| format!("`readings.{}`", reading.name()));
    let liberties = LIBERTIES.iter().filter(|row| row.clauses.contains(&gap));
    let liberties = liberties.map(|row| format!("[`{}`](#liberties)", row.name));
    let chosen = CHOSEN.contains(&gap).then(|| "the choices of the seed".to_owned());
    let reason = FIXED.iter().find(|(gaps, _)| gaps.contains(&gap));
    let reason = reason.map(|(_, why)| format!("not varied: {why}"));
    let all = field.into_iter().chain(readings).chain(liberties).chain(chosen).chain(reason);
    all.collect::<Vec<String>>().join(", ")
}

/// All gaps, in the order of the document.
pub fn gaps() -> impl Iterator<Item = Clause> {
    Clause::all().filter(|clause| clause.kind() != Kind::Documented)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_gap_is_either_varied_or_has_a_reason() {
        for gap in gaps() {
            let words = variation(gap);
            let has_reason = FIXED.iter().any(|(gaps, _)| gaps.contains(&gap));
            assert!(!words.is_empty(), "{gap}");
            assert_eq!(words.starts_with("not varied"), has_reason, "{gap}: {words}");
        }
    }
}
