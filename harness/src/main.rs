//! The `tideover` command.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// Playing and judging in process makes and drops many small values: a fifth faster than with the system's.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    tideover_harness::cli::main()
}
