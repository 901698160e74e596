//! Truth terms as an SMT-LIB 2 script, and the solver's values back.
//!
//! Each term becomes one definition, so the text grows with the graph and not with the tree. A term has up to three
//! forms: `t7` its bits, `b7` a Bool (truth values), `f7` a FloatingPoint (results of floating-point operations); it
//! is computed in its natural form and the others are derived where an operation asks for them.
//!
//! Where SMT-LIB cannot say what a term means, the script says less, never more: the bits of a computed float are any
//! bits that stand for it (there are many for "not a number"), `fmin` of two zeros is either, and of `fmod` only
//! bounds are stated. So an `unsat` is always a proof; a model is sure only if the script is [`Script::exact`].

mod float;
mod values;

pub use values::parse_values;

use crate::op::Op;
use crate::store::{Node, TableId, Term, Terms, Variable};
use crate::value::mask;
use float::{float_name, float_sort, to_float};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write;

/// A question for an SMT solver.
#[derive(Clone, Debug)]
pub struct Script {
    /// Logic, declarations, assertions and `(check-sat)`.
    pub text: String,
    /// The command that asks for the variables after `sat`; empty if there are none.
    pub values: String,
    /// Whether every model of the script satisfies the terms.
    pub exact: bool,
    /// The variables with their widths.
    pub variables: Vec<(Variable, u32)>,
}

impl Script {
    /// The script that asks whether all these truth terms can hold together.
    #[must_use]
    pub fn new(terms: &Terms, constraints: &[Term]) -> Script {
        let reachable = reachable(terms, constraints);
        let mut writer = Writer::new(terms, &reachable);
        for &term in &reachable {
            writer.define(term);
        }
        for &constraint in constraints {
            let condition = writer.truth(constraint);
            let _ = writeln!(writer.text, "(assert {condition})");
        }
        writer.finish()
    }
}

/// All terms that the roots are made of, operands first.
fn reachable(terms: &Terms, roots: &[Term]) -> BTreeSet<Term> {
    let mut seen = BTreeSet::new();
    let mut todo = roots.to_vec();
    while let Some(term) = todo.pop() {
        if !seen.insert(term) {
            continue;
        }
        let node = terms.node(term);
        todo.extend(node.operands());
        if node.op == Op::Lookup {
            todo.extend(terms.table(TableId(node.b)).iter());
        }
    }
    seen
}

/// The form in which a term is computed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Bits,
    Truth,
    Float,
}

fn natural(node: &Node) -> Form {
    match node.op {
        op if op.is_predicate() => Form::Truth,
        Op::Not | Op::And | Op::Or | Op::Xor | Op::Ite if node.width == 1 => Form::Truth,
        Op::FToSigned | Op::FToUnsigned => Form::Bits,
        op if op.is_float() => Form::Float,
        _ => Form::Bits,
    }
}

struct Writer<'t> {
    terms: &'t Terms,
    text: String,
    exact: bool,
    floats: bool,
    variables: BTreeMap<Variable, u32>,
    /// Derived forms that are already defined.
    derived: HashSet<(Term, char)>,
    tables: HashSet<(u32, u32)>,
}

impl<'t> Writer<'t> {
    fn new(terms: &'t Terms, reachable: &BTreeSet<Term>) -> Writer<'t> {
        let mut variables = BTreeMap::new();
        for node in reachable.iter().map(|&term| terms.node(term)).filter(|node| node.op == Op::Var) {
            let width: &mut u32 = variables.entry(Variable(node.a)).or_default();
            *width = (*width).max(node.width.into());
        }
        let mut text = String::new();
        for (variable, width) in &variables {
            let _ = writeln!(text, "(declare-const v{} (_ BitVec {width}))", variable.0);
        }
        Writer {
            terms,
            text,
            exact: true,
            floats: false,
            variables,
            derived: HashSet::new(),
            tables: HashSet::new(),
        }
    }

    fn finish(self) -> Script {
        let logic = if self.floats { "QF_BVFP" } else { "QF_BV" };
        let names: Vec<String> = self.variables.keys().map(|variable| format!("v{}", variable.0)).collect();
        let values =
            if names.is_empty() { String::new() } else { format!("(get-value ({}))", names.join(" ")) };
        Script {
            text: format!("(set-logic {logic})\n{}(check-sat)\n", self.text),
            values,
            exact: self.exact,
            variables: self.variables.into_iter().collect(),
        }
    }

    /// Defines the natural form of a term; constants and whole variables are written where they are used.
    fn define(&mut self, term: Term) {
        let node = self.terms.node(term);
        if matches!(node.op, Op::Const | Op::Wide) || self.is_whole_variable(&node) {
            return;
        }
        let (form, id) = (natural(&node), term.0);
        let body = match form {
            Form::Float => self.float_body(term, &node),
            Form::Truth => self.truth_body(&node),
            Form::Bits => self.bits_body(&node),
        };
        let width = node.width;
        let _ = match form {
            Form::Bits => writeln!(self.text, "(define-fun t{id} () (_ BitVec {width}) {body})"),
            Form::Truth => writeln!(self.text, "(define-fun b{id} () Bool {body})"),
            Form::Float => writeln!(self.text, "(define-fun f{id} () {} {body})", float_sort(width.into())),
        };
    }

    fn is_whole_variable(&self, node: &Node) -> bool {
        node.op == Op::Var && self.variables[&Variable(node.a)] == u32::from(node.width)
    }

    /// A term as bits.
    fn bits(&mut self, term: Term) -> String {
        if let Some(value) = self.terms.value(term) {
            return number(value, self.terms.width(term));
        }
        let node = self.terms.node(term);
        if self.is_whole_variable(&node) {
            return format!("v{}", node.a);
        }
        let id = term.0;
        let form = natural(&node);
        if form != Form::Bits && self.derived.insert((term, 't')) {
            let width = node.width;
            let _ = match form {
                Form::Float => {
                    self.exact = false;
                    let to = to_float(width.into());
                    writeln!(
                        self.text,
                        "(declare-const t{id} (_ BitVec {width}))\n(assert (= ({to} t{id}) f{id}))"
                    )
                }
                _ => writeln!(self.text, "(define-fun t{id} () (_ BitVec 1) (ite b{id} #b1 #b0))"),
            };
        }
        format!("t{id}")
    }

    /// A truth term as a Bool.
    fn truth(&mut self, term: Term) -> String {
        if let Some(value) = self.terms.value(term) {
            return (value != 0).to_string();
        }
        if natural(&self.terms.node(term)) == Form::Truth {
            return format!("b{}", term.0);
        }
        format!("(= {} #b1)", self.bits(term))
    }

    /// A term as a floating-point number.
    fn float(&mut self, term: Term) -> String {
        self.floats = true;
        let id = term.0;
        let node = self.terms.node(term);
        if natural(&node) != Form::Float && !self.derived.contains(&(term, 'f')) {
            let (to, bits) = (to_float(node.width.into()), self.bits(term));
            let sort = float_sort(node.width.into());
            let _ = writeln!(self.text, "(define-fun f{id} () {sort} ({to} {bits}))");
            self.derived.insert((term, 'f'));
        }
        format!("f{id}")
    }

    fn truth_body(&mut self, node: &Node) -> String {
        let [a, b, c] = [node.a, node.b, node.c].map(Term);
        match node.op {
            Op::Not => format!("(not {})", self.truth(a)),
            Op::And => format!("(and {} {})", self.truth(a), self.truth(b)),
            Op::Or => format!("(or {} {})", self.truth(a), self.truth(b)),
            Op::Xor => format!("(xor {} {})", self.truth(a), self.truth(b)),
            Op::Ite => format!("(ite {} {} {})", self.truth(a), self.truth(b), self.truth(c)),
            Op::Eq if self.terms.width(a) == 1 => format!("(= {} {})", self.truth(a), self.truth(b)),
            Op::FIsNan => format!("(fp.isNaN {})", self.float(a)),
            Op::FEq | Op::FLt | Op::FLe => {
                format!("({} {} {})", float_name(node.op), self.float(a), self.float(b))
            }
            op => format!("({} {} {})", bits_name(op), self.bits(a), self.bits(b)),
        }
    }

    fn bits_body(&mut self, node: &Node) -> String {
        let [a, b, c] = [node.a, node.b, node.c].map(Term);
        let width = u32::from(node.width);
        let top = u32::from(node.extra) + width - 1;
        match node.op {
            Op::Var => format!("((_ extract {top} 0) v{})", node.a),
            Op::Not | Op::Neg => format!("({} {})", bits_name(node.op), self.bits(a)),
            Op::Extract => format!("((_ extract {top} {}) {})", node.extra, self.bits(a)),
            Op::ZExt => format!("((_ zero_extend {}) {})", width - self.terms.width(a), self.bits(a)),
            Op::SExt => format!("((_ sign_extend {}) {})", width - self.terms.width(a), self.bits(a)),
            Op::Ite => format!("(ite {} {} {})", self.truth(a), self.bits(b), self.bits(c)),
            Op::Lookup => self.lookup(a, TableId(node.b)),
            Op::FToSigned | Op::FToUnsigned => self.integer_body(node),
            op => format!("({} {} {})", bits_name(op), self.bits(a), self.bits(b)),
        }
    }

    /// A call of the function of a table, which is defined before its first use.
    fn lookup(&mut self, index: Term, table: TableId) -> String {
        let terms = self.terms;
        let (rows, index_width) = (terms.table(table), terms.width(index));
        let name = format!("table{}_{index_width}", table.0);
        if self.tables.insert((table.0, index_width)) {
            let rows: Vec<String> = rows.iter().map(|&row| self.bits(row)).collect();
            let width = terms.width(terms.table(table)[0]);
            // Rows beyond the largest index cannot be chosen, and their numbers would not fit.
            let reachable = usize::try_from(mask(index_width))
                .map_or(rows.len(), |top| rows.len().min(top.saturating_add(1)));
            let _ =
                write!(self.text, "(define-fun {name} ((i (_ BitVec {index_width}))) (_ BitVec {width}) ");
            choice(&mut self.text, &rows[..reachable], 0, index_width);
            self.text.push_str(")\n");
        }
        format!("({name} {})", self.bits(index))
    }
}

/// `rows` by the index `i`, of which it is known that it is at least `first`; beyond the last row, that one.
fn choice(text: &mut String, rows: &[String], first: usize, index_width: u32) {
    if rows.iter().all(|row| *row == rows[0]) {
        text.push_str(&rows[0]);
        return;
    }
    let middle = rows.len() / 2;
    let _ = write!(text, "(ite (bvult i {}) ", number((first + middle) as u128, index_width));
    choice(text, &rows[..middle], first, index_width);
    text.push(' ');
    choice(text, &rows[middle..], first + middle, index_width);
    text.push(')');
}

fn number(value: u128, width: u32) -> String {
    format!("(_ bv{value} {width})")
}

fn bits_name(op: Op) -> &'static str {
    match op {
        Op::Not => "bvnot",
        Op::Neg => "bvneg",
        Op::Add => "bvadd",
        Op::Sub => "bvsub",
        Op::Mul => "bvmul",
        Op::UDiv => "bvudiv",
        Op::SDiv => "bvsdiv",
        Op::URem => "bvurem",
        Op::SRem => "bvsrem",
        Op::And => "bvand",
        Op::Or => "bvor",
        Op::Xor => "bvxor",
        Op::Shl => "bvshl",
        Op::LShr => "bvlshr",
        Op::AShr => "bvashr",
        Op::Concat => "concat",
        Op::Ult => "bvult",
        Op::Ule => "bvule",
        Op::Slt => "bvslt",
        Op::Sle => "bvsle",
        _ => "=",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_terms_are_written_once() {
        let mut terms = Terms::new();
        let mut sum = terms.variable(Variable(3), 32);
        for _ in 0..10_000 {
            sum = terms.binary(Op::Mul, sum, sum);
        }
        let one = terms.constant(1, 32);
        let condition = terms.binary(Op::Eq, sum, one);
        let script = Script::new(&terms, &[condition]);
        assert!(script.text.len() < 10_000 * 80);
        assert_eq!(script.variables, [(Variable(3), 32)]);
        assert_eq!(script.values, "(get-value (v3))");
        assert!(script.exact && script.text.starts_with("(set-logic QF_BV)"));
    }

    #[test]
    fn conditions_are_booleans_and_floats_stay_floats() {
        let mut terms = Terms::new();
        let x = terms.variable(Variable(0), 64);
        let square = terms.binary(Op::FMul, x, x);
        let half = terms.constant(0.5f64.to_bits().into(), 64);
        let less = terms.binary(Op::FLt, square, half);
        let not = terms.not(less);
        let expected = "(set-logic QF_BVFP)\n\
            (declare-const v0 (_ BitVec 64))\n\
            (define-fun f0 () (_ FloatingPoint 11 53) ((_ to_fp 11 53) v0))\n\
            (define-fun f1 () (_ FloatingPoint 11 53) (fp.mul RNE f0 f0))\n\
            (define-fun f2 () (_ FloatingPoint 11 53) ((_ to_fp 11 53) (_ bv4602678819172646912 64)))\n\
            (define-fun b3 () Bool (fp.lt f1 f2))\n\
            (define-fun b4 () Bool (not b3))\n\
            (assert b4)\n\
            (check-sat)\n";
        assert_eq!(Script::new(&terms, &[not]).text, expected);
    }

    #[test]
    fn tables_become_balanced_choices() {
        let mut terms = Terms::new();
        let index = terms.variable(Variable(0), 8);
        let rows: Vec<Term> = [5, 5, 7].map(|row| terms.constant(row, 4)).to_vec();
        let found = terms.lookup(index, rows.into());
        let other = terms.variable(Variable(1), 4);
        let condition = terms.binary(Op::Eq, found, other);
        let text = Script::new(&terms, &[condition]).text;
        let table = "(define-fun table0_8 ((i (_ BitVec 8))) (_ BitVec 4) \
            (ite (bvult i (_ bv1 8)) (_ bv5 4) (ite (bvult i (_ bv2 8)) (_ bv5 4) (_ bv7 4))))\n";
        assert!(text.contains(table), "{text}");
    }
}
