//! Terms as C-like text for reports: `x + 3 < y * 2`.
//!
//! Integers are taken as signed; where an operation takes them otherwise, `(unsigned)` says so. Extensions are what
//! C does unasked and not shown. Shared parts are written out again each time, until the text is long enough.

mod shape;

use crate::store::{Node, Term, Terms, Variable};
use shape::signed;

/// Deeper parts of a term are cut: what is below would hardly be read, and the stack is finite.
const DEEPEST: u32 = 100;

/// How tightly C's operators bind.
mod level {
    pub(super) const CHOICE: u8 = 1;
    pub(super) const ANY: u8 = 2;
    pub(super) const ALL: u8 = 3;
    pub(super) const OR: u8 = 4;
    pub(super) const XOR: u8 = 5;
    pub(super) const AND: u8 = 6;
    pub(super) const EQUAL: u8 = 7;
    pub(super) const ORDER: u8 = 8;
    pub(super) const SHIFT: u8 = 9;
    pub(super) const SUM: u8 = 10;
    pub(super) const PRODUCT: u8 = 11;
    pub(super) const UNARY: u8 = 12;
}

/// How the operand of an operation is read.
#[derive(Clone, Copy, PartialEq)]
enum View {
    Signed,
    Unsigned,
    Float,
}

/// An operand as it stands in the text.
enum Piece {
    Term(Term, View),
    Text(String),
    /// A term shifted by a number.
    Shifted(Term, View, &'static str, u32),
}

/// The outermost operation of a text.
enum Shape {
    Leaf(String),
    Infix(Piece, &'static str, u8, Piece),
    Prefix(String, Piece),
    Call(&'static str, Vec<Term>),
    Choice(Term, Term, Term),
    Row(Node),
    Same(Piece),
}

impl Terms {
    /// The term as C-like text of at most `longest` characters, cut with `…`.
    #[must_use]
    pub fn text(&self, term: Term, name: impl Fn(Variable) -> String, longest: usize) -> String {
        let mut writer = Writer { terms: self, name, out: String::new(), room: longest + 1, deep: 0 };
        writer.piece(&Piece::Term(term, View::Signed), 0);
        if writer.room > 0 {
            return writer.out;
        }
        let kept: String = writer.out.chars().take(longest.saturating_sub(1)).collect();
        kept + "…"
    }
}

struct Writer<'a, N> {
    terms: &'a Terms,
    name: N,
    out: String,
    /// Characters that may still be written.
    room: usize,
    deep: u32,
}

impl<N: Fn(Variable) -> String> Writer<'_, N> {
    fn put(&mut self, text: &str) {
        for character in text.chars().take(self.room) {
            self.out.push(character);
            self.room -= 1;
        }
    }

    /// Writes an operand of an operator that binds as tightly as `outer`.
    fn piece(&mut self, piece: &Piece, outer: u8) {
        if self.room == 0 {
            return;
        }
        if self.deep == DEEPEST {
            return self.put("…");
        }
        self.deep += 1;
        match *piece {
            Piece::Text(ref text) => self.put(text),
            Piece::Term(term, view) => {
                let shape = self.shape(term, view);
                self.shaped(shape, outer);
            }
            Piece::Shifted(term, view, operator, by) => {
                let by = Piece::Text(by.to_string());
                let shape = Shape::Infix(Piece::Term(term, view), operator, level::SHIFT, by);
                self.shaped(shape, outer);
            }
        }
        self.deep -= 1;
    }

    fn shaped(&mut self, shape: Shape, outer: u8) {
        match shape {
            Shape::Leaf(text) => self.put(&text),
            Shape::Same(piece) => self.piece(&piece, outer),
            Shape::Infix(left, operator, level, right) => self.bracketed(level < outer, |this| {
                this.piece(&left, level);
                this.put(&format!(" {operator} "));
                this.piece(&right, level + 1);
            }),
            Shape::Prefix(operator, operand) => self.bracketed(level::UNARY < outer, |this| {
                this.put(&operator);
                this.piece(&operand, level::UNARY);
            }),
            Shape::Choice(condition, then, otherwise) => self.bracketed(level::CHOICE < outer, |this| {
                this.piece(&signed(condition), level::CHOICE + 1);
                this.put(" ? ");
                this.piece(&signed(then), level::CHOICE);
                this.put(" : ");
                this.piece(&signed(otherwise), level::CHOICE);
            }),
            Shape::Call(function, arguments) => {
                self.put(function);
                self.list("(", &arguments, View::Float, ")");
            }
            Shape::Row(node) => {
                let terms = self.terms;
                self.list("{", terms.rows(&node), View::Signed, "}[");
                self.piece(&Piece::Term(node.first(), View::Unsigned), 0);
                self.put("]");
            }
        }
    }

    fn bracketed(&mut self, is_needed: bool, write: impl FnOnce(&mut Self)) {
        if is_needed {
            self.put("(");
        }
        write(self);
        if is_needed {
            self.put(")");
        }
    }

    fn list(&mut self, open: &str, items: &[Term], view: View, close: &str) {
        self.put(open);
        for (i, &item) in items.iter().enumerate() {
            if self.room == 0 {
                break;
            }
            self.put(if i > 0 { ", " } else { "" });
            self.piece(&Piece::Term(item, view), 0);
        }
        self.put(close);
    }
}
