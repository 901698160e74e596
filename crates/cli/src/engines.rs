//! `branchwise engines`.

use std::process::ExitCode;

pub(crate) fn engines() -> ExitCode {
    for (i, engine) in search::all().iter().enumerate() {
        let default = if i == 0 { " (default)" } else { "" };
        println!("{}{default}\n    {}", engine.name(), engine.summary());
        for (name, value, meaning) in engine.parameters() {
            println!("    {name} = {value}: {meaning}");
        }
    }
    ExitCode::SUCCESS
}
