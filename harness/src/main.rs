//! The `tideover` command.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// An in-process run allocates many small values. mimalloc makes it a fifth faster than the system allocator.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    tideover_harness::cli::main()
}
