//! The contract as a Java class, for the worker.

use crate::event::Code;
use crate::message;
use std::fmt::Write as _;

/// The text of the class `Codes`: every number of the contract as a constant, named as here.
#[must_use]
pub fn constants(package: &str) -> String {
    let mut text = format!(
        "package {package};\n\n/** The numbers of the contract with the driver. Made from it: not to be edited. */\nfinal class Codes {{\n"
    );
    let mut constant = |name: &str, number: u32| {
        let _ = writeln!(text, "    static final int {} = {number};", snake(name));
    };
    for code in Code::ALL {
        constant(&format!("{code:?}"), code as u32);
    }
    for (name, number) in message::NUMBERS {
        constant(name, u32::from(number));
    }
    let _ = writeln!(text, "    static final String SILENT_AT = \"{}\";", message::SILENT_AT);
    text + "\n    private Codes() {\n    }\n}\n"
}

/// `JumpTwo` as `JUMP_TWO`.
fn snake(name: &str) -> String {
    let mut out = String::new();
    for (i, c) in name.chars().enumerate() {
        if c.is_ascii_uppercase() && i > 0 {
            out.push('_');
        }
        out.push(c.to_ascii_uppercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_a_name_of_its_own() {
        let text = constants("a.b");
        assert!(text.starts_with("package a.b;"));
        assert!(text.contains("    static final int JUMP_TWO = 2;\n"), "{text}");
        let mut names: Vec<&str> =
            text.lines().filter_map(|l| l.trim().strip_prefix("static final int ")).collect();
        let count = names.len();
        names.sort_unstable_by_key(|line| line.split(' ').next());
        names.dedup_by_key(|line| line.split(' ').next());
        assert_eq!((names.len(), count), (Code::ALL.len() + message::NUMBERS.len(), names.len()));
    }
}
