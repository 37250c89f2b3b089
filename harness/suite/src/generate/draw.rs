//! Random draws: the same seed gives the same draws on any machine.

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// A source of draws from a seed.
pub(crate) struct Draw {
    runner: TestRunner,
}

impl Draw {
    /// A source from three numbers: the seed, the case and the purpose.
    pub(crate) fn new(numbers: [u64; 3]) -> Draw {
        let mut seed = [0; 32];
        for (bytes, number) in seed.chunks_exact_mut(8).zip(numbers) {
            bytes.copy_from_slice(&number.to_le_bytes());
        }
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
        Draw { runner: TestRunner::new_with_rng(Config::default(), rng) }
    }

    /// A value of `strategy`.
    pub(crate) fn value<S: Strategy>(&mut self, strategy: S) -> S::Value {
        strategy.new_tree(&mut self.runner).expect("no strategy here rejects").current()
    }

    /// A number less than `end`, which must not be 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.value(0..end)
    }

    /// True with a chance of `percent` percent.
    pub(crate) fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// At most `most` of `all`, at even distances: neighbours are alike, so some of each kind is there. Seeds together
    /// reach each.
    pub(crate) fn some<T>(&mut self, mut all: Vec<T>, most: usize) -> Vec<T> {
        let count = all.len();
        if count > most {
            let first = self.below(count);
            let mut places = first..;
            all.retain(|_| places.next().is_some_and(|place| place * most % count < most));
        }
        all
    }

    /// One of `choices`, which must not be empty.
    pub(crate) fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }
}
