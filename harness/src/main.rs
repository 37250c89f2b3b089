//! The `tideover` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    tideover_harness::cli::main()
}
