//! A decision as the source has it, evaluated by hand: which conditions are met, and what comes out.
//!
//! This is not the code that made the claims, on purpose.

/// A decision over conditions by number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Expression {
    Condition(usize),
    Not(Box<Expression>),
    And(Box<Expression>, Box<Expression>),
    Or(Box<Expression>, Box<Expression>),
}

impl Expression {
    /// Reads the text of a decision, in which the texts of its conditions stand one after the other. `None` if there is anything else than
    /// operators and parentheses between them, as where macros are used.
    pub(crate) fn read(text: &str, conditions: &[&str]) -> Option<Expression> {
        let mut rest = text;
        let mut symbols = Vec::new();
        for (number, condition) in conditions.iter().enumerate() {
            let at = start_of(rest, condition)?;
            symbols.extend(operators(&rest[..at])?);
            symbols.push(Symbol::Condition(number));
            rest = &rest[at + condition.len()..];
        }
        symbols.extend(operators(rest)?);
        let mut reader = Reader { symbols: &symbols };
        let expression = reader.either()?;
        reader.symbols.is_empty().then_some(expression)
    }

    /// The outcome for these values; conditions that are evaluated are noted, as C would.
    pub(crate) fn evaluate(&self, values: &[bool], met: &mut Vec<usize>) -> bool {
        match self {
            Expression::Condition(number) => {
                met.push(*number);
                values[*number]
            }
            Expression::Not(inner) => !inner.evaluate(values, met),
            Expression::And(a, b) => a.evaluate(values, met) && b.evaluate(values, met),
            Expression::Or(a, b) => a.evaluate(values, met) || b.evaluate(values, met),
        }
    }
}

/// Where a condition begins: not inside of a word.
fn start_of(text: &str, condition: &str) -> Option<usize> {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(condition).map(|(at, _)| at).find(|&at| {
        let splits_word = is_word(condition.chars().next()) && is_word(text[..at].chars().next_back());
        !condition.is_empty() && !splits_word
    })
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Symbol {
    Condition(usize),
    And,
    Or,
    BitAnd,
    BitOr,
    Not,
    Open,
    Close,
}

fn operators(text: &str) -> Option<Vec<Symbol>> {
    let mut symbols = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (symbol, length) = match rest.as_bytes() {
            [b'&', b'&', ..] => (Symbol::And, 2),
            [b'|', b'|', ..] => (Symbol::Or, 2),
            [b'&', ..] => (Symbol::BitAnd, 1),
            [b'|', ..] => (Symbol::BitOr, 1),
            [b'!', ..] => (Symbol::Not, 1),
            [b'(', ..] => (Symbol::Open, 1),
            [b')', ..] => (Symbol::Close, 1),
            _ => return None,
        };
        symbols.push(symbol);
        rest = rest[length..].trim_start();
    }
    Some(symbols)
}

struct Reader<'s> {
    symbols: &'s [Symbol],
}

impl Reader<'_> {
    fn next_is(&mut self, symbol: Symbol) -> bool {
        let is = self.symbols.first() == Some(&symbol);
        self.symbols = &self.symbols[usize::from(is)..];
        is
    }

    fn either(&mut self) -> Option<Expression> {
        let mut left = self.both()?;
        while self.next_is(Symbol::Or) {
            left = Expression::Or(Box::new(left), Box::new(self.both()?));
        }
        Some(left)
    }

    fn both(&mut self) -> Option<Expression> {
        let mut left = self.any_bit()?;
        while self.next_is(Symbol::And) {
            left = Expression::And(Box::new(left), Box::new(self.any_bit()?));
        }
        Some(left)
    }

    /// Of truth values `|` is `||`; what is evaluated is seen in the counts.
    fn any_bit(&mut self) -> Option<Expression> {
        let mut left = self.all_bits()?;
        while self.next_is(Symbol::BitOr) {
            left = Expression::Or(Box::new(left), Box::new(self.all_bits()?));
        }
        Some(left)
    }

    fn all_bits(&mut self) -> Option<Expression> {
        let mut left = self.single()?;
        while self.next_is(Symbol::BitAnd) {
            left = Expression::And(Box::new(left), Box::new(self.single()?));
        }
        Some(left)
    }

    fn single(&mut self) -> Option<Expression> {
        let (&first, rest) = self.symbols.split_first()?;
        self.symbols = rest;
        match first {
            Symbol::Condition(number) => Some(Expression::Condition(number)),
            Symbol::Not => Some(Expression::Not(Box::new(self.single()?))),
            Symbol::Open => {
                let inner = self.either()?;
                self.next_is(Symbol::Close).then_some(inner)
            }
            Symbol::And | Symbol::Or | Symbol::BitAnd | Symbol::BitOr | Symbol::Close => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_are_evaluated_as_c_does() {
        let read =
            Expression::read("!(a > 1 && b[a]) || a > 12", &["a > 1", "b[a]", "a > 12"]).expect("readable");
        let run = |values: [bool; 3]| {
            let mut met = Vec::new();
            (read.evaluate(&values, &mut met), met)
        };
        assert_eq!(run([false, true, false]), (true, vec![0]));
        assert_eq!(run([true, true, false]), (false, vec![0, 1, 2]));
        assert_eq!(run([true, true, true]), (true, vec![0, 1, 2]));
        assert_eq!(run([true, false, false]), (true, vec![0, 1]));
    }

    #[test]
    fn bitwise_operators_bind_as_in_c() {
        // `a | b & c && d || e`: by C's precedences ((a | (b & c)) && d) || e.
        let names = ["a", "b", "c", "d", "e"];
        let read = Expression::read("a | b & c && d || e", &names).expect("readable");
        for bits in 0..32u32 {
            let values: Vec<bool> = (0..5).map(|i| bits >> i & 1 == 1).collect();
            let [a, b, c, d, e] = values[..] else { unreachable!("five") };
            assert_eq!(read.evaluate(&values, &mut Vec::new()), ((a | (b & c)) && d) || e, "{bits:05b}");
        }
    }

    #[test]
    fn what_is_not_all_there_is_not_read() {
        assert_eq!(Expression::read("IN(a) || b", &["a", "b"]), None);
        assert_eq!(Expression::read("a ? b : c", &["a", "b"]), None);
        assert_eq!(Expression::read("(a && b", &["a", "b"]), None);
    }
}
