//! `try (resource)`: the compiler writes what closes the resource, once for the way out and once for exceptions.
//!
//! Since Java 11 (javac of that version, whatever it compiles for):
//!
//! ```text
//! body; if (r != null) r.close();                               the way out
//! catch (Throwable e) {
//!     if (r != null) try { r.close(); } catch (Throwable t) { e.addSuppressed(t); }
//!     throw e;
//! }
//! ```
//!
//! where a resource that was just made is not compared with null. Before, it was the `try` … `finally` of the language specification, and for
//! a while a method `$closeResource`.

use super::matcher::{Listing, Matcher};
use super::{Filter, View};
use java_classfile::Instruction;
use java_classfile::instruction::{InvokeKind, Kind};

const THROWABLE: &str = "java/lang/Throwable";

/// How resources are closed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// Since Java 11, with the comparison or without.
    Plain { compared: bool },
    /// Of the specification, with the comparison or without.
    Finally { compared: bool },
    /// By a method, with the comparison or without.
    Method { compared: bool },
}

const STYLES: [Style; 6] = [
    Style::Plain { compared: true },
    Style::Plain { compared: false },
    Style::Method { compared: false },
    Style::Finally { compared: true },
    Style::Finally { compared: false },
    Style::Method { compared: true },
];

pub(super) fn filter(listing: &Listing<'_>, view: &mut View) {
    for handler in &listing.code.handlers {
        let catches = handler.catches.and_then(|class| listing.pool.class_name(class).ok());
        if catches != Some(THROWABLE) {
            continue;
        }
        let start = listing.place(handler.handler);
        for style in STYLES {
            match_style(listing, start, style, view);
        }
    }
}

fn match_style(listing: &Listing<'_>, start: usize, style: Style, view: &mut View) -> Option<()> {
    let mut matcher = Matcher::at(listing, start);
    match style {
        Style::Plain { .. } => {
            matcher.store(Kind::Ref, "primary");
            close(&mut matcher, style, "t");
            matcher.goto().store(Kind::Ref, "t").load(Kind::Ref, "primary").load(Kind::Ref, "t");
            add_suppressed(&mut matcher);
            matcher.load(Kind::Ref, "primary").throw();
        }
        Style::Finally { .. } | Style::Method { .. } => {
            matcher.store(Kind::Ref, "t1").load(Kind::Ref, "t1").store(Kind::Ref, "primary");
            matcher.load(Kind::Ref, "t1").throw().store(Kind::Ref, "t2");
            close(&mut matcher, style, "et");
            matcher.load(Kind::Ref, "t2").throw();
        }
    }
    let end = matcher.end()?;
    // The nearest place before that closes the same resource is the way out.
    let (way_out, mut after) = (0..start).rev().find_map(|at| {
        matcher.restart(at);
        close(&mut matcher, style, "nt");
        Some((at, matcher.end()?))
    })?;
    if matches!(listing.get(after), Some(Instruction::Goto { .. })) {
        after += 1;
    }
    view.hide(way_out, after, Filter::TryWithResources);
    view.hide(start, end, Filter::TryWithResources);
    Some(())
}

fn close(matcher: &mut Matcher<'_>, style: Style, caught: &'static str) {
    let (Style::Plain { compared } | Style::Finally { compared } | Style::Method { compared }) = style;
    if compared {
        matcher.load(Kind::Ref, "r").if_null();
    }
    match style {
        Style::Plain { .. } => drop(matcher.close()),
        Style::Method { .. } => {
            matcher.load(Kind::Ref, "primary").load(Kind::Ref, "r");
            matcher.next_if(|i| matches!(i, Instruction::Invoke { kind: InvokeKind::Static, .. }));
        }
        Style::Finally { .. } => {
            matcher.load(Kind::Ref, "primary").if_null().close().goto().store(Kind::Ref, caught);
            matcher.load(Kind::Ref, "primary").load(Kind::Ref, caught);
            add_suppressed(matcher);
            matcher.goto().close();
        }
    }
}

fn add_suppressed(matcher: &mut Matcher<'_>) {
    matcher.invoke(InvokeKind::Virtual, THROWABLE, "addSuppressed", "(Ljava/lang/Throwable;)V");
}
