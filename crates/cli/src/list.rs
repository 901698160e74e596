//! `branchwise list`.

use crate::args::ListArgs;
use crate::failure::Failure;
use crate::sources;
use crate::work;
use model::{Function, Program};
use std::process::ExitCode;

pub(crate) fn list(args: &ListArgs) -> Result<ExitCode, Failure> {
    let units = sources::resolve(&args.sources)?;
    let folder = work::temporary()?;
    let built = c_frontend::build(&units, &c_frontend::Clang::default(), folder.path())?;
    for id in work::own_functions(&built.program, &units) {
        println!("{}", line(&built.program, built.program.function(id)));
    }
    for name in &built.program.undefined {
        println!("undefined: {name}");
    }
    Ok(ExitCode::SUCCESS)
}

/// `triangle.c:14: static int triangle(int a, int b, int c), 22 goals`.
fn line(program: &Program, function: &Function) -> String {
    let types = &program.types;
    let mut params: Vec<String> =
        function.params.iter().map(|p| emit::declare(types, p.ty, &p.name, &p.name)).collect();
    if function.variadic {
        params.push("...".into());
    }
    if params.is_empty() {
        params.push("void".into());
    }
    let declarator = format!("{}({})", function.name, params.join(", "));
    let signature = emit::declare(types, function.ret, &declarator, "result");
    let file = std::path::Path::new(&program.files[function.span.file as usize].path);
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let storage = if function.is_static { "static " } else { "" };
    let goals = function.goals().count();
    format!("{name}:{}: {storage}{signature}, {goals} goals", function.span.start.line)
}
