//! A world as it was at an entry of its logs.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError};

use serde::Serialize;
use tideover_model::exchange::Asked;
use tideover_model::wire::difference::{SubjectChange, Subjects, difference};
use tideover_model::wire::overview::{Overview, Wanted};
use tideover_model::{PlatformId, Timestamp};
use utoipa::ToSchema;

use crate::beginning::Beginning;
use crate::clock::SavedClock;
use crate::grease::Grease;
use crate::history::{
    Around, Base, EntryName, Left, Line, NamedEntry, Next, NotKept, Noted, Place, Point, in_words,
};
use crate::world::{World, WorldState};
use crate::worlds::WorldId;

/// A state that a world has had.
pub(crate) struct Past {
    pub(super) base: Base,
    pub(super) clock: SavedClock,
    pub(super) beginning: Beginning,
}

/// The difference between two states of a world, in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = StateDifference)]
pub struct Difference {
    /// What the clock showed first.
    #[schema(value_type = String, format = DateTime)]
    pub from: Timestamp,
    /// What it showed then.
    #[schema(value_type = String, format = DateTime)]
    pub to: Timestamp,
    /// The businesses, invoices, subscriptions and books that have changed, of all platforms.
    pub changes: Vec<SubjectChange>,
}

/// Which states are compared.
#[derive(Clone, Copy, Debug)]
enum Which {
    Before(EntryName),
    At(EntryName),
    Now,
}

impl Past {
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// When something was due next.
    pub(crate) fn next_due(&self) -> Option<Timestamp> {
        self.base.face.poll_timeout()
    }

    /// What belongs to a platform.
    pub(crate) fn overview(&self, platform: PlatformId, wanted: Wanted<'_>) -> Overview {
        self.base.face.overview(self.now(), platform, wanted)
    }

    /// Everything that a difference names, of all platforms.
    fn subjects(&self) -> Subjects {
        let mut platforms: Vec<String> =
            self.base.face.keys().into_iter().map(|key| key.platform).collect();
        platforms.dedup();
        let mut all = BTreeMap::new();
        for (number, name) in (0..).zip(platforms) {
            let wanted = Wanted { text: "", most: usize::MAX };
            let subjects = self.overview(PlatformId(number), wanted).subjects();
            all.extend(subjects.into_iter().map(|(subject, fields)| match number {
                0 => (subject, fields),
                // The books are those of all platforms.
                _ if subject == Overview::BOOKS => (subject, fields),
                _ => (format!("{subject} ({name})"), fields),
            }));
        }
        all
    }
}

impl World {
    /// This world as it was right after an entry of its logs: a copy with the same keys, which goes its own way. Its
    /// journal is empty.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use tideover_sim::{EntryName, Mock, Scenario};
    ///
    /// let mock = Mock::builder().scenario(Scenario::Onboarded).start().await?;
    /// mock.advance_clock(3600).await?;
    /// mock.tax_id_found_wrong("acme")?;
    /// let world = mock.world();
    /// assert!(!world.outside().objections("acme", "INV-1")?.is_empty());
    /// // Intervention 0 is the move of the clock.
    /// let then = world.at(EntryName::Intervention(0))?;
    /// assert_eq!(then.outside().objections("acme", "INV-1")?, []);
    /// let change = world.diff(EntryName::Intervention(0), EntryName::Intervention(1))?;
    /// assert!(change.changes[0].sentence.contains("onboarding.compliance true → false"));
    /// # mock.stop().await;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`NotKept`] if there is no state at the entry any more, or the world keeps none.
    pub fn at(&self, entry: EntryName) -> Result<World, NotKept> {
        let document = self.past(entry)?.snapshot().ok_or(NotKept::OwnService)?;
        World::restore(&document).map_err(|_| NotKept::OwnService)
    }

    /// What has changed from one entry to another, in words.
    ///
    /// # Errors
    /// [`NotKept`] if there is no state at one of the entries any more, or the world keeps none.
    pub fn diff(&self, from: EntryName, to: EntryName) -> Result<Difference, NotKept> {
        self.compared(Which::At(from), Which::At(to))
    }

    /// What an entry has changed.
    ///
    /// # Errors
    /// [`NotKept`] if there is no state at the entry any more, or the world keeps none.
    pub fn changed_by(&self, entry: EntryName) -> Result<Difference, NotKept> {
        self.compared(Which::Before(entry), Which::At(entry))
    }

    /// What has changed since an entry.
    ///
    /// # Errors
    /// [`NotKept`] if there is no state at the entry any more, or the world keeps none.
    pub fn changed_after(&self, entry: EntryName) -> Result<Difference, NotKept> {
        self.compared(Which::At(entry), Which::Now)
    }

    fn compared(&self, from: Which, to: Which) -> Result<Difference, NotKept> {
        let (before, after) = (self.state_of(from)?, self.state_of(to)?);
        let changes = difference(&before.subjects(), &after.subjects());
        Ok(Difference { from: before.now(), to: after.now(), changes })
    }

    /// The state right after an entry.
    pub(crate) fn past(&self, entry: EntryName) -> Result<Past, NotKept> {
        self.state_of(Which::At(entry))
    }

    /// Plays the inputs before a state on a copy of the base. Nobody waits for that but who asks.
    fn state_of(&self, which: Which) -> Result<Past, NotKept> {
        let mut place = self.base();
        let (base, inputs, point, clock, beginning) = {
            let mut state = self.lock();
            self.proceed(&mut state);
            state.face.prepare();
            if let Some(why) = state.face.why_not() {
                return Err(why);
            }
            if place.is_none() {
                *place = state.face.take_base();
            }
            let base = place.as_ref().ok_or(NotKept::OwnService)?;
            let point = state.point(which, base.position)?;
            let inputs = state.face.inputs(base.position, point.position);
            (base, inputs, point, state.clock.saved(), state.beginning.clone())
        };
        let mut base = base.copied().ok_or(NotKept::OwnService)?;
        drop(place);
        base.play(inputs);
        base.pass(point.time);
        Ok(Past { base, clock: clock.at(point.time), beginning })
    }

    /// The line of a copy of this world, from an entry or from now.
    pub(crate) fn branch(&self, id: WorldId, from: Option<EntryName>) -> Line {
        let state = self.lock();
        let next = from.map_or_else(|| state.next_entries(), |entry| state.next_after(entry));
        state.line.branch(id, Left { next, last: state.last_before(next) })
    }

    /// This world with a line.
    pub(crate) fn coming_from(self, line: Line) -> World {
        self.lock().line = line;
        self
    }

    pub(crate) fn line(&self) -> Line {
        self.lock().line.clone()
    }

    /// The last entry.
    pub(crate) fn last_entry(&self) -> Option<NamedEntry> {
        let state = self.lock();
        state.last_before(state.next_entries())
    }

    /// The first entry from a place on.
    pub(crate) fn first_entry(&self, from: Next) -> Option<NamedEntry> {
        self.lock().first_after(from)
    }

    /// A copy of an operation for the history, unless it only reads. It is made before the world is locked.
    pub(super) fn copy_of(&self, asked: &Asked, body: usize) -> Option<Arc<Noted>> {
        let operation = asked.operation.as_ref().ok()?;
        let is_kept = !operation.kind().reads() && self.inner.keeps_states.load(Ordering::Relaxed);
        is_kept.then(|| Arc::new(Noted::new(operation.clone(), body)))
    }

    /// The same world, whose base is made if it takes a while: nobody waits for the world yet.
    pub(crate) fn prepared(self) -> World {
        const LARGE: usize = 1000;
        let mut state = self.lock();
        let size = state.face.size();
        if size.businesses + size.invoices > LARGE {
            state.face.prepare();
        }
        drop(state);
        self
    }

    pub(super) fn base(&self) -> MutexGuard<'_, Option<Box<Base>>> {
        self.inner.base.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Unlocks the world; then plays the oldest inputs on the base, if there are too many.
    pub(super) fn leave(&self, state: MutexGuard<'_, WorldState>) {
        let is_overfull = state.face.is_overfull(state.oldest());
        self.inner.keeps_states.store(state.face.keeps(), Ordering::Relaxed);
        drop(state);
        if is_overfull {
            self.shed(usize::MAX);
        }
    }

    /// Plays the oldest inputs on the base, until the rest has at most so many bytes. If somebody has the base just now,
    /// there will be another occasion.
    pub(super) fn shed(&self, most: usize) {
        let Ok(mut place) = self.inner.base.try_lock() else { return };
        let inputs = {
            let mut state = self.lock();
            if place.is_none() {
                *place = state.face.take_base();
            }
            if state.face.gives_base_up() {
                *place = None;
            }
            let oldest = state.oldest();
            state.face.shed(oldest, most)
        };
        if let Some(base) = &mut *place {
            base.play(inputs);
        }
    }
}

impl WorldState {
    /// Begins a history: there are no states before.
    pub(super) fn begin_history(&mut self) {
        let (around, setting) = (self.around(), self.journal.setting().clone());
        self.face.start(self.clock.now(), around, setting);
    }

    /// The position from which on states are of use: the journal still has the requests.
    fn oldest(&self) -> u64 {
        self.journal.oldest_position(self.face.point().position)
    }

    fn around(&self) -> Around {
        let grease = self.grease.as_ref().map(Grease::saved);
        Around { faults: self.faults.clone(), grease }
    }

    /// Where the history stands, once it has noted what is around the service now.
    pub(super) fn noted(&mut self) -> Point {
        let is_empty = self.grease.is_none() && self.faults.are_at_rest();
        let WorldState { face, faults, grease, .. } = self;
        let saved = || grease.as_ref().map(Grease::saved);
        face.note(|| Around { faults: faults.clone(), grease: saved() }, is_empty);
        face.point()
    }

    /// Where a state is, if those from position `first` on are kept.
    fn point(&self, which: Which, first: u64) -> Result<Point, NotKept> {
        let entry = match which {
            Which::Now => return Ok(self.face.point()),
            Which::At(entry) | Which::Before(entry) => entry,
        };
        let points = match entry {
            EntryName::Start => Some([self.face.first(); 2]),
            EntryName::Request(number) => self.journal.states(number),
            EntryName::Intervention(number) => self.interventions.states(number),
            EntryName::Delivery(number) => {
                self.deliveries.place(number).map(|place| [place.before, place.after])
            }
        };
        let points = points.filter(|[before, _]| before.position >= first);
        let [before, after] =
            points.ok_or_else(|| NotKept::NoSuchEntry { entry, kept: self.kept_entries(first) })?;
        Ok(if matches!(which, Which::Before(_)) { before } else { after })
    }

    /// The entries that have states, in words.
    fn kept_entries(&self, first: u64) -> String {
        let WorldState { journal, interventions, deliveries, .. } = self;
        let requests = journal.first_from(first)..journal.next();
        let done = interventions.first_from(first)..interventions.next();
        let sent = deliveries.first_from(first)..deliveries.next();
        let kept = [
            in_words("request", requests, EntryName::Request),
            in_words("intervention", done, EntryName::Intervention),
            in_words("webhook", sent, EntryName::Delivery),
            (first == 0).then(|| "start".to_owned()),
        ];
        let kept: Vec<String> = kept.into_iter().flatten().collect();
        if kept.is_empty() {
            "none is kept".to_owned()
        } else {
            format!("kept are {}", kept.join(", "))
        }
    }

    /// Where it stands, and where it stood before it last changed.
    pub(super) fn place(&self) -> Place {
        let (before, after) = (self.face.point_before(), self.face.point());
        Place { before, after, next: self.next_entries() }
    }

    /// The next entries.
    fn next_entries(&self) -> Next {
        Next { request: self.journal.next(), intervention: self.interventions.next() }
    }

    /// The next entries after one.
    fn next_after(&self, entry: EntryName) -> Next {
        match entry {
            // A reset is the start of the world, and its first entry.
            EntryName::Start => Next { request: 0, intervention: u64::from(self.resets > 0) },
            EntryName::Request(number) => {
                let intervention = self.interventions.after_request(number);
                Next { request: number + 1, intervention }
            }
            EntryName::Intervention(number) => {
                let after = self.interventions.get(number).map(|it| it.ended_after());
                Next { request: after.unwrap_or_default(), intervention: number + 1 }
            }
            EntryName::Delivery(number) => {
                let Some(place) = self.deliveries.place(number) else { return Next::default() };
                let Next { request, intervention } = place.next;
                // What caused it was not logged yet, and belongs to the state.
                let is_in = |states: Option<[Point; 2]>| {
                    states.is_some_and(|[before, _]| before.position < place.after.position)
                };
                let request = request + u64::from(is_in(self.journal.states(request)));
                let done = self.interventions.states(intervention);
                Next { request, intervention: intervention + u64::from(is_in(done)) }
            }
        }
    }

    /// The last entry before a place.
    fn last_before(&self, Next { request, intervention }: Next) -> Option<NamedEntry> {
        let request = request.checked_sub(1);
        let done = intervention.checked_sub(1);
        let is_later = |number: u64| {
            let begun_after = self.interventions.get(number).map(|it| it.began_after());
            begun_after.is_some_and(|next| request.is_none_or(|request| next > request))
        };
        match (request, done) {
            (_, Some(number)) if is_later(number) => {
                Some(self.named_entry(EntryName::Intervention(number)))
            }
            (Some(number), _) => Some(self.named_entry(EntryName::Request(number))),
            (None, Some(number)) => Some(self.named_entry(EntryName::Intervention(number))),
            (None, None) => None,
        }
    }

    /// The first entry from a place on.
    fn first_after(&self, Next { request, intervention }: Next) -> Option<NamedEntry> {
        let done = self.interventions.get(intervention);
        let is_first = done.is_some_and(|it| it.began_after() <= request);
        let has_request = request < self.journal.next();
        if is_first || (done.is_some() && !has_request) {
            return Some(self.named_entry(EntryName::Intervention(intervention)));
        }
        has_request.then(|| self.named_entry(EntryName::Request(request)))
    }

    fn named_entry(&self, entry: EntryName) -> NamedEntry {
        let what = match entry {
            EntryName::Request(number) => self.journal.in_words(number),
            EntryName::Intervention(number) => {
                let done = self.interventions.get(number);
                done.map(|it| it.masked(self.journal.masks()).in_words())
            }
            EntryName::Delivery(_) | EntryName::Start => None,
        };
        NamedEntry { entry, what }
    }
}
