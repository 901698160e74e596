//! Scripts made of candidates.

use crate::support::{Fixtures, fixtures};
use java_frontend::{Catalogue, Options, ScriptError, Sequences};
use java_wire::{Action, Argument, Script, Slot};
use sequence::{Assignments, Candidates, Filters, InvokableId, Product, Reference};
use std::path::PathBuf;

const WARNING: &str = "jtestcraft/TemperatureMonitor.warning()Z";

/// All scripts for short candidates of a method are as the worker wants them.
fn check_scripts(subject: &Fixtures, sequences: &Sequences, longest: usize) -> usize {
    let mut checked = 0;
    let candidates = Candidates::new(&sequences.universe, sequences.target, Filters::default(), longest);
    for candidate in candidates.take(20) {
        let mut products: Vec<Product> = Vec::new();
        let mut references = Vec::new();
        for (position, id) in candidate.iter().enumerate() {
            let Some(chosen) = Assignments::new(&sequences.universe, *id, &products, true).next() else {
                break;
            };
            for reference in &chosen {
                let Reference::Result(used) = reference else { continue };
                products.iter_mut().filter(|p| p.position == *used).for_each(|p| p.linked = true);
            }
            references.push(chosen);
            let returns = sequences.universe.get(*id).and_then(|invokable| invokable.returns);
            products.extend(returns.map(|class| Product { position, producer: *id, class, linked: false }));
        }
        if references.len() == candidate.len() {
            let mut script = sequences.script(&candidate, &references).expect("a script");
            sequences.observe(&mut script, &subject.hierarchy);
            check(subject, &script);
            checked += 1;
        }
    }
    checked
}

fn check(subject: &Fixtures, script: &Script) {
    let mut slots = 0;
    for (number, step) in script.steps.iter().enumerate() {
        let types = match &step.action {
            Action::Construct { descriptor, .. } | Action::Invoke { descriptor, is_static: true, .. } => {
                descriptor.parameters.clone()
            }
            Action::Invoke { class, descriptor, .. } => {
                let receiver = java_classfile::Type::Object(class.clone());
                std::iter::once(receiver).chain(descriptor.parameters.iter().cloned()).collect()
            }
            Action::Load { class, ty, is_static, .. } | Action::Store { class, ty, is_static, .. } => {
                let receiver = (!is_static).then(|| java_classfile::Type::Object(class.clone()));
                let value = matches!(step.action, Action::Store { .. }).then(|| ty.clone());
                receiver.into_iter().chain(value).collect()
            }
            Action::Array { element } => vec![element.clone(); step.arguments.len()],
            Action::File { .. } => {
                vec![java_classfile::Type::Object("java/lang/String".to_owned()); step.arguments.len()]
            }
            Action::Stub { .. } | Action::Look { .. } => continue,
        };
        assert_eq!(types.len(), step.arguments.len(), "{step:?}");
        for (ty, argument) in types.iter().zip(&step.arguments) {
            match argument {
                Argument::Null => assert!(ty.is_reference()),
                Argument::Slot(slot) => {
                    // Whatever wants characters gets a text.
                    let characters = java_classfile::Type::Object("java/lang/CharSequence".to_owned());
                    let anything = java_classfile::Type::Object("java/lang/Object".to_owned());
                    let given = script.slots[*slot as usize];
                    let wanted = match ty {
                        ty if *ty == characters => Some(Slot::Text),
                        // What a collection holds is known from its type arguments.
                        ty if *ty == anything && !matches!(given, Slot::Primitive(_)) => Some(given),
                        ty => Slot::of(ty),
                    };
                    assert_eq!(wanted, Some(given));
                    assert_eq!(*slot, slots, "in order");
                    slots += 1;
                }
                Argument::Result(step) => {
                    assert!((*step as usize) < number);
                    let made = script.steps[*step as usize].action.result().expect("something");
                    assert!(subject.hierarchy.is_assignable(&made, ty), "{made} as {ty}");
                }
            }
        }
    }
    for observer in &script.observers {
        let is_static = matches!(
            observer.action,
            Action::Invoke { is_static: true, .. } | Action::Load { is_static: true, .. }
        );
        match observer.arguments[..] {
            [Argument::Result(step)] => assert!(!is_static && (step as usize) < script.steps.len()),
            _ => assert!(is_static && observer.arguments.is_empty(), "{observer:?}"),
        }
    }
}

#[test]
fn c54_scripts_of_candidates_are_well_formed() {
    let subject = fixtures();
    let options = Options { most: 60, ..Options::default() };
    let mut checked = 0;
    for package in ["jtestcraft", "containers", "features", "pacman/model"] {
        let catalogue = Catalogue::new(subject.knowledge(), package, &options);
        let functions = subject.model.program.functions.iter();
        for function in functions.filter(|f| f.symbol.starts_with(&format!("{package}/"))) {
            // Private methods and the like have none.
            let Ok(sequences) = catalogue.sequences(&function.symbol) else { continue };
            checked += check_scripts(subject, &sequences, 3);
        }
    }
    assert!(checked > 2000, "{checked}");
}

#[test]
fn observers_change_nothing() {
    let sequences = fixtures().sequences(WARNING, &Options::default());
    let ids: Vec<InvokableId> = ["<init>()V", "warning()Z"]
        .iter()
        .map(|end| sequences.statements().find(|(_, s)| s.symbol.ends_with(end)).expect("there").0)
        .collect();
    let mut script = sequences.script(&ids, &[vec![], vec![Reference::Result(0)]]).expect("a script");
    sequences.observe(&mut script, &fixtures().hierarchy);
    let names: Vec<&str> = script
        .observers
        .iter()
        .filter_map(
            |step| if let Action::Invoke { name, .. } = &step.action { Some(name.as_str()) } else { None },
        )
        .collect();
    assert_eq!(names, ["getTemperature", "warning"]);
    assert_eq!(sequences.script(&ids, &[vec![], vec![Reference::Null]]), Err(ScriptError::NullReceiver(1)));
    assert_eq!(sequences.script(&ids, &[vec![], vec![Reference::Result(1)]]), Err(ScriptError::Dangling(1)));
    assert_eq!(sequences.script(&ids, &[vec![]]), Err(ScriptError::Count(1)));
}

#[test]
fn fields_that_tests_may_read_observe_too() {
    let names = |options: &Options| -> Vec<String> {
        let sequences = fixtures().sequences("features/Access.fields()Z", options);
        let id = |end: &str| sequences.statements().find(|(_, s)| s.symbol.ends_with(end)).expect("there").0;
        let ids = [id("Access.<init>()V"), id("Access.fields()Z")];
        let mut script = sequences.script(&ids, &[vec![], vec![Reference::Result(0)]]).expect("a script");
        sequences.observe(&mut script, &fixtures().hierarchy);
        let name = |step: &java_wire::Step| match &step.action {
            Action::Invoke { name, .. } | Action::Load { name, .. } => name.clone(),
            other => panic!("{other:?}"),
        };
        script.observers.iter().map(name).collect()
    };
    // Not the private one.
    assert_eq!(names(&Options::default()), ["fields", "visible", "inherited", "open"]);
    assert_eq!(names(&Options { fields: false, ..Options::default() }), ["fields"]);
    let excluded = vec!["features/Access.open".to_owned()];
    assert_eq!(names(&Options { excluded, ..Options::default() }), ["fields", "visible", "inherited"]);
}

#[test]
fn large_libraries_are_cut_and_say_so() {
    let library = crate::support::read(&[PathBuf::from("/usr/share/java/commons-lang3.jar")]);
    let target =
        "org/apache/commons/lang3/text/StrBuilder.reverse()Lorg/apache/commons/lang3/text/StrBuilder;";
    let sequences = library.sequences(target, &Options { most: 100, ..Options::default() });
    assert!(sequences.is_cut);
    assert_eq!(sequences.statements().count(), 100);
    assert!(check_scripts(&library, &sequences, 3) > 10);
}
