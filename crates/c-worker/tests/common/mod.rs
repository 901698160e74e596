//! Builds small targets by hand: C that follows the ABI, and the model that the front end would find.
#![allow(dead_code, unreachable_pub, reason = "every test file uses a part")]

use c_worker::{CTarget, Image, Isolation, Limits};
use input::{Input, Pointer, Space, SpaceLimits, Var};
use model::{Function, FunctionId, Global, GlobalId, Goal, Param, Program, Type, TypeId, TypeKind, testing};
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard};
use target::{Observation, Outcome, Seen, Target};
use tempfile::TempDir;
use wire::abi::Slot;

/// A process has one target at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// A program under construction.
pub struct Build {
    pub program: Program,
    pub int: TypeId,
    pub void: TypeId,
}

impl Build {
    pub fn new() -> Build {
        let mut program = Program { branch_count: 64, ..Program::default() };
        let kind = TypeKind::Int { bits: 32, signed: true, character: false };
        let int = program.types.push(Type { kind, size: 4, align: 4, name: Some("int".into()) });
        let void = program.types.push(Type { kind: TypeKind::Void, size: 0, align: 1, name: None });
        Build { program, int, void }
    }

    pub fn ty(&mut self, kind: TypeKind, size: u64) -> TypeId {
        self.program.types.push(Type { kind, size, align: size.clamp(1, 16), name: None })
    }

    pub fn pointer(&mut self, to: TypeId) -> TypeId {
        self.ty(TypeKind::Pointer { to }, 8)
    }

    pub fn array(&mut self, of: TypeId, len: u64) -> TypeId {
        let size = self.program.types.size(of) * len;
        self.ty(TypeKind::Array { of, len: Some(len) }, size)
    }

    pub fn global(&mut self, name: &str, ty: TypeId) -> GlobalId {
        let global = Global { name: name.into(), symbol: name.into(), ty, is_static: false, file: 0 };
        self.program.globals.push(global);
        GlobalId(self.program.globals.len() as u32 - 1)
    }

    /// A function whose parameters stand every 8 bytes, larger ones every 16.
    pub fn function(&mut self, name: &str, params: &[TypeId], ret: TypeId) -> &mut Function {
        let mut offset = 0;
        let params = params.iter().enumerate().map(|(i, &ty)| {
            let param = Param { name: format!("p{i}"), ty, offset };
            offset += self.program.types.size(ty).next_multiple_of(8) as u32;
            param
        });
        let params = params.collect();
        self.program.functions.push(Function { params, ret, ..testing::function(name) });
        self.program.functions.last_mut().unwrap()
    }

    /// `int name(int)` for each name.
    pub fn ints(mut self, names: &[&str]) -> Build {
        let int = self.int;
        for name in names {
            self.function(name, &[int], int);
        }
        self
    }

    /// Adds external calls to a function.
    pub fn calls(mut self, name: &str, externals: &[&str]) -> Build {
        let function = self.program.functions.iter_mut().find(|f| f.name == name).unwrap();
        function.externals = externals.iter().map(|e| (*e).to_owned()).collect();
        self
    }

    pub fn load(self, source: &str) -> Loaded {
        self.load_with(source, Isolation::InProcess, limits())
    }

    pub fn load_with(self, source: &str, isolation: Isolation, limits: Limits) -> Loaded {
        let alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let dir = TempDir::new().unwrap();
        let library = compile(dir.path(), source);
        let program = Arc::new(self.program);
        let image = Image::load(&library, program.clone()).unwrap();
        let target = CTarget::new(image, isolation, limits).unwrap();
        Loaded { target, program, space: None, dir, _alone: alone }
    }
}

pub fn limits() -> Limits {
    Limits { heap_bytes: 8 << 20, stack_bytes: 1 << 20, run_millis: 800, ..Limits::default() }
}

/// Compiles C with the ABI header before it into a shared object.
pub fn compile(dir: &Path, source: &str) -> PathBuf {
    let slots: String =
        Slot::ALL.iter().enumerate().map(|(i, slot)| format!("#define SLOT_{slot:?} {i}\n")).collect();
    let header = include_str!("abi.h");
    let text = format!("#define _GNU_SOURCE\n{slots}#define SLOT_COUNT {}\n{source}", Slot::COUNT);
    // System headers declare what the ABI header replaces by macros, so they come first.
    let text = text.replacen("#include \"abi.h\"", header, 1);
    assert!(text.contains("bw_runtime"), "the source does not include abi.h");
    let (file, library) = (dir.join("target.c"), dir.join("target.so"));
    std::fs::write(&file, text).unwrap();
    let status = Command::new("clang-19")
        .args(["-O1", "-g", "-shared", "-fPIC", "-fno-builtin", "-w"])
        .args(["-fno-omit-frame-pointer", "-mllvm", "-enable-shrink-wrap=false", "-o"])
        .args([&library, &file])
        .arg("-lm")
        .status()
        .expect("clang-19 is needed");
    assert!(status.success());
    library
}

/// A target ready to run.
pub struct Loaded {
    target: CTarget,
    pub program: Arc<Program>,
    space: Option<Space>,
    dir: TempDir,
    _alone: MutexGuard<'static, ()>,
}

impl Deref for Loaded {
    type Target = CTarget;
    fn deref(&self) -> &CTarget {
        &self.target
    }
}

impl DerefMut for Loaded {
    fn deref_mut(&mut self) -> &mut CTarget {
        &mut self.target
    }
}

impl Loaded {
    /// Selects a function; returns its zero input.
    pub fn choose(&mut self, name: &str) -> Input {
        let index = self.program.functions.iter().position(|f| f.name == name).unwrap();
        let function = &self.program.functions[index];
        let space = Space::new(&self.program, function, SpaceLimits::default(), &[]).unwrap();
        self.target.select(FunctionId(index as u32), &space);
        let input = Input::zero(&space);
        self.space = Some(space);
        input
    }

    /// The shared object.
    pub fn library(&self) -> PathBuf {
        self.dir.path().join("target.so")
    }

    pub fn space(&self) -> &Space {
        self.space.as_ref().unwrap()
    }

    /// Selects and runs an `int` function.
    pub fn run_ints(&mut self, name: &str, arguments: &[i32]) -> Outcome {
        let mut input = self.choose(name);
        set_ints(&mut input, arguments);
        self.run(&input)
    }

    /// Runs the selected `int` function again.
    pub fn again(&mut self, arguments: &[i32]) -> Outcome {
        let mut input = Input::zero(self.space());
        set_ints(&mut input, arguments);
        self.run(&input)
    }

    /// The `int` result of the last run.
    pub fn result(&mut self) -> i32 {
        match self.observe().result[..] {
            [Seen::Bits(bits)] => bits as u32 as i32,
            ref other => panic!("not one number: {other:?}"),
        }
    }

    /// Runs an `int` function that must return.
    pub fn value(&mut self, name: &str, arguments: &[i32]) -> i32 {
        assert_eq!(self.run_ints(name, arguments), Outcome::Returned, "{name}{arguments:?}");
        self.result()
    }

    pub fn distances(&self, branch: u32) -> [u128; 2] {
        let branch = model::BranchId(branch);
        [true, false].map(|outcome| self.distance(Goal { branch, outcome }))
    }
}

pub fn set_ints(input: &mut Input, arguments: &[i32]) {
    for (object, &argument) in arguments.iter().enumerate() {
        input.objects[object].cells[0] = u128::from(argument as u32);
    }
}

pub fn var(object: u32, cell: u32) -> Var {
    Var { object, cell }
}

pub fn element(object: u32, element: u32) -> u128 {
    Pointer::Element { object, element }.encode()
}

pub fn bits(seen: &[Seen]) -> Vec<u128> {
    seen.iter()
        .map(|s| match s {
            Seen::Bits(bits) => *bits,
            other => panic!("no number: {other:?}"),
        })
        .collect()
}

/// A run's whole story, to compare two ways of running.
pub fn story(target: &mut Loaded, input: &Input) -> (Outcome, Vec<(u32, [u128; 2])>, u64, Observation) {
    let outcome = target.run(input);
    let touched: Vec<u32> = target.touched().iter().map(|b| b.0).collect();
    let distances = touched.into_iter().map(|b| (b, target.distances(b))).collect();
    (outcome, distances, target.ticks(), target.observe())
}
