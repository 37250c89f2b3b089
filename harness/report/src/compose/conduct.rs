//! The part of a report about the client.

use tideover_exchange::evidence::outcome::Outcome;
use tideover_model::conduct::{Duty, Row, State};

use crate::document::{DutyReport, DutyState, Report};
use crate::figures::counted;

/// The most duties that a headline names.
const MOST_NAMED: usize = 3;

impl DutyReport {
    /// A row of conduct, with the exchanges that show a breach.
    pub fn of(row: &Row, shown: Vec<String>) -> DutyReport {
        let duty: Duty = row.duty();
        DutyReport {
            duty: duty.id().to_owned(),
            clause: duty.clause().name().to_owned(),
            place: duty.clause().place().to_owned(),
            wording: duty.words().to_owned(),
            state: match row.state() {
                State::Met => DutyState::Met,
                State::Broken => DutyState::Broken,
                State::NotSeen => DutyState::NotSeen,
            },
            shown,
        }
    }
}

/// Whose findings fail a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judges {
    Service,
    Client,
    Both,
}

impl Judges {
    pub fn service(self) -> bool {
        self != Judges::Client
    }

    pub fn client(self) -> bool {
        self != Judges::Service
    }
}

impl Report {
    /// The report with what was seen of the client. The outcome is that of the side that fails the run.
    #[must_use]
    pub fn with_conduct(mut self, conduct: Vec<DutyReport>, judges: Judges) -> Report {
        self.conduct = conduct;
        let broken: Vec<&str> = self.broken_duties().map(|duty| duty.duty.as_str()).collect();
        let shown = broken.iter().take(MOST_NAMED).copied().collect::<Vec<_>>().join(", ");
        let client = match broken.len() {
            0 => "no duty of the client is broken".to_owned(),
            count if count <= MOST_NAMED => format!("the client breaks {shown}"),
            count => format!("the client breaks {shown} and {} more", count - MOST_NAMED),
        };
        let service = self.headline.trim_start_matches(self.outcome.word());
        let service = service.trim_start_matches(':').trim_start().to_owned();
        self.outcome = match (judges, broken.is_empty(), self.outcome) {
            (Judges::Client | Judges::Both, false, _) => Outcome::Fail,
            (Judges::Client, true, Outcome::Fail) => Outcome::Partial,
            (_, _, outcome) => outcome,
        };
        let (word, service) = (self.outcome.word(), format!("service: {service}"));
        self.headline = format!("{word}: {client}; {service}");
        self
    }

    /// The duties that the client breaks.
    pub fn broken_duties(&self) -> impl Iterator<Item = &DutyReport> {
        self.conduct.iter().filter(|duty| duty.state == DutyState::Broken)
    }

    /// How many duties there are of each state, in words.
    pub(crate) fn duty_counts(&self) -> String {
        let of = |state| self.conduct.iter().filter(|duty| duty.state == state).count() as u64;
        let met = counted_duties(of(DutyState::Met));
        format!("{met} met, {} broken, {} not seen", of(DutyState::Broken), of(DutyState::NotSeen))
    }
}

fn counted_duties(count: u64) -> String {
    if count == 1 { "1 duty".to_owned() } else { counted(count, "dutie") }
}
