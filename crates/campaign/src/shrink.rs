//! Making a test readable: small, round values and short arrays that still reach what the test is for.

use crate::{Candidate, Session};
use input::{FloatKind, Input, Leaf, LeafKind, Space, Var};
use model::Goal;

/// Runs spent on one test.
const RUNS: u64 = 3000;

/// Shrinks one test. The result reaches all of `purpose` with the same outcome.
pub(crate) fn shrink(
    session: &mut Session<'_>,
    space: &Space,
    test: &Candidate,
    purpose: &[Goal],
) -> Candidate {
    let mut shrinker = Shrinker { session, space, purpose, best: test.clone(), left: RUNS };
    // Each pass may free others; two are nearly always enough.
    for _ in 0..4 {
        let before = shrinker.best.input.clone();
        shrinker.shorten_arrays();
        shrinker.simplify_cells();
        if shrinker.best.input == before || shrinker.left == 0 {
            break;
        }
    }
    shrinker.best
}

struct Shrinker<'a, 's> {
    session: &'a mut Session<'s>,
    space: &'a Space,
    purpose: &'a [Goal],
    best: Candidate,
    left: u64,
}

impl Shrinker<'_, '_> {
    /// Takes `input` if it is as good as the best.
    fn accept(&mut self, input: Input) -> bool {
        if self.left == 0 || input == self.best.input {
            return false;
        }
        self.left -= 1;
        let (outcome, covers) = self.session.run(&input);
        let good =
            outcome == self.best.outcome && self.purpose.iter().all(|g| covers.binary_search(g).is_ok());
        if good {
            self.best = Candidate { input, outcome, covers };
        }
        good
    }

    fn accept_cell(&mut self, var: Var, cell: u128) -> bool {
        let mut input = self.best.input.clone();
        *input.cell_mut(var) = cell;
        self.accept(input)
    }

    fn shorten_arrays(&mut self) {
        let mut object = self.space.roots.len() as u32;
        while (object as usize) < self.best.input.objects.len() {
            let mut len = 1;
            while len < self.best.input.objects[object as usize].len {
                let mut input = self.best.input.clone();
                if input.resize(self.space, object, len) && self.accept(input) {
                    break;
                }
                len += 1;
            }
            object += 1;
        }
    }

    fn simplify_cells(&mut self) {
        let vars: Vec<Var> = self.best.input.vars(self.space).collect();
        for var in vars {
            let exists = self.best.input.objects.get(var.object as usize);
            if exists.is_none_or(|o| o.cells.len() <= var.cell as usize) {
                continue;
            }
            let leaf = self.best.input.leaf(self.space, var).clone();
            let home = self.home(var, &leaf);
            match leaf.kind {
                LeafKind::Pointer { .. } => {
                    let mut input = self.best.input.clone();
                    input.set_null(self.space, var);
                    self.accept(input);
                }
                LeafKind::Float(kind) => self.simplify_float(var, &leaf, kind, home),
                _ => self.simplify_int(var, &leaf, home),
            }
        }
    }

    /// The value a reader expects: zero, or what the program initialises a global with, if that is allowed.
    fn home(&self, var: Var, leaf: &Leaf) -> u128 {
        let initial = self.space.roots.get(var.object as usize).and_then(|root| root.initial.as_ref());
        let cell = initial.map(|cells| cells[var.cell as usize]);
        cell.filter(|&cell| leaf.allows(cell)).unwrap_or_else(|| leaf.zero())
    }

    fn simplify_int(&mut self, var: Var, leaf: &Leaf, home: u128) {
        if self.best.input.cell(var) == home || self.accept_cell(var, home) {
            return;
        }
        let value = leaf.int_value(self.best.input.cell(var));
        for nice in [0, 1, -1, 2, 3, 4, 5, 10, 100, 1000] {
            let cell = leaf.clamp(nice);
            if nice.unsigned_abs() < value.unsigned_abs()
                && leaf.int_value(cell) == nice
                && self.accept_cell(var, cell)
            {
                return;
            }
        }
        self.halve_int(var, leaf);
    }

    /// Walks towards zero by halving the rest, as long as the goals hold: ends next to a boundary.
    fn halve_int(&mut self, var: Var, leaf: &Leaf) {
        let mut step = leaf.int_value(self.best.input.cell(var)) / 2;
        while step != 0 {
            let value = leaf.int_value(self.best.input.cell(var));
            if value.unsigned_abs() < step.unsigned_abs() || !self.accept_cell(var, leaf.clamp(value - step))
            {
                step /= 2;
            }
        }
    }

    fn simplify_float(&mut self, var: Var, leaf: &Leaf, kind: FloatKind, home: u128) {
        if self.best.input.cell(var) == home || self.accept_cell(var, home) {
            return;
        }
        let value = leaf.float_value(kind, self.best.input.cell(var));
        let mut tries: Vec<f64> = vec![0.0, 1.0, -1.0, 2.0, -2.0, 0.5, 10.0, 100.0];
        if value.is_finite() {
            // Fewer and fewer digits would lose the goal; more and more find the shortest that keeps it.
            tries.extend([value.trunc(), value.round()]);
            tries.extend((0..6).map(|digits| format!("{value:.digits$e}").parse().unwrap_or(value)));
        }
        for nice in tries {
            let cell = leaf.float_cell(kind, nice);
            if self.best.input.cell(var) == cell || self.accept_cell(var, cell) {
                return;
            }
        }
    }
}
