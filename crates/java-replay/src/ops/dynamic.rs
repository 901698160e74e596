//! Call sites that bootstrap methods link: lambda expressions, and texts put together.

use crate::frame::{Call, Called};
use crate::machine::{Fallible, Flow, Halt, Machine};
use java_classfile::{ClassFile, Constant, PoolIndex};
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
        let dynamic = Some(linked(file, site).unwrap_or("".into()));
        let call =
            Call { id, called, has_receiver: false, arguments, returned: None, answered: None, dynamic };
        self.top()?.pending = Some(call);
        Ok(Flow::Stay)
    }
}

/// What a call site is about: the name of the method behind a lambda, or the recipe of a text after a zero character.
fn linked(file: &ClassFile, site: PoolIndex) -> Option<Rc<str>> {
    let dynamic = file.pool.dynamic(site).ok()?;
    let bootstrap = file.attributes.bootstrap_methods.get(usize::from(dynamic.bootstrap))?;
    match dynamic.name {
        "makeConcatWithConstants" => {
            let recipe = file.pool.string(*bootstrap.arguments.first()?).ok()?;
            Some(format!("\0{recipe}").into())
        }
        _ => {
            let Constant::MethodHandle { reference, .. } = file.pool.get(*bootstrap.arguments.get(1)?) else {
                return None;
            };
            Some(file.pool.member(*reference).ok()?.name.into())
        }
    }
}
