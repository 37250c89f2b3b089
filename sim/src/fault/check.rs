//! Which rules a world takes.

use std::ops::RangeInclusive;

use tideover_model::OperationKind;

use crate::fault::rule::WITH_A_VALUE;
use crate::fault::{Act, DeliveryAct, Rule};

/// The longest label. Characters.
const LONGEST_LABEL: usize = 100;
/// The longest identifier. Characters.
const LONGEST_IDENTIFIER: usize = 1000;
/// The longest delay, an hour. Milliseconds.
const LONGEST_DELAY: u64 = 3_600_000;
/// How long a delivery can be late: about as long as it would be retried (`8.webhookRetryWindow`), by the world's clock.
/// Seconds.
const LATENESS: RangeInclusive<u64> = 1..=100_800;

/// A field of a rule that is not possible.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct ImpossibleRule {
    /// The field, spelled as where the rule was read; as in JSON for a rule made in Rust.
    pub field: String,
    /// What the field may be.
    pub problem: String,
}

impl ImpossibleRule {
    pub(crate) fn new(field: &str, problem: impl Into<String>) -> ImpossibleRule {
        ImpossibleRule { field: field.to_owned(), problem: problem.into() }
    }
}

impl Rule {
    /// Checks that a world can take the rule.
    ///
    /// # Errors
    /// The first field that is not possible, in this order: one that the act's target does not have, `label`, `identifier`,
    /// `payee`, `invoice`, `nth`, `percent`, `operation`, `event`, `milliseconds`, `seconds`, `attempts`.
    ///
    /// ```
    /// use tideover_sim::fault::{Act, Rule};
    ///
    /// let rule = Rule { percent: Some(101), ..Rule::always(Act::RequestRepeated) };
    /// let problem = rule.check().unwrap_err().to_string();
    /// assert_eq!(problem, "percent: expected a whole number from 1 to 100");
    /// ```
    pub fn check(&self) -> Result<(), ImpossibleRule> {
        self.check_target()?;
        let impossible = |field, problem: String| Err(ImpossibleRule::new(field, problem));
        let fits = |text: &Option<String>, longest| {
            text.as_ref().is_none_or(|text| (1..=longest).contains(&text.chars().count()))
        };
        if !fits(&self.label, LONGEST_LABEL) {
            return impossible("label", format!("expected 1 to {LONGEST_LABEL} characters"));
        }
        let named =
            [("identifier", &self.identifier), ("payee", &self.payee), ("invoice", &self.invoice)];
        if let Some((field, _)) = named.iter().find(|(_, name)| !fits(name, LONGEST_IDENTIFIER)) {
            return impossible(field, format!("expected 1 to {LONGEST_IDENTIFIER} characters"));
        }
        if self.identifier.is_some() && self.operation.is_some_and(names_nothing) {
            return impossible("identifier", "requests of this operation have none".into());
        }
        if self.nth == Some(0) {
            return impossible("nth", "expected a whole number from 1".into());
        }
        if self.percent.is_some_and(|percent| !(1..=100).contains(&percent)) {
            return impossible("percent", "expected a whole number from 1 to 100".into());
        }
        if self.percent.is_some() && self.nth.is_some() {
            return impossible("percent", "conflicts with nth: a rule has one of them".into());
        }
        self.check_act()
    }

    /// Requests and deliveries are selected by different fields.
    fn check_target(&self) -> Result<(), ImpossibleRule> {
        let of_requests =
            [("operation", self.operation.is_some()), ("identifier", self.identifier.is_some())];
        let of_deliveries = [
            ("event", self.event.is_some()),
            ("payee", self.payee.is_some()),
            ("invoice", self.invoice.is_some()),
        ];
        let (target, other, of_other): (_, _, &[(&str, bool)]) = match self.act {
            Act::Delivery(_) => ("deliveries", "requests", &of_requests),
            _ => ("requests", "deliveries", &of_deliveries),
        };
        let Some((field, _)) = of_other.iter().find(|(_, is_given)| *is_given) else {
            return Ok(());
        };
        let act = self.act.name();
        let problem = format!("{act} acts on {target}, and this field selects {other}");
        Err(ImpossibleRule::new(field, problem))
    }

    fn check_act(&self) -> Result<(), ImpossibleRule> {
        let is_other = |kind| kind != OperationKind::ImportInvoices;
        match self.act {
            Act::ImportStops { .. } if self.operation.is_some_and(is_other) => {
                Err(ImpossibleRule::new("operation", "importStops is only for import_invoices"))
            }
            Act::Delivery(DeliveryAct::UnknownValue)
                if self.event.is_some_and(|event| event != WITH_A_VALUE) =>
            {
                let problem = format!("unknownValue is only for {}", WITH_A_VALUE.name());
                Err(ImpossibleRule::new("event", problem))
            }
            Act::AnswerDelayed { milliseconds } if milliseconds > LONGEST_DELAY => {
                let problem = format!("expected a whole number from 0 to {LONGEST_DELAY}");
                Err(ImpossibleRule::new("milliseconds", problem))
            }
            Act::Delivery(DeliveryAct::Late { seconds }) if !LATENESS.contains(&seconds) => {
                let (least, most) = LATENESS.into_inner();
                let problem = format!("expected a whole number from {least} to {most}");
                Err(ImpossibleRule::new("seconds", problem))
            }
            Act::Delivery(act) if act.attempts() == Some(0) => {
                Err(ImpossibleRule::new("attempts", "expected a whole number from 1"))
            }
            _ => Ok(()),
        }
    }
}

/// Whether no request of this operation names a business, an invoice, an import or a subscription.
fn names_nothing(kind: OperationKind) -> bool {
    matches!(kind, OperationKind::Subscribe | OperationKind::ListSubscriptions)
}
