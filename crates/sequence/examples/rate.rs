//! How many candidates a second: `cargo run --release -p sequence --example rate`.

use sequence::{
    Candidates, Filters, Invokable, InvokableId, Kind, Por, PrefixWalk, Universe, UniverseBuilder,
};
use std::time::Instant;

fn main() -> Result<(), sequence::UniverseError> {
    let (universe, target) = monitor()?;
    println!("TemperatureMonitor");
    for length in [8, 12, 16] {
        measure(&universe, target, Filters::default(), length);
    }
    measure(&universe, target, Filters::INFLUENCE, 12);
    let (universe, target) = classes(20)?;
    println!("20 classes, {} invokables", universe.len());
    for por in [Por::None, Por::Sound, Por::Canonical] {
        for length in 5..=7 {
            measure(&universe, target, Filters { por, nulls: false, ..Filters::default() }, length);
        }
    }
    Ok(())
}

fn measure(universe: &Universe, target: InvokableId, filters: Filters, longest: usize) {
    let start = Instant::now();
    let mut candidates = Candidates::new(universe, target, filters, longest);
    while candidates.step().is_some() {}
    report("by length", longest, candidates.yielded(), candidates.tried(), start, filters);
    let start = Instant::now();
    let mut walk = PrefixWalk::new(universe, target, filters, longest);
    while walk.step().is_some() {}
    report("by prefix", longest, walk.yielded(), walk.tried(), start, filters);
}

fn report(order: &str, length: usize, found: u64, tried: u64, start: Instant, filters: Filters) {
    let seconds = start.elapsed().as_secs_f64();
    let rate = found as f64 / seconds / 1e6;
    let por = filters.por;
    println!(
        "{order} {length:2} {por:?}: {found} found, {tried} tried, {seconds:.4} s, {rate:.2} million a second"
    );
}

fn monitor() -> Result<(Universe, InvokableId), sequence::UniverseError> {
    let mut builder = UniverseBuilder::new();
    let class = builder.reference_type();
    let [enabled, temperature] = [builder.field(), builder.field()];
    let method = || Invokable::new(Kind::InstanceMethod).on(class);
    builder.invokable(Invokable::new(Kind::Constructor).returns(class).defines(&[enabled, temperature]));
    builder.invokable(method().defines(&[enabled]));
    builder.invokable(method().defines(&[temperature]).uses(&[enabled]));
    builder.invokable(method().uses(&[temperature]));
    let warning = builder.invokable(method().uses(&[temperature]));
    Ok((builder.build()?, warning))
}

/// Classes of two fields in a ring, each with a constructor, two setters, two getters and a method that takes an
/// object of the next class and reads that, too.
fn classes(count: usize) -> Result<(Universe, InvokableId), sequence::UniverseError> {
    let mut builder = UniverseBuilder::new();
    let types: Vec<_> = (0..count).map(|_| builder.reference_type()).collect();
    let fields: Vec<_> = (0..count).map(|_| [builder.field(), builder.field()]).collect();
    let mut target = InvokableId(0);
    for at in 0..count {
        let next = (at + 1) % count;
        let method = || Invokable::new(Kind::InstanceMethod).on(types[at]);
        builder.invokable(Invokable::new(Kind::Constructor).returns(types[at]).defines(&fields[at]));
        for field in &fields[at] {
            builder.invokable(method().defines(&[*field]));
            builder.invokable(method().uses(&[*field]));
        }
        let reads = method().takes(types[next]).uses(&fields[next]).uses(&fields[at]).defines(&fields[at]);
        target = builder.invokable(reads);
    }
    Ok((builder.build()?, target))
}
