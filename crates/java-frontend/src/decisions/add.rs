//! Decisions as parts of functions.

use super::{Found, Matched, Part, Written};
use crate::calls::MethodTable;
use crate::sites::{Shape, Site, Sites};
use model::{Branch, BranchId, BranchKind, Decision, Function, LeftOut, Position, Program, Span};
use std::collections::HashMap;

/// Conditions of one decision.
const MOST_CONDITIONS: usize = 64;

/// Adds decisions to the functions that have them, with ids behind those of all jumps. Returns the jumps that are further places of a condition,
/// each with the branch of that condition.
pub(crate) fn add(
    program: &mut Program,
    matched: &Matched<'_>,
    sites: &Sites,
    methods: &MethodTable,
) -> Vec<(BranchId, BranchId)> {
    let mut adder = Adder { next: program.branch_count, joins: Vec::new() };
    for (function, place) in program.functions.iter_mut().zip(methods.places()) {
        let own = sites.of_method(place.0, place.1);
        for found in matched.found.get(place).into_iter().flatten() {
            adder.add(function, found, own);
        }
        adder.add_nodes(function);
        if !matched.has_source[place.0] {
            function.left_out.extend(chains(function, own));
        }
    }
    program.branch_count = adder.next;
    for left in &matched.left_out {
        let file = program.files.iter().position(|file| file.path == left.file);
        let Some(file) = file.map(|file| file as u32) else { continue };
        leave_out(program, file, left.written, left.reason);
    }
    adder.joins
}

struct Adder {
    next: u32,
    joins: Vec<(BranchId, BranchId)>,
}

impl Adder {
    fn add(&mut self, function: &mut Function, found: &Found<'_>, sites: &[Site]) {
        let Found { written, copies } = found;
        let file = function.span.file;
        if written.conditions.len() > MOST_CONDITIONS {
            let reason = format!("more than {MOST_CONDITIONS} conditions");
            return function.left_out.push(LeftOut { span: span(file, written.part), reason });
        }
        let site = |pc| sites.iter().find(|site| site.pc == pc);
        let mut conditions = Vec::new();
        for (number, condition) in written.conditions.iter().enumerate() {
            let of_copy = |copy: &Vec<super::Jump>| -> Vec<&Site> {
                copy.iter().filter(|jump| jump.condition == number).filter_map(|jump| site(jump.pc)).collect()
            };
            let places: Vec<Vec<&Site>> = copies.iter().map(of_copy).collect();
            let all: Vec<&Site> = places.concat();
            let is_one = places.iter().all(|places| places.len() == 1);
            // The one that is counted, if copies are.
            let counted = all.iter().find(|site| site.hidden_by.is_none()).or(all.first());
            let text = span(file, condition.part);
            let id = match counted.filter(|_| is_one) {
                Some(site) => site.branch,
                None => {
                    let kind = if all.is_empty() { BranchKind::Unevaluated } else { BranchKind::Condition };
                    self.new_branch(function, kind, text, all.first().map(|site| site.branch))
                }
            };
            for site in &all {
                if let Some(branch) = function.branches.iter_mut().find(|b| b.id == site.branch) {
                    branch.span = text;
                }
                if site.branch != id {
                    self.joins.push((site.branch, id));
                }
            }
            conditions.push(id);
        }
        function.decisions.push(Decision {
            span: span(file, written.part),
            conditions,
            shape: written.form.shape(),
            nodes: Vec::new(),
            is_cut: false,
            // JaCoCo knows nothing of decisions.
            is_confirmable: false,
        });
    }

    /// A condition that is no branch by itself: it is constant, or several jumps decide it.
    fn new_branch(
        &mut self,
        function: &mut Function,
        kind: BranchKind,
        span: Span,
        like: Option<BranchId>,
    ) -> BranchId {
        let id = BranchId(self.next);
        self.next += 1;
        let block =
            like.and_then(|like| function.branch(like)).map_or(model::BlockId(0), |branch| branch.block);
        function.branches.push(Branch { id, kind, span, expansion: None, block, counted: false });
        id
    }

    /// Nodes are branches, each like its condition.
    fn add_nodes(&mut self, function: &mut Function) {
        let known: HashMap<BranchId, Branch> =
            function.branches.iter().map(|branch| (branch.id, branch.clone())).collect();
        for decision in &mut function.decisions {
            (decision.nodes, decision.is_cut) = decision.shape.nodes(self.next);
            self.next += decision.nodes.len() as u32;
            for node in &decision.nodes {
                let condition = known[&decision.conditions[node.condition as usize]].clone();
                let (id, kind) = (node.branch, BranchKind::Node);
                function.branches.push(Branch { id, kind, counted: false, ..condition });
            }
        }
    }
}

fn span(file: u32, part: Part) -> Span {
    Span { file, start: part.start, end: part.end }
}

/// Lists a decision with the function around it, the smallest there is; outside of all, with the last one before.
fn leave_out(program: &mut Program, file: u32, written: &Written, reason: &str) {
    let line = written.part.start.line;
    let of_file = program.functions.iter_mut().filter(|function| function.span.file == file);
    let nearest = of_file.min_by_key(|function| {
        let Span { start, end, .. } = function.span;
        let is_around = (start.line..=end.line).contains(&line);
        let distance = if is_around { end.line - start.line } else { start.line.abs_diff(line) };
        (!is_around, distance)
    });
    if let Some(function) = nearest {
        function.left_out.push(LeftOut { span: span(file, written.part), reason: reason.to_owned() });
    }
}

/// Conditions of a class without source that may be decisions: jumps of one line that lead to a common place. Which of them belong together
/// nobody says.
fn chains(function: &Function, sites: &[Site]) -> Vec<LeftOut> {
    let target = |site: &Site| match site.shape {
        Shape::Condition { target, .. } if site.hidden_by.is_none() => Some(target),
        _ => None,
    };
    let mut found: Vec<LeftOut> = Vec::new();
    for pair in sites.windows(2).filter(|pair| pair[0].line == pair[1].line) {
        let [Some(one), Some(other)] = [target(&pair[0]), target(&pair[1])] else { continue };
        // `a && b` share their target; that of `a || b` is behind the jump of `b`.
        if one != other && !(one > pair[1].pc && one <= pair[1].pc + 3) {
            continue;
        }
        let at = Position { line: pair[0].line, column: 1 };
        let span = Span { file: function.span.file, start: at, end: at };
        let reason = "no source says which conditions belong together".to_owned();
        if found.last().is_none_or(|last| last.span != span) {
            found.push(LeftOut { span, reason });
        }
    }
    found
}
