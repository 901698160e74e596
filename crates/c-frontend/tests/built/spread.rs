//! A condition that several jumps decide: all of its outcomes are seen, none is called impossible.

use c_frontend::{Clang, SourceUnit, build, infeasible};
use model::{BranchKind, Goal};

/// Clang decides the first operand of `&&` in both arms of `?:`.
const SOURCE: &str = "int f(int a, int b, int c, int d) {\n    if ((a ? (b = c, 1) : (d ? (b = d, 1) : 0)) && b)\n        return 1;\n    return 0;\n}\n";

#[test]
fn a_conditional_operand_is_not_called_infeasible() {
    let work = tempfile::tempdir().unwrap();
    let path = work.path().join("spread.c");
    std::fs::write(&path, SOURCE).unwrap();
    let unit = SourceUnit { path, flags: Vec::new(), directory: work.path().to_owned() };
    let built = build(&[unit], &Clang::default(), work.path()).unwrap();
    let function = &built.program.functions[0];
    let counted: Vec<_> = function.branches.iter().filter(|b| b.counted).collect();
    assert_eq!(counted.len(), 4, "the operand itself, both conditions inside, and b");
    assert!(counted.iter().all(|b| b.kind == BranchKind::Condition), "{counted:?}");
    let infeasible: Vec<Goal> = infeasible(&built).unwrap().into_iter().collect();
    assert_eq!(infeasible, [], "every outcome can happen");
}

/// The marks at the ends of alike comparisons are not taken for one.
#[test]
fn alike_comparisons_are_not_called_infeasible() {
    const DATES: &str = "struct date { int year, month, day; };
int compare(const struct date *a, const struct date *b) {
    if (a->year != b->year) return a->year < b->year ? -1 : 1;
    if (a->month != b->month) return a->month < b->month ? -1 : 1;
    if (a->day != b->day) return a->day < b->day ? -1 : 1;
    return 0;
}
";
    let work = tempfile::tempdir().unwrap();
    let path = work.path().join("dates.c");
    std::fs::write(&path, DATES).unwrap();
    let unit = SourceUnit { path, flags: Vec::new(), directory: work.path().to_owned() };
    let built = build(&[unit], &Clang::default(), work.path()).unwrap();
    let infeasible: Vec<Goal> = infeasible(&built).unwrap().into_iter().collect();
    assert_eq!(infeasible, [], "every outcome can happen");
}
