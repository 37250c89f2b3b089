//! Tours through the states of an invoice and of a business: each request is sent in each state, in few steps.
//!
//! A table says what can be asked and where it leads. The tour follows: what changes nothing is asked first, and then the
//! nearest state comes in which something is left to ask.

use std::collections::{BTreeSet, VecDeque};
use std::sync::LazyLock;

use proptest::strategy::{Just, Strategy};
use tideover_exchange::evidence::matrix::Asked;
use tideover_exchange::step::{Caller, Step};

use crate::generate::draw::Draw;
use crate::generate::latest::Latest;
use crate::generate::matrix::ask::{Ask, Subject};
use crate::generate::matrix::{businesses, invoices};
use crate::generate::names::VENDORS;
use crate::generate::{Walk, next_stage};

/// The number of steps for which a case has room, beside those that end it.
const STEPS_IN_A_CASE: usize = 46;

/// The same where a vendor is onboarded first, which takes at most twelve steps.
const STEPS_ONCE_ONBOARDED: usize = STEPS_IN_A_CASE - 12;

/// Separates these draws from others of the seed.
const PURPOSE: u64 = 0x70c4;

/// A tour of one case.
struct Tour {
    /// The vendor that must be onboarded before.
    vendor: Option<&'static str>,
    steps: Vec<Step>,
}

/// The number of cases that hold the tours of any seed: on the order in which it asks depends how many it needs.
pub(in crate::generate) fn parts() -> u64 {
    static PARTS: LazyLock<u64> = LazyLock::new(|| tours(0).len() as u64 + SPREAD);
    *PARTS
}

/// How many more cases the orders of other seeds need.
const SPREAD: u64 = 7;

/// All tours, as the seed orders them.
fn tours(seed: u64) -> Vec<Tour> {
    let mut draw = Draw::new([seed, 0, PURPOSE]);
    let vendor = |part: usize| VENDORS[part % VENDORS.len()];
    let invoices = planned::<invoices::Ask>(STEPS_ONCE_ONBOARDED, vendor, &mut draw);
    let invoices = invoices.into_iter().enumerate();
    let invoices = invoices.map(|(part, steps)| Tour { vendor: Some(vendor(part)), steps });
    let businesses = planned::<businesses::Ask>(STEPS_IN_A_CASE, vendor, &mut draw);
    let businesses = businesses.into_iter().map(|steps| Tour { vendor: None, steps });
    invoices.chain(businesses).collect()
}

/// The steps of each case, of at most so many, in which everything is asked in every state.
fn planned<A: Ask>(
    most: usize,
    vendor: fn(usize) -> &'static str,
    draw: &mut Draw,
) -> Vec<Vec<Step>> {
    let order = draw.value(Just(A::all()).prop_shuffle());
    let mut asked = BTreeSet::new();
    let mut cases: Vec<Vec<Step>> = Vec::new();
    let mut number = 0;
    loop {
        let mut case = Vec::new();
        loop {
            let vendor = vendor(cases.len());
            let subject = Subject { number, vendor, place: 0 };
            let steps = toured::<A>(&subject, &order, &mut asked, most.saturating_sub(case.len()));
            if steps.is_empty() {
                break;
            }
            case.extend(steps);
            number += 1;
        }
        if case.is_empty() {
            return cases;
        }
        cases.push(case);
    }
}

/// The tour of one subject, of at most so many steps. Empty if nothing is left to ask, or does not fit.
fn toured<A: Ask>(
    subject: &Subject,
    order: &[A],
    asked: &mut BTreeSet<(A::Shown, Asked)>,
    most: usize,
) -> Vec<Step> {
    let (mut steps, mut state) = (A::begun(subject), A::FIRST);
    let begun = steps.len();
    // Whether something was written since the last read. What leaves the state as it is needs one read for all.
    let mut is_unread = false;
    while let Some(way) = nearest(state, order, asked) {
        let (mut more, mut at, mut unread) = (Vec::new(), state, is_unread);
        for ask in &way {
            let next = ask.leads_to(at).unwrap_or(at);
            if unread && next != at {
                more.push(A::read(subject));
            }
            let place = steps.len() + more.len();
            more.push(ask.step(at, &Subject { place, ..*subject }));
            unread = next == at && (unread || !ask.writes_nothing_in(at));
            if next != at {
                more.push(A::read(subject));
            }
            at = next;
        }
        if steps.len() + more.len() + usize::from(unread) > most {
            break;
        }
        for ask in way {
            asked.insert((A::shown(state), ask.asked()));
            state = ask.leads_to(state).unwrap_or(state);
        }
        steps.append(&mut more);
        is_unread = unread;
    }
    if steps.len() == begun {
        return Vec::new();
    }
    steps.extend(is_unread.then(|| A::read(subject)));
    steps
}

/// The shortest way to something that was not asked yet; one that changes nothing comes before one that does.
fn nearest<A: Ask>(
    from: A::State,
    order: &[A],
    asked: &BTreeSet<(A::Shown, Asked)>,
) -> Option<Vec<A>> {
    let mut met = BTreeSet::from([from]);
    let mut open = VecDeque::from([(from, Vec::new())]);
    while let Some((state, way)) = open.pop_front() {
        let asks = order.iter().filter(|ask| ask.leads_to(state).is_some());
        let (still, moving): (Vec<A>, Vec<A>) =
            asks.partition(|ask| ask.leads_to(state) == Some(state));
        let mut here = still.into_iter().chain(moving.iter().copied());
        if let Some(ask) = here.find(|ask| !asked.contains(&(A::shown(state), ask.asked()))) {
            return Some([way, vec![ask]].concat());
        }
        for ask in moving {
            if let Some(next) = ask.leads_to(state).filter(|next| met.insert(*next)) {
                open.push_back((next, [&*way, &[ask]].concat()));
            }
        }
    }
    None
}

impl Walk {
    /// The next step of the tour `part`.
    pub(in crate::generate) fn toward_end_of_tour(
        &mut self,
        part: usize,
        stage: &mut usize,
    ) -> Option<Step> {
        thread_local! {
            static TOURS: Latest<u64, Vec<Tour>> = const { Latest::new() };
        }
        let tours = TOURS.with(|latest| latest.get(self.seed, |seed| tours(*seed)));
        let tour = tours.get(part)?;
        if *stage == 0 {
            let toward = tour.vendor.and_then(|it| self.toward_onboarding(&Caller::Default, it));
            if toward.is_some() {
                return toward;
            }
        }
        tour.steps.get(next_stage(stage)).cloned()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tideover_exchange::evidence::matrix::{Answers, Asked, Kind, Matrix};
    use tideover_exchange::start;
    use tideover_exchange::target::{INBOX, service};
    use tideover_exchange::transcript::Header;
    use tideover_model::Profile;

    use super::{parts, tours};
    use crate::generate;
    use crate::play::case::play;
    use crate::play::cases::{InProcess, Testbed};

    /// A part beyond the last one would not be played.
    #[test]
    fn the_parts_are_enough_for_every_seed() {
        let counts: Vec<u64> = (1..40).map(|seed| tours(seed).len() as u64).collect();
        assert!(counts.iter().all(|count| *count <= parts()), "{counts:?} of {}", parts());
    }

    #[tokio::test]
    async fn the_tours_send_each_request_in_each_state() {
        for seed in 1..9 {
            tours_are_complete(seed).await;
        }
    }

    async fn tours_are_complete(seed: u64) {
        let header = Header::new(seed, start(), Profile::default());
        let mut world = InProcess::new(service(Profile::default(), seed, INBOX), start());
        let mut met = Matrix::default();
        for case in generate::tours() {
            let steps = generate::case(&header, case, generate::DEFAULT_STEPS);
            let played = play(&mut world.fresh().await.unwrap(), &header, &steps).await.unwrap();
            met.add(played.coverage.matrix());
        }
        for kind in [Kind::Invoice, Kind::Business] {
            let all: BTreeSet<Asked> =
                met.of(kind).flat_map(|(_, asked)| asked.keys().copied()).collect();
            let unasked = |(state, asked): (&str, &Answers)| {
                let open: Vec<Asked> =
                    all.iter().filter(|it| !asked.contains_key(it)).copied().collect();
                (!open.is_empty()).then(|| (state.to_owned(), open))
            };
            let open: Vec<_> = met.of(kind).filter_map(unasked).collect();
            assert!(open.is_empty(), "seed {seed}, {kind:?}: {open:#?}");
            let states: BTreeSet<String> = kind.states().into_iter().collect();
            let met: BTreeSet<String> = met.of(kind).map(|(state, _)| state.to_owned()).collect();
            assert_eq!(met, states, "seed {seed}, {kind:?}");
        }
    }
}
