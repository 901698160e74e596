//! Regular expressions that the code under test holds texts against, and texts that fit them.
//!
//! A text that fits `^<\\?xml.*encoding=.+` is not found by changing characters: the machine says "no" and nothing of how near it was. But the
//! expression stands in the class file, and says itself what fits.

use input::Rng;
use java_classfile::MemberRef;
use regex_syntax::hir::{Class, Hir, HirKind};

/// How often more than need be something is repeated that may be.
const REPEATED: u32 = 2;
/// How often at most it is, if it has to be very often.
const MOST: u32 = 64;
/// Parts of an expression that are written, repeated ones each time: repetitions of repetitions have no end.
const PARTS: u32 = 4096;
/// What is taken of many characters, if they are among them.
const PLAIN: [(char, char); 4] = [('a', 'z'), ('0', '9'), ('A', 'Z'), (' ', '~')];

/// A regular expression.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Pattern(Hir);

/// Methods of the platform that take one.
const TAKERS: [(&str, &[&str]); 2] = [
    ("java/util/regex/Pattern", &["compile", "matches"]),
    ("java/lang/String", &["matches", "replaceAll", "replaceFirst", "split"]),
];

/// Whether a text before a call of this may be a regular expression.
pub(crate) fn is_given_pattern(member: MemberRef<'_>) -> bool {
    TAKERS.iter().any(|(class, names)| *class == member.class && names.contains(&member.name))
}

impl Pattern {
    /// Of what stands in a class file, unless nothing fits it but that text. Java has things that no regular language has, as looking behind;
    /// such an expression is none here.
    pub(crate) fn of(units: &[u16]) -> Option<Pattern> {
        let hir = regex_syntax::parse(&String::from_utf16(units).ok()?).ok()?;
        (!matches!(hir.kind(), HirKind::Literal(_) | HirKind::Empty)).then_some(Pattern(hir))
    }

    /// A text that fits, as far as anchors and borders of words do not forbid it.
    pub(crate) fn example(&self, rng: &mut Rng) -> Vec<u16> {
        let mut text = String::new();
        let mut left = PARTS;
        write(&self.0, &mut text, rng, &mut left);
        text.encode_utf16().collect()
    }
}

fn write(hir: &Hir, text: &mut String, rng: &mut Rng, left: &mut u32) {
    *left = left.saturating_sub(1);
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(class) => text.extend(character(class, rng)),
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(u32::MAX).min(repetition.min.saturating_add(REPEATED));
            for _ in 0..rng.u32(repetition.min..=most).min(MOST) {
                if *left == 0 {
                    break;
                }
                write(&repetition.sub, text, rng, left);
            }
        }
        HirKind::Capture(capture) => write(&capture.sub, text, rng, left),
        HirKind::Concat(parts) => parts.iter().for_each(|part| write(part, text, rng, left)),
        HirKind::Alternation(parts) => write(&parts[rng.usize(..parts.len())], text, rng, left),
    }
}

/// One of a class, plain if there is such a one.
fn character(class: &Class, rng: &mut Rng) -> Option<char> {
    let ranges: Vec<(char, char)> = match class {
        Class::Unicode(class) => class.ranges().iter().map(|range| (range.start(), range.end())).collect(),
        Class::Bytes(class) => {
            class.ranges().iter().map(|range| (char::from(range.start()), char::from(range.end()))).collect()
        }
    };
    let common = |&(start, end): &(char, char)| {
        let of = |&(first, last): &(char, char)| (first.max(start), last.min(end));
        ranges.iter().map(of).filter(|(first, last)| first <= last).collect::<Vec<_>>()
    };
    let mut plain: Vec<(char, char)> = PLAIN.iter().flat_map(common).collect();
    if plain.is_empty() {
        plain = ranges;
    }
    let (first, last) = *plain.get(rng.usize(..plain.len().max(1)))?;
    Some(rng.char(first..=last))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn examples(pattern: &str) -> Vec<String> {
        let units: Vec<u16> = pattern.encode_utf16().collect();
        let pattern = Pattern::of(&units).expect("a pattern");
        let mut rng = Rng::with_seed(3);
        (0..200).map(|_| String::from_utf16(&pattern.example(&mut rng)).expect("characters")).collect()
    }

    #[test]
    fn examples_of_addresses_are_dotted_numbers() {
        for text in examples(r"^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$") {
            let parts: Vec<&str> = text.split('.').collect();
            let is_number = |part: &&str| (1..=3).contains(&part.len()) && part.parse::<u32>().is_ok();
            assert!(parts.len() == 4 && parts.iter().all(is_number), "{text}");
        }
    }

    #[test]
    fn examples_are_of_all_alternatives() {
        let all = examples("<(?:a|b+)>|[x-z]?");
        for wanted in ["<a>", "<b>", "<bb>", "", "x", "z"] {
            assert!(all.iter().any(|text| text == wanted), "{wanted}");
        }
    }

    #[test]
    fn what_excludes_characters_still_has_some() {
        assert!(examples("[^a-z ]").iter().all(|text| {
            text.chars().count() == 1 && !text.chars().any(|c| c.is_ascii_lowercase() || c == ' ')
        }));
    }

    #[test]
    fn very_long_ones_are_cut_and_odd_ones_are_none() {
        assert!(examples("(?:x{60}){60}").iter().all(|text| text.len() == 3600));
        let nested = examples("((((x{64}y){64}){64}){64}){64}");
        assert!(nested.iter().all(|text| (1..=PARTS as usize + 250).contains(&text.len())));
        assert!(examples("x{900}").iter().all(|text| text.len() == MOST as usize));
        for odd in ["(?<=a)b", "plain", ""] {
            assert_eq!(Pattern::of(&odd.encode_utf16().collect::<Vec<u16>>()), None, "{odd}");
        }
    }
}
