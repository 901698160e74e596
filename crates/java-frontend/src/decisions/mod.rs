//! Decisions of Java sources, and the jumps that their conditions became.
//!
//! ```text
//! sources ──► java/branchwise/source: the compiler's own trees ──► conditions, how they are joined, which are constant
//!    └──────► javac -Xjcov: the same classes with tables ────────► which jump is of which part of the source
//! ```
//!
//! Class files know lines, and a line may hold any number of decisions; so the compiler is asked, as for C. Its tables (`CharacterRangeTable`, made
//! for coverage tools) name for every jump the part of the source that it tests. What they say is believed only where the code agrees:
//! each condition must lead on as the decision says ([`check`]). All others are listed with the reason.
//!
//! Code may stand in several places: a `finally` block at every way out of its `try`, an initialiser in every constructor. Copies in one
//! method are places of one decision, for the source has one and whoever reads a report looks there; JaCoCo merges their branches
//! likewise. Other methods have decisions of their own.

mod add;
mod check;
mod form;
mod jumps;
mod source;

pub(crate) use add::add;
use form::Form;
use java_classfile::{ClassFile, Code, Pc};
use model::Position;
use std::collections::{BTreeMap, HashMap};

use crate::names::source_path;
use crate::sources::ClassEntry;

/// The decisions of sources.
#[derive(Clone, Debug, Default)]
pub struct SourceDecisions {
    /// By source, below its root.
    files: BTreeMap<String, Vec<Written>>,
    /// The classes of these sources with tables of ranges, by name.
    twins: HashMap<String, ClassFile>,
}

/// A decision in a source.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    part: Part,
    form: Form,
    conditions: Vec<Condition>,
}

/// A condition of it.
#[derive(Clone, Debug)]
struct Condition {
    part: Part,
    marks: Vec<Mark>,
    /// `a ? b : c`: either part decides.
    is_choice: bool,
    /// `a instanceof B`: the compiler may lose its place.
    is_instance: bool,
}

/// A part of a source; columns in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Part {
    start: Position,
    end: Position,
}

/// Line and column as the compiler counts them, of a beginning and of an end.
type Range = [(u32, u32); 2];

/// A part of the source that ends with a condition.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Mark {
    range: Range,
    /// It is the condition itself, or what decides it.
    is_own: bool,
    /// It is true when the condition is false.
    is_negated: bool,
}

/// A jump of a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Jump {
    condition: usize,
    pc: Pc,
    /// The value of the condition if it is taken.
    taken_is: bool,
}

/// A decision in a method: the jumps of each copy by offset.
#[derive(Clone, Debug)]
pub(crate) struct Found<'d> {
    written: &'d Written,
    copies: Vec<Vec<Jump>>,
}

/// What became of the decisions of the own classes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Matched<'d> {
    /// By class and method.
    found: BTreeMap<(usize, usize), Vec<Found<'d>>>,
    left_out: Vec<Unmatched<'d>>,
    /// Whether the source of a class is known, by class.
    has_source: Vec<bool>,
}

/// A decision that no method has as the source says.
#[derive(Clone, Debug)]
struct Unmatched<'d> {
    file: &'d str,
    written: &'d Written,
    reason: &'static str,
}

impl Matched<'_> {
    /// Every jump of a condition, with its class and method.
    pub(crate) fn jumps(&self) -> impl Iterator<Item = (usize, usize, Pc, bool)> + '_ {
        self.found.iter().flat_map(|(&(class, method), found)| {
            let jumps = found.iter().flat_map(|found| found.copies.iter().flatten());
            jumps.map(move |jump| (class, method, jump.pc, jump.taken_is))
        })
    }
}

impl SourceDecisions {
    /// Finds the jumps of all conditions.
    pub(crate) fn matched(&self, classes: &[ClassEntry]) -> Matched<'_> {
        let mut matched = Matched::default();
        let paths: Vec<String> = classes.iter().map(|entry| source_path(&entry.class)).collect();
        matched.has_source = paths.iter().map(|path| self.files.contains_key(path)).collect();
        for (file, decisions) in &self.files {
            let own: Vec<usize> = (0..classes.len()).filter(|&class| paths[class] == *file).collect();
            let bodies: Vec<Body<'_>> = own.iter().flat_map(|&class| self.bodies(class, classes)).collect();
            for written in decisions.iter().filter(|written| written.is_decision()) {
                if let Err(reason) = place(written, &bodies, &mut matched) {
                    matched.left_out.push(Unmatched { file, written, reason });
                }
            }
        }
        matched
    }

    /// The methods of a class that the compiler made the same code of with tables and without.
    fn bodies<'c>(&'c self, class: usize, classes: &'c [ClassEntry]) -> Vec<Body<'c>> {
        let entry = &classes[class];
        let Some(twin) = self.twins.get(&entry.name) else { return Vec::new() };
        let mut bodies = Vec::new();
        for (method, found) in entry.class.methods.iter().enumerate() {
            let other =
                twin.methods.iter().find(|m| m.name == found.name && m.descriptor == found.descriptor);
            let codes = found.code.as_ref().zip(other.and_then(|other| other.code.as_ref()));
            let Some((code, twin)) = codes else { continue };
            let Some(ranges) = jumps::Ranges::of(code, twin) else { continue };
            bodies.push(Body { class, method, code, ranges });
        }
        bodies
    }
}

/// A method.
struct Body<'c> {
    class: usize,
    method: usize,
    code: &'c Code,
    ranges: jumps::Ranges,
}

/// Finds a decision in the methods that have it.
fn place<'d>(
    written: &'d Written,
    bodies: &[Body<'_>],
    matched: &mut Matched<'d>,
) -> Result<(), &'static str> {
    let ways = written.form.ways(written.conditions.len());
    let mut found = Vec::new();
    for body in bodies {
        let copies = jumps::copies(written, &ways, body.code, &body.ranges)?;
        let copies = copies.into_iter().map(|copy| check::check(body.code, &ways, &copy));
        let copies: Vec<Vec<Jump>> = copies.collect::<Result<_, _>>()?;
        if !copies.is_empty() {
            found.push(((body.class, body.method), Found { written, copies }));
        }
    }
    if found.is_empty() {
        return Err("the compiler does not say where its conditions are in the code");
    }
    found.into_iter().for_each(|(place, found)| matched.found.entry(place).or_default().push(found));
    Ok(())
}

impl Written {
    /// Whether more than one condition is ever evaluated; otherwise what is left is a branch.
    fn is_decision(&self) -> bool {
        self.form.ways(self.conditions.len()).iter().flatten().count() > 1
    }
}
