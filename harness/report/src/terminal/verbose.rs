//! What only `--verbose` shows: states, parts of races, gaps, response times.

use std::fmt;

use crate::document::{GapReport, LatencyReport, Report, SeenValue, State, StateMatrix};
use crate::figures::milliseconds;
use crate::terminal::write_wrapped;

impl Report {
    /// Writes the states, the parts of races that nothing explains, the gaps and the response times.
    pub(super) fn write_verbose(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f)?;
        self.write_states(f)?;
        for part in self.races.iter().flat_map(|races| &races.unexplained) {
            writeln!(f, "  case {}, {}", part.case, part.words)?;
        }
        // Our own mock has no gaps, and its speed is shown as a whole.
        if !self.gaps.is_empty() {
            self.write_gaps(f)?;
            self.write_latency(f)?;
        }
        Ok(())
    }

    /// Writes how much of each group was reached, and the names of unreached states.
    fn write_states(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_reached = |state: &&State| state.times > 0;
        let reached = self.states.iter().map(|group| {
            let count = group.states.iter().filter(is_reached).count();
            format!("{} {count} of {}", group.title, group.states.len())
        });
        write_wrapped(f, "reached     ", reached, " · ")?;
        let states = self.states.iter().flat_map(|group| &group.states);
        let missed = states.filter(|state| !is_reached(state)).map(|state| state.name.clone());
        write_wrapped(f, "not reached ", missed, " · ")?;
        let matrix = self.state_matrix.iter().map(|matrix| {
            let StateMatrix { subject, states, requests, pairs, .. } = matrix;
            let (all, of) = (states + matrix.unmet.len() as u64, states * requests);
            let refusals = matrix.refusals();
            format!(
                "{subject}: {states} of {all} states × {requests} requests, {pairs} of {of} pairs \
                 met, {refusals} with a code"
            )
        });
        write_wrapped(f, "in states   ", matrix, " · ")
    }

    fn write_gaps(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\nseen where the document is silent:")?;
        let mut gaps: Vec<&GapReport> = self.gaps.iter().collect();
        gaps.sort_by_key(|gap| gap.constant && gap.is_as_assumed());
        gaps.iter().try_for_each(|gap| writeln!(f, "  {gap}"))
    }

    fn write_latency(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.latency.is_empty() {
            return Ok(());
        }
        let title = "answered within, in ms";
        let operations = self.latency.iter().map(|one| one.operation.len());
        let width = operations.max().unwrap_or(0).max(title.len());
        let [median, most, max] = ["median", "95 %", "longest"];
        writeln!(f, "\n{title:width$}    {median:>8}{most:>8}{max:>9}{:>9}", "answers")?;
        for LatencyReport { operation, count, median, percentile95, max } in &self.latency {
            let [median, most, max] = [median, percentile95, max].map(|it| milliseconds(*it));
            writeln!(f, "  {operation:width$}  {median:>8}{most:>8}{max:>9}{count:>9}")?;
        }
        Ok(())
    }
}

impl GapReport {
    /// Whether every observed value is the assumed one.
    fn is_as_assumed(&self) -> bool {
        let assumed = |seen: &SeenValue| seen.value == self.assumed || seen.value == "as assumed";
        self.seen.iter().all(assumed)
    }
}

impl fmt::Display for GapReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let GapReport { clause, place, assumed, seen, constant, .. } = self;
        let shown = |SeenValue { value, times }: &SeenValue| match times {
            None => value.clone(),
            Some(times) => format!("{value} × {times}"),
        };
        let values: Vec<String> = seen.iter().map(shown).collect();
        write!(f, "{clause}, {place}: {}", values.join(", "))?;
        f.write_str(if *constant { ", constant" } else { ", it varies" })?;
        if !assumed.is_empty() && !self.is_as_assumed() {
            write!(f, " (assumed: {assumed})")?;
        }
        Ok(())
    }
}
