//! Approach levels through calls: what leads to a goal of a function is also what leads to the calls of that function.

use crate::fitness::{Plan, Plans, Trail};
use model::{BlockId, BranchId, Function, FunctionId, Goal, Program};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Plans for the goals of several functions, one of which is called.
#[derive(Clone, Debug)]
pub struct CallPlans<'p> {
    plans: HashMap<FunctionId, Plans<'p>>,
    owner: HashMap<BranchId, FunctionId>,
    /// Where each function is called from.
    callers: HashMap<FunctionId, Vec<(FunctionId, BlockId)>>,
}

impl<'p> CallPlans<'p> {
    /// For a function on its own.
    #[must_use]
    pub fn single(function: &'p Function) -> CallPlans<'p> {
        CallPlans::new([(FunctionId(0), function)], HashMap::new())
    }

    /// For functions that a call of `entry` may reach.
    #[must_use]
    pub fn through(program: &'p Program, entry: FunctionId, functions: &[FunctionId]) -> CallPlans<'p> {
        let known: HashSet<FunctionId> = functions.iter().copied().collect();
        let mut callers: HashMap<FunctionId, Vec<(FunctionId, BlockId)>> = HashMap::new();
        for site in &program.call_sites {
            // Nobody but the test calls the entry, as far as the way to a goal is concerned.
            if site.callee != entry && known.contains(&site.caller) && known.contains(&site.callee) {
                callers.entry(site.callee).or_default().push((site.caller, site.block));
            }
        }
        CallPlans::new(functions.iter().map(|&id| (id, program.function(id))), callers)
    }

    fn new(
        functions: impl IntoIterator<Item = (FunctionId, &'p Function)>,
        callers: HashMap<FunctionId, Vec<(FunctionId, BlockId)>>,
    ) -> CallPlans<'p> {
        let mut plans = HashMap::new();
        let mut owner = HashMap::new();
        for (id, function) in functions {
            owner.extend(function.branches.iter().map(|branch| (branch.id, id)));
            plans.insert(id, Plans::new(function));
        }
        CallPlans { plans, owner, callers }
    }

    /// The outcomes that lead to a goal: those of its own function, then those that lead to calls of it, and so on. Each
    /// function on the way adds its levels to those of the functions that it calls.
    #[must_use]
    pub fn plan(&self, goal: Goal) -> Plan {
        let mut trail = Trail::to(goal);
        let mut calls = HashSet::new();
        let mut layer: BTreeMap<FunctionId, Vec<BlockId>> = BTreeMap::new();
        let mut level = 0;
        if let Some(&function) = self.owner.get(&goal.branch) {
            let (block, levels) = self.plans[&function].begin(&mut trail, goal);
            layer.insert(function, block.into_iter().collect());
            level = levels;
        }
        while !layer.is_empty() {
            let mut next: BTreeMap<FunctionId, Vec<BlockId>> = BTreeMap::new();
            let mut last = level;
            for (function, blocks) in layer {
                if let Some(plans) = self.plans.get(&function) {
                    last = last.max(plans.walk(&mut trail, blocks, level));
                }
                for &(caller, block) in self.callers.get(&function).into_iter().flatten() {
                    if calls.insert((caller, block)) {
                        next.entry(caller).or_default().push(block);
                    }
                }
            }
            level = last;
            layer = next;
        }
        trail.finish()
    }
}
