//! Subjects for the tests of this crate: spaces of small functions, and an oracle that computes fitness in Rust.

use crate::{Engine, Oracle};
use goal::Fitness;
use input::{Input, LeafKind, Object, Pointer, RangeRule, Rng, Space, SpaceLimits, Var, ordered_from_bits};
use model::{EnumValue, Field, FloatKind, Function, Param, Program, Type, TypeId, TypeKind, Types, testing};
use std::ops::ControlFlow;

/// A function to be searched: its parameters and nothing else.
pub(crate) struct Subject {
    pub(crate) types: Types,
    pub(crate) params: Vec<TypeId>,
    pub(crate) rules: Vec<RangeRule>,
}

impl Subject {
    pub(crate) fn new() -> Subject {
        Subject { types: Types::default(), params: Vec::new(), rules: Vec::new() }
    }

    /// `count` integer parameters.
    pub(crate) fn ints(bits: u16, signed: bool, count: usize) -> Subject {
        let mut subject = Subject::new();
        let ty = subject.int(bits, signed);
        subject.params = vec![ty; count];
        subject
    }

    /// `count` float parameters.
    pub(crate) fn floats(kind: FloatKind, count: usize) -> Subject {
        let mut subject = Subject::new();
        let ty = subject.add(TypeKind::Float(kind), if kind == FloatKind::F32 { 4 } else { 8 });
        subject.params = vec![ty; count];
        subject
    }

    pub(crate) fn add(&mut self, kind: TypeKind, size: u64) -> TypeId {
        self.types.push(Type { kind, size, align: 8, name: None })
    }

    pub(crate) fn int(&mut self, bits: u16, signed: bool) -> TypeId {
        self.add(TypeKind::Int { bits, signed, character: false }, u64::from(bits / 8))
    }

    pub(crate) fn pointer(&mut self, to: TypeId) -> TypeId {
        self.add(TypeKind::Pointer { to }, 8)
    }

    pub(crate) fn enumeration(&mut self, values: &[i128]) -> TypeId {
        let values = values.iter().map(|&value| EnumValue { name: format!("E{value}"), value }).collect();
        self.add(TypeKind::Enum { bits: 32, signed: true, values }, 4)
    }

    /// A struct or union (by `kind`) with these members.
    pub(crate) fn aggregate(
        &mut self,
        kind: fn(Option<Vec<Field>>) -> TypeKind,
        members: &[(TypeId, u64, Option<u16>)],
    ) -> TypeId {
        let field = |(i, &(ty, bit_offset, bit_size)): (usize, &(TypeId, u64, Option<u16>))| Field {
            name: Some(format!("m{i}")),
            ty,
            bit_offset,
            bit_size,
        };
        let fields = members.iter().enumerate().map(field).collect();
        self.add(kind(Some(fields)), 16)
    }

    /// A pointer to `struct node { short value; struct node *next; }`.
    pub(crate) fn list() -> Subject {
        let mut subject = Subject::new();
        let value = subject.int(16, true);
        let next = subject.pointer(TypeId(2));
        let members = [(value, 0, None), (next, 64, None)];
        assert_eq!(subject.aggregate(|fields| TypeKind::Struct { fields }, &members), TypeId(2));
        subject.params = vec![next];
        subject
    }

    /// All kinds of leaves, some of them restricted: a list twice, numbers of all widths, an enum, a union with a pointer
    /// in it.
    pub(crate) fn assorted() -> Subject {
        let mut subject = Subject::list();
        let list = subject.params[0];
        let numbers = [8, 64, 128].map(|bits| subject.int(bits, false));
        let single = subject.add(TypeKind::Float(FloatKind::F32), 4);
        let double = subject.add(TypeKind::Float(FloatKind::F64), 8);
        let truth = subject.add(TypeKind::Bool, 1);
        let colour = subject.enumeration(&[3, 1, 40]);
        let members = [(double, 0, None), (list, 0, None), (numbers[0], 0, None)];
        let union = subject.aggregate(|fields| TypeKind::Union { fields }, &members);
        let record = subject.aggregate(
            |fields| TypeKind::Struct { fields },
            &[(union, 0, None), (colour, 128, None), (numbers[0], 192, Some(3))],
        );
        let records = subject.pointer(record);
        subject.params = vec![list, list, single, double, truth, colour, union, records];
        subject.params.extend(numbers);
        let rule = |target: &str, min, max, exclude| {
            let target = target.to_owned();
            RangeRule { target, min: Some(min), max: Some(max), exclude }
        };
        subject.rules = vec![
            rule("p3", -5, 9, vec![0]),
            rule("p8", 10, 200, vec![11, 12]),
            rule("p9", -9, 7000, vec![0]),
        ];
        subject
    }

    pub(crate) fn space(&self) -> Space {
        let param = |(i, &ty): (usize, &TypeId)| Param { name: format!("p{i}"), ty, offset: 16 * i as u32 };
        let params = self.params.iter().enumerate().map(param).collect();
        let function = Function { params, ..testing::function("f") };
        let program = Program { types: self.types.clone(), ..Program::default() };
        Space::new(&program, &function, SpaceLimits { leaves: 4096, ..SpaceLimits::default() }, &self.rules)
            .expect("values can be made of every type")
    }
}

/// An input as an objective function reads it.
pub(crate) struct Values<'a> {
    pub(crate) space: &'a Space,
    pub(crate) input: &'a Input,
}

impl Values<'_> {
    /// Cell of a parameter.
    pub(crate) fn cell(&self, param: u32, cell: u32) -> u128 {
        self.input.cell(Var { object: param, cell })
    }

    /// Integer parameter.
    pub(crate) fn int(&self, param: u32) -> i128 {
        let var = Var { object: param, cell: 0 };
        self.input.leaf(self.space, var).int_value(self.input.cell(var))
    }

    /// `double` parameter.
    pub(crate) fn double(&self, param: u32) -> f64 {
        f64::from_bits(self.cell(param, 0) as u64)
    }

    /// What a pointer parameter leads to.
    pub(crate) fn pointee(&self, param: u32) -> Option<&Object> {
        match Pointer::decode(self.cell(param, 0)) {
            Pointer::Element { object, .. } => Some(&self.input.objects[object as usize]),
            Pointer::Null | Pointer::Initial => None,
        }
    }

    /// Distance of `param == value`.
    pub(crate) fn equal(&self, param: u32, value: i128) -> Fitness {
        at(0, self.int(param).abs_diff(value))
    }
}

/// Every value is one of its leaf, every pointer leads to something that is there and fits, and there is not too much.
pub(crate) fn assert_inside(space: &Space, input: &Input, who: &str) {
    for var in input.vars(space) {
        let (leaf, cell) = (input.leaf(space, var), input.cell(var));
        assert!(leaf.allows(cell), "{who}: {cell} in {leaf:?}");
        if let LeafKind::Pointer { .. } = leaf.kind
            && let Pointer::Element { object, element } = Pointer::decode(cell)
        {
            assert!(input.fits(space, leaf, object), "{who}: {input:?}");
            assert!(element <= input.objects[object as usize].len, "{who}: {input:?}");
        }
    }
    assert!(input.objects.len() - space.roots.len() <= space.limits.objects, "{who}");
    for Object { table, len, cells } in &input.objects {
        assert_eq!(space.table(*table).leaves.len() * *len as usize, cells.len(), "{who}");
        assert!(*len <= space.limits.elements, "{who}");
    }
}

pub(crate) fn at(level: u32, distance: u128) -> Fitness {
    Fitness { level, distance }
}

/// Distance of two doubles in ulps.
pub(crate) fn ulps(a: f64, b: f64) -> u128 {
    let place = |v: f64| ordered_from_bits(FloatKind::F64, u128::from(v.to_bits()));
    if a == b { 0 } else { place(a).abs_diff(place(b)) }
}

/// An oracle with a budget that writes everything down.
pub(crate) struct Bench<F> {
    pub(crate) space: Space,
    pub(crate) constants: Vec<i128>,
    pub(crate) strings: Vec<Vec<u8>>,
    pub(crate) evaluations: usize,
    pub(crate) log: Vec<Input>,
    pub(crate) reached: bool,
    rng: Rng,
    budget: usize,
    objective: F,
}

impl<F: Fn(&Values<'_>) -> Fitness> Bench<F> {
    pub(crate) fn new(subject: &Subject, seed: u64, budget: usize, objective: F) -> Bench<F> {
        let rng = Rng::with_seed(seed);
        let (constants, strings, log) = (Vec::new(), Vec::new(), Vec::new());
        Bench {
            space: subject.space(),
            constants,
            strings,
            evaluations: 0,
            log,
            reached: false,
            rng,
            budget,
            objective,
        }
    }

    /// Searches from the zero input. Says whether the goal was reached.
    pub(crate) fn run(&mut self, engine: &dyn Engine) -> bool {
        let start = Input::zero(&self.space);
        self.run_from(engine, start)
    }

    pub(crate) fn run_from(&mut self, engine: &dyn Engine, start: Input) -> bool {
        let _ = engine.search(self, start);
        self.reached
    }

    /// The values of the first parameters in every evaluation.
    pub(crate) fn trace<const N: usize>(&self) -> Vec<[i128; N]> {
        let values = |input| std::array::from_fn(|i| Values { space: &self.space, input }.int(i as u32));
        self.log.iter().map(values).collect()
    }
}

impl<F: Fn(&Values<'_>) -> Fitness> Oracle for Bench<F> {
    fn evaluate(&mut self, input: &Input) -> ControlFlow<(), Fitness> {
        self.evaluations += 1;
        self.log.push(input.clone());
        let fitness = (self.objective)(&Values { space: &self.space, input });
        self.reached = fitness == Fitness::COVERED;
        if self.reached || self.evaluations >= self.budget {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(fitness)
    }

    fn space(&self) -> &Space {
        &self.space
    }

    fn rng(&mut self) -> &mut Rng {
        &mut self.rng
    }

    fn constants(&self) -> &[i128] {
        &self.constants
    }

    fn strings(&self) -> &[Vec<u8>] {
        &self.strings
    }
}
