//! Programs and results by hand, and `make` over what is emitted for them.
#![allow(dead_code, missing_docs, unreachable_pub)]

use emit::{EmitJob, EmittedFile, Emitter, Unit};
use input::{Input, LeafKind, Pointer, Space, SpaceLimits, Var};
use model::{
    EnumValue, Field, FloatKind, Function, FunctionId, Global, GlobalId, Param, Position, Program,
    SourceFile, Span, Type, TypeId, TypeKind, testing,
};
use std::path::Path;
use std::process::Command;
use suite::{FunctionResult, TestCase};
use target::{Observation, Outcome, Seen};

#[derive(Default)]
pub struct Build {
    pub program: Program,
    pub results: Vec<FunctionResult>,
}

/// A test in the making.
pub struct Draft<'b> {
    pub space: &'b Space,
    pub input: Input,
    changes: Vec<(Var, Seen)>,
    freed: Vec<u32>,
}

impl Build {
    pub fn new() -> Build {
        let mut build = Build::default();
        build.program.files.push(SourceFile { path: "subject.c".into() });
        build
    }

    pub fn add(&mut self, kind: TypeKind, size: u64, name: Option<&str>) -> TypeId {
        self.program.types.push(Type { kind, size, align: size.clamp(1, 16), name: name.map(str::to_owned) })
    }

    pub fn int_of(&mut self, name: &str, bits: u16, signed: bool) -> TypeId {
        let character = bits == 8;
        self.add(TypeKind::Int { bits, signed, character }, u64::from(bits) / 8, Some(name))
    }

    pub fn int(&mut self) -> TypeId {
        self.int_of("int", 32, true)
    }

    pub fn void(&mut self) -> TypeId {
        self.add(TypeKind::Void, 0, None)
    }

    pub fn float(&mut self, kind: FloatKind) -> TypeId {
        let size = match kind {
            FloatKind::F32 => 4,
            FloatKind::F64 => 8,
            FloatKind::F80 => 16,
        };
        self.add(TypeKind::Float(kind), size, None)
    }

    pub fn pointer(&mut self, to: TypeId) -> TypeId {
        self.add(TypeKind::Pointer { to }, 8, None)
    }

    pub fn constant(&mut self, to: TypeId) -> TypeId {
        let size = self.program.types.size(to);
        self.add(TypeKind::Const { to }, size, None)
    }

    pub fn typedef(&mut self, to: TypeId, name: &str) -> TypeId {
        let size = self.program.types.size(to);
        self.add(TypeKind::Typedef { to }, size, Some(name))
    }

    pub fn array(&mut self, of: TypeId, len: u64) -> TypeId {
        let size = self.program.types.size(of) * len;
        self.add(TypeKind::Array { of, len: Some(len) }, size, None)
    }

    pub fn enumeration(&mut self, name: Option<&str>, values: &[(&str, i128)]) -> TypeId {
        let values = values.iter().map(|&(n, value)| EnumValue { name: n.to_owned(), value }).collect();
        self.add(TypeKind::Enum { bits: 32, signed: false, values }, 4, name)
    }

    /// Members `(name, type, bit offset, width of a bit-field)`; an empty name is anonymous.
    pub fn fields(&self, members: &[(&str, TypeId, u64, Option<u16>)]) -> Vec<Field> {
        let name = |n: &str| (!n.is_empty()).then(|| n.to_owned());
        members
            .iter()
            .map(|&(n, ty, bit_offset, bit_size)| Field { name: name(n), ty, bit_offset, bit_size })
            .collect()
    }

    pub fn structure(
        &mut self,
        name: Option<&str>,
        size: u64,
        members: &[(&str, TypeId, u64, Option<u16>)],
    ) -> TypeId {
        let fields = Some(self.fields(members));
        self.add(TypeKind::Struct { fields }, size, name)
    }

    pub fn union(&mut self, name: Option<&str>, size: u64, members: &[(&str, TypeId)]) -> TypeId {
        let members: Vec<_> = members.iter().map(|&(n, ty)| (n, ty, 0, None)).collect();
        let fields = Some(self.fields(&members));
        self.add(TypeKind::Union { fields }, size, name)
    }

    pub fn global(&mut self, name: &str, ty: TypeId) -> GlobalId {
        let (name, symbol) = (name.to_owned(), name.to_owned());
        self.program.globals.push(Global { name, symbol, ty, is_static: true, file: 0 });
        GlobalId(self.program.globals.len() as u32 - 1)
    }

    /// A function and an empty result for it.
    pub fn function(
        &mut self,
        name: &str,
        params: &[(&str, TypeId)],
        ret: TypeId,
        reads: &[GlobalId],
        writes: &[GlobalId],
    ) -> FunctionId {
        let param = |&(name, ty): &(&str, TypeId)| Param { name: name.to_owned(), ty, offset: 0 };
        let at = Position { line: 1, column: 1 };
        let function = FunctionId(self.program.functions.len() as u32);
        self.program.functions.push(Function {
            span: Span { file: 0, start: at, end: at },
            params: params.iter().map(param).collect(),
            ret,
            reads: reads.to_vec(),
            writes: writes.to_vec(),
            ..testing::function(name)
        });
        let f = self.program.function(function);
        let space = Space::new(&self.program, f, SpaceLimits::default(), &[]).ok();
        self.results.push(FunctionResult {
            function,
            space,
            goals: Vec::new(),
            tests: Vec::new(),
            findings: Vec::new(),
            assumed: Vec::new(),
            decisions: Vec::new(),
            obligations: Vec::new(),
            executions: 0,
            seconds: 0.0,
            seed: 0,
            curve: Vec::new(),
            unstable: Vec::new(),
            approximations: Vec::new(),
            exploration: None,
            sets: Vec::new(),
        });
        function
    }

    /// Adds a test: `prepare` fills in the input and says what changes, `result` is what is returned.
    pub fn test(
        &mut self,
        function: FunctionId,
        name: &str,
        outcome: Outcome,
        result: Vec<Seen>,
        prepare: impl FnOnce(&mut Draft),
    ) {
        let at = self.results.iter().position(|r| r.function == function).expect("function exists");
        let space = self.results[at].space.as_ref().expect("supported");
        let mut draft = Draft { space, input: Input::zero(space), changes: Vec::new(), freed: Vec::new() };
        prepare(&mut draft);
        let observation = draft.observation(result);
        let Draft { input, .. } = draft;
        let name = format!("{}_{name}", self.program.function(function).name);
        let test = TestCase {
            name,
            input,
            outcome,
            observation,
            covers: Vec::new(),
            purpose: Vec::new(),
            leaks: Vec::new(),
            undefined: None,
            calls: None,
        };
        self.results[at].tests.push(test);
    }

    pub fn job(&self, source: &Path) -> EmitJob<'_> {
        let path = source.to_str().expect("UTF-8").to_owned();
        let unit = Unit {
            file: 0,
            path,
            stem: "subject".into(),
            flags: Vec::new(),
            directory: String::new(),
            source: std::fs::read_to_string(source).ok(),
        };
        EmitJob { program: &self.program, results: &self.results, units: vec![unit] }
    }
}

impl Draft<'_> {
    /// The cell of root `root` at `path`.
    pub fn root(&self, root: &str, path: &str) -> Var {
        let object = self.space.roots.iter().position(|r| r.name == root).expect("root exists") as u32;
        self.at(object, 0, path)
    }

    /// The cell of an element of an object at `path`.
    pub fn at(&self, object: u32, element: u32, path: &str) -> Var {
        let leaves = &self.space.table(self.input.objects[object as usize].table).leaves;
        let is_wanted = |l: &input::Leaf| l.path == path && !matches!(l.kind, LeafKind::Selector { .. });
        let cell = leaves.iter().position(is_wanted).unwrap_or_else(|| panic!("no leaf {path}"));
        Var { object, cell: element * leaves.len() as u32 + cell as u32 }
    }

    pub fn set(&mut self, root: &str, path: &str, value: u128) {
        let var = self.root(root, path);
        *self.input.cell_mut(var) = value;
    }

    /// Chooses a member of the union at `path`.
    pub fn select(&mut self, root: &str, path: &str, member: u128) {
        let object = self.space.roots.iter().position(|r| r.name == root).expect("root exists") as u32;
        let leaves = &self.space.table(self.input.objects[object as usize].table).leaves;
        let is_wanted = |l: &input::Leaf| l.path == path && matches!(l.kind, LeafKind::Selector { .. });
        let cell = leaves.iter().position(is_wanted).expect("a union there") as u32;
        *self.input.cell_mut(Var { object, cell }) = member;
    }

    /// Makes a pointer lead to new elements; returns the object.
    pub fn point(&mut self, var: Var, len: u32) -> u32 {
        assert!(self.input.point_to_new(self.space, var, len));
        self.input.objects.len() as u32 - 1
    }

    pub fn point_at(&mut self, var: Var, object: u32, element: u32) {
        *self.input.cell_mut(var) = Pointer::Element { object, element }.encode();
    }

    /// Fills the single leaves of the elements of an object.
    pub fn fill(&mut self, object: u32, values: &[u128]) {
        self.input.objects[object as usize].cells.copy_from_slice(values);
    }

    pub fn changes(&mut self, var: Var, seen: Seen) {
        self.changes.push((var, seen));
    }

    pub fn frees(&mut self, objects: &[u32]) {
        self.freed.extend(objects);
    }

    fn observation(&self, result: Vec<Seen>) -> Observation {
        let unchanged = |var: Var| match self.input.leaf(self.space, var).kind {
            LeafKind::Pointer { .. } => match Pointer::decode(self.input.cell(var)) {
                Pointer::Null => Seen::Null,
                Pointer::Initial => Seen::Elsewhere,
                Pointer::Element { object, element } => Seen::Element { object, element },
            },
            _ => Seen::Bits(self.input.cell(var)),
        };
        let mut objects: Vec<Vec<Seen>> = Vec::new();
        for (object, o) in self.input.objects.iter().enumerate() {
            let cells = 0..o.cells.len() as u32;
            objects.push(cells.map(|cell| unchanged(Var { object: object as u32, cell })).collect());
        }
        for &(var, seen) in &self.changes {
            objects[var.object as usize][var.cell as usize] = seen;
        }
        Observation { result, objects, freed: self.freed.clone(), stdout: Some(Vec::new()) }
    }
}

/// A test whose run returned this and left all objects as they were.
#[allow(dead_code, reason = "not every test file has such tests")]
pub fn unchanged(space: &Space, name: String, input: Input, result: Vec<Seen>) -> TestCase {
    let objects = (0..input.objects.len()).map(|object| seen(space, &input, object)).collect();
    let observation = Observation { result, objects, freed: Vec::new(), stdout: Some(Vec::new()) };
    TestCase {
        name,
        input,
        outcome: Outcome::Returned,
        observation,
        covers: Vec::new(),
        purpose: Vec::new(),
        leaks: Vec::new(),
        undefined: None,
        calls: None,
    }
}

/// What a run sees of an object nobody changes.
pub fn seen(space: &Space, input: &Input, object: usize) -> Vec<Seen> {
    let leaves = &space.table(input.objects[object].table).leaves;
    let cells = input.objects[object].cells.iter().enumerate();
    cells
        .map(|(i, &cell)| match (&leaves[i % leaves.len()].kind, Pointer::decode(cell)) {
            (LeafKind::Pointer { .. }, Pointer::Null) => Seen::Null,
            (LeafKind::Pointer { .. }, Pointer::Element { object, element }) => {
                Seen::Element { object, element }
            }
            _ => Seen::Bits(cell),
        })
        .collect()
}

/// The result of returning the first element of an object: of unions only the first member is told.
pub fn returned(space: &Space, input: &Input, object: usize) -> Vec<Seen> {
    let leaves = &space.table(input.objects[object].table).leaves;
    let first =
        |i: usize| leaves[i].guard.is_none_or(|g| input.objects[object].cells[g.selector as usize] == 0);
    let seen = seen(space, input, object);
    (0..leaves.len()).map(|i| if first(i) { seen[i] } else { Seen::Unstable }).collect()
}

pub fn emitter(name: &str) -> &'static dyn Emitter {
    *emit::all().iter().find(|e| e.name() == name).expect("known emitter")
}

pub fn write_all(directory: &Path, files: &[EmittedFile]) {
    for file in files {
        let path = directory.join(&file.path);
        std::fs::create_dir_all(path.parent().expect("inside")).expect("folder");
        std::fs::write(path, &file.contents).expect("written");
    }
}

/// Runs make; returns whether it succeeded, and all it printed.
pub fn make(directory: &Path, arguments: &[&str]) -> (bool, String) {
    let mut command = Command::new("make");
    // What the caller's own build exports must not leak in.
    command.env_remove("CFLAGS").env_remove("MAKEFLAGS").env_remove("CC").env_remove("LDFLAGS");
    let output = command.arg("-C").arg(directory).args(arguments).output().expect("make runs");
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&text).into_owned())
}
