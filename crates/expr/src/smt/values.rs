//! Values as solvers write them.

use crate::store::Variable;

/// The values in a solver's answer to [`Script::values`]; none if it is not such an answer.
#[must_use]
pub fn parse_values(text: &str) -> Option<Vec<(Variable, u128)>> {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace().filter(|word| !matches!(*word, "(" | ")"));
    let mut values = Vec::new();
    while let Some(name) = words.next() {
        let variable = Variable(name.strip_prefix('v')?.parse().ok()?);
        let value = match words.next()? {
            "_" => {
                let value = words.next()?.strip_prefix("bv")?.parse().ok()?;
                words.next()?.parse::<u32>().ok()?;
                value
            }
            literal => parse_literal(literal)?,
        };
        values.push((variable, value));
    }
    Some(values)
}

fn parse_literal(literal: &str) -> Option<u128> {
    match literal.strip_prefix("#x") {
        Some(digits) => u128::from_str_radix(digits, 16).ok(),
        None => u128::from_str_radix(literal.strip_prefix("#b")?, 2).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_value_is_read() {
        let text = "((v0 #x0f) (v12 #b101)\n (v3 (_ bv5 32)))";
        assert_eq!(parse_values(text), Some(vec![(Variable(0), 15), (Variable(12), 5), (Variable(3), 5)]));
        for wrong in ["sat", "((v0))", "((v0 (_ bv5)))", "((v0 #y1))", "((x #b1))"] {
            assert_eq!(parse_values(wrong), None, "{wrong}");
        }
    }
}
