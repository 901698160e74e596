//! Code that no verifier accepts is refused where all paths are followed, and heights of stacks are known where it is sound.

use crate::support::assembled;
use java_classfile::{ClassFile, FlowError, FlowProblem, Initialization, Slot};

/// Follows a method with one slot of stack that takes and returns an `int`.
fn follow(code: &[u8], handlers: &[[u8; 3]]) -> Result<Initialization, FlowError> {
    let class = ClassFile::read(&assembled(code, handlers)).expect("well-formed");
    Ok(Initialization::of(&class, &class.methods[0])?.expect("code"))
}

#[test]
fn stacks_that_do_not_work_out_are_named() {
    let failed = |code: &[u8]| follow(code, &[]).expect_err("unsound");
    // pop
    assert_eq!(failed(&[87, 177]), FlowError { pc: 0, what: FlowProblem::Underflow });
    // iconst_0, iconst_0
    assert_eq!(failed(&[3, 3, 172]), FlowError { pc: 2, what: FlowProblem::Overflow });
    // iload_0, ifeq 5, iload_0, ireturn
    assert_eq!(failed(&[26, 153, 0, 4, 26, 172]), FlowError { pc: 5, what: FlowProblem::Height });
    // iload_0, nop
    assert_eq!(failed(&[26, 0]), FlowError { pc: 2, what: FlowProblem::NoEnd });
}

#[test]
fn heights_are_known_on_all_paths_and_in_handlers() {
    // iload_0, ireturn, nop (unreachable), pop (handler of the first), iconst_0, ireturn
    let flow = follow(&[26, 172, 0, 87, 3, 172], &[[0, 1, 3]]).expect("sound");
    let heights = [0, 1, 2, 3, 4, 5].map(|pc| flow.stack_height(pc));
    assert_eq!(heights, [Some(0), Some(1), None, Some(1), Some(0), Some(1)]);
    assert!(!flow.is_reachable(2));
    assert_eq!((flow.operand(3, 0), flow.operand(3, 1)), (Some(Slot::Value), None));
    assert!(!flow.this_is_uninitialized(0), "a static method");
}
