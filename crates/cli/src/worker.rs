//! The worker process of branchwise; started by `branchwise`, not by hand.

fn main() -> std::process::ExitCode {
    c_worker::serve()
}
