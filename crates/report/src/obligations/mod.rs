//! What MC/DC asks of decisions, as a file that people read, edit and hand back: `docs/OBLIGATIONS.md`.
//!
//! Both formats hold the same and are read into the same types. What was read knows its lines, so that whatever is wrong with it can
//! be told with one.

mod choose;
mod json;
mod xml;

pub use choose::{Asked, Chosen, choose};

use crate::decisions::{letter, text_of};
use crate::summary::Place;
use model::{Branch, Decision, Function, Program, Span};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// Version of the format: raised when something changes its meaning or disappears.
pub const OBLIGATIONS_VERSION: u32 = 1;

/// How obligations are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObligationsFormat {
    /// Elements and attributes.
    Xml,
    /// Objects and lists.
    Json,
}

/// Everything that is asked.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Obligations {
    /// What shows a condition: `unique-cause`, `masking`, `unique-cause+masking`.
    pub mcdc: String,
    /// `&` and `|` of truth values make decisions.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub bitwise_decisions: bool,
    /// The source files.
    pub files: Vec<FileObligations>,
    /// Line it was read from.
    #[serde(skip)]
    pub at: usize,
}

/// Of a source file.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct FileObligations {
    /// Its path.
    pub path: String,
    /// The functions that have decisions.
    pub functions: Vec<FunctionObligations>,
    /// Line it was read from.
    #[serde(skip)]
    pub at: usize,
}

/// Of a function.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct FunctionObligations {
    /// Its name.
    pub name: String,
    /// Its decisions.
    pub decisions: Vec<DecisionObligations>,
    /// Line it was read from.
    #[serde(skip)]
    pub at: usize,
}

/// Of a decision.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct DecisionObligations {
    /// From its first condition to its last.
    #[serde(flatten)]
    pub place: ObligationPlace,
    /// The source text.
    pub text: String,
    /// The same with letters for the conditions, see [`model::Shape::written`].
    pub form: String,
    /// All vectors are listed.
    pub complete: bool,
    /// In the order of their evaluation.
    pub conditions: Vec<ConditionObligations>,
    /// What an evaluation can say about the conditions.
    pub vectors: Vec<VectorObligation>,
    /// Numbers of vectors that show all conditions, as few as can be.
    pub plan: Vec<usize>,
    /// The vectors that are asked for; otherwise a pair of each condition is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wanted: Option<Vec<WantedVector>>,
    /// Line it was read from.
    #[serde(skip)]
    pub at: usize,
}

/// Of a condition.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct ConditionObligations {
    /// Its name: `A`.
    pub letter: String,
    /// Where a reader of the function sees it.
    #[serde(flatten)]
    pub place: ObligationPlace,
    /// The source text.
    pub text: String,
    /// Its value, if it is constant: then nothing shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constant: Option<bool>,
    /// Pairs of vectors that show it, by number: the one in which it is false, and the one in which it is true.
    pub pairs: Vec<PairObligation>,
    /// Line it was read from.
    #[serde(skip)]
    pub at: usize,
}

/// A pair of vectors that shows a condition.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(into = "[usize; 2]")]
pub struct PairObligation {
    /// The numbers.
    pub vectors: [usize; 2],
    /// Line it was read from.
    pub at: usize,
}

impl From<PairObligation> for [usize; 2] {
    fn from(pair: PairObligation) -> [usize; 2] {
        pair.vectors
    }
}

/// What an evaluation can say about the conditions.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct VectorObligation {
    /// From 1.
    pub number: usize,
    /// A letter for each condition: `T`, `F`, `C` if it is constant, or `-` if it is not evaluated.
    pub values: String,
    /// The outcome of the decision.
    pub outcome: bool,
    /// Line it was read from.
    #[serde(skip)]
    pub at: usize,
}

/// A vector that is asked for.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(into = "String")]
pub struct WantedVector {
    /// As in [`VectorObligation`].
    pub values: String,
    /// Line it was read from.
    pub at: usize,
}

impl From<WantedVector> for String {
    fn from(wanted: WantedVector) -> String {
        wanted.values
    }
}

/// Where something stands; columns count bytes from 1, the end is one past the last character.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct ObligationPlace {
    /// If it is not in the file of the function: a macro's definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// First line.
    pub line: usize,
    /// First column.
    pub column: usize,
    /// Last line.
    pub end_line: usize,
    /// Column behind the last character.
    pub end_column: usize,
}

/// What is wrong with a file of obligations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ObligationFault {
    /// Line of the file.
    pub line: usize,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

impl fmt::Display for ObligationFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.line, self.message)
    }
}

pub(crate) fn fault<T>(line: usize, message: impl Into<String>, hint: &str) -> Result<T, ObligationFault> {
    Err(ObligationFault { line, message: message.into(), hint: hint.to_owned() })
}

impl Obligations {
    /// The text of a file.
    #[must_use]
    pub fn write(&self, format: ObligationsFormat) -> String {
        match format {
            ObligationsFormat::Xml => xml::write(self),
            ObligationsFormat::Json => json::write(self),
        }
    }

    /// Reads a file in either format.
    ///
    /// # Errors
    /// When it is in none.
    pub fn read(text: &str) -> Result<Obligations, ObligationFault> {
        match text.trim_start_matches('\u{feff}').trim_start().starts_with('{') {
            true => json::read(text.trim_start_matches('\u{feff}')),
            false => xml::read(text),
        }
    }
}

/// What is asked of a decision: `pairs` by condition and `plan` are numbers of its vectors, from 0.
#[must_use]
pub fn describe(
    program: &Program,
    sources: &[(u32, String)],
    function: &Function,
    decision: &Decision,
    (pairs, plan): (&[Vec<[usize; 2]>], &[usize]),
) -> DecisionObligations {
    let vectors = decision.vectors();
    let place = |span: Span| {
        let Place { file, line, column, end_line, end_column } = Place::of(program, span);
        let file = (span.file != function.span.file).then_some(file);
        let [line, column, end_line, end_column] =
            [line, column, end_line, end_column].map(|number| number as usize);
        ObligationPlace { file, line, column, end_line, end_column }
    };
    let constants: BTreeMap<usize, bool> = decision.shape.constants().into_iter().collect();
    let text = |span| printable(&text_of(sources, span));
    let condition = |(index, &branch): (usize, &model::BranchId)| {
        let span = function.branch(branch).map(Branch::visible).unwrap_or_default();
        let is_true = |number: usize| vectors[number].1.value(index) == Some(true);
        let pair = |&[a, b]: &[usize; 2]| if is_true(a) { [b + 1, a + 1] } else { [a + 1, b + 1] };
        let pairs = pairs.get(index).into_iter().flatten();
        ConditionObligations {
            letter: letter(index),
            place: place(span),
            text: text(span),
            constant: constants.get(&index).copied(),
            pairs: pairs.map(|numbers| PairObligation { vectors: pair(numbers), at: 0 }).collect(),
            at: 0,
        }
    };
    let vector = |(index, (_, vector)): (usize, &(_, model::Vector))| VectorObligation {
        number: index + 1,
        values: decision.letters(vector),
        outcome: vector.outcome,
        at: 0,
    };
    DecisionObligations {
        place: place(decision.span),
        text: text(decision.span),
        form: decision.shape.written(letter),
        complete: !decision.is_cut,
        conditions: decision.conditions.iter().enumerate().map(condition).collect(),
        vectors: vectors.iter().enumerate().map(vector).collect(),
        plan: plan.iter().map(|number| number + 1).collect(),
        wanted: None,
        at: 0,
    }
}

/// Control characters cannot be written in XML at all.
fn printable(text: &str) -> String {
    let is_odd = |c: char| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}');
    text.chars().map(|c| if is_odd(c) { '\u{fffd}' } else { c }).collect()
}
