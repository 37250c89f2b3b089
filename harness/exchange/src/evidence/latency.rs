//! How long a target takes to answer.

use std::collections::BTreeMap;
use std::time::Duration;

use tideover_model::OperationKind;

/// How long each answer took, by operation.
#[derive(Clone, Debug, Default)]
pub struct Latencies {
    micros: BTreeMap<OperationKind, Vec<u32>>,
}

/// How long the answers to one operation took, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latency {
    pub count: usize,
    /// Half of them took no longer.
    pub median: u32,
    /// 95 % of them took no longer.
    pub percentile95: u32,
    /// None took longer.
    pub max: u32,
}

impl Latencies {
    pub fn record(&mut self, kind: OperationKind, took: Duration) {
        let micros = u32::try_from(took.as_micros()).unwrap_or(u32::MAX);
        self.micros.entry(kind).or_default().push(micros);
    }

    pub fn each(&self) -> impl Iterator<Item = (OperationKind, Latency)> {
        self.micros.iter().filter_map(|(kind, micros)| {
            let of = |percent| percentile(micros.clone(), percent);
            let (median, percentile95, max) = (of(50)?, of(95)?, of(100)?);
            Some((*kind, Latency { count: micros.len(), median, percentile95, max }))
        })
    }
}

/// The least value that so many percent of `values` do not exceed.
pub fn percentile<T: Ord + Copy>(mut values: Vec<T>, percent: usize) -> Option<T> {
    values.sort_unstable();
    let rank = (values.len() * percent).div_ceil(100).max(1);
    values.get(rank - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_one_of_the_values() {
        assert_eq!(percentile::<u64>(Vec::new(), 50), None);
        assert_eq!(percentile(vec![7], 95), Some(7));
        let values: Vec<u64> = (1..=20).rev().collect();
        assert_eq!((percentile(values.clone(), 50), percentile(values, 95)), (Some(10), Some(19)));
    }

    #[test]
    fn each_operation_has_its_own_latency() {
        let mut latencies = Latencies::default();
        for micros in [30, 10, 20] {
            latencies.record(OperationKind::Quote, Duration::from_micros(micros));
        }
        latencies.record(OperationKind::GetInvoice, Duration::from_hours(2));
        let each: Vec<_> = latencies.each().collect();
        let quote = Latency { count: 3, median: 20, percentile95: 30, max: 30 };
        assert_eq!(each[1], (OperationKind::Quote, quote));
        assert_eq!((each[0].0, each[0].1.max), (OperationKind::GetInvoice, u32::MAX));
    }
}
