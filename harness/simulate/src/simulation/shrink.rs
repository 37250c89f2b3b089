//! Makes a failing plan smaller: fewer actors, fewer faults, fewer events.

use std::collections::BTreeSet;

use tideover_model::Profile;

use crate::simulation::auditor::Invariant;
use crate::simulation::bugs::Bug;
use crate::simulation::plan::{Invoice, Onboarding, Plan, Restart, Vendor};
use crate::simulation::queue::{MINUTE, Moment};
use crate::simulation::run;
use crate::simulation::trace::Actor;

/// The greatest number of runs that shrinking takes.
const MOST_RUNS: u32 = 3000;
/// The number of seeds under which a vendor is tried alone.
const SEEDS: u64 = 16;

/// A plan that still breaks the same invariant, and from which nothing can be left out.
pub fn shrink(plan: &Plan, bug: Option<Bug>, invariant: Invariant) -> Shrunk {
    let mut shrinking = Shrinking { plan: plan.clone(), bug, invariant, runs: 0 };
    loop {
        let before = shrinking.plan.clone();
        shrinking.leave_out_actors();
        shrinking.leave_out_faults();
        shrinking.simplify();
        let is_smallest = shrinking.plan == before && !shrinking.keep_one_vendor();
        if is_smallest || shrinking.runs >= MOST_RUNS {
            return Shrunk { plan: shrinking.plan, runs: shrinking.runs };
        }
    }
}

/// The result of shrinking.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// The smallest plan found.
    pub plan: Plan,
    /// The runs that it took.
    pub runs: u32,
}

struct Shrinking {
    plan: Plan,
    bug: Option<Bug>,
    invariant: Invariant,
    runs: u32,
}

impl Shrinking {
    /// Takes a candidate, if it fails in the same way. Returns whether it does.
    fn accept(&mut self, candidate: Plan) -> bool {
        if candidate == self.plan || self.runs >= MOST_RUNS {
            return false;
        }
        self.runs += 1;
        let breach = run(&candidate, self.bug, false).breach;
        let fails = breach.is_some_and(|breach| breach.invariant == self.invariant);
        if fails {
            self.plan = candidate;
        }
        fails
    }

    /// Tries a change.
    fn attempt(&mut self, change: impl FnOnce(&mut Plan)) -> bool {
        let mut candidate = self.plan.clone();
        change(&mut candidate);
        self.accept(candidate)
    }

    /// Leaves out as many items of a list as possible: first large parts of it, then single items.
    fn reduce<T: Clone>(&mut self, list: impl Fn(&mut Plan) -> Option<&mut Vec<T>>) {
        let length = |plan: &mut Plan| list(plan).map_or(0, |list| list.len());
        let mut size = length(&mut self.plan);
        while size > 0 {
            let mut end = length(&mut self.plan);
            while end > 0 {
                let start = end.saturating_sub(size);
                self.attempt(|plan| {
                    if let Some(list) = list(plan) {
                        let end = end.min(list.len());
                        list.drain(start.min(end)..end);
                    }
                });
                end = start;
            }
            size /= 2;
        }
    }

    fn leave_out_actors(&mut self) {
        self.reduce(|plan| Some(&mut plan.vendors));
        self.reduce(|plan| Some(&mut plan.imports));
        for vendor in 0..self.plan.vendors.len() {
            self.reduce(|plan| Some(&mut plan.vendors.get_mut(vendor)?.served));
            for served in 0..self.plan.vendors[vendor].served.len() {
                self.reduce(move |plan| {
                    let vendor = plan.vendors.get_mut(vendor)?;
                    Some(&mut vendor.served.get_mut(served)?.invoices)
                });
                self.reduce_payments(vendor, served);
            }
        }
        while self.plan.platforms > 1 && self.attempt(|plan| plan.platforms -= 1) {}
    }

    /// Leaves out all vendors but one. What the others did decided when its messages came: so it is tried under
    /// several seeds, and with a restart at each moment at which the service sends something. Returns whether
    /// that went.
    fn keep_one_vendor(&mut self) -> bool {
        if self.plan.vendors.len() < 2 {
            return false;
        }
        self.plan.vendors.clone().into_iter().any(|vendor| {
            let mut alone = Plan { vendors: vec![vendor], ..self.plan.clone() };
            alone.faults.only = None;
            let reseeded = |by| Plan { seed: alone.seed.wrapping_add(by), ..alone.clone() };
            (0..SEEDS).any(|by| self.accept(reseeded(by))) || self.move_restarts(&alone)
        })
    }

    fn move_restarts(&mut self, plan: &Plan) -> bool {
        if plan.faults.restarts.is_empty() {
            return false;
        }
        let entries = run(plan, self.bug, true).entries;
        let sends = entries.iter().filter(|entry| entry.actor == Actor::Service);
        let moments: BTreeSet<Moment> = sends.map(|entry| entry.at).collect();
        moments.into_iter().any(|at| {
            let mut moved = plan.clone();
            moved.faults.restarts = vec![Restart { at, amid_attempts: true }];
            self.accept(moved)
        })
    }

    fn reduce_payments(&mut self, vendor: usize, served: usize) {
        for invoice in 0..self.plan.vendors[vendor].served[served].invoices.len() {
            self.reduce(move |plan| {
                let served = plan.vendors.get_mut(vendor)?.served.get_mut(served)?;
                Some(&mut served.invoices.get_mut(invoice)?.payments)
            });
        }
    }

    fn leave_out_faults(&mut self) {
        self.reduce(|plan| Some(&mut plan.faults.requests));
        self.reduce(|plan| Some(&mut plan.faults.posts));
        self.reduce(|plan| Some(&mut plan.faults.outages));
        self.reduce(|plan| Some(&mut plan.faults.restarts));
        self.reduce(|plan| Some(&mut plan.faults.lost_secrets));
        self.leave_out_hits();
    }

    /// Leaves out single messages that a fault hits.
    fn leave_out_hits(&mut self) {
        let hit = run(&self.plan, self.bug, false).hit;
        self.attempt(|plan| plan.faults.only = Some(hit.into_iter().collect()));
        self.reduce(|plan| plan.faults.only.as_mut());
    }

    fn simplify(&mut self) {
        self.simplify_profile();
        for vendor in 0..self.plan.vendors.len() {
            self.simplify_vendor(vendor);
        }
        while self.plan.days > 1 && self.attempt(|plan| plan.days /= 2) {}
    }

    fn simplify_profile(&mut self) {
        self.attempt(|plan| plan.greased = false);
        let standard = Profile::default();
        self.attempt(|plan| plan.profile.delays = standard.delays.clone());
        self.attempt(|plan| plan.profile.webhooks = standard.webhooks.clone());
        self.attempt(|plan| plan.profile.concentration_limit = standard.concentration_limit);
    }

    fn simplify_vendor(&mut self, number: usize) {
        let mut change =
            |change: fn(&mut Vendor)| self.attempt(|plan| change(&mut plan.vendors[number]));
        change(|vendor| vendor.onboarding = None);
        change(|vendor| vendor.onboarding = vendor.onboarding.map(prompt));
        change(|vendor| {
            if let Some(onboarding) = &mut vendor.onboarding {
                (onboarding.errs, onboarding.found_wrong_after) = (false, None);
            }
        });
        change(|vendor| (vendor.address_synced, vendor.payout_synced) = (true, true));
        for served in 0..self.plan.vendors[number].served.len() {
            for invoice in 0..self.plan.vendors[number].served[served].invoices.len() {
                let mut change = |change: fn(&mut Invoice)| {
                    self.attempt(|plan| {
                        change(&mut plan.vendors[number].served[served].invoices[invoice])
                    })
                };
                change(|invoice| invoice.corrected = None);
                change(|invoice| invoice.restated = None);
                change(|invoice| invoice.wanted_at = None);
                change(|invoice| invoice.looks.clear());
                change(|invoice| invoice.import = None);
                change(|invoice| (invoice.quoted, invoice.to_itself) = (true, false));
            }
        }
    }
}

/// A vendor that does everything within minutes.
fn prompt(onboarding: Onboarding) -> Onboarding {
    Onboarding {
        accepts_after: MINUTE,
        confirms_after: MINUTE,
        signs_after: MINUTE,
        links_after: MINUTE,
        ..onboarding
    }
}
