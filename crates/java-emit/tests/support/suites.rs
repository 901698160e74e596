//! Suites made by hand over the fixtures: every kind of step, value and result. What is expected was worked out from the sources.

use crate::support::{Build, In, boxed, int, suite, text};
use java_emit::{JavaSuite, JavaTest};
use java_wire::message::Seen;
use java_wire::{Argument, Primitive, Value};

pub(crate) fn all() -> Vec<JavaSuite> {
    vec![
        temperature(),
        int_stack(),
        nested(),
        varargs(),
        enums(),
        small_types(),
        floats(),
        dispatcher(),
        abstract_base(),
        account(),
        contracts(),
        arrays(),
        boxes(),
        generics(),
        statics(),
        access(),
        records(),
        try_catch(),
        library(),
        changed_arrays(),
    ]
}

fn yes() -> Value {
    Value::Boolean(true)
}

fn no() -> Value {
    Value::Boolean(false)
}

fn words(text: &str) -> Value {
    Value::Text(text.encode_utf16().collect())
}

/// A call of a static method.
fn call(class: &str, name: &str, descriptor: &str, arguments: &[In], seen: Seen) -> JavaTest {
    let mut test = Build::default();
    test.invoke_static(class, name, descriptor, arguments);
    test.returns(seen)
}

fn gives(class: &str, name: &str, descriptor: &str, arguments: &[In], value: Value) -> JavaTest {
    call(class, name, descriptor, arguments, Seen::Value(value))
}

pub(crate) fn temperature() -> JavaSuite {
    const MONITOR: &str = "jtestcraft/TemperatureMonitor";
    let warning = |enabled: bool, degrees: i32, result: bool| {
        let mut test = Build::default();
        let monitor = test.construct(MONITOR, "()V", &[]);
        test.invoke(MONITOR, "setEnabled", "(Z)V", &[monitor.clone(), In::V(Value::Boolean(enabled))]);
        test.invoke(MONITOR, "updateTemperature", "(I)V", &[monitor.clone(), int(degrees)]);
        test.invoke(MONITOR, "warning", "()Z", std::slice::from_ref(&monitor));
        test.comment(&format!("line 25: getTemperature() > 80, {result}"));
        let seen = if enabled { degrees } else { 0 };
        test.sees(MONITOR, "getTemperature", "()I", &monitor, Seen::Value(Value::Int(seen)));
        test.gives(Value::Boolean(result))
    };
    let mut quiet = Build::default();
    let monitor = quiet.construct(MONITOR, "()V", &[]);
    quiet.invoke(MONITOR, "setEnabled", "(Z)V", &[monitor, In::V(no())]);
    let tests = vec![
        warning(true, 81, true),
        warning(true, i32::MIN, false),
        warning(false, 81, false),
        quiet.returns(Seen::Void),
    ];
    suite(MONITOR, tests)
}

fn int_stack() -> JavaSuite {
    const STACK: &str = "containers/IntStack";
    let mut refused = Build::default();
    refused.construct(STACK, "(I)V", &[int(0)]);
    let mut empty = Build::default();
    let stack = empty.construct(STACK, "(I)V", &[int(2)]);
    empty.invoke(STACK, "pop", "()I", std::slice::from_ref(&stack));
    empty.sees(STACK, "isEmpty", "()Z", &stack, Seen::Value(yes()));
    empty.sees(STACK, "pop", "()I", &stack, Seen::Threw("java/lang/IllegalStateException".into()));
    let mut pushed = Build::default();
    let stack = pushed.construct(STACK, "(I)V", &[int(1)]);
    pushed.invoke(STACK, "push", "(I)V", &[stack.clone(), int(-7)]);
    pushed.sees(STACK, "isFull", "()Z", &stack, Seen::Value(yes()));
    let mut made = Build::default();
    made.construct(STACK, "(I)V", &[int(1)]);
    let tests = vec![
        refused.throws("java/lang/IllegalArgumentException", Some("capacity 0"), STACK),
        empty.throws("java/lang/IllegalStateException", Some("empty"), STACK),
        pushed.returns(Seen::Void),
        made.returns(Seen::Object(STACK.into(), None)),
    ];
    suite(STACK, tests)
}

fn nested() -> JavaSuite {
    const NESTED: &str = "features/Nested";
    const COUNTER: &str = "features/Nested$Counter";
    const PAIR: &str = "features/Nested$Pair";
    let mut inner = Build::default();
    let nested = inner.construct(NESTED, "()V", &[]);
    let first = inner.construct(COUNTER, "(Lfeatures/Nested;)V", std::slice::from_ref(&nested));
    let second = inner.construct(COUNTER, "(Lfeatures/Nested;)V", &[nested]);
    inner.invoke(COUNTER, "count", "(I)V", &[first, int(2)]);
    inner.invoke(COUNTER, "isAll", "()Z", &[second]);
    let mut local = Build::default();
    let nested = local.construct(NESTED, "()V", &[]);
    let pair = local.construct(PAIR, "(II)V", &[int(20), int(25)]);
    local.invoke(NESTED, "local", "(ILfeatures/Nested$Pair;)I", &[nested, int(5), pair]);
    let mut above = Build::default();
    let nested = above.construct(NESTED, "()V", &[]);
    above.invoke(NESTED, "above", "(I)Lfeatures/Nested$Check;", &[nested, int(3)]);
    let mut missing = Build::default();
    let nested = missing.construct(NESTED, "()V", &[]);
    missing.invoke(NESTED, "local", "(ILfeatures/Nested$Pair;)I", &[nested, int(5), In::Null]);
    let tests = vec![
        inner.gives(no()),
        local.gives(Value::Int(1)),
        above.returns(Seen::Object("features/Nested$1".into(), None)),
        missing.throws("java/lang/NullPointerException", Some("Cannot read field"), NESTED),
    ];
    suite(NESTED, tests)
}

fn varargs() -> JavaSuite {
    const CLASS: &str = "features/Varargs";
    const COUNT: &str = "(Ljava/lang/String;[Ljava/lang/Object;)I";
    let count = |elements: &[In], result: i32| {
        let mut test = Build::default();
        let rest = test.array("Ljava/lang/Object;", elements);
        test.invoke_static(CLASS, "count", COUNT, &[text("a"), rest]);
        test.gives(Value::Int(result))
    };
    let mut no_array = Build::default();
    no_array.invoke_static(CLASS, "count", COUNT, &[In::Null, In::Null]);
    let numbers = Value::Array(Primitive::Int, vec![Value::Int(3), Value::Int(-9)]);
    let tests = vec![
        count(&[], 1),
        count(&[int(1), In::Null, text("b")], 3),
        count(&[In::Null], 3),
        no_array.throws("java/lang/NullPointerException", None, CLASS),
        gives(CLASS, "max", "([I)I", &[In::V(numbers)], Value::Int(3)),
        gives(CLASS, "of", "(I)I", &[int(5)], Value::Int(1)),
        gives(CLASS, "of", "(J)I", &[In::V(Value::Long(5_000_000_000))], Value::Int(1)),
        gives(CLASS, "of", "(Ljava/lang/Integer;)I", &[In::V(boxed(Value::Int(5)))], Value::Int(1)),
        gives(CLASS, "of", "(Ljava/lang/Integer;)I", &[In::Null], Value::Int(1)),
    ];
    suite(CLASS, tests)
}

fn enums() -> JavaSuite {
    const CLASS: &str = "features/EnumSwitch";
    const LEVEL: &str = "features/EnumSwitch$Level";
    let mut price = Build::default();
    let level = price.load_static(LEVEL, "HIGH", "Lfeatures/EnumSwitch$Level;");
    price.invoke_static(CLASS, "price", "(Lfeatures/EnumSwitch$Level;I)I", &[level.clone(), int(101)]);
    price.sees(LEVEL, "weight", "()I", &level, Seen::Value(Value::Int(10)));
    let by_weight = "(I)Lfeatures/EnumSwitch$Level;";
    let mut bodies = Build::default();
    bodies.invoke_static(
        "features/EnumBodies",
        "valueOf",
        "(Ljava/lang/String;)Lfeatures/EnumBodies;",
        &[text("PLUS")],
    );
    let mut values = Build::default();
    values.invoke_static(LEVEL, "values", "()[Lfeatures/EnumSwitch$Level;", &[]);
    let level = |name: &str| Seen::Enum(LEVEL.into(), name.into());
    let all =
        Seen::Array("[Lfeatures/EnumSwitch$Level;".into(), 3, ["LOW", "MIDDLE", "HIGH"].map(level).to_vec());
    let mut unknown = Build::default();
    unknown.invoke_static(CLASS, "isTop", "(Ljava/lang/String;)Z", &[text("TOP")]);
    let tests = vec![
        price.gives(Value::Int(202)),
        call(CLASS, "byWeight", by_weight, &[int(5)], level("MIDDLE")),
        call(CLASS, "byWeight", by_weight, &[int(2)], Seen::Null),
        unknown.throws("java/lang/IllegalArgumentException", Some("No enum constant"), "java/lang/Enum"),
        bodies.returns(Seen::Enum("features/EnumBodies$1".into(), "PLUS".into())),
        values.returns(all),
    ];
    suite(CLASS, tests)
}

fn small_types() -> JavaSuite {
    const CLASS: &str = "features/SmallTypes";
    let mut fed = Build::default();
    let types = fed.construct(CLASS, "()V", &[]);
    fed.invoke(CLASS, "feed", "(BZ)V", &[types.clone(), In::V(Value::Byte(-5)), In::V(no())]);
    fed.invoke(CLASS, "state", "()I", &[types]);
    let rotate = |c: char, by: i32, result: char| {
        let arguments = [In::V(Value::Char(c as u16)), int(by)];
        gives("features/Chars", "rotate", "(CI)C", &arguments, Value::Char(result as u16))
    };
    let tests = vec![
        fed.gives(Value::Int(2)),
        gives(CLASS, "scale", "(SC)I", &[In::V(Value::Short(2000)), In::V(Value::Char(2000))], Value::Int(1)),
        rotate('Z', 1, 'A'),
        rotate('\'', 1, '\''),
        rotate('\0', 1, '\0'),
    ];
    suite(CLASS, tests)
}

fn floats() -> JavaSuite {
    const CLASS: &str = "features/FloatOps";
    let double = |number: f64| Value::Double(number.to_bits());
    let float = |number: f32| Value::Float(number.to_bits());
    let pair = |a: f64, b: f64| [In::V(double(a)), In::V(double(b))];
    let abs =
        |number: f64| gives("java/lang/Math", "abs", "(D)D", &[In::V(double(number))], double(number.abs()));
    let floats = [In::V(float(1.5)), In::V(float(f32::MIN_POSITIVE))];
    let tests = vec![
        gives(CLASS, "compare", "(DD)I", &pair(f64::NAN, 1.0), Value::Int(2)),
        gives(CLASS, "compare", "(DD)I", &pair(f64::NEG_INFINITY, f64::from_bits(1)), Value::Int(-1)),
        gives(CLASS, "compareFloats", "(FF)I", &floats, Value::Int(1)),
        gives(CLASS, "zeros", "(D)I", &[In::V(double(-0.0))], Value::Int(2)),
        abs(-1.25),
        abs(f64::NAN),
        gives("java/lang/Math", "abs", "(F)F", &[In::V(float(-0.5))], float(0.5)),
    ];
    suite(CLASS, tests)
}

pub(crate) fn dispatcher() -> JavaSuite {
    const CLASS: &str = "features/Dispatcher";
    let register = "(Lfeatures/Listener;)Z";
    let mut dispatched = Build::default();
    let dispatcher = dispatched.construct(CLASS, "()V", &[]);
    let low = dispatched.stub(
        "features/Listener",
        "()V",
        &["name()Ljava/lang/String;", "priority()I", "accepts(I)Z"],
        &[text("low"), int(1), In::V(no())],
    );
    let high = dispatched.stub(
        "features/Listener",
        "()V",
        &["priority()I", "accepts(I)Z", "accepts(I)Z"],
        &[int(2), In::V(yes()), In::V(no())],
    );
    dispatched.invoke(CLASS, "register", register, &[dispatcher.clone(), low]);
    dispatched.invoke(CLASS, "register", register, &[dispatcher.clone(), high]);
    dispatched.invoke(CLASS, "dispatch", "(I)I", &[dispatcher, int(7)]);
    let mut nameless = Build::default();
    let dispatcher = nameless.construct(CLASS, "()V", &[]);
    let listener = nameless.stub("features/Listener", "()V", &["name()Ljava/lang/String;"], &[text("")]);
    nameless.invoke(CLASS, "register", register, &[dispatcher, listener]);
    suite(CLASS, vec![dispatched.gives(Value::Int(1)), nameless.gives(no())])
}

fn abstract_base() -> JavaSuite {
    const CLASS: &str = "features/AbstractBase";
    let mut stubbed = Build::default();
    let base = stubbed.stub(CLASS, "(I)V", &["cost(I)I"], &[int(0), int(-1)]);
    stubbed.invoke(CLASS, "buy", "(I)Z", &[base.clone(), int(3)]);
    stubbed.sees_field(CLASS, "budget", "I", Some(&base), Seen::Value(Value::Int(0)));
    let mut bought = Build::default();
    let discount = bought.construct("features/AbstractBase$Discount", "(I)V", &[int(20)]);
    bought.invoke(CLASS, "buy", "(I)Z", &[discount, int(2)]);
    suite(CLASS, vec![stubbed.gives(no()), bought.gives(yes())])
}

fn account() -> JavaSuite {
    const CLASS: &str = "features/Account";
    let open = "(Ljava/lang/String;J)Lfeatures/Account;";
    let mut moved = Build::default();
    let from = moved.invoke_static(CLASS, "open", open, &[text("Eve\n\"\u{e4}\""), In::V(Value::Long(100))]);
    let to = moved.invoke_static(CLASS, "open", open, &[text("Bob"), In::V(Value::Long(i64::MAX))]);
    let arguments = [from.clone(), to, In::V(Value::Long(100))];
    moved.invoke(CLASS, "transfer", "(Lfeatures/Account;J)Z", &arguments);
    moved.sees(CLASS, "isEmptied", "()Z", &from, Seen::Value(yes()));
    let mut refused = Build::default();
    refused.invoke_static(CLASS, "open", open, &[In::Null, In::V(Value::Long(1))]);
    let poor = call(CLASS, "open", open, &[text("Eve"), In::V(Value::Long(99))], Seen::Null);
    let refused = refused.throws("java/lang/IllegalArgumentException", Some("owner"), CLASS);
    suite(CLASS, vec![moved.gives(yes()), poor, refused])
}

fn contracts() -> JavaSuite {
    const CLASS: &str = "features/Contracts";
    let mut refused = Build::default();
    refused.construct(CLASS, "(I)V", &[int(0)]);
    refused.comment("line 18: capacity > 0, false\n \\u000a stays a comment");
    suite(CLASS, vec![refused.throws("java/lang/AssertionError", Some("capacity 0"), CLASS)])
}

pub(crate) fn arrays() -> JavaSuite {
    const CLASS: &str = "features/ArrayKinds";
    let bytes = Value::Array(Primitive::Byte, vec![Value::Byte(-1)]);
    let shorts = Value::Array(Primitive::Short, vec![Value::Short(1), Value::Short(300)]);
    let longs = Value::Array(Primitive::Long, vec![Value::Long(1 << 33)]);
    let floats = Value::Array(Primitive::Float, vec![Value::Float(0.75f32.to_bits())]);
    let doubles = Value::Array(Primitive::Double, vec![Value::Double(0.25f64.to_bits()), Value::Double(0)]);
    let booleans = Value::Array(Primitive::Boolean, vec![no()]);
    let kinds = [bytes, shorts, longs, floats, doubles, booleans].map(In::V);
    let ints = |numbers: &[i32]| {
        In::V(Value::Array(Primitive::Int, numbers.iter().copied().map(Value::Int).collect()))
    };
    let mut square = Build::default();
    let matrix = square.array("[I", &[ints(&[60, 1]), ints(&[2, 40])]);
    square.invoke_static("features/Arrays2d", "diagonal", "([[I)I", &[matrix]);
    let mut ragged = Build::default();
    let chars = Value::Array(Primitive::Char, ['a', '\\', '\n'].map(|c| Value::Char(c as u16)).to_vec());
    let rows = ragged.array("[C", &[In::Null, In::V(chars), In::Null]);
    ragged.invoke_static("features/Arrays2d", "ragged", "([[C)I", &[rows]);
    let mut table = Build::default();
    let row = table.array("Ljava/lang/String;", &[text("x"), text("id")]);
    let rows = table.array("[Ljava/lang/String;", &[row]);
    table.invoke_static("features/Arrays2d", "names", "([[Ljava/lang/String;I)I", &[rows, int(0)]);
    let tests = vec![
        gives(CLASS, "kinds", "([B[S[J[F[D[Z)I", &kinds, Value::Int(1)),
        square.gives(Value::Int(1)),
        ragged.gives(Value::Int(1)),
        table.gives(Value::Int(1)),
    ];
    suite(CLASS, tests)
}

fn boxes() -> JavaSuite {
    const CLASS: &str = "features/Boxes";
    let count = |value: Value, result: i32| {
        gives(CLASS, "count", "(Ljava/lang/Object;)I", &[In::V(boxed(value))], Value::Int(result))
    };
    let flags = "(Ljava/lang/Boolean;Ljava/lang/Character;)I";
    let same = "(Ljava/lang/Integer;Ljava/lang/Integer;)I";
    let numbers = [In::V(boxed(Value::Long(3))), In::V(boxed(Value::Double(4.5f64.to_bits())))];
    let x = In::V(boxed(Value::Char('x' as u16)));
    let tests = vec![
        count(Value::Long(1), 1),
        count(Value::Int(1), 2),
        count(Value::Short(1), 3),
        count(Value::Byte(1), 0),
        gives(CLASS, "flags", flags, &[In::V(boxed(yes())), x], Value::Int(1)),
        gives(CLASS, "flags", flags, &[In::Null, In::Null], Value::Int(-1)),
        gives(
            CLASS,
            "same",
            same,
            &[In::V(boxed(Value::Int(5))), In::V(boxed(Value::Int(5)))],
            Value::Int(1),
        ),
        gives(CLASS, "compare", "(Ljava/lang/Long;Ljava/lang/Double;)I", &numbers, Value::Int(-1)),
    ];
    suite(CLASS, tests)
}

fn generics() -> JavaSuite {
    const CLASS: &str = "features/Generics";
    let offer = "(Ljava/lang/Comparable;)Z";
    let mut best = Build::default();
    let generics = best.construct(CLASS, "()V", &[]);
    best.invoke(CLASS, "offer", offer, &[generics.clone(), In::V(boxed(Value::Int(4)))]);
    best.invoke(CLASS, "best", "()Ljava/lang/Comparable;", std::slice::from_ref(&generics));
    best.sees(CLASS, "ties", "()I", &generics, Seen::Value(Value::Int(0)));
    let mut reused = Build::default();
    let generics = reused.construct(CLASS, "()V", &[]);
    reused.invoke(CLASS, "offer", offer, &[generics.clone(), text("b")]);
    let held = reused.invoke(CLASS, "best", "()Ljava/lang/Comparable;", &[generics]);
    reused.invoke("java/lang/String", "concat", "(Ljava/lang/String;)Ljava/lang/String;", &[held, text("c")]);
    suite(CLASS, vec![best.gives(boxed(Value::Int(4))), reused.gives(words("bc"))])
}

fn statics() -> JavaSuite {
    const CLASS: &str = "features/StaticState";
    const SINGLETON: &str = "features/Singleton";
    let mut limited = Build::default();
    limited.store(CLASS, "limit", "I", &[int(0)]);
    limited.invoke_static(CLASS, "reset", "()V", &[]);
    limited.invoke_static(CLASS, "call", "()Z", &[]);
    limited.sees_field(CLASS, "limit", "I", None, Seen::Value(Value::Int(0)));
    let mut single = Build::default();
    let get = "()Lfeatures/Singleton;";
    single.invoke_static(SINGLETON, "get", get, &[]);
    single.invoke_static(SINGLETON, "get", get, &[]);
    single.invoke_static(SINGLETON, "get", get, &[]);
    let tests = vec![limited.gives(yes()), single.returns(Seen::Same(0))];
    suite(CLASS, tests)
}

fn access() -> JavaSuite {
    const CLASS: &str = "features/Access";
    let mut fields = Build::default();
    let access = fields.construct(CLASS, "()V", &[]);
    for (name, value) in [("open", 11), ("visible", 12), ("inherited", 13)] {
        fields.store(CLASS, name, "I", &[access.clone(), int(value)]);
    }
    fields.invoke(CLASS, "fields", "()Z", std::slice::from_ref(&access));
    fields.sees_field(CLASS, "open", "I", Some(&access), Seen::Value(Value::Int(11)));
    let mut peer = Build::default();
    let peer_object = peer.construct("features/Access$Peer", "()V", &[]);
    peer.store(CLASS, "inherited", "I", &[peer_object.clone(), int(3)]);
    peer.invoke(CLASS, "forChildren", "(I)I", &[peer_object, int(6)]);
    suite(CLASS, vec![fields.gives(yes()), peer.gives(Value::Int(6))])
}

fn records() -> JavaSuite {
    const RANGE: &str = "features/Records$Range";
    let mut shifted = Build::default();
    let range = shifted.construct(RANGE, "(II)V", &[int(1), int(2)]);
    shifted.invoke(RANGE, "shifted", "(I)Lfeatures/Records$Range;", &[range, int(-1)]);
    let mut made = Build::default();
    made.construct(RANGE, "(II)V", &[int(1), int(1)]);
    let text = |text: &str| Seen::Object(RANGE.into(), Some(text.into()));
    let tests =
        vec![shifted.returns(text("Range[low=0, high=1]")), made.returns(text("Range[low=1, high=1]"))];
    suite(RANGE, tests)
}

pub(crate) fn try_catch() -> JavaSuite {
    const CLASS: &str = "features/TryCatch";
    let attempt = |a: i32, b: i32| {
        let mut test = Build::default();
        let object = test.construct(CLASS, "()V", &[]);
        let table = In::V(Value::Array(Primitive::Int, vec![Value::Int(5), Value::Int(6)]));
        test.invoke(CLASS, "attempt", "(II[I)I", &[object, int(a), int(b), table]);
        test
    };
    let index = "java/lang/ArrayIndexOutOfBoundsException";
    let tests = vec![
        attempt(3, 0).throws("features/TryCatch$Refused", Some("code 3"), CLASS),
        attempt(2, 2).gives(Value::Int(6)),
        attempt(4, 2).throws(index, Some("Index 2 out of bounds for length 2"), CLASS),
    ];
    suite(CLASS, tests)
}

/// Classes of the library, of which there are no facts.
fn library() -> JavaSuite {
    let mut split = Build::default();
    split.invoke(
        "java/lang/String",
        "split",
        "(Ljava/lang/String;)[Ljava/lang/String;",
        &[text("a b"), text(" ")],
    );
    let texts = ["a", "b"].map(|text| Seen::Value(words(text))).to_vec();
    let mut chars = Build::default();
    chars.invoke("java/lang/String", "toCharArray", "()[C", &[text("hello")]);
    let first = vec![Seen::Value(Value::Char('h' as u16)), Seen::Value(Value::Char('e' as u16))];
    let mut list = Build::default();
    let array_list = list.construct("java/util/ArrayList", "()V", &[]);
    list.invoke("java/util/ArrayList", "add", "(Ljava/lang/Object;)Z", &[array_list.clone(), int(3)]);
    list.invoke("java/util/List", "remove", "(I)Ljava/lang/Object;", &[array_list.clone(), int(0)]);
    list.sees("java/util/ArrayList", "isEmpty", "()Z", &array_list, Seen::Value(yes()));
    let mut append = Build::default();
    let builder = append.construct("java/lang/StringBuilder", "()V", &[]);
    let object = "(Ljava/lang/Object;)Ljava/lang/StringBuilder;";
    append.invoke("java/lang/StringBuilder", "append", object, &[builder, In::Null]);
    // Nobody uses the second file, and yet it must be there.
    let mut files = Build::default();
    let first_file = files.file(text("one"));
    files.file(text("two"));
    let parent = files.invoke("java/io/File", "getParentFile", "()Ljava/io/File;", &[first_file]);
    let second =
        files.construct("java/io/File", "(Ljava/io/File;Ljava/lang/String;)V", &[parent, text("file2")]);
    files.invoke("java/io/File", "length", "()J", &[second]);
    let tests = vec![
        files.gives(Value::Long(3)),
        split.returns(Seen::Array("[Ljava/lang/String;".into(), 2, texts)),
        chars.returns(Seen::Array("[C".into(), 5, first)),
        list.gives(boxed(Value::Int(3))),
        append.returns(Seen::Same(0)),
    ];
    suite("features/Strings", tests)
}

/// Arrays that a call changes, or leaves as they are.
fn changed_arrays() -> JavaSuite {
    const CLASS: &str = "features/Varargs";
    let ints = |numbers: &[i32]| numbers.iter().copied().map(Value::Int).collect::<Vec<_>>();
    let array = |numbers: &[i32]| In::V(Value::Array(Primitive::Int, ints(numbers)));
    let mut sort = Build::default();
    sort.invoke_static("java/util/Arrays", "sort", "([I)V", &[array(&[3, 1, 2])]);
    sort.looks("[I", Argument::Slot(0), &ints(&[1, 2, 3]));
    let mut words = Build::default();
    let given = words.array("Ljava/lang/String;", &[text("b"), text("a")]);
    words.invoke_static("java/util/Arrays", "sort", "([Ljava/lang/Object;)V", &[given]);
    words.looks("[Ljava/lang/String;", Argument::Result(0), &[text("a"), text("b")].map(value_of));
    // Not taken apart into a variable number of arguments: it would not be the same array.
    let mut max = Build::default();
    max.invoke_static(CLASS, "max", "([I)I", &[array(&[4])]);
    max.looks("[I", Argument::Slot(0), &ints(&[4]));
    let mut bounds = Build::default();
    let from = [array(&[2, 1]), int(0), int(3)];
    bounds.invoke_static("java/util/Arrays", "sort", "([III)V", &from);
    bounds.looks("[I", Argument::Slot(0), &ints(&[2, 1]));
    let class = "java/lang/ArrayIndexOutOfBoundsException";
    let bounds = bounds.throws(class, Some("Array index out of range: 3"), "java/util/Arrays");
    suite(CLASS, vec![sort.returns(Seen::Void), words.returns(Seen::Void), max.gives(Value::Int(4)), bounds])
}

fn value_of(given: In) -> Value {
    match given {
        In::V(value) => value,
        In::Null | In::R(_) => Value::Null,
    }
}
