//! Sequences of calls: state that goes from step to step, and what each step defines and uses.

use crate::support::{Both, Stage};
use expr::Tape;
use java_classfile::instruction::ElementKind;
use java_replay::{Access, End, Place, Settings, Way};
use java_testing::{Draft, stub, ty};
use java_wire::{Action, Argument, Primitive, Slot, Value};
use model::{BranchId, Goal};

const SOURCE: &str = r#"
public class Monitor {
    private boolean enabled;
    private int temperature;
    public int[] history = new int[3];
    public static int instances;
    public Monitor() { instances++; }
    public void setEnabled(boolean on) { enabled = on; }
    public void update(int t) { temperature = t; history[0] = t; }
    public boolean warning() { return enabled && temperature > 80; }
    public int first() { return history[0] > 4 ? 1 : 0; }
    public Monitor other() { return new Monitor(); }
    public static int of(java.util.List<Monitor> list, Monitor m) { list.add(m); return list.get(0) == m ? 1 : 0; }
    public interface Sensor { int read(); }
    public static int ask(Sensor sensor) { return sensor.read() > 7 ? 1 : sensor.read(); }
}
"#;

fn run(draft: &Draft, stage: &mut Stage) -> Both {
    let both = stage.both(draft, &Settings::default());
    both.check().unwrap_or_else(|why| panic!("{why}"));
    both
}

fn field(both: &Both, name: &str) -> u32 {
    both.replayed.fields.iter().position(|field| field.name == name).expect("the field") as u32
}

/// Steps that define a field, and those that use it.
fn steps_of(both: &Both, name: &str) -> (Vec<u32>, Vec<u32>) {
    let wanted = field(both, name);
    let is_it = |access: &&Access| match access.place {
        Place::Field(_, field) | Place::Static(field) => field == wanted,
        Place::Element(..) => false,
    };
    let steps = |defines| {
        let all = both.replayed.accesses.iter().filter(is_it);
        all.filter(|access| access.defines == defines).map(|access| access.step).collect()
    };
    (steps(true), steps(false))
}

#[test]
fn c56_state_goes_from_step_to_step() {
    let mut stage = Stage::new(&[("Monitor.java", SOURCE.to_owned())]);

    let mut draft = Draft::new();
    let monitor = draft.new_object("Monitor", "()V", &[]);
    let on = draft.primitive(Value::Boolean(true));
    draft.call("Monitor.setEnabled(Z)V", &[monitor, on]);
    let heat = draft.int(81);
    draft.call("Monitor.update(I)V", &[monitor, heat]);
    draft.call("Monitor.warning()Z", &[monitor]);
    let both = run(&draft, &mut stage);
    assert_eq!(both.conditions().count(), 2, "{:?}", both.texts());
    assert_eq!(steps_of(&both, "enabled"), (vec![1], vec![3]));
    assert_eq!(steps_of(&both, "temperature"), (vec![2], vec![3]));
    assert_eq!(steps_of(&both, "instances"), (vec![0], vec![0]));
    let stored = both.replayed.accesses.iter().filter(|a| matches!(a.place, Place::Element(_, 0)));
    assert_eq!(stored.map(|access| (access.step, access.defines)).collect::<Vec<_>>(), [(2, true)]);
    assert_eq!(both.replayed.kinds.values().collect::<Vec<_>>(), [&ElementKind::Int]);
    assert!(both.replayed.untold.is_empty(), "{:?}", both.replayed.untold);

    // What exploration gets: both conditions, each with the other way out.
    let path = both.replayed.path(|way| match way {
        Way::Jump { jump, target } => Some(Goal { branch: BranchId(jump), outcome: target % 2 == 0 }),
        Way::Boundary { .. } => None,
    });
    assert_eq!(path.decisions.len(), 2);
    assert!(
        path.decisions.iter().all(|decision| decision.others.len() == 1 && decision.taken.goal.is_some())
    );

    // With the switch off, what an earlier step was given is the way to the other outcome: no other step, only `true`.
    let mut draft = Draft::new();
    let monitor = draft.new_object("Monitor", "()V", &[]);
    let off = draft.primitive(Value::Boolean(false));
    draft.call("Monitor.setEnabled(Z)V", &[monitor, off]);
    draft.call("Monitor.warning()Z", &[monitor]);
    let both = run(&draft, &mut stage);
    let path = both.replayed.path(|_| None);
    let [decision] = &path.decisions[..] else { panic!("{:?}", both.texts()) };
    let other = decision.others[0].condition;
    for (enabled, holds) in [(0, 0), (1, 1)] {
        let mut tape = Tape::new(&both.terms, &[other]);
        tape.run(&[enabled]);
        assert_eq!(tape.value(other), holds);
    }

    // Fields that steps read and write themselves, and arrays.
    let mut draft = Draft::new();
    let monitor = draft.new_object("Monitor", "()V", &[]);
    let elements = [draft.int(5), draft.int(6)];
    let array = draft.step(Action::Array { element: ty("I") }, &elements);
    let (class, name, ty) = ("Monitor".to_owned(), "history".to_owned(), ty("[I"));
    draft.step(Action::Store { class, name, ty, is_static: false }, &[monitor, array]);
    draft.call("Monitor.first()I", &[monitor]);
    let both = run(&draft, &mut stage);
    assert_eq!(both.conditions().count(), 1);
    assert_eq!(steps_of(&both, "history"), (vec![0, 2], vec![3]));

    // Objects of the library, and those that a step returns.
    let mut draft = Draft::new();
    let list = draft.new_object("java/util/ArrayList", "()V", &[]);
    let monitor = draft.new_object("Monitor", "()V", &[]);
    let other = draft.call("Monitor.other()LMonitor;", &[monitor]);
    draft.call_static("Monitor.of(Ljava/util/List;LMonitor;)I", &[list, other]);
    let both = run(&draft, &mut stage);
    assert_eq!(both.replayed.end, End::Returned);
    // The list and what it holds: nobody tells of them.
    assert_eq!(both.replayed.untold, [0, 3].into());

    // Answers of an interface that nobody implements.
    let mut draft = Draft::new();
    let answers = [draft.int(3), draft.int(9)];
    let sensor = draft.step(stub("Monitor$Sensor", "()V", &["read()I"; 2]), &answers);
    draft.call_static("Monitor.ask(LMonitor$Sensor;)I", &[sensor]);
    let both = run(&draft, &mut stage);
    assert_eq!(both.conditions().count(), 1, "{:?}", both.replayed.approximations);
    // The second answer is not the first.
    assert_eq!(both.replayed.untold, [1].into());

    // A receiver that is null.
    let mut draft = Draft::new();
    draft.call("Monitor.first()I", &[Argument::Null]);
    let both = run(&draft, &mut stage);
    assert!(matches!(both.replayed.end, End::Threw { step: 0, .. }));
}

const ANSWERS: &str = r#"
public class Answers {
    public interface Mixed {
        boolean on();
        int count();
        Object any();
        int other();
        default int twice() { return 2 * count(); }
    }
    public static int mixed(Mixed mixed) {
        if (mixed.other() > 1 && mixed.twice() > 2 && mixed.on()) {
            return (Integer) mixed.any() > 3 && mixed.count() > 4 ? mixed.other() : 1;
        }
        return 2;
    }
    public static abstract class Gauge {
        private final int scale;
        protected Gauge(int scale) { this.scale = scale; }
        protected abstract int raw();
        public boolean isHigh() { return raw() > scale; }
    }
}
"#;

/// Each method has answers of its own, in whatever order they are asked for: no term is lost, and none goes to another.
#[test]
fn answers_keep_their_terms_whoever_asks_first() {
    let mut stage = Stage::new(&[("Answers.java", ANSWERS.to_owned())]);
    let mut draft = Draft::new();
    let boxed = Value::Boxed(Box::new(Value::Int(40)));
    let answers = [
        draft.int(50),
        draft.slot(Slot::Boxed(Primitive::Int), boxed),
        draft.primitive(Value::Boolean(true)),
        draft.int(60),
        draft.int(20),
    ];
    let methods = ["count()I", "any()Ljava/lang/Object;", "on()Z", "count()I", "other()I"];
    let mixed = draft.step(stub("Answers$Mixed", "()V", &methods), &answers);
    draft.call_static("Answers.mixed(LAnswers$Mixed;)I", &[mixed]);
    let both = run(&draft, &mut stage);
    assert!(both.replayed.approximations.is_empty(), "{:?}", both.replayed.approximations);
    // Five comparisons, each of an answer, and that the box is there to be opened.
    assert_eq!(both.conditions().count(), 6);

    let mut draft = Draft::new();
    let (scale, raw) = (draft.int(5), draft.int(7));
    let gauge = draft.step(stub("Answers$Gauge", "(I)V", &["raw()I"]), &[scale, raw]);
    draft.call("Answers$Gauge.isHigh()Z", &[gauge]);
    let both = run(&draft, &mut stage);
    assert_eq!((both.conditions().count(), &both.replayed.end), (1, &End::Returned));
    assert!(both.replayed.approximations.is_empty(), "{:?}", both.replayed.approximations);
}
