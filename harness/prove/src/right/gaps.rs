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
        &[clause!("gap.waterfall"), clause!("gap.testAccount")],
        "no response shows which account a cent is in",
    ),
    (
        &[clause!("gap.businessMatching")],
        "§4 PUT /v1/organizations/{externalId} rule 2 says what a number does that another business holds",
    ),
    (
        &[clause!("gap.vendorCompliance")],
        "`PARTNER_SUPPLIED` means that the vendor has not confirmed, which leaves the other two values",
    ),
    (
        &[clause!("gap.derivedIdentifier")],
        "the form of an identifier; services written by others vary it",
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
    let readings = readings.map(|reading| format!("`{}`", reading.field()));
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
    use std::collections::{BTreeMap, BTreeSet};

    use serde_json::Value;
    use tideover_model::{BusinessId, Choices, FaceValue, Profile, Reservation, Terms, Token};

    use super::*;
    use crate::right::choices::FreeChoices;
    use crate::right::liberties::taken;
    use crate::right::profile;

    #[test]
    fn each_gap_is_either_varied_or_has_a_reason() {
        for gap in gaps() {
            let words = variation(gap);
            let has_reason = FIXED.iter().any(|(gaps, _)| gaps.contains(&gap));
            assert!(!words.is_empty(), "{gap}");
            assert_eq!(words.starts_with("not varied"), has_reason, "{gap}: {words}");
        }
    }

    /// Whatever [`variation`] lists for a gap takes more than one value.
    #[test]
    fn each_gap_that_is_varied_takes_several_values() {
        for gap in gaps().filter(|gap| !variation(*gap).starts_with("not varied")) {
            let mut values: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
            for seed in 0..200 {
                for (what, value) in values_of(gap, seed) {
                    values.entry(what).or_default().insert(value);
                }
            }
            assert!(!values.is_empty(), "{gap}");
            for (what, values) in values {
                assert!(values.len() > 1, "{gap}: {what} is always {values:?}");
            }
        }
    }

    /// What the right service of a seed has in a gap: its profile, its readings, its liberties, its choices.
    fn values_of(gap: Clause, seed: u64) -> Vec<(String, String)> {
        let profile = profile(seed);
        let key = gap.kind().profile_key().filter(|key| *key != "readings");
        let profiled = key.map(|key| ("profile".to_owned(), profiled(gap, key, &profile)));
        let readings = Reading::ALL.into_iter().filter(|reading| reading.clause() == gap);
        let read =
            readings.map(|one| (one.name().to_owned(), profile.readings.get(one).to_string()));
        let rows = LIBERTIES.iter().filter(|row| row.clauses.contains(&gap));
        let is_taken = |name| taken(seed).any(|row| row.name == name).to_string();
        let liberties = rows.map(|row| (row.name.to_owned(), is_taken(row.name)));
        let chosen = CHOSEN.contains(&gap).then(|| ("choices".to_owned(), chosen(gap, seed)));
        profiled.into_iter().chain(read).chain(liberties).chain(chosen).collect()
    }

    /// The part of the profile that stands for the gap, where several gaps share a field.
    fn profiled(gap: Clause, key: &str, profile: &Profile) -> String {
        let part = match gap.name() {
            "gap.retrySchedule" => "/webhooks/retries",
            "gap.duplicates" => "/webhooks/duplicates",
            "gap.lateness" => "/webhooks/lateness",
            "gap.accountOpening" => "/delays/collection_account",
            "gap.advanceTransitions" => "/delays/funding_completes",
            _ => &format!("/{key}"),
        };
        let whole = serde_json::to_value(profile).unwrap();
        whole.pointer(part).unwrap_or(&Value::Null).to_string()
    }

    fn chosen(gap: Clause, seed: u64) -> String {
        let mut choices = FreeChoices::of(seed, 1);
        match gap.name() {
            "gap.apiKeys" => choices.token(Token::ApiKey, 1)[..7].to_owned(),
            "gap.alreadyCollected" => choices.reserves(Reservation::Collected).to_string(),
            "gap.zeroAdvance" => choices.reserves(Reservation::ZeroAdvance).to_string(),
            "gap.pricing" => {
                let terms = Terms { face_value: FaceValue::new(1_234_567).unwrap(), days: 30 };
                format!("{:?}", choices.offer(&Profile::default(), BusinessId(1), terms).advance)
            }
            _ => panic!("{gap} has no choice here"),
        }
    }
}
