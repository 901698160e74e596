//! Code that does not want to end, or ends more than itself.

use crate::support::*;
use java_wire::Value;
use java_wire::event::{Code, Events};
use java_wire::message::{End, Manner, Seen};
use java_worker::{Answer, Gone, Machine, MachineSettings};
use std::time::{Duration, Instant};

fn int(value: i32) -> Seen {
    Seen::Value(Value::Int(value))
}

/// A method of an object made without parameters.
fn on_new(class: &str, method: &str, value: i32) -> Draft {
    let mut test = Draft::new();
    let value = test.int(value);
    let object = test.new_object(class, "()V", &[]);
    test.call(&format!("{class}.{method}"), &[object, value]);
    test
}

fn end(stage: &mut Stage, test: &Draft) -> End {
    stage.run(test, MANNER).reply.end
}

#[test]
fn endless_loops_run_out_of_ticks() {
    let mut stage = stage();
    let cases = [("plain(I)I", 7), ("empty(I)I", 3), ("catching(I)I", 101), ("inFinally(I)I", -11)];
    for full in [false, true] {
        for (method, value) in cases {
            let test = on_new("hostile/EndlessLoop", method, value);
            let ran = stage.run(&test, Manner { full, ticks: 200_000, ..MANNER });
            assert_eq!(ran.reply.end, End::OutOfTicks { step: 1 }, "{method}");
            assert_eq!(ran.reply.results.len(), 1);
        }
    }
    assert_eq!(stage.result(&on_new("hostile/EndlessLoop", "empty(I)I", 4)), int(5));
    assert_eq!(stage.host.counts().started, 1);
}

#[test]
fn a_class_that_never_gets_ready_runs_out_of_ticks_each_time() {
    let mut stage = stage();
    for fresh in [true, false, false] {
        let ran = stage.run(&ints("hostile/EndlessInit.check(I)I", &[1]), Manner { fresh, ..MANNER });
        assert_eq!(ran.reply.end, End::OutOfTicks { step: 0 });
    }
    assert_eq!(stage.host.counts().started, 1);
}

#[test]
fn a_class_that_fails_to_get_ready_throws() {
    let mut stage = stage();
    let mut thrown = |fresh| match stage
        .run(&ints("hostile/ThrowingInit.sizePlus(I)I", &[1]), Manner { fresh, ..MANNER })
        .reply
        .end
    {
        End::Threw { step: 0, thrown } => thrown.class,
        other => panic!("{other:?}"),
    };
    assert_eq!(thrown(true), "java/lang/ExceptionInInitializerError");
    assert_eq!(thrown(false), "java/lang/NoClassDefFoundError");
    assert_eq!(thrown(true), "java/lang/ExceptionInInitializerError");
}

#[test]
fn c69_deep_recursion_and_full_memory_are_survived() {
    let mut stage = stage();
    let error = |thrown: (String, Option<String>)| thrown.0;
    let descend = on_new("hostile/StackOverflow", "descend(I)I", 1_000_000);
    for _ in 0..3 {
        assert_eq!(error(stage.thrown(&descend)), "java/lang/StackOverflowError");
    }
    let survives = on_new("hostile/StackOverflow", "survives(I)Z", 1_000_000);
    assert_eq!(stage.result(&survives), Seen::Value(Value::Boolean(true)));
    let mut prints = Draft::new();
    prints.new_object("hostile/StackOverflow", "()V", &[]);
    assert_eq!(stage.result(&prints), Seen::Object("hostile/StackOverflow".into(), None));
    for _ in 0..2 {
        let mut hoard = Draft::new();
        let all = hoard.int(42);
        hoard.call_static("probe/Echo.next()I", &[]);
        hoard.call_static("hostile/OutOfMemory.hoard(I)I", &[all]);
        assert_eq!(error(stage.thrown(&hoard)), "java/lang/OutOfMemoryError");
        let array = ints("hostile/OutOfMemory.oneArray(I)I", &[11]);
        assert_eq!(error(stage.thrown(&array)), "java/lang/OutOfMemoryError");
        let mut text = Draft::new();
        let start = text.text("abc");
        text.call_static("hostile/OutOfMemory.text(Ljava/lang/String;)I", &[start]);
        assert_eq!(error(stage.thrown(&text)), "java/lang/OutOfMemoryError");
        assert_eq!(stage.result(&ints("hostile/OutOfMemory.hoard(I)I", &[1])), int(0));
    }
    assert_eq!(stage.host.counts().started, 1);
}

#[test]
fn ends_of_the_machine_are_told() {
    let mut stage = stage();
    let exited = |status| End::Exited { step: 0, status };
    assert_eq!(end(&mut stage, &ints("hostile/Exits.exit(I)I", &[10])), exited(3));
    assert_eq!(end(&mut stage, &ints("hostile/Exits.halt(I)I", &[-1])), exited(0));
    assert_eq!(end(&mut stage, &ints("probe/Stays.exitInThread()I", &[])), exited(5));
    let mut caught = Draft::new();
    let text = caught.text("x");
    caught.call_static("hostile/Exits.exitInCatch(Ljava/lang/String;)I", &[text]);
    assert_eq!(end(&mut stage, &caught), exited(1));
    assert_eq!(stage.result(&ints("hostile/Exits.exit(I)I", &[4])), int(1));
    // Text of an object that would end the machine: there is none, and the machine goes on.
    let poison = ints("hostile/Poison.of(I)Lhostile/Poison;", &[2]);
    assert_eq!(stage.result(&poison), Seen::Object("hostile/Poison".into(), None));
    assert_eq!(stage.host.counts().started, 1);
    // Through reflection no hook is in the way.
    match stage.answer(&ints("probe/Stays.exitElsewhere()I", &[]), MANNER) {
        Answer::Gone(Gone::Died { status: Some(17), .. }) => {}
        other => panic!("{other:?}"),
    }
    assert_eq!(stage.result(&ints("hostile/Exits.exit(I)I", &[4])), int(1));
    assert_eq!((stage.host.counts().started, stage.host.counts().died), (2, 1));
}

#[test]
fn where_a_run_was_stopped_is_told() {
    let mut stage = stage();
    let at = |class: &str, method: &str, line: u32| vec![(class.to_owned(), method.to_owned(), line)];
    let exit = stage.run(&ints("hostile/Exits.exit(I)I", &[10]), MANNER).reply;
    assert_eq!(
        (exit.end, exit.stopped),
        (End::Exited { step: 0, status: 3 }, at("hostile/Exits", "exit", 12))
    );
    let reply = stage.run(&on_new("hostile/EndlessLoop", "empty(I)I", 3), MANNER).reply;
    assert_eq!(reply.stopped, at("hostile/EndlessLoop", "empty", 22));
    let reply = stage.run(&ints("hostile/OutOfMemory.oneArray(I)I", &[11]), MANNER).reply;
    assert_eq!(reply.stopped, at("hostile/OutOfMemory", "oneArray", 15));
    let reply = stage.run(&ints("hostile/ThrowingInit.sizePlus(I)I", &[1]), MANNER).reply;
    let End::Threw { thrown, .. } = reply.end else { panic!("{:?}", reply.end) };
    assert_eq!(thrown.message.as_deref(), Some("java.lang.IllegalStateException: no size"));
    assert_eq!(thrown.stack[0], ("hostile/ThrowingInit".to_owned(), "size".to_owned(), 13));
    let reply = stage.run(&ints("hostile/Exits.exit(I)I", &[1]), MANNER).reply;
    assert_eq!((reply.end, reply.stopped), (End::Returned, Vec::new()));
}

#[test]
fn a_machine_that_was_ended_leaves_its_trace_and_its_place() {
    let scratch = tempfile::tempdir().expect("a folder");
    let settings =
        MachineSettings { run_timeout: Duration::from_secs(4), ..MachineSettings::new(scratch.path()) };
    let mut machine = Machine::start(&settings, prepared()).expect("a machine");
    let test = ints("hostile/Sleeps.nap(I)I", &[1001]);
    let (number, _) = machine.learn(&test.script).expect("a script");
    let gone = machine.run(number, &test.values, MANNER).expect_err("it sleeps");
    assert!(matches!(gone, Gone::Hung(_)), "{gone:?}");
    let remains = machine.remains();
    let own = remains.stack.iter().find(|(class, ..)| class == "hostile/Sleeps");
    assert_eq!(own, Some(&("hostile/Sleeps".to_owned(), "nap".to_owned(), 11)));
    let codes: Vec<Code> = Events::new(remains.words).map_while(Result::ok).map(|event| event.code).collect();
    assert_eq!(codes.first(), Some(&Code::Step));
    assert!(codes.iter().any(|code| matches!(code, Code::Jump | Code::JumpTwo)), "{codes:?}");
}

#[test]
fn files_that_stay_are_told_and_taken_away() {
    let mut stage = stage();
    for _ in 0..2 {
        let mut test = Draft::new();
        let name = test.text("left");
        test.call_static("probe/Stays.leaveFile(Ljava/lang/String;)I", &[name]);
        let ran = stage.run(&test, MANNER);
        // Its folder for temporary files is there, too.
        assert_eq!(
            (&ran.reply.end, ran.reply.results.first(), ran.reply.litters),
            (&End::Returned, Some(&int(2)), true)
        );
        let ran = stage.run(&ints("probe/Stays.leaveTemporary()I", &[]), MANNER);
        assert_eq!(
            (&ran.reply.end, ran.reply.results.first(), ran.reply.litters),
            (&End::Returned, Some(&int(1)), false)
        );
    }
    assert_eq!(stage.host.counts().started, 1);
}

#[test]
fn it_is_told_whether_a_watched_run_asks_the_machine() {
    let mut stage = stage();
    let mut asks = |method: &str, name: Option<&str>, watched: bool| {
        let mut test = Draft::new();
        let arguments: Vec<_> = name.iter().map(|name| test.text(name)).collect();
        test.call_static(&format!("probe/Asks.{method}"), &arguments);
        stage.run(&test, Manner { watched, ..MANNER }).reply.litters
    };
    const EXISTS: &str = "exists(Ljava/lang/String;)Z";
    const DELETES: &str = "deletes(Ljava/lang/String;)Z";
    for (method, name, expected) in [
        (EXISTS, Some("/etc/passwd"), true),
        (EXISTS, Some("."), true),
        (EXISTS, Some("/no/such/file"), false),
        (EXISTS, Some("nowhere"), false),
        ("isHere()Z", None, true),
        ("temporary()Z", None, false),
        (DELETES, Some("../nowhere"), true),
        ("network()Z", None, true),
        ("property()Z", None, false),
    ] {
        assert_eq!(asks(method, name, true), expected, "{method} {name:?}");
        assert!(!asks(method, name, false), "nobody looked at {method}");
    }
    // Who watches is seen, and not there any more afterwards.
    let mut sees = |watched| {
        let test = ints("probe/Asks.isWatched()Z", &[]);
        stage.run(&test, Manner { watched, ..MANNER }).reply.results
    };
    assert_eq!(sees(true), [Seen::Value(Value::Boolean(true))]);
    assert_eq!(sees(false), [Seen::Value(Value::Boolean(false))]);
}

#[test]
fn threads_that_stay_spoil_the_machine() {
    let mut stage = stage();
    assert!(!stage.run(&ints("probe/Stays.passingThread(I)I", &[4]), MANNER).reply.tainted);
    assert_eq!(stage.result(&ints("probe/Stays.passingThread(I)I", &[4])), int(6));
    assert_eq!(stage.host.counts().started, 1);
    assert!(stage.run(&ints("probe/Stays.leaveThread()V", &[]), MANNER).reply.tainted);
    assert_eq!(stage.result(&ints("probe/Stays.passingThread(I)I", &[4])), int(6));
    assert_eq!((stage.host.counts().started, stage.host.counts().spoiled), (2, 1));
    // Spinning ones have ticks too.
    let spin = on_new("hostile/Threads", "spin(I)V", 3);
    assert_eq!(end(&mut stage, &spin), End::Returned);
    let interrupts = on_new("hostile/Threads", "interruptCaller(I)I", 2);
    assert_eq!(stage.result(&interrupts), int(1));
    assert_eq!(stage.result(&on_new("hostile/Threads", "interruptCaller(I)I", 3)), int(0));
}

#[test]
fn a_silent_machine_is_replaced() {
    let timeout = Duration::from_millis(1500);
    let mut stage = stage_with(prepared(), |settings| settings.run_timeout = timeout);
    let started = Instant::now();
    match stage.answer(&ints("hostile/Sleeps.nap(I)I", &[1001]), MANNER) {
        Answer::Gone(Gone::Hung(after)) => assert_eq!(after, timeout),
        other => panic!("{other:?}"),
    }
    assert!(started.elapsed() >= timeout);
    // Loaded machines take their time to start, so the next ones may have more of it.
    assert!(started.elapsed() < timeout + Duration::from_secs(10));
    assert_eq!(stage.result(&ints("hostile/Sleeps.nap(I)I", &[1000])), int(1));
    let counts = stage.host.counts();
    assert_eq!((counts.runs, counts.started, counts.hung, counts.died), (2, 2, 1, 0));
}

#[test]
fn standard_streams_are_empty_bounded_and_restored() {
    let mut stage = stage();
    let ran = stage.run(&ints("hostile/HugeOutput.print(I)I", &[6]), MANNER);
    assert_eq!(ran.reply.end, End::OutOfTicks { step: 0 });
    assert_eq!(ran.reply.output.len(), 4096);
    assert!(ran.reply.output.starts_with("line 0\nline 1\n"));
    assert_eq!(end(&mut stage, &ints("hostile/HugeOutput.binary(I)V", &[0])), End::Returned);
    assert_eq!(stage.result(&ints("hostile/StandardInput.next(I)I", &[3])), int(0));
    let mut asks = Draft::new();
    let yes = asks.primitive(Value::Boolean(true));
    asks.call_static("hostile/StandardInput.number(Z)I", &[yes]);
    assert_eq!(stage.thrown(&asks).0, "java/util/NoSuchElementException");
    for stream in [0, 1, 2] {
        assert_eq!(end(&mut stage, &ints("hostile/StandardInput.close(I)V", &[stream])), End::Returned);
    }
    let mut prints = Draft::new();
    let text = prints.text("still here");
    prints.call_static("probe/Echo.print(Ljava/lang/String;)I", &[text]);
    assert_eq!(stage.run(&prints, MANNER).reply.output, "still here!");
}

#[test]
fn surroundings_are_restored() {
    let mut stage = stage();
    let mut turkish = Draft::new();
    let yes = turkish.primitive(Value::Boolean(true));
    turkish.call_static("hostile/Globals.locale(Z)Ljava/lang/String;", &[yes]);
    let mut usual = turkish.clone();
    usual.values = vec![Value::Boolean(false)];
    let text = |text: &str| Seen::Value(Value::Text(text.encode_utf16().collect()));
    assert_eq!(stage.result(&turkish), text("t\u{131}tle"));
    assert_eq!(stage.result(&usual), text("title"));

    let mut property = Draft::new();
    let name = property.text("java.io.tmpdir");
    property.call_static("java/lang/System.getProperty(Ljava/lang/String;)Ljava/lang/String;", &[name]);
    let temporary = stage.result(&property);
    assert!(matches!(&temporary, Seen::Value(Value::Text(name)) if name.len() > 4));
    let mut properties = Draft::new();
    let value = properties.text("x");
    properties.call_static("hostile/Globals.properties(Ljava/lang/String;)I", &[value]);
    assert_eq!(end(&mut stage, &properties), End::Returned);
    assert_eq!(stage.result(&property), temporary);

    // The handler would end the machine.
    assert_eq!(end(&mut stage, &ints("hostile/Globals.handler(I)V", &[5])), End::Returned);
    let throws = on_new("hostile/Threads", "throwElsewhere(I)V", 5);
    assert_eq!(end(&mut stage, &throws), End::Returned);
    assert_eq!(stage.result(&usual), text("title"));
    assert_eq!(stage.host.counts().died, 0);
}

#[test]
fn missing_code_is_an_error_of_the_step() {
    let mut stage = stage();
    let native = on_new("hostile/NoLibrary", "compute(I)I", 1);
    assert_eq!(stage.thrown(&native).0, "java/lang/UnsatisfiedLinkError");
    assert_eq!(stage.result(&on_new("hostile/NoLibrary", "guarded(I)I", 12)), int(1));
    let mut load = Draft::new();
    let yes = load.primitive(Value::Boolean(true));
    load.call_static("hostile/NoLibrary.load(Z)V", &[yes]);
    assert_eq!(stage.thrown(&load).0, "java/lang/UnsatisfiedLinkError");
}

#[test]
fn a_method_can_be_called_though_others_name_what_is_missing() {
    let mut stage = stage();
    assert_eq!(stage.result(&ints("hostile/Dependent.use(I)I", &[4])), int(-1));
    assert_eq!(stage.thrown(&ints("hostile/Dependent.use(I)I", &[5])).0, "java/lang/NoClassDefFoundError");
}
