//! What was seen of each duty.

use std::fmt;

use serde::Serialize;
use utoipa::ToSchema;

use crate::conduct::duty::Duty;

/// The number of requests, and of deliveries, that a row names.
const NAMED: usize = 20;

/// What was seen of a duty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ConductState)]
pub enum State {
    /// The caller kept it, each time that it was seen.
    Met,
    /// The caller broke it.
    Broken,
    /// Nothing showed whether the caller keeps it.
    NotSeen,
}

impl State {
    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            State::Met => "met",
            State::Broken => "broken",
            State::NotSeen => "not seen",
        }
    }
}

/// What shows a breach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The exchange of this number.
    Request(u64),
    /// The delivery of this number.
    Delivery(u64),
}

/// Numbers of requests and of deliveries, without repeats, up to a bound.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Numbers {
    requests: Vec<u64>,
    deliveries: Vec<u64>,
}

impl Numbers {
    fn add(&mut self, proof: Proof) {
        let (numbers, number) = match proof {
            Proof::Request(number) => (&mut self.requests, number),
            Proof::Delivery(number) => (&mut self.deliveries, number),
        };
        if numbers.len() < NAMED && !numbers.contains(&number) {
            numbers.push(number);
        }
    }

    fn add_all(&mut self, other: &Numbers) {
        other.requests.iter().for_each(|number| self.add(Proof::Request(*number)));
        other.deliveries.iter().for_each(|number| self.add(Proof::Delivery(*number)));
    }

    fn is_empty(&self) -> bool {
        self.requests.is_empty() && self.deliveries.is_empty()
    }
}

/// A duty, and what was seen of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    duty: Duty,
    kept: bool,
    breaches: u64,
    proofs: Numbers,
    open: Numbers,
}

impl Row {
    pub(super) fn new(duty: Duty) -> Row {
        let (proofs, open) = (Numbers::default(), Numbers::default());
        Row { duty, kept: false, breaches: 0, proofs, open }
    }

    /// The caller kept the duty.
    pub fn keep(&mut self) {
        self.kept = true;
    }

    /// The caller broke the duty.
    pub fn breach(&mut self, proofs: &[Proof]) {
        self.breaches += 1;
        proofs.iter().for_each(|proof| self.proofs.add(*proof));
    }

    /// The caller has yet to do what this asks of it.
    pub(super) fn leave_open(&mut self, proof: Proof) {
        self.open.add(proof);
    }

    /// What is open is not done.
    pub(super) fn close(&mut self) {
        let open = std::mem::take(&mut self.open);
        if !open.is_empty() {
            self.breaches += 1;
            self.proofs.add_all(&open);
        }
    }

    /// The duty.
    pub fn duty(&self) -> Duty {
        self.duty
    }

    /// What was seen of it.
    pub fn state(&self) -> State {
        match (self.breaches, self.kept) {
            (0, true) => State::Met,
            (0, false) => State::NotSeen,
            _ => State::Broken,
        }
    }

    /// The numbers of the first requests that show a breach.
    pub fn requests(&self) -> &[u64] {
        &self.proofs.requests
    }

    /// The numbers of the first deliveries that show a breach.
    pub fn deliveries(&self) -> &[u64] {
        &self.proofs.deliveries
    }

    /// The numbers of the first requests that ask for something that the caller has not done yet.
    pub fn open_requests(&self) -> &[u64] {
        &self.open.requests
    }

    /// The numbers of the first deliveries that do.
    pub fn open_deliveries(&self) -> &[u64] {
        &self.open.deliveries
    }
}

/// A duty of the caller, and what was seen of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ConductRow)]
pub struct RowShown {
    /// The stable name of the duty.
    id: &'static str,
    /// The sentence of the document that asks for it, or an assumption: the stable name of its place.
    clause: &'static str,
    /// The place of the clause in the document.
    place: &'static str,
    /// The duty in one sentence.
    words: &'static str,
    /// What was seen of it.
    state: State,
    /// The numbers of the first requests that show a breach.
    requests: Vec<u64>,
    /// The numbers of the first deliveries that show a breach.
    deliveries: Vec<u64>,
    /// The numbers of requests that ask for something that the caller has not done yet. Once it is done, they show a breach.
    open_requests: Vec<u64>,
    /// The numbers of deliveries that do.
    open_deliveries: Vec<u64>,
    /// What shows whether a caller keeps it.
    shown_by: &'static str,
}

impl Row {
    /// The row for a program.
    pub fn shown(&self) -> RowShown {
        let Row { duty, proofs, open, .. } = self;
        RowShown {
            id: duty.id(),
            clause: duty.clause().name(),
            place: duty.clause().place(),
            words: duty.words(),
            state: self.state(),
            requests: proofs.requests.clone(),
            deliveries: proofs.deliveries.clone(),
            open_requests: open.requests.clone(),
            open_deliveries: open.deliveries.clone(),
            shown_by: duty.shown(),
        }
    }
}

/// The clause, the duty and the numbers of what shows a breach.
impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Row { duty, proofs, .. } = self;
        let (id, clause) = (duty.id(), duty.clause());
        write!(f, "{id} ({clause}, {}): {}", clause.place(), duty.words())?;
        let mut before = " See";
        let names = [("request", "requests"), ("delivery", "deliveries")];
        for ((one, several), numbers) in
            names.into_iter().zip([&proofs.requests, &proofs.deliveries])
        {
            if numbers.is_empty() {
                continue;
            }
            let name = if numbers.len() == 1 { one } else { several };
            let listed: Vec<String> = numbers.iter().map(u64::to_string).collect();
            write!(f, "{before} {name} {}", listed.join(", "))?;
            before = ";";
        }
        if before == ";" { f.write_str(".") } else { Ok(()) }
    }
}

/// How many duties there are of each state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ConductCounts)]
pub struct Counts {
    /// Met.
    pub met: usize,
    /// Broken.
    pub broken: usize,
    /// Not seen.
    pub not_seen: usize,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { met, broken, not_seen } = self;
        write!(f, "{met} met, {broken} broken, {not_seen} not seen")
    }
}

/// A row for each duty, in the order of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    pub(super) rows: Vec<Row>,
}

impl Default for Card {
    fn default() -> Card {
        Card { rows: Duty::ALL.map(Row::new).to_vec() }
    }
}

impl Card {
    /// The rows.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The rows that are broken.
    pub fn broken(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.state() == State::Broken)
    }

    /// The row of a duty, for somebody who has judged it already.
    pub fn row_mut(&mut self, duty: Duty) -> Option<&mut Row> {
        self.rows.iter_mut().find(|row| row.duty == duty)
    }

    /// The counts in one line, and a line for each broken row.
    pub fn summary(&self) -> String {
        let broken = self.broken().map(|row| format!("\n  broken  {row}"));
        format!("conduct: {}{}", self.counts(), broken.collect::<String>())
    }

    /// How many rows there are of each state.
    pub fn counts(&self) -> Counts {
        let of = |state| self.rows.iter().filter(|row| row.state() == state).count();
        Counts { met: of(State::Met), broken: of(State::Broken), not_seen: of(State::NotSeen) }
    }
}
