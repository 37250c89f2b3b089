//! Names of the entries of a world's logs.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// An entry of a world's logs: at each of them the world has had a state.
///
/// ```
/// use tideover_sim::EntryName;
///
/// assert_eq!("17".parse(), Ok(EntryName::Request(17)));
/// assert_eq!(EntryName::Intervention(3).to_string(), "i3");
/// assert!("x".parse::<EntryName>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EntryName {
    /// The start of the world, before its first entry: `start`.
    Start,
    /// The request of this number in the journal: `17`.
    Request(u64),
    /// What was done beside the API, of this number: `i3`. A move of the clock is one, once it is over.
    Intervention(u64),
    /// The webhook of this number, when it was queued: `d5`.
    Delivery(u64),
}

/// Not the name of an entry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected an entry: the number of a request, such as 17, i3 for an intervention, d5 for a webhook, or start"
)]
pub struct NotAnEntry;

/// Why there is no state at an entry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotKept {
    /// It is too old, or has not happened yet.
    #[error("there is no state at entry {entry} any more, or not yet: {kept}")]
    NoSuchEntry {
        /// The entry.
        entry: EntryName,
        /// Those that have one, in words.
        kept: String,
    },
    /// The service can't be copied.
    #[error(
        "this world keeps no earlier states: its service has a deliberate defect, or is not the model's own"
    )]
    OwnService,
    /// The journal keeps nothing.
    #[error("this world keeps no earlier states, because its journal keeps no requests")]
    NoJournal,
    /// The world has grown too large.
    #[error(
        "this world keeps no earlier states: it has more than {} businesses and invoices",
        crate::history::base::MOST
    )]
    TooLarge,
}

impl fmt::Display for EntryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EntryName::Start => f.write_str("start"),
            EntryName::Request(number) => write!(f, "{number}"),
            EntryName::Intervention(number) => write!(f, "i{number}"),
            EntryName::Delivery(number) => write!(f, "d{number}"),
        }
    }
}

impl FromStr for EntryName {
    type Err = NotAnEntry;

    fn from_str(name: &str) -> Result<EntryName, NotAnEntry> {
        let number = |digits: &str| digits.parse().map_err(|_| NotAnEntry);
        let entry = match name.split_at_checked(1) {
            _ if name == "start" => EntryName::Start,
            Some(("i", digits)) => EntryName::Intervention(number(digits)?),
            Some(("d", digits)) => EntryName::Delivery(number(digits)?),
            _ => EntryName::Request(number(name)?),
        };
        // One spelling for each: no sign and no zeros in front.
        if entry.to_string() == name { Ok(entry) } else { Err(NotAnEntry) }
    }
}

/// Entries in words: `requests 3 to 17`; `None` if there is none.
pub(crate) fn in_words(
    what: &str,
    numbers: Range<u64>,
    name: fn(u64) -> EntryName,
) -> Option<String> {
    let last = numbers.end.checked_sub(1).filter(|last| *last >= numbers.start)?;
    Some(if last == numbers.start {
        format!("{what} {}", name(last))
    } else {
        format!("{what}s {} to {}", name(numbers.start), name(last))
    })
}
