//! Switches over types: which label fits is decided by the class of the object, and by its value where labels are constants.

use super::Guess;
use crate::frame::{Call, Label};
use crate::machine::Machine;
use crate::value::{Number, Reference, Value};
use expr::Op;
use java_classfile::instruction::NumericKind;

const TEXT: &str = "java/lang/String";

/// Classes whose objects a label that is a number may stand for.
const NUMBERS: [&str; 4] = ["java/lang/Integer", "java/lang/Short", "java/lang/Byte", "java/lang/Character"];

impl Machine<'_, '_> {
    /// The number of the first label that fits, not before the one to begin with; how many there are if none does, and -1 for null.
    pub(super) fn type_switch(&mut self, labels: &[Label], call: &Call) -> Option<Guess> {
        let [Value::Reference(target), Value::Number(first)] = call.arguments[..] else { return None };
        self.check_not_null(target);
        if target.object.is_none() {
            return Some(Guess::Number(Number::int(-1)));
        }
        let first = usize::try_from(first.as_int()).ok().filter(|_| first.term.is_none())?;
        let (mut constants, mut otherwise) = (Vec::new(), labels.len());
        for (number, label) in labels.iter().enumerate().skip(first) {
            let fits = self.fits_label(target, label)?;
            if fits.term.is_none() && fits.bits != 0 {
                otherwise = number;
                break;
            }
            constants.push((number, fits));
        }
        let mut chosen = Number::int(otherwise as i32);
        for (number, fits) in constants.into_iter().rev() {
            chosen = self.either(fits, Number::int(number as i32), chosen);
        }
        Some(Guess::Number(chosen))
    }

    /// One of two numbers, by a truth value.
    fn either(&mut self, condition: Number, yes: Number, no: Number) -> Number {
        let concrete = if condition.bits == 0 { no } else { yes };
        if condition.term.is_none() {
            return concrete;
        }
        let holds = self.predicate(Op::Eq, condition, Number::int(1));
        let (yes, no) = (self.term(yes), self.term(no));
        let term = self.terms.ite(holds, yes, no);
        concrete.with(self.open(term))
    }

    /// Whether an object fits a label; `None` if that is not known.
    fn fits_label(&mut self, target: Reference, label: &Label) -> Option<Number> {
        let class = self.heap.object(target.object?).class.clone()?;
        match label {
            Label::Class(wanted) => Some(Number::int(self.is_subtype(&class, wanted)?.into())),
            Label::Text(text) if *class == *TEXT => {
                let constant = Reference::to(self.heap.text(text));
                self.equal_texts(target, constant)
            }
            Label::Number(wanted) if NUMBERS.contains(&&*class) => {
                let number = self.unboxed(target).filter(|number| number.kind == NumericKind::Int)?;
                let wanted = Number::int(*wanted);
                let equal = self.predicate(Op::Eq, number, wanted);
                Some(self.boolean(number.bits == wanted.bits, equal))
            }
            // No text is a number, and an object of another class is equal to neither. Larger numbers may be, in versions to come.
            Label::Text(_) => Some(Number::int(0)),
            Label::Number(_) if !class.starts_with("java/lang/") || *class == *TEXT => Some(Number::int(0)),
            Label::Number(_) | Label::Other => None,
        }
    }
}
