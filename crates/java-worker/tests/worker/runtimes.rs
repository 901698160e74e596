//! Runtimes after Java 17: the classes of their base module are class files of Java 21 and 25, with everything that compilers of these
//! versions make. All of them are read and written, and a part is linked with hooks.

use crate::libraries::linked;
use crate::support::*;
use java_classfile::{ClassFile, Place, Plan, PoolIndex, Snippet, rewrite};
use java_wire::Value;
use java_wire::message::{End, Manner, Seen};
use java_worker::{Answer, Gone, MachineSettings, Prepared};

const VERSIONS: [(u32, u16); 2] = [(21, 65), (25, 69)];

/// Of classes without anything new, every so many-th is linked.
const STRIDE: usize = 8;

fn on(version: u32) -> impl FnOnce(&mut MachineSettings) {
    let java = java_testing::runtime(version).join("bin/java");
    move |settings| {
        settings.java = java;
        settings.heap = 256;
    }
}

/// The class files of a module of a runtime.
fn module(version: u32, name: &str) -> Vec<(Vec<u8>, ClassFile)> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("classes");
    let mut stage = stage_with(prepared(), on(version));
    let mut test = Draft::new();
    let words = [test.text(name), test.text(&file.display().to_string())];
    test.call_static("probe/ImageClasses.write(Ljava/lang/String;Ljava/lang/String;)I", &words);
    let Seen::Value(Value::Int(count)) = stage.result(&test) else { panic!("a number") };
    let bytes = std::fs::read(file).expect("a file");
    let (mut rest, mut classes) = (bytes.as_slice(), Vec::new());
    while let Some((length, after)) = rest.split_first_chunk() {
        let (one, after) = after.split_at(u32::from_be_bytes(*length) as usize);
        classes.push((one.to_vec(), ClassFile::read(one).expect("a class")));
        rest = after;
    }
    assert_eq!(classes.len(), count as usize);
    classes
}

/// Whether a class has what came after Java 11: sealed types, records, and switches over types.
fn is_modern(class: &ClassFile) -> bool {
    let attributes = &class.attributes;
    let is_switch = |index: u16| {
        let site = class.pool.dynamic(PoolIndex(index));
        site.is_ok_and(|site| matches!(site.name, "typeSwitch" | "enumSwitch"))
    };
    attributes.record.is_some()
        || !attributes.permitted_subclasses.is_empty()
        || (1..class.pool.count()).any(|index| is_switch(index as u16))
}

#[test]
fn classes_of_newer_platforms_are_written_as_they_were_and_link_with_hooks() {
    for (version, major) in VERSIONS {
        let classes = module(version, "java.base");
        // A few are made by the linker of the runtime, for an older Java.
        let new = classes.iter().filter(|(_, class)| class.major == major).count();
        assert!(new > 7_000, "{new} of {} classes", classes.len());
        let (mut hooked, mut plain, mut names, mut modern) =
            (Prepared::new(), Prepared::new(), Vec::new(), 0);
        for (number, (bytes, class)) in classes.iter().enumerate() {
            written_as_it_was(bytes, class);
            let is_modern = is_modern(class);
            // No loader but the platform's own may have such packages.
            if class.name.starts_with("java/") || class.access.is_module() {
                continue;
            }
            plain.add_plain(bytes, &class.name);
            if is_modern || number % STRIDE == 0 {
                modern += usize::from(is_modern);
                hooked.add(bytes, class).expect("hooks");
                names.push(class.name.replace('/', "."));
            } else {
                // Those that are linked may be below it, and see it only if the same loader has it.
                hooked.add_plain(bytes, &class.name);
            }
        }
        assert!(modern > 200, "{modern} of {}", names.len());
        add_own(&mut hooked, &mut plain);
        let names_of_all = names.join(" ");
        let asked = ("summary", names_of_all.as_str());
        let expected = linked(&plain, asked, false, on(version));
        let count = expected.lines().last().and_then(|line| line.split(' ').next()?.parse().ok());
        // A class whose sealed superclass is in `java.*` must be in the same module, and classes of our loader are in none.
        assert!(count > Some(names.len() * 3 / 4), "{count:?} of {}: {expected}", names.len());
        assert_eq!(linked(&hooked, asked, true, on(version)), expected);
    }
}

/// Everything is taken apart and put together: code that is empty is inserted into every method.
fn written_as_it_was(bytes: &[u8], class: &ClassFile) {
    let mut plan = Plan::new();
    for (number, _) in class.methods.iter().enumerate().filter(|(_, method)| method.code.is_some()) {
        plan.insert(number, Place::Entry, Snippet::new());
    }
    let rewritten = rewrite(bytes, &plan).expect("it fits");
    assert!(rewritten.bytes == bytes, "{}", class.name);
}

/// The class that links others.
fn add_own(hooked: &mut Prepared, plain: &mut Prepared) {
    for one in compiled().iter().filter(|one| one.class.name == "probe/LinkAll") {
        hooked.add(&one.bytes, &one.class).expect("hooks");
        plain.add_plain(&one.bytes, &one.class.name);
    }
}

#[test]
fn newer_machines_stop_what_older_ones_stop_and_say_nothing_else() {
    for (version, _) in VERSIONS {
        let mut stage = stage_with(prepared(), on(version));
        let mut endless = Draft::new();
        let value = endless.int(101);
        let object = endless.new_object("hostile/EndlessLoop", "()V", &[]);
        endless.call("hostile/EndlessLoop.catching(I)I", &[object, value]);
        let ran = stage.run(&endless, Manner { ticks: 200_000, ..MANNER });
        assert_eq!(ran.reply.end, End::OutOfTicks { step: 1 });
        assert_eq!(stage.host.counts().started, 1);
        // Memory is written through `Unsafe`, which Java 24 and later warn of by themselves: the last words would be those.
        match stage.answer(&ints("probe/Stays.exitElsewhere()I", &[]), MANNER) {
            Answer::Gone(Gone::Died { status: Some(17), errors, .. }) => assert_eq!(errors, ""),
            other => panic!("{other:?}"),
        }
        assert_eq!(stage.result(&ints("probe/Echo.next()I", &[])), Seen::Value(Value::Int(1)));
    }
}
