//! Clang's coverage mapping: the list of branch regions that llvm-cov will count.
//!
//! Goals must be exactly what the judge counts, so they are read from the same records. The format is
//! described in LLVM's `CoverageMappingFormat.rst`; this reads version 7 (`6` in the header) as LLVM 19 writes
//! it, with file names not compressed.

use model::Position;

/// A counter: how often a piece of code ran, measured or derived.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Counter {
    /// Always 0.
    Zero,
    /// The profile counter with this index.
    Physical(u32),
    /// Difference or sum of two counters: index into [`FunctionMapping::expressions`].
    Expression(u32),
}

/// `left - right` or `left + right`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Expression {
    /// Addition rather than subtraction.
    pub adds: bool,
    /// First operand.
    pub left: Counter,
    /// Second operand.
    pub right: Counter,
}

/// A condition or a case label as the coverage tools see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BranchRegion {
    /// Index into [`FunctionMapping::files`].
    pub file: u32,
    /// Where it starts.
    pub start: Position,
    /// Where it ends.
    pub end: Position,
    /// How often it was true.
    pub when_true: Counter,
    /// How often it was false.
    pub when_false: Counter,
    /// Its place in a decision, if it has one.
    pub place: Option<ConditionPlace>,
}

/// A condition that the compiler folded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FoldedRegion {
    /// Where it stands; its counters are both zero.
    pub region: BranchRegion,
    /// Its value, once it is known: the mapping does not say.
    pub value: Option<bool>,
}

/// The place of a condition in a decision. Conditions of a decision are numbered from 1; 0 is its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConditionPlace {
    /// Its number.
    pub id: u32,
    /// What is evaluated next when it is true.
    pub when_true: u32,
    /// What is evaluated next when it is false.
    pub when_false: u32,
}

/// A decision of more than one condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DecisionRegion {
    /// Index into [`FunctionMapping::files`].
    pub file: u32,
    /// Where it starts.
    pub start: Position,
    /// Where it ends.
    pub end: Position,
    /// Number of its conditions.
    pub conditions: u32,
}

/// A file of a function's mapping: a real one, or the text of a macro expansion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MappedFile {
    /// Path.
    pub path: String,
    /// For a macro expansion: the file (index) and place that expands it.
    pub expanded_at: Option<(u32, Position, Position)>,
}

/// The mapping of one function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionMapping {
    /// MD5 prefix of the function's profile name.
    pub name_hash: u64,
    /// The files its regions are in.
    pub files: Vec<MappedFile>,
    /// Derived counters.
    pub expressions: Vec<Expression>,
    /// Branch regions in record order; those the compiler folded are left out, as llvm-cov does.
    pub branches: Vec<BranchRegion>,
    /// Conditions that the compiler folded: they always have the same value, and no counter.
    pub folded: Vec<FoldedRegion>,
    /// Decisions, if clang was asked for them.
    pub decisions: Vec<DecisionRegion>,
    /// The function's body, braces included: file, start, end.
    pub body: Option<(u32, Position, Position)>,
}

/// The record could not be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("clang's coverage mapping has an unexpected form ({0})")]
pub struct MappingError(&'static str);

/// Reads the list of file names of a translation unit (contents of `__llvm_coverage_mapping`).
///
/// # Errors
/// When the data are not of the known form.
pub fn read_file_names(data: &[u8]) -> Result<Vec<String>, MappingError> {
    let mut cursor = Cursor { data };
    let count = cursor.number()?;
    let _uncompressed = cursor.number()?;
    if cursor.number()? != 0 {
        return Err(MappingError("compressed file names"));
    }
    let mut names = Vec::new();
    for _ in 0..count {
        let length = cursor.number()? as usize;
        names.push(String::from_utf8_lossy(cursor.take(length)?).into_owned());
    }
    // The first name is the compilation directory; relative ones are relative to it.
    let Some(directory) = names.first().cloned() else { return Ok(names) };
    for name in names.iter_mut().skip(1) {
        if !name.starts_with('/') {
            *name = format!("{directory}/{name}");
        }
    }
    Ok(names)
}

/// Reads one function's record (the encoded part of `__covrec_…`).
///
/// # Errors
/// When the data are not of the known form.
pub fn read_function(name_hash: u64, data: &[u8], names: &[String]) -> Result<FunctionMapping, MappingError> {
    let mut cursor = Cursor { data };
    let mut files = Vec::new();
    for _ in 0..cursor.number()? {
        let name = names.get(cursor.number()? as usize).ok_or(MappingError("file index"))?;
        files.push(MappedFile { path: name.clone(), expanded_at: None });
    }
    let mut operands = Vec::new();
    for _ in 0..cursor.number()? {
        operands.push((cursor.number()?, cursor.number()?));
    }
    // Whether an expression adds or subtracts is told by its users, not by itself.
    let mut adds = vec![false; operands.len()];
    for &(left, right) in &operands {
        note_kind(left, &mut adds);
        note_kind(right, &mut adds);
    }
    let mut mapping = FunctionMapping {
        name_hash,
        files,
        expressions: Vec::new(),
        branches: Vec::new(),
        folded: Vec::new(),
        decisions: Vec::new(),
        body: None,
    };
    for file in 0..mapping.files.len() as u32 {
        let mut line = 0;
        for _ in 0..cursor.number()? {
            cursor.region(file, &mut line, &mut adds, &mut mapping)?;
        }
    }
    mapping.expressions = operands
        .iter()
        .zip(&adds)
        .map(|(&(left, right), &adds)| Expression { adds, left: counter(left), right: counter(right) })
        .collect();
    Ok(mapping)
}

const TAG_ADD: u64 = 3;
const BRANCH: u64 = 4;
const MCDC_DECISION: u64 = 5;
const MCDC_BRANCH: u64 = 6;

fn counter(encoded: u64) -> Counter {
    let value = (encoded >> 2) as u32;
    match encoded & 3 {
        0 => Counter::Zero,
        1 => Counter::Physical(value),
        _ => Counter::Expression(value),
    }
}

fn note_kind(encoded: u64, adds: &mut [bool]) {
    if encoded & 3 == TAG_ADD
        && let Some(kind) = adds.get_mut((encoded >> 2) as usize)
    {
        *kind = true;
    }
}

struct Cursor<'a> {
    data: &'a [u8],
}

impl<'a> Cursor<'a> {
    /// An unsigned LEB128 number.
    fn number(&mut self) -> Result<u64, MappingError> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.data.split_first().ok_or(MappingError("end of data"))?;
            self.data = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(MappingError("number too long"))
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], MappingError> {
        let (taken, rest) = self.data.split_at_checked(length).ok_or(MappingError("end of data"))?;
        self.data = rest;
        Ok(taken)
    }

    fn counter(&mut self, adds: &mut [bool]) -> Result<Counter, MappingError> {
        let encoded = self.number()?;
        note_kind(encoded, adds);
        Ok(counter(encoded))
    }

    fn region(
        &mut self,
        file: u32,
        line: &mut u32,
        adds: &mut [bool],
        mapping: &mut FunctionMapping,
    ) -> Result<(), MappingError> {
        let header = self.number()?;
        let mut branch = None;
        let mut place = None;
        let mut conditions = None;
        let mut expanded_file = None;
        let mut is_code = false;
        if header & 3 != 0 {
            note_kind(header, adds);
            is_code = true;
        } else if header & 4 != 0 {
            expanded_file = Some((header >> 3) as usize);
        } else {
            match header >> 3 {
                BRANCH => branch = Some((self.counter(adds)?, self.counter(adds)?)),
                MCDC_BRANCH => {
                    branch = Some((self.counter(adds)?, self.counter(adds)?));
                    let [id, when_true, when_false] =
                        [self.number()? as u32, self.number()? as u32, self.number()? as u32];
                    place = Some(ConditionPlace { id, when_true, when_false });
                }
                MCDC_DECISION => {
                    let _bitmap = self.number()?;
                    conditions = Some(self.number()? as u32);
                }
                _ => {}
            }
        }
        *line += self.number()? as u32;
        let start = Position { line: *line, column: self.number()? as u32 };
        let lines = self.number()? as u32;
        let end = Position { line: *line + lines, column: self.number()? as u32 & 0x7fff_ffff };
        if is_code && mapping.body.is_none() {
            mapping.body = Some((file, start, end));
        }
        if let Some(expanded) = expanded_file {
            let expanded = mapping.files.get_mut(expanded).ok_or(MappingError("expansion index"))?;
            expanded.expanded_at = Some((file, start, end));
        }
        if let Some(conditions) = conditions {
            mapping.decisions.push(DecisionRegion { file, start, end, conditions });
        }
        if let Some((when_true, when_false)) = branch {
            let region = BranchRegion { file, start, end, when_true, when_false, place };
            match (when_true, when_false) {
                (Counter::Zero, Counter::Zero) => mapping.folded.push(FoldedRegion { region, value: None }),
                _ => mapping.branches.push(region),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_absolute() {
        let data = b"\x02\x0b\x00\x04/dir\x03t.c";
        assert_eq!(read_file_names(data).unwrap(), ["/dir", "/dir/t.c"]);
    }

    #[test]
    fn a_function_with_one_if() {
        // One file (name 1); one expression #0 - #1; a code region and a branch region 3:7–3:12.
        let data = [1, 1, 1, 0x01, 0x05, 2, 0x01, 2, 14, 3, 2, 0x20, 0x05, 0x02, 1, 7, 0, 12];
        let names = ["/d".to_owned(), "/d/t.c".to_owned()];
        let mapping = read_function(7, &data, &names).unwrap();
        let (start, end) = (Position { line: 2, column: 14 }, Position { line: 5, column: 2 });
        assert_eq!(mapping.body, Some((0, start, end)));
        assert_eq!(
            mapping.expressions,
            [Expression { adds: false, left: Counter::Physical(0), right: Counter::Physical(1) }]
        );
        assert_eq!(
            mapping.branches,
            [BranchRegion {
                file: 0,
                start: Position { line: 3, column: 7 },
                end: Position { line: 3, column: 12 },
                when_true: Counter::Physical(1),
                when_false: Counter::Expression(0),
                place: None,
            }]
        );
    }

    #[test]
    fn rubbish_is_an_error() {
        assert!(read_function(0, &[0xff; 20], &[]).is_err());
        assert!(read_file_names(&[3]).is_err());
    }
}
