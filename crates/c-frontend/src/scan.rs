//! Which instruction decides each branch region.
//!
//! Clang counts how often the interesting side of every condition runs: `llvm.instrprof.increment` at the head
//! of the block that only this side enters, or `increment.step` by the condition itself where the two sides
//! became a `select`. So the counters named by a region lead to the jump, switch or select that decides it:
//!
//! ```text
//!   region 3:7–3:12, true = counter 1          br i1 %c, label %then, label %end     ◄ the site
//!                                       then:  call @llvm.instrprof.increment(…, i32 1)
//! ```

use crate::covmap::{BranchRegion, Counter, FunctionMapping};
use crate::ir;
use crate::spread;
use inkwell::IntPredicate;
use inkwell::basic_block::BasicBlock;
use inkwell::values::{BasicValueEnum, FunctionValue, InstructionOpcode, InstructionValue, IntValue};
use std::collections::{BTreeMap, HashMap};

/// What decides a region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Site<'c> {
    /// The conditional jump at the end of `block`; the region is true when successor `when_true` is taken.
    Jump { block: BasicBlock<'c>, when_true: usize },
    /// A condition consumed by a `select`; `at` is the counter update next to it.
    Select { at: InstructionValue<'c>, condition: IntValue<'c> },
    /// Several jumps, see [`crate::spread`]; outcome `side` leads to the block `entry`.
    Spread { entry: BasicBlock<'c>, side: bool },
    /// A `case` label of a switch (index into [`Scan::switches`]) with this destination.
    Case { switch: usize, destination: BasicBlock<'c> },
    /// The `default` label.
    Default { switch: usize },
    /// No case matches in a switch without `default`.
    NoDefault { switch: usize },
    /// Not decided at run time: the operand of a `sizeof`, or folded by the compiler. Its outcomes still count
    /// as covered where llvm-cov's counters say so.
    Unevaluated { when_true: Option<Moment<'c>>, when_false: Option<Moment<'c>> },
}

/// When an outcome happens that nothing decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Moment<'c> {
    /// Whenever this counter is updated.
    Counter(InstructionValue<'c>),
    /// Whenever the region with this index is evaluated.
    Region(usize),
    /// It does happen, but no place that we know shows it.
    Unseen,
}

/// A `switch`, with the range checks that clang puts behind its default edge taken in.
pub(crate) struct Switch<'c> {
    /// The instruction.
    pub(crate) instruction: InstructionValue<'c>,
    /// Its block.
    pub(crate) block: BasicBlock<'c>,
    /// The value it looks at.
    pub(crate) value: IntValue<'c>,
    /// `(low, high, destination)`, both ends included, as signed numbers.
    pub(crate) rows: Vec<(i64, i64, BasicBlock<'c>)>,
    /// Blocks that only hold range checks.
    pub(crate) checks: Vec<BasicBlock<'c>>,
    /// Where it goes when nothing matches.
    pub(crate) default: BasicBlock<'c>,
}

/// A function's instructions in the order of the questions asked about them.
pub(crate) struct Scan<'c> {
    /// The blocks in layout order.
    pub(crate) blocks: Vec<BasicBlock<'c>>,
    /// All switches.
    pub(crate) switches: Vec<Switch<'c>>,
    counters: HashMap<u32, InstructionValue<'c>>,
    predecessors: HashMap<BasicBlock<'c>, Vec<BasicBlock<'c>>>,
    switch_of: HashMap<BasicBlock<'c>, usize>,
}

/// A sum of counters with factors; counters that no code updates are left out.
type Linear = BTreeMap<u32, i64>;

impl<'c> Scan<'c> {
    pub(crate) fn new(function: FunctionValue<'c>) -> Scan<'c> {
        let blocks = function.get_basic_blocks();
        let mut scan = Scan {
            blocks,
            switches: Vec::new(),
            counters: HashMap::new(),
            predecessors: HashMap::new(),
            switch_of: HashMap::new(),
        };
        for &block in &scan.blocks.clone() {
            for instruction in block.get_instructions() {
                if let Some(index) = counter_index(instruction) {
                    scan.counters.insert(index, instruction);
                }
            }
            let Some(terminator) = block.get_terminator() else { continue };
            for successor in ir::successors(terminator) {
                let list = scan.predecessors.entry(successor).or_default();
                if list.last() != Some(&block) {
                    list.push(block);
                }
            }
            if terminator.get_opcode() == InstructionOpcode::Switch {
                scan.add_switch(block, terminator);
            }
        }
        scan
    }

    /// The sites of all regions, in their order.
    pub(crate) fn sites(&self, mapping: &FunctionMapping) -> Vec<Site<'c>> {
        let mut sites: Vec<Option<Site<'c>>> =
            mapping.branches.iter().map(|region| self.decided_by(region, mapping)).collect();
        let evaluated: Vec<(usize, Linear, Linear)> = mapping
            .branches
            .iter()
            .enumerate()
            .filter(|(i, _)| sites[*i].is_some())
            .map(|(i, r)| (i, self.linear(r.when_true, mapping), self.linear(r.when_false, mapping)))
            .collect();
        for (site, region) in sites.iter_mut().zip(&mapping.branches) {
            if site.is_none() {
                let moment = |counter| self.moment(&self.linear(counter, mapping), &evaluated);
                *site = Some(Site::Unevaluated {
                    when_true: moment(region.when_true),
                    when_false: moment(region.when_false),
                });
            }
        }
        sites.into_iter().flatten().collect()
    }

    /// The jump, select or switch that decides a region, if it is evaluated at all.
    fn decided_by(&self, region: &BranchRegion, mapping: &FunctionMapping) -> Option<Site<'c>> {
        if let Counter::Physical(counter) = region.when_true
            && let Some(site) = self.site_of_counter(counter)
        {
            return Some(site);
        }
        if let Counter::Physical(counter) = region.when_false
            && let Some(Site::Jump { block, when_true }) = self.site_of_counter(counter)
        {
            return Some(Site::Jump { block, when_true: 1 - when_true });
        }
        if let Some(spread) = self.spread_over(region) {
            return Some(spread);
        }
        // A switch without default: false exactly as often as its cases together.
        let cases = self.linear(region.when_false, mapping);
        let (&first, _) = cases.first_key_value()?;
        let Some(Site::Case { switch, .. }) = self.site_of_counter(first) else { return None };
        let all_cases_of_it = cases.iter().all(|(&counter, &factor)| {
            factor == 1
                && matches!(self.site_of_counter(counter), Some(Site::Case { switch: s, .. }) if s == switch)
        });
        all_cases_of_it.then_some(Site::NoDefault { switch })
    }

    /// The block of a region's counter, where several jumps lead to it.
    fn spread_over(&self, region: &BranchRegion) -> Option<Site<'c>> {
        let (counter, side) = match (region.when_true, region.when_false) {
            (Counter::Physical(counter), Counter::Expression(_)) => (counter, true),
            (Counter::Expression(_), Counter::Physical(counter)) => (counter, false),
            _ => return None,
        };
        let entry = self.counters.get(&counter)?.get_parent()?;
        spread::spread(self, entry, side).map(|_| Site::Spread { entry, side })
    }

    /// The decision whose outcome leads to the update of a counter; true is that outcome.
    fn site_of_counter(&self, counter: u32) -> Option<Site<'c>> {
        let &update = self.counters.get(&counter)?;
        if let Some(condition) = step_condition(update) {
            return Some(Site::Select { at: update, condition });
        }
        let mut block = update.get_parent()?;
        loop {
            let [predecessor] = self.predecessors.get(&block)?[..] else { return None };
            if let Some(&switch) = self.switch_of.get(&predecessor) {
                let cases = &self.switches[switch];
                return Some(if cases.rows.iter().any(|&(_, _, to)| to == block) {
                    Site::Case { switch, destination: block }
                } else {
                    Site::Default { switch }
                });
            }
            let successors = ir::successors(predecessor.get_terminator()?);
            match successors[..] {
                [on_true, on_false] if on_true != on_false => {
                    return Some(Site::Jump {
                        block: predecessor,
                        when_true: usize::from(on_false == block),
                    });
                }
                // An empty block between the jump and the counter.
                [_] if predecessor.get_first_instruction() == predecessor.get_terminator() => {
                    block = predecessor
                }
                _ => return None,
            }
        }
    }

    fn add_switch(&mut self, block: BasicBlock<'c>, instruction: InstructionValue<'c>) {
        let Some(BasicValueEnum::IntValue(value)) = ir::operand(instruction, 0) else { return };
        let Some(&default) = ir::successors(instruction).first() else { return };
        let rows = ir::switch_cases(instruction)
            .into_iter()
            .filter_map(|(case, to)| ir::constant(case).map(|c| (c, c, to)))
            .collect();
        let mut switch = Switch { instruction, block, value, rows, checks: Vec::new(), default };
        while let Some((low, high, destination, next)) = range_check(switch.default, value) {
            switch.rows.push((low, high, destination));
            switch.checks.push(switch.default);
            switch.default = next;
        }
        let index = self.switches.len();
        self.switch_of.insert(block, index);
        self.switch_of.extend(switch.checks.iter().map(|&b| (b, index)));
        self.switches.push(switch);
    }

    fn linear(&self, counter: Counter, mapping: &FunctionMapping) -> Linear {
        let mut sum = Linear::new();
        let mut todo = vec![(counter, 1)];
        while let Some((counter, factor)) = todo.pop() {
            match counter {
                Counter::Zero => {}
                Counter::Physical(index) if !self.counters.contains_key(&index) => {}
                Counter::Physical(index) => *sum.entry(index).or_default() += factor,
                Counter::Expression(index) => {
                    let Some(e) = mapping.expressions.get(index as usize) else { continue };
                    todo.push((e.left, factor));
                    todo.push((e.right, if e.adds { factor } else { -factor }));
                }
            }
        }
        sum.retain(|_, factor| *factor != 0);
        sum
    }

    /// What happens exactly as often as `sum` says: the update of a counter, or the evaluation of a region. An
    /// empty sum never happens.
    fn moment(&self, sum: &Linear, evaluated: &[(usize, Linear, Linear)]) -> Option<Moment<'c>> {
        let (&counter, _) = sum.first_key_value()?;
        if sum.len() == 1 && sum[&counter] == 1 {
            return Some(
                self.counters.get(&counter).map_or(Moment::Unseen, |&update| Moment::Counter(update)),
            );
        }
        let same = |(_, when_true, when_false): &&(usize, Linear, Linear)| add(when_true, when_false) == *sum;
        Some(evaluated.iter().find(same).map_or(Moment::Unseen, |(i, ..)| Moment::Region(*i)))
    }
}

fn add(a: &Linear, b: &Linear) -> Linear {
    let mut sum = a.clone();
    for (&counter, &factor) in b {
        *sum.entry(counter).or_default() += factor;
    }
    sum.retain(|_, factor| *factor != 0);
    sum
}

fn counter_index(instruction: InstructionValue<'_>) -> Option<u32> {
    let name = ir::called_name(instruction)?;
    (name == "llvm.instrprof.increment" || name == "llvm.instrprof.increment.step")
        .then(|| ir::operand(instruction, 3))
        .flatten()
        .and_then(ir::constant)
        .map(|index| index as u32)
}

/// The condition `c` of a counter update by `zext i1 c`.
fn step_condition<'c>(update: InstructionValue<'c>) -> Option<IntValue<'c>> {
    if ir::called_name(update)? != "llvm.instrprof.increment.step" {
        return None;
    }
    let widening = ir::definition(ir::operand(update, 4)?)?;
    let BasicValueEnum::IntValue(condition) = ir::operand(widening, 0)? else { return None };
    (widening.get_opcode() == InstructionOpcode::ZExt && condition.get_type().get_bit_width() == 1)
        .then_some(condition)
}

/// A block that is nothing but `(value - low) <=u span`: clang's form of a wide `case low ... high`.
fn range_check<'c>(
    block: BasicBlock<'c>,
    value: IntValue<'c>,
) -> Option<(i64, i64, BasicBlock<'c>, BasicBlock<'c>)> {
    let difference = block.get_first_instruction()?;
    let comparison = difference.get_next_instruction()?;
    let jump = comparison.get_next_instruction()?;
    let is_check = difference.get_opcode() == InstructionOpcode::Sub
        && ir::operand(difference, 0)? == BasicValueEnum::IntValue(value)
        && comparison.get_icmp_predicate() == Some(IntPredicate::ULE)
        && ir::definition(ir::operand(comparison, 0)?) == Some(difference)
        && jump.get_opcode() == InstructionOpcode::Br;
    let [inside, outside] = ir::successors(jump)[..] else { return None };
    let low = ir::constant(ir::operand(difference, 1)?)?;
    let span = match ir::operand(comparison, 1)? {
        BasicValueEnum::IntValue(v) => v.get_zero_extended_constant()?,
        _ => return None,
    };
    is_check.then(|| (low, low.wrapping_add(span as i64), inside, outside))
}
