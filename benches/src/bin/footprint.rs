//! Prints the memory that a million invoices take, and the time until `tideover serve` responds.

#![expect(clippy::float_arithmetic, reason = "milliseconds, not money")]

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs};

use tideover_benches::population::Population;
use tideover_model::Service;

const INVOICES: u32 = 1_000_000;
/// The number of starts of the server; the result is their median.
const STARTS: usize = 11;

fn main() -> ExitCode {
    let result = memory().and_then(|()| start());
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr().lock(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// A kind of entity to add, the number, and the function that adds them.
type AddStage = (&'static str, u32, fn(Population, &mut Service));

fn memory() -> io::Result<()> {
    let mut out = io::stdout().lock();
    let Some(mut before) = resident() else {
        return writeln!(
            out,
            "Resident memory is not available: it is read from /proc/self/status, which only Linux has."
        );
    };
    let population = Population::new(INVOICES);
    let mut service = Population::nobody();
    let first = before;
    writeln!(
        out,
        "| added | number | MiB | bytes each | time each |\n| --- | ---: | ---: | ---: | ---: |"
    )?;
    let stages: [AddStage; 3] = [
        (
            "businesses, half of them ready for advances",
            population.businesses(),
            Population::add_businesses,
        ),
        ("invoices", population.invoices(), Population::add_invoices),
        ("advances, paid out", population.advances(), Population::add_advances),
    ];
    for (what, number, add) in stages {
        let began = Instant::now();
        add(population, &mut service);
        let took = began.elapsed() / number;
        let after = resident().unwrap_or(before);
        let grown = after.saturating_sub(before);
        let (mib, each) = (grown >> 20, grown / u64::from(number));
        writeln!(out, "| {what} | {number} | {mib} | {each} | {took:.1?} |")?;
        before = after;
    }
    let all = before.saturating_sub(first);
    let each = all / u64::from(INVOICES);
    writeln!(out, "| **all, per invoice** | {INVOICES} | {} | {each} | |", all >> 20)?;
    drop(service);
    Ok(())
}

/// The resident memory of this process in bytes.
fn resident() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib * 1024)
}

fn start() -> io::Result<()> {
    let mut out = io::stdout().lock();
    let command =
        env::current_exe()?.with_file_name(format!("tideover{}", env::consts::EXE_SUFFIX));
    if !command.is_file() {
        return writeln!(
            out,
            "\nTime to first response is not available: {} is missing; \
             `cargo build -p tideover-harness` with the same profile makes it.",
            command.display()
        );
    }
    let mut took: Vec<Duration> = Vec::with_capacity(STARTS);
    for _ in 0..STARTS {
        took.push(first_answer(&command)?);
    }
    took.sort_unstable();
    let median = took[took.len() / 2].as_secs_f64() * 1e3;
    writeln!(
        out,
        "\nTime to first response of `tideover serve`: {median:.1} ms, the median of {STARTS}."
    )
}

/// The time from the start of the process to its first response.
fn first_answer(command: &PathBuf) -> io::Result<Duration> {
    let began = Instant::now();
    let mut child = Command::new(command)
        .args(["serve", "--port", "0", "--json"])
        .stdout(Stdio::piped())
        .spawn()?;
    let answered = ask(&mut child);
    let took = began.elapsed();
    child.kill()?;
    child.wait()?;
    answered.map(|()| took)
}

fn ask(child: &mut Child) -> io::Result<()> {
    let wrong = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    let stdout = child.stdout.take().ok_or_else(|| wrong("no standard output"))?;
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line)?;
    let printed: serde_json::Value = serde_json::from_str(&line)?;
    let address = printed["baseUrl"].as_str().and_then(|url| url.strip_prefix("http://"));
    let address = address.ok_or_else(|| wrong("`tideover serve --json` printed no base URL"))?;
    let mut stream = TcpStream::connect(address)?;
    write!(stream, "GET /_sim/health HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    if answer.starts_with(b"HTTP/1.1 200 ") { Ok(()) } else { Err(wrong("no healthy response")) }
}
