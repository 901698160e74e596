//! The input of a finding drawn: a box for every object, a row for every field, an arrow for every pointer.
//!
//! Objects stand in columns by their distance from the arguments, in the order in which they are reached. Arrows lead from
//! the right of a row to the left of a box that stands further on, and around to the right of any other.

use super::page::escape;
use crate::graph::{FieldSummary, ObjectSummary};
use std::fmt::Write;

/// Height of a row, and the room inside and between boxes, in pixels; the width of a character in tenths of one.
const ROW: usize = 20;
const CHARACTER: usize = 74;
const PADDING: usize = 10;
const GAP: usize = 56;
const BETWEEN: usize = 18;
const MARGIN: usize = 6;
/// Room at the right for arrows that lead back.
const AROUND: usize = 34;
/// Characters of a row.
const WIDEST: usize = 34;

/// Where a box stands.
#[derive(Clone, Copy)]
struct Frame {
    x: usize,
    y: usize,
    width: usize,
    height: usize,
}

/// The drawing; empty without objects.
pub(super) fn drawing(objects: &[ObjectSummary], what: &str) -> String {
    let frames = arranged(objects);
    let width = frames.iter().map(|frame| frame.x + frame.width).max().unwrap_or(0) + AROUND + MARGIN;
    let height = frames.iter().map(|frame| frame.y + frame.height).max().unwrap_or(0) + MARGIN;
    if objects.is_empty() {
        return String::new();
    }
    let boxes: String = objects.iter().zip(&frames).map(|(object, &frame)| shown(object, frame)).collect();
    let mut arrows = String::new();
    for (object, from) in objects.iter().zip(&frames) {
        for (row, field) in object.fields.iter().enumerate() {
            if let Some(to) = field.to.and_then(|to| frames.get(to)) {
                arrows += &arrow(*from, row, *to);
            }
        }
    }
    format!(
        "<div class=\"graph\" tabindex=\"0\" role=\"region\" aria-label=\"The input drawn\">\
         <svg viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\">\
         <title>The input on which this happens: {}</title>{boxes}{arrows}</svg></div>",
        escape(what)
    )
}

/// Boxes in columns, each column as wide as its widest.
fn arranged(objects: &[ObjectSummary]) -> Vec<Frame> {
    let columns = objects.iter().map(|object| object.depth + 1).max().unwrap_or(0);
    let mut widths = vec![0; columns];
    let mut bottoms = vec![MARGIN; columns];
    for object in objects {
        widths[object.depth] = widths[object.depth].max(width(object));
    }
    let mut frames = Vec::with_capacity(objects.len());
    for object in objects {
        let x = MARGIN + widths[..object.depth].iter().map(|width| width + GAP).sum::<usize>();
        let height = (object.fields.len() + 1) * ROW + PADDING / 2;
        frames.push(Frame { x, y: bottoms[object.depth], width: width(object), height });
        bottoms[object.depth] += height + BETWEEN;
    }
    frames
}

fn width(object: &ObjectSummary) -> usize {
    let rows = object.fields.iter().map(|field| row_text(field).chars().count());
    let longest = rows.chain([object.name.chars().count()]).max().unwrap_or(0);
    longest.min(WIDEST) * CHARACTER / 10 + 2 * PADDING
}

/// `.next = NULL ✗ followed`; behind a pointer to an object is room for the dot where its arrow begins.
fn row_text(field: &FieldSummary) -> String {
    let end = match (field.to, field.at_fault) {
        (Some(_), _) => "  ",
        (None, true) => " ✗ followed",
        (None, false) => "",
    };
    let value = match (field.name.as_str(), field.value.as_str()) {
        (name, "") => name.to_owned(),
        ("", value) => value.to_owned(),
        (name, value) => format!("{name} = {value}"),
    };
    format!("{value}{end}")
}

fn shown(object: &ObjectSummary, frame: Frame) -> String {
    let Frame { x, y, width, height } = frame;
    let class = if object.at_fault { "box at-fault" } else { "box" };
    let mut svg = format!(
        "<g class=\"{class}\"><rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"5\"/>\
         <text class=\"name\" x=\"{}\" y=\"{}\">{}</text>",
        x + PADDING,
        y + ROW - 5,
        escape(&cut(&object.name))
    );
    for (row, field) in object.fields.iter().enumerate() {
        let top = y + (row + 1) * ROW;
        let class = match field.value.as_str() {
            _ if field.at_fault => " class=\"at-fault\"",
            "NULL" => " class=\"null\"",
            _ => "",
        };
        if field.at_fault {
            let _ = write!(
                svg,
                "<rect class=\"fault\" x=\"{x}\" y=\"{top}\" width=\"{width}\" height=\"{ROW}\"/>"
            );
        }
        let text = escape(&cut(&row_text(field)));
        let _ = write!(svg, "<text{class} x=\"{}\" y=\"{}\">{text}</text>", x + PADDING, top + ROW - 6);
    }
    if object.at_fault {
        let (end, right) = (y + height, x + width);
        let _ = write!(svg, "<path class=\"end\" d=\"M{x} {end}H{right}\"/>");
    }
    svg + "</g>"
}

/// An arrow from a row of one box to another box.
fn arrow(from: Frame, row: usize, to: Frame) -> String {
    let (x, y) = (from.x + from.width - PADDING, from.y + (row + 1) * ROW + ROW / 2);
    let target = to.y + ROW / 2;
    let (line, head) = if to.x > from.x + from.width {
        let middle = (x + to.x) / 2;
        let end = to.x - 1;
        (format!("M{x} {y}C{middle} {y} {middle} {target} {end} {target}"), (end, -7))
    } else {
        let end = to.x + to.width + 1;
        let out = end.max(from.x + from.width) + AROUND - 4;
        (format!("M{x} {y}C{out} {y} {out} {target} {end} {target}"), (end, 7))
    };
    let (tip, back) = head;
    let back = tip.saturating_add_signed(back);
    let (above, below) = (target - 4, target + 4);
    format!(
        "<circle class=\"tip\" cx=\"{x}\" cy=\"{y}\" r=\"3\"/><path class=\"arrow\" d=\"{line}\"/><path class=\"tip\" d=\"M{tip} {target}L{back} {above}V{below}Z\"/>"
    )
}

fn cut(text: &str) -> String {
    match text.chars().count() > WIDEST {
        true => text.chars().take(WIDEST - 1).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pointer(name: &str, to: usize) -> FieldSummary {
        FieldSummary { name: name.to_owned(), to: Some(to), ..FieldSummary::default() }
    }

    fn object(name: &str, depth: usize, fields: Vec<FieldSummary>) -> ObjectSummary {
        ObjectSummary { name: name.to_owned(), depth, fields, at_fault: false }
    }

    /// Two nodes that lead to each other: one arrow forwards, one back, one from the arguments.
    #[test]
    fn cycles_have_an_arrow_for_every_pointer() {
        let objects = [
            object("arguments", 0, vec![pointer("list", 1)]),
            object("list", 1, vec![pointer(".next", 2)]),
            object("list->next", 2, vec![pointer(".next", 1)]),
        ];
        let svg = drawing(&objects, "endless");
        assert_eq!(svg.matches("class=\"arrow\"").count(), 3);
        assert_eq!(svg.matches("class=\"box\"").count(), 3);
        assert!(svg.contains(">list-&gt;next<"), "{svg}");
    }

    #[test]
    fn boxes_of_one_column_do_not_meet() {
        let fields = || vec![FieldSummary { value: "1".to_owned(), ..FieldSummary::default() }; 3];
        let objects = [object("arguments", 0, fields()), object("a", 1, fields()), object("b", 1, fields())];
        let frames = arranged(&objects);
        assert_eq!(frames[1].x, frames[2].x);
        assert!(frames[1].y + frames[1].height < frames[2].y);
        assert!(frames[0].x + frames[0].width < frames[1].x);
    }

    #[test]
    fn the_pointer_at_fault_is_marked_by_more_than_colour() {
        let null = FieldSummary { name: ".next".into(), value: "NULL".into(), to: None, at_fault: true };
        let svg = drawing(&[object("list", 0, vec![null])], "null");
        assert!(svg.contains("class=\"fault\"") && svg.contains("✗ followed"), "{svg}");
        assert_eq!(drawing(&[], ""), "", "nothing to draw");
    }
}
