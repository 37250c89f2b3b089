//! A face with a defect.

use std::hash::{Hash, Hasher};

use tideover_model::exchange::Encoding;
use tideover_model::{
    Altered, Answer, Attempt, Consequence, Face, Happening, Impossible, Operation, Outcome,
    PlatformId, Receipt, Refusal, Service, Timestamp,
};
use tideover_suite::play::concurrent::Interleaved;

use crate::defects::breach::{Behind, DefectMemory};
use crate::defects::{Chosen, Defect};

/// A service (or any other face) with one defect.
#[derive(Clone, Debug)]
pub struct Defective<F = Service<Chosen>> {
    face: F,
    defect: &'static Defect,
    admission: String,
    memory: DefectMemory,
    /// The attempts in flight, as they were before the defect altered them.
    under_way: Vec<Attempt>,
    /// The state at the arrival of the request that is handled next.
    glimpse: Option<Box<F>>,
}

impl<F: Face> Defective<F> {
    /// `face` with `defect`. Wrong choices must already be part of `face`.
    pub fn new(face: F, defect: &'static Defect) -> Defective<F> {
        let Defect { name, clause, words, .. } = defect;
        let admission = format!("{name}: {words} ({clause})");
        let (memory, under_way) = (DefectMemory::default(), Vec::new());
        Defective { face, defect, admission, memory, under_way, glimpse: None }
    }

    fn behind(&mut self, now: Timestamp, caller: PlatformId) -> Behind<'_> {
        Behind { face: &mut self.face, memory: &mut self.memory, now, caller }
    }
}

impl<F: Face + Clone> Interleaved for Defective<F> {
    fn glimpse(&self) -> Option<Self> {
        self.defect.is_raced().then(|| self.clone())
    }

    fn handle_as_of(&mut self, glimpse: Self) {
        self.glimpse = Some(Box::new(glimpse.face));
    }
}

/// Hashes only the state of the service.
impl<F: Hash> Hash for Defective<F> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.face.hash(state);
    }
}

impl<F: Face> Altered for Defective<F> {
    type Face = F;

    fn unaltered(&self) -> &F {
        &self.face
    }

    fn unaltered_mut(&mut self) -> &mut F {
        &mut self.face
    }

    fn alter_authentication(&self, authorization: Option<&str>) -> Result<PlatformId, Refusal> {
        match self.defect.breach.authentication {
            None => self.face.authenticate(authorization),
            Some(authenticate) => authenticate(&self.face, authorization),
        }
    }

    fn alter_answer(
        &mut self,
        now: Timestamp,
        caller: PlatformId,
        mut operation: Operation,
    ) -> Answer {
        let breach = self.defect.breach;
        if let Some(alter) = breach.operation {
            alter(&mut operation);
        }
        let mut answer = match (breach.answer, breach.race.zip(self.glimpse.take())) {
            (Some(answer), _) => answer(&mut self.behind(now, caller), operation),
            (None, Some((race, mut glimpse))) => {
                race(&mut self.behind(now, caller), &mut *glimpse, operation)
            }
            (None, None) => self.face.handle(now, caller, operation),
        };
        if let (Some(alter), Ok(reply)) = (breach.reply, &mut answer) {
            alter(reply);
        }
        answer
    }

    fn alter_happening(
        &mut self,
        now: Timestamp,
        platform: PlatformId,
        happening: Happening,
    ) -> Result<Outcome, Impossible> {
        if happening == Happening::Reset {
            self.memory = DefectMemory::default();
            self.under_way.clear();
        }
        match self.defect.breach.happening {
            None => self.face.happen(now, platform, happening),
            Some(happen) => happen(&mut self.behind(now, platform), happening),
        }
    }

    fn alter_attempt(&mut self, now: Timestamp) -> Option<Attempt> {
        let Some(alter) = self.defect.breach.attempt else { return self.face.poll_attempt(now) };
        loop {
            let attempt = self.face.poll_attempt(now)?;
            let mut altered = attempt.clone();
            if alter(&mut self.memory, &mut altered) {
                self.under_way.push(attempt);
                return Some(altered);
            }
            self.face.handle_receipt(now, &attempt, Receipt::Answered(200));
        }
    }

    fn alter_consequence(
        &mut self,
        now: Timestamp,
        attempt: &Attempt,
        receipt: Receipt,
    ) -> Consequence {
        let receipt = match self.defect.breach.receipt {
            None => receipt,
            Some(take) => take(&mut self.memory, attempt, receipt),
        };
        let is_same = |one: &Attempt| {
            (one.delivery.number, one.number) == (attempt.delivery.number, attempt.number)
        };
        match self.under_way.iter().position(is_same) {
            None => self.face.handle_receipt(now, attempt, receipt),
            Some(index) => {
                let attempt = self.under_way.swap_remove(index);
                self.face.handle_receipt(now, &attempt, receipt)
            }
        }
    }

    fn alter_encoding(&self) -> Option<Encoding> {
        self.defect.breach.encoding.or(self.face.encoding())
    }

    fn admit_defect(&self) -> Option<&str> {
        Some(&self.admission)
    }
}
