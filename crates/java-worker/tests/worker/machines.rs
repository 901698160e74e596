//! Machines themselves: how they start, and what becomes of those that fail.

use crate::support::*;
use java_wire::Value;
use java_wire::message::Seen;
use java_worker::{Answer, Gone, Home, Host, Machine, MachineSettings, Prepared, StartError};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn settings() -> (MachineSettings, tempfile::TempDir) {
    let scratch = tempfile::tempdir().expect("a folder");
    (MachineSettings::new(scratch.path()), scratch)
}

#[test]
fn a_command_before_the_launcher_starts_it() {
    let mut stage = stage_with(prepared(), |settings| {
        settings.wrapper = vec!["/usr/bin/env".into(), "PROBE=yes".into()];
    });
    let mut test = Draft::new();
    let name = test.text("PROBE");
    test.call_static("java/lang/System.getenv(Ljava/lang/String;)Ljava/lang/String;", &[name]);
    assert_eq!(stage.result(&test), Seen::Value(Value::Text("yes".encode_utf16().collect())));
}

#[test]
fn machines_share_a_folder_that_goes_with_them() {
    let (settings, scratch) = settings();
    let home = Arc::new(Home::make(&settings, prepared()).expect("a folder"));
    let test = ints("probe/Echo.next()I", &[]);
    let mut hosts = [Host::start_in(&home).expect("a machine"), Host::start_in(&home).expect("a machine")];
    drop(home);
    for host in &mut hosts {
        let (id, _) = host.learn(&test.script).expect("a machine");
        let Answer::Ran(ran) = host.run(id, &[], MANNER).expect("a machine") else { panic!("gone") };
        assert_eq!(ran.reply.results, [Seen::Value(Value::Int(1))]);
    }
    drop(hosts);
    assert_eq!(std::fs::read_dir(scratch.path()).expect("a folder").count(), 0);
}

#[test]
fn what_does_not_start_says_why() {
    let (mut settings, _scratch) = settings();
    settings.java = "/nowhere/java".into();
    let error = Machine::start(&settings, &Prepared::new()).expect_err("no such command");
    assert!(matches!(&error, StartError::Command { command, .. } if command == "/nowhere/java"), "{error}");

    settings.java = "java".into();
    settings.flags = vec!["-Xmx1k".into()];
    let error =
        Machine::start(&settings, &Prepared::new()).expect_err("a heap that is too small").to_string();
    assert!(error.contains("status 1") && error.contains("heap"), "{error}");

    // A command that stays silent.
    settings.flags = Vec::new();
    settings.wrapper = vec!["sh".into(), "-c".into(), "sleep 1000".into()];
    settings.start_timeout = Duration::from_millis(300);
    let started = Instant::now();
    let error = Machine::start(&settings, &Prepared::new()).expect_err("silence");
    assert!(matches!(error, StartError::Silent(_)), "{error}");
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_machine_that_speaks_nonsense_is_replaced() {
    let mut stage = stage();
    match stage.answer(&ints("probe/Stays.speakOut()V", &[]), MANNER) {
        Answer::Gone(Gone::Garbled) => {}
        other => panic!("{other:?}"),
    }
    assert_eq!(stage.result(&ints("probe/Echo.next()I", &[])), Seen::Value(Value::Int(1)));
    assert_eq!((stage.host.counts().started, stage.host.counts().died), (2, 1));
}
