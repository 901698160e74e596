//! Making a test readable: small, round values and short arrays that still reach what the test is for.

use crate::{Candidate, Session};
use input::{FloatKind, Input, Leaf, LeafKind, Object, Pointer, Space, TableId, Var};
use model::{Goal, Recipe};
use target::Outcome;

/// Runs spent on one test.
const RUNS: u64 = 3000;

/// Characters tried in the place of others, the best known first.
const NICE_CHARACTERS: &[u8] = b"a0 A1_-./~!";
/// So many of them take the place of a character that is printable too.
const FAVOURITES: usize = 2;

/// Shrinks one test. The result reaches all of `purpose` with the same outcome.
pub(crate) fn shrink(
    session: &mut Session<'_>,
    space: &Space,
    test: &Candidate,
    purpose: &[Goal],
) -> Candidate {
    let mut run = |input: &Input| session.run(input);
    Shrinker { run: &mut run, space, purpose, best: test.clone(), left: RUNS }.shrink()
}

struct Shrinker<'a> {
    /// Runs an input. Returns its outcome and the goals it reached.
    run: &'a mut dyn FnMut(&Input) -> (Outcome, Vec<Goal>),
    space: &'a Space,
    purpose: &'a [Goal],
    best: Candidate,
    left: u64,
}

impl Shrinker<'_> {
    fn shrink(mut self) -> Candidate {
        // Each pass may free others; two are nearly always enough.
        for _ in 0..4 {
            let before = self.best.input.clone();
            self.shorten_arrays();
            self.shorten_texts();
            self.drop_calls();
            self.simplify_cells();
            if self.best.input == before || self.left == 0 {
                break;
            }
        }
        self.end_texts();
        self.best
    }

    /// Takes `input` if it is as good as the best.
    fn accept(&mut self, input: Input) -> bool {
        if self.left == 0 || input == self.best.input {
            return false;
        }
        self.left -= 1;
        let (outcome, covers) = (self.run)(&input);
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
            self.shorten_tail(object);
            let mut len = 1;
            while len < self.best.input.objects[object as usize].len {
                let mut input = self.best.input.clone();
                let is_string = is_string(&input, self.space, object);
                if input.resize(self.space, object, len) {
                    if is_string && let Some(end) = input.objects[object as usize].cells.last_mut() {
                        *end = 0;
                    }
                    if self.accept(input) {
                        break;
                    }
                }
                len += 1;
            }
            object += 1;
        }
    }

    /// Tries fewer elements in the array at the end of a structure.
    fn shorten_tail(&mut self, object: u32) {
        let present = self.best.input.objects[object as usize].table;
        let shorter: Vec<TableId> = self.space.lengths(present).take_while(|&id| id != present).collect();
        for table in shorter {
            let mut input = self.best.input.clone();
            if input.set_tail(self.space, object, table) && self.accept(input) {
                return;
            }
        }
    }

    /// Takes characters out of the middle of texts: half of them, a quarter, down to single ones.
    fn shorten_texts(&mut self) {
        let mut object = self.space.roots.len() as u32;
        while (object as usize) < self.best.input.objects.len() {
            let mut size = self.best.input.objects[object as usize].len as usize / 2;
            while size > 0 && is_text(&self.best.input, self.space, object) {
                let mut at = 0;
                while let Some(input) = without(&self.best.input, self.space, object, at, size) {
                    if !self.accept(input) {
                        at += size;
                    }
                }
                size /= 2;
            }
            object += 1;
        }
    }

    /// Leaves out calls by which an object is made, the last ones first: those before them may be why they matter.
    fn drop_calls(&mut self) {
        for object in self.space.roots.len() as u32..self.best.input.objects.len() as u32 {
            for index in (0..Recipe::MOST).rev() {
                if let Some(input) = without_call(&self.best.input, self.space, object, index) {
                    self.accept(input);
                }
            }
        }
    }

    /// A text of readable characters gets an end where that makes no difference: it is written as a string then.
    fn end_texts(&mut self) {
        for object in self.space.roots.len() as u32..self.best.input.objects.len() as u32 {
            let Object { len, cells, .. } = &self.best.input.objects[object as usize];
            let is_readable = cells.iter().all(|&cell| is_printable(cell));
            if is_readable && is_text(&self.best.input, self.space, object) {
                let mut input = self.best.input.clone();
                if input.lengthen(self.space, object, len + 1) {
                    self.accept(input);
                }
            }
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

    /// The value a reader expects: zero, what the program initialises a global with, or text in a stream, if that is
    /// allowed.
    fn home(&self, var: Var, leaf: &Leaf) -> u128 {
        let initial = self.space.roots.get(var.object as usize).and_then(|root| root.initial.as_ref());
        let table = self.space.table(self.best.input.objects[var.object as usize].table);
        let is_content =
            table.is_handle && leaf.path.trim_start_matches('.').starts_with(model::stream::CONTENT);
        let cell = if is_content && is_character(leaf) {
            Some(NICE_CHARACTERS[0].into())
        } else {
            initial.map(|cells| cells[var.cell as usize])
        };
        cell.filter(|&cell| leaf.allows(cell)).unwrap_or_else(|| leaf.zero())
    }

    fn simplify_int(&mut self, var: Var, leaf: &Leaf, home: u128) {
        if self.best.input.cell(var) == home || self.accept_cell(var, home) {
            return;
        }
        if is_character(leaf) && self.make_printable(var, leaf) {
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

    /// Puts the first of the characters that readers know best, as far as the goals hold. Says whether the character
    /// is printable now.
    fn make_printable(&mut self, var: Var, leaf: &Leaf) -> bool {
        let present = self.best.input.cell(var);
        let better = NICE_CHARACTERS.iter().map(|&byte| u128::from(byte)).take_while(|&cell| cell != present);
        // What is printable already has its reason.
        let tries = if is_printable(present) { FAVOURITES } else { NICE_CHARACTERS.len() };
        for cell in better.take(tries) {
            if leaf.allows(cell) && self.accept_cell(var, cell) {
                return true;
            }
        }
        is_printable(present)
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

/// Signed bytes are characters; unsigned ones are as often as not numbers.
fn is_character(leaf: &Leaf) -> bool {
    leaf.width == 8 && matches!(leaf.kind, LeafKind::Int { signed: true })
}

fn is_printable(cell: u128) -> bool {
    (u128::from(b' ')..=u128::from(b'~')).contains(&cell)
}

/// Whether an object is characters and nothing else, and all pointers to it lead to its beginning.
fn is_text(input: &Input, space: &Space, object: u32) -> bool {
    let [leaf] = &space.table(input.objects[object as usize].table).leaves[..] else { return false };
    let leads_inside = |var: Var| {
        matches!(input.leaf(space, var).kind, LeafKind::Pointer { .. })
            && matches!(Pointer::decode(input.cell(var)), Pointer::Element { object: to, element } if to == object && element > 0)
    };
    is_character(leaf) && !input.vars(space).any(leads_inside)
}

/// Whether an object is a text with an end.
fn is_string(input: &Input, space: &Space, object: u32) -> bool {
    is_text(input, space, object) && input.objects[object as usize].cells.last() == Some(&0)
}

/// The input without some characters of a text. Its last cell, perhaps its end, stays; `None` behind that.
fn without(input: &Input, space: &Space, object: u32, at: usize, size: usize) -> Option<Input> {
    let mut shorter = input.clone();
    let cells = &mut shorter.objects[object as usize].cells;
    let end = at + size;
    if end >= cells.len() {
        return None;
    }
    cells.copy_within(end.., at);
    let len = (cells.len() - size) as u32;
    shorter.resize(space, object, len).then_some(shorter)
}

/// An input where a call that makes an object is left out; `None` if there is none with this number.
fn without_call(input: &Input, space: &Space, object: u32, index: usize) -> Option<Input> {
    let table = space.table(input.objects.get(object as usize)?.table);
    let is_in = |leaf: &Leaf, path: &str| leaf.path.strip_prefix('.').is_some_and(|at| at.starts_with(path));
    let count = table.leaves.iter().position(|leaf| table.is_handle && is_in(leaf, Recipe::COUNT))?;
    let call = |number: usize| {
        let path = format!("{}[{number}].", Recipe::THEN);
        table.leaves.iter().enumerate().filter(move |(_, leaf)| is_in(leaf, &path)).map(|(cell, _)| cell)
    };
    let calls = (input.objects[object as usize].cells[count] as usize).min(Recipe::MOST);
    if index >= calls {
        return None;
    }
    let mut shorter = input.clone();
    let cells = &mut shorter.objects[object as usize].cells;
    for next in index + 1..calls {
        call(next - 1).zip(call(next)).for_each(|(to, from)| cells[to] = cells[from]);
    }
    cells[count] = calls as u128 - 1;
    Some(shorter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use input::SpaceLimits;
    use model::{BranchId, Function, Param, Program, Type, TypeKind, Types};

    const PURPOSE: Goal = Goal { branch: BranchId(0), outcome: true };

    /// `f(char *text)`, or of another kind of byte.
    fn text_space(signed: bool) -> Space {
        let mut types = Types::default();
        let mut add = |kind, size| types.push(Type { kind, size, align: 1, name: None });
        let letter = add(TypeKind::Int { bits: 8, signed, character: true }, 1);
        let pointer = add(TypeKind::Pointer { to: letter }, 8);
        let params = vec![Param { name: "text".to_owned(), ty: pointer, offset: 0 }];
        let function = Function { params, ..model::testing::function("f") };
        let program = Program { types, ..Program::default() };
        Space::new(&program, &function, SpaceLimits::default(), &[]).expect("pointers to bytes")
    }

    /// What is left of these bytes if the test is for inputs of which `holds` is true.
    fn shrunk(signed: bool, bytes: &[u8], holds: impl Fn(&[u8]) -> bool) -> Vec<u8> {
        let space = text_space(signed);
        let mut input = Input::zero(&space);
        input.point_to_new(&space, Var { object: 0, cell: 0 }, bytes.len() as u32);
        input.objects[1].cells = bytes.iter().map(|&byte| u128::from(byte)).collect();
        let mut run = |input: &Input| {
            let cells = input.objects.get(1).map(|object| &object.cells[..]);
            let bytes = cells.map(|cells| cells.iter().map(|&cell| cell as u8).collect::<Vec<u8>>());
            let reached = if bytes.is_some_and(|bytes| holds(&bytes)) { vec![PURPOSE] } else { Vec::new() };
            (Outcome::Returned, reached)
        };
        let best = Candidate { input, outcome: Outcome::Returned, covers: vec![PURPOSE] };
        let shrinker = Shrinker { run: &mut run, space: &space, purpose: &[PURPOSE], best, left: RUNS };
        shrinker.shrink().input.objects[1].cells.iter().map(|&cell| cell as u8).collect()
    }

    /// The string in the bytes; a text without an end holds for nothing.
    fn string(bytes: &[u8]) -> Option<&[u8]> {
        bytes.iter().position(|&byte| byte == 0).map(|end| &bytes[..end])
    }

    #[test]
    fn characters_become_those_that_readers_know() {
        let three = |bytes: &[u8]| string(bytes).is_some_and(|s| s.len() == 3 && s[1] == b',');
        assert_eq!(shrunk(true, b"\x03,\x9f\0", three), b"a,a\0");
        let digit = |bytes: &[u8]| string(bytes).is_some_and(|s| s.len() == 2 && s[1].is_ascii_digit());
        assert_eq!(shrunk(true, b"z7\0", digit), b"a0\0");
        let control = |bytes: &[u8]| string(bytes).is_some_and(|s| s.len() == 1 && s[0] < 9);
        assert_eq!(shrunk(true, b"\x07\0", control), b"\x01\0", "where nothing printable will do");
    }

    #[test]
    fn unsigned_bytes_stay_numbers() {
        assert_eq!(shrunk(false, b"\x9f\x03", |bytes| bytes.len() == 2 && bytes[0] > 0), b"\x01\0");
    }

    #[test]
    fn long_texts_lose_what_is_not_needed_and_keep_their_end() {
        let dots =
            |bytes: &[u8]| string(bytes).is_some_and(|s| s.iter().filter(|&&byte| byte == b'.').count() == 2);
        assert_eq!(shrunk(true, b"127.0001.xxxxxxxxxx\0", dots), b"..\0");
        assert_eq!(shrunk(true, b"key = value\0", |b| string(b).is_some_and(|s| s.contains(&b'='))), b"=\0");
    }

    #[test]
    fn a_readable_text_gets_an_end() {
        assert_eq!(shrunk(true, b"x", |bytes| bytes[0] == b'x'), b"x\0");
        assert_eq!(shrunk(true, b"x", |bytes| bytes == b"x"), b"x", "not where it matters");
    }
}
