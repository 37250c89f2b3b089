//! HMAC-SHA256 (RFC 2104) over SHA-256's block function.
//!
//! Each key is hashed once: a [`Keyed`] stores SHA-256's states after the key's two blocks, so that a digest
//! costs its message's blocks and one more. Hashing does not copy the blocks of a body.

use serde::{Deserialize, Serialize};
use sha2::block_api::compress256;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

const BLOCK: usize = 64;

/// The position of the message's length in its last block.
const LENGTH: usize = BLOCK - 8;

type HashState = [u32; 8];

/// The initial state of SHA-256 (FIPS 180-4, 5.3.3).
const START: HashState = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

/// A key: the states of the inner and the outer SHA-256 after it.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Keyed {
    inner: HashState,
    outer: HashState,
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

/// The final state of SHA-256. The message consists of `before` hashed bytes, the first `filled` bytes of
/// `block`, whose other bytes are zero, and `rest`.
fn finish(
    mut state: HashState,
    before: usize,
    mut block: [u8; BLOCK],
    filled: usize,
    rest: &[u8],
) -> HashState {
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

fn bytes(state: HashState) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (bytes, word) in bytes.as_chunks_mut().0.iter_mut().zip(state) {
        *bytes = word.to_be_bytes();
    }
    bytes
}
