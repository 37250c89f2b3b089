//! A service that keeps what changes it.

use std::collections::VecDeque;
use std::ops::Deref;
use std::sync::Arc;

use tideover_model::exchange::Response;
use tideover_model::{
    Answer, Attempt, Cause, Code, Consequence, Delivery, Face, Happening, Impossible, Operation,
    OperationKind, Outcome, PlatformId, Receipt, Refusal, Timestamp,
};

use crate::history::base::{Base, is_too_large};
use crate::history::entry::NotKept;
use crate::history::input::{Around, Input, Noted, Played, name_of};
use crate::history::line::Next;
use crate::journal::Setting;
use crate::limits::Budget;

/// How many inputs there may be for each request that the journal keeps: its own, and those of its webhooks.
const INPUTS_PER_REQUEST: usize = 5;
/// How many inputs are too many before some are played on the base, so that this is done seldom.
const SLACK: usize = 256;

/// A service, and the inputs since its base. All that changes the service goes through here.
pub(crate) struct Tape {
    face: Box<dyn Face>,
    history: History,
    start: Timestamp,
    now: Point,
    /// Where it stood before it last changed.
    before: Point,
    /// Whether somebody has a base that is of no use any more.
    is_base_left: bool,
}

/// A place in the history of a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Point {
    /// The number of inputs before it.
    pub(crate) position: u64,
    /// What the clock shows.
    pub(crate) time: Timestamp,
}

/// The states before and after something.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) before: Point,
    pub(crate) after: Point,
    /// The entries that were still to come.
    pub(crate) next: Next,
}

enum History {
    Off(NotKept),
    /// Nothing has happened since the start. Only what happens needs a base: a world that nobody uses pays for none.
    Unbegun {
        around: Around,
        setting: Setting,
    },
    // Most of the worlds of a mock may have nothing to do, and these are small.
    Kept(Box<Kept>),
}

/// The inputs that are kept, and how many there may be.
struct Kept {
    /// The base, until its owner takes it.
    base: Option<Box<Base>>,
    inputs: VecDeque<Played>,
    bytes: usize,
    most: usize,
    most_bytes: usize,
    /// Whether there was something around the service.
    was_around: bool,
    budget: Arc<Budget>,
}

impl Tape {
    /// A service whose history begins at `start`.
    pub(crate) fn of(face: Box<dyn Face>, start: Timestamp) -> Tape {
        let now = Point { position: 0, time: start };
        Tape {
            face,
            history: History::Off(NotKept::NoJournal),
            start,
            now,
            before: now,
            is_base_left: false,
        }
    }

    /// Forgets what was before. The owner of the base forgets it too.
    pub(crate) fn start(&mut self, time: Timestamp, around: Around, setting: Setting) {
        self.now = Point { position: 0, time };
        (self.start, self.before, self.is_base_left) = (time, self.now, false);
        self.history = History::Unbegun { around, setting };
    }

    /// Makes sure that there is a base, if there can be one.
    pub(crate) fn prepare(&mut self) {
        if !matches!(self.history, History::Unbegun { .. }) {
            return;
        }
        let off = History::Off(NotKept::OwnService);
        let History::Unbegun { around, setting } = std::mem::replace(&mut self.history, off) else {
            return;
        };
        if setting.limits.requests == 0 {
            self.history = History::Off(NotKept::NoJournal);
        } else if is_too_large(&*self.face) {
            self.history = History::Off(NotKept::TooLarge);
        } else {
            let was_around = !around.is_empty();
            if let Some(base) = Base::of(&*self.face, around) {
                self.history = History::Kept(Box::new(Kept {
                    base: Some(Box::new(base)),
                    inputs: VecDeque::new(),
                    bytes: 0,
                    most: setting.limits.requests.saturating_mul(INPUTS_PER_REQUEST),
                    most_bytes: setting.limits.bytes,
                    was_around,
                    budget: setting.budget,
                }));
            }
        }
    }

    fn kept(&mut self) -> Option<&mut Kept> {
        match &mut self.history {
            History::Kept(kept) => Some(kept),
            History::Off(_) | History::Unbegun { .. } => None,
        }
    }

    /// The base, if nobody has taken it.
    pub(crate) fn take_base(&mut self) -> Option<Box<Base>> {
        self.kept()?.base.take()
    }

    /// Whether it keeps states, as far as it is known by now.
    pub(crate) fn keeps(&self) -> bool {
        match &self.history {
            History::Off(_) => false,
            History::Unbegun { setting, .. } => setting.limits.requests > 0,
            History::Kept(_) => true,
        }
    }

    /// Whether somebody has a base that is of no use any more. Says so once.
    pub(crate) fn gives_base_up(&mut self) -> bool {
        std::mem::take(&mut self.is_base_left)
    }

    /// Why it keeps no states, if it keeps none.
    pub(crate) fn why_not(&self) -> Option<NotKept> {
        match &self.history {
            History::Off(why) => Some(why.clone()),
            History::Unbegun { .. } | History::Kept(_) => None,
        }
    }

    /// Where it began.
    pub(crate) fn first(&self) -> Point {
        Point { position: 0, time: self.start }
    }

    /// Where it stands.
    pub(crate) fn point(&self) -> Point {
        self.now
    }

    /// Where it stood before it last changed.
    pub(crate) fn point_before(&self) -> Point {
        self.before
    }

    /// The bytes of the inputs.
    pub(crate) fn bytes(&self) -> usize {
        match &self.history {
            History::Kept(kept) => kept.bytes,
            History::Off(_) | History::Unbegun { .. } => 0,
        }
    }

    /// The inputs from that of the base on, up to a position.
    pub(crate) fn inputs(&self, base: u64, end: u64) -> Vec<Played> {
        let History::Kept(kept) = &self.history else { return Vec::new() };
        let count = usize::try_from(end.saturating_sub(base)).unwrap_or(usize::MAX);
        kept.inputs.iter().take(count).cloned().collect()
    }

    /// Whether there are so many inputs that it is time to [`shed`](Tape::shed) some, if nobody asks for those before
    /// `oldest`.
    pub(crate) fn is_overfull(&self, oldest: u64) -> bool {
        let History::Kept(kept) = &self.history else { return self.is_base_left };
        let count = kept.inputs.len();
        let wanted = kept.wanted(self.now.position, oldest);
        count > wanted + SLACK || kept.bytes > kept.most_bytes
    }

    /// Takes out the oldest inputs: those before `oldest`, and more, until there are no more than the limits permit, nor
    /// more bytes than `most`.
    pub(crate) fn shed(&mut self, oldest: u64, most: usize) -> Vec<Played> {
        let mut shed = Vec::new();
        let position = self.now.position;
        let Some(kept) = self.kept() else { return shed };
        // A quarter less, so that this is done seldom.
        let fits = kept.bytes <= kept.most_bytes;
        let most = most.min(if fits { kept.most_bytes } else { kept.most_bytes / 4 * 3 });
        let wanted = kept.wanted(position, oldest);
        while kept.inputs.len() > wanted || kept.bytes > most {
            let Some(input) = kept.inputs.pop_front() else { break };
            kept.bytes -= input.size();
            kept.budget.remove(input.size());
            shed.push(input);
        }
        shed
    }

    /// Notes what is around the service, if anything is or was.
    pub(crate) fn note(&mut self, around: impl FnOnce() -> Around, is_empty: bool) {
        let was_around = match &self.history {
            History::Kept(kept) => kept.was_around,
            History::Unbegun { around, .. } => !around.is_empty(),
            History::Off(_) => return,
        };
        if is_empty && !was_around {
            return;
        }
        self.prepare();
        let Some(kept) = self.kept() else { return };
        kept.was_around = !is_empty;
        self.changed(|| Input::Around(Box::new(around())));
    }

    fn changed(&mut self, input: impl FnOnce() -> Input) {
        let now = self.now;
        let Some(kept) = self.kept() else { return };
        let input = Played::new(now.time, input());
        kept.bytes += input.size();
        kept.budget.add(input.size());
        kept.inputs.push_back(input);
        self.before = now;
        self.now.position += 1;
        if is_too_large(&*self.face) {
            self.is_base_left = true;
            self.history = History::Off(NotKept::TooLarge);
        }
    }

    /// [`Face::handle`]. `copy` is a copy of the operation, unless it only reads.
    pub(crate) fn handle(
        &mut self,
        now: Timestamp,
        caller: PlatformId,
        operation: Operation,
        copy: Option<&Arc<Noted>>,
    ) -> Answer {
        if copy.is_some() {
            self.prepare();
        }
        let answer = self.face.handle(now, caller, operation);
        match (&answer, copy) {
            (Ok(_), Some(copy)) => {
                self.changed(|| Input::Operation { caller, operation: Arc::clone(copy) });
            }
            (Err(Refusal { code: Code::UpstreamFailed, .. }), _) => {
                self.changed(|| Input::Failure { caller });
            }
            // Reads and refusals change nothing.
            (Ok(_), None) | (Err(_), _) => {}
        }
        answer
    }

    pub(crate) fn happen(
        &mut self,
        now: Timestamp,
        platform: PlatformId,
        happening: Happening,
    ) -> Result<Outcome, Impossible> {
        self.prepare();
        let copy = Box::new(happening.clone());
        let outcome = self.face.happen(now, platform, happening)?;
        self.changed(|| Input::Happening { platform, happening: copy });
        Ok(outcome)
    }

    /// [`Face::write`]. It is no input: a service serializes what it has answered.
    pub(crate) fn write(
        &mut self,
        kind: Option<OperationKind>,
        answer: &Answer,
    ) -> Option<Response> {
        self.face.write(kind, answer)
    }

    /// [`Face::handle_timeout`]. It is no input: whatever is due happens before the next one anyway.
    pub(crate) fn handle_timeout(&mut self, now: Timestamp) {
        if self.face.poll_timeout().is_some_and(|due| due <= now) {
            self.prepare();
            self.before = self.now;
        }
        self.now.time = now;
        self.face.handle_timeout(now);
    }

    pub(crate) fn poll_delivery(&mut self) -> Option<Arc<Delivery>> {
        self.face.poll_delivery()
    }

    pub(crate) fn poll_attempt(&mut self, now: Timestamp) -> Option<Attempt> {
        // A courier asks in every world, also where nothing happens.
        if self.face.poll_timeout().is_some_and(|due| due <= now) {
            self.prepare();
        }
        let attempt = self.face.poll_attempt(now)?;
        self.changed(|| Input::AttemptBegins);
        Some(attempt)
    }

    pub(crate) fn handle_receipt(
        &mut self,
        now: Timestamp,
        attempt: &Attempt,
        receipt: Receipt,
    ) -> Consequence {
        self.prepare();
        let consequence = self.face.handle_receipt(now, attempt, receipt);
        // It may be one from before a reset, and then changes nothing.
        if consequence != Consequence::None {
            self.changed(|| Input::AttemptEnds { attempt: name_of(attempt), receipt });
        }
        consequence
    }

    pub(crate) fn resend(
        &mut self,
        now: Timestamp,
        delivery: &Arc<Delivery>,
        attempts: u32,
    ) -> Result<(), Impossible> {
        self.prepare();
        self.face.resend(now, delivery, attempts)?;
        self.changed(|| Input::Resent { delivery: Arc::clone(delivery), attempts });
        Ok(())
    }

    pub(crate) fn reschedule(
        &mut self,
        due: Timestamp,
        cause: Cause,
        delivery: &Arc<Delivery>,
        attempts: u32,
    ) -> Result<(), Impossible> {
        self.prepare();
        self.face.reschedule(due, cause, delivery, attempts)?;
        let delivery = Arc::clone(delivery);
        self.changed(|| Input::Rescheduled { due, cause, delivery, attempts });
        Ok(())
    }

    pub(crate) fn objections(
        &mut self,
        now: Timestamp,
        caller: PlatformId,
        payee: &str,
        invoice: &str,
    ) -> Result<Vec<Refusal>, Refusal> {
        self.face.objections(now, caller, payee, invoice)
    }

    /// The service itself, for what comes before its history: how a world begins.
    pub(crate) fn unbegun(&mut self) -> &mut dyn Face {
        &mut *self.face
    }
}

impl Kept {
    /// How many inputs there should be at most, if nobody asks for those before `oldest`.
    fn wanted(&self, position: u64, oldest: u64) -> usize {
        usize::try_from(position.saturating_sub(oldest)).unwrap_or(usize::MAX).min(self.most)
    }
}

/// What only reads.
impl Deref for Tape {
    type Target = dyn Face;

    fn deref(&self) -> &(dyn Face + 'static) {
        &*self.face
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.budget.remove(self.bytes);
    }
}
