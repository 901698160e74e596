//! Texts that code has held against each other in vain.

use crate::frame::Call;
use crate::machine::Machine;
use crate::outcome::{Comparison, Relation};
use crate::value::{Reference, Value};

/// Comparisons that are kept, the latest.
const KEPT: usize = 256;

const PATTERN: &str = "java/util/regex/Pattern";

impl Machine<'_, '_> {
    /// Notes a call that asks something of two texts, unless it is so.
    pub(crate) fn note_comparison(&mut self, call: &Call) {
        let (class, name) = (call.called.class.as_str(), call.called.name.as_str());
        let relation = match (class, name) {
            (PATTERN, "matcher") | ("java/lang/String", "matches") => Relation::Fits,
            ("java/lang/String" | "java/lang/Object", "equals" | "contentEquals" | "compareTo")
            | ("java/util/Objects", "equals") => Relation::Equals,
            ("java/lang/String", "equalsIgnoreCase" | "compareToIgnoreCase") => Relation::EqualsInAnyCase,
            ("java/lang/String", "startsWith") => Relation::Starts,
            ("java/lang/String", "endsWith") => Relation::Ends,
            ("java/lang/String", "contains" | "indexOf" | "lastIndexOf") => Relation::Contains,
            _ => return,
        };
        let &[first, second, ..] = &call.arguments[..] else { return };
        let texts = match class {
            PATTERN => [Some(second), self.source_of(first)],
            _ => [Some(first), Some(second)],
        };
        let [Some(text), Some(with)] = texts.map(|value| self.units_of(value?)) else { return };
        let comparison = Comparison { text, relation, with };
        if comparison.holds() != Some(true) && !self.comparisons.contains(&comparison) {
            if self.comparisons.len() == KEPT {
                self.comparisons.remove(0);
            }
            self.comparisons.push(comparison);
        }
    }

    /// The characters of a text as they are; of a single one, too.
    fn units_of(&mut self, value: Value) -> Option<Vec<u16>> {
        if let Value::Number(character) = value {
            return Some(vec![u16::try_from(character.as_int()).ok()?]);
        }
        let text = self.characters_of(value)?;
        text.iter().map(|unit| u16::try_from(unit.as_int()).ok()).collect()
    }

    /// The text that a pattern was made of, if its compilation was executed here.
    fn source_of(&mut self, pattern: Value) -> Option<Value> {
        let Value::Reference(Reference { object: Some(pattern), .. }) = pattern else { return None };
        let field = self.field(PATTERN, "pattern");
        self.heap.object(pattern).fields.get(&field).copied()
    }
}

impl Comparison {
    /// Whether it is so, if that can be told.
    #[must_use]
    pub fn holds(&self) -> Option<bool> {
        let (text, with) = (&self.text[..], &self.with[..]);
        let lower = |text: &[u16]| String::from_utf16_lossy(text).to_lowercase();
        match self.relation {
            Relation::Equals => Some(text == with),
            Relation::EqualsInAnyCase => Some(lower(text) == lower(with)),
            Relation::Starts => Some(text.starts_with(with)),
            Relation::Ends => Some(text.ends_with(with)),
            Relation::Contains => Some(with.is_empty() || text.windows(with.len()).any(|part| part == with)),
            Relation::Fits => None,
        }
    }
}
