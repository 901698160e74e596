//! The lines that our programs in the JVM write.

use crate::verdict::{Count, Unread};
use std::collections::BTreeSet;

/// What came of the tests in one order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Order {
    /// All tests that were to be run.
    pub(crate) planned: BTreeSet<(String, String)>,
    /// Class, method, and what came of it.
    pub(crate) tests: Vec<(String, String, Came)>,
    /// A test that was begun and came to no end.
    pub(crate) running: Option<(String, String)>,
    /// All tests came to an end.
    pub(crate) is_whole: bool,
    /// Threads were started.
    pub(crate) has_threads: bool,
    /// Nobody could look at what tests ask of the machine.
    pub(crate) is_unwatched: bool,
}

/// What came of a test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Came {
    Passed,
    /// With this message.
    Failed(String),
    /// It asks something of the machine: what it does there.
    Asked(String),
    /// It changes what tests share: what.
    Changed(String),
}

/// What JaCoCo counted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Measured {
    pub(crate) methods: Vec<MeasuredMethod>,
    pub(crate) unread: Vec<Unread>,
}

/// The same of a method.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct MeasuredMethod {
    pub(crate) class: String,
    pub(crate) name: String,
    pub(crate) descriptor: String,
    pub(crate) instructions: Count,
    pub(crate) branches: Count,
    pub(crate) lines: Count,
    /// Lines with branches.
    pub(crate) branching: Vec<(u32, Count)>,
}

impl Order {
    fn add(&mut self, class: &str, method: &str, came: Came) {
        self.tests.push((class.to_owned(), method.to_owned(), came));
    }
}

/// Reads the lines of the runner.
pub(crate) fn order(text: &str) -> Order {
    let mut order = Order::default();
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        match fields.as_slice() {
            ["planned", class, method] => drop(order.planned.insert(((*class).into(), (*method).into()))),
            ["begin", class, method] => order.running = Some(((*class).into(), (*method).into())),
            ["passed", class, method] => order.add(class, method, Came::Passed),
            ["failed", class, method, text] => order.add(class, method, Came::Failed(unescaped(text))),
            ["asked", class, method, what] => order.add(class, method, Came::Asked((*what).into())),
            ["changed", class, method, what] => order.add(class, method, Came::Changed((*what).into())),
            ["threads"] => order.has_threads = true,
            ["unwatched"] => order.is_unwatched = true,
            ["end"] => order.is_whole = true,
            _ => {}
        }
        if !line.starts_with("begin") {
            order.running = None;
        }
    }
    order
}

/// Reads the lines about coverage; `None` if they are not whole.
pub(crate) fn coverage(text: &str) -> Option<Measured> {
    let mut measured = Measured::default();
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        match fields.as_slice() {
            ["unread", class, why] => {
                measured.unread.push(Unread { class: (*class).into(), why: (*why).into() });
            }
            ["method", class, name, descriptor, counts @ ..] => {
                let counts = numbers(counts)?;
                let [ic, it, bc, bt, lc, lt] = counts.as_slice() else { return None };
                measured.methods.push(MeasuredMethod {
                    class: (*class).into(),
                    name: (*name).into(),
                    descriptor: (*descriptor).into(),
                    instructions: Count { covered: *ic, total: *it },
                    branches: Count { covered: *bc, total: *bt },
                    lines: Count { covered: *lc, total: *lt },
                    branching: Vec::new(),
                });
            }
            ["line", counts @ ..] => {
                let counts = numbers(counts)?;
                let [number, _, _, covered, total] = counts.as_slice() else { return None };
                if *total > 0 {
                    let count = Count { covered: *covered, total: *total };
                    measured.methods.last_mut()?.branching.push((*number, count));
                }
            }
            ["end"] => return Some(measured),
            _ => return None,
        }
    }
    None
}

fn numbers(fields: &[&str]) -> Option<Vec<u32>> {
    fields.iter().map(|field| field.parse().ok()).collect()
}

fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            (_, true) => match chars.next() {
                Some('n') => out.push('\n'),
                Some('r') => out.push('\r'),
                Some('t') => out.push('\t'),
                Some(other) => out.push(other),
                None => {}
            },
            (c, false) => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_read_up_to_where_it_stopped() {
        let text = "planned\ta.B\tx\nbegin\ta.B\tx\npassed\ta.B\tx\nbegin\ta.B\ty\nfailed\ta.B\ty\tno\\n\\\\t\nbegin\ta.B\tz\n";
        let order = order(text);
        let failed = ("a.B".to_owned(), "y".to_owned(), Came::Failed("no\n\\t".to_owned()));
        assert_eq!(order.tests, [("a.B".to_owned(), "x".to_owned(), Came::Passed), failed]);
        assert_eq!((order.running, order.is_whole), (Some(("a.B".into(), "z".into())), false));
    }

    #[test]
    fn coverage_must_be_whole() {
        let text = "unread\ta/S\tsealed\nmethod\ta/B\tm\t()V\t3\t4\t1\t2\t1\t1\nline\t7\t3\t4\t1\t2\nend\n";
        let measured = coverage(text).expect("whole");
        assert_eq!(measured.methods[0].branching, [(7, Count { covered: 1, total: 2 })]);
        assert_eq!(measured.unread[0].why, "sealed");
        assert_eq!(coverage(&text.replace("end\n", "")), None);
        assert_eq!(coverage("line\t1\t1\t1\t1\t1\nend\n"), None);
    }
}
