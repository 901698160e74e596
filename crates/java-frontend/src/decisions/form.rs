//! A decision as the source has it.

use model::Shape;

/// How conditions are joined. They are numbered in the order of the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Form {
    Condition(usize),
    Constant(usize, bool),
    Not(Box<Form>),
    Join { and: bool, sides: Box<[Form; 2]> },
}

/// What follows an outcome of a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Next {
    Condition(usize),
    End(bool),
}

impl Form {
    /// Reads `|&cc!c`: operators before what they join, `c` for a condition, `T` and `F` for constant ones.
    pub(super) fn read(text: &str) -> Option<Form> {
        let (mut letters, mut next) = (text.chars(), 0);
        let form = Form::part(&mut letters, &mut next)?;
        letters.next().is_none().then_some(form)
    }

    fn part(letters: &mut std::str::Chars<'_>, next: &mut usize) -> Option<Form> {
        let letter = letters.next()?;
        let number = *next;
        *next += usize::from(matches!(letter, 'c' | 'T' | 'F'));
        Some(match letter {
            'c' => Form::Condition(number),
            'T' | 'F' => Form::Constant(number, letter == 'T'),
            '!' => Form::Not(Box::new(Form::part(letters, next)?)),
            '&' | '|' => {
                let sides = [Form::part(letters, next)?, Form::part(letters, next)?];
                Form::Join { and: letter == '&', sides: Box::new(sides) }
            }
            _ => return None,
        })
    }

    /// How many conditions it has.
    pub(super) fn conditions(&self) -> usize {
        match self {
            Form::Condition(_) | Form::Constant(..) => 1,
            Form::Not(inner) => inner.conditions(),
            Form::Join { sides, .. } => sides.iter().map(Form::conditions).sum(),
        }
    }

    /// The same as the rest of the world knows it.
    pub(super) fn shape(&self) -> Shape {
        match self {
            Form::Condition(_) => Shape::condition(),
            Form::Constant(_, value) => Shape::constant(*value),
            Form::Not(inner) => inner.shape().negated(),
            Form::Join { and, sides } => sides[0].shape().then(*and, &sides[1].shape()),
        }
    }

    /// By condition: what follows when it is false and when it is true. Nothing for those that are never evaluated.
    pub(super) fn ways(&self, conditions: usize) -> Vec<Option<[Next; 2]>> {
        let mut ways = vec![None; conditions];
        let begin = self.lay_out(Next::End(true), Next::End(false), &mut ways);
        // What a constant cuts off was laid out, too.
        let mut reached = vec![false; conditions];
        let mut todo = vec![begin];
        while let Some(next) = todo.pop() {
            if let Next::Condition(number) = next
                && !std::mem::replace(&mut reached[number], true)
            {
                todo.extend(ways[number].into_iter().flatten());
            }
        }
        ways.into_iter().zip(reached).map(|(way, is_reached)| way.filter(|_| is_reached)).collect()
    }

    /// Where its evaluation begins.
    fn lay_out(&self, on_true: Next, on_false: Next, ways: &mut [Option<[Next; 2]>]) -> Next {
        match self {
            Form::Condition(number) => {
                ways[*number] = Some([on_false, on_true]);
                Next::Condition(*number)
            }
            Form::Constant(_, value) => {
                if *value {
                    on_true
                } else {
                    on_false
                }
            }
            Form::Not(inner) => inner.lay_out(on_false, on_true, ways),
            Form::Join { and, sides } => {
                let second = sides[1].lay_out(on_true, on_false, ways);
                match and {
                    true => sides[0].lay_out(second, on_false, ways),
                    false => sides[0].lay_out(on_true, second, ways),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Next::{Condition, End};

    fn ways(text: &str, conditions: usize) -> Vec<Option<[Next; 2]>> {
        Form::read(text).expect("a form").ways(conditions)
    }

    #[test]
    fn conditions_lead_on_as_java_evaluates_them() {
        // a && b || !(c || d)
        let expected = [
            Some([Condition(2), Condition(1)]),
            Some([Condition(2), End(true)]),
            Some([Condition(3), End(false)]),
            Some([End(true), End(false)]),
        ];
        assert_eq!(ways("|&cc!|cc", 4), expected);
    }

    #[test]
    fn constants_are_not_evaluated_nor_what_they_cut_off() {
        // a && true && b, false && a || b
        assert_eq!(ways("&&cTc", 3), [Some([End(false), Condition(2)]), None, Some([End(false), End(true)])]);
        assert_eq!(ways("|&Fcc", 3), [None, None, Some([End(false), End(true)])]);
    }

    #[test]
    fn garbage_is_no_form() {
        for text in ["", "&c", "&ccc", "x", "!"] {
            assert_eq!(Form::read(text), None, "{text}");
        }
    }

    /// The shape takes the same ways.
    #[test]
    fn shapes_agree() {
        for text in ["|&cc!|cc", "&|cc|cc", "!&c!&cc", "&&cTc", "|&cFc"] {
            let form = Form::read(text).expect("a form");
            let shape = form.shape();
            let ways = form.ways(shape.conditions());
            for values in 0..1u64 << shape.conditions() {
                let first = (0..ways.len()).find(|&number| ways[number].is_some()).expect("one is evaluated");
                let (mut at, mut evaluated) = (Condition(first), 0);
                let outcome = loop {
                    match at {
                        End(outcome) => break outcome,
                        Condition(number) => {
                            evaluated |= 1 << number;
                            at = ways[number].expect("evaluated")[(values >> number & 1) as usize];
                        }
                    }
                };
                assert_eq!(shape.evaluate(values), (outcome, evaluated), "{text} {values:b}");
            }
        }
    }
}
