//! The alternating variable method (Korel 1990; Harman & McMinn 2010; Kempka, McMinn & Sudholt 2015): search
//! one variable while the others stand still, then the next, until a whole round brings nothing.
//!
//! Beyond the papers, which treat integers and fixed-precision floats: a variable that helped is searched again
//! before the next; floats move in decimals and in ulps; pointers and lengths of objects are variables;
//! at a local optimum the program's constants, special floats, edits of texts, other targets of pointers and joint
//! moves are tried before a
//! restart.

use crate::alias::redirect_pointers;
use crate::dictionary::Dictionary;
use crate::line::{Line, Unit};
use crate::local::LocalSearch;
use crate::point::Point;
use crate::restart::{fresh, perturbed};
use crate::strings::{edit_texts, random_edits};
use crate::together::move_together;
use crate::{Engine, Oracle};
use input::{FloatKind, Input, Leaf, LeafKind, Var};
use std::ops::ControlFlow;

/// The engines `avm`, `avm-geometric` and `avm-lattice`.
#[derive(Clone, Copy, Debug)]
pub struct Avm {
    /// How one variable is searched.
    pub local_search: LocalSearch,
    /// Most evaluations spent on constants at one local optimum.
    pub jumps: usize,
    /// Most edits of texts and arrays tried at one local optimum.
    pub edits: usize,
    /// Most other targets of pointers tried at one local optimum.
    pub aliases: usize,
    /// Most pairs of variables moved together at one local optimum.
    pub pairs: usize,
    /// Share of restarts, of 256, that change the best input so far instead of starting afresh.
    pub perturbations: u8,
}

impl Avm {
    /// The default engine.
    pub const ITERATED_PATTERN: Avm = Avm {
        local_search: LocalSearch::IteratedPattern,
        jumps: 2000,
        edits: 1000,
        aliases: 256,
        pairs: 256,
        perturbations: 64,
    };
    /// With geometric search.
    pub const GEOMETRIC: Avm = Avm { local_search: LocalSearch::Geometric, ..Avm::ITERATED_PATTERN };
    /// With lattice search.
    pub const LATTICE: Avm = Avm { local_search: LocalSearch::Lattice, ..Avm::ITERATED_PATTERN };
}

impl Engine for Avm {
    fn name(&self) -> &'static str {
        match self.local_search {
            LocalSearch::IteratedPattern => "avm",
            LocalSearch::Geometric => "avm-geometric",
            LocalSearch::Lattice => "avm-lattice",
        }
    }

    fn summary(&self) -> &'static str {
        match self.local_search {
            LocalSearch::IteratedPattern => {
                "alternating variables with iterated pattern search; the search of hybrid"
            }
            LocalSearch::Geometric => "alternating variables with geometric (binary) search",
            LocalSearch::Lattice => "alternating variables with lattice (Fibonacci) search",
        }
    }

    fn parameters(&self) -> &'static [(&'static str, &'static str, &'static str)] {
        &[
            (
                "jumps",
                "2000",
                "most evaluations spent on program constants, and on leaps, at one local optimum",
            ),
            ("edits", "1000", "most edits of texts and arrays tried at one local optimum"),
            ("aliases", "256", "most other targets of pointers tried at one local optimum"),
            ("pairs", "256", "most pairs of variables moved together at one local optimum"),
            (
                "perturbations",
                "64",
                "restarts, of 256, that change the best input instead of starting afresh",
            ),
        ]
    }

    fn search(&self, oracle: &mut dyn Oracle, start: Input) -> ControlFlow<()> {
        let space = oracle.space().clone();
        let dictionary = Dictionary::of(oracle);
        let mut point = Point::new(oracle, &space, start)?;
        if point.vars().is_empty() {
            return ControlFlow::Continue(());
        }
        let mut best = (point.fitness, point.input.clone());
        loop {
            self.climb(&mut point, &dictionary)?;
            if point.fitness <= best.0 {
                best = (point.fitness, point.input.clone());
            }
            let rng = point.oracle.rng();
            let next = if rng.u8(..) < self.perturbations {
                perturbed(&space, rng, &best.1, &dictionary)
            } else {
                fresh(&space, rng, &dictionary)
            };
            point.restart(next)?;
        }
    }
}

impl Avm {
    /// To a point that no move improves.
    fn climb(&self, point: &mut Point<'_>, dictionary: &Dictionary) -> ControlFlow<()> {
        loop {
            self.alternate(point)?;
            let better = edit_texts(point, dictionary, self.edits)?
                || random_edits(point, dictionary, self.edits / 2)?
                || self.jump(point, &dictionary.near_constants)?
                || self.change_shape(point)?
                || move_together(point, self.local_search, self.pairs)?
                || self.leap(point)?;
            if !better {
                return ControlFlow::Continue(());
            }
        }
    }

    /// Variable after variable, staying where it helps, until a round without improvement.
    fn alternate(&self, point: &mut Point<'_>) -> ControlFlow<()> {
        let mut vars = point.vars();
        let (mut next, mut barren) = (0, 0);
        while barren < vars.len() {
            if self.search_variable(point, vars[next % vars.len()])? {
                barren = 0;
                vars = point.vars();
            } else {
                barren += 1;
                next += 1;
            }
        }
        ControlFlow::Continue(())
    }

    fn search_variable(&self, point: &mut Point<'_>, var: Var) -> ControlFlow<(), bool> {
        let leaf = point.leaf(var);
        match &leaf.kind {
            LeafKind::Int { .. } => ControlFlow::Continue(self.search_line(point, var, Unit::One)?.improved),
            LeafKind::Float(kind) => self.search_float(point, var, *kind),
            LeafKind::Enum { values, .. } => point.try_each(var, values.iter().map(|&v| leaf.clamp(v))),
            LeafKind::Bool => point.try_each(var, [leaf.clamp(0), leaf.clamp(1)]),
            LeafKind::Selector { members } => point.try_each(var, (0..*members).map(u128::from)),
            LeafKind::Pointer { .. } if !point.space.limits.ways.growth => ControlFlow::Continue(false),
            LeafKind::Pointer { .. } => point.try_other_pointer(var),
        }
    }

    fn search_line(&self, point: &mut Point<'_>, var: Var, unit: Unit) -> ControlFlow<(), Found> {
        let mut line = Line::through_cells(point, unit, &[(var, 1)]);
        self.local_search.minimise(&mut line)?;
        ControlFlow::Continue(Found { improved: line.improved(), flat: line.is_flat() })
    }

    /// From coarse to fine: whole numbers, powers of two, decimals while they help, single ulps.
    fn search_float(&self, point: &mut Point<'_>, var: Var, kind: FloatKind) -> ControlFlow<(), bool> {
        let whole = self.search_line(point, var, Unit::Decimals(kind, 0))?;
        let power = self.search_line(point, var, Unit::Ulps(kind, binade(kind)))?;
        let mut improved = whole.improved || power.improved;
        // A variable that makes no difference at all is not worth the finer steps.
        if !(whole.flat && power.flat) {
            let (mut decimals, mut barren) = (1, 0);
            while barren < 2 && decimals <= most_decimals(kind) {
                let found = self.search_line(point, var, Unit::Decimals(kind, decimals))?;
                barren = if found.improved { 0 } else { barren + 1 };
                improved |= found.improved;
                decimals += 1;
            }
            improved |= self.search_line(point, var, Unit::Ulps(kind, 1))?.improved;
        }
        ControlFlow::Continue(improved)
    }

    /// Values that no slope leads to: constants of the program, limits of the type, special floats, enums
    /// without a name.
    fn jump(&self, point: &mut Point<'_>, constants: &[i128]) -> ControlFlow<(), bool> {
        let mut vars = point.vars();
        if vars.len() * (constants.len() + 2) > self.jumps {
            point.oracle.rng().shuffle(&mut vars);
        }
        let mut left = self.jumps;
        for var in vars {
            let leaf = point.leaf(var);
            let values: Vec<u128> =
                remarkable(leaf, constants).filter(|&cell| leaf.allows(cell)).take(left).collect();
            left -= values.len();
            if point.try_each(var, values)? {
                return ControlFlow::Continue(true);
            }
        }
        ControlFlow::Continue(false)
    }

    /// Far away in one integer, where nothing near helps.
    fn leap(&self, point: &mut Point<'_>) -> ControlFlow<(), bool> {
        let mut left = self.jumps;
        for var in point.vars() {
            let leaf = point.leaf(var);
            let values: Vec<u128> =
                leaps(leaf, point.cell(var)).filter(|&cell| leaf.allows(cell)).take(left).collect();
            left -= values.len();
            if point.try_each(var, values)? {
                return ControlFlow::Continue(true);
            }
        }
        ControlFlow::Continue(false)
    }

    /// Longer and shorter arrays behind pointers.
    fn change_shape(&self, point: &mut Point<'_>) -> ControlFlow<(), bool> {
        ControlFlow::Continue(
            point.space.limits.ways.growth
                && (self.change_lengths(point)? || redirect_pointers(point, self.aliases)?),
        )
    }

    fn change_lengths(&self, point: &mut Point<'_>) -> ControlFlow<(), bool> {
        for object in point.space.roots.len() as u32..point.input.objects.len() as u32 {
            let mut line = Line::through_lengths(point, object);
            self.local_search.minimise(&mut line)?;
            if line.improved() {
                return ControlFlow::Continue(true);
            }
            let len = point.input.objects[object as usize].len;
            for other in [len * 2, len * 4, len / 2] {
                if point.try_shape(|input, space| input.resize(space, object, other))? {
                    return ControlFlow::Continue(true);
                }
            }
        }
        ControlFlow::Continue(false)
    }
}

/// What the search of one line brought.
struct Found {
    improved: bool,
    flat: bool,
}

fn remarkable<'l>(leaf: &'l Leaf, constants: &'l [i128]) -> Box<dyn Iterator<Item = u128> + 'l> {
    match &leaf.kind {
        LeafKind::Int { .. } => {
            let ends = [
                leaf.int_step(leaf.int_step(0, i128::MIN), i128::MIN),
                leaf.int_step(leaf.int_step(0, i128::MAX), i128::MAX),
            ];
            Box::new(constants.iter().map(|&c| leaf.clamp(c)).chain(ends))
        }
        LeafKind::Float(kind) => {
            let from_constants = constants.iter().map(|&c| leaf.float_cell(*kind, c as f64));
            Box::new(from_constants.chain(special_floats(leaf, *kind)))
        }
        LeafKind::Enum { values, .. } => {
            let beside = values.iter().flat_map(|&v| [v.saturating_sub(1), v.saturating_add(1)]);
            Box::new(beside.filter(|v| !values.contains(v)).map(|v| leaf.clamp(v)))
        }
        LeafKind::Bool | LeafKind::Selector { .. } | LeafKind::Pointer { .. } => Box::new(std::iter::empty()),
    }
}

/// Powers of two away from an integer, both ways: off a plateau whose width nobody knows, as of `x / 200 == 17`.
fn leaps(leaf: &Leaf, here: u128) -> impl Iterator<Item = u128> {
    let powers = if matches!(leaf.kind, LeafKind::Int { .. }) { 1..leaf.width.min(126) } else { 1..1 };
    powers.flat_map(move |k| [leaf.int_step(here, 1 << k), leaf.int_step(here, -(1 << k))])
}

/// NaN, infinities, zeros, the numbers next to them, and landmarks at every sixteenth power of ten: a double
/// does not notice a change below a 10^16th of it, so the distance to a huge number is flat near zero.
fn special_floats(leaf: &Leaf, kind: FloatKind) -> impl Iterator<Item = u128> {
    let cell = |value: f64| leaf.float_cell(kind, value);
    let [zero, infinity] = [cell(0.0), cell(f64::INFINITY)];
    let [minus_zero, minus_infinity] = [cell(-0.0), cell(f64::NEG_INFINITY)];
    let [least, greatest] = [leaf.ulp_step(kind, zero, 1), leaf.ulp_step(kind, infinity, -1)];
    let [minus_least, minus_greatest] =
        [leaf.ulp_step(kind, minus_zero, -1), leaf.ulp_step(kind, minus_infinity, 1)];
    let special = [cell(f64::NAN), infinity, minus_infinity, zero, minus_zero];
    let landmarks: Vec<u128> = (1..=most_landmarks(kind))
        .flat_map(|k| [10f64.powi(16 * k), -10f64.powi(16 * k)])
        .map(cell)
        .collect();
    special.into_iter().chain([least, greatest, minus_least, minus_greatest]).chain(landmarks)
}

fn most_landmarks(kind: FloatKind) -> i32 {
    if kind == FloatKind::F32 { 2 } else { 19 }
}

/// Ulps from one power of two to the next.
fn binade(kind: FloatKind) -> i128 {
    match kind {
        FloatKind::F32 => 1 << 23,
        FloatKind::F64 => 1 << 52,
        FloatKind::F80 => 1 << 63,
    }
}

fn most_decimals(kind: FloatKind) -> i32 {
    if kind == FloatKind::F32 { 7 } else { 17 }
}
