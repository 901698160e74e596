//! Class files with something wrong: every one is refused with an error or read, and what is read can be rewritten.

use crate::support::{class_files, jar, try_hooks, unpack};
use java_classfile::{ClassFile, Malformed, rewrite};
use proptest::prelude::*;
use std::sync::LazyLock;

/// Classes of a library.
static CLASSES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("writable");
    unpack(&jar("commons-io"), folder.path());
    let files = class_files(folder.path());
    files.iter().map(|file| std::fs::read(file).expect("readable")).collect()
});

/// Reads, looks at and rewrites a class, if it is one.
fn exercise(bytes: &[u8]) {
    let Ok(class) = ClassFile::read(bytes) else { return };
    let Ok(plan) = try_hooks(&class) else { return };
    let rewritten = rewrite(bytes, &plan).expect("a plan that fits");
    let again = ClassFile::read(&rewritten.bytes).expect("what was written can be read");
    assert_eq!(again.methods.len(), class.methods.len());
}

#[test]
fn a_class_that_ends_early_is_refused_wherever_it_ends() {
    let class = CLASSES.iter().min_by_key(|class| class.len().abs_diff(6000)).expect("classes");
    for length in 0..class.len() {
        let error = ClassFile::read(&class[..length]).expect_err("ends early");
        assert_eq!(error.what, Malformed::Truncated);
        assert!(error.at <= length, "{error} of {length}");
    }
    let longer = [&class[..], &[0]].concat();
    assert_eq!(ClassFile::read(&longer).expect_err("too long").what, Malformed::Excess(1));
}

#[test]
fn other_files_are_no_classes() {
    assert_eq!(ClassFile::read(b"").expect_err("empty").what, Malformed::Truncated);
    assert_eq!(ClassFile::read(b"PK\x03\x04....").expect_err("a jar").what, Malformed::Magic);
    let old = [0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 44, 0, 1];
    assert_eq!(ClassFile::read(&old).expect_err("too old").what, Malformed::Version(44));
}

/// Where in a class, as a share of its length, and what is put there.
fn changes() -> impl Strategy<Value = Vec<(f64, u8)>> {
    prop::collection::vec((0.0..1.0, any::<u8>()), 1..6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn changed_bytes_do_no_harm(which in any::<prop::sample::Index>(), changes in changes()) {
        let mut bytes = which.get(&CLASSES).clone();
        for (share, value) in changes {
            let at = (share * bytes.len() as f64) as usize;
            bytes[at] = value;
        }
        exercise(&bytes);
    }

    #[test]
    fn changed_bits_and_lost_ends_do_no_harm(
        which in any::<prop::sample::Index>(),
        share in 0.0..1.0,
        bit in 0..8_u32,
        end in 0.5..1.0,
    ) {
        let mut bytes = which.get(&CLASSES).clone();
        let at = (share * bytes.len() as f64) as usize;
        bytes[at] ^= 1_u8 << bit;
        exercise(&bytes);
        bytes.truncate((end * bytes.len() as f64) as usize);
        exercise(&bytes);
    }
}
