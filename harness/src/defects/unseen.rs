//! What cannot be seen of the catalogue by who knows less of a service than its model: each with the reason.

use super::Defect;

/// How a service is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Setup {
    /// In process, its profile and the seed of its choices known.
    Known,
    /// Its answers and its webhooks, with an operator port, the keys of two platforms and an inbox.
    Stranger,
    /// Its answers, with one key and nothing else.
    Caller,
}

impl Setup {
    /// All of them, by how much is known.
    pub const ALL: [Setup; 3] = [Setup::Known, Setup::Stranger, Setup::Caller];

    /// As it is called on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Setup::Known => "known",
            Setup::Stranger => "stranger",
            Setup::Caller => "caller",
        }
    }

    /// How many requests a defect is worth.
    pub fn requests(self) -> u64 {
        match self {
            Setup::Known => 20_000,
            Setup::Stranger | Setup::Caller => 5_000,
        }
    }

    /// What there is to look with.
    pub fn words(self) -> &'static str {
        match self {
            Setup::Known => "with the model known",
            Setup::Stranger => "as a stranger with an operator port, two keys and an inbox",
            Setup::Caller => "as a caller with one key alone",
        }
    }

    /// Why `defect` cannot be seen in this way, if it cannot.
    pub fn reason(self, defect: &Defect) -> Option<&'static str> {
        let of = |unseen: &&Unseen| unseen.setup == self && unseen.defects.contains(&defect.name);
        UNSEEN.iter().find(of).map(|unseen| unseen.why)
    }
}

/// Defects that cannot be seen in one way, for one reason.
#[derive(Debug)]
pub struct Unseen {
    /// In which way.
    pub setup: Setup,
    /// Why not.
    pub why: &'static str,
    /// Their names.
    pub defects: &'static [&'static str],
}

/// All of them.
pub static UNSEEN: &[Unseen] = &[];
