//! `branchwise obligations`, and obligations that were handed back to `branchwise gen`.

use crate::args::{McdcArg, ObligationsArgs};
use crate::failure::Failure;
use crate::{generate, output, sources, work};
use c_frontend::{Built, Clang, SourceUnit, Surroundings};
use campaign::{Progress, Selection, Variant, Want};
use model::{Decision, FunctionId};
use report::{Asked, Chosen, FileObligations, FunctionObligations, Obligations};
use std::path::Path;
use std::process::ExitCode;

/// Prints what MC/DC asks of the decisions of a program.
pub(crate) fn obligations(args: &ObligationsArgs) -> Result<ExitCode, Failure> {
    let units = sources::resolve(&args.sources)?;
    let folder = work::temporary()?;
    let bitwise = args.bitwise_decisions;
    let surroundings = Surroundings { decisions: true, bitwise, ..Surroundings::default() };
    let built = c_frontend::build_with_stubs(&units, surroundings, &Clang::default(), folder.path())?;
    let functions = generate::chosen_functions(&built, &units, &args.functions)?;
    let asking = Asking::of(&built, &functions, args.mcdc.into(), bitwise);
    let text = asking.obligations.write(args.format.into());
    match &args.out {
        Some(path) => std::fs::write(path, text).map_err(|e| Failure::file(path, &e))?,
        None => print!("{text}"),
    }
    Ok(ExitCode::SUCCESS)
}

/// The obligations of functions, and what they are about, in the same order.
struct Asking {
    obligations: Obligations,
    functions: Vec<Vec<(FunctionId, Vec<Decision>)>>,
}

impl Asking {
    fn of(built: &Built, functions: &[FunctionId], variant: Variant, bitwise_decisions: bool) -> Asking {
        let sources = output::sources(built);
        let mut files: Vec<FileObligations> = Vec::new();
        let mut about: Vec<Vec<(FunctionId, Vec<Decision>)>> = Vec::new();
        for &id in functions {
            let function = built.program.function(id);
            let decisions = function.all_decisions();
            if decisions.is_empty() {
                continue;
            }
            let describe = |decision: &Decision| {
                let (pairs, plan) = Progress::choice(decision, variant);
                report::describe(&built.program, &sources, function, decision, (&pairs, &plan))
            };
            let path = told_path(&built.program.files[function.span.file as usize].path);
            let index = files.iter().position(|file| file.path == path).unwrap_or_else(|| {
                files.push(FileObligations { path, ..FileObligations::default() });
                about.push(Vec::new());
                files.len() - 1
            });
            files[index].functions.push(FunctionObligations {
                name: function.name.clone(),
                decisions: decisions.iter().map(describe).collect(),
                at: 0,
            });
            about[index].push((id, decisions));
        }
        let mcdc = McdcArg::from(variant).name().to_owned();
        Asking { obligations: Obligations { mcdc, bitwise_decisions, files, at: 0 }, functions: about }
    }
}

/// A path that means the same to whoever stands in this folder elsewhere.
fn told_path(path: &str) -> String {
    let here = std::env::current_dir().ok();
    let below = here.as_ref().and_then(|here| Path::new(path).strip_prefix(here).ok());
    below.map_or_else(|| path.to_owned(), |below| below.to_string_lossy().into_owned())
}

/// What alone is wanted, read from a file of obligations, and the functions that have any of it.
pub(crate) fn selection(
    path: &Path,
    built: &Built,
    units: &[SourceUnit],
    functions: &[FunctionId],
    (variant, bitwise): (Variant, bool),
) -> Result<(Selection, Vec<FunctionId>), Failure> {
    let bytes = std::fs::read(path).map_err(|e| Failure::file(path, &e))?;
    let wrong = |fault: report::ObligationFault| {
        Failure::input(format!("{}:{fault}", path.display())).hint(fault.hint.clone())
    };
    let text = String::from_utf8(bytes).map_err(|e| {
        let valid = &e.as_bytes()[..e.utf8_error().valid_up_to()];
        let line = valid.iter().filter(|&&byte| byte == b'\n').count() + 1;
        Failure::input(format!("{}:{line}: no UTF-8", path.display())).hint("save the file as UTF-8")
    })?;
    let asked = Obligations::read(&text).map_err(wrong)?;
    let own = work::own_functions(&built.program, units);
    let asking = Asking::of(built, &own, variant, bitwise);
    let mut selection = Selection::default();
    let mut having = Vec::new();
    for Chosen { file, function, decision, asked } in
        report::choose(&asked, &asking.obligations).map_err(wrong)?
    {
        let (id, decisions) = &asking.functions[file][function];
        if !functions.contains(id) {
            continue;
        }
        let want = match asked {
            Asked::Vectors(numbers) => Want::Vectors(numbers),
            Asked::Pairs(pairs) => Want::Pairs(pairs),
        };
        selection.add(&decisions[decision], want);
        having.push(*id);
    }
    let having: Vec<FunctionId> = functions.iter().copied().filter(|id| having.contains(id)).collect();
    match having.is_empty() {
        true => Err(Failure::input(format!("{} asks nothing of the functions you named", path.display()))
            .hint("leave `--function` away, or name functions of that file")),
        false => Ok((selection, having)),
    }
}
