//! A report for a person at a terminal: outcome, findings, what was not tried, coverage by section, the next step.

mod verbose;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::{self, Write as _};

use tideover_exchange::evidence::Ending;

use crate::document::{
    Answer, Culprit, Difference, DutyReport, FindingReport, Found, Known, Party, RacesReport,
    RegressionReport, RegressionStanding, Report, Status, StepReport, UnaskedReport, UntriedReport,
};
use crate::figures::{counted, grouped};
use crate::received::write_received;
use crate::results::bar;
use crate::shortened::middle;

/// The width of a terminal line, in characters.
const WIDTH: usize = 110;

/// The longest value that the terminal shows, in characters.
const VALUE: usize = 104;

/// The longest curl command that the terminal shows, in characters.
const COMMAND: usize = 1200;

/// The most findings that the list at the beginning shows.
const FOUND: usize = 10;

const BAR: usize = 24;

/// The maximum length of a warning, in characters.
const LONGEST: usize = 320;

/// The most clauses that are named as not met.
const FEW: usize = 12;

/// The most leftovers that are shown, subscriptions and keys first.
const LEFT: usize = 20;

/// With `{:#}`, also what was reached, the gaps and the response times.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.headline)?;
        self.write_course(f)?;
        self.write_found(f)?;
        self.write_conduct(f)?;
        if f.alternate() {
            self.write_verbose(f)?;
        }
        for (number, finding) in (1..).zip(&self.findings) {
            writeln!(f, "\nfinding {number} of {}", self.findings.len())?;
            write!(f, "{finding:.VALUE$}")?;
        }
        for Known { fingerprint, clause, operation, field } in &self.gone {
            writeln!(f, "\ngone: {fingerprint}, {clause} at {operation}: {field}")?;
        }
        self.write_regressions(f)?;
        self.write_untried(f)?;
        self.write_coverage(f)?;
        if !self.next_is_untried() {
            write_wrapped(f, "next        ", words(&self.next()), " ")?;
        }
        writeln!(f, "{}", self.headline)
    }
}

impl Report {
    /// Writes what was played, and how fast.
    fn write_course(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { target, seed, steps, milliseconds, .. } = self;
        let rate = steps.saturating_mul(1000) / (*milliseconds).max(1);
        let (played, took) = (self.played(), self.took());
        write!(f, "{played} against {target}, {took} ({rate} steps/s)")?;
        match seed {
            Some(seed) => writeln!(f, ", seed {seed}")?,
            None => writeln!(f)?,
        }
        // That the budget was spent is no warning; that the target was given up is one.
        if let Some(why) = self.ended_because.as_ref().filter(|_| self.ending == Ending::Spent) {
            writeln!(f, "ended: {why}")?;
        }
        write_wrapped(f, "time: ", self.spent().into_iter(), " · ")?;
        // A run of races alone has nothing else to say.
        let is_open = |races: &&RacesReport| {
            let open = races.undecided + races.inconclusive + races.contradicted;
            races.races >= self.cases || open > 0
        };
        match self.races.as_ref().filter(is_open) {
            None => Ok(()),
            Some(races) => writeln!(f, "{races}"),
        }
    }

    fn write_found(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.findings.is_empty() {
            return writeln!(f, "found       nothing that contradicts the document");
        }
        writeln!(f, "broken rules")?;
        for (number, finding) in (1..).zip(&self.findings).take(FOUND) {
            let Found { clause, wording, .. } = &finding.found;
            let known = if finding.known { ", known" } else { "" };
            let line = format!("{wording} ({clause}{known})");
            write_wrapped(f, &format!("  {number}. "), words(&line), " ")?;
        }
        match self.findings.len().saturating_sub(FOUND) {
            0 => Ok(()),
            more => writeln!(f, "  and {more} more below"),
        }
    }

    /// Writes which findings of earlier runs still show.
    fn write_regressions(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.regressions.is_empty() {
            return Ok(());
        }
        writeln!(f, "\nfound by earlier runs")?;
        for RegressionReport { file, finding, standing, why, reproduced } in &self.regressions {
            let became = match standing {
                RegressionStanding::StillThere => format!("still there, {reproduced}"),
                RegressionStanding::Gone => "gone".to_owned(),
                RegressionStanding::NotPlayed => {
                    format!("not played again: {}", why.as_deref().unwrap_or("nobody knows why"))
                }
            };
            write_wrapped(f, "  ", words(&format!("{} {file}: {became}", finding.clause)), " ")?;
        }
        Ok(())
    }

    /// Writes what was seen of the client.
    fn write_conduct(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.conduct.is_empty() {
            return Ok(());
        }
        writeln!(f, "client      {}", self.duty_counts())?;
        for DutyReport { duty, clause, place, wording, shown, .. } in self.broken_duties() {
            let line = format!("{wording} ({duty}: {clause}, {place})");
            write_wrapped(f, "  broken    ", words(&line), " ")?;
            shown.iter().try_for_each(|line| writeln!(f, "              {line}"))?;
        }
        Ok(())
    }

    /// Writes what was not tried and how to try it, what limits the value of the run, and what it left behind.
    fn write_untried(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f)?;
        for UntriedReport { clauses, remedy } in &self.untried {
            let verb = if *clauses == 1 { "needs" } else { "need" };
            let line = format!("{} {verb} {remedy}", counted(*clauses, "clause"));
            write_wrapped(f, "not tried   ", words(&line), " ")?;
        }
        let unmet: Vec<String> = self.unmet().map(str::to_owned).collect();
        if unmet.len() <= FEW {
            write_wrapped(f, "not met     ", unmet.into_iter(), ", ")?;
        }
        for left_out in &self.unasked {
            write_wrapped(f, "not asked   ", words(&left_out.to_string()), " ")?;
        }
        for warning in &self.warnings {
            write_wrapped(f, "warning: ", words(&shortened(warning)), " ")?;
        }
        for left in self.left_behind.iter().take(LEFT) {
            write_wrapped(f, "left behind: ", words(&shortened(left)), " ")?;
        }
        match self.left_behind.len().saturating_sub(LEFT) {
            0 => Ok(()),
            more => writeln!(f, "left behind: {more} more; see the journal, --json or --html"),
        }
    }

    /// Writes how much of each section was examined, and the number of clauses of each status.
    fn write_coverage(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "examined")?;
        for (section, shares) in self.shares() {
            let (examined, whole) = (shares.examined(), self.whole(&shares));
            let bar = bar(examined, whole, BAR);
            write!(f, "  {section:30} {bar} {examined:>3} of {whole}")?;
            match shares.broken + shares.differs {
                0 => writeln!(f)?,
                broken => writeln!(f, ", {broken} broken")?,
            }
        }
        let assertions: u64 = self.clauses.iter().map(|clause| clause.exercised).sum();
        let counts = Status::ALL.into_iter().filter_map(|status| {
            let count = self.with_status(status);
            (count > 0).then(|| format!("{count} {}", status.words()))
        });
        let known = self.findings.iter().filter(|finding| finding.known).count();
        let counts = counts.chain([counted(assertions, "assertion")]);
        let known =
            (known > 0).then(|| format!("{known} of {} findings known", self.findings.len()));
        write_wrapped(f, "clauses     ", counts.chain(known), " · ")
    }
}

impl Party {
    pub(super) fn words(self) -> &'static str {
        match self {
            Party::Service => "the service",
            Party::Network => "the network",
            Party::Us => "Tideover",
        }
    }
}

impl fmt::Display for RacesReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RacesReport { explained, undecided, inconclusive, contradicted, .. } = self;
        write!(f, "parts of races: {explained} explained · {undecided} undecided · ")?;
        write!(f, "{inconclusive} inconclusive · {contradicted} contradict the document; ")?;
        write!(f, "{} without an outcome", counted(self.unknown, "request"))
    }
}

/// With a precision, each value has at most so many characters.
impl fmt::Display for FindingReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.found, f)?;
        writeln!(f)?;
        let mut before = &self.found;
        for also in &self.also {
            // One rule may be broken in several fields.
            if also.clause == before.clause {
                also.write_evidence(f)?;
            } else {
                fmt::Display::fmt(also, f)?;
            }
            writeln!(f)?;
            before = also;
        }
        if let Some(Culprit { step, clause, wording, .. }) = &self.culprit {
            writeln!(f, "  the last write before it is step {step} ({clause}):")?;
            writeln!(f, "    {wording}")?;
        }
        writeln!(f, "  blame {}: {}", self.blame.who.words(), self.blame.why)?;
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
            writeln!(f)?;
            fmt::Display::fmt(difference, f)?;
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
            fmt::Display::fmt(step, f)?;
        }
        if racing { writeln!(f, "     wait") } else { Ok(()) }
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Found { clause, place, wording, verdict, operation, .. } = self;
        writeln!(f, "{clause} {} ({place})", verdict.words_at(operation))?;
        writeln!(f, "  {wording}")?;
        self.write_evidence(f)
    }
}

impl Found {
    /// Writes what was expected and seen, and where.
    fn write_evidence(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Found { operation, field, expected, seen, .. } = self;
        writeln!(f, "  {operation}: {field}")?;
        writeln!(f, "    expected  {}", value(f, expected))?;
        write!(f, "    seen      {}", value(f, seen))
    }
}

impl fmt::Display for StepReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  {}. {} → {}", self.number, value(f, &self.words), self.answer)?;
        let curl = command(f, &self.curl);
        let Some((client, interval)) = self.racer().zip(self.interval) else {
            writeln!(f, "     {curl}")?;
            return write_received(f, &self.deliveries);
        };
        write!(f, "     {curl} &  # client {client}, ")?;
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
                let shown = |text: &Option<String>| {
                    text.as_ref()
                        .map_or_else(|| "none".to_owned(), |text| value(f, text).into_owned())
                };
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

/// A value, cut in the middle if the formatter has a precision.
fn value<'a>(f: &fmt::Formatter<'_>, text: &'a str) -> Cow<'a, str> {
    f.precision().map_or(text.into(), |most| middle(text, most))
}

/// A command, which a shell runs whole or not at all.
fn command<'a>(f: &fmt::Formatter<'_>, text: &'a str) -> Cow<'a, str> {
    let length = text.chars().count();
    match f.precision() {
        Some(_) if length > COMMAND => format!(
            "# {} characters of curl: see --html or --json; the replay sends it",
            grouped(length as u64)
        )
        .into(),
        _ => text.into(),
    }
}

/// The words of a text, for lines that are wrapped.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(' ').map(str::to_owned)
}

/// Shortens a long warning and says where to find the rest.
fn shortened(warning: &str) -> Cow<'_, str> {
    let Some((end, _)) = warning.char_indices().nth(LONGEST) else { return warning.into() };
    let end = warning[..end].rfind([',', ' ']).unwrap_or(end);
    format!("{} and more; see --json or --html", &warning[..end]).into()
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
