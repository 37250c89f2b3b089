//! Why a command failed, and the exit code that follows from it.

use std::fmt::Display;
use std::path::Path;

use tideover_endpoint::client::{InvalidClient, InvalidHeader, UnusableIdentity};
use tideover_exchange::target::{Unanswered, Unreachable};
use tideover_exchange::transcript::UnreadableTranscript;
use tideover_live::recorded::UnreadableRecording;
use tideover_live::settings::InvalidSettings;
use tokio::task::JoinError;

/// Why a command failed, by who can mend it.
pub(super) enum Problem {
    /// The user: an option, a file, a port in use, a full disk.
    Usage(String),
    /// The target: it cannot be reached, or it stopped answering.
    Target(String),
    /// We: Tideover itself failed.
    Internal(String),
}

/// Says who is to blame for each error of the other crates. Their messages say what to do.
macro_rules! blame {
    ($($error:ty => $who:ident,)*) => {
        $(impl From<$error> for Problem {
            fn from(error: $error) -> Problem {
                Problem::$who(error.to_string())
            }
        })*
    };
}

blame! {
    InvalidClient => Usage,
    InvalidHeader => Usage,
    InvalidSettings => Usage,
    UnreadableRecording => Usage,
    UnreadableTranscript => Usage,
    UnusableIdentity => Usage,
    Unanswered => Target,
    Unreachable => Target,
    JoinError => Internal,
}

/// Only output is written without a path.
impl From<std::io::Error> for Problem {
    fn from(error: std::io::Error) -> Problem {
        Problem::Usage(format!("cannot write: {error}"))
    }
}

impl Problem {
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Problem::Usage(_) => 2,
            Problem::Target(_) | Problem::Internal(_) => 3,
        }
    }

    pub(super) fn message(&self) -> &str {
        let (Problem::Usage(message) | Problem::Target(message) | Problem::Internal(message)) =
            self;
        message
    }

    /// The same problem, with what the run leaves behind.
    pub(super) fn and(self, left_behind: &[String]) -> Problem {
        if left_behind.is_empty() {
            return self;
        }
        self.followed_by(&format!("; left behind: {}", left_behind.join("; ")))
    }

    /// The same problem, with the seed of the run.
    pub(super) fn with_seed(self, seed: u64) -> Problem {
        self.followed_by(&format!(" (seed {seed})"))
    }

    fn followed_by(mut self, more: &str) -> Problem {
        let (Problem::Usage(message) | Problem::Target(message) | Problem::Internal(message)) =
            &mut self;
        message.push_str(more);
        self
    }
}

/// What the user has to mend.
pub(super) fn wrong(why: impl Display) -> Problem {
    Problem::Usage(why.to_string())
}

/// A file that the user has to mend.
pub(super) fn in_file(path: &Path, why: impl Display) -> Problem {
    Problem::Usage(format!("{}: {why}", path.display()))
}
