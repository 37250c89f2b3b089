//! A report without what must not be told.

use crate::report::document::{Answer, Found, Report, StepReport};
use crate::secrets::Secrets;

impl Report {
    /// Masks `secrets` in everything that a target may have told.
    pub fn conceal(&mut self, secrets: &Secrets) {
        let conceal = |text: &mut String| *text = secrets.conceal(text);
        for finding in &mut self.findings {
            conceal_found(&mut finding.found, secrets);
            finding.also.iter_mut().for_each(|also| conceal_found(also, secrets));
            finding.steps.iter_mut().for_each(|step| conceal_step(step, secrets));
            let changes = finding.difference.iter_mut().flat_map(|it| &mut it.changes);
            for change in changes {
                conceal(&mut change.subject);
                change.before.iter_mut().chain(&mut change.after).for_each(conceal);
            }
        }
        self.gaps
            .iter_mut()
            .flat_map(|gap| &mut gap.seen)
            .for_each(|seen| conceal(&mut seen.value));
        let unexplained = self.races.iter_mut().flat_map(|races| &mut races.unexplained);
        unexplained.for_each(|part| conceal(&mut part.words));
        self.warnings.iter_mut().chain(&mut self.left_behind).for_each(conceal);
    }
}

fn conceal_found(found: &mut Found, secrets: &Secrets) {
    let Found { operation, field, expected, seen, .. } = found;
    for text in [operation, field, expected, seen] {
        *text = secrets.conceal(text);
    }
}

fn conceal_step(step: &mut StepReport, secrets: &Secrets) {
    let StepReport { title, words, curl, answer, deliveries, .. } = step;
    let Answer { code, body, text, .. } = answer;
    let delivered = deliveries.iter_mut().flat_map(|one| [&mut one.event, &mut one.path]);
    for text in [title, words, curl].into_iter().chain(code).chain(text).chain(delivered) {
        *text = secrets.conceal(text);
    }
    *body = body.take().map(|body| secrets.conceal_in(body));
}
