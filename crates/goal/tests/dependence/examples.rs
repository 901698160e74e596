//! The examples of the thesis. A number in a name is that of the digest's checklist.

use crate::subject::{Subject, set, sets, subject};
use goal::dependence::DependenceSet;
use std::collections::BTreeSet;

/// Figure 4.3.
pub(crate) fn calc() -> Subject {
    subject(
        "x y z",
        &[
            (2, "result = -1", &[3]),
            (3, "fail = 0", &[4]),
            (4, "if x < 0 || y < 0 || z < 0", &[5, 7]),
            (5, "fail = 1", &[8]),
            (7, "fail = 0", &[8]),
            (8, "if !fail", &[9, 12]),
            (9, "x = y", &[10]),
            (10, "result = 0", &[12]),
            (12, "if result == 0", &[13, 22]),
            (13, "if z == 0", &[14, 16]),
            (14, "result = x + y", &[22]),
            (16, "if z > x && z > y || z > x + y", &[17, 19]),
            (17, "result = z", &[22]),
            (19, "result = x + y", &[22]),
            (22, "", &[]),
        ],
    )
}

/// Figure 4.13.
fn exit() -> Subject {
    subject(
        "b errno",
        &[
            (1, "if b > 0", &[2, 4]),
            (2, "r1 = 1", &[5]),
            (4, "r1 = 0", &[5]),
            (5, "if r1", &[6, 7]),
            (6, "error1 = 1", &[7]),
            (7, "if errno", &[8, 9]),
            (8, "error2 = 1", &[9]),
            (9, "if error1 && error2", &[10, 11]),
            (10, "", &[11]),
            (11, "", &[]),
        ],
    )
}

/// Figure 5.1, with the lines around it as the digest reconstructs them.
fn triangle() -> Subject {
    subject(
        "length s1 s2 s3",
        &[
            (34, "if length != 3", &[70, 37]),
            (37, "if s1 < 0 || s2 < 0 || s3 < 0", &[70, 40]),
            (40, "triang = 0", &[41]),
            (41, "if s1 == s2", &[42, 44]),
            (42, "triang = triang + 1", &[44]),
            (44, "if s2 == s3", &[45, 47]),
            (45, "triang = triang + 2", &[47]),
            (47, "if s1 == s3", &[48, 50]),
            (48, "triang = triang + 3", &[50]),
            (50, "if triang == 0", &[51, 57]),
            (51, "if s1 + s2 <= s3 || s2 + s3 <= s1 || s1 + s3 <= s2", &[70, 70]),
            (57, "if triang > 3", &[70, 60]),
            (60, "if triang == 1 && s1 + s2 > s3", &[70, 63]),
            (63, "if triang == 2 && s2 + s3 > s1", &[70, 66]),
            (66, "if triang == 3 && s1 + s3 > s2", &[70, 70]),
            (70, "", &[]),
        ],
    )
}

/// Figure 2.9, of McMinn and Holcombe.
pub(crate) fn flag_example() -> Subject {
    subject(
        "a b",
        &[
            (1, "flag = 0", &[2]),
            (2, "if a == 0", &[3, 4]),
            (3, "flag = 1", &[4]),
            (4, "if b != 0", &[5, 6]),
            (5, "flag = 0", &[6]),
            (6, "if flag", &[7, 8]),
            (7, "", &[8]),
            (8, "", &[]),
        ],
    )
}

#[test]
fn item_14_true_and_false_edges_of_calc() {
    let calc = calc();
    assert_eq!(calc.control_dep(14), set(&[12, 13]));
    assert_eq!(calc.control_dep(5), set(&[4]));
    assert_eq!(calc.control_dep(7), set(&[-4]));
    assert_eq!(calc.control_dep(19), set(&[12, -13, -16]));
    for always in [2, 4, 8, 12, 22] {
        assert_eq!(calc.control_dep(always), set(&[]), "line {always}");
    }
}

#[test]
fn item_15_control_dependence_is_signed_and_transitive() {
    assert_eq!(calc().control_dep(16), set(&[12, -13]));
    assert_eq!(calc().all_sets(16).plain, set(&[12, -13]));
}

/// `if (a) return; if (b) …;`, an `else if`, and `while (c) { if (b) break; if (d) …; }`.
#[test]
fn item_16_early_exits_control_what_follows() {
    let early_return = subject(
        "a b",
        &[(1, "if a", &[2, 3]), (2, "", &[]), (3, "if b", &[4, 5]), (4, "", &[5]), (5, "", &[])],
    );
    assert_eq!(early_return.control_dep(3), set(&[-1]));
    assert_eq!(early_return.control_dep(4), set(&[-1, 3]));
    let ladder =
        subject("a b c", &[(1, "if a", &[4, 2]), (2, "if b", &[4, 3]), (3, "if c", &[4, 4]), (4, "", &[])]);
    assert_eq!(ladder.control_dep(3), set(&[-1, -2]));
    let left = subject(
        "b c d",
        &[(1, "if c", &[2, 5]), (2, "if b", &[5, 3]), (3, "if d", &[4, 1]), (4, "", &[1]), (5, "", &[])],
    );
    assert_eq!(left.control_dep(3), set(&[1, -2]));
    assert_eq!(left.control_dep(1), set(&[]), "that the loop goes on is not how it begins");
}

/// `if (a || b) c: …;`, and two labels of a `switch`.
#[test]
fn item_16_a_block_may_be_reached_in_several_ways() {
    let either =
        subject("a b", &[(1, "if a", &[3, 2]), (2, "if b", &[3, 4]), (3, "if c", &[4, 4]), (4, "", &[])]);
    assert_eq!(either.dependence().ways(either.block(3), 9).sets, sets(&[&[1], &[-1, 2]]));
    assert_eq!(either.all_sets(3).plain, set(&[]), "no outcome is part of every way");
    let labels = subject("x y", &[(1, "switch x", &[2, 2, 3]), (2, "if y", &[3, 3]), (3, "", &[])]);
    assert_eq!(labels.dependence().ways(labels.block(2), 9).sets, sets(&[&[100], &[101]]));
}

#[test]
fn item_17_last_definitions() {
    assert_eq!(flag_example().last_defs("flag", 6), [1, 3, 5]);
    let calc = calc();
    assert_eq!(calc.last_defs("fail", 8), [5, 7], "line 3 is killed");
    assert_eq!(calc.last_defs("x", 16), [0, 9]);
    assert_eq!(calc.last_defs("result", 12), [2, 10]);
    assert_eq!(calc.last_defs("result", 22), [2, 10, 14, 17, 19]);
    assert_eq!(triangle().last_defs("triang", 48), [40, 42, 45], "itself comes too late");
}

/// `t[0] = 1; t[1] = 2; … t = others; t[0] = 3;`.
#[test]
fn item_17_a_definition_of_a_part_leaves_the_rest() {
    let parts = subject(
        "t others",
        &[
            (1, "part of t = 1", &[2]),
            (2, "part of t = 2", &[3]),
            (3, "if t", &[4, 5]),
            (4, "t = others", &[5]),
            (5, "part of t = 3", &[6]),
            (6, "if t", &[7, 7]),
            (7, "", &[]),
        ],
    );
    assert_eq!(parts.last_defs("t", 3), [0, 1, 2]);
    assert_eq!(parts.last_defs("t", 5), [0, 1, 2, 4]);
    assert_eq!(parts.last_defs("t", 6), [0, 1, 2, 4, 5]);
}

#[test]
fn item_17_code_that_is_never_reached_defines_nothing() {
    let dead = subject("x", &[(1, "y = 1", &[3]), (2, "y = 2", &[3]), (3, "if y", &[4, 4]), (4, "", &[])]);
    assert_eq!(dead.last_defs("y", 3), [1]);
    assert_eq!(dead.dependence().ways(dead.block(2), 9).sets, sets(&[]), "there is no way to it");
}

#[test]
fn item_18_inputs_are_defined_at_the_entry() {
    let exit = exit();
    assert_eq!(exit.last_defs("b", 1), [0]);
    assert_eq!(exit.last_defs("errno", 7), [0]);
    assert_eq!(exit.last_defs("error1", 9), [6], "a local without a value is no input");
}

#[test]
fn item_19_the_closure_of_the_exit_example() {
    let found: BTreeSet<DependenceSet> = exit().all_sets(9).chains.into_iter().collect();
    assert_eq!(found, sets(&[&[5, 1], &[5, -1], &[7]]));
}

#[test]
fn item_20_exactly_six_sets() {
    let found = exit().all_sets(9).sets;
    let in_order = [set(&[]), set(&[7]), set(&[-1, 5]), set(&[1, 5]), set(&[-1, 5, 7]), set(&[1, 5, 7])];
    assert_eq!(found, in_order);
}

/// As C evaluates line 9: `error2` is looked at only if `error1` is true.
#[test]
fn item_20_six_sets_with_short_circuit_evaluation() {
    let exit = subject(
        "b errno",
        &[
            (1, "if b > 0", &[2, 4]),
            (2, "r1 = 1", &[5]),
            (4, "r1 = 0", &[5]),
            (5, "if r1", &[6, 7]),
            (6, "error1 = 1", &[7]),
            (7, "if errno", &[8, 90]),
            (8, "error2 = 1", &[90]),
            (90, "if error1", &[91, 11]),
            (91, "if error2", &[10, 11]),
            (10, "", &[11]),
            (11, "", &[]),
        ],
    );
    let found: BTreeSet<DependenceSet> = exit.all_sets(91).sets.into_iter().collect();
    let expected: [&[i32]; 6] = [&[90], &[90, 5, 1], &[90, 5, -1], &[90, 7], &[90, 5, 1, 7], &[90, 5, -1, 7]];
    assert_eq!(found, sets(&expected));
    let of_the_first: BTreeSet<DependenceSet> = exit.all_sets(90).sets.into_iter().collect();
    assert_eq!(of_the_first, sets(&[&[], &[5, 1], &[5, -1]]), "error2 does not matter there");
}

/// `{8, 12, -13}` is what `x = y` in line 9 asks for where `y` comes from the parameter.
#[test]
fn item_21_variables_of_controlling_decisions_are_followed() {
    let found: BTreeSet<DependenceSet> = calc().all_sets(16).sets.into_iter().collect();
    assert_eq!(found, sets(&[&[12, -13], &[8, 12, -13], &[4, 8, 12, -13], &[-4, 8, 12, -13]]));
}

/// Line 4 as C evaluates it.
#[test]
fn item_21_each_way_to_a_definition_is_a_set() {
    let calc = subject(
        "x y z",
        &[
            (2, "result = -1", &[40]),
            (40, "if x < 0", &[5, 41]),
            (41, "if y < 0", &[5, 42]),
            (42, "if z < 0", &[5, 7]),
            (5, "fail = 1", &[8]),
            (7, "fail = 0", &[8]),
            (8, "if !fail", &[10, 12]),
            (10, "result = 0", &[12]),
            (12, "if result == 0", &[13, 13]),
            (13, "", &[]),
        ],
    );
    let found: BTreeSet<DependenceSet> = calc.all_sets(12).sets.into_iter().collect();
    let expected: [&[i32]; 5] = [&[], &[8, 40], &[8, -40, 41], &[8, -40, -41, 42], &[8, -40, -41, -42]];
    assert_eq!(found, sets(&expected));
}

/// `f1 && f2 && f3`.
#[test]
fn item_23_three_flags_at_once() {
    let flags = subject(
        "a b c",
        &[
            (1, "f1 = 0", &[2]),
            (2, "f2 = 0", &[3]),
            (3, "f3 = 0", &[4]),
            (4, "if a", &[5, 6]),
            (5, "f1 = 1", &[6]),
            (6, "if b", &[7, 8]),
            (7, "f2 = 1", &[8]),
            (8, "if c", &[9, 10]),
            (9, "f3 = 1", &[10]),
            (10, "if f1 && f2 && f3", &[11, 11]),
            (11, "", &[]),
        ],
    );
    let found: BTreeSet<DependenceSet> = flags.all_sets(10).sets.into_iter().collect();
    assert_eq!(found, sets(&[&[], &[4], &[6], &[8], &[4, 6], &[4, 8], &[6, 8], &[4, 6, 8]]));
}

/// Code whose conditions look at parameters only.
#[test]
fn item_24_without_flags_there_is_the_plain_set_alone() {
    let plain = subject(
        "a b c",
        &[(1, "if a", &[2, 5]), (2, "if b", &[5, 3]), (3, "if c", &[4, 5]), (4, "", &[5]), (5, "", &[])],
    );
    assert_eq!(plain.all_sets(3).sets, [set(&[1, -2])]);
}

/// Section 2.4 of the digest: the accumulated `triang` has eight histories, whichever decision looks at it.
#[test]
fn eight_projections_of_triangle() {
    let histories: [&[i32]; 8] = [&[], &[41], &[44], &[47], &[41, 44], &[41, 47], &[44, 47], &[41, 44, 47]];
    let controls: [(i32, &[i32]); 5] = [
        (50, &[-34, -37]),
        (57, &[-34, -37, -50]),
        (60, &[-34, -37, -50, -57]),
        (63, &[-34, -37, -50, -57, -60]),
        (66, &[-34, -37, -50, -57, -60, -63]),
    ];
    let triangle = triangle();
    for (line, control) in controls {
        let expected: BTreeSet<DependenceSet> = histories.iter().map(|h| &set(h) | &set(control)).collect();
        let found: BTreeSet<DependenceSet> = triangle.all_sets(line).sets.into_iter().collect();
        assert_eq!(found, expected, "line {line}");
        assert_eq!(triangle.all_sets(-line).sets, triangle.all_sets(line).sets, "the other outcome");
    }
}

/// Figure 2.10, of McMinn and Holcombe: a flag of flags.
#[test]
fn the_flags_of_check_errors() {
    let check_errors = subject(
        "r1 r2",
        &[
            (1, "error1 = 0", &[2]),
            (2, "error2 = 0", &[3]),
            (3, "shutdown = 0", &[4]),
            (4, "if r1 == 0", &[5, 6]),
            (5, "error1 = 1", &[6]),
            (6, "if r2 == 0", &[7, 8]),
            (7, "error2 = 1", &[8]),
            (8, "shutdown = error1 && error2", &[9]),
            (9, "if shutdown", &[10, 11]),
            (10, "", &[11]),
            (11, "", &[]),
        ],
    );
    assert_eq!(check_errors.all_sets(9).sets, [set(&[]), set(&[4]), set(&[6]), set(&[4, 6])]);
}

/// `switch (x) { case 1: f = 1; break; case 2: g = 1; } if (f && g) …`: no run jumps to both labels.
#[test]
fn item_20_two_labels_of_a_switch_conflict() {
    let labels = subject(
        "x",
        &[
            (1, "switch x", &[2, 3, 4]),
            (2, "f = 1", &[4]),
            (3, "g = 1", &[4]),
            (4, "if f && g", &[5, 5]),
            (5, "", &[]),
        ],
    );
    assert_eq!(labels.all_sets(4).sets, [set(&[]), set(&[100]), set(&[101])]);
}
