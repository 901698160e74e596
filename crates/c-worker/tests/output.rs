//! Standard output is caught. One test only: it redirects the process's own descriptors.

mod common;

use c_worker::{CTarget, Isolation, StdoutCapture};
use common::Build;
use target::{Outcome, Target};

const PRINTS: &str = r#"
    #include <stdio.h>
    #include <unistd.h>
    #include "abi.h"
    static int prints(int n) {
        for (int i = 0; i < n; i++) fputs("0123456789abcde\n", stdout);
        return getchar();
    }
    static int raw(int n) { return write(1, "raw", n); }
    static int leaves(int n) { printf("partial"); if (n == 1) *(volatile int *)0 = 1; if (n == 2) abort(); if (n == 3) _exit(5); exit(4); return 0; }
    INT1(prints) INT1(raw) INT1(leaves)
"#;

fn printed(target: &mut CTarget) -> Vec<u8> {
    target.observe().stdout.expect("output of one process")
}

#[test]
fn output_is_observed_and_forgotten() {
    for isolation in [Isolation::InProcess, Isolation::Fork] {
        let mut target = Build::new()
            .ints(&["prints", "raw", "leaves"])
            .calls("prints", &["fputs", "getchar"])
            .calls("raw", &["write"])
            .calls("leaves", &["printf"])
            .load_with(PRINTS, isolation, common::limits());
        target.capture_stdout(StdoutCapture::install().unwrap());
        assert_eq!(target.value("prints", &[2]), -1, "standard input is at its end");
        assert_eq!(printed(&mut target), b"0123456789abcde\n0123456789abcde\n");
        target.again(&[0]);
        assert_eq!(printed(&mut target), b"");
        assert_eq!(target.again(&[65_536]), Outcome::Returned, "a megabyte");
        let seen = printed(&mut target);
        assert_eq!(seen.len(), 65_536);
        assert!(seen.chunks(16).all(|line| line == b"0123456789abcde\n"));
        target.again(&[1]);
        assert_eq!(printed(&mut target), b"0123456789abcde\n");
        assert_eq!(target.value("raw", &[3]), 3);
        assert_eq!(printed(&mut target), b"raw");
        assert!(matches!(target.run_ints("leaves", &[1]), Outcome::Crashed(_)));
        assert_eq!(target.again(&[0]), Outcome::Exited(4));
        assert_eq!(printed(&mut target), b"partial");
        assert_eq!(target.again(&[2]), Outcome::Aborted);
        assert_eq!(printed(&mut target), b"", "abort does not flush");
        assert_eq!(target.again(&[3]), Outcome::Exited(5));
        assert_eq!(printed(&mut target), b"", "nor does _exit");
    }
}
