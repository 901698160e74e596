//! Just enough of C's lexis to colour source text; it never fails and never changes the text.

/// What a byte belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    Plain,
    Comment,
    Text,
    Number,
    Keyword,
    Directive,
}

impl Class {
    /// Name in the style sheet.
    pub(super) fn css(self) -> &'static str {
        match self {
            Class::Plain => "",
            Class::Comment => "c",
            Class::Text => "s",
            Class::Number => "m",
            Class::Keyword => "k",
            Class::Directive => "d",
        }
    }
}

const KEYWORDS: &str = " auto bool break case char const continue default do double else enum extern false float \
for goto if inline int long nullptr register restrict return short signed sizeof static struct switch true typedef \
typeof union unsigned void volatile while _Alignas _Alignof _Atomic _Bool _Complex _Generic _Noreturn \
_Static_assert _Thread_local ";

/// The class of every byte of `text`.
pub(super) fn classes(text: &str) -> Vec<Class> {
    let bytes = text.as_bytes();
    let mut classes = vec![Class::Plain; bytes.len()];
    let mut at = 0;
    while at < bytes.len() {
        let (class, len) = token(text, at);
        classes[at..at + len].fill(class);
        at += len;
    }
    classes
}

fn token(text: &str, at: usize) -> (Class, usize) {
    let rest = &text.as_bytes()[at..];
    let until = |end: fn(&u8) -> bool| rest.iter().position(end).unwrap_or(rest.len());
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_' || *b >= 0x80;
    match rest[0] {
        b'/' if rest.starts_with(b"//") => (Class::Comment, until(|b| *b == b'\n')),
        b'/' if rest.starts_with(b"/*") => {
            (Class::Comment, rest[2..].windows(2).position(|w| w == b"*/").map_or(rest.len(), |n| n + 4))
        }
        quote @ (b'"' | b'\'') => (Class::Text, quoted(rest, quote)),
        b'#' if starts_line(text, at) => (Class::Directive, until(|b| *b == b'\n')),
        b if b.is_ascii_digit() => {
            (Class::Number, rest.iter().position(|b| !is_word(b) && *b != b'.').unwrap_or(rest.len()))
        }
        b if is_word(&b) => {
            let len = rest.iter().position(|b| !is_word(b)).unwrap_or(rest.len());
            let word = String::from_utf8_lossy(&rest[..len]);
            let class = if KEYWORDS.contains(&format!(" {word} ")) { Class::Keyword } else { Class::Plain };
            (class, len)
        }
        _ => (Class::Plain, 1),
    }
}

fn quoted(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 1,
            b'\n' => return at,
            b if b == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    rest.len()
}

fn starts_line(text: &str, at: usize) -> bool {
    let line = text[..at].rfind('\n').map_or(0, |n| n + 1);
    text[line..at].trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(text: &str) -> String {
        let letter = |c: &Class| if c.css().is_empty() { "." } else { c.css() };
        classes(text).iter().map(letter).collect()
    }

    #[test]
    fn tokens_have_their_class() {
        assert_eq!(spelled("int x1 = 'a';"), "kkk......sss.");
        assert_eq!(spelled("f(\"/*\\\"\") // 1"), "..ssssss..cccc");
        assert_eq!(spelled("  #if 1\n#"), "..ddddd.d");
        assert_eq!(spelled("a/* 1\n2 */1.5e3"), ".cccccccccmmmmm");
    }

    #[test]
    fn unfinished_tokens_end_with_the_text() {
        for text in ["\"abc", "'\\", "/* ", "/*", "//", "\"\\", "é\"é", "1."] {
            assert_eq!(classes(text).len(), text.len());
        }
    }
}
