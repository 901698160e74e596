//! Claims against measurement.

use crate::report::{Came, Measured, MeasuredMethod, Order};
use crate::verdict::{Count, Difference, Failure, Kind, Totals};
use crate::{LineClaim, MethodClaim};
use std::collections::{BTreeMap, BTreeSet};

/// How many tests passed in all orders, and the others.
pub(crate) fn outcomes(orders: &[(u64, Order)]) -> (usize, Vec<Failure>) {
    let mut tests: BTreeMap<(&str, &str), Failure> = BTreeMap::new();
    for (seed, order) in orders {
        for (class, method, came) in &order.tests {
            let entry = tests.entry((class, method)).or_insert_with(|| Failure {
                class: class.clone(),
                method: method.clone(),
                message: String::new(),
                failed: Vec::new(),
                passed: Vec::new(),
            });
            match came {
                Came::Passed => entry.passed.push(*seed),
                Came::Failed(message) | Came::Asked(message) | Came::Changed(message) => {
                    if entry.failed.is_empty() {
                        entry.message.clone_from(message);
                    }
                    entry.failed.push(*seed);
                }
            }
        }
    }
    let (failures, passed): (Vec<Failure>, Vec<Failure>) =
        tests.into_values().partition(|test| !test.failed.is_empty());
    // A test that did not come up in some order did not pass in all of them.
    (passed.iter().filter(|test| test.passed.len() == orders.len()).count(), failures)
}

/// What all measured methods come to.
pub(crate) fn totals(measured: &Measured) -> Totals {
    let mut totals = Totals::default();
    for method in &measured.methods {
        totals.instructions += method.instructions;
        totals.branches += method.branches;
        totals.lines += method.lines;
        totals.methods += Count { covered: u32::from(method.instructions.covered > 0), total: 1 };
    }
    totals
}

/// Everything in which claims and measurement differ, by method and line. Claims may be all that tests cover, or a part of it.
pub(crate) fn differences(claims: &[MethodClaim], measured: &Measured, in_part: bool) -> Vec<Difference> {
    let mut differences = Vec::new();
    let unread: BTreeSet<&str> = measured.unread.iter().map(|unread| unread.class.as_str()).collect();
    for claim in claims.iter().filter(|claim| !unread.contains(claim.class.as_str())) {
        match measured.methods.iter().find(|method| is_of(claim, method)) {
            Some(method) => lines(claim, method, &mut differences),
            None => differences.push(difference(claim, None, Kind::MissingMethod)),
        }
    }
    for method in &measured.methods {
        if method.branches.total > 0 && !claims.iter().any(|claim| is_of(claim, method)) {
            differences.push(Difference {
                class: method.class.clone(),
                method: method.name.clone(),
                descriptor: method.descriptor.clone(),
                line: None,
                kind: Kind::UnclaimedMethod { branches: method.branches.total },
            });
        }
    }
    differences.retain(|found| !in_part || !matches!(found.kind, Kind::Underclaimed { .. }));
    differences
}

fn is_of(claim: &MethodClaim, method: &MeasuredMethod) -> bool {
    claim.class == method.class && claim.name == method.name && claim.descriptor == method.descriptor
}

fn lines(claim: &MethodClaim, method: &MeasuredMethod, differences: &mut Vec<Difference>) {
    let claimed: BTreeMap<u32, Count> = claim
        .lines
        .iter()
        .map(|LineClaim { line, covered, total }| (*line, Count { covered: *covered, total: *total }))
        .collect();
    let measured: BTreeMap<u32, Count> = method.branching.iter().copied().collect();
    let all: BTreeSet<u32> = claimed.keys().chain(measured.keys()).copied().collect();
    for line in all {
        let claimed = claimed.get(&line).copied().unwrap_or_default();
        let measured = measured.get(&line).copied().unwrap_or_default();
        let mut differs = |kind| differences.push(difference(claim, Some(line), kind));
        if claimed.total != measured.total {
            differs(Kind::Total { claimed: claimed.total, measured: measured.total });
        }
        let (claimed, measured) = (claimed.covered, measured.covered);
        if claimed > measured {
            differs(Kind::Overclaimed { claimed, measured });
        } else if claimed < measured {
            differs(Kind::Underclaimed { claimed, measured });
        }
    }
}

fn difference(claim: &MethodClaim, line: Option<u32>, kind: Kind) -> Difference {
    Difference {
        class: claim.class.clone(),
        method: claim.name.clone(),
        descriptor: claim.descriptor.clone(),
        line,
        kind,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured() -> Measured {
        let text = "method\ta/B\tm\t()V\t3\t4\t1\t4\t1\t1\nline\t7\t3\t4\t1\t2\nline\t8\t3\t4\t0\t2\n\
                    method\ta/B\tn\t()V\t0\t4\t0\t0\t0\t1\nmethod\ta/B\to\t()V\t0\t4\t0\t2\t0\t1\nend\n";
        crate::report::coverage(text).expect("whole")
    }

    fn claim(name: &str, lines: &[(u32, u32, u32)]) -> MethodClaim {
        let lines = lines.iter().map(|&(line, covered, total)| LineClaim { line, covered, total }).collect();
        MethodClaim { class: "a/B".into(), name: name.into(), descriptor: "()V".into(), lines }
    }

    fn kinds(claims: &[MethodClaim]) -> Vec<(Option<u32>, Kind)> {
        let all = differences(claims, &measured(), false);
        all.into_iter().map(|difference| (difference.line, difference.kind)).collect()
    }

    #[test]
    fn right_claims_have_no_differences() {
        assert_eq!(kinds(&[claim("m", &[(7, 1, 2), (8, 0, 2)]), claim("o", &[])]), []);
    }

    #[test]
    fn every_kind_of_difference_is_told() {
        let all = kinds(&[claim("m", &[(7, 0, 2), (8, 1, 2), (9, 0, 2)]), claim("p", &[])]);
        let expected = [
            (Some(7), Kind::Underclaimed { claimed: 0, measured: 1 }),
            (Some(8), Kind::Overclaimed { claimed: 1, measured: 0 }),
            (Some(9), Kind::Total { claimed: 2, measured: 0 }),
            (None, Kind::MissingMethod),
            (None, Kind::UnclaimedMethod { branches: 2 }),
        ];
        assert_eq!(all, expected);
        let claims = [claim("m", &[(7, 0, 2), (8, 1, 2)]), claim("o", &[])];
        let in_part: Vec<Kind> =
            differences(&claims, &measured(), true).into_iter().map(|found| found.kind).collect();
        assert_eq!(in_part, [Kind::Overclaimed { claimed: 1, measured: 0 }]);
    }

    #[test]
    fn totals_are_sums() {
        let totals = totals(&measured());
        assert_eq!(totals.branches, Count { covered: 1, total: 6 });
        assert_eq!(totals.methods, Count { covered: 1, total: 3 });
    }

    #[test]
    fn a_test_passes_if_it_does_in_all_orders() {
        let order = |text| crate::report::order(text);
        let first = order("passed\tA\ta\npassed\tA\tb\npassed\tA\tc\nend\n");
        let second = order("passed\tA\ta\nfailed\tA\tb\twhy\n");
        let (passed, failures) = outcomes(&[(1, first), (2, second)]);
        assert_eq!(passed, 1);
        assert_eq!(failures.len(), 1);
        assert_eq!(failures[0].to_string(), "A.b failed in 1 of 2 orders: why");
    }
}
