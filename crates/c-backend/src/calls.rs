//! A stack of calls in words: recursion is told once.

use crate::place::Places;
use wire::Calls;

/// Calls that follow each other again and again, if this many or fewer, are told as one round.
const LONGEST_ROUND: usize = 8;
/// How often they must do so.
const TIMES: usize = 3;

/// Part of a stack.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Part<'a> {
    /// Calls one after the other, and how many more came of them.
    Round(&'a [u64], u64),
    /// Calls of which nothing is known.
    Unknown(u64),
}

/// The stack, innermost first: `name (file:line)`, and how many calls were left out where.
pub(crate) fn describe(calls: &Calls, places: &Places) -> Vec<String> {
    let mut lines = Vec::new();
    for part in fold(calls) {
        match part {
            Part::Round(round, more) => {
                let frames: Vec<Vec<String>> = round.iter().map(|&site| places.stack(site)).collect();
                lines.extend(frames.concat());
                if more > 0 {
                    lines.push(format!("… {} more of {}", grouped(more), of_whom(round, places)));
                }
            }
            Part::Unknown(count) => lines.push(format!("… {} more", grouped(count))),
        }
    }
    lines
}

fn of_whom(round: &[u64], places: &Places) -> String {
    let mut names: Vec<String> = round.iter().rev().filter_map(|&site| places.function(site)).collect();
    names.dedup();
    names.join(" → ")
}

fn fold(calls: &Calls) -> Vec<Part<'_>> {
    let mut parts = rounds(&calls.inner);
    let mut outer = rounds(&calls.outer).into_iter().peekable();
    if calls.left_out > 0 {
        match (parts.last_mut(), outer.peek()) {
            (Some(Part::Round(inner, more)), Some(Part::Round(round, rest)))
                if *rest > 0 && is_same_round(inner, round) =>
            {
                *more += calls.left_out + round.len() as u64 + rest;
                outer.next();
            }
            _ => parts.push(Part::Unknown(calls.left_out)),
        }
    }
    parts.extend(outer);
    parts
}

/// Whether both are the same calls, begun at different ones.
fn is_same_round(a: &[u64], b: &[u64]) -> bool {
    a.len() == b.len() && (0..a.len()).any(|shift| a[shift..].iter().chain(&a[..shift]).eq(b))
}

fn rounds(mut calls: &[u64]) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    while !calls.is_empty() {
        let (round, length) = (1..=LONGEST_ROUND)
            .map(|round| (round, repeated(calls, round)))
            .find(|&(round, length)| length >= TIMES * round)
            .unwrap_or((1, 1));
        parts.push(Part::Round(&calls[..round], (length - round) as u64));
        calls = &calls[length..];
    }
    parts
}

/// How many calls from the start on repeat the first `round` ones.
fn repeated(calls: &[u64], round: usize) -> usize {
    let later = calls.get(round..).unwrap_or_default();
    round + calls.iter().zip(later).take_while(|(a, b)| a == b).count()
}

/// `12345` as `12,345`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::Part::{Round, Unknown};
    use super::*;

    fn calls(inner: &[u64], left_out: u64, outer: &[u64]) -> Calls {
        Calls { inner: inner.to_vec(), left_out, outer: outer.to_vec() }
    }

    #[test]
    fn calls_without_recursion_stay() {
        let calls = calls(&[7, 8, 8, 9], 0, &[]);
        let alone = [7, 8, 8, 9];
        let expected: Vec<_> = alone.iter().map(|site| Round(std::slice::from_ref(site), 0)).collect();
        assert_eq!(fold(&calls), expected);
    }

    #[test]
    fn recursion_is_one_round_across_the_gap() {
        let calls = calls(&[1, 2, 2, 2, 2], 1000, &[2, 2, 2, 3]);
        assert_eq!(fold(&calls), [Round(&[1], 0), Round(&[2], 1006), Round(&[3], 0)]);
    }

    /// Outer rounds may begin anywhere: 4 5 4 5 4 5 4 … 5 4 5 4 5 4, then 6.
    #[test]
    fn mutual_recursion_is_one_round_too() {
        let calls = calls(&[4, 5, 4, 5, 4, 5, 4], 90, &[5, 4, 5, 4, 5, 4, 6]);
        assert_eq!(fold(&calls), [Round(&[4, 5], 5 + 90 + 6), Round(&[6], 0)]);
    }

    #[test]
    fn a_gap_between_different_calls_stays() {
        let calls = calls(&[1, 2], 5, &[3, 3, 3]);
        assert_eq!(fold(&calls), [Round(&[1], 0), Round(&[2], 0), Unknown(5), Round(&[3], 2)]);
    }

    #[test]
    fn every_call_is_counted_once() {
        for seed in 0..200u64 {
            let sites: Vec<u64> = (0..60).map(|i| (seed * 31 + i * i * seed) / 7 % (1 + seed % 5)).collect();
            let calls = calls(&sites[..40], seed, &sites[40..]);
            let parts = fold(&calls);
            let count = parts.iter().map(|part| match part {
                Round(round, more) => round.len() as u64 + more,
                Unknown(count) => *count,
            });
            assert_eq!(count.sum::<u64>(), 60 + seed);
        }
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!([7, 123, 1234, 1_234_567].map(grouped), ["7", "123", "1,234", "1,234,567"]);
    }
}
