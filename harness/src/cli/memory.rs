//! How the command takes memory from the system.

/// Takes memory in small pages where a command waits beside others: huge ones of 2 MiB make it hold 6 MiB more.
///
/// Comes before the arguments are read, since these fill the first pages. Not for other commands: some start the service
/// that they check, which would inherit it. A command that may not choose works all the same.
#[cfg(target_os = "linux")]
pub(super) fn keep_small() {
    let waits = std::env::args_os().nth(1).is_some_and(|it| it == "serve" || it == "watch");
    if waits {
        let _ = rustix::thread::disable_transparent_huge_pages(true);
    }
}

/// Only Linux has the choice.
#[cfg(not(target_os = "linux"))]
pub(super) fn keep_small() {}
