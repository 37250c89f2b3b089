//! Plans drawn from a seed.

use serde::{Deserialize, Serialize};
use tideover_model::words::InvoiceStatus;
use tideover_model::{Cents, Profile, Range, Timestamp};
use tideover_sim::fault::{Act, Rule, When};

use crate::simulation::draw::{Draw, Source};
use crate::simulation::plan::{
    Faults, Import, Invoice, LostSecret, Onboarding, Outage, Plan, PostAct, PostRule, Restart,
    Served, Vendor,
};
use crate::simulation::queue::{DAY, HOUR, MINUTE, Moment, SECOND};

/// How large a world is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// Platforms.
    pub platforms: u32,
    /// Vendors.
    pub businesses: u32,
    /// Days until the faults stop.
    pub days: u64,
}

impl Default for Size {
    fn default() -> Size {
        Size { platforms: 2, businesses: 20, days: 14 }
    }
}

/// The instant at which every world starts.
const START: &str = "2026-01-01T00:00:00Z";
/// An outage of hours ends before the last three attempts of a delivery are over.
const SHORT_OUTAGE: (Moment, Moment) = (HOUR, 6 * HOUR);
/// An outage that outlasts the retries of a delivery (`8.webhookRetryWindow`).
const LONG_OUTAGE: (Moment, Moment) = (29 * HOUR, 40 * HOUR);

impl Plan {
    /// The plan of a seed.
    pub fn draw(seed: u64, size: Size) -> Plan {
        let source = Source::new(seed);
        let imports = imports(source, size);
        let vendor = |number| vendor(source, size, &imports, number);
        Plan {
            seed,
            start: Timestamp::parse(START).unwrap_or(Timestamp::MAX),
            days: size.days,
            platforms: size.platforms,
            profile: profile(source),
            greased: source.draw("grease", "", 0).percent(40),
            vendors: (0..size.businesses).map(vendor).collect(),
            faults: faults(source, size),
            imports,
        }
    }
}

/// Each seed has its own limits, its own slow and fast transitions, and its own order of deliveries.
fn profile(source: Source) -> Profile {
    let mut draw = source.draw("profile", "", 0);
    let mut profile = Profile::default();
    let limit = draw.one_of(&[100_000_000, 20_000_000, 4_000_000]);
    profile.concentration_limit = Range::exactly(Cents(limit));
    let mut slow = |delay: &mut Range<u64>| {
        let most = draw.one_of(&[0, 0, 0, 1, 6 * 3600, 2 * 24 * 3600]);
        delay.max = delay.max.max(most);
    };
    slow(&mut profile.delays.collection_account);
    slow(&mut profile.delays.funding_starts);
    slow(&mut profile.delays.funding_completes);
    profile.webhooks.lateness = Range { min: 0, max: draw.one_of(&[0, 0, 60, 7200]) };
    profile.webhooks.duplicates = draw.one_of(&[0, 0, 10, 50]);
    profile
}

fn imports(source: Source, size: Size) -> Vec<Import> {
    let import = |number: u32| {
        let mut draw = source.draw("import", "", number.into());
        Import {
            number,
            platform: number % size.platforms.max(1),
            at: draw.between(HOUR, size.days * DAY / 2),
            bad_rows: u32::from(draw.percent(30)),
        }
    };
    (0..size.platforms * (1 + size.businesses / 20)).map(import).collect()
}

fn vendor(source: Source, size: Size, imports: &[Import], number: u32) -> Vendor {
    let mut draw = source.draw("vendor", "", number.into());
    let shared = size.platforms > 1 && draw.percent(30);
    let first = u32::try_from(draw.between(0, u64::from(size.platforms.max(1)) - 1)).unwrap_or(0);
    let second = shared.then_some((first + 1) % size.platforms.max(1));
    let tax_id = format!("{:09}", 100_000_000 + number);
    let served = |platform: u32| served(source, size, imports, number, platform);
    Vendor {
        number,
        // Only the tax id tells two platforms that they serve one business (§4 business sync rule 3).
        tax_id: (shared || draw.percent(60)).then_some(tax_id),
        address_synced: draw.percent(60),
        payout_synced: draw.percent(60),
        onboarding: draw.percent(90).then(|| onboarding(&mut draw)),
        served: [Some(first), second].into_iter().flatten().map(served).collect(),
    }
}

fn onboarding(draw: &mut Draw) -> Onboarding {
    let wait = |draw: &mut Draw| match draw.between(0, 9) {
        0..=5 => draw.between(MINUTE, HOUR),
        6..=8 => draw.between(HOUR, DAY),
        _ => draw.between(DAY, 3 * DAY),
    };
    Onboarding {
        accepts_after: wait(draw),
        confirms_after: wait(draw),
        signs_after: wait(draw),
        links_after: wait(draw),
        errs: draw.percent(20),
        found_wrong_after: draw.percent(10).then(|| draw.between(0, DAY)),
    }
}

fn served(source: Source, size: Size, imports: &[Import], number: u32, platform: u32) -> Served {
    let mut draw = source.draw("served", &format!("v{number}"), platform.into());
    let at = draw.between(MINUTE, size.days * DAY / 4);
    let imports: Vec<&Import> =
        imports.iter().filter(|import| import.platform == platform).collect();
    let invoices = (0..u32::try_from(draw.between(1, 4)).unwrap_or(1))
        .map(|invoice| {
            let subject = format!("v{number}/p{platform}");
            let mut draw = source.draw("invoice", &subject, invoice.into());
            let import = (draw.percent(25) && !imports.is_empty()).then(|| draw.one_of(&imports));
            let from = import.map_or(at, |import| import.at);
            planned_invoice(&mut draw, size, from, import.map(|it| it.number), invoice)
        })
        .collect();
    Served { platform, at, invoices }
}

fn planned_invoice(
    draw: &mut Draw,
    size: Size,
    from: Moment,
    import: Option<u32>,
    number: u32,
) -> Invoice {
    let end = size.days * DAY;
    let digits = draw.between(4, 7);
    let face_value =
        i64::try_from(draw.between(1, 39) * 10_u64.pow(u32::try_from(digits - 1).unwrap_or(3)))
            .unwrap_or(10_000)
            + i64::try_from(draw.between(0, 99)).unwrap_or(0);
    let at = draw.between(from, (from + end / 3).min(end));
    let later = |draw: &mut Draw| draw.between(at + MINUTE, end.max(at + MINUTE));
    let wanted_at = draw
        .percent(80)
        .then(|| draw.between(at + MINUTE, (at + 2 * DAY).min(end.max(at + MINUTE))));
    let payments = payments(draw, face_value, at, end);
    Invoice {
        number,
        face_value,
        due_day: draw.between(at / DAY, at / DAY + 45),
        at,
        import,
        to_itself: draw.percent(2),
        corrected: draw
            .percent(15)
            .then(|| (later(draw), face_value + 100 * i64::from(number + 1))),
        restated: draw.percent(25).then(|| {
            let status = [InvoiceStatus::PartiallyPaid, InvoiceStatus::Paid, InvoiceStatus::Voided];
            (later(draw), draw.one_of(&status))
        }),
        wanted_at,
        quoted: draw.percent(70),
        looks: looks(draw, &payments),
        payments,
    }
}

/// A platform looks at some invoices while a payment is on its way.
fn looks(draw: &mut Draw, payments: &[(Moment, i64)]) -> Vec<Moment> {
    let look = |(at, _): &(Moment, i64)| {
        draw.percent(80).then(|| at.saturating_sub(draw.between(0, 15 * SECOND)))
    };
    payments.iter().filter_map(look).collect()
}

/// Payors pay early, late, in parts, twice, too much, or never.
fn payments(draw: &mut Draw, face_value: i64, at: Moment, end: Moment) -> Vec<(Moment, i64)> {
    let when = |draw: &mut Draw| draw.between(at + HOUR, end.max(at + HOUR) + 2 * DAY);
    let once = when(draw);
    match draw.between(0, 99) {
        0..=34 => vec![(once, face_value)],
        35..=64 => {
            let part = (face_value / 3).max(1);
            let rest = (face_value - 2 * part).max(1);
            vec![(once, part), (when(draw), part), (when(draw), rest)]
        }
        65..=74 => vec![(once, face_value), (once + draw.between(SECOND, HOUR), face_value)],
        75..=82 => vec![(once, face_value + 500)],
        83..=86 => vec![(once, (face_value / 2).max(1))],
        // This repays the advance, and collects less than the face value.
        87..=94 => vec![(once, (face_value * 98 / 100).max(1))],
        _ => Vec::new(),
    }
}

/// Which faults there are, and how often they come (swarm testing): some worlds have none, some have all.
fn faults(source: Source, size: Size) -> Faults {
    let mut draw = source.draw("faults", "", 0);
    let chance = draw.one_of(&[0, 30, 30, 50, 50, 50, 70, 100]);
    let end = size.days * DAY;
    let mut requests = Vec::new();
    for act in request_acts(&mut draw) {
        if draw.percent(chance) {
            let percent = draw.one_of(&[1, 3, 10, 25]);
            requests.push(Rule { percent: Some(percent), ..Rule::always(act) });
        }
    }
    let mut posts = Vec::new();
    for act in
        [PostAct::Lost, PostAct::AnswerLost, PostAct::Repeated, PostAct::Delayed, PostAct::Forged]
    {
        if draw.percent(chance) {
            posts.push(PostRule { act, percent: draw.one_of(&[1, 3, 10, 25]) });
        }
    }
    let restarts = if draw.percent(chance) { draw.between(1, 3) } else { 0 };
    let mut lost_secrets = Vec::new();
    let mut outages = Vec::new();
    for platform in 0..size.platforms {
        if draw.percent(chance / 2) {
            lost_secrets.push(LostSecret { platform, at: draw.between(HOUR, end) });
        }
        outages.extend(platform_outages(&mut draw, chance, platform, end));
    }
    let restarts = (0..restarts).map(|_| restart(&mut draw, &outages, end)).collect();
    Faults { requests, posts, outages, restarts, lost_secrets, only: None }
}

/// The service restarts at any time, or while a receiver is down and attempts to reach it fail.
fn restart(draw: &mut Draw, outages: &[Outage], end: Moment) -> Restart {
    let amid_attempts = draw.percent(50);
    let at = if draw.percent(50) && !outages.is_empty() {
        let Outage { from, until, .. } = draw.one_of(outages);
        draw.between(from, until)
    } else {
        draw.between(0, end)
    };
    Restart { at, amid_attempts }
}

fn request_acts(draw: &mut Draw) -> [Act; 8] {
    [
        Act::ConnectionDrops { when: When::BeforeCommit },
        Act::ConnectionDrops { when: When::AfterCommit },
        Act::UpstreamFails { when: When::BeforeCommit },
        Act::UpstreamFails { when: When::AfterCommit },
        Act::AnswerCut { after_bytes: draw.between(0, 30) },
        Act::ImportStops { after_rows: draw.between(0, 4) },
        Act::AnswerDelayed { milliseconds: draw.between(31, 600) * SECOND },
        Act::RequestRepeated,
    ]
}

/// Outages of hours are far enough apart that each delivery has an attempt outside of them.
fn platform_outages(draw: &mut Draw, chance: u64, platform: u32, end: Moment) -> Vec<Outage> {
    let mut outages = Vec::new();
    if !draw.percent(chance) || end < 4 * DAY {
        return outages;
    }
    let mut from = draw.between(HOUR, 2 * DAY);
    let long = draw.percent(25);
    for turn in 0..2 {
        let (least, most) = if long && turn == 0 { LONG_OUTAGE } else { SHORT_OUTAGE };
        let until = from + draw.between(least, most);
        if until < end {
            outages.push(Outage { platform, from, until });
        }
        from = until + draw.between(36 * HOUR, 4 * DAY);
    }
    outages
}
