//! Classes before stack maps: verified by inference, with subroutines.

use crate::support::{all_hooks, assembled, java, java_sources, javac};
use java_classfile::rewrite::{Place, Plan, Snippet, Why};
use java_classfile::{ClassFile, Instruction, rewrite};
use std::path::Path;

fn compile_tools(folder: &Path) {
    javac(
        &["Hooks", "Old", "OldMain"].map(|name| java_sources().join(name).with_extension("java")),
        folder,
        &["--release", "8"],
    );
}

/// `static int run(int x) { y = x; add(); add(); return y; }`, where `add` is a subroutine of the method that adds 10.
fn with_subroutine() -> Vec<u8> {
    let code = [
        26, // 0: iload_0
        60, // 1: istore_1
        168, 0, 10, // 2: jsr 12
        168, 0, 7, // 5: jsr 12
        27, 172, // 8: iload_1, ireturn
        0, 0,  // 10: nop, nop
        77, // 12: astore_2
        132, 1, 10, // 13: iinc 1, 10
        27, // 16: iload_1
        158, 0, 3, // 17: ifle 20
        169, 2, // 20: ret 2
    ];
    assembled(&code, &[])
}

/// A class as a compiler of Java 1.4 would have written it: of version 48, and without a stack map under this name.
fn aged(mut class: Vec<u8>) -> Vec<u8> {
    class[6..8].copy_from_slice(&[0, 48]);
    let name = b"StackMapTable";
    let at = class.windows(name.len()).position(|window| window == name).expect("a stack map");
    class[at] = b'X';
    class
}

#[test]
fn old_classes_and_subroutines_work_with_hooks() {
    let folder = tempfile::tempdir().expect("writable");
    let folder = folder.path();
    compile_tools(folder);
    let file = folder.join("Old.class");
    let old = aged(std::fs::read(&file).expect("readable"));
    let run = |old: &[u8], sub: &[u8]| {
        std::fs::write(&file, old).expect("writable");
        std::fs::write(folder.join("Sub.class"), sub).expect("writable");
        java("remote", &[folder], &["OldMain"])
    };
    let sub = with_subroutine();
    let plain = run(&old, &sub);
    assert_eq!(plain.lines().last(), Some("25 {}"));

    let hooked = |bytes: &[u8]| {
        let class = ClassFile::read(bytes).expect("well-formed");
        assert!(
            class.methods.iter().filter_map(|method| method.code.as_ref()).all(|code| code.frames.is_none())
        );
        let rewritten = rewrite(bytes, &all_hooks(&class)).expect("rewritten");
        assert_eq!(rewritten.untouched, []);
        rewritten.bytes
    };
    let with_hooks = run(&hooked(&old), &hooked(&sub));
    let counted = "25 {branch=2, entry=1}";
    assert_eq!(with_hooks.lines().last(), Some(counted));
    assert_eq!(with_hooks.replace(counted, "25 {}"), plain);
}

#[test]
fn a_class_that_cannot_push_classes_is_left_alone() {
    let mut plan = Plan::new();
    plan.insert(0, Place::Entry, Snippet::new().class("Sub").pop());
    let sub = with_subroutine();
    let rewritten = rewrite(&sub, &plan).expect("rewritten");
    assert_eq!(rewritten.untouched[0].why, Why::ClassConstant);
    assert_eq!(rewritten.bytes, sub, "nothing of it is left behind");
}

#[test]
fn subroutines_are_read_and_moved() {
    let sub = with_subroutine();
    let class = ClassFile::read(&sub).expect("well-formed");
    let code = class.methods[0].code.as_ref().expect("code");
    assert_eq!(code.at(5), Some(&Instruction::Jsr { target: 12 }));
    let mut plan = Plan::new();
    plan.insert(0, Place::Before(12), Snippet::new().int(1000).pop());
    plan.insert(0, Place::After(2), Snippet::new().null().pop());
    let rewritten = rewrite(&sub, &plan).expect("rewritten");
    let moved = &rewritten.moved[&0];
    assert_eq!([2, 5, 12, 20].map(|old| moved.new_pc(old)), [2, 7, 18, 26].map(Some));
    assert_eq!((moved.old_pc(18), moved.old_pc(14), moved.new_pc(3)), (Some(12), None, None));
    let class = ClassFile::read(&rewritten.bytes).expect("well-formed");
    let code = class.methods[0].code.as_ref().expect("code");
    assert_eq!(code.at(2), Some(&Instruction::Jsr { target: 14 }));
    assert_eq!(code.at(7), Some(&Instruction::Jsr { target: 14 }));
}
