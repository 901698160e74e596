//! `branchwise engines`.

use std::process::ExitCode;

pub(crate) fn engines() -> ExitCode {
    for (i, (name, summary, parameters)) in campaign::engines().into_iter().enumerate() {
        let default = if i == 0 { " (default)" } else { "" };
        println!("{name}{default}\n    {summary}");
        for (name, value, meaning) in parameters {
            println!("    {name} = {value}: {meaning}");
        }
    }
    ExitCode::SUCCESS
}
