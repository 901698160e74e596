//! The worker process of branchwise; started by `branchwise`, not by hand.

use std::ffi::OsString;

fn main() -> std::process::ExitCode {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    match words.split_first() {
        Some((first, rest)) if first == wire::CONFINED => c_worker::confined(rest),
        _ => c_worker::serve(),
    }
}
