//! A decision as an expression over the names of its conditions.

use super::Shape;

/// Parts joined by one operator; a single part has none.
struct Form {
    and: Option<bool>,
    parts: Vec<String>,
}

impl Form {
    fn text(self) -> String {
        let join = |operator: &str| format!("({})", self.parts.join(operator));
        match self.and {
            None => self.parts.concat(),
            Some(true) => join(" && "),
            Some(false) => join(" || "),
        }
    }
}

impl Shape {
    /// The decision with names for its conditions: `((A && B) || C)`. Parts joined by the same operator share their parentheses, and
    /// instead of a group its conditions are negated: `!(a && b) || c` is `(!A || !B || C)`, which C evaluates in the same way.
    /// Empty for what no expression of `&&`, `||` and `!` is.
    #[must_use]
    pub fn written(&self, name: impl Fn(usize) -> String) -> String {
        self.form(0, &name).map(Form::text).unwrap_or_default()
    }

    fn form(&self, at: usize, name: &dyn Fn(usize) -> String) -> Option<Form> {
        if self.conditions() == 1 {
            let is_negated = self.evaluate(0).0;
            return Some(Form {
                and: None,
                parts: vec![format!("{}{}", ["", "!"][usize::from(is_negated)], name(at))],
            });
        }
        let (first, rest, end) = self.split()?;
        // The first part decides alone with this end: false for `&&`, true for `||`.
        let and = !end;
        let behind = at + first.conditions();
        let first = if and { first } else { first.negated() };
        let mut parts = Vec::new();
        for side in [first.form(at, name)?, rest.form(behind, name)?] {
            match side.and == Some(and) {
                true => parts.extend(side.parts),
                false => parts.push(side.text()),
            }
        }
        Some(Form { and: Some(and), parts })
    }
}

#[cfg(test)]
mod tests {
    use crate::Shape;

    fn letters(shape: &Shape) -> String {
        shape.written(|index| char::from(b'A' + index as u8).to_string())
    }

    #[test]
    fn operators_negations_and_groups() {
        let leaf = Shape::condition;
        let and = leaf().then(true, &leaf());
        let or = leaf().then(false, &leaf());
        for (shape, expected) in [
            (leaf(), "A"),
            (leaf().negated(), "!A"),
            (and.then(false, &leaf()), "((A && B) || C)"),
            (leaf().then(true, &or), "(A && (B || C))"),
            (and.then(true, &leaf()), "(A && B && C)"),
            (leaf().then(true, &and), "(A && B && C)"),
            (or.then(true, &or), "((A || B) && (C || D))"),
            (and.negated().then(false, &leaf()), "(!A || !B || C)"),
            (leaf().then(false, &leaf().negated()), "(A || !B)"),
            (and.then(false, &and).negated(), "((!A || !B) && (!C || !D))"),
        ] {
            assert_eq!(letters(&shape), expected);
        }
    }

    /// `a ? b : c` is one condition deciding which other one is asked.
    #[test]
    fn a_choice_is_no_such_expression() {
        let shape = Shape::new(&[[Some(2), Some(1)], [None, None], [None, None]]).expect("in order");
        assert_eq!(letters(&shape), "");
    }
}
