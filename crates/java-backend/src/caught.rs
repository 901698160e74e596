//! Runs in which code under test catches that the stack or the memory is used up: how deep they get is up to the machine.

use java_frontend::ClassEntry;
use java_wire::event::{Code, Events};
use java_worker::Ran;

/// What the machine throws when it has no more.
const USED_UP: [&str; 2] = ["java/lang/StackOverflowError", "java/lang/OutOfMemoryError"];
/// Classes above these.
const ABOVE: [&str; 3] = ["java/lang/VirtualMachineError", "java/lang/Error", "java/lang/Throwable"];

/// Whether some code names what it takes to catch them. Blocks of `finally` do not, and throw it again.
pub(crate) fn may_catch(classes: &[ClassEntry]) -> bool {
    classes.iter().any(|entry| {
        let codes = entry.class.methods.iter().filter_map(|method| method.code.as_ref());
        let caught = codes.flat_map(|code| &code.handlers).filter_map(|handler| handler.catches);
        let mut names = caught.filter_map(|class| entry.class.pool.class_name(class).ok());
        names.any(|name| USED_UP.contains(&name) || ABOVE.contains(&name))
    })
}

/// Whether a run with all hooks caught one of them.
pub(crate) fn has_caught(ran: &Ran<'_>) -> bool {
    let handled = Events::new(ran.words).map_while(Result::ok).filter(|event| event.code == Code::Handle);
    let numbers = handled.filter_map(|event| event.words.get(1).copied());
    let mut classes = numbers.filter_map(|number| ran.classes.get((number as usize).checked_sub(1)?));
    classes.any(|class| USED_UP.contains(&class.name.as_str()))
}
