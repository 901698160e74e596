//! One translation unit: from bitcode to an instrumented object and what is known about its functions.

use crate::BuildError;
use crate::checks;
use crate::contracts;
use crate::covmap::{self, FunctionMapping};
use crate::dataflow;
use crate::decisions::{self, Decisions, Described, Subject};
use crate::divisions;
use crate::flow;
use crate::ir;
use crate::probe::{self, Prober};
use crate::runtime::Runtime;
use crate::scan::{Moment, Scan, Site};
use crate::shifts;
use crate::spread;
use crate::streams;
use crate::undefined;
use crate::usage::{self, Usage};
use crate::whole::{self, Redirections};
use inkwell::GlobalVisibility;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::basic_block::BasicBlock;
use inkwell::builder::Builder;
use inkwell::module::{Linkage, Module};
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::TargetMachine;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{
    BasicValueEnum, CallSiteValue, FunctionValue, GlobalValue, InstructionOpcode, InstructionValue,
};
use model::{BlockId, Branch, BranchId, BranchKind, Cfg, DataFlow, Decision, LeftOut, Position, Span};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// A function of a unit before its C types are known.
pub(crate) struct UnitFunction {
    /// Name in the source.
    pub(crate) name: String,
    /// Name in the image.
    pub(crate) symbol: String,
    /// Its type in LLVM's words.
    pub(crate) ty: String,
    pub(crate) is_static: bool,
    pub(crate) branches: Vec<Branch>,
    pub(crate) decisions: Vec<Decision>,
    pub(crate) left_out: Vec<LeftOut>,
    pub(crate) cfg: Cfg,
    pub(crate) data: Option<DataFlow>,
    pub(crate) usage: Usage,
    /// Body of the function: path, start and end.
    pub(crate) body: Option<(String, Position, Position)>,
    /// The blocks that return.
    pub(crate) returns: Vec<BlockId>,
}

/// A unit after instrumentation.
#[derive(Default)]
pub(crate) struct UnitInfo {
    pub(crate) functions: Vec<UnitFunction>,
    /// Variables defined here: name in the source → name in the image.
    pub(crate) variables: BTreeMap<String, String>,
    /// Those of them that are no constants, by their names in the image.
    pub(crate) state: BTreeSet<String>,
    /// External functions and variables: `(name, is variable)`.
    pub(crate) needs: BTreeSet<(String, bool)>,
    /// Functions whose address variables hold from the beginning, with their types.
    pub(crate) taken: BTreeSet<(String, String)>,
}

/// Names of files, each once.
#[derive(Default)]
pub(crate) struct FileTable {
    pub(crate) paths: Vec<String>,
}

impl FileTable {
    pub(crate) fn index(&mut self, path: &str) -> u32 {
        let position = self.paths.iter().position(|p| p == path).unwrap_or_else(|| {
            self.paths.push(path.to_owned());
            self.paths.len() - 1
        });
        position as u32
    }
}

/// A function taken apart.
pub(crate) struct Analysis<'c> {
    pub(crate) scan: Scan<'c>,
    pub(crate) sites: Vec<(BranchId, Site<'c>)>,
    /// The branch that each conditional jump decides, and which successor is its true side.
    pub(crate) jumps: HashMap<BasicBlock<'c>, (BranchId, usize)>,
    branches: Vec<Branch>,
    decisions: Vec<Decision>,
    left_out: Vec<LeftOut>,
    cfg: Cfg,
    usage: Usage,
    body: Option<(String, Position, Position)>,
    returns: Vec<BlockId>,
}

impl Analysis<'_> {
    /// What outlives the module; names are filled in by the caller.
    fn finish(self) -> UnitFunction {
        UnitFunction {
            name: String::new(),
            symbol: String::new(),
            ty: String::new(),
            is_static: false,
            branches: self.branches,
            decisions: self.decisions,
            left_out: self.left_out,
            cfg: self.cfg,
            data: None,
            usage: self.usage,
            body: self.body,
            returns: self.returns,
        }
    }
}

/// Instruments a module in place.
pub(crate) struct UnitBuilder<'a, 'c> {
    pub(crate) module: &'a Module<'c>,
    pub(crate) builder: &'a Builder<'c>,
    pub(crate) machine: &'a TargetMachine,
    /// Number of the unit: makes the names of its statics unique.
    pub(crate) number: usize,
    /// External names that several units define: kept apart like statics.
    pub(crate) ambiguous: &'a HashSet<String>,
    pub(crate) files: &'a mut FileTable,
    pub(crate) next_branch: &'a mut u32,
    /// Names of the library that stand for others.
    pub(crate) redirected: &'a Redirections,
    /// The unit belongs to the program, not to its surroundings.
    pub(crate) is_own: bool,
    /// Names of the guards of functions that it may call, by the functions' names.
    pub(crate) guards: &'a HashMap<String, String>,
    /// What is known of its decisions, if these are goals.
    pub(crate) decisions: Option<&'a Described>,
    /// Whether to read the data flow of functions.
    pub(crate) data_flow: bool,
}

/// The mappings of functions, by the hashes of their names.
pub(crate) type Mappings = HashMap<u64, FunctionMapping>;

impl<'c> UnitBuilder<'_, 'c> {
    pub(crate) fn instrument(&mut self) -> Result<UnitInfo, BuildError> {
        // Before variables become values.
        let mut flows = match self.data_flow {
            true => self.defined().into_iter().map(|f| Some(dataflow::read(f))).collect(),
            false => Vec::new(),
        };
        self.passes("mem2reg")?;
        contracts::insert_checks(self.module, self.builder, self.guards)?;
        whole::redirect(self.module, self.redirected);
        let mappings = self.read_mappings()?;
        let mut info = UnitInfo::default();
        let defined = self.defined();
        self.rename_variables(&mut info);
        let names: Vec<(String, bool)> = defined.iter().map(|&f| self.rename_function(f)).collect();
        for function in self.module.get_functions().filter(|f| f.count_basic_blocks() == 0) {
            let name = function.get_name().to_string_lossy().into_owned();
            if !name.starts_with("llvm.") {
                info.needs.insert((name, false));
            }
        }
        info.taken = self.module.get_globals().flat_map(usage::initially_taken).collect();
        let runtime = Runtime::new(self.module, self.builder)?;
        flows.resize(defined.len(), None);
        for ((&function, (name, is_static)), data) in defined.iter().zip(names).zip(flows) {
            undefined::define(function);
            shifts::define(function, self.builder)?;
            checks::tighten(function, self.builder)?;
            let mapping = profile_name(function).and_then(|name| mappings.get(&name_hash(&name)));
            let analysis = self.analyse(function, mapping);
            self.add_probes(&analysis, &runtime)?;
            if self.is_own {
                runtime.mark_environment(self.builder, function)?;
            }
            let mut analysed = analysis.finish();
            // Its blocks must be those of the analysis.
            analysed.data = data.filter(|data| data.blocks.len() == analysed.cfg.successors.len());
            checks::report(function, self.builder, &runtime)?;
            divisions::define(self.module, function, self.builder)?;
            let symbol = function.get_name().to_string_lossy().into_owned();
            let ty = usage::type_name(function.get_type().into());
            info.functions.push(UnitFunction { name, symbol, ty, is_static, ..analysed });
        }
        runtime.interpose(self.builder)?;
        strip_profiling(self.module);
        self.module.verify().map_err(|e| BuildError::Internal(format!("instrumented module: {e}")))?;
        self.passes("default<O1>")?;
        Ok(info)
    }

    pub(crate) fn passes(&self, pipeline: &str) -> Result<(), BuildError> {
        self.module
            .run_passes(pipeline, self.machine, PassBuilderOptions::create())
            .map_err(|e| BuildError::Internal(format!("LLVM passes {pipeline}: {e}")))
    }

    /// Reads the coverage mapping of all functions, by the hash of their profile names.
    pub(crate) fn read_mappings(&self) -> Result<Mappings, BuildError> {
        read_mappings(self.module)
    }

    /// Makes a function visible under a unique name; returns its name in the source and whether it was static.
    pub(crate) fn rename_function(&self, function: FunctionValue<'c>) -> (String, bool) {
        let name = function.get_name().to_string_lossy().into_owned();
        let is_static = matches!(function.get_linkage(), Linkage::Internal | Linkage::Private);
        if name == "main" && self.redirected.is_whole {
            function.as_global_value().set_name(whole::MAIN);
        } else if is_static || name == "main" || self.ambiguous.contains(&name) {
            let symbol = format!("{name}.bw{}", self.number);
            function.as_global_value().set_name(&symbol);
        }
        function.as_global_value().set_linkage(Linkage::External);
        forget_promises(function);
        (streams::source_name(name), is_static)
    }

    pub(crate) fn rename_variables(&self, info: &mut UnitInfo) {
        self.show_all();
        for global in self.module.get_globals() {
            let name = global.get_name().to_string_lossy().into_owned();
            if name.starts_with("llvm.") || name.starts_with("__llvm") || name.starts_with("__cov") {
                continue;
            }
            if global.get_initializer().is_none() {
                info.needs.insert((name, true));
                continue;
            }
            match global.get_linkage() {
                Linkage::Private => continue,
                Linkage::Internal => {
                    global.set_name(&format!("{name}.bw{}", self.number));
                    global.set_linkage(Linkage::External);
                }
                _ if self.ambiguous.contains(&name) => global.set_name(&format!("{name}.bw{}", self.number)),
                _ => {}
            }
            let symbol = global.get_name().to_string_lossy().into_owned();
            if !global.is_constant() {
                info.state.insert(symbol.clone());
            }
            info.variables.insert(name, symbol);
        }
    }

    /// Symbols that the user hides are looked up by the worker and used by the twins all the same. Code reaches them
    /// without detours, which only hidden and protected symbols allow. What is only declared here may be found in another
    /// object, as the twins find the variables of all units in the image: a new declaration, for the old one promises that
    /// it is near.
    fn show_all(&self) {
        let is_hidden = |g: &GlobalValue<'_>| g.get_visibility() == GlobalVisibility::Hidden;
        let declared = self.module.get_globals().filter(|g| g.get_initializer().is_none()).filter(is_hidden);
        for old in declared.filter(|g| !g.is_thread_local()).collect::<Vec<_>>() {
            let Ok(ty) = BasicTypeEnum::try_from(old.get_value_type()) else { continue };
            let name = old.get_name().to_string_lossy().into_owned();
            let new = self.module.add_global(ty, None, "");
            new.set_constant(old.is_constant());
            new.set_alignment(old.get_alignment());
            old.as_pointer_value().replace_all_uses_with(new.as_pointer_value());
            // SAFETY: nothing uses it any more.
            unsafe { old.delete() };
            new.set_name(&name);
        }
        let functions = self.module.get_functions().filter(|f| f.count_basic_blocks() == 0);
        for function in functions.map(|f| f.as_global_value()).filter(is_hidden) {
            function.set_visibility(GlobalVisibility::Default);
        }
        let functions = self.defined().into_iter().map(|f| f.as_global_value());
        let variables = self.module.get_globals().filter(|g| g.get_initializer().is_some());
        for global in functions.chain(variables) {
            if global.get_visibility() == GlobalVisibility::Hidden {
                global.set_visibility(GlobalVisibility::Protected);
            }
        }
    }

    /// Finds the branches of a function and numbers them. The module is not changed.
    pub(crate) fn analyse(
        &mut self,
        function: FunctionValue<'c>,
        mapping: Option<&FunctionMapping>,
    ) -> Analysis<'c> {
        let scan = Scan::new(function);
        let usage = usage::usage(function);
        let sites = mapping.map(|m| scan.sites(m)).unwrap_or_default();
        let first = *self.next_branch;
        *self.next_branch += sites.len() as u32;
        let mut sites: Vec<(BranchId, Site<'c>)> =
            sites.into_iter().enumerate().map(|(i, site)| (BranchId(first + i as u32), site)).collect();
        let mut jumps: HashMap<BasicBlock<'c>, (BranchId, usize)> = HashMap::new();
        for &(branch, site) in &sites {
            if let Site::Jump { block, when_true } = site {
                jumps.entry(block).or_insert((branch, when_true));
            }
        }
        let hidden = self.add_hidden_jumps(&scan, &mut jumps);
        let cfg = flow::control_flow(&scan, &jumps, &sites);
        let mut branches = Vec::new();
        if let Some(mapping) = mapping {
            branches = self.describe(&scan, mapping, &sites);
        }
        let Decisions { list: decisions, branches: more, sites: decided, left_out } = mapping
            .and_then(|mapping| {
                let Described { mappings, bitwise } = self.decisions?;
                let described = mappings.get(&mapping.name_hash)?;
                let subject =
                    Subject { blocks: &scan.blocks, mapping, described, bitwise, branches: &branches };
                Some(decisions::find(&subject, self.next_branch, self.files))
            })
            .unwrap_or_default();
        branches.extend(hidden);
        branches.extend(more);
        sites.extend(decided);
        let body = mapping
            .and_then(|m| m.body.map(|(file, start, end)| (m.files[file as usize].path.clone(), start, end)));
        let returns = (0..).zip(&scan.blocks).filter(|(_, block)| {
            block.get_terminator().is_some_and(|t| t.get_opcode() == InstructionOpcode::Return)
        });
        let returns = returns.map(|(number, _)| BlockId(number)).collect();
        Analysis { scan, sites, jumps, branches, decisions, left_out, cfg, usage, body, returns }
    }

    fn add_probes(&self, analysis: &Analysis<'c>, runtime: &Runtime<'_, 'c>) -> Result<(), BuildError> {
        let Analysis { scan, sites, jumps, .. } = analysis;
        let heads = loop_heads(scan);
        let prober = Prober { context: self.module.get_context(), builder: self.builder, runtime };
        insert_probes(&prober, scan, sites, jumps)?;
        probe::insert_ticks(scan, &heads, self.builder, runtime)?;
        Ok(())
    }

    /// The functions with a body.
    pub(crate) fn defined(&self) -> Vec<FunctionValue<'c>> {
        self.module
            .get_functions()
            .filter(|f| f.count_basic_blocks() > 0 && f.get_linkage() != Linkage::AvailableExternally)
            .collect()
    }

    /// Gives ids to jumps that coverage does not count but that steer control: they guide the search.
    fn add_hidden_jumps(
        &mut self,
        scan: &Scan<'c>,
        jumps: &mut HashMap<BasicBlock<'c>, (BranchId, usize)>,
    ) -> Vec<Branch> {
        let checks: HashSet<BasicBlock<'c>> = scan.switches.iter().flat_map(|s| s.checks.clone()).collect();
        let mut hidden = Vec::new();
        for (index, &block) in scan.blocks.iter().enumerate() {
            let is_conditional = block
                .get_terminator()
                .is_some_and(|t| t.get_opcode() == InstructionOpcode::Br && t.get_num_operands() == 3);
            if !is_conditional || jumps.contains_key(&block) || checks.contains(&block) {
                continue;
            }
            let id = BranchId(*self.next_branch);
            *self.next_branch += 1;
            let check = block.get_terminator().and_then(checks::failing_side);
            jumps.insert(block, (id, check.unwrap_or(0)));
            hidden.push(Branch {
                id,
                kind: if check.is_some() { BranchKind::Check } else { BranchKind::Condition },
                span: Span::default(),
                expansion: None,
                block: BlockId(index as u32),
                counted: false,
            });
        }
        hidden
    }

    /// The counted branches as the model shows them.
    fn describe(
        &mut self,
        scan: &Scan<'c>,
        mapping: &FunctionMapping,
        sites: &[(BranchId, Site<'c>)],
    ) -> Vec<Branch> {
        let block_index = |block: Option<BasicBlock<'c>>| {
            let index = block.and_then(|b| scan.blocks.iter().position(|&other| other == b));
            BlockId(index.unwrap_or(0) as u32)
        };
        sites
            .iter()
            .zip(&mapping.branches)
            .map(|(&(id, site), region)| {
                let (kind, block) = match site {
                    Site::Jump { block, .. } => (BranchKind::Condition, Some(block)),
                    Site::Select { at, .. } => (BranchKind::Condition, at.get_parent()),
                    Site::Spread { entry, side } => {
                        (BranchKind::Condition, spread::spread(scan, entry, side).map(|s| s.head))
                    }
                    Site::Case { switch, .. } => (BranchKind::Case, Some(scan.switches[switch].block)),
                    Site::Default { switch } => (BranchKind::Default, Some(scan.switches[switch].block)),
                    Site::NoDefault { switch } => (BranchKind::NoDefault, Some(scan.switches[switch].block)),
                    // Nothing may be called impossible only because we do not see it.
                    Site::Unevaluated { when_true, when_false }
                        if [when_true, when_false].contains(&Some(Moment::Unseen)) =>
                    {
                        (BranchKind::Condition, None)
                    }
                    Site::Unevaluated { .. } => (BranchKind::Unevaluated, None),
                };
                let file = self.files.index(&mapping.files[region.file as usize].path);
                let span = Span { file, start: region.start, end: region.end };
                let expansion = outermost_expansion(mapping, region.file, self.files);
                Branch { id, kind, span, expansion, block: block_index(block), counted: true }
            })
            .collect()
    }
}

/// Where the outermost macro is used that has a file of a mapping in it.
pub(crate) fn outermost_expansion(
    mapping: &FunctionMapping,
    mut file: u32,
    files: &mut FileTable,
) -> Option<Span> {
    let mut outermost = None;
    // Expansions nest finitely; the bound guards against a damaged record.
    for _ in 0..mapping.files.len() {
        let Some((parent, start, end)) = mapping.files[file as usize].expanded_at else { break };
        outermost = Some((parent, start, end));
        file = parent;
    }
    outermost.map(|(parent, start, end)| Span {
        file: files.index(&mapping.files[parent as usize].path),
        start,
        end,
    })
}

/// Removes clang's own counters and mapping: they were read, and code generation would choke on them.
pub(crate) fn strip_profiling(module: &Module<'_>) {
    for function in module.get_functions() {
        for block in function.get_basic_block_iter() {
            let calls: Vec<InstructionValue<'_>> = block
                .get_instructions()
                .filter(|&i| ir::called_name(i).is_some_and(|n| n.starts_with("llvm.instrprof.")))
                .collect();
            calls.into_iter().for_each(InstructionValue::erase_from_basic_block);
        }
    }
    // Lists name the records, so they go first: of what is used, and of functions that are not.
    for name in ["llvm.used", "llvm.compiler.used", "__llvm_coverage_names"] {
        if let Some(list) = module.get_global(name) {
            ir::delete_global(list);
        }
    }
    let doomed: Vec<GlobalValue<'_>> = module
        .get_globals()
        .filter(|g| {
            let name = g.get_name().to_bytes();
            name.starts_with(b"__covrec_")
                || name == b"__llvm_coverage_mapping"
                || name.starts_with(b"__profn_")
        })
        .collect();
    doomed.into_iter().for_each(ir::delete_global);
}

fn insert_probes<'c>(
    prober: &Prober<'_, 'c>,
    scan: &Scan<'c>,
    sites: &[(BranchId, Site<'c>)],
    jumps: &HashMap<BasicBlock<'c>, (BranchId, usize)>,
) -> Result<(), BuildError> {
    for &block in &scan.blocks {
        let Some(&(branch, when_true)) = jumps.get(&block) else { continue };
        let Some(jump) = block.get_terminator() else { continue };
        if let Some(BasicValueEnum::IntValue(condition)) = ir::operand(jump, 0) {
            prober.condition(jump, branch, condition, when_true == 1)?;
        }
    }
    for &(branch, site) in sites {
        match site {
            Site::Select { at, condition } => prober.condition(at, branch, condition, false)?,
            Site::Spread { entry, side } => {
                let verdicts = spread::spread(scan, entry, side).map(|s| s.verdicts).unwrap_or_default();
                for (jump, verdict) in verdicts {
                    prober.verdict(jump, branch, verdict)?;
                }
            }
            Site::Unevaluated { when_true, when_false } => {
                for (moment, outcome) in [(when_true, true), (when_false, false)] {
                    let at = match moment {
                        Some(Moment::Counter(update)) => Some(update),
                        Some(Moment::Region(index)) => decision(scan, sites[index].1),
                        Some(Moment::Unseen) | None => None,
                    };
                    if let Some(at) = at {
                        prober.outcome(at, branch, outcome)?;
                    }
                }
            }
            _ => {}
        }
    }
    for (number, switch) in scan.switches.iter().enumerate() {
        let mut cases = Vec::new();
        let mut default = None;
        for &(branch, site) in sites {
            match site {
                Site::Case { switch: s, destination } if s == number => {
                    let rows = switch.rows.iter().filter(|&&(_, _, to)| to == destination);
                    cases.extend(rows.map(|&(low, high, _)| (branch, low, high)));
                }
                Site::Default { switch: s } | Site::NoDefault { switch: s } if s == number => {
                    default = Some(branch)
                }
                _ => {}
            }
        }
        if !cases.is_empty() || default.is_some() {
            prober.switch(switch, &cases, default)?;
        }
    }
    Ok(())
}

/// The instruction in front of which a site is evaluated.
fn decision<'c>(scan: &Scan<'c>, site: Site<'c>) -> Option<InstructionValue<'c>> {
    match site {
        Site::Jump { block, .. } => block.get_terminator(),
        Site::Select { at, .. } => Some(at),
        Site::Spread { entry, side } => spread::spread(scan, entry, side)?.head.get_terminator(),
        Site::Case { switch, .. } | Site::Default { switch } | Site::NoDefault { switch } => {
            Some(scan.switches[switch].instruction)
        }
        Site::Unevaluated { .. } => None,
    }
}

/// Entry and targets of retreating edges: every cycle of the function passes one of them.
pub(crate) fn loop_heads(scan: &Scan<'_>) -> Vec<BlockId> {
    let index: HashMap<_, _> = scan.blocks.iter().enumerate().map(|(i, &b)| (b, i)).collect();
    let next: Vec<Vec<usize>> = scan
        .blocks
        .iter()
        .map(|b| {
            b.get_terminator().map_or_else(Vec::new, |t| ir::successors(t).iter().map(|s| index[s]).collect())
        })
        .collect();
    let mut heads = BTreeSet::from([0]);
    let mut state = vec![0u8; next.len()]; // 0 new, 1 on the path, 2 done
    let mut path = vec![(0usize, 0usize)];
    state[0] = 1;
    while let Some((block, edge)) = path.last_mut() {
        if let Some(&to) = next[*block].get(*edge) {
            *edge += 1;
            match state[to] {
                0 => {
                    state[to] = 1;
                    path.push((to, 0));
                }
                1 => {
                    heads.insert(to);
                }
                _ => {}
            }
        } else {
            state[*block] = 2;
            path.pop();
        }
    }
    heads.into_iter().map(|i| BlockId(i as u32)).collect()
}

/// Drops attributes that promise "no side effects" or "always returns": probes and ticks break the promise.
pub(crate) fn forget_promises(function: FunctionValue<'_>) {
    const PROMISES: [&str; 6] = ["memory", "willreturn", "nosync", "norecurse", "mustprogress", "nofree"];
    for name in PROMISES {
        function.remove_enum_attribute(AttributeLoc::Function, Attribute::get_named_enum_kind_id(name));
    }
    for block in function.get_basic_block_iter() {
        for call in block.get_instructions().filter(|i| i.get_opcode() == InstructionOpcode::Call) {
            let is_intrinsic = ir::called_name(call).is_some_and(|n| n.starts_with("llvm."));
            if let (false, Ok(site)) = (is_intrinsic, CallSiteValue::try_from(call)) {
                for name in PROMISES {
                    site.remove_enum_attribute(
                        AttributeLoc::Function,
                        Attribute::get_named_enum_kind_id(name),
                    );
                }
            }
        }
    }
}

/// The name clang's profile knows the function by: the string its counters refer to.
pub(crate) fn profile_name(function: FunctionValue<'_>) -> Option<Vec<u8>> {
    let update = function
        .get_basic_block_iter()
        .flat_map(BasicBlock::get_instructions)
        .find(|&i| ir::called_name(i).is_some_and(|n| n.starts_with("llvm.instrprof.increment")))?;
    let [ir::GlobalRef::Variable(name)] = ir::globals_in(ir::operand(update, 0)?)[..] else { return None };
    match name.get_initializer()? {
        BasicValueEnum::ArrayValue(text) => text.as_const_string().map(<[u8]>::to_vec),
        _ => None,
    }
}

pub(crate) fn name_hash(name: &[u8]) -> u64 {
    let digest = md5::compute(name).0;
    u64::from_le_bytes(digest[..8].try_into().expect("eight bytes"))
}

/// Reads the coverage mapping of all functions of a module, by the hash of their profile names.
pub(crate) fn read_mappings(module: &Module<'_>) -> Result<Mappings, BuildError> {
    let mut names = Vec::new();
    if let Some(BasicValueEnum::StructValue(record)) =
        module.get_global("__llvm_coverage_mapping").and_then(GlobalValue::get_initializer)
        && let Some(BasicValueEnum::ArrayValue(bytes)) = record.get_field_at_index(1)
    {
        names = covmap::read_file_names(bytes.as_const_string().unwrap_or_default())?;
    }
    let mut mappings = HashMap::new();
    for global in module.get_globals() {
        if !global.get_name().to_bytes().starts_with(b"__covrec_") {
            continue;
        }
        let Some(BasicValueEnum::StructValue(record)) = global.get_initializer() else { continue };
        let number = |i| match record.get_field_at_index(i) {
            Some(BasicValueEnum::IntValue(v)) => v.get_zero_extended_constant(),
            _ => None,
        };
        let (Some(name), Some(hash)) = (number(0), number(2)) else { continue };
        let Some(BasicValueEnum::ArrayValue(bytes)) = record.get_field_at_index(4) else { continue };
        // Functions that are declared but never emitted have a placeholder record with hash 0.
        if hash != 0 {
            let data = bytes.as_const_string().unwrap_or_default();
            mappings.insert(name, covmap::read_function(name, data, &names)?);
        }
    }
    Ok(mappings)
}
