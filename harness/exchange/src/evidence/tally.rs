//! How often each clause was checked.

use tideover_model::Clause;

/// How often each clause was checked. A run without assertions does not pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// By the number of the clause, as far as any was met.
    times: Vec<u64>,
    /// The numbers of the clauses that were met, in the order in which each was met first.
    firsts: Vec<usize>,
}

impl Tally {
    pub fn meet(&mut self, clause: Clause) {
        self.meet_often(clause, 1);
    }

    pub fn meet_often(&mut self, clause: Clause, times: u64) {
        let number = clause.number();
        if number >= self.times.len() {
            self.times.resize(number + 1, 0);
        }
        if self.times[number] == 0 && times > 0 {
            self.firsts.push(number);
        }
        self.times[number] += times;
    }

    pub fn add(&mut self, other: &Tally) {
        for (clause, times) in other.iter() {
            self.meet_often(clause, times);
        }
    }

    pub fn times(&self, clause: Clause) -> u64 {
        self.times.get(clause.number()).copied().unwrap_or(0)
    }

    pub fn distinct(&self) -> usize {
        self.firsts.len()
    }

    /// The numbers of the clauses that were met, in the order in which each was met first.
    pub fn firsts(&self) -> &[usize] {
        &self.firsts
    }

    /// The clauses that were met, in their order, and how often.
    pub fn iter(&self) -> impl Iterator<Item = (Clause, u64)> {
        Clause::all().zip(self.times.iter().copied()).filter(|(_, times)| *times > 0)
    }

    pub fn clauses(&self) -> impl Iterator<Item = Clause> {
        self.iter().map(|(clause, _)| clause)
    }
}
