//! A report for a person at a terminal: verdict, findings, warnings, coverage.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::{self, Write as _};

use crate::report::document::{
    Answer, ClauseKind, ClauseReport, Difference, FindingReport, Found, GapReport, Known,
    LatencyReport, Party, RacesReport, Report, SeenValue, State, Status, StepReport, UnaskedReport,
    UntriedReport,
};
use crate::report::received::write_received;

/// The width of a terminal line, in characters.
const WIDTH: usize = 110;

/// The most gaps that are shown, those first that differ from the assumption.
const GAPS: usize = 12;

/// The maximum length of a warning, in characters.
const LONGEST: usize = 1000;

/// The most leftovers that are shown, subscriptions and keys first.
const LEFT: usize = 20;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { headline, target, seed, cases, steps, milliseconds, .. } = self;
        writeln!(f, "{headline}")?;
        let seconds = format!("{}.{} s", milliseconds / 1000, milliseconds % 1000 / 100);
        let rate = steps.saturating_mul(1000) / (*milliseconds).max(1);
        match self.races.as_ref().filter(|races| races.races >= self.cases) {
            None => {
                writeln!(
                    f,
                    "{steps} steps in {cases} cases against {target}, {seconds} ({rate} steps/s), seed {seed}"
                )?;
                self.write_summary(f)?;
                writeln!(f)?;
                self.write_states(f)?;
                if let Some(races) = &self.races {
                    let RacesReport { races: number, clients, unknown, .. } = races;
                    writeln!(
                        f,
                        "\nraces     {number} by {clients} clients, {unknown} without an outcome"
                    )?;
                    writeln!(f, "{races}")?;
                }
            }
            Some(races) => {
                let RacesReport { clients, unknown, .. } = races;
                writeln!(
                    f,
                    "{cases} races of {clients} clients against {target}, {seconds}, seed {seed}"
                )?;
                writeln!(f, "\nrequests  {steps}, {unknown} without an outcome\n{races}")?;
            }
        }
        // Our own mock has no gaps, and its speed is shown as a whole.
        if !self.gaps.is_empty() {
            self.write_gaps(f)?;
            self.write_latency(f)?;
        }
        for finding in &self.findings {
            write!(f, "\n{finding}")?;
        }
        for Known { fingerprint, clause, operation, field } in &self.gone {
            writeln!(f, "\ngone: {fingerprint}, {clause} at {operation}: {field}")?;
        }
        writeln!(f)?;
        for warning in &self.warnings {
            write_wrapped(f, "warning: ", shortened(warning).split(' ').map(str::to_owned), " ")?;
        }
        for left in self.left_behind.iter().take(LEFT) {
            writeln!(f, "left behind: {left}")?;
        }
        if let more @ 1.. = self.left_behind.len().saturating_sub(LEFT) {
            writeln!(f, "left behind: {more} more; see the journal, --json or --html")?;
        }
        self.write_end(f)
    }
}

impl Report {
    /// Writes what was found, what could not be tried, and what to do next.
    fn write_summary(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let with = |status: Status| {
            let is_so = move |clause: &&ClauseReport| {
                clause.status == status && clause.kind == ClauseKind::Documented
            };
            let clauses = self.clauses.iter().filter(is_so);
            clauses.map(|clause| clause.clause.clone()).collect::<Vec<String>>()
        };
        writeln!(f)?;
        let violated = with(Status::Violated);
        let found = if violated.is_empty() {
            vec!["nothing that contradicts the document".to_owned()]
        } else {
            violated
        };
        write_wrapped(f, "found      ", found.into_iter(), ", ")?;
        write_wrapped(f, "unclear    ", with(Status::Inconclusive).into_iter(), ", ")?;
        for untried in &self.untried {
            let UntriedReport { clauses, remedy } = untried;
            writeln!(f, "not tried  {clauses} clauses need {remedy}")?;
        }
        for left_out in &self.unasked {
            let words = left_out.to_string();
            write_wrapped(f, "not asked  ", words.split(' ').map(str::to_owned), " ")?;
        }
        if self.with_status(Status::Violated) > 0 {
            writeln!(
                f,
                "next       each finding below has its steps, curl lines, and the command that replays it"
            )?;
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
        write_wrapped(f, "reached      ", reached, " · ")?;
        let states = self.states.iter().flat_map(|group| &group.states);
        let missed = states.filter(|state| !is_reached(state)).map(|state| state.name.clone());
        write_wrapped(f, "not reached  ", missed, " · ")
    }

    fn write_gaps(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\nseen where the document is silent:")?;
        let mut gaps: Vec<&GapReport> = self.gaps.iter().collect();
        gaps.sort_by_key(|gap| gap.constant && gap.is_as_assumed());
        for gap in gaps.iter().take(GAPS) {
            writeln!(f, "  {gap}")?;
        }
        match gaps.len().saturating_sub(GAPS) {
            0 => Ok(()),
            more => writeln!(f, "  and {more} more; see --json or --html"),
        }
    }

    fn write_latency(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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

    /// Writes the number of clauses of each status, and once more the headline.
    fn write_end(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let assertions: u64 = self.clauses.iter().map(|clause| clause.exercised).sum();
        let counts = Status::ALL.into_iter().filter_map(|status| {
            let count = self.with_status(status);
            (count > 0).then(|| format!("{count} {}", status.words()))
        });
        let counts: Vec<_> = counts.collect();
        let known = self.findings.iter().filter(|finding| finding.known).count();
        write!(f, "{} clauses: {}", self.clauses.len(), counts.join(", "))?;
        write!(f, "; {} assertions", grouped(assertions))?;
        if known > 0 {
            write!(f, "; {known} of {} findings known", self.findings.len())?;
        }
        writeln!(f, "\n{}", self.headline)
    }
}

/// A number with commas between groups of three digits.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let parts: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .filter_map(|part| std::str::from_utf8(part).ok())
        .collect();
    parts.join(",")
}

/// Microseconds as milliseconds, with one decimal.
fn milliseconds(micros: u64) -> String {
    format!("{}.{}", micros / 1000, micros % 1000 / 100)
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

impl fmt::Display for RacesReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RacesReport { explained, undecided, inconclusive, contradicted, .. } = self;
        write!(f, "parts     {explained} explained · {undecided} undecided · ")?;
        write!(f, "{inconclusive} inconclusive · {contradicted} contradict the document")?;
        for part in &self.unexplained {
            write!(f, "\n  case {}, {}", part.case, part.words)?;
        }
        Ok(())
    }
}

impl fmt::Display for FindingReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.found)?;
        for also in &self.also {
            writeln!(f, "{also}")?;
        }
        let who = match self.blame.who {
            Party::Service => "the service",
            Party::Network => "the network",
            Party::Us => "Tideover",
        };
        writeln!(f, "  blame {who}: {}", self.blame.why)?;
        if self.known {
            writeln!(f, "  known: the baseline has it")?;
        }
        if let Some(advice) = &self.advice {
            writeln!(f, "  advice: {advice}")?;
        }
        let colon = if self.steps.is_empty() { "" } else { ":" };
        writeln!(f, "\nmet {}{colon}", self.met())?;
        self.write_steps(f)?;
        if let Some(difference) = &self.difference {
            write!(f, "\n{difference}")?;
        }
        match &self.replay {
            None => Ok(()),
            Some(command) => writeln!(f, "\nreplay {} with: {command}", self.fingerprint),
        }
    }
}

impl FindingReport {
    /// Writes the steps. Racing steps can be pasted into a shell as they are.
    fn write_steps(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut racing = false;
        for step in &self.steps {
            let races = step.racer().is_some();
            match (racing, races) {
                (false, true) => writeln!(f, "  at once:")?,
                (true, false) => writeln!(f, "     wait")?,
                (false, false) | (true, true) => {}
            }
            racing = races;
            write!(f, "{step}")?;
        }
        if racing { writeln!(f, "     wait") } else { Ok(()) }
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Found { clause, place, wording, verdict, operation, field, expected, seen } = self;
        writeln!(f, "{clause} {} ({place})", verdict.words_at(operation))?;
        writeln!(f, "  {wording}")?;
        writeln!(f, "  {operation}: {field}")?;
        writeln!(f, "    expected  {expected}")?;
        write!(f, "    seen      {seen}")
    }
}

impl fmt::Display for StepReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  {}. {} → {}", self.number, self.words, self.answer)?;
        let Some((client, interval)) = self.racer().zip(self.interval) else {
            writeln!(f, "     {}", self.curl)?;
            return write_received(f, &self.deliveries);
        };
        write!(f, "     {} &  # client {client}, ", self.curl)?;
        match interval.answered {
            Some(answered) => writeln!(f, "{} to {answered}", interval.called),
            None => writeln!(f, "from {} on", interval.called),
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.code {
            Some(code) => write!(f, "{} {code}", self.status),
            None if self.status == 0 => f.write_str("no answer"),
            None => write!(f, "{}", self.status),
        }
    }
}

/// A new object is shown as new, not field by field.
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "what step {} changes, according to the model:", self.step)?;
        let subjects: BTreeSet<&str> =
            self.changes.iter().map(|change| change.subject.as_str()).collect();
        for subject in subjects {
            let changes: Vec<_> =
                self.changes.iter().filter(|change| change.subject == subject).collect();
            if changes.iter().all(|change| change.before.is_none()) {
                writeln!(f, "  {subject} is created")?;
                continue;
            }
            for change in changes {
                let shown = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".into());
                let (before, after) = (shown(&change.before), shown(&change.after));
                writeln!(f, "  {subject}, {}: {before} → {after}", change.field)?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for UnaskedReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnaskedReport { because, requests, clauses } = self;
        let many = if *requests == 1 { "" } else { "s" };
        write!(f, "{requests} request{many}, because {because}")?;
        match clauses.iter().filter(|one| !one.met).count() {
            0 => Ok(()),
            unmet => write!(f, "; {unmet} clauses are not met for that"),
        }
    }
}

/// Shortens a long warning and says where to find the rest.
fn shortened(warning: &str) -> Cow<'_, str> {
    let Some((end, _)) = warning.char_indices().nth(LONGEST) else { return warning.into() };
    let end = warning[..end].rfind(", ").unwrap_or(end);
    format!("{} and more; see --json or --html)", &warning[..end]).into()
}

/// Writes a list that is wrapped to the width of a terminal; nothing for an empty list.
fn write_wrapped(
    f: &mut fmt::Formatter<'_>,
    title: &str,
    items: impl Iterator<Item = String>,
    separator: &str,
) -> fmt::Result {
    let mut items = items.peekable();
    if items.peek().is_none() {
        return Ok(());
    }
    let indent = " ".repeat(title.chars().count());
    let mut line = title.to_owned();
    while let Some(mut item) = items.next() {
        if items.peek().is_some() {
            item.push_str(separator);
        }
        if line.chars().count() + item.chars().count() > WIDTH && line.trim() != title.trim() {
            writeln!(f, "{}", line.trim_end())?;
            line.clone_from(&indent);
        }
        line.write_str(&item)?;
    }
    writeln!(f, "{}", line.trim_end())
}
