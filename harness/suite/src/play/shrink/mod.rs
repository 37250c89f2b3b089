//! Shrinks a failure: fewer steps, then simpler ones, to a fixpoint, always with the same finding.
//!
//! The model accepts any operation in any state, so that each part of a case is a case. Leaving out steps has no bound:
//! without it, what is left would not be minimal. Simpler values are bounded, because they only help a reader.

mod names;

use std::ops::Range;

use serde_json::{Map, Value};
use tideover_exchange::step::{Action, Call, Caller, Step};
use tideover_exchange::target::Unreachable;
use tideover_model::wire::action;

use names::{plain_names, renamings};

/// Pairs of steps are left out once there are so few steps: 66 pairs, where 50 steps would have 1,225.
const FEW: usize = 12;

/// The most chunks that a file is cut into. Where its length is the finding, no single one of a thousand rows can go, and
/// trying each would take a thousand plays.
const MOST_CHUNKS: usize = 32;

/// A step with what belongs to it, such as the client that sends it.
pub trait Part: Clone + PartialEq {
    fn step(&self) -> &Step;

    /// The same part, with another step.
    #[must_use]
    fn with(&self, step: Step) -> Self;
}

impl Part for Step {
    fn step(&self) -> &Step {
        self
    }

    fn with(&self, step: Step) -> Step {
        step
    }
}

/// Tests whether steps still show a finding.
pub trait Probe<T = Step> {
    /// How many simpler forms are tried at most: numbers that depend on one another would shrink by 1 in each play.
    const MOST_FORMS: usize = 1500;

    /// Plays `steps` in a fresh world.
    fn still_fails(&mut self, steps: &[T]) -> impl Future<Output = Result<bool, Unreachable>>;
}

/// The smallest steps found that still fail: none of them can be left out.
pub async fn shrink<T: Part, P: Probe<T>>(
    mut steps: Vec<T>,
    probe: &mut P,
) -> Result<Vec<T>, Unreachable> {
    let mut forms = P::MOST_FORMS;
    loop {
        let before = steps.clone();
        steps = leave_out(steps, probe).await?;
        steps = drop_rows(steps, probe).await?;
        steps = simplify(steps, &mut forms, probe).await?;
        if steps == before {
            return Ok(steps);
        }
    }
}

/// The fewest steps found that still fail: none of them can be left out.
pub async fn fewest<T: Clone, P: Probe<T>>(
    mut steps: Vec<T>,
    probe: &mut P,
) -> Result<Vec<T>, Unreachable> {
    loop {
        let before = steps.len();
        steps = leave_out(steps, probe).await?;
        if steps.len() == before {
            return Ok(steps);
        }
    }
}

/// Leaves out each single step that can be, until none can.
pub async fn without_each<T: Clone, P: Probe<T>>(
    mut steps: Vec<T>,
    probe: &mut P,
) -> Result<Vec<T>, Unreachable> {
    loop {
        let before = steps.len();
        for index in (0..before).rev() {
            let mut fewer = steps.clone();
            fewer.remove(index);
            if probe.still_fails(&fewer).await? {
                steps = fewer;
            }
        }
        // A step may have been needed only by one that is gone.
        if steps.len() == before {
            return Ok(steps);
        }
    }
}

async fn leave_out<T: Clone, P: Probe<T>>(
    steps: Vec<T>,
    probe: &mut P,
) -> Result<Vec<T>, Unreachable> {
    let steps = drop_chunks(steps, probe).await?;
    drop_pairs(steps, probe).await
}

/// Delta debugging: chunks of halving size, from the back, until no single step can go.
async fn drop_chunks<T: Clone, P: Probe<T>>(
    mut steps: Vec<T>,
    probe: &mut P,
) -> Result<Vec<T>, Unreachable> {
    let mut size = steps.len().div_ceil(2).max(1);
    loop {
        let mut dropped = false;
        let mut end = steps.len();
        while end > 0 {
            let start = end.saturating_sub(size);
            let mut candidate = steps.clone();
            candidate.drain(start..end);
            if probe.still_fails(&candidate).await? {
                steps = candidate;
                dropped = true;
            }
            end = start;
        }
        if size > 1 {
            size = size.div_ceil(2);
        } else if !dropped {
            return Ok(steps);
        }
    }
}

/// Leaves out pairs: a step and the one that undoes it can only go together.
async fn drop_pairs<T: Clone, P: Probe<T>>(
    mut steps: Vec<T>,
    probe: &mut P,
) -> Result<Vec<T>, Unreachable> {
    if steps.len() > FEW {
        return Ok(steps);
    }
    let mut second = steps.len();
    while second > 1 {
        second -= 1;
        for first in (0..second).rev() {
            let mut candidate = steps.clone();
            candidate.remove(second);
            candidate.remove(first);
            if probe.still_fails(&candidate).await? {
                steps = candidate;
                second = second.min(steps.len());
                break;
            }
        }
    }
    Ok(steps)
}

/// Leaves out rows of files in chunks of halving size. Of at most [`MOST_CHUNKS`] rows, none that is left can go.
async fn drop_rows<T: Part, P: Probe<T>>(
    mut steps: Vec<T>,
    probe: &mut P,
) -> Result<Vec<T>, Unreachable> {
    for index in 0..steps.len() {
        let mut size = rows(steps[index].step()).div_ceil(2);
        while size > 0 {
            let mut end = rows(steps[index].step());
            if end.div_ceil(size) > MOST_CHUNKS {
                break;
            }
            while end > 0 {
                let start = end.saturating_sub(size);
                let mut candidate = steps.clone();
                candidate[index] = steps[index].with(without_rows(steps[index].step(), start..end));
                if probe.still_fails(&candidate).await? {
                    steps = candidate;
                }
                end = start;
            }
            size = if size > 1 { size.div_ceil(2) } else { 0 };
        }
    }
    Ok(steps)
}

/// The number of rows in the file that a step sends, without the header.
fn rows(step: &Step) -> usize {
    match &step.action {
        Action::Call(Call { text: Some(text), .. }) => text.lines().count().saturating_sub(1),
        _ => 0,
    }
}

/// The step without these rows of its file.
fn without_rows(step: &Step, left_out: Range<usize>) -> Step {
    let mut step = step.clone();
    if let Action::Call(Call { text: Some(text), .. }) = &mut step.action {
        let is_kept = |index: &usize| *index == 0 || !left_out.contains(&(index - 1));
        let lines = text.lines().enumerate().filter(|(index, _)| is_kept(index));
        *text = lines.map(|(_, line)| format!("{line}\n")).collect();
    }
    step
}

/// Tries the simpler forms of every step, at most `forms` in all.
async fn simplify<T: Part, P: Probe<T>>(
    mut steps: Vec<T>,
    forms: &mut usize,
    probe: &mut P,
) -> Result<Vec<T>, Unreachable> {
    for find in [plain_names, renamings] {
        for renaming in find(&steps) {
            let renamed = |part: &T| part.with(renaming.of(part.step()));
            let candidate: Vec<T> = steps.iter().map(renamed).collect();
            let blurred = owes_itself(&candidate) > owes_itself(&steps);
            let is_new = candidate != steps && !blurred;
            if is_new && spend(forms) && probe.still_fails(&candidate).await? {
                steps = candidate;
            }
        }
    }
    steps = merge_moves(steps, forms, probe).await?;
    for index in 0..steps.len() {
        let mut tried = 0;
        loop {
            let simpler = simpler_forms(steps[index].step());
            let Some(form) = simpler.into_iter().nth(tried).filter(|_| spend(forms)) else {
                break;
            };
            let mut candidate = steps.clone();
            candidate[index] = steps[index].with(form);
            if probe.still_fails(&candidate).await? {
                steps = candidate;
                tried = 0;
            } else {
                tried += 1;
            }
        }
    }
    Ok(steps)
}

/// Joins moves of the clock that follow each other.
async fn merge_moves<T: Part, P: Probe<T>>(
    mut steps: Vec<T>,
    forms: &mut usize,
    probe: &mut P,
) -> Result<Vec<T>, Unreachable> {
    let mut index = 1;
    while index < steps.len() {
        let moves = [index - 1, index].map(|index| &steps[index].step().action);
        if let [Action::Advance(first), Action::Advance(second)] = moves {
            let whole = Step::new(Action::Advance(first.saturating_add(*second)));
            let mut candidate = steps.clone();
            candidate[index - 1] = steps[index - 1].with(whole);
            candidate.remove(index);
            if spend(forms) && probe.still_fails(&candidate).await? {
                steps = candidate;
                continue;
            }
        }
        index += 1;
    }
    Ok(steps)
}

/// Whether one more form may be tried.
fn spend(forms: &mut usize) -> bool {
    let any = *forms > 0;
    *forms = forms.saturating_sub(1);
    any
}

/// In how many steps payee and payor are the same. A renaming must not make more of them: self-dealing is another
/// failure.
fn owes_itself<T: Part>(steps: &[T]) -> usize {
    let party = |body: &Value, role: &str| body.get(role)?.get("externalId").cloned();
    let same = |step: &&Step| match &step.action {
        Action::Call(Call { body: Some(body), .. }) => {
            party(body, "payee").is_some() && party(body, "payee") == party(body, "payor")
        }
        _ => false,
    };
    steps.iter().map(Part::step).filter(same).count()
}

/// Simpler forms of a step, the boldest first.
fn simpler_forms(step: &Step) -> Vec<Step> {
    let mut forms = Vec::new();
    if step.caller != Caller::Default {
        forms.push(step.clone().by(&Caller::Default));
    }
    let actions: Vec<Action> = match &step.action {
        Action::Advance(seconds) => {
            let smaller = smaller(i64::try_from(*seconds).unwrap_or(i64::MAX)).into_iter();
            smaller.map(|seconds| Action::Advance(seconds.unsigned_abs())).collect()
        }
        Action::Act(fields) => simpler_fields(fields).into_iter().map(Action::Act).collect(),
        Action::Call(call @ Call { body: Some(Value::Object(body)), .. }) => {
            let with = |body| Call { body: Some(Value::Object(body)), ..call.clone() };
            simpler_fields(body).into_iter().map(|body| Action::Call(with(body))).collect()
        }
        Action::Call(_) | Action::Deliveries => Vec::new(),
    };
    forms.extend(actions.into_iter().map(|action| Step { action, ..step.clone() }));
    forms
}

/// An object with a field less, or with one field simpler.
fn simpler_fields(fields: &Map<String, Value>) -> Vec<Map<String, Value>> {
    let mut forms = Vec::new();
    for name in fields.keys().filter(|name| *name != action::NAME) {
        let mut fewer = fields.clone();
        fewer.remove(name);
        forms.push(fewer);
    }
    for (name, value) in fields {
        let simpler: Vec<Value> = match value {
            Value::Number(number) => {
                number.as_i64().map(smaller).into_iter().flatten().map(Value::from).collect()
            }
            Value::Object(inner) => simpler_fields(inner).into_iter().map(Value::Object).collect(),
            _ => Vec::new(),
        };
        for value in simpler {
            let mut form = fields.clone();
            form.insert(name.clone(), value);
            forms.push(form);
        }
    }
    forms
}

/// Smaller numbers. A candidate that still fails is shrunk further, so that repeated calls bisect.
fn smaller(number: i64) -> Vec<i64> {
    let mut candidates = vec![0, 1, number / 2];
    // Ever smaller steps down: the boundary may be close to the number.
    candidates.extend((1..16).map(|quarters| number - (number >> (2 * quarters))));
    candidates.push(number - 1);
    candidates.retain(|candidate| *candidate >= 0 && *candidate < number);
    candidates.dedup();
    candidates
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Fails while at least `needed` moves of the clock are long. Counts how often it is asked.
    struct LongMoves {
        needed: usize,
        asked: usize,
    }

    impl Probe for LongMoves {
        async fn still_fails(&mut self, steps: &[Step]) -> Result<bool, Unreachable> {
            self.asked += 1;
            let is_long = |step: &&Step| matches!(step.action, Action::Advance(1_000_003..));
            Ok(steps.iter().filter(is_long).count() >= self.needed)
        }
    }

    /// Fails whatever the names in the steps are.
    struct AnyName;

    impl Probe for AnyName {
        async fn still_fails(&mut self, steps: &[Step]) -> Result<bool, Unreachable> {
            Ok(steps.len() == 2)
        }
    }

    /// Fails while the clock moves so far in all.
    struct FarEnough(u64);

    impl Probe for FarEnough {
        async fn still_fails(&mut self, steps: &[Step]) -> Result<bool, Unreachable> {
            let moved = |step: &Step| match step.action {
                Action::Advance(seconds) => seconds,
                _ => 0,
            };
            Ok(steps.iter().map(moved).sum::<u64>() >= self.0)
        }
    }

    #[tokio::test]
    async fn moves_of_the_clock_that_follow_each_other_become_one() {
        let moves = [30, 150, 20].map(|seconds| Step::new(Action::Advance(seconds)));
        let small = shrink(moves.to_vec(), &mut FarEnough(200)).await.unwrap();
        assert_eq!(small, [Step::new(Action::Advance(200))]);
    }

    /// Fails while a file has a row.
    struct RowOf(&'static str);

    impl Probe for RowOf {
        const MOST_FORMS: usize = 0;

        async fn still_fails(&mut self, steps: &[Step]) -> Result<bool, Unreachable> {
            let has_row = |step: &Step| match &step.action {
                Action::Call(Call { text: Some(text), .. }) => {
                    text.starts_with("names\n") && text.lines().any(|line| line == self.0)
                }
                _ => false,
            };
            Ok(steps.iter().any(has_row))
        }
    }

    #[tokio::test]
    async fn no_row_can_be_left_out_though_no_forms_are_tried() {
        let file = |text: &str| {
            let call = Call::bare("PUT", "/v1/invoices/imports/m");
            Step::new(Action::Call(Call { text: Some(text.to_owned()), ..call }))
        };
        let steps = vec![file("names\na\nb\nc\nd\ne\n"), Step::new(Action::Advance(1))];
        let small = shrink(steps, &mut RowOf("d")).await.unwrap();
        assert_eq!(small, [file("names\nd\n")]);
    }

    #[tokio::test]
    async fn a_name_becomes_a_plain_one_of_its_kind() {
        let advance = |payee: &str, invoice: &str| {
            let body = json!({ "payeeExternalId": payee, "invoiceExternalId": invoice });
            Step::new(Action::Call(Call::json("POST", "/v1/advances", body)))
        };
        let steps = vec![advance("v/3 ü", "i1"), advance("v2", "v/3 ü")];
        let small = simplify(steps, &mut 2, &mut AnyName).await.unwrap();
        assert_eq!(small, [advance("b1", "i1"), advance("v2", "i2")]);
        let read = |path: &str| Step::new(Action::Call(Call::bare("GET", path)));
        let steps = vec![read("/v1/organizations/v2/invoices/v2"), advance("v2", "v%2")];
        let small = simplify(steps, &mut 1, &mut AnyName).await.unwrap();
        assert_eq!(small, [read("/v1/organizations/v2/invoices/v2"), advance("v2", "i1")]);
    }

    #[tokio::test]
    async fn no_step_can_be_left_out_though_forms_are_too_many_to_try() {
        let steps: Vec<Step> =
            (0..300).map(|more| Step::new(Action::Advance(5_000_000 + more))).collect();
        let mut probe = LongMoves { needed: 120, asked: 0 };
        let small = shrink(steps, &mut probe).await.unwrap();
        // 1,500 of them are simpler forms, which suffice for nine moves.
        assert_eq!(probe.asked, 2013);
        assert_eq!(small.len(), 120);
        let simplest = Action::Advance(1_000_003);
        assert_eq!(small.iter().filter(|step| step.action == simplest).count(), 9);
    }
}
