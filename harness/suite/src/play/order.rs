//! The order of the cases: the first ones show the most for their requests.
//!
//! The model plays each case before it is sent, and shows which clauses it meets and which outcomes its requests have, at
//! which step, and in which states they are sent. The greedy choice follows: the beginning of a case that is worth the
//! most for each of its requests, by its new clauses and outcomes, again and again, until no case has another. Then each
//! case is played whole: first the one that has the most new cells for each of its requests, and at the end those that
//! have none: first those with the greater numbers, whose requests differ in their values.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use tideover_exchange::Response;
use tideover_exchange::evidence::matrix::{Asked, Kind};
use tideover_exchange::step::{Action, Caller, Step, lets_fail};
use tideover_model::OperationKind;

use crate::play::case::Played;

/// The requests that a play costs besides its steps: it reads the clock, and deletes its subscriptions.
const AROUND: usize = 3;

/// A run has room for most cases if it lacks no more than such a part of its requests.
const MOST: u64 = 5;

/// No more than such a part of its requests is sent twice, and no less than the other where the run has room for most
/// cases: what is new comes soon then, and the last random cases are left out.
const TWICE: u64 = 10;
const LEAST_TWICE: u64 = 40;

/// A case before its place is decided.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub number: u64,
    pub steps: Vec<Step>,
    pub shown: Shown,
}

/// A case, or its beginning, at its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    pub number: u64,
    /// Its steps, or the first of them.
    pub steps: Vec<Step>,
}

/// What a case shows at a target that behaves like the model.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// What it meets first, each with the index of its step; in the order of the steps.
    firsts: Vec<(usize, First)>,
    cells: BTreeSet<Cell>,
}

/// What the beginning of a case is good for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum First {
    /// A clause, by number.
    Clause(usize),
    Outcome(Outcome),
}

impl First {
    /// A clause can be broken in more ways than an outcome, which is one status and one code. Of the weights 1, 2 and 3,
    /// this one finds the defects of the catalogue as well as those that are generated soonest.
    fn worth(&self) -> usize {
        match self {
            First::Clause(_) => 2,
            First::Outcome(_) => 1,
        }
    }
}

/// A request under a key, and what becomes of it: a status, and the code of a refusal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Outcome {
    kind: OperationKind,
    caller: Caller,
    status: u16,
    code: Option<String>,
}

/// Something that a run should have asked once.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Cell {
    Outcome(Outcome),
    /// A request, or an action, in a state.
    InState(Kind, String, Asked),
}

impl Shown {
    /// What `steps` showed when they were played, after the first `before` of them, which belong to no case.
    pub fn by(played: &Played, steps: &[Step], before: usize) -> Shown {
        let last = steps.len().saturating_sub(before + 1);
        let step_of = |nth: usize| {
            let step = played.met_after.partition_point(|met| *met <= nth);
            step.saturating_sub(before).min(last)
        };
        let clauses = played.met.firsts().iter().enumerate();
        let clauses = clauses.map(|(nth, clause)| (step_of(nth), First::Clause(*clause)));
        let outcomes = outcomes(steps, played);
        // The steps before are no requests, and have no outcome.
        let later = outcomes
            .iter()
            .map(|(index, one)| (index.saturating_sub(before), First::Outcome(one.clone())));
        let mut firsts: Vec<_> = clauses.chain(later).collect();
        firsts.sort();
        let outcomes = outcomes.into_iter().map(|(_, outcome)| Cell::Outcome(outcome));
        Shown { firsts, cells: outcomes.chain(in_state(played)).collect() }
    }
}

/// Each outcome, with the index of the first step that has it.
fn outcomes(steps: &[Step], played: &Played) -> Vec<(usize, Outcome)> {
    let outcome = |(step, (_, seen)): (&Step, &(_, Option<Response>))| {
        let (Action::Call(call), Some(seen)) = (&step.action, seen) else { return None };
        let code = seen.code().map(str::to_owned);
        // All forms of wrong keys have one outcome.
        let caller = match &step.caller {
            Caller::Header(_) => Caller::Nobody,
            Caller::Default | Caller::Key(_) | Caller::Nobody => step.caller.clone(),
        };
        Some(Outcome { kind: call.kind()?, caller, status: seen.status, code })
    };
    let mut seen = BTreeSet::new();
    let each = steps.iter().zip(&played.answers).map(outcome).enumerate();
    let each = each.filter_map(|(index, outcome)| Some((index, outcome?)));
    each.filter(|(_, outcome)| seen.insert(outcome.clone())).collect()
}

/// The requests and actions in their states.
fn in_state(played: &Played) -> impl Iterator<Item = Cell> {
    let matrix = played.coverage.matrix();
    Kind::ALL.into_iter().flat_map(|kind| {
        let states = matrix.of(kind);
        states.flat_map(move |(state, asked)| {
            asked.keys().map(move |asked| Cell::InState(kind, state.to_owned(), *asked))
        })
    })
}

/// The beginning of a case, and how good it is.
#[derive(Clone, Copy)]
struct Choice {
    index: usize,
    length: usize,
    gain: usize,
    cost: usize,
}

/// The cases in their order, for a run of so many requests that spends `cost` on a whole one of each.
///
/// Some are cut where the rest meets little, and come again as a whole. What is played twice takes the place of the last
/// cases: a run with room for most cases plays little more twice than it has requests left for. Any other run plays what
/// meets the most.
pub fn ordered(candidates: Vec<Candidate>, cost: u64, requests: u64) -> Vec<Planned> {
    let has_room = cost <= requests.saturating_add(requests / MOST);
    let spare = requests.saturating_sub(cost).clamp(requests / LEAST_TWICE, requests / TWICE);
    let mut twice = if has_room { spare } else { u64::MAX };
    let mut covered = BTreeSet::new();
    let mut whole = BTreeSet::new();
    let mut plan = Vec::new();
    while let Some(choice) = best(&candidates, &covered, &whole, twice) {
        let Candidate { number, steps, shown } = &candidates[choice.index];
        let met = shown.firsts.iter().filter(|(step, _)| *step < choice.length);
        covered.extend(met.map(|(_, first)| first.clone()));
        if choice.length == steps.len() {
            whole.insert(choice.index);
        } else {
            twice = twice.saturating_sub(choice.cost as u64);
        }
        plan.push(Planned { number: *number, steps: steps[..choice.length].to_vec() });
    }
    // A case that was cut has more to show than one of the random ones, which have the greater numbers.
    plan.extend(whole_ones(candidates, &whole));
    plan
}

/// The cases that are not among the `whole` ones, by the new cells that each has for its requests.
fn whole_ones(candidates: Vec<Candidate>, whole: &BTreeSet<usize>) -> Vec<Planned> {
    let (mut open, mut covered) = (Vec::new(), BTreeSet::new());
    for (index, candidate) in candidates.into_iter().enumerate() {
        match whole.contains(&index) {
            true => covered.extend(candidate.shown.cells),
            false => open.push(candidate),
        }
    }
    let mut plan = Vec::new();
    while !open.is_empty() {
        // The first of several, and the last of those that have none.
        let count = open.len();
        let price = |(index, candidate): &(usize, &Candidate)| {
            let gain = candidate.shown.cells.difference(&covered).count();
            let cost = candidate.steps.len() + AROUND;
            match (cost << 20).checked_div(gain) {
                Some(price) => (price, *index),
                None => (usize::MAX, count - index),
            }
        };
        let best = open.iter().enumerate().min_by_key(price).map_or(0, |(index, _)| index);
        let Candidate { number, steps, shown } = open.remove(best);
        covered.extend(shown.cells);
        plan.push(Planned { number, steps });
    }
    plan
}

/// The beginning that is worth the most for its requests; the first of several.
fn best(
    candidates: &[Candidate],
    covered: &BTreeSet<First>,
    whole: &BTreeSet<usize>,
    twice: u64,
) -> Option<Choice> {
    let open = candidates.iter().enumerate().filter(|(index, _)| !whole.contains(index));
    let choices = open.flat_map(|(index, candidate)| beginnings(index, candidate, covered, twice));
    // Of those with the same price, the one that is worth the most, and then the first.
    choices.min_by_key(|choice| {
        let price = choice.cost.saturating_mul(1 << 20) / choice.gain;
        (price, Reverse(choice.gain), choice.index)
    })
}

/// The beginnings of a case that end with something new, or the whole case in place of one that may not be sent twice.
fn beginnings<'a>(
    index: usize,
    Candidate { steps, shown, .. }: &'a Candidate,
    covered: &'a BTreeSet<First>,
    twice: u64,
) -> impl Iterator<Item = Choice> + 'a {
    let new = shown.firsts.iter().filter(|(_, first)| !covered.contains(first));
    new.scan(0, move |gain, (step, first)| {
        *gain += first.worth();
        let cut = settled(steps, step + 1);
        let may_be_cut = (cut + AROUND) as u64 <= twice;
        let length = if may_be_cut { cut } else { steps.len() };
        Some(Choice { index, length, gain: *gain, cost: length + AROUND })
    })
}

/// So many steps, and those that follow up to the next request, if the last one announces what becomes of a request:
/// nobody else's is to fail.
fn settled(steps: &[Step], length: usize) -> usize {
    let meets = |announced: &Step, kind| {
        announced.acts().is_some_and(|action| lets_fail(action, Some(kind)))
    };
    let announces = |step: &Step| OperationKind::ALL.into_iter().any(|kind| meets(step, kind));
    let Some(last) = steps[..length].iter().rposition(announces) else { return length };
    let is_met = |step: &Step| step.kind().is_some_and(|kind| meets(&steps[last], kind));
    let met = steps[last + 1..].iter().position(is_met);
    met.map_or(steps.len(), |after| length.max(last + after + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ: Asked = Asked::Operation(OperationKind::GetInvoice);

    fn candidate(number: u64, steps: usize, firsts: &[(usize, usize)]) -> Candidate {
        let steps = vec![Step::new(Action::Deliveries); steps];
        let clause = |(step, clause): &(usize, usize)| (*step, First::Clause(*clause));
        let shown = Shown { firsts: firsts.iter().map(clause).collect(), ..Shown::default() };
        Candidate { number, steps, shown }
    }

    fn order(candidates: &[Candidate], requests: u64) -> Vec<(u64, usize)> {
        let cost = candidates.iter().map(|one| (one.steps.len() + AROUND) as u64).sum();
        let plan = ordered(candidates.to_vec(), cost, requests);
        plan.into_iter().map(|planned| (planned.number, planned.steps.len())).collect()
    }

    #[test]
    fn the_most_clauses_for_each_request_come_first() {
        let slow = candidate(0, 40, &[(0, 1), (39, 2)]);
        let rich = candidate(1, 40, &[(0, 1), (1, 3), (2, 4)]);
        let poor = candidate(2, 40, &[(0, 1)]);
        let plan = order(&[slow, rich, poor], 100);
        assert_eq!(plan, [(1, 3), (0, 40), (2, 40), (1, 40)]);
    }

    #[test]
    fn a_clause_is_worth_two_outcomes() {
        let outcome = |(step, status): (usize, u16)| {
            let (kind, caller, code) = (OperationKind::GetInvoice, Caller::Default, None);
            (step, First::Outcome(Outcome { kind, caller, status, code }))
        };
        let with = |number, statuses: &[(usize, u16)]| {
            let firsts = statuses.iter().copied().map(outcome).collect();
            Candidate { shown: Shown { firsts, ..Shown::default() }, ..candidate(number, 40, &[]) }
        };
        let one_clause = candidate(0, 40, &[(10, 1)]);
        let [one, three] = [with(1, &[(10, 200)]), with(2, &[(8, 401), (9, 404), (10, 502)])];
        assert_eq!(order(&[one, one_clause, three], 100)[..3], [(2, 11), (0, 11), (1, 11)]);
    }

    #[test]
    fn of_whole_cases_those_with_the_most_new_cells_for_their_requests_come_first() {
        let with = |number, steps, names: &[&str]| {
            let cell = |name: &&str| Cell::InState(Kind::Invoice, (*name).to_owned(), READ);
            let cells = names.iter().map(cell).collect();
            Candidate {
                shown: Shown { cells, ..Shown::default() },
                ..candidate(number, steps, &[])
            }
        };
        let cases = [
            with(0, 10, &["a"]),
            with(1, 10, &[]),
            with(2, 10, &["a", "b", "c"]),
            with(3, 40, &["d", "e", "f"]),
            with(4, 10, &["b"]),
        ];
        assert_eq!(order(&cases, 80), [(2, 10), (3, 40), (4, 10), (1, 10), (0, 10)]);
    }

    #[test]
    fn no_more_is_played_twice_than_is_left_over() {
        let one = candidate(0, 10, &[(0, 1)]);
        let two = candidate(1, 10, &[(0, 1), (9, 2)]);
        let three = candidate(2, 10, &[(1, 3)]);
        let of = |requests| order(&[one.clone(), two.clone(), three.clone()], requests);
        assert_eq!(of(39), [(1, 10), (2, 10), (0, 10)]);
        assert_eq!(of(42), [(1, 10), (2, 10), (0, 10)]);
        assert_eq!(of(43), [(0, 1), (1, 10), (2, 10), (0, 10)]);
        // Without room for most of them, the clauses come first.
        assert_eq!(of(30), [(0, 1), (2, 2), (1, 10), (2, 10), (0, 10)]);
    }
}
