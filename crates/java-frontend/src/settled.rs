//! Jumps that were settled when a class was loaded.
//!
//! ```java
//! private static final boolean IS_OS_MAC = System.getProperty("os.name").startsWith("Mac");
//! static FileSystem current() { if (IS_OS_MAC) { return MAC; } … }
//! ```
//!
//! What a static final field holds, a static initialiser has decided, and that takes no values. Whatever a test does, the jump goes the way
//! that it went in the first run; on another machine it may be the other one.

use crate::sites::Sites;
use crate::sources::ClassEntry;
use java_classfile::{Code, Instruction, Pc, Pool};
use model::{BranchId, Cfg, Function, Goal};
use std::collections::{BTreeMap, BTreeSet};

/// Branches with the first of their jump, which a switch has many of.
pub type Settled = BTreeMap<BranchId, BranchId>;

/// The branches of jumps that look at nothing but a static final field of an own class, and perhaps a constant. Static initialisers are left
/// out: they are what sets such fields.
#[must_use]
pub fn settled(classes: &[ClassEntry], sites: &Sites) -> Settled {
    let mut settled = Settled::new();
    for (number, entry) in classes.iter().enumerate() {
        for (place, method) in entry.class.methods.iter().enumerate() {
            let Some(code) = method.code.as_ref().filter(|_| method.name != "<clinit>") else { continue };
            let is_final = |instruction: &Instruction| is_final(classes, &entry.class.pool, instruction);
            for site in
                sites.of_method(number, place).iter().filter(|site| is_settled(code, site.pc, is_final))
            {
                settled
                    .extend((0..site.width()).map(|offset| (BranchId(site.branch.0 + offset), site.branch)));
            }
        }
    }
    settled
}

/// Whether what a jump looks at is pushed right before it, and by nothing that is left out on another way there.
fn is_settled(code: &Code, jump: Pc, is_final: impl Fn(&Instruction) -> bool) -> bool {
    let at = code.instructions.partition_point(|(pc, _)| *pc < jump);
    let before = |back: usize| Some(&code.instructions.get(at.checked_sub(back)?)?.1);
    let is_known =
        |instruction: &Instruction| matches!(instruction, Instruction::Push(_)) || is_final(instruction);
    let takes = match (before(2), before(1), &code.instructions[at].1) {
        (Some(first), Some(second), Instruction::IfInts { .. } | Instruction::IfRefs { .. })
            if is_known(first) && is_known(second) =>
        {
            2
        }
        (_, _, Instruction::IfInts { .. } | Instruction::IfRefs { .. }) => return false,
        (_, Some(only), _) if is_final(only) => 1,
        _ => return false,
    };
    let inside = code.instructions[at - takes].0 + 1..=jump;
    !code.instructions.iter().flat_map(|(_, other)| other.targets()).any(|target| inside.contains(&target))
}

/// The outcomes of a function that only happen where settled jumps go another way than they do.
#[must_use]
pub fn ruled_out(function: &Function, settled: &Settled, covered: &BTreeSet<Goal>) -> BTreeSet<Goal> {
    let went: BTreeSet<BranchId> =
        covered.iter().filter_map(|goal| settled.get(&goal.branch)).copied().collect();
    let is_closed = |goal: &Goal| {
        !covered.contains(goal) && settled.get(&goal.branch).is_some_and(|jump| went.contains(jump))
    };
    let Cfg { successors } = &function.cfg;
    let is_open = |taken_by: &[Goal]| taken_by.is_empty() || !taken_by.iter().all(is_closed);
    let reached: BTreeSet<usize> = function
        .cfg
        .reached_by(|edge| is_open(&edge.taken_by))
        .into_iter()
        .map(|block| block.index())
        .collect();
    let mut ruled_out: BTreeSet<Goal> = function.goals().filter(is_closed).collect();
    for (_, edges) in successors.iter().enumerate().filter(|(block, _)| !reached.contains(block)) {
        ruled_out.extend(edges.iter().flat_map(|edge| &edge.taken_by));
    }
    ruled_out.retain(|goal| !covered.contains(goal));
    ruled_out
}

fn is_final(classes: &[ClassEntry], pool: &Pool, instruction: &Instruction) -> bool {
    let Instruction::GetStatic(field) = instruction else { return false };
    let Ok(field) = pool.member(*field) else { return false };
    let class = classes.iter().find(|entry| entry.name == field.class);
    let mut fields = class.into_iter().flat_map(|entry| &entry.class.fields);
    fields.any(|own| own.name == field.name && own.access.is_final() && own.access.is_static())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{BlockId, Edge};

    fn goal(branch: u32, outcome: bool) -> Goal {
        Goal { branch: BranchId(branch), outcome }
    }

    /// `if (0) { if (1) {} } if (2) {}`
    fn function() -> Function {
        let edge = |to: u32, branch: u32, outcome: bool| Edge {
            to: BlockId(to),
            taken_by: vec![goal(branch, outcome)],
        };
        let successors = vec![
            vec![edge(1, 0, true), edge(2, 0, false)],
            vec![edge(2, 1, true), edge(2, 1, false)],
            vec![edge(3, 2, true), edge(3, 2, false)],
            Vec::new(),
        ];
        Function { cfg: Cfg { successors }, ..Function::named("f") }
    }

    #[test]
    fn what_lies_behind_a_settled_jump_is_ruled_out() {
        let settled = Settled::from([(BranchId(0), BranchId(0))]);
        let covered = BTreeSet::from([goal(0, false), goal(2, true)]);
        let out = ruled_out(&function(), &settled, &covered);
        assert_eq!(out, BTreeSet::from([goal(1, false), goal(1, true)]));
    }

    #[test]
    fn of_a_switch_one_way_is_left() {
        let settled: Settled = (0..3).map(|branch| (BranchId(branch), BranchId(0))).collect();
        let mut function = function();
        let edge = |to: u32, branch: u32| Edge { to: BlockId(to), taken_by: vec![goal(branch, true)] };
        function.cfg.successors[0] = vec![edge(1, 0), edge(2, 1), edge(3, 2)];
        function.cfg.successors[1] = vec![Edge { to: BlockId(3), taken_by: vec![goal(7, true)] }];
        let out = ruled_out(&function, &settled, &BTreeSet::from([goal(1, true), goal(2, false)]));
        assert_eq!(out, BTreeSet::from([goal(7, true)]));
    }

    #[test]
    fn jumps_that_went_both_ways_or_never_came_rule_out_nothing() {
        let settled = Settled::from([(BranchId(0), BranchId(0))]);
        let both = BTreeSet::from([goal(0, false), goal(0, true)]);
        assert!(ruled_out(&function(), &settled, &both).is_empty());
        assert!(ruled_out(&function(), &settled, &BTreeSet::new()).is_empty());
        let none = Settled::new();
        assert!(ruled_out(&function(), &none, &BTreeSet::from([goal(0, false)])).is_empty());
    }
}
