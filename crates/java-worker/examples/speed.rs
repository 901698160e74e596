//! Round trips a second, of a small script in a machine: `cargo run --release -p java-worker --example speed`.
//!
//! Arguments are more flags for the machine. The class is the temperature monitor of the fixtures: a constructor and three calls with two jumps.

use java_classfile::ClassFile;
use java_wire::message::Manner;
use java_wire::{Action, Argument, Primitive, Script, Slot, Step, Value};
use java_worker::{Gone, Machine, MachineSettings, Prepared, ScriptId};
use std::error::Error;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const RUNS: i32 = 10_000;

const CLASS: &str = "jtestcraft/TemperatureMonitor";

fn prepared(scratch: &Path) -> Result<Prepared, Box<dyn Error>> {
    let source =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/java").join(CLASS).with_extension("java");
    let compiled = Command::new("javac").arg("-d").arg(scratch).arg(source).status()?;
    if !compiled.success() {
        return Err("javac failed".into());
    }
    let file = std::fs::read(scratch.join(CLASS).with_extension("class"))?;
    let mut prepared = Prepared::new();
    prepared.add(&file, &ClassFile::read(&file)?)?;
    Ok(prepared)
}

fn script() -> Result<Script, Box<dyn Error>> {
    let call = |name: &str, descriptor: &str, arguments: &[Argument]| -> Result<Step, Box<dyn Error>> {
        let (class, descriptor) = (CLASS.to_owned(), descriptor.parse()?);
        let action = Action::Invoke { class, name: name.to_owned(), descriptor, is_static: false };
        Ok(Step { action, arguments: arguments.to_vec() })
    };
    let monitor = Argument::Result(0);
    let construct = Action::Construct { class: CLASS.to_owned(), descriptor: "()V".parse()? };
    Ok(Script {
        slots: vec![Slot::Primitive(Primitive::Boolean), Slot::Primitive(Primitive::Int)],
        steps: vec![
            Step { action: construct, arguments: Vec::new() },
            call("setEnabled", "(Z)V", &[monitor, Argument::Slot(0)])?,
            call("updateTemperature", "(I)V", &[monitor, Argument::Slot(1)])?,
            call("warning", "()Z", &[monitor])?,
        ],
        observers: Vec::new(),
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let scratch = tempfile::tempdir()?;
    let prepared = prepared(scratch.path())?;
    let mut settings = MachineSettings::new(scratch.path());
    settings.flags = std::env::args_os().skip(1).collect();
    let started = Instant::now();
    let mut machine = Machine::start(&settings, &prepared)?;
    println!("ready after {:?}", started.elapsed());
    let (id, _) = machine.learn(&script()?)?;
    for (fresh, full, observe) in [
        (false, false, false),
        (false, true, false),
        (true, false, false),
        (true, true, false),
        (true, true, true),
    ] {
        let manner = Manner { ticks: 100_000, full, fresh, observe, watched: false };
        // The first runs warm it up.
        let _ = seconds(&mut machine, id, manner, 3_000)?;
        let (seconds, words) = seconds(&mut machine, id, manner, RUNS)?;
        println!(
            "fresh {fresh:5} full {full:5} observe {observe:5}: {:6.0}/s, {:5.1} us each, {words} words",
            f64::from(RUNS) / seconds,
            1e6 * seconds / f64::from(RUNS),
        );
    }
    Ok(())
}

/// How long runs take, and how many words the last one wrote.
fn seconds(machine: &mut Machine, id: ScriptId, manner: Manner, runs: i32) -> Result<(f64, usize), Gone> {
    let started = Instant::now();
    let mut words = 0;
    for degrees in 0..runs {
        let values = [Value::Boolean(true), Value::Int(degrees % 100)];
        words = machine.run(id, &values, manner)?.words.len();
    }
    Ok((started.elapsed().as_secs_f64(), words))
}
