//! What the plan of a world fixes in advance.

use tideover_model::{Happening, Outcome, PlatformId, Service};

use crate::simulation::auditor::Invariant;
use crate::simulation::client::Wake;
use crate::simulation::queue::{DAY, SECOND};
use crate::simulation::world::World;
use crate::simulation::world::event::Event;

impl World<'_> {
    /// Schedules everything that the plan fixes.
    pub(super) fn begin(&mut self) {
        self.issue_keys();
        let plan = self.plan;
        let platforms = 0..plan.platforms;
        for client in platforms.clone() {
            let at = self.start_delay + SECOND * u64::from(client + 1);
            self.queue.add(at, Event::Client(client, Wake::Start));
        }
        for vendor in &plan.vendors {
            for served in vendor.served.iter().filter(|it| platforms.contains(&it.platform)) {
                self.schedule_vendor(vendor.number, served);
            }
        }
        for import in plan.imports.iter().filter(|it| platforms.contains(&it.platform)) {
            let wake = Wake::Upload(import.number);
            self.queue.add(import.at, Event::Client(import.platform, wake));
        }
        self.schedule_faults();
        self.schedule_audit();
    }

    /// Each platform beyond the first gets its key from the operator.
    fn issue_keys(&mut self) {
        self.authorizations.push(format!("Bearer {}", Service::FIRST_KEY));
        for number in 1..self.plan.platforms {
            let platform = Some(format!("platform {number}"));
            let at = self.time();
            let issued =
                self.server.happen(at, PlatformId::DEFAULT, Happening::IssueKey { platform });
            match issued {
                Ok(Outcome::KeyIssued { key, .. }) => {
                    self.authorizations.push(format!("Bearer {key}"));
                }
                _ => self.auditor.report(Invariant::Settled, "the operator", "no key was issued"),
            }
        }
    }

    fn schedule_faults(&mut self) {
        let faults = &self.plan.faults;
        let profile = &self.plan.profile;
        let platforms = 0..self.plan.platforms;
        for outage in faults.outages.iter().filter(|it| platforms.contains(&it.platform)) {
            let long = outage.until - outage.from > profile.webhooks.window * 1000;
            let down = Event::ReceiverDown { platform: outage.platform, long };
            self.queue.add(outage.from, down);
            self.queue.add(outage.until, Event::ReceiverUp(outage.platform));
        }
        for lost in faults.lost_secrets.iter().filter(|it| platforms.contains(&it.platform)) {
            self.queue.add(lost.at, Event::SecretLost(lost.platform));
        }
        for restart in &faults.restarts {
            let amid_attempts = restart.amid_attempts;
            self.queue.add(restart.at, Event::Restart { amid_attempts });
        }
    }

    pub(super) fn schedule_audit(&mut self) {
        if !self.queue.is_empty() {
            self.queue.add(self.now + DAY, Event::Audit);
        }
    }
}
