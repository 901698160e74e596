//! What a class says about itself, against its source.

use crate::support::{java_sources, javac};
use java_classfile::instruction::Const;
use java_classfile::{ClassFile, Constant, Instruction, MethodParameter};

#[test]
fn a_class_says_what_its_source_says() {
    let folder = tempfile::tempdir().expect("writable");
    javac(&[java_sources().join("Attributes.java")], folder.path(), &["-g", "-parameters"]);
    let read = |name: &str| {
        let file = folder.path().join("some/where").join(name).with_extension("class");
        ClassFile::read(&std::fs::read(file).expect("readable")).expect("well-formed")
    };
    check_class(&read("Attributes"));
    check_members(&read("Attributes"));
    check_relatives(&read("Attributes$Shape"), &read("Attributes$Circle"), &read("Attributes$1"));
}

fn check_class(class: &ClassFile) {
    assert_eq!((class.major, class.minor), (61, 0));
    assert_eq!(class.name, "some/where/Attributes");
    assert_eq!(class.superclass.as_deref(), Some("java/lang/Object"));
    assert_eq!(class.interfaces, ["java/util/function/Supplier"]);
    assert!(class.access.is_public() && class.access.is_abstract() && !class.access.is_interface());
    let attributes = &class.attributes;
    assert_eq!(attributes.source_file.as_deref(), Some("Attributes.java"));
    assert_eq!(
        attributes.signature.as_deref(),
        Some(
            "<T::Ljava/lang/Comparable<TT;>;>Ljava/lang/Object;Ljava/util/function/Supplier<Ljava/util/List<TT;>;>;"
        )
    );
    assert_eq!(attributes.annotations, ["java/lang/Deprecated", "some/where/Attributes$Generated"]);
    assert_eq!(attributes.nest_host, None);
    let mut members = attributes.nest_members.clone();
    members.sort();
    let inner = ["$1", "$Circle", "$Generated", "$Inner", "$Shape", "$Square"];
    assert_eq!(members, inner.map(|name| format!("some/where/Attributes{name}")));
    let circle =
        attributes.inner_classes.iter().find(|inner| inner.name.ends_with("$Circle")).expect("circle");
    assert_eq!(circle.outer.as_deref(), Some("some/where/Attributes"));
    assert_eq!(circle.simple_name.as_deref(), Some("Circle"));
    let anonymous =
        attributes.inner_classes.iter().find(|inner| inner.name.ends_with("$1")).expect("anonymous");
    assert_eq!((&anonymous.outer, &anonymous.simple_name), (&None, &None));
}

fn check_members(class: &ClassFile) {
    let field = |name: &str| class.fields.iter().find(|field| field.name == name).expect("a field");
    let limit = field("LIMIT");
    assert_eq!(class.pool.get(limit.constant.expect("a constant")), &Constant::Long(1 << 33));
    assert!(limit.access.is_static() && limit.access.is_final());
    let lone = class.pool.string(field("LONE").constant.expect("a constant")).expect("a string");
    assert_eq!(&lone.units()[..], [u16::from(b'x'), 0xD83D]);
    assert_eq!(field("items").descriptor.to_string(), "Ljava/util/List;");
    assert_eq!(field("items").signature.as_deref(), Some("Ljava/util/List<TT;>;"));

    let (_, pick) = class.method("pick", "(IJ[[Ljava/lang/Comparable;)Ljava/lang/Comparable;").expect("pick");
    assert_eq!(pick.exceptions, ["java/lang/Exception", "java/io/IOException"]);
    assert_eq!(
        pick.signature.as_deref(),
        Some("<E:Ljava/lang/Exception;>(IJ[[TT;)TT;^TE;^Ljava/io/IOException;")
    );
    assert_eq!(pick.annotations, ["java/lang/Deprecated"]);
    assert!(pick.code.is_none());
    let names: Vec<_> = pick.parameters.iter().map(|MethodParameter { name, .. }| name.as_deref()).collect();
    assert_eq!(names, [Some("first"), Some("second"), Some("third")]);
    assert!(pick.parameters[0].access.is_final() && !pick.parameters[1].access.is_final());

    let (_, local) = class.method("local", "(I)Ljava/lang/Object;").expect("local");
    let code = local.code.as_ref().expect("code");
    let mut variables: Vec<_> =
        code.variables.iter().map(|v| (v.index, class.pool.utf8(v.name).expect("a name"))).collect();
    variables.sort_unstable();
    assert_eq!(variables, [(0, "this"), (1, "given"), (2, "text")]);
    assert_eq!(code.line(0), Some(29));
    assert_eq!(code.line(code.length - 1), Some(30));
    let (_, site) =
        code.instructions.iter().find(|(_, i)| matches!(i, Instruction::InvokeDynamic(_))).expect("+");
    let Instruction::InvokeDynamic(site) = site else { unreachable!() };
    let site = class.pool.dynamic(*site).expect("a call site");
    assert_eq!((site.name, site.descriptor), ("makeConcatWithConstants", "(I)Ljava/lang/String;"));
    let bootstrap = &class.attributes.bootstrap_methods[usize::from(site.bootstrap)];
    assert_eq!(class.pool.string(bootstrap.arguments[0]).expect("a recipe").as_str(), "n\u{1}");
    assert!(!code.instructions.iter().any(|(_, i)| matches!(i, Instruction::Push(Const::Null))));
}

fn check_relatives(shape: &ClassFile, circle: &ClassFile, anonymous: &ClassFile) {
    assert_eq!(
        shape.attributes.permitted_subclasses,
        ["some/where/Attributes$Circle", "some/where/Attributes$Square"]
    );
    assert_eq!(circle.attributes.nest_host.as_deref(), Some("some/where/Attributes"));
    let record = circle.attributes.record.as_ref().expect("a record");
    let components: Vec<_> = record.iter().map(|c| (c.name.as_str(), c.descriptor.as_str())).collect();
    assert_eq!(components, [("radius", "D"), ("tags", "Ljava/util/List;")]);
    assert_eq!(record[1].signature.as_deref(), Some("Ljava/util/List<Ljava/lang/String;>;"));
    let enclosing = anonymous.attributes.enclosing_method.as_ref().expect("a method around it");
    assert_eq!(enclosing.class, "some/where/Attributes");
    assert_eq!(enclosing.method, Some(("local".into(), "(I)Ljava/lang/Object;".into())));
}
