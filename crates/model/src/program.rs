//! Functions, globals, branches and where they stand in the source.

use crate::cfg::{BlockId, Cfg};
use crate::dataflow::DataFlow;
use crate::decision::Decision;
use crate::recipe::Recipe;
use crate::rest::Rest;
use crate::types::{TypeId, TypeKind, Types};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Index of a function in [`Program::functions`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct FunctionId(pub u32);

/// Index of a global in [`Program::globals`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct GlobalId(pub u32);

/// Index of a branch, unique over the whole program: it is also the id that probes report.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct BranchId(pub u32);

/// Everything known about the program under test.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Program {
    /// All types.
    pub types: Types,
    /// Source files, the first ones as the user named them.
    pub files: Vec<SourceFile>,
    /// Functions with a body, in source order.
    pub functions: Vec<Function>,
    /// File-scope variables (statics included) of the program.
    pub globals: Vec<Global>,
    /// Number of branch ids in use: probes report ids below this.
    pub branch_count: u32,
    /// Functions and variables used but defined neither in the program nor in its libraries.
    pub undefined: Vec<String>,
    /// Those of them that are variables: zero in every run and in every test.
    pub undefined_variables: Vec<String>,
    /// What stands in for things that the surroundings of the program would define, unit by unit.
    pub stubs: Vec<Stub>,
    /// How objects of structures come about that units only declare.
    pub recipes: Vec<Recipe>,
    /// What callers of functions promise.
    pub contracts: Vec<Contract>,
    /// Every call that may enter a function of the program, by the block it stands in; a call through a pointer
    /// may enter every function whose address is taken and whose type fits. Empty if the front end does not say:
    /// then [`Function::calls`] is all that is known.
    pub call_sites: Vec<CallSite>,
}

/// Source text that takes the place of a function or variable which the program uses and does not define.
///
/// What such a function returns and writes comes from variables that are inputs like all others.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Stub {
    /// Name of the function or variable.
    pub name: String,
    /// The unit that it is for: index of its main file in [`Program::files`].
    pub file: u32,
    /// What must stand before the text of that unit; empty where nobody but the stub defines the name.
    pub before: String,
    /// The definition, to be compiled behind the text of that unit.
    pub text: String,
    /// Every name that the text defines, its own included.
    pub defines: Vec<String>,
    /// It stands in for nothing: pointers of inputs may lead to it.
    pub is_callback: bool,
}

/// What callers of a function promise: its precondition.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Contract {
    /// Whose.
    pub function: FunctionId,
    /// Takes the same arguments, and returns only if all clauses hold.
    pub guard: FunctionId,
    /// The blocks of the guard that return.
    pub accepts: Vec<BlockId>,
    /// What must hold, one after the other.
    pub clauses: Vec<Clause>,
    /// The number of the first clause: they are numbered throughout the program.
    pub first: u32,
    /// Name of a function that says whether all clauses hold.
    pub predicate: String,
    /// Its definition, to be compiled behind the text of the unit.
    pub text: String,
}

/// A part of a precondition.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Clause {
    /// In the user's words: `len <= cap`, or the call of a function.
    pub text: String,
    /// Where it is written: `branchwise.toml:4`, or the file of a function.
    pub place: String,
}

/// A call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct CallSite {
    /// The function that calls.
    pub caller: FunctionId,
    /// The block of it that does.
    pub block: BlockId,
    /// What is called.
    pub callee: FunctionId,
}

impl Program {
    /// How the argument for a parameter is made, if by calls.
    #[must_use]
    pub fn recipe(&self, function: &Function, param: u32) -> Option<&Recipe> {
        let (_, recipe) = function.made.iter().find(|(index, _)| *index == param)?;
        self.recipes.get(*recipe as usize)
    }

    /// A function by id.
    #[must_use]
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.0 as usize]
    }

    /// The precondition of a function.
    #[must_use]
    pub fn contract(&self, id: FunctionId) -> Option<&Contract> {
        self.contracts.iter().find(|contract| contract.function == id)
    }

    /// The clause with this number, and the function that it belongs to.
    #[must_use]
    pub fn clause(&self, number: u32) -> Option<(&Function, &Clause)> {
        self.contracts.iter().find_map(|contract| {
            let index = number.checked_sub(contract.first)?;
            let clause = contract.clauses.get(index as usize)?;
            Some((self.function(contract.function), clause))
        })
    }

    /// A global by id.
    #[must_use]
    pub fn global(&self, id: GlobalId) -> &Global {
        &self.globals[id.0 as usize]
    }
}

/// A file of source text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SourceFile {
    /// Path as the user or the compiler names it.
    pub path: String,
}

/// A point in a source file, both counted from 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
pub struct Position {
    /// Line.
    pub line: u32,
    /// Column in bytes.
    pub column: u32,
}

/// A range of source text in the file with index `file` of [`Program::files`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
pub struct Span {
    /// Index into [`Program::files`].
    pub file: u32,
    /// First character.
    pub start: Position,
    /// One past the last character.
    pub end: Position,
}

impl Span {
    /// Whether another one lies in it, or is the same.
    #[must_use]
    pub fn contains(&self, other: Span) -> bool {
        self.file == other.file && self.start <= other.start && other.end <= self.end
    }
}

/// A function under test.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Function {
    /// Name in the source.
    pub name: String,
    /// Name by which the back end finds it; unique in the program.
    pub symbol: String,
    /// Where the definition stands.
    pub span: Span,
    /// Not visible outside its file.
    pub is_static: bool,
    /// Takes `...`.
    pub variadic: bool,
    /// Parameters in order.
    pub params: Vec<Param>,
    /// Parameters that take what a recipe makes: their numbers, and those of the recipes in [`Program::recipes`].
    pub made: Vec<(u32, u32)>,
    /// Arguments behind `...`, or in a `va_list` among the parameters.
    pub rest: Option<Rest>,
    /// Result type.
    pub ret: TypeId,
    /// Branches in source order. Those with `counted` give a goal for each of their [`Branch::outcomes`].
    pub branches: Vec<Branch>,
    /// Decisions of more than one condition, in source order; empty unless they were asked for.
    pub decisions: Vec<Decision>,
    /// Decisions that no tests are made for, and why; empty unless decisions were asked for.
    pub left_out: Vec<LeftOut>,
    /// Control flow.
    pub cfg: Cfg,
    /// Data flow, if it was asked for.
    pub data: Option<DataFlow>,
    /// Globals that this function or its callees may read: inputs.
    pub reads: Vec<GlobalId>,
    /// Variables that this function or its callees may read and that are no inputs, by symbol: statics of functions, and what
    /// tests cannot name. What they hold in other runs is unknown.
    pub hidden: Vec<String>,
    /// Globals that this function or its callees may write: observed after a run.
    pub writes: Vec<GlobalId>,
    /// Functions of the program that it calls directly.
    pub calls: Vec<FunctionId>,
    /// External functions that it or its callees call, sorted.
    pub externals: Vec<String>,
    /// Functions with a stub that it or its callees call, sorted: what they do in earnest is unknown.
    pub stubs: Vec<String>,
    /// Why it cannot be called by the back end, if so.
    pub uncallable: Option<String>,
    /// Integer constants that it or its callees compare or compute with, sorted.
    pub constants: Vec<i128>,
    /// What it or its callees have pointers to, its own first: a `void *` may lead to any of these.
    pub pointees: Vec<TypeId>,
    /// String constants that it or its callees use, sorted, without their ends.
    pub strings: Vec<Vec<u8>>,
}

impl Function {
    /// A function that has its name and nothing else; its result is of the program's first type.
    #[must_use]
    pub fn named(name: &str) -> Function {
        Function {
            name: name.to_owned(),
            symbol: name.to_owned(),
            span: Span::default(),
            is_static: false,
            variadic: false,
            rest: None,
            params: Vec::new(),
            made: Vec::new(),
            ret: TypeId(0),
            branches: Vec::new(),
            cfg: Cfg::default(),
            data: None,
            decisions: Vec::new(),
            left_out: Vec::new(),
            reads: Vec::new(),
            hidden: Vec::new(),
            writes: Vec::new(),
            calls: Vec::new(),
            externals: Vec::new(),
            stubs: Vec::new(),
            uncallable: None,
            constants: Vec::new(),
            pointees: Vec::new(),
            strings: Vec::new(),
        }
    }

    /// Whether it or its callees allocate or free.
    #[must_use]
    pub fn uses_heap(&self) -> bool {
        const NAMES: [&str; 9] = [
            "aligned_alloc",
            "calloc",
            "free",
            "malloc",
            "memalign",
            "posix_memalign",
            "realloc",
            "strdup",
            "strndup",
        ];
        self.externals.iter().any(|name| NAMES.contains(&name.as_str()))
    }

    /// The goals of branch coverage: the outcomes of every counted branch, in source order.
    pub fn goals(&self) -> impl Iterator<Item = Goal> + '_ {
        self.branches
            .iter()
            .filter(|b| b.counted)
            .flat_map(|b| b.outcomes().iter().map(|&outcome| Goal { branch: b.id, outcome }))
    }

    /// Its decisions, those of a single condition too, in the order of the source.
    #[must_use]
    pub fn all_decisions(&self) -> Vec<Decision> {
        let conditions = self.branches.iter().filter(|b| b.counted && b.kind == BranchKind::Condition);
        let singles = conditions
            .filter(|branch| !self.decisions.iter().any(|d| d.conditions.contains(&branch.id)))
            .filter(|branch| !self.is_group(branch))
            .map(|branch| Decision::single(branch.id, branch.visible()));
        let mut all: Vec<Decision> = self.decisions.iter().cloned().chain(singles).collect();
        // Conditions that are no branches by themselves stand behind all others.
        all.sort_by_key(|decision| {
            let own = self.branches.iter().enumerate().filter(|(_, b)| decision.conditions.contains(&b.id));
            own.map(|(number, branch)| (branch.visible().start, number)).min()
        });
        all
    }

    /// Whether a branch is what `&` and `|` make of conditions that are told apart: the decision they belong to, or a part of it.
    #[must_use]
    pub fn is_group(&self, branch: &Branch) -> bool {
        let group = branch.visible();
        let has = |decision: &Decision| {
            let mut own = decision.conditions.iter().filter_map(|&id| self.branch(id));
            decision.span.contains(group)
                && own.any(|condition| condition.id != branch.id && group.contains(condition.visible()))
        };
        self.decisions.iter().filter(|decision| decision.shape.is_bitwise()).any(has)
    }

    /// The vectors of its decisions.
    pub fn vectors(&self) -> impl Iterator<Item = Goal> + '_ {
        self.decisions.iter().flat_map(|decision| decision.vectors()).map(|(goal, _)| goal)
    }

    /// Comparisons whose operands are as near as can be to where they turn out otherwise; not part of branch coverage.
    pub fn boundaries(&self) -> impl Iterator<Item = Goal> + '_ {
        let near = self.branches.iter().filter(|b| b.kind == BranchKind::Boundary);
        near.map(|b| Goal { branch: b.id, outcome: true })
    }

    /// Whatever its tests are for: branch outcomes, vectors of decisions, boundaries.
    pub fn aims(&self) -> impl Iterator<Item = Goal> + '_ {
        self.goals().chain(self.vectors()).chain(self.boundaries())
    }

    /// The errors that its code looks for, in source order; not part of branch coverage.
    pub fn error_goals(&self) -> impl Iterator<Item = Goal> + '_ {
        let checks = self.branches.iter().filter(|b| b.kind == BranchKind::Check);
        checks.map(|b| Goal { branch: b.id, outcome: true })
    }

    /// Whether a pointer to a function of type `ty` may lead to it.
    #[must_use]
    pub fn has_type(&self, types: &Types, ty: TypeId) -> bool {
        let TypeKind::Function { ret, params, variadic } = &types.resolved(ty).kind else { return false };
        let same = |(a, b): (&Param, &TypeId)| types.are_same(a.ty, *b);
        *variadic == self.variadic
            && params.len() == self.params.len()
            && types.are_same(*ret, self.ret)
            && self.params.iter().zip(params).all(same)
    }

    /// The branch with this id, if it belongs to this function.
    #[must_use]
    pub fn branch(&self, id: BranchId) -> Option<&Branch> {
        self.branches.iter().find(|b| b.id == id)
    }
}

/// A decision that no tests are made for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LeftOut {
    /// Where it stands.
    pub span: Span,
    /// Why, in a few words.
    pub reason: String,
}

/// A formal parameter.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Param {
    /// Its name; made up if the source has none.
    pub name: String,
    /// Its type (arrays already decayed).
    pub ty: TypeId,
    /// Where the back end expects it in the block of arguments, in bytes.
    pub offset: u32,
}

/// A file-scope variable.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Global {
    /// Name in the source.
    pub name: String,
    /// Name by which the back end finds it.
    pub symbol: String,
    /// Its type.
    pub ty: TypeId,
    /// Not visible outside its file.
    pub is_static: bool,
    /// Main file of the unit that defines it, index into [`Program::files`].
    pub file: u32,
}

/// What makes a branch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum BranchKind {
    /// A condition: of `if`, a loop, `?:`, or an operand of `&&`/`||`.
    Condition,
    /// A `case` label: true when the switch jumps to it.
    Case,
    /// The `default` label.
    Default,
    /// A switch without `default`: true when no case matches.
    NoDefault,
    /// A place that a switch leads to, by one label or several: true when it does. That it does not is no goal: then it leads to another.
    Target,
    /// In the source but not decided at run time: the operand of a `sizeof`, or folded by the compiler.
    Unevaluated,
    /// A check for an error, never counted: true when it fails.
    Check,
    /// A condition of a decision after all that was decided before it, see [`crate::decision`]; never counted.
    Node,
    /// One side of a comparison of integers, never counted: true when that side is taken as narrowly as can be.
    Boundary,
}

/// Errors that the code can be made to look for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[repr(u32)]
pub enum Check {
    /// A division by zero.
    DivisionByZero,
    /// A signed result that its type does not hold.
    SignedOverflow,
    /// A shift by a negative number or by the width of the type or more.
    Shift,
    /// An index outside of its array.
    Bounds,
    /// A null pointer that is followed.
    Null,
    /// Code that the program declares unreachable.
    Unreachable,
    /// An array of no or negative length.
    ArrayLength,
    /// An argument that a built-in function or one of the library does not take.
    Builtin,
    /// Another one.
    Other,
}

impl Check {
    /// All of them, by number.
    pub const ALL: [Check; 9] = [
        Check::DivisionByZero,
        Check::SignedOverflow,
        Check::Shift,
        Check::Bounds,
        Check::Null,
        Check::Unreachable,
        Check::ArrayLength,
        Check::Builtin,
        Check::Other,
    ];

    /// The check with this number.
    #[must_use]
    pub fn numbered(number: u32) -> Check {
        Check::ALL.get(number as usize).copied().unwrap_or(Check::Other)
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Check::DivisionByZero => "division by zero",
            Check::SignedOverflow => "signed overflow",
            Check::Shift => "shift out of range",
            Check::Bounds => "index out of bounds",
            Check::Null => "null pointer followed",
            Check::Unreachable => "code declared unreachable was reached",
            Check::ArrayLength => "array of no or negative length",
            Check::Builtin => "argument that the called function does not allow",
            Check::Other => "undefined behaviour",
        })
    }
}

/// A place where control can go two ways.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Branch {
    /// Id that the probes report.
    pub id: BranchId,
    /// What makes it.
    pub kind: BranchKind,
    /// Source text of the condition or label; inside a macro, the text in the macro's definition.
    pub span: Span,
    /// Where the outermost macro expansion stands, if the condition comes from a macro.
    pub expansion: Option<Span>,
    /// Block that evaluates it.
    pub block: BlockId,
    /// Whether coverage counts it. Branches the compiler added are watched for guidance only.
    pub counted: bool,
}

impl Branch {
    /// The outcomes that are goals, if it is counted.
    #[must_use]
    pub fn outcomes(&self) -> &'static [bool] {
        if self.kind == BranchKind::Target { &[true] } else { &[true, false] }
    }

    /// Where a reader of the function sees it.
    #[must_use]
    pub fn visible(&self) -> Span {
        self.expansion.unwrap_or(self.span)
    }
}

/// One outcome of one branch.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Goal {
    /// The branch.
    pub branch: BranchId,
    /// The wanted outcome.
    pub outcome: bool,
}

impl Goal {
    /// Index into tables with two entries a branch.
    #[must_use]
    pub fn index(self) -> usize {
        self.branch.0 as usize * 2 + usize::from(!self.outcome)
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}
