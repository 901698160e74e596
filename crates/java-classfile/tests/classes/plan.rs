//! Plans that do not fit their class, and methods that have no room.

use crate::support::assembled;
use java_classfile::rewrite::{Place, Plan, RewriteError, Snippet, Untouched, Why};
use java_classfile::{ClassFile, Malformed, rewrite};

/// `iload_0, ifeq 5, nop, iconst_1, ireturn`, with its first instruction protected and a handler that is fallen into too.
fn class() -> Vec<u8> {
    assembled(&[26, 153, 0, 4, 0, 4, 172], &[[0, 1, 5]])
}

fn refused(method: usize, place: Place, snippet: Snippet) -> RewriteError {
    let mut plan = Plan::new();
    plan.insert(method, place, snippet);
    rewrite(&class(), &plan).expect_err("refused")
}

#[test]
fn places_that_do_not_exist_are_named() {
    for place in
        [Place::Before(2), Place::After(7), Place::After(6), Place::Handler(0), Place::Before(u32::MAX)]
    {
        assert_eq!(refused(0, place, Snippet::new()), RewriteError::NoSuchPlace { method: 0, place });
    }
    assert_eq!(refused(1, Place::Entry, Snippet::new()), RewriteError::NoCode(1));
}

#[test]
fn code_that_changes_the_height_of_the_stack_is_refused() {
    let place = Place::Entry;
    let unbalanced = |by| RewriteError::Unbalanced { method: 0, place, by };
    assert_eq!(refused(0, place, Snippet::new().int(1)), unbalanced(1));
    assert_eq!(refused(0, place, Snippet::new().pop2()), unbalanced(-2));
    let call = Snippet::new().int(1).invoke_static("A", "f", "(IJLjava/lang/String;)D");
    assert_eq!(refused(0, place, call), unbalanced(1 - 4 + 2));
}

#[test]
fn malformed_names_are_refused() {
    let call = Snippet::new().invoke_static("A", "f", "(I");
    assert_eq!(refused(0, Place::Entry, call), RewriteError::Snippet(Malformed::Descriptor("(I".into())));
    let long = Snippet::new().string(&"é".repeat(40_000)).pop();
    assert_eq!(refused(0, Place::Entry, long), RewriteError::Snippet(Malformed::Text));
    assert!(matches!(rewrite(b"no class", &Plan::new()), Err(RewriteError::Class(_))));
}

#[test]
fn a_handler_that_is_fallen_into_gets_no_code() {
    let mut plan = Plan::new();
    plan.insert(0, Place::Handler(5), Snippet::new().dup().pop());
    let rewritten = rewrite(&class(), &plan).expect("rewritten");
    assert_eq!(rewritten.untouched, [Untouched { method: 0, why: Why::SharedHandler(5) }]);
    assert_eq!(rewritten.bytes, class());
}

#[test]
fn an_empty_plan_changes_nothing() {
    let rewritten = rewrite(&class(), &Plan::new()).expect("rewritten");
    assert_eq!(rewritten.bytes, class());
}

#[test]
fn constants_stand_once() {
    let mut plan = Plan::new();
    for place in [Place::Entry, Place::Before(1), Place::After(4)] {
        plan.insert(0, place, Snippet::new().string("Sub").pop().int(100_000).pop());
    }
    let rewritten = rewrite(&class(), &plan).expect("rewritten");
    let class = ClassFile::read(&class()).expect("well-formed");
    let again = ClassFile::read(&rewritten.bytes).expect("well-formed");
    // The string and the number; the text was there.
    assert_eq!(again.pool.count(), class.pool.count() + 2);
}

#[test]
fn stack_and_variables_grow_by_what_is_needed() {
    let mut plan = Plan::new();
    plan.insert(0, Place::Entry, Snippet::new().long(7).long(8).pop2().pop2());
    plan.insert(0, Place::Before(1), Snippet::new().dup().pop());
    let keep = Snippet::new().int(1).store(java_classfile::instruction::Kind::Int, 9);
    plan.insert(0, Place::Before(4), keep);
    let rewritten = rewrite(&class(), &plan).expect("rewritten");
    let again = ClassFile::read(&rewritten.bytes).expect("well-formed");
    let code = again.methods[0].code.as_ref().expect("code");
    assert_eq!((code.max_stack, code.max_locals), (1 + 4, 10));
}
