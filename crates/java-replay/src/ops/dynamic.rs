//! Call sites that bootstrap methods link: lambda expressions, texts put together, and switches over types.

use crate::frame::{Call, Called, Handle, Label, Linked};
use crate::machine::{Fallible, Flow, Halt, Machine};
use java_classfile::{ClassFile, Constant, MemberRef, PoolIndex};
use std::rc::Rc;

impl Machine<'_, '_> {
    pub(super) fn invoke_dynamic(&mut self, site: PoolIndex) -> Fallible<Flow> {
        let frame = self.top()?;
        let (class, file, id) = (frame.method.class, frame.method.file, frame.pc());
        let called = self.called(class, site, || {
            let site = file.pool.dynamic(site).map_err(|_| Halt::Broken("no call site"))?;
            Ok(Called {
                class: "invokedynamic".into(),
                name: site.name.to_owned(),
                descriptor: site.descriptor.parse().map_err(|_| Halt::Broken("no descriptor"))?,
                as_named: true,
            })
        })?;
        let arguments = self.arguments(called.descriptor.parameters.len())?;
        let dynamic = Some(linked(file, site).unwrap_or(Linked::Other));
        let call = Call {
            id,
            called,
            has_receiver: false,
            arguments,
            returned: None,
            answered: None,
            dynamic,
            is_opaque: false,
        };
        self.top()?.pending = Some(call);
        Ok(Flow::Stay)
    }
}

fn linked(file: &ClassFile, site: PoolIndex) -> Option<Linked> {
    let dynamic = file.pool.dynamic(site).ok()?;
    let bootstrap = file.attributes.bootstrap_methods.get(usize::from(dynamic.bootstrap))?;
    if let Some(labels) = file.switch_labels(site) {
        return Some(Linked::Switch(labels.iter().map(|&constant| label(file, constant)).collect()));
    }
    // The name of the site alone says nothing: that of a lambda is the user's.
    match (file.bootstrap(bootstrap)?.class, dynamic.name) {
        ("java/lang/invoke/StringConcatFactory", "makeConcatWithConstants") => {
            let recipe = file.pool.string(*bootstrap.arguments.first()?).ok()?;
            Some(Linked::Text(recipe.to_string().into()))
        }
        _ => {
            let Constant::MethodHandle { reference, kind } = file.pool.get(*bootstrap.arguments.get(1)?)
            else {
                return None;
            };
            let member = file.pool.member(*reference).ok()?;
            let handle = Handle::of(*kind, member).map(Rc::new);
            Some(Linked::Lambda { method: member.name.into(), handle })
        }
    }
}

impl Handle {
    /// Of a method handle of a class file; `None` if it is of a field.
    fn of(kind: u8, member: MemberRef<'_>) -> Option<Handle> {
        Some(Handle {
            class: member.class.to_owned(),
            name: member.name.to_owned(),
            descriptor: member.descriptor.parse().ok().filter(|_| kind >= 5)?,
            is_static: kind == 6,
            is_virtual: matches!(kind, 5 | 9),
            is_constructor: kind == 8,
        })
    }
}

fn label(file: &ClassFile, constant: PoolIndex) -> Label {
    match file.pool.get(constant) {
        Constant::Integer(value) => Label::Number(*value),
        Constant::String(_) => match file.pool.string(constant) {
            Ok(text) => Label::Text(text.units().into_owned()),
            Err(_) => Label::Other,
        },
        _ => file.pool.class_name(constant).map_or(Label::Other, |name| Label::Class(name.to_owned())),
    }
}
