//! Random statements.

use crate::scope::Scope;
use crate::types::{AGGREGATES, Scalar};
use std::fmt::Write;

/// The body of a function as it grows.
pub(crate) struct Body {
    pub(crate) scope: Scope,
    pub(crate) text: String,
    indent: usize,
    loops: u32,
    labels: u32,
    /// Length and type of the array on the heap.
    heap: Option<(u32, Scalar)>,
}

impl Body {
    pub(crate) fn new(scope: Scope) -> Body {
        Body { scope, text: String::new(), indent: 1, loops: 0, labels: 0, heap: None }
    }

    pub(crate) fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", self.indent * 4);
    }

    /// New variables: scalars, an array, an aggregate.
    pub(crate) fn declarations(&mut self) {
        for i in 0..self.scope.rng.u32(1..4) {
            let ty = Scalar::any(&mut self.scope.rng);
            let value = self.scope.value(ty, 2);
            let keyword = if self.scope.once_in(8) {
                format!("static {} s{i} = 3; s{i} ^=", ty.spelling())
            } else {
                String::new()
            };
            if keyword.is_empty() || ty.is_float() {
                self.line(&format!("{} v{i} = {value};", ty.spelling()));
                self.scope.scalars.push((format!("v{i}"), ty));
            } else {
                self.line(&format!("{keyword} {value};"));
                self.scope.scalars.push((format!("s{i}"), ty));
            }
        }
        let ty = Scalar::any(&mut self.scope.rng);
        let length = self.scope.rng.u32(3..9);
        let first = self.scope.value(ty, 1);
        self.line(&format!("{} a[{length}] = {{{first}, 2}};", ty.spelling()));
        self.scope.arrays.push(("a".to_owned(), length, ty));
        self.block_of_heap();
        let kind = self.scope.rng.usize(..AGGREGATES.len());
        let (value, _) = self.scope.aggregate(kind, 1);
        self.line(&format!("{} g = {value};", AGGREGATES[kind].spelling()));
        self.scope.add_aggregate("g", kind);
    }

    /// An array on the heap, one time in two; every element has a value, and perhaps it grows.
    fn block_of_heap(&mut self) {
        if self.scope.rng.bool() {
            return;
        }
        let ty = Scalar::any(&mut self.scope.rng);
        let (spelling, mut length) = (ty.spelling(), self.scope.rng.u32(2..9));
        if self.scope.rng.bool() {
            self.line(&format!("{spelling} *m = calloc({length}, sizeof *m);"));
        } else {
            self.line(&format!("{spelling} *m = malloc({length} * sizeof *m);"));
            let value = self.scope.value(ty, 1);
            self.line(&format!("for (int i = 0; i < {length}; i++) m[i] = {value};"));
        }
        if self.scope.once_in(3) {
            let longer = length + self.scope.rng.u32(1..4);
            self.line(&format!("m = realloc(m, {longer} * sizeof *m);"));
            self.line(&format!("for (int i = {length}; i < {longer}; i++) m[i] = 1;"));
            length = longer;
        }
        self.heap = Some((length, ty));
        self.scope.arrays.push(("m".to_owned(), length, ty));
    }

    /// All elements of the array on the heap have a part in the result, and it is given back.
    pub(crate) fn end_of_heap(&mut self) {
        let Some((length, ty)) = self.heap else { return };
        let element = if ty.is_float() {
            crate::expression::truncated("m[i]", crate::types::LONG)
        } else {
            "m[i]".to_owned()
        };
        self.line(&format!(
            "for (int i = 0; i < {length}; i++) acc = acc * 31 + (unsigned long)({element});"
        ));
        self.line("free(m);");
    }

    pub(crate) fn statements(&mut self, count: u32, depth: u32) {
        for _ in 0..count {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: u32) {
        let kinds = if depth == 0 { 5 } else { 14 };
        match self.scope.rng.u8(..kinds) {
            0..3 => self.assignment(),
            3 => self.copy(),
            4 => self.through_pointer(),
            5..9 => self.conditional(depth - 1),
            9 | 10 => self.counted_loop(depth - 1),
            11 => self.switch(depth - 1),
            12 => self.jump(depth - 1),
            _ => self.searching_loop(depth - 1),
        }
    }

    fn assignment(&mut self) {
        let (place, ty) = self.scope.place(2);
        if ty.is_float() {
            let value = self.scope.float(2);
            return self.line(&format!("{place} = tidy({value});"));
        }
        let value = self.scope.integer(2);
        match self.scope.rng.u8(..4) {
            0 => {
                let operator = self.scope.pick(&["+=", "-=", "*=", "^=", "|=", "&="]);
                self.line(&format!("{place} {operator} {value};"));
            }
            1 => {
                let operator = self.scope.pick(&["++", "--"]);
                self.line(&format!("{place}{operator};"));
            }
            _ => self.line(&format!("{place} = {value};")),
        }
    }

    fn copy(&mut self) {
        let number = self.scope.integer(2);
        let text = match self.scope.rng.u8(..8) {
            0 => format!("memcpy(data + 3, shorts, (unsigned)({number}) % 12u);"),
            1 => "memmove(data + 1, data, 9);".to_owned(),
            2 => format!("memmove(data, data + ((unsigned)({number}) % 4u), 7);"),
            3 => format!("memset(data + 5, (int)({number}), 6);"),
            4 => format!("memset(shorts, (int)({number}), (unsigned)({number}) % 16u);"),
            5 => format!("strncpy(text, \"{}\", 4);", self.scope.pick(&["-7", "x9 ", "0x1f", ""])),
            6 => format!("text[({number}) & 7] = (char)({});", self.scope.integer(1)),
            _ => "memcpy(text, data, 8);".to_owned(),
        };
        self.line(&text);
    }

    /// Every pointer may be null.
    fn through_pointer(&mut self) {
        let pointers = self.scope.pointers.clone();
        if pointers.is_empty() {
            return self.assignment();
        }
        let (name, kind) = self.scope.pick(&pointers);
        let (member, ty) = self.scope.pick(AGGREGATES[kind].members);
        let value = self.scope.value(ty, 2);
        let value = if ty.is_float() { format!("tidy({value})") } else { value };
        self.line(&format!("if ({name})"));
        if self.scope.rng.bool() {
            self.line(&format!("    {name}->{member} = {value};"));
        } else {
            let (place, into) = self.scope.place(1);
            let read = format!("{name}->{member}");
            let value = match (ty.is_float(), into.is_float()) {
                (true, false) => crate::expression::truncated(&read, into),
                (true, true) => format!("tidy({read})"),
                _ => read,
            };
            self.line(&format!("    {place} = {value};"));
        }
    }

    fn block(&mut self, head: &str, depth: u32) {
        self.line(&format!("{head} {{"));
        self.indent += 1;
        let count = self.scope.rng.u32(1..3);
        self.statements(count, depth);
        self.indent -= 1;
    }

    fn conditional(&mut self, depth: u32) {
        let condition = self.scope.condition(2);
        self.block(&format!("if ({condition})"), depth);
        if self.scope.rng.bool() {
            self.block("} else", depth);
        }
        self.line("}");
    }

    /// At most two loops in each other, of a few rounds each.
    fn counted_loop(&mut self, depth: u32) {
        if self.loops == 2 {
            return self.assignment();
        }
        let counter = format!("i{}", self.loops);
        let most = match self.scope.rng.bool() {
            true => self.scope.rng.u32(1..6).to_string(),
            false => format!("(unsigned)({}) % 5u", self.scope.integer(1)),
        };
        self.loops += 1;
        self.block(&format!("for (unsigned {counter} = 0, n = {most}; {counter} < n; {counter}++)"), depth);
        if self.scope.once_in(3) {
            let condition = self.scope.condition(1);
            let end = self.scope.pick(&["break", "continue"]);
            self.line(&format!("    if ({condition}) {end};"));
        }
        self.line(&format!("    acc += {counter};"));
        self.line("}");
        self.loops -= 1;
    }

    fn searching_loop(&mut self, depth: u32) {
        if self.loops == 2 {
            return self.assignment();
        }
        let counter = format!("i{}", self.loops);
        let condition = self.scope.condition(2);
        self.loops += 1;
        self.line(&format!("{{ int {counter} = 0;"));
        self.block("do", depth);
        self.line(&format!("}} while (++{counter} < 4 && {condition}); }}"));
        self.loops -= 1;
    }

    fn switch(&mut self, depth: u32) {
        let ty = Scalar::integer(&mut self.scope.rng);
        // Labels must fit the type that the value is promoted to.
        let ty = if ty.shape().0 > 64 || matches!(ty, Scalar::Bit(..)) { crate::types::LONG } else { ty };
        let value = self.scope.value(ty, 2);
        self.line(&format!("switch ({value}) {{"));
        let mut low: i64 = self.scope.rng.i64(0..3);
        for _ in 0..self.scope.rng.u32(1..5) {
            let high = low + self.scope.rng.i64(0..40) * i64::from(self.scope.once_in(2));
            let label = if high > low { format!("case {low} ... {high}:") } else { format!("case {low}:") };
            self.line(&label);
            self.indent += 1;
            self.statement(depth.min(1));
            if !self.scope.once_in(3) {
                self.line("break;");
            }
            self.indent -= 1;
            low = high + self.scope.rng.i64(1..30);
        }
        if self.scope.rng.bool() {
            self.line("default:");
            self.indent += 1;
            self.statement(0);
            self.indent -= 1;
        }
        self.line("}");
    }

    /// Forward only.
    fn jump(&mut self, depth: u32) {
        self.labels += 1;
        let label = format!("l{}", self.labels);
        let condition = self.scope.condition(2);
        self.line(&format!("if ({condition}) goto {label};"));
        self.line("{");
        self.indent += 1;
        self.statements(2, depth);
        self.indent -= 1;
        self.line("}");
        self.line(&format!("{label}:;"));
    }
}
