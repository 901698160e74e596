//! The `branchwise` command: flags, settings, wiring, exit codes.

mod args;
mod cc;
mod check;
mod checked;
mod config;
mod doctor;
mod engines;
mod experiment;
mod failure;
mod generate;
mod java;
mod journal;
mod list;
mod obligations;
mod output;
mod phases;
mod plain;
mod program_tests;
mod progress;
mod run;
mod run_args;
mod sources;
mod work;

use args::{Cli, Command};
use clap::Parser;
use failure::{EXIT_BUG, EXIT_UNREAD, Failure};
use std::process::ExitCode;

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|info| {
        if info.to_string().contains("failed printing to stdout: Broken pipe") {
            // The reader has seen enough (`| head`): the end that the signal, which Rust ignores, would have been.
            std::process::exit(EXIT_UNREAD);
        }
        eprintln!("branchwise: internal error: {info}\nThis is a bug in branchwise; please report it.");
    }));
    let outcome = std::panic::catch_unwind(|| run(Cli::parse()));
    match outcome {
        Ok(Ok(code)) => code,
        Ok(Err(failure)) => {
            eprintln!("branchwise: {failure}");
            failure.exit_code()
        }
        Err(_) => ExitCode::from(EXIT_BUG),
    }
}

fn run(cli: Cli) -> Result<ExitCode, Failure> {
    match cli.command {
        Command::Gen(args) => generate::generate(&args),
        Command::Run(args) => run::run(&args),
        Command::List(args) => list::list(&args),
        Command::Experiment(args) => experiment::experiment(&args),
        Command::Obligations(args) => obligations::obligations(&args),
        Command::Check(args) => check::check(&args),
        Command::Report(args) => check::show(&args),
        Command::Cc(args) => cc::cc(&args),
        Command::Engines => Ok(engines::engines()),
        Command::Doctor => Ok(doctor::doctor()),
    }
}
