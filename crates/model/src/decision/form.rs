//! A decision as an expression over the names of its conditions.

use super::Shape;
use super::ways::Expression;

/// Parts joined by one operator; a single part has none.
struct Form {
    operator: Option<&'static str>,
    parts: Vec<String>,
}

impl Form {
    fn text(self) -> String {
        match self.operator {
            None => self.parts.concat(),
            Some(operator) => format!("({})", self.parts.join(&format!(" {operator} "))),
        }
    }
}

impl Shape {
    /// The decision with names for its conditions: `((A && B) || C)`. Parts joined by the same operator share their parentheses, and
    /// instead of a group its conditions are negated: `!(a && b) || c` is `(!A || !B || C)`, which C evaluates in the same way.
    /// Constants are written as what they come to: `a && !DEBUG` is `(A && 1)`.
    #[must_use]
    pub fn written(&self, name: impl Fn(usize) -> String) -> String {
        form(self.expression(), false, &name).text()
    }
}

fn form(of: &Expression, is_negated: bool, name: &dyn Fn(usize) -> String) -> Form {
    let single = |part: String| Form { operator: None, parts: vec![part] };
    match of {
        Expression::Condition(number) => {
            single(format!("{}{}", ["", "!"][usize::from(is_negated)], name(*number as usize)))
        }
        Expression::Constant(_, value) => single(u8::from(*value != is_negated).to_string()),
        Expression::Not(inner) => form(inner, !is_negated, name),
        Expression::Join { and, whole, sides } => {
            let operator = match (*and != is_negated, *whole) {
                (true, false) => "&&",
                (false, false) => "||",
                (true, true) => "&",
                (false, true) => "|",
            };
            let mut parts = Vec::new();
            for side in &**sides {
                let side = form(side, is_negated, name);
                match side.operator == Some(operator) {
                    true => parts.extend(side.parts),
                    false => parts.push(side.text()),
                }
            }
            Form { operator: Some(operator), parts }
        }
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

    #[test]
    fn bitwise_operators() {
        let leaf = Shape::condition;
        let and = leaf().beside(true, &leaf());
        for (shape, expected) in [
            (and.beside(false, &leaf()), "((A & B) | C)"),
            (leaf().beside(true, &and), "(A & B & C)"),
            (leaf().then(true, &and), "(A && (B & C))"),
            (and.then(true, &and), "((A & B) && (C & D))"),
            (and.negated().beside(false, &leaf()), "(!A | !B | C)"),
        ] {
            assert_eq!(letters(&shape), expected);
        }
    }

    /// They keep their place among the conditions: what is behind them has the same letter.
    #[test]
    fn constants() {
        let (leaf, constant) = (Shape::condition, Shape::constant);
        for (shape, expected) in [
            (leaf().then(true, &constant(true)).then(true, &leaf()), "(A && 1 && C)"),
            (constant(false).then(false, &leaf()), "(0 || B)"),
            (leaf().then(true, &constant(true)).negated().then(false, &leaf()), "(!A || 0 || C)"),
            (constant(true).beside(true, &leaf()), "(1 & B)"),
        ] {
            assert_eq!(letters(&shape), expected);
        }
    }
}
