//! From confirmed tests to suites by class, and back from what was written to the tests.

use super::decisions;
use super::facts::facts;
use java_backend::{Confirmed, JavaProgram, Test};
use java_emit::{Emission, Facts, JavaSuite, JavaTest, Told};
use model::Goal;
use std::collections::{BTreeMap, BTreeSet};
use suite::TestCalls;

/// Characters of a statement or value that reports tell: the suite has all of them.
const LONGEST: usize = 160;

/// The suites of all classes.
pub(crate) struct Suites {
    pub(crate) list: Vec<JavaSuite>,
    pub(crate) facts: Facts,
    /// By suite and test, the number of the confirmed one.
    numbers: Vec<Vec<usize>>,
}

impl Suites {
    /// The number of the confirmed test that stands here.
    pub(crate) fn number(&self, suite: usize, test: usize) -> usize {
        self.numbers[suite][test]
    }

    /// Takes out tests, by suite and number.
    pub(crate) fn leave_out(&mut self, tests: &BTreeSet<(usize, usize)>) {
        for &(suite, test) in tests.iter().rev() {
            self.list[suite].tests.remove(test);
            self.numbers[suite].remove(test);
        }
        let is_empty: Vec<bool> = self.list.iter().map(|suite| suite.tests.is_empty()).collect();
        let mut empty = is_empty.iter();
        self.list.retain(|_| empty.next() == Some(&false));
        let mut empty = is_empty.iter();
        self.numbers.retain(|_| empty.next() == Some(&false));
    }
}

/// A test that stands in a file.
pub(crate) struct Written<'a> {
    pub(crate) name: String,
    pub(crate) test: &'a Test,
    /// The same in few words.
    pub(crate) calls: TestCalls,
}

/// Puts tests together by the class that declares what they are for. A comment says what each adds to those before it.
pub(crate) fn suites(program: &JavaProgram, confirmed: &Confirmed) -> Suites {
    let mut by_class: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (number, test) in confirmed.tests.iter().enumerate() {
        if let Some(class) = program.class_of(test.method) {
            by_class.entry(class).or_default().push(number);
        }
    }
    let mut known = BTreeSet::new();
    let vectors = decisions::words(&program.model.program);
    let (mut list, mut numbers) = (Vec::new(), Vec::new());
    for (class, tests) in by_class {
        let name = &program.classes.own[class].name;
        let (package, _) = name.rsplit_once('/').unwrap_or(("", name));
        let mut of = |&number: &usize| {
            let test = &confirmed.tests[number];
            JavaTest {
                name: None,
                script: test.script.clone(),
                values: test.values.clone(),
                end: test.end.clone(),
                results: test.results.clone(),
                observed: test.observed.clone(),
                comment: comment(program, test, &vectors, &mut known),
            }
        };
        list.push(JavaSuite {
            package: package.replace('/', "."),
            class_under_test: name.clone(),
            tests: tests.iter().map(&mut of).collect(),
        });
        numbers.push(tests);
    }
    let named = confirmed.tests.iter().flat_map(|test| java_emit::named(&test.script, Some(&test.end)));
    let facts = facts(program, &named.collect());
    Suites { list, facts, numbers }
}

/// What a test reaches that none before it did: a line for each place.
fn comment(
    program: &JavaProgram,
    test: &Test,
    vectors: &BTreeMap<Goal, (u32, String)>,
    known: &mut BTreeSet<Goal>,
) -> Vec<String> {
    let mut lines: BTreeSet<(u32, String)> = BTreeSet::new();
    for &goal in &test.covers {
        if !known.insert(goal) {
            continue;
        }
        lines.extend(vectors.get(&goal).cloned());
        lines.extend(program.model.boundaries.line(goal).map(|line| (line, "at its boundary".to_owned())));
        let site = program.model.sites.all().iter().find(|site| {
            (site.branch.0..site.branch.0 + site.width()).contains(&goal.branch.0) && site.hidden_by.is_none()
        });
        let Some(site) = site.filter(|site| site.width() == 1 || goal.outcome) else { continue };
        let what =
            if site.width() == 1 { goal.outcome.to_string() } else { "a case of the switch".to_owned() };
        lines.insert((site.line, what));
    }
    let mut by_line: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for (line, what) in lines {
        by_line.entry(line).or_default().push(what);
    }
    by_line.into_iter().take(4).map(|(line, what)| format!("line {line}: {}", what.join(", "))).collect()
}

/// What a test does and how it ends.
fn told(facts: &Facts, class: &str, test: &JavaTest) -> TestCalls {
    let Told { statements, end, result } = java_emit::told(facts, class, test);
    let shortened = |text: String, most: usize| match text.char_indices().nth(most) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text,
    };
    let statements = statements.into_iter().map(|statement| shortened(statement, LONGEST)).collect();
    TestCalls { statements, end, result: result.map(|result| shortened(result, LONGEST)) }
}

/// The tests that were written, with their names.
pub(crate) fn written<'a>(
    emission: &Emission,
    suites: &Suites,
    confirmed: &'a Confirmed,
) -> Vec<Written<'a>> {
    let one = |test: &java_emit::EmittedTest| {
        let number = suites.number(test.suite, test.test);
        let calls = told(&suites.facts, &test.class, &suites.list[test.suite].tests[test.test]);
        Written { name: format!("{}.{}", test.class, test.method), test: &confirmed.tests[number], calls }
    };
    emission.tests.iter().map(one).collect()
}
