//! Requests that fail, get lost, or are not offered.

use serde_json::Value;
use tideover_exchange::{PreparedCall, Response};
use tideover_model::wire::field::Fields;
use tideover_model::{ActionKind, Code, OperationKind};

use crate::right::draw::happens;
use crate::right::free::refused;
use crate::right::liberties::json::kind_of;
use crate::right::liberty::{Inside, Liberty};

/// Now and then a request fails.
pub(super) struct FailsAtRandom {
    pub(super) salt: u64,
    pub(super) percent: u64,
}

impl Liberty for FailsAtRandom {
    fn instead(&mut self, sent: u64, _: &PreparedCall, _: &mut Inside<'_>) -> Option<Response> {
        let fails = happens(self.salt, sent, self.percent);
        fails.then(|| refused(502, Code::UpstreamFailed.name()))
    }
}

/// The first try of some requests fails; the next one does not.
pub(super) struct FirstTryFails {
    pub(super) salt: u64,
    pub(super) tried: Vec<(String, Vec<u8>)>,
}

impl Liberty for FirstTryFails {
    fn instead(&mut self, _: u64, call: &PreparedCall, _: &mut Inside<'_>) -> Option<Response> {
        let asked = (format!("{} {}", call.method, call.path), call.body().to_vec());
        let kind = kind_of(call)? as u64;
        if !happens(self.salt, kind, 30) || self.tried.contains(&asked) {
            return None;
        }
        self.tried.push(asked);
        Some(refused(502, Code::UpstreamFailed.name()))
    }
}

/// An import that is interrupted fails, with what it has done until then.
pub(super) struct InterruptedImportFails;

impl Liberty for InterruptedImportFails {
    fn in_place_of(&mut self, call: &PreparedCall, body: &Value) -> Option<Response> {
        let imports = kind_of(call) == Some(OperationKind::ImportInvoices);
        let is_interrupted = imports && Fields::of(body).finished() == Some(false);
        is_interrupted.then(|| refused(502, Code::UpstreamFailed.name()))
    }
}

/// Now and then no answer comes.
pub(super) struct LosesAnswers {
    pub(super) salt: u64,
    pub(super) percent: u64,
}

impl Liberty for LosesAnswers {
    fn loses(&mut self, sent: u64) -> bool {
        happens(self.salt, sent, self.percent)
    }
}

/// Now and then there are too many requests.
pub(super) struct TooManyRequests {
    pub(super) salt: u64,
    pub(super) percent: u64,
}

impl Liberty for TooManyRequests {
    fn instead(&mut self, sent: u64, _: &PreparedCall, _: &mut Inside<'_>) -> Option<Response> {
        happens(self.salt, sent, self.percent).then(|| refused(429, "rate_limited"))
    }
}

/// An operator port without some of the actions.
pub(super) struct SmallerPort {
    pub(super) salt: u64,
}

impl Liberty for SmallerPort {
    fn outside(&mut self, _: u64, action: &str) -> Option<Response> {
        let kind = ActionKind::ALL.iter().position(|kind| kind.name() == action)?;
        happens(self.salt, kind as u64, 20).then(|| refused(404, "unknown_action"))
    }
}
