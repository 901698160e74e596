//! Source spans as places with a path.

use crate::summary::Place;
use model::{Program, Span};
use std::fmt;

impl Place {
    /// The place of a span; a file index out of range has an empty path.
    pub(crate) fn of(program: &Program, span: Span) -> Place {
        Place {
            file: file_path(program, span.file),
            line: span.start.line,
            column: span.start.column,
            end_line: span.end.line,
            end_column: span.end.column,
        }
    }
}

/// The path of a file of the program.
pub(crate) fn file_path(program: &Program, file: u32) -> String {
    program.files.get(file as usize).map(|f| f.path.clone()).unwrap_or_default()
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}
