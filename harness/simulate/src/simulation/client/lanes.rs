//! Calls: one at a time in each lane, repeated with a backoff where that is safe.

use std::collections::{BTreeMap, VecDeque};

use crate::simulation::bugs::Flaw;
use crate::simulation::client::{Client, Effect, Job, Lane, Response, Wake};
use crate::simulation::plan::Plan;
use crate::simulation::queue::{MINUTE, Moment, SECOND};
use crate::simulation::reached::Reached;

/// The longest wait before a call is repeated.
const LONGEST_BACKOFF: Moment = 5 * MINUTE;

/// The queues of jobs.
#[derive(Default)]
pub(super) struct Lanes {
    lanes: BTreeMap<Lane, Queued>,
}

#[derive(Default)]
struct Queued {
    jobs: VecDeque<Job>,
    call: Option<Call>,
    /// The number of calls so far, repeats included.
    calls: u64,
}

/// A call under way.
struct Call {
    job: Job,
    failures: u32,
    /// Whether the client waits before it sends the call again.
    waits: bool,
}

impl Client {
    /// Queues a job, unless the same one waits already.
    pub(super) fn add(&mut self, plan: &Plan, lane: Lane, job: Job) {
        let queued = self.lanes.lanes.entry(lane).or_default();
        if !queued.jobs.contains(&job) {
            queued.jobs.push_back(job);
        }
        self.proceed(plan, lane);
    }

    /// Queues a job in front of all others.
    pub(super) fn add_next(&mut self, plan: &Plan, lane: Lane, job: Job) {
        self.lanes.lanes.entry(lane).or_default().jobs.push_front(job);
        self.proceed(plan, lane);
    }

    /// Starts all lanes that waited for the subscription.
    pub(super) fn open_lanes(&mut self, plan: &Plan) {
        let lanes: Vec<Lane> = self.lanes.lanes.keys().copied().collect();
        for lane in lanes {
            self.proceed(plan, lane);
        }
    }

    /// Starts the next job of a lane, if none is under way. Nothing is synced before webhooks can arrive.
    fn proceed(&mut self, plan: &Plan, lane: Lane) {
        if lane != Lane::Webhooks && !self.webhooks.was_live {
            return;
        }
        let Some(queued) = self.lanes.lanes.get_mut(&lane) else { return };
        if queued.call.is_some() {
            return;
        }
        let Some(job) = queued.jobs.pop_front() else { return };
        queued.call = Some(Call { job, failures: 0, waits: false });
        self.send(plan, lane);
    }

    fn send(&mut self, plan: &Plan, lane: Lane) {
        let Some(queued) = self.lanes.lanes.get_mut(&lane) else { return };
        let Some(call) = &mut queued.call else { return };
        call.waits = false;
        queued.calls += 1;
        let (job, number) = (call.job.clone(), queued.calls);
        if let (Lane::Vendor(vendor), Job::SyncInvoice(invoice)) = (lane, &job)
            && let Some(invoice) = self.customers.invoice_mut(vendor, *invoice)
        {
            if invoice.copy.state.is_some() {
                // An advance fixes the amount (§3 Invoice status rule 2).
                invoice.face_value = invoice.copy.face_value;
            }
            invoice.sent = (invoice.face_value, invoice.status);
        }
        let request = job.request(plan, &self.customers, lane);
        self.effects.push(Effect::Send { lane, call: number, job, request });
    }

    /// The wait before a repeat is over.
    pub(super) fn repeat(&mut self, plan: &Plan, lane: Lane, call: u64) {
        let waits = |queued: &Queued| {
            queued.calls == call && queued.call.as_ref().is_some_and(|call| call.waits)
        };
        if self.lanes.lanes.get(&lane).is_some_and(waits) {
            self.send(plan, lane);
        }
    }

    /// A call has been answered, or has timed out. An answer to an earlier call is too late, and is ignored.
    pub(crate) fn respond(
        &mut self,
        plan: &Plan,
        now: Moment,
        lane: Lane,
        number: u64,
        response: &Response<'_>,
    ) {
        let Some(queued) = self.lanes.lanes.get_mut(&lane) else { return };
        let is_current = |call: &Call| !call.waits && queued.calls == number;
        if !queued.call.as_ref().is_some_and(is_current) {
            // The timeout of a call that was answered means nothing.
            if matches!(response, Response::Answered(..)) {
                self.reach(Reached::LateAnswer);
            }
            return;
        }
        let Some(mut call) = queued.call.take() else { return };
        let failed = match response {
            Response::Unknown => true,
            Response::Answered(status, _) => *status >= 500,
        };
        if failed && self.has(Flaw::WaitsForever) {
            call.waits = true;
            if let Some(queued) = self.lanes.lanes.get_mut(&lane) {
                queued.call = Some(call);
            }
        } else if !failed {
            self.conclude(plan, now, lane, &call.job, response);
        } else if self.gives_up(&call.job) {
            self.reach(Reached::UnknownOutcome);
        } else if call.job.is_safe_to_repeat() || self.has(Flaw::RepeatsSubscribe) {
            call.failures += 1;
            if call.job == Job::Upload {
                // The report says what landed (§4 `GET /v1/invoices/imports/{externalId}`).
                call.job = Job::ReadImport;
            }
            let wait = (SECOND << call.failures.min(10)).min(LONGEST_BACKOFF);
            call.waits = true;
            if let Some(queued) = self.lanes.lanes.get_mut(&lane) {
                queued.call = Some(call);
            }
            self.reach(Reached::RetryByBackoff);
            self.wake_after(wait, Wake::Repeat(lane, number));
        } else {
            self.reach(Reached::UnknownOutcome);
            // The list shows whether it was carried out (§4 Recovering a lost webhook secret).
            self.add_next(plan, lane, Job::ListSubscriptions);
        }
        self.proceed(plan, lane);
    }

    /// Whether a job was sent, and not yet answered.
    pub(super) fn is_under_way(&self, lane: Lane, job: &Job) -> bool {
        let call = self.lanes.lanes.get(&lane).and_then(|queued| queued.call.as_ref());
        call.is_some_and(|call| call.job == *job && !call.waits)
    }

    /// Whether a job waits to be sent: what an earlier one of the kind was answered is out of date.
    pub(super) fn is_waiting(&self, lane: Lane, job: &Job) -> bool {
        self.lanes.lanes.get(&lane).is_some_and(|queued| queued.jobs.contains(job))
    }

    /// The first job that is not done, in words.
    pub(crate) fn busy(&self) -> Option<String> {
        let busy = |(lane, queued): (&Lane, &Queued)| {
            let job = queued.call.as_ref().map(|call| &call.job).or(queued.jobs.front());
            job.map(|job| format!("{job:?} of {lane:?}"))
        };
        self.lanes.lanes.iter().find_map(busy)
    }

    /// Whether a planted flaw makes it drop a failed call.
    fn gives_up(&self, job: &Job) -> bool {
        match job {
            Job::RequestAdvance(_) => self.has(Flaw::DropsTimedOutAdvance),
            Job::SyncInvoice(_) => self.has(Flaw::DropsFailedSync),
            _ => false,
        }
    }
}
