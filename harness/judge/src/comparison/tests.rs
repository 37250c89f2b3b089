//! Responses of an undocumented shape.

use tideover_exchange::Memory;
use tideover_exchange::Prepared;
use tideover_exchange::step::{Action, Call, Step};

use crate::comparison::*;

/// The sentences that a success of `kind` with body `seen` contradicts, given a valid `predicted` body.
fn contradicted(kind: OperationKind, predicted: &str, seen: &str) -> Vec<&'static str> {
    let step = Step::new(Action::Call(Call::bare(kind.method(), kind.path())));
    let sent = Prepared::from_step(&step, &Memory::default(), "key");
    let [predicted, seen] = [predicted, seen].map(|body| Response::new(200, body.as_bytes()));
    let comparison = Comparison {
        action: &sent.action,
        kind: Some(kind),
        seen: &seen,
        predicted: &predicted,
        refusal: None,
        freedom: Some(Freedom {
            ahead: None,
            is_clock_read: false,
            renames: false,
            unit: 60,
            keeps_expiry: false,
        }),
    };
    let points = comparison.points(&mut Bindings::default());
    let broken = points.iter().filter(|point| point.contradicts());
    broken.map(|point| point.clause.name()).collect()
}

#[test]
fn success_with_a_malformed_body_contradicts_the_document() {
    let quote = |seen| contradicted(OperationKind::Quote, r#"{"fundable":true}"#, seen);
    assert!(quote(r#"{"fundable":true}"#).is_empty());
    assert_eq!(quote(r#"{"fundable":false}"#), ["2.quote.fundable"]);
    for seen in ["", "<html>", "[]", "null", "\"done\""] {
        assert_eq!(quote(seen), ["4.quotes.4"], "{seen}");
    }
    let list = |seen| contradicted(OperationKind::ListSubscriptions, "[]", seen);
    assert!(list("[]").is_empty());
    assert_eq!(list("<html>"), ["4.webhookList.1"]);
}
