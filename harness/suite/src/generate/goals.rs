//! The goals of a walk, and the next missing step toward each.

use serde_json::json;
use tideover_exchange::step::Step;

use crate::generate::matrix::tour;
use crate::generate::names::{IMPORTS, INVOICES, PAYORS, UNKNOWN, VENDORS};
use crate::generate::requests::InvoiceFields;
use crate::generate::stories::{STORIES, Story};
use crate::generate::{Walk, next_stage, requests as make, tabled, values};

/// A state that is worth reaching.
#[derive(Clone, Copy)]
enum Aim {
    /// An advance is repaid.
    Repay { payee: &'static str, invoice: &'static str },
    /// The concentration limit is reached.
    FillLimit(&'static str),
    /// An import is interrupted and resumed; another file is refused; the report is read.
    Import(&'static str),
    /// Two platforms serve one business.
    Share,
    /// One platform reaches the limit of a business, and another requests an advance.
    ShareLimit,
    /// The limit of a business is reached, and an advance goes its way.
    KeepLimit,
    /// Every boundary value is sent.
    Boundaries,
    /// Every result that a tax id can have.
    TaxIds,
    /// A subscription from its creation to its deletion.
    Subscription,
    /// Invitations and sessions, used repeatedly.
    Links,
    /// A key from its issue to its revocation.
    Keys,
    /// An invoice that cannot be financed, for several reasons in turn.
    Refused,
    /// A file that touches an invoice with an advance.
    ImportOverAdvance,
    /// A business finances its own invoice.
    SelfDealing,
    /// The vendor clears compliance itself.
    VendorRoutes,
    /// The provider fails, and the request is repeated.
    Upstream,
    /// Files and bodies that are too large.
    TooLarge,
    /// The requests that follow from the tables, one part per case.
    Tabled(usize),
    /// Rows of every form.
    Rows,
    /// Everything is asked of an invoice, or a business, in the state of the matrix with this number.
    State(u64),
    /// Each request of an invoice, or a business, in the state with this number, in few steps.
    PassingState(u64),
    /// Each request in each state of an invoice, or a business, one part per case.
    Tour(usize),
    /// A story, step by step.
    Story(&'static Story),
}

/// An aim, and how far the walk has come toward it.
#[derive(Clone)]
pub(super) struct Goal {
    aim: Aim,
    stage: usize,
    /// The name of the step that later ones refer to, once it has one.
    name: Option<String>,
}

/// How many states of the matrix are among the first cases.
const FIRST_STATES: u64 = 2;

impl Aim {
    fn all() -> Vec<Aim> {
        let mut aims = vec![
            Aim::Repay { payee: VENDORS[0], invoice: INVOICES[0] },
            Aim::Import(IMPORTS[0]),
            Aim::Share,
            Aim::TaxIds,
            Aim::Subscription,
            Aim::Links,
            Aim::Keys,
            Aim::Refused,
            Aim::ImportOverAdvance,
            Aim::SelfDealing,
            Aim::VendorRoutes,
            Aim::Repay { payee: VENDORS[2], invoice: INVOICES[3] },
            Aim::Upstream,
            Aim::TooLarge,
            Aim::Boundaries,
            Aim::Rows,
        ];
        aims.extend(STORIES.iter().map(Aim::Story));
        // Where nothing is reset, a limit that is counted too widely is used up from here on.
        aims.extend([Aim::FillLimit(VENDORS[1]), Aim::ShareLimit, Aim::KeepLimit]);
        aims.extend((0..FIRST_STATES).map(Aim::State));
        aims.extend((0..tabled::parts()).map(Aim::Tabled));
        aims
    }

    /// Whether a state of the matrix is the goal in its place in a round.
    fn is_state_in(&self, round: u64) -> bool {
        match self {
            Aim::State(_) => true,
            Aim::Story(_) | Aim::Tabled(_) => round > 0,
            _ => false,
        }
    }
}

impl Goal {
    fn toward(aim: Aim) -> Goal {
        Goal { aim, stage: 0, name: None }
    }

    /// Whether its steps are fixed one by one, with the reads that they need.
    pub(super) fn is_narrative(&self) -> bool {
        matches!(
            self.aim,
            Aim::Story(_)
                | Aim::Tabled(_)
                | Aim::State(_)
                | Aim::PassingState(_)
                | Aim::Rows
                | Aim::ShareLimit
                | Aim::KeepLimit
                | Aim::Keys
                | Aim::Tour(_)
        )
    }

    /// Whether its steps are those of the tables.
    pub(super) fn is_tabled(&self) -> bool {
        matches!(self.aim, Aim::Tabled(_))
    }

    /// Whether it asks everything in every state. Its case needs no inbox, but room.
    pub(super) fn is_tour(&self) -> bool {
        matches!(self.aim, Aim::Tour(_))
    }

    /// Whether it takes all steps of a case. Then nothing comes between.
    pub(super) fn fills_its_case(&self) -> bool {
        matches!(self.aim, Aim::ShareLimit | Aim::KeepLimit | Aim::Tour(_))
    }

    /// Whether a second platform takes part in it.
    pub(super) fn has_two_platforms(&self) -> bool {
        match self.aim {
            Aim::Share | Aim::ShareLimit | Aim::Keys => true,
            Aim::Story(story) => story.has_other_platform,
            _ => false,
        }
    }

    /// How many goals take turns.
    pub(super) fn round() -> u64 {
        Aim::all().len() as u64
    }

    /// The first goal of a case. The goals take turns, so that a few cases reach all of them, and the tours come once
    /// after the first round. Goals whose steps are fixed show nothing new the second time: the states of the matrix
    /// follow in their place, from another one on with each seed.
    pub(super) fn first(seed: u64, case: u64) -> Goal {
        let aims = Aim::all();
        let count = aims.len() as u64;
        let case = match case.checked_sub(count) {
            Some(part) if part < tour::parts() => {
                return Goal::toward(Aim::Tour(usize::try_from(part).unwrap_or(usize::MAX)));
            }
            Some(later) => count + later - tour::parts(),
            None => case,
        };
        let (round, turn) = (case / count, usize::try_from(case % count).unwrap_or(0));
        if aims[turn].is_state_in(round) {
            let states =
                |aims: &[Aim]| aims.iter().filter(|aim| aim.is_state_in(round)).count() as u64;
            let of_rounds = round.checked_sub(1).map(|more| FIRST_STATES + more * states(&aims));
            let number = of_rounds.unwrap_or(0) + states(&aims[..turn]);
            return Goal::toward(Aim::State(seed.wrapping_add(number)));
        }
        Goal::toward(match aims[turn] {
            // This goal takes as long as a hundred others: once in 24 rounds is enough.
            Aim::TooLarge if round % 24 != 0 => {
                Aim::Repay { payee: VENDORS[1], invoice: INVOICES[1] }
            }
            aim => aim,
        })
    }
}

impl Walk {
    /// What follows a goal: by turns a state of the matrix, another one in each case, and any goal.
    pub(super) fn next_goal(&mut self) -> Goal {
        self.reached += 1;
        let number = self.seed.wrapping_add(self.number).wrapping_add(self.reached / 2 * 41);
        match self.reached % 2 {
            1 => Goal::toward(Aim::PassingState(number)),
            _ => self.any_goal(),
        }
    }

    fn any_goal(&mut self) -> Goal {
        let mut aims = Aim::all();
        for payee in VENDORS {
            aims.extend(INVOICES.map(|invoice| Aim::Repay { payee, invoice }));
        }
        // Large bodies are slow, and one case is enough.
        aims.retain(|aim| !matches!(aim, Aim::TooLarge));
        Goal::toward(self.pick(&aims))
    }

    /// The next step toward the goal; `None` if it is reached or out of reach.
    pub(super) fn step_toward_goal(&mut self) -> Option<Step> {
        let mut goal = self.goal.clone();
        let Goal { aim, stage, name } = &mut goal;
        let step = match *aim {
            Aim::Repay { payee, invoice } => self.toward_repayment(payee, invoice),
            Aim::FillLimit(payee) => self.toward_limit(payee, stage),
            Aim::Import(import) => self.toward_import(import, next_stage(stage)),
            Aim::Share => self.toward_sharing(stage),
            Aim::ShareLimit => self.toward_shared_limit(stage),
            Aim::KeepLimit => self.toward_kept_limit(stage),
            Aim::Boundaries => self.toward_boundaries(next_stage(stage)),
            Aim::TaxIds => self.toward_tax_ids(next_stage(stage)),
            Aim::Subscription => self.toward_subscription(name, next_stage(stage)),
            Aim::Links => self.toward_links(name, next_stage(stage)),
            Aim::Keys => self.toward_keys(name, next_stage(stage)),
            Aim::Refused => self.toward_refusals(stage),
            Aim::ImportOverAdvance => self.toward_import_over_advance(stage),
            Aim::SelfDealing => self.toward_self_dealing(next_stage(stage)),
            Aim::VendorRoutes => self.toward_vendor_routes(next_stage(stage)),
            Aim::Upstream => self.toward_upstream_failure(next_stage(stage)),
            Aim::TooLarge => self.toward_too_large(next_stage(stage)),
            Aim::Tabled(part) => self.toward_tabled(part, next_stage(stage)),
            Aim::Rows => self.toward_rows(next_stage(stage)),
            Aim::State(number) => self.toward_state(number, stage),
            Aim::PassingState(number) => self.toward_passing_state(number, stage),
            Aim::Tour(part) => self.toward_end_of_tour(part, stage),
            Aim::Story(story) => self.toward_end_of(story, stage),
        };
        self.goal = goal;
        step
    }

    /// A random request, mostly about existing objects.
    pub(super) fn wander(&mut self) -> Step {
        let (payee, invoice) = (self.any_business(), self.any_invoice());
        match self.draw(0_u32..15) {
            0 | 1 => {
                let (status, face) = (self.draw(values::status()), self.draw(values::face_value()));
                self.sync_with(payee, invoice, status, face)
            }
            2 => make::get_invoice(payee, invoice),
            3 => make::get_business(payee),
            4 => make::request_advance(payee, invoice),
            5 | 6 => make::quote(payee, self.draw(values::face_value())),
            7 => {
                let routing = values::bad_routing_number(&mut self.source);
                make::set_payout_account(payee, "123456789", &routing, None)
            }
            8 => make::sync_business(payee, &values::legal_name(&mut self.source), None, None),
            9 => make::advance_clock(self.draw(values::seconds())),
            10 => make::pay(payee, invoice, self.draw(values::face_value())),
            11 => make::create_session(payee),
            12 => make::unsubscribe("whs_unknown"),
            13 => self.odd_invoice(payee, invoice),
            _ => make::get_import(self.pick(&["m1", "m2", "m9"])),
        }
    }

    /// A sync with distant dates, and more details of its payee than are required.
    fn odd_invoice(&mut self, payee: &str, invoice: &str) -> Step {
        let fields = InvoiceFields {
            face_value: self.draw(values::face_value()),
            issue_date: self.draw(values::date()),
            due_date: self.draw(values::date()),
            ..InvoiceFields::of(payee)
        };
        make::sync_invoice_with_contact(invoice, &fields, json!({ "name": "Ann" }))
    }

    fn any_business(&mut self) -> &'static str {
        self.mostly_first([VENDORS[0], VENDORS[1], VENDORS[2], PAYORS[0]])
    }

    fn any_invoice(&mut self) -> &'static str {
        self.mostly_first(INVOICES)
    }

    /// One of `known`, the first most often, or one that nobody knows.
    fn mostly_first(&mut self, known: [&'static str; 4]) -> &'static str {
        match self.draw(0_u32..10) {
            0 => UNKNOWN,
            1..=5 => known[0],
            6 | 7 => known[1],
            8 => known[2],
            _ => known[3],
        }
    }
}

#[cfg(test)]
mod tests {
    use tideover_exchange::start;
    use tideover_exchange::step::Action;
    use tideover_exchange::target::INBOX;
    use tideover_exchange::transcript::Header;
    use tideover_model::Profile;

    use super::*;
    use crate::generate::plain::DATES;
    use crate::generate::{self, DEFAULT_STEPS};

    const SEEDS: u64 = 10;

    /// How many of some seeds reach the end of the goal `turn` in the case that begins with it.
    fn times_reached(turn: u64) -> usize {
        let is_reached = |seed: &u64| {
            let header = Header::new(*seed, start(), Profile::default());
            let mut walk = Walk::new(&header, turn, Some(INBOX));
            walk.most = DEFAULT_STEPS;
            while walk.reached == 0 && walk.room() > 0 {
                walk.go_on();
            }
            walk.reached > 0
        };
        (0..SEEDS).filter(is_reached).count()
    }

    /// What a case cuts off is never asked. Most seeds reach the end of each goal.
    #[test]
    fn cases_reach_the_end_of_the_goals_that_they_begin_with() {
        // Limits take what is left, and what follows in a state of the matrix has no end.
        let has_end = |aim: &Aim| {
            !matches!(aim, Aim::FillLimit(_) | Aim::ShareLimit | Aim::KeepLimit | Aim::State(_))
        };
        let turns = (0..).zip(Aim::all()).filter(|(_, aim)| has_end(aim)).map(|(turn, _)| turn);
        let cut: Vec<(u64, usize)> =
            turns.map(|turn| (turn, times_reached(turn))).filter(|(_, times)| *times < 5).collect();
        assert!(cut.is_empty(), "turn, times of {SEEDS}: {cut:?}");
    }

    #[test]
    fn the_dates_of_a_row_are_written_as_those_of_a_sync() {
        assert_eq!(DATES, format!("{},{}", values::day(0), values::day(59)));
    }

    /// The clock of a sandbox runs ahead of ours: a date that does not follow it may lie in the past. Only what a payor
    /// pays may differ: a few dates have an odd form, and what is due by then has another price.
    #[test]
    fn steps_do_not_depend_on_the_clock() {
        let later = start().after(2000 * 86_400).after_milliseconds(250);
        for number in 0..generate::round() {
            let of = |start| {
                let header = Header::new(7, start, Profile::default());
                let mut steps = generate::case(&header, number, DEFAULT_STEPS);
                for step in &mut steps {
                    if let Action::Act(fields) = &mut step.action {
                        fields.remove("amount");
                    }
                }
                steps
            };
            assert_eq!(of(start()), of(later), "{number}");
        }
    }
}
