//! What of an exception a test can rely on.

use crate::facts::Facts;
use java_wire::message::Thrown;

/// Exceptions whose messages are the words of a JVM, not of a program.
const OF_THE_MACHINE: [&str; 9] = [
    "java/lang/NullPointerException",
    "java/lang/ClassCastException",
    "java/lang/ArrayIndexOutOfBoundsException",
    "java/lang/ArrayStoreException",
    "java/lang/StackOverflowError",
    "java/lang/OutOfMemoryError",
    "java/lang/ExceptionInInitializerError",
    "java/lang/NoClassDefFoundError",
    "java/lang/IncompatibleClassChangeError",
];

/// Bytes of a message that is worth repeating.
const LONGEST: usize = 500;

/// The message, if it will be the same next time and with the next version of the library: it is from the program itself and holds neither
/// identities of objects nor names that a machine makes up.
pub(crate) fn stable_message(thrown: &Thrown) -> Option<&str> {
    let of_library = |(class, ..): &(String, String, u32)| {
        ["java/", "javax/", "jdk/", "sun/"].iter().any(|prefix| class.starts_with(prefix))
    };
    if OF_THE_MACHINE.contains(&thrown.class.as_str()) || thrown.stack.first().is_some_and(of_library) {
        return None;
    }
    thrown.message.as_deref().filter(|message| message.len() <= LONGEST && is_stable(message))
}

/// Whether a text has no parts that change from run to run.
pub(crate) fn is_stable(text: &str) -> bool {
    let hash = |(at, _): (usize, &str)| text[at + 1..].starts_with(|c: char| c.is_ascii_hexdigit());
    let line = |(at, _): (usize, &str)| text[at + 6..].starts_with(|c: char| c.is_ascii_digit());
    !text.contains("Lambda") && !text.match_indices('@').any(hash) && !text.match_indices(".java:").any(line)
}

/// The class that a test expects: what was thrown, or the closest superclass that the test can name.
pub(crate) fn nameable(facts: &Facts, class: &str, package: &str) -> String {
    let mut class = class.to_owned();
    while !facts.is_accessible(&class, package) {
        match facts.class(&class).and_then(|facts| facts.superclass.clone()) {
            Some(superclass) => class = superclass,
            None => return "java/lang/Throwable".to_owned(),
        }
    }
    class
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(class: &str, message: &str, innermost: &str) -> Option<String> {
        let stack = vec![(innermost.to_owned(), "m".to_owned(), 1)];
        let thrown = Thrown { class: class.into(), message: Some(message.into()), stack };
        stable_message(&thrown).map(str::to_owned)
    }

    #[test]
    fn only_messages_of_the_program_are_expected() {
        let own = "java/lang/IllegalStateException";
        assert_eq!(message(own, "empty", "a/Stack").as_deref(), Some("empty"));
        assert_eq!(message(own, "a.Stack@1b2c3d", "a/Stack"), None);
        assert_eq!(message(own, "me@home", "a/Stack").as_deref(), Some("me@home"));
        assert_eq!(message(own, "a.Stack$$Lambda$14/0x0", "a/Stack"), None);
        assert_eq!(message(own, "at Stack.java:12", "a/Stack"), None);
        assert_eq!(message("java/lang/NumberFormatException", "For input", "java/lang/Integer"), None);
        assert_eq!(message("java/lang/NullPointerException", "name", "a/Stack"), None);
    }
}
