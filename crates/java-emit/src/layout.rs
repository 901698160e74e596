//! Lines that fit the page.

/// Columns that a line should have at most.
const WIDTH: usize = 110;

/// A statement as lines: broken behind commas where it is too long, never within a literal.
pub(crate) fn wrapped(line: &str, indent: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut current = String::new();
    for piece in pieces(line) {
        let continued = if lines.is_empty() { 0 } else { 8 };
        if !current.is_empty() && indent + continued + current.len() + piece.trim_end().len() > WIDTH {
            lines.push(current.trim_end().to_owned());
            current = " ".repeat(8);
        }
        current.push_str(piece);
    }
    lines.push(current);
    lines
}

/// The parts of a line that commas outside of literals end, each with its comma and space.
fn pieces(line: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut quote = None;
    let mut escaped = false;
    let mut start = 0;
    for (at, c) in line.char_indices() {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some(mark) if c == mark => quote = None,
            Some(_) => {}
            None if c == '"' || c == '\'' => quote = Some(c),
            None if c == ' ' && line[..at].ends_with(',') => {
                pieces.push(&line[start..=at]);
                start = at + 1;
            }
            None => {}
        }
    }
    pieces.push(&line[start..]);
    pieces
}

/// A comment of one line. Compilers read `\u` even here.
pub(crate) fn comment(text: &str) -> String {
    let line: Vec<&str> = text.split_whitespace().collect();
    format!("// {}", line.join(" ").replace("\\u", "\\ u"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_break_behind_commas_but_not_in_literals() {
        let text = format!("call(\"{}\", 'x', ',', 12345678901234567890);", "a, ".repeat(30));
        let lines = wrapped(&text, 8);
        assert_eq!(lines.len(), 2, "{lines:#?}");
        assert!(lines[0].ends_with("\","), "{lines:#?}");
        assert_eq!(lines.iter().map(|l| l.trim()).collect::<Vec<_>>().join(" "), text);
        assert_eq!(wrapped("a(1, 2);", 8), ["a(1, 2);"]);
    }

    #[test]
    fn comments_are_one_line() {
        assert_eq!(comment("a\n  b \\u000a"), "// a b \\ u000a");
    }
}
