//! How much a mock takes on, so that no client can use it up.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// How much a mock takes on. It refuses what exceeds a bound, and names the bound; journals drop their oldest requests.
///
/// ```
/// use tideover_sim::{Limits, Mock};
///
/// let mock = Mock::builder().limits(Limits { worlds: 20, ..Limits::default() });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most worlds, the default one included.
    pub worlds: usize,
    /// The most live subscriptions of one world.
    pub subscriptions: usize,
    /// The most requests that wait for something at the operator port, open streams of events included.
    pub waiting: usize,
    /// The most bytes of the journals of all worlds together.
    pub journals: usize,
    /// How long a client may take for the head of a request. A connection that is silent for so long, or for up to twice
    /// as long, is closed.
    pub head: Duration,
    /// How long a client may take between two parts of a body that it sends, or of a response that it reads.
    pub pause: Duration,
    /// How long a client may take for the whole body that it sends.
    pub body: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            worlds: 10_000,
            subscriptions: 1000,
            waiting: 1000,
            journals: 256 << 20,
            head: Duration::from_secs(60),
            pause: Duration::from_secs(60),
            body: Duration::from_secs(300),
        }
    }
}

/// The bytes of all journals of a mock.
#[derive(Debug)]
pub(crate) struct Budget {
    used: AtomicUsize,
    most: usize,
}

impl Budget {
    pub(crate) fn of(most: usize) -> Arc<Budget> {
        Arc::new(Budget { used: AtomicUsize::new(0), most })
    }

    pub(crate) fn add(&self, bytes: usize) {
        self.used.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn remove(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    pub(crate) fn is_exceeded(&self) -> bool {
        self.used.load(Ordering::Relaxed) > self.most
    }

    /// The most bytes that each journal may keep, so that together they keep three quarters of the bound: the largest
    /// give first, and the remaining quarter puts off the next time.
    pub(crate) fn share(&self, mut sizes: Vec<usize>) -> usize {
        sizes.sort_unstable();
        let (mut left, mut journals) = (self.most / 4 * 3, sizes.len());
        for size in sizes {
            if size > left / journals {
                return left / journals;
            }
            (left, journals) = (left - size, journals - 1);
        }
        usize::MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_journals_give_first() {
        let share = |most, sizes: &[usize]| Budget::of(most).share(sizes.to_vec());
        assert_eq!(share(400, &[100, 100]), usize::MAX);
        assert_eq!(share(400, &[10, 20, 500]), 270);
        assert_eq!(share(400, &[500, 500, 10]), 145);
        assert_eq!(share(4, &[500; 6]), 0);
        assert_eq!(share(0, &[]), usize::MAX);
    }
}
