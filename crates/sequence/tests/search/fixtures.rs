//! The examples of the thesis as summaries.

use sequence::{Candidates, Filters, Id, Invokable, InvokableId, Kind, Por, Universe, UniverseBuilder};

/// A universe whose invokables have names.
pub(crate) struct Fixture {
    pub(crate) universe: Universe,
    names: Vec<&'static str>,
}

impl Fixture {
    pub(crate) fn id(&self, name: &str) -> InvokableId {
        InvokableId::new(self.names.iter().position(|known| *known == name).expect("a known name"))
    }

    pub(crate) fn text(&self, sequence: &[InvokableId]) -> String {
        let names: Vec<&str> = sequence.iter().map(|id| self.names[id.index()]).collect();
        names.join(" ")
    }

    /// The candidates of all lengths up to `longest`.
    pub(crate) fn candidates(&self, target: &str, filters: Filters, longest: usize) -> Vec<Vec<InvokableId>> {
        Candidates::new(&self.universe, self.id(target), filters, longest).collect()
    }

    /// How many there are of each length, from 1 on.
    pub(crate) fn counts(&self, target: &str, filters: Filters, longest: usize) -> Vec<usize> {
        let mut counts = vec![0; longest];
        self.candidates(target, filters, longest).iter().for_each(|found| counts[found.len() - 1] += 1);
        counts
    }

    /// Those of one length in words.
    pub(crate) fn texts(&self, target: &str, filters: Filters, length: usize) -> Vec<String> {
        let all = self.candidates(target, filters, length);
        all.iter().filter(|found| found.len() == length).map(|found| self.text(found)).collect()
    }
}

/// Collects invokables and their names.
#[derive(Default)]
pub(crate) struct Maker {
    pub(crate) builder: UniverseBuilder,
    names: Vec<&'static str>,
}

impl Maker {
    pub(crate) fn add(&mut self, name: &'static str, invokable: Invokable) -> InvokableId {
        self.names.push(name);
        self.builder.invokable(invokable)
    }

    pub(crate) fn build(self) -> Fixture {
        Fixture { universe: self.builder.build().expect("a sound universe"), names: self.names }
    }
}

pub(crate) fn constructor() -> Invokable {
    Invokable::new(Kind::Constructor)
}

pub(crate) fn method() -> Invokable {
    Invokable::new(Kind::InstanceMethod)
}

pub(crate) fn function() -> Invokable {
    Invokable::new(Kind::StaticMethod)
}

pub(crate) const EXECUTABLE: Filters = Filters { executable: true, ..Filters::INFLUENCE };
pub(crate) const CONNECTED: Filters =
    Filters { executable: true, connected: true, nulls: false, ..Filters::INFLUENCE };

pub(crate) fn with(por: Por) -> Filters {
    Filters { por, ..CONNECTED }
}

/// `TemperatureMonitor` with the sets of Table 4.3.
pub(crate) fn temperature_monitor() -> Fixture {
    let mut make = Maker::default();
    let monitor = make.builder.reference_type();
    let [enabled, temperature] = [make.builder.field(), make.builder.field()];
    make.add("TM", constructor().returns(monitor).defines(&[enabled, temperature]));
    make.add("setEnabled", method().on(monitor).defines(&[enabled]));
    make.add("update", method().on(monitor).defines(&[temperature]).uses(&[enabled]));
    make.add("get", method().on(monitor).uses(&[temperature]));
    make.add("warning", method().on(monitor).uses(&[temperature]));
    make.build()
}

/// `PartialOrderReductionExample`: three setters and a method that reads what they set.
pub(crate) fn three_setters() -> Fixture {
    let mut make = Maker::default();
    let class = make.builder.reference_type();
    let fields = [make.builder.field(), make.builder.field(), make.builder.field()];
    make.add("P", constructor().returns(class).defines(&fields));
    make.add("setA", method().on(class).defines(&fields[..1]));
    make.add("setB", method().on(class).defines(&fields[1..2]));
    make.add("setC", method().on(class).defines(&fields[2..]));
    make.add("calculate", method().on(class).uses(&fields));
    make.build()
}

/// Two constructors of `Integer` cannot both serve one `hashCode()`.
pub(crate) fn integer() -> Fixture {
    let mut make = Maker::default();
    let class = make.builder.reference_type();
    let value = make.builder.field();
    make.add("Integer", constructor().returns(class).defines(&[value]));
    make.add("hashCode", method().on(class).uses(&[value]));
    make.build()
}

/// The coinbox whose `returnQtrs` forgets to withdraw the permission to vend.
pub(crate) fn coinbox() -> Fixture {
    let mut make = Maker::default();
    let class = make.builder.reference_type();
    let [total, current, allow] = [make.builder.field(), make.builder.field(), make.builder.field()];
    let all = [total, current, allow];
    make.add("Coinbox", constructor().returns(class).defines(&all));
    make.add("addQtr", method().on(class).defines(&[current, allow]).uses(&[current]));
    make.add("returnQtrs", method().on(class).defines(&[current]));
    make.add("vend", method().on(class).defines(&all).uses(&all));
    make.build()
}

/// `x() { g = f + 1; }`, `y() { f = 5; }`, `z() { return f == 5 && g == 1; }`, with numbers for `x` and `y`.
pub(crate) fn anti_dependence(x: u32, y: u32) -> Fixture {
    let mut make = Maker::default();
    let class = make.builder.reference_type();
    let [f, g] = [make.builder.field(), make.builder.field()];
    make.add("Q", constructor().returns(class).defines(&[f, g]));
    let first = make.add("x", method().on(class).defines(&[g]).uses(&[f]));
    let second = make.add("y", method().on(class).defines(&[f]));
    let last = make.add("z", method().on(class).uses(&[f, g]));
    make.builder.number(first, x);
    make.builder.number(second, y);
    make.builder.number(last, 3);
    make.build()
}

/// `Reg.add()` and `Reg.count()` work on a list in a static field that a class initialiser defines; `folded` says
/// whether what it defines is attributed to those that trigger it.
pub(crate) fn registry(folded: bool) -> Fixture {
    let mut make = Maker::default();
    let [list, size] = [make.builder.static_field(), make.builder.field()];
    let defined = if folded { vec![list, size] } else { vec![size] };
    make.add("add", function().defines(&defined).uses(&[list, size]));
    make.add("count", function().uses(&[list, size]));
    make.build()
}
