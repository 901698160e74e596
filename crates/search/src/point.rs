//! Where a local search stands, and single changes that are kept only when they help.

use crate::Oracle;
use goal::Fitness;
use input::{Input, Leaf, Space, Var};
use std::ops::ControlFlow;

/// Changes of one kind that are tried although none makes a difference.
const PATIENCE: usize = 100;

/// The best input of the present climb with its fitness.
pub(crate) struct Point<'a> {
    pub(crate) oracle: &'a mut dyn Oracle,
    pub(crate) space: &'a Space,
    pub(crate) input: Input,
    pub(crate) fitness: Fitness,
}

impl<'a> Point<'a> {
    /// Evaluates the first input.
    pub(crate) fn new(
        oracle: &'a mut dyn Oracle,
        space: &'a Space,
        start: Input,
    ) -> ControlFlow<(), Point<'a>> {
        let fitness = oracle.evaluate(&start)?;
        ControlFlow::Continue(Point { oracle, space, input: start, fitness })
    }

    /// Gives up the present input for another, better or not.
    pub(crate) fn restart(&mut self, input: Input) -> ControlFlow<()> {
        self.fitness = self.oracle.evaluate(&input)?;
        self.input = input;
        ControlFlow::Continue(())
    }

    /// The variables of the present input that matter; pointers and union selectors make them come and go.
    pub(crate) fn vars(&self) -> Vec<Var> {
        variables(self.oracle, self.space, &self.input)
    }

    pub(crate) fn leaf(&self, var: Var) -> &'a Leaf {
        self.input.leaf(self.space, var)
    }

    pub(crate) fn cell(&self, var: Var) -> u128 {
        self.input.cell(var)
    }

    /// Evaluates the input with other values in some cells and keeps them if that is strictly better. What
    /// changes nothing is not evaluated.
    pub(crate) fn try_cells<const N: usize>(&mut self, changes: [(Var, u128); N]) -> ControlFlow<(), bool> {
        let before = changes.map(|(var, _)| (var, self.cell(var)));
        if before == changes {
            return ControlFlow::Continue(false);
        }
        self.set(changes);
        let fitness = self.oracle.evaluate(&self.input)?;
        let better = fitness < self.fitness;
        if better {
            self.fitness = fitness;
        } else {
            self.set(before);
        }
        ControlFlow::Continue(better)
    }

    fn set<const N: usize>(&mut self, changes: [(Var, u128); N]) {
        for (var, cell) in changes {
            *self.input.cell_mut(var) = cell;
        }
    }

    /// One cell of [`Point::try_cells`].
    pub(crate) fn try_cell(&mut self, var: Var, cell: u128) -> ControlFlow<(), bool> {
        self.try_cells([(var, cell)])
    }

    /// Tries the given values in order until one is strictly better.
    pub(crate) fn try_each(
        &mut self,
        var: Var,
        values: impl IntoIterator<Item = u128>,
    ) -> ControlFlow<(), bool> {
        for cell in values {
            if self.try_cell(var, cell)? {
                return ControlFlow::Continue(true);
            }
        }
        ControlFlow::Continue(false)
    }

    /// Evaluates a changed copy and keeps it if strictly better. `change` says whether it did anything.
    pub(crate) fn try_shape(
        &mut self,
        change: impl FnOnce(&mut Input, &Space) -> bool,
    ) -> ControlFlow<(), bool> {
        let mut changed = self.input.clone();
        if !change(&mut changed, self.space) {
            return ControlFlow::Continue(false);
        }
        let fitness = self.oracle.evaluate(&changed)?;
        let better = fitness < self.fitness;
        if better {
            (self.input, self.fitness) = (changed, fitness);
        }
        ControlFlow::Continue(better)
    }

    /// Tries changes in order until one is strictly better; not all of them if the first ones make no difference whatever:
    /// then nothing of the kind is looked at.
    pub(crate) fn try_shapes<C: FnOnce(&mut Input, &Space) -> bool>(
        &mut self,
        changes: impl IntoIterator<Item = C>,
    ) -> ControlFlow<(), bool> {
        let mut without_difference = 0;
        for change in changes {
            let mut changed = self.input.clone();
            if !change(&mut changed, self.space) {
                continue;
            }
            let fitness = self.oracle.evaluate(&changed)?;
            if fitness < self.fitness {
                (self.input, self.fitness) = (changed, fitness);
                return ControlFlow::Continue(true);
            }
            if fitness != self.fitness {
                without_difference = usize::MAX;
            }
            without_difference = without_difference.saturating_add(1);
            if without_difference == PATIENCE {
                break;
            }
        }
        ControlFlow::Continue(false)
    }

    /// Null becomes a pointer to one new element, anything else becomes null.
    pub(crate) fn try_other_pointer(&mut self, var: Var) -> ControlFlow<(), bool> {
        self.try_shape(|input, space| flip_pointer(input, space, var, 1))
    }
}

/// The variables of an input that matter to the goal.
pub(crate) fn variables(oracle: &dyn Oracle, space: &Space, input: &Input) -> Vec<Var> {
    let all: Vec<Var> = input.vars(space).collect();
    let mut first_cells = Vec::with_capacity(input.objects.len());
    let mut cells = 0;
    for object in &input.objects {
        first_cells.push(cells);
        cells += object.cells.len() as u32;
    }
    let number = |var: &Var| first_cells[var.object as usize] + var.cell;
    let those: Vec<Var> = all.iter().copied().filter(|var| oracle.matters(number(var))).collect();
    // What is known to matter may belong to another shape.
    if those.is_empty() { all } else { those }
}

/// Null becomes a pointer to `len` new elements, anything else becomes null. Says whether it could.
pub(crate) fn flip_pointer(input: &mut Input, space: &Space, var: Var, len: u32) -> bool {
    if input.cell(var) == 0 {
        return input.point_to_new(space, var, len);
    }
    input.set_null(space, var);
    true
}
