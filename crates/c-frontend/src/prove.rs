//! Infeasible branch outcomes, proved by LLVM's optimiser.
//!
//! Every decision gets a mark: a call that names the branch and passes the condition.
//!
//! ```text
//!   call @bw.mark(i32 17, i1 %c)        br i1 %c, …
//! ```
//!
//! Then the module is optimised hard. A mark that is gone stood in unreachable code; one whose condition became a
//! constant can only go one way. What no mark can report any more cannot happen, for any arguments and any values
//! of globals, as long as the code's behaviour is defined. (Overflow wraps in our build, so it is defined.)

use crate::BuildError;
use crate::checks;
use crate::ir;
use crate::program::{Built, parse, target_machine};
use crate::scan::{Site, Switch};
use crate::shifts;
use crate::spread::{self, Verdict};
use crate::unit::{Analysis, FileTable, UnitBuilder, UnitInfo, name_hash, profile_name, strip_profiling};
use crate::whole;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::{Builder, BuilderError};
use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::values::{BasicValueEnum, FunctionValue, InstructionValue, IntValue};
use inkwell::{IntPredicate, OptimizationLevel};
use model::{BranchId, Goal};
use std::collections::{HashMap, HashSet};
use std::path::Path;

const MARK: &str = "bw.mark";

/// The counted goals of a program that cannot be reached.
///
/// # Errors
/// When LLVM fails.
pub fn infeasible(built: &Built) -> Result<HashSet<Goal>, BuildError> {
    let mut possible = HashSet::new();
    let mut next_branch = 0;
    // What surrounds the units has no goals.
    for (number, bitcode) in built.bitcode.iter().enumerate().take(built.own_units) {
        prove_unit(built, number, bitcode, &mut next_branch, &mut possible)?;
    }
    let goals = built.program.functions.iter().flat_map(|f| f.goals());
    Ok(goals.filter(|goal| !possible.contains(goal)).collect())
}

/// Adds the goals of one unit that may happen.
fn prove_unit(
    built: &Built,
    number: usize,
    bitcode: &Path,
    next_branch: &mut u32,
    possible: &mut HashSet<Goal>,
) -> Result<(), BuildError> {
    let first = *next_branch;
    let context = Context::create();
    let module = parse(&context, bitcode)?;
    let builder = context.create_builder();
    let machine = target_machine(OptimizationLevel::Default)?;
    let mut files = FileTable::default();
    let mut unit = UnitBuilder {
        module: &module,
        builder: &builder,
        machine: &machine,
        number,
        ambiguous: &built.ambiguous,
        files: &mut files,
        next_branch,
        redirected: &built.redirected,
        is_own: number < built.own_units,
        guards: &HashMap::new(),
        decisions: built.decisions.get(number),
        data_flow: false,
    };
    unit.passes("mem2reg")?;
    if !built.redirected.is_whole {
        // The optimiser knows what the library's functions do, but these are others: an allocation may fail.
        whole::redirect(&module, &built.redirected);
    }
    let mappings = unit.read_mappings()?;
    let defined = unit.defined();
    // Everything is visible from outside: the proof must hold for any caller and any state.
    unit.rename_variables(&mut UnitInfo::default());
    defined.iter().for_each(|&f| drop(unit.rename_function(f)));
    // The proof must hold for the code that runs, where shifts by too much are defined.
    defined.iter().try_for_each(|&f| shifts::define(f, &builder))?;
    let marker = Marker::new(&module, &builder);
    for &function in &defined {
        let mapping = profile_name(function).and_then(|name| mappings.get(&name_hash(&name)));
        let analysis = unit.analyse(function, mapping);
        marker.mark(&analysis, possible)?;
        // What happens behind an error may happen all the same where nobody checks.
        checks::forget(function);
    }
    strip_profiling(&module);
    let last = *unit.next_branch;
    unit.passes("default<O2>")?;
    if collect(&module, possible).is_none() {
        // A mark without a number may be any of them.
        let all = (first..last).map(BranchId);
        possible.extend(all.flat_map(|branch| [true, false].map(|outcome| Goal { branch, outcome })));
    }
    Ok(())
}

struct Marker<'a, 'c> {
    builder: &'a Builder<'c>,
    mark: FunctionValue<'c>,
    context: inkwell::context::ContextRef<'c>,
}

impl<'a, 'c> Marker<'a, 'c> {
    fn new(module: &'a Module<'c>, builder: &'a Builder<'c>) -> Marker<'a, 'c> {
        let context = module.get_context();
        let ty = context.void_type().fn_type(&[context.i32_type().into(), context.bool_type().into()], false);
        let mark = module.add_function(MARK, ty, None);
        // Two marks at the end of two ways must not become one behind both.
        let kind = Attribute::get_named_enum_kind_id("nomerge");
        mark.add_attribute(AttributeLoc::Function, context.create_enum_attribute(kind, 0));
        Marker { builder, mark, context }
    }

    fn mark(&self, analysis: &Analysis<'c>, possible: &mut HashSet<Goal>) -> Result<(), BuilderError> {
        let mut marked = HashSet::new();
        for &(branch, site) in &analysis.sites {
            match site {
                Site::Jump { block, when_true } => {
                    let Some(jump) = block.get_terminator() else { continue };
                    let Some(BasicValueEnum::IntValue(condition)) = ir::operand(jump, 0) else { continue };
                    self.at(jump, branch, condition, when_true == 1)?;
                    marked.insert(branch);
                }
                Site::Select { at, condition } => {
                    self.at(at, branch, condition, false)?;
                    marked.insert(branch);
                }
                Site::Spread { entry, side } => {
                    let Some(spread) = spread::spread(&analysis.scan, entry, side) else { continue };
                    for (jump, verdict) in spread.verdicts {
                        let constant =
                            |outcome| self.context.bool_type().const_int(u64::from(outcome), false);
                        match verdict {
                            Verdict::Both { condition, inverted } => {
                                self.at(jump, branch, condition, inverted)?
                            }
                            Verdict::Always(outcome) | Verdict::When { outcome, .. } => {
                                self.at(jump, branch, constant(outcome), false)?;
                            }
                        }
                    }
                    marked.insert(branch);
                }
                Site::Case { switch, destination } => {
                    let switch = &analysis.scan.switches[switch];
                    let matches = self.matches(switch, |to| to == destination)?;
                    self.at(switch.instruction, branch, matches, false)?;
                    marked.insert(branch);
                }
                Site::Default { switch } | Site::NoDefault { switch } => {
                    let switch = &analysis.scan.switches[switch];
                    let matches = self.matches(switch, |_| true)?;
                    self.at(switch.instruction, branch, matches, true)?;
                    marked.insert(branch);
                }
                Site::Unevaluated { when_true, when_false } => {
                    // Counted along with something else; left to the search.
                    let outcomes = [(when_true, true), (when_false, false)];
                    let counted = outcomes.into_iter().filter(|(moment, _)| moment.is_some());
                    possible.extend(counted.map(|(_, outcome)| Goal { branch, outcome }));
                    marked.insert(branch);
                }
            }
        }
        // What could not be marked is not proved either.
        let unmarked = analysis.sites.iter().filter(|(branch, _)| !marked.contains(branch));
        possible
            .extend(unmarked.flat_map(|&(branch, _)| [true, false].map(|outcome| Goal { branch, outcome })));
        Ok(())
    }

    fn at(
        &self,
        at: InstructionValue<'c>,
        branch: BranchId,
        condition: IntValue<'c>,
        inverted: bool,
    ) -> Result<(), BuilderError> {
        self.builder.position_before(&at);
        let condition = if inverted { self.builder.build_not(condition, "")? } else { condition };
        let id = self.context.i32_type().const_int(u64::from(branch.0), false);
        self.builder.build_call(self.mark, &[id.into(), condition.into()], "").map(|_| ())
    }

    /// Whether the switch goes to one of the chosen destinations.
    fn matches(
        &self,
        switch: &Switch<'c>,
        chosen: impl Fn(inkwell::basic_block::BasicBlock<'c>) -> bool,
    ) -> Result<IntValue<'c>, BuilderError> {
        self.builder.position_before(&switch.instruction);
        let ty = switch.value.get_type();
        let mut any = self.context.bool_type().const_zero();
        for &(low, high, to) in &switch.rows {
            if !chosen(to) {
                continue;
            }
            let low_value = ty.const_int(low as u64, true);
            let offset = self.builder.build_int_sub(switch.value, low_value, "")?;
            let span = ty.const_int(high.wrapping_sub(low) as u64, false);
            let inside = self.builder.build_int_compare(IntPredicate::ULE, offset, span, "")?;
            any = self.builder.build_or(any, inside, "")?;
        }
        Ok(any)
    }
}

/// Reads the marks that are left; `None` if one of them cannot be read.
fn collect(module: &Module<'_>, possible: &mut HashSet<Goal>) -> Option<()> {
    for function in module.get_functions() {
        for block in function.get_basic_block_iter() {
            for call in block.get_instructions().filter(|&i| ir::called_name(i).as_deref() == Some(MARK)) {
                let branch = BranchId(ir::operand(call, 0).and_then(ir::constant)? as u32);
                match ir::operand(call, 1).and_then(ir::constant) {
                    Some(outcome) => {
                        possible.insert(Goal { branch, outcome: outcome != 0 });
                    }
                    None => possible.extend([true, false].map(|outcome| Goal { branch, outcome })),
                }
            }
        }
    }
    Some(())
}
