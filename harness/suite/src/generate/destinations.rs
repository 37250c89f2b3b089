//! URLs that no webhook may be sent to, from the model's table of addresses: of every block the document names its ends
//! and what is between them, in every spelling, alone and within other addresses; and by turns of the other blocks.
//!
//! What the document does not name, a service may accept or refuse: the judge knows which these are.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use tideover_model::destination::{BLOCKS, Block, EMBEDDINGS};

use crate::generate::draw::Draw;

/// How many of the blocks that the document does not name are in a run. Each seed begins with another one.
const OPEN_BLOCKS: usize = 6;

/// Hosts that are this machine. That all but the first resolve, nobody promises.
const LOCAL_NAMES: [&str; 6] = [
    "localhost",
    "LocalHost",
    "localhost.",
    "hooks.localhost",
    "a.b.LOCALHOST",
    "hooks.localhost.",
];

/// A URL of each class. Each has a path of its own, so that none is another one in a second spelling.
pub(super) fn refused(draw: &mut Draw) -> Vec<String> {
    let mut hosts = of_named_blocks(draw);
    hosts.extend(of_open_blocks(draw));
    hosts.extend(unusual_spellings(draw));
    hosts.extend(EMBEDDINGS.iter().map(|form| {
        let rest = Ipv6Addr::from_bits(0x2600 << 112 | number_below(1 << 100, draw));
        bracketed(form.around(named_v4(draw), rest).to_string())
    }));
    hosts.push(LOCAL_NAMES[0].to_owned());
    hosts.push((*draw.pick(&LOCAL_NAMES[1..])).to_owned());
    hosts.iter().enumerate().map(|(number, host)| url_at(host, number, draw)).collect()
}

/// A URL with this host. What else stands in it changes nothing.
fn url_at(host: &str, number: usize, draw: &mut Draw) -> String {
    let port = 1024 + draw.below(9000);
    match draw.below(6) {
        0 => format!("https://{host}:{port}/hooks/{number}"),
        1 => format!("HTTPS://{host}/hooks/{number}"),
        2 => format!("https://{host}:443/hooks/{number}?to=https://hooks.example.com"),
        3 => format!("https://{host}/hooks/{number}#hooks.example.com"),
        _ => format!("https://{host}/hooks/{number}"),
    }
}

/// Two addresses of each block that the document names, as they are usually written, and one of another spelling that
/// every reader of addresses knows.
fn of_named_blocks(draw: &mut Draw) -> Vec<String> {
    let mut hosts = Vec::new();
    for block in BLOCKS.iter().filter(|block| block.is_named) {
        let left_out = draw.below(3);
        for address in ends_and_middle(block, draw).into_iter().enumerate() {
            if address.0 != left_out {
                hosts.push(host_of(address.1));
            }
        }
        hosts.push(match within(block, draw) {
            IpAddr::V4(v4) => mapped(v4, draw),
            IpAddr::V6(v6) => at_length(v6, draw),
        });
    }
    hosts
}

fn of_open_blocks(draw: &mut Draw) -> Vec<String> {
    let open: Vec<&Block> = BLOCKS.iter().filter(|block| !block.is_named).collect();
    let some = draw.some(open, OPEN_BLOCKS);
    let any_of = |block: &Block| {
        let addresses = ends_and_middle(block, draw);
        host_of(*draw.pick(&addresses))
    };
    some.into_iter().map(any_of).collect()
}

fn ends_and_middle(block: &Block, draw: &mut Draw) -> [IpAddr; 3] {
    [block.first, block.last, within(block, draw)]
}

/// Any address of a block.
fn within(block: &Block, draw: &mut Draw) -> IpAddr {
    match (block.first, block.last) {
        (IpAddr::V4(first), IpAddr::V4(last)) => {
            let size = last.to_bits() - first.to_bits();
            let place = number_below(u128::from(size) + 1, draw);
            Ipv4Addr::from_bits(first.to_bits() + u32::try_from(place).unwrap_or(0)).into()
        }
        (IpAddr::V6(first), IpAddr::V6(last)) => {
            let size = last.to_bits() - first.to_bits();
            Ipv6Addr::from_bits(first.to_bits() + number_below(size + 1, draw)).into()
        }
        (first, _) => first,
    }
}

fn number_below(end: u128, draw: &mut Draw) -> u128 {
    draw.value(0..end)
}

/// An address that the document names.
fn named_v4(draw: &mut Draw) -> Ipv4Addr {
    let named = |block: &&Block| block.is_named && block.first.is_ipv4();
    let blocks: Vec<&Block> = BLOCKS.iter().filter(named).collect();
    let block = *draw.pick(&blocks);
    match within(block, draw) {
        IpAddr::V4(address) => address,
        IpAddr::V6(_) => Ipv4Addr::LOCALHOST,
    }
}

fn host_of(address: IpAddr) -> String {
    match address {
        IpAddr::V4(v4) => v4.to_string(),
        IpAddr::V6(v6) => bracketed(v6.to_string()),
    }
}

fn bracketed(address: String) -> String {
    format!("[{address}]")
}

/// The address within one of IPv6, which every system takes for the same.
fn mapped(address: Ipv4Addr, draw: &mut Draw) -> String {
    let [high, low] = [address.to_bits() >> 16, address.to_bits() & 0xffff];
    bracketed(match draw.below(4) {
        0 => format!("::ffff:{address}"),
        1 => format!("::FFFF:{high:X}:{low:X}"),
        2 => format!("0:0:0:0:0:ffff:{address}"),
        _ => format!("0000:0000:0000:0000:0000:ffff:{high:04x}:{low:04x}"),
    })
}

/// The address with all that could be left out.
fn at_length(address: Ipv6Addr, draw: &mut Draw) -> String {
    let groups = address.segments();
    let is_large = draw.percent(50);
    let long =
        groups.map(|group| if is_large { format!("{group:04X}") } else { format!("{group:04x}") });
    bracketed(long.join(":"))
}

/// An address that the document names, in each spelling that some readers take for one and others for a name.
fn unusual_spellings(draw: &mut Draw) -> Vec<String> {
    let mut of_any = |spelled: &dyn Fn(Ipv4Addr) -> String| spelled(named_v4(draw));
    vec![
        of_any(&|address| address.to_bits().to_string()),
        of_any(&|address| format!("0x{:x}", address.to_bits())),
        of_any(&|address| format!("0{:o}", address.to_bits())),
        of_any(&|address| address.octets().map(|octet| format!("0x{octet:X}")).join(".")),
        of_any(&|address| address.octets().map(|octet| format!("0{octet:o}")).join(".")),
        of_any(&|address| {
            let [a, rest] = [address.to_bits() >> 24, address.to_bits() & 0xff_ffff];
            format!("{a}.{rest}")
        }),
        of_any(&|address| {
            let [a, b, ..] = address.octets();
            format!("{a}.{b}.{}", address.to_bits() & 0xffff)
        }),
        of_any(&|address| format!("{address}.")),
        of_any(&|address| {
            let encoded = |sign: u8| if sign == b'.' { ".".into() } else { format!("%{sign:02x}") };
            address.to_string().bytes().map(encoded).collect()
        }),
        // U+FF10 is the full-width zero.
        of_any(&|address| address.to_string().chars().map(full_width).collect()),
    ]
}

/// The full-width form of a digit.
pub(super) fn full_width(sign: char) -> char {
    let digit = sign.to_digit(10).and_then(|digit| char::from_u32(0xff10 + digit));
    digit.unwrap_or(sign)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tideover_model::Destinations;
    use tideover_model::destination::is_left_open;

    use super::*;

    fn of_seed(seed: u64) -> Vec<String> {
        refused(&mut Draw::new([seed, 0, 0]))
    }

    #[test]
    fn none_is_public() {
        for url in (0..200).flat_map(of_seed) {
            assert!(Destinations::Public.judge(&url, &[]).is_err(), "{url}");
        }
    }

    #[test]
    fn seeds_together_reach_every_block_and_every_end() {
        let all: BTreeSet<String> = (0..400).flat_map(of_seed).collect();
        let has = |host: &str| all.iter().any(|url| url.contains(&format!("//{host}")));
        for block in &BLOCKS {
            assert!(has(&host_of(block.first)) && has(&host_of(block.last)), "{block:?}");
        }
        assert!(LOCAL_NAMES.iter().all(|name| has(name)));
    }

    #[test]
    fn only_plain_spellings_of_named_blocks_must_be_refused() {
        let mut draw = Draw::new([1, 0, 0]);
        let url = |host: &String| format!("https://{host}/hooks");
        assert!(of_named_blocks(&mut draw).iter().all(|host| !is_left_open(&url(host))));
        assert!(of_open_blocks(&mut draw).iter().all(|host| is_left_open(&url(host))));
        assert!(unusual_spellings(&mut draw).iter().all(|host| is_left_open(&url(host))));
    }
}
