//! Prints the results of the last `cargo bench` as Markdown.

#![expect(clippy::float_arithmetic, reason = "nanoseconds, not money")]

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use tideover_benches::figures::{Figure, home, read, read_races, read_turns};
use tideover_benches::interleaved::Turns;
use tideover_benches::race::{Lane, Race};

/// The names of our own lane in a race, and of the lane with only the blocks.
const OURS: &str = "Tideover";
const BLOCKS: &str = "1024 blocks";

const USAGE: &str = "\
Prints the results of the last `cargo bench -p tideover-benches` as Markdown.

Usage: ratios [DIRECTORY]

DIRECTORY is the directory of criterion's results. Default: target/criterion of this workspace.
";

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let directory = match (arguments.next(), arguments.next()) {
        (Some(option), None) if option == "--help" || option == "-h" => {
            return print(&mut io::stdout().lock(), USAGE, ExitCode::SUCCESS);
        }
        (None, None) => home(),
        (Some(directory), None) if !directory.as_encoded_bytes().starts_with(b"-") => {
            PathBuf::from(directory)
        }
        _ => return print(&mut io::stderr().lock(), USAGE, ExitCode::from(2)),
    };
    match tables(&directory) {
        Ok(tables) => print(&mut io::stdout().lock(), &tables, ExitCode::SUCCESS),
        Err(problem) => {
            print(&mut io::stderr().lock(), &format!("error: {problem}\n"), ExitCode::FAILURE)
        }
    }
}

/// Writes `text`, and ignores an error: it could not be shown either.
fn print(to: &mut dyn io::Write, text: &str, code: ExitCode) -> ExitCode {
    let _ = to.write_all(text.as_bytes());
    code
}

fn tables(directory: &Path) -> Result<String, String> {
    let advice = "run `cargo bench -p tideover-benches` first";
    if !directory.is_dir() {
        return Err(format!("{} is no directory: {advice}", directory.display()));
    }
    let problem = |error: io::Error| error.to_string();
    let figures = read(directory).map_err(problem)?;
    let turns = read_turns(directory).map_err(problem)?;
    let races = read_races(directory).map_err(problem)?;
    let mut text = String::new();
    model(&mut text, &figures)
        .and_then(|()| throughput(&mut text, &figures, "import", "Imports", "rows/s"))
        .and_then(|()| router(&mut text, &figures, &turns))
        .and_then(|()| throughput(&mut text, &figures, "steps", "The contract suite", "steps/s"))
        .and_then(|()| throughput(&mut text, &figures, "simulation", "The simulation", "events/s"))
        .and_then(|()| {
            let title = "Virtual time against wall time";
            throughput(&mut text, &figures, "virtual time", title, "virtual seconds/s")
        })
        .and_then(|()| signatures(&mut text, &races, "verify", "Verifying a signature"))
        .and_then(|()| signatures(&mut text, &races, "sign", "Signing"))
        .and_then(|()| times(&mut text, &races, "hash", "SHA-256 of 64 KiB"))
        .and_then(|()| times(&mut text, &races, "refuse", "Refusing a signature"))
        .and_then(|()| {
            beside(&mut text, &races, "deliveries", "Deliveries in the model", "attempts/s")
        })
        .and_then(|()| beside(&mut text, &races, "courier", "The courier", "deliveries/s"))
        .and_then(|()| beside(&mut text, &races, "client", "The clients of HTTP", "requests/s"))
        .and_then(|()| beside(&mut text, &races, "client, made", "Making a client", "clients/s"))
        .and_then(|()| beside(&mut text, &races, "watch", "A request through watch", "requests/s"))
        .map_err(|error| error.to_string())?;
    if text.is_empty() {
        return Err(format!(
            "{} has no results of these benchmarks: {advice}",
            directory.display()
        ));
    }
    Ok(text)
}

/// Time by number of invoices.
fn model(text: &mut String, figures: &[Figure]) -> fmt::Result {
    let mut by_name: BTreeMap<&str, BTreeMap<u64, f64>> = BTreeMap::new();
    for figure in figures.iter().filter(|figure| figure.group == "model") {
        let size = figure.size.as_ref().and_then(|size| size.parse().ok()).unwrap_or(0);
        by_name.entry(&figure.function).or_default().insert(size, figure.median);
    }
    let mut sizes: Vec<u64> = by_name.values().flat_map(BTreeMap::keys).copied().collect();
    sizes.sort_unstable();
    sizes.dedup();
    let (Some(least), Some(most)) = (sizes.first(), sizes.last()) else { return Ok(()) };
    let columns: Vec<String> =
        sizes.iter().map(|size| format!("{} invoices", grouped(*size))).collect();
    let title = format!("{} : {}", grouped(*most), grouped(*least));
    writeln!(text, "## The model\n\n| operation | {} | {title} |", columns.join(" | "))?;
    writeln!(text, "| --- |{}", " ---: |".repeat(sizes.len() + 1))?;
    for (name, medians) in by_name {
        let cell = |size: &u64| medians.get(size).map_or("–".into(), |median| duration(*median));
        let cells: Vec<String> = sizes.iter().map(cell).collect();
        let ratio = medians.get(most).zip(medians.get(least));
        let ratio = ratio.map_or("–".into(), |(most, least)| format!("{:.2}", most / least));
        writeln!(text, "| {name} | {} | {ratio} |", cells.join(" | "))?;
    }
    writeln!(text)
}

/// Throughput per second.
fn throughput(
    text: &mut String,
    figures: &[Figure],
    group: &str,
    title: &str,
    unit: &str,
) -> fmt::Result {
    let rows: Vec<&Figure> = figures.iter().filter(|figure| figure.group == group).collect();
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(text, "## {title}\n\n| what | time | {unit} |\n| --- | ---: | ---: |")?;
    for figure in rows {
        let rate = rounded(figure.per_second());
        writeln!(text, "| {} | {} | {rate} |", figure.function, duration(figure.median))?;
    }
    writeln!(text)
}

/// The mock compared with the echo.
fn router(text: &mut String, figures: &[Figure], turns: &[Turns]) -> fmt::Result {
    if turns.is_empty() {
        return Ok(());
    }
    writeln!(
        text,
        "## The mock compared with an axum that only echoes\n\n\
         | requests | mock, requests/s | echo, requests/s | mock : echo | by the server's processor time |\n\
         | --- | ---: | ---: | ---: | ---: |"
    )?;
    for turns in turns {
        let group = format!("router: {}", turns.name);
        let rate = |function: &str| {
            let mut found = figures.iter().filter(|figure| figure.group == group);
            let figure = found.find(|figure| figure.function == function);
            figure.map_or("–".into(), |figure| rounded(figure.per_second()))
        };
        let ratio = |ratio: Option<f64>| ratio.map_or("–".into(), |ratio| format!("{ratio:.2}"));
        let (mock, echo) = (rate("mock"), rate("echo"));
        let (wall, cpu) = (ratio(turns.throughput_ratio()), ratio(turns.cpu_ratio()));
        writeln!(text, "| {} | {mock} | {echo} | {wall} | {cpu} |", turns.name)?;
    }
    writeln!(text)
}

/// Our implementation compared with the blocks to hash, and with others.
fn signatures(text: &mut String, races: &[Race], name: &str, title: &str) -> fmt::Result {
    let races: Vec<&Race> = races.iter().filter(|race| race.name == name).collect();
    let Some(first) = races.first() else { return Ok(()) };
    let mut others: Vec<&str> = first.lanes.iter().map(|lane| lane.name.as_str()).collect();
    others.retain(|name| ![OURS, BLOCKS].contains(name));
    let [columns, lines] = [others.join(" | "), " ---: |".repeat(others.len())];
    writeln!(
        text,
        "## {title}\n\n\
         Others: their time as a multiple of ours.\n\n\
         | bytes | ours | ours : floor | {columns} |\n| ---: | ---: | ---: |{lines}"
    )?;
    for race in races {
        let cell = |value: Option<f64>| value.map_or("–".into(), |value| format!("{value:.2}"));
        let ours = race.lane(OURS);
        let time = ours.and_then(Lane::median).map_or("–".into(), duration);
        let blocks = race.lane(BLOCKS).zip(ours).and_then(|(blocks, ours)| ours.ratio(blocks));
        let floor = cell(blocks.map(|ratio| ratio * 1024.0 / floor(race.size)));
        write!(text, "| {} | {time} | {floor} |", grouped(race.size))?;
        for other in &others {
            let ratio = race.lane(other).zip(ours).and_then(|(other, ours)| other.ratio(ours));
            write!(text, " {} |", cell(ratio))?;
        }
        writeln!(text)?;
    }
    writeln!(text)
}

/// The number of blocks to hash for a body: its own, with the bytes before and after it, and one of the outer
/// hash.
#[expect(clippy::cast_precision_loss, reason = "few blocks")]
fn floor(size: u64) -> f64 {
    ((size + 20).div_ceil(64) + 1) as f64
}

/// The time of each lane of a race.
fn times(text: &mut String, races: &[Race], name: &str, title: &str) -> fmt::Result {
    let Some(race) = races.iter().find(|race| race.name == name) else { return Ok(()) };
    writeln!(text, "## {title}\n\n| what | time |\n| --- | ---: |")?;
    for lane in &race.lanes {
        let time = lane.median().map_or("–".into(), duration);
        writeln!(text, "| {} | {time} |", lane.name)?;
    }
    writeln!(text)
}

/// All lanes of a race compared with the first, the lower bound.
#[expect(clippy::cast_precision_loss, reason = "a figure of three digits")]
fn beside(text: &mut String, races: &[Race], name: &str, title: &str, unit: &str) -> fmt::Result {
    let Some(race) = races.iter().find(|race| race.name == name) else { return Ok(()) };
    let Some(floor) = race.lanes.first() else { return Ok(()) };
    writeln!(text, "## {title}\n\n| what | time | {unit} | : {} |", floor.name)?;
    writeln!(text, "| --- | ---: | ---: | ---: |")?;
    for lane in &race.lanes {
        let (Some(time), Some(ratio)) = (lane.median(), lane.ratio(floor)) else { continue };
        let rate = rounded(race.size as f64 * 1e9 / time);
        writeln!(text, "| {} | {} | {rate} | {ratio:.2} |", lane.name, duration(time))?;
    }
    writeln!(text)
}

/// Nanoseconds in readable form.
fn duration(nanoseconds: f64) -> String {
    let (value, unit) = match nanoseconds {
        ..1e3 => (nanoseconds, "ns"),
        1e3..1e6 => (nanoseconds / 1e3, "µs"),
        1e6..1e9 => (nanoseconds / 1e6, "ms"),
        _ => (nanoseconds / 1e9, "s"),
    };
    format!("{value:.*} {unit}", if value < 10.0 { 2 } else { usize::from(value < 100.0) })
}

/// A whole number with three significant digits.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate")]
fn rounded(rate: f64) -> String {
    let step = 10_f64.powf((rate.max(1.0).log10().floor() - 2.0).max(0.0));
    grouped(((rate / step).round() * step) as u64)
}

/// A number with thousands separators.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!(duration(3.456), "3.46 ns");
        assert_eq!(duration(34_560.0), "34.6 µs");
        assert_eq!(duration(345_600_000.0), "346 ms");
        assert_eq!(rounded(123_456.0), "123,000");
        assert_eq!(rounded(7.2), "7");
        assert_eq!(grouped(1_000_000), "1,000,000");
    }

    #[test]
    fn a_ratio_compares_the_largest_with_the_smallest() {
        let figure = |size: &str, median| Figure {
            group: "model".into(),
            function: "quote".into(),
            size: Some(size.into()),
            median,
            elements: 1,
        };
        let mut text = String::new();
        model(&mut text, &[figure("1000000", 300.0), figure("1000", 100.0)]).unwrap();
        assert!(text.ends_with("| quote | 100 ns | 300 ns | 3.00 |\n\n"), "{text}");
    }

    #[test]
    fn the_floor_is_one_block_more_than_the_message() {
        // 44 bytes with eleven before them and nine after fill a block.
        assert_eq!([44, 45, 512].map(floor), [2.0, 3.0, 10.0]);
        let lane = |name: &str, rounds| Lane { name: name.into(), rounds };
        let lanes = vec![lane(OURS, vec![330.0]), lane(BLOCKS, vec![30_720.0])];
        let race = Race { name: "verify".into(), size: 512, lanes };
        let mut text = String::new();
        signatures(&mut text, &[race], "verify", "Verifying").unwrap();
        assert!(text.contains("| 512 | 330 ns | 1.10 |"), "{text}");
    }

    #[test]
    fn lanes_are_compared_with_the_first() {
        let lane = |name: &str, took| Lane { name: name.into(), rounds: vec![took] };
        let lanes = vec![lane("bare", 1e9), lane("courier", 1.5e9)];
        let race = Race { name: "courier".into(), size: 5000, lanes };
        let mut text = String::new();
        beside(&mut text, &[race], "courier", "The courier", "deliveries/s").unwrap();
        assert!(text.contains("| courier | 1.50 s | 3,330 | 1.50 |"), "{text}");
    }

    #[test]
    fn without_results_the_error_gives_advice() {
        let problem = tables(Path::new("no/such/directory")).unwrap_err();
        assert!(problem.contains("cargo bench -p tideover-benches"), "{problem}");
    }
}
