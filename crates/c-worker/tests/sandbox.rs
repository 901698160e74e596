//! What is enforced after entering the sandbox, tried in forked children: it is for good.

use c_worker::sandbox::{self, Enforced, SandboxPolicy};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs `check` in a child inside a sandbox; the number of the first failing line, or 0.
fn inside(scratch: &Path, check: fn(&Path) -> i32) -> i32 {
    // SAFETY: the child only does what a freshly forked process may do with the C library, and exits.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            let report = sandbox::enter(&SandboxPolicy::new(scratch));
            let enforced = report.system_calls == Enforced::Fully && report.limits == Enforced::Fully;
            libc::_exit(if enforced { check(scratch) } else { 100 });
        }
        let mut status = 0;
        libc::waitpid(child, &mut status, 0);
        assert!(libc::WIFEXITED(status), "{status:x}");
        libc::WEXITSTATUS(status)
    }
}

fn denied<T>(result: std::io::Result<T>) -> bool {
    result.is_err_and(|e| matches!(e.raw_os_error(), Some(libc::EPERM | libc::EACCES)))
}

fn first_failure(checks: &[bool]) -> i32 {
    checks.iter().position(|&ok| !ok).map_or(0, |i| i as i32 + 1)
}

#[test]
fn writes_only_below_scratch() {
    let outside = tempfile::tempdir().unwrap();
    fs::create_dir(outside.path().join("scratch")).unwrap();
    fs::write(outside.path().join("victim"), "here").unwrap();
    let code = inside(&outside.path().join("scratch"), |scratch| {
        let victim = scratch.with_file_name("victim");
        first_failure(&[
            fs::write(scratch.join("file"), "text").is_ok(),
            fs::read(&victim).is_ok_and(|text| text == b"here"),
            fs::write("/dev/null", "text").is_ok(),
            denied(fs::write(&victim, "gone")),
            denied(fs::remove_file(&victim)),
            denied(fs::write(scratch.with_file_name("new"), "text")),
            denied(fs::rename(&victim, scratch.join("victim"))),
            denied(fs::set_permissions(&victim, std::os::unix::fs::PermissionsExt::from_mode(0o0))),
        ])
    });
    assert_eq!(code, 0, "first failing check");
    assert_eq!(fs::read(outside.path().join("victim")).unwrap(), b"here");
}

#[test]
fn no_network_no_administration_no_signals() {
    let scratch = tempfile::tempdir().unwrap();
    let code = inside(scratch.path(), |_| {
        let refused =
            |result: i64| result == -1 && std::io::Error::last_os_error().raw_os_error() == Some(libc::EPERM);
        // SAFETY: plain system calls.
        unsafe {
            first_failure(&[
                refused(libc::socket(libc::AF_INET, libc::SOCK_STREAM, 0).into()),
                refused(libc::socket(libc::AF_UNIX, libc::SOCK_DGRAM, 0).into()),
                refused(libc::ptrace(libc::PTRACE_TRACEME)),
                refused(libc::unshare(libc::CLONE_NEWUSER).into()),
                refused(libc::setuid(0).into()),
                refused(libc::kill(libc::getppid(), 0).into()),
                refused(libc::kill(-1, 0).into()),
                libc::kill(libc::getpid(), 0) == 0,
                libc::raise(0) == 0,
                libc::getpid() > 0,
            ])
        }
    });
    assert_eq!(code, 0, "first failing check");
}

#[test]
fn files_and_descriptors_are_bounded() {
    let scratch = tempfile::tempdir().unwrap();
    let code = inside(scratch.path(), |scratch| {
        let file = fs::File::create(scratch.join("large")).unwrap();
        let too_large = file.set_len(17 << 20).is_err_and(|e| e.raw_os_error() == Some(libc::EFBIG));
        // SAFETY: plain system call.
        let most = (0..300).take_while(|_| unsafe { libc::dup(0) } >= 0).count();
        first_failure(&[too_large, file.set_len(1 << 20).is_ok(), most < 256])
    });
    assert_eq!(code, 0, "first failing check");
}

#[test]
fn addresses_repeat_without_randomisation() {
    let stack = || {
        let mut command = Command::new("cat");
        command.arg("/proc/self/stat");
        sandbox::disable_aslr(&mut command);
        let stat = String::from_utf8(command.output().unwrap().stdout).unwrap();
        // Field 28 is the bottom of the stack; the command's name in field 2 has no blank.
        stat.split(' ').nth(27).unwrap().to_owned()
    };
    assert_eq!(stack(), stack());
}
