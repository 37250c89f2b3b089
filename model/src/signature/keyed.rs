//! HMAC-SHA256 (RFC 2104) over SHA-256's block function.
//!
//! A key is hashed once: what SHA-256 holds after the key's two blocks is stored, so that a digest costs the
//! blocks of its message and one more. The blocks of a body are hashed where they lie.

use sha2::block_api::compress256;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

const BLOCK: usize = 64;

/// Where the last block of a message holds its length.
const LENGTH: usize = BLOCK - 8;

type State = [u32; 8];

/// What SHA-256 holds at first (FIPS 180-4, 5.3.3).
const START: State = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

/// A key: what SHA-256 holds after it, inside and outside.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Keyed {
    inner: State,
    outer: State,
}

impl Keyed {
    pub(super) fn new(key: &[u8]) -> Keyed {
        let mut block = Zeroizing::new([0; BLOCK]);
        if key.len() > BLOCK {
            block[..32]
                .copy_from_slice(&*Zeroizing::new(bytes(finish(START, 0, [0; BLOCK], 0, key))));
        } else {
            block[..key.len()].copy_from_slice(key);
        }
        let after = |pad: u8| {
            let mut state = START;
            let padded = Zeroizing::new([block.map(|byte| byte ^ pad)]);
            compress256(&mut state, &*padded);
            state
        };
        Keyed { inner: after(0x36), outer: after(0x5c) }
    }

    /// The digest of `<seconds>.<body>`, of at most 20 digits of seconds.
    pub(super) fn digest(&self, seconds: &[u8], body: &[u8]) -> [u8; 32] {
        let mut block = [0; BLOCK];
        block[..seconds.len()].copy_from_slice(seconds);
        block[seconds.len()] = b'.';
        let inner = finish(self.inner, BLOCK, block, seconds.len() + 1, body);
        let mut block = [0; BLOCK];
        block[..32].copy_from_slice(&bytes(inner));
        bytes(finish(self.outer, BLOCK, block, 32, &[]))
    }
}

impl Drop for Keyed {
    fn drop(&mut self) {
        self.inner.zeroize();
        self.outer.zeroize();
    }
}

impl ZeroizeOnDrop for Keyed {}

/// What SHA-256 ends with, `before` bytes into its message, of which `filled` more stand in `block`, above
/// which it is zero, and then `rest` follows.
fn finish(
    mut state: State,
    before: usize,
    mut block: [u8; BLOCK],
    filled: usize,
    rest: &[u8],
) -> State {
    let length = before + filled + rest.len();
    let (head, rest) = rest.split_at(rest.len().min(BLOCK - filled));
    let mut end = filled + head.len();
    block[filled..end].copy_from_slice(head);
    if end == BLOCK {
        let (blocks, tail) = rest.as_chunks();
        compress256(&mut state, &[block]);
        compress256(&mut state, blocks);
        end = tail.len();
        block = [0; BLOCK];
        block[..end].copy_from_slice(tail);
    }
    block[end] = 0x80;
    if end >= LENGTH {
        compress256(&mut state, &[block]);
        block = [0; BLOCK];
    }
    block[LENGTH..].copy_from_slice(&(8 * length as u64).to_be_bytes());
    compress256(&mut state, &[block]);
    state
}

fn bytes(state: State) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (bytes, word) in bytes.as_chunks_mut().0.iter_mut().zip(state) {
        *bytes = word.to_be_bytes();
    }
    bytes
}
