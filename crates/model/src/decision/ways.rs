//! The ways through a decision.

mod split;

use super::{Node, Step};
use crate::BranchId;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};

/// Nodes of one decision. All ways through most decisions are fewer; of the others those that show each condition.
pub const MOST_NODES: usize = 384;
/// Pairs of ways that are looked for where there are more: so many for each condition.
const PAIRS: usize = 4;
/// Conditions of one decision.
const MOST_CONDITIONS: usize = 64;

/// How conditions are joined, and where that leads: after every condition to a later one, or to an outcome.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Shape {
    expression: Expression,
    conditions: u32,
    /// Conditions after what matters of the values before them.
    places: Vec<Place>,
    start: Next,
}

/// A decision as the source has it, over conditions by number.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum Expression {
    Condition(u32),
    /// A condition that always has the same value, and that nothing evaluates.
    Constant(u32, bool),
    Not(Box<Expression>),
    Join {
        /// Whether both sides must be true.
        and: bool,
        /// `&` and `|`: the second side is evaluated whatever the first one is.
        whole: bool,
        sides: Box<[Expression; 2]>,
    },
}

/// A condition, and what follows when it is false and when it is true. `a & b` has two places of `b`: after one of them the outcome
/// is false whatever `b` is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
struct Place {
    condition: u32,
    next: [Next; 2],
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
enum Next {
    Place(u32),
    End(bool),
}

/// Why conditions make no decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShapeError {
    /// More than 64 conditions.
    TooLarge,
    /// A condition leads back, or nowhere, or no expression has these ways.
    Tangled,
}

/// A full assignment, or what is known of one.
type Values = Vec<Option<bool>>;

impl Shape {
    /// From where each condition leads when it is false and when it is true; `None` is the end of the decision with that
    /// outcome. Conditions that are known to be constant have a value.
    ///
    /// # Errors
    /// When these are not conditions in the order of their evaluation.
    pub fn new(next: &[[Option<u32>; 2]], constant: &[Option<bool>]) -> Result<Shape, ShapeError> {
        if next.len() > MOST_CONDITIONS {
            return Err(ShapeError::TooLarge);
        }
        let mut ways = Vec::new();
        for (condition, sides) in next.iter().enumerate() {
            let is_later = |to: &Option<u32>| {
                to.is_none_or(|to| (condition as u32 + 1..next.len() as u32).contains(&to))
            };
            if !sides.iter().all(is_later) {
                return Err(ShapeError::Tangled);
            }
            let side = |outcome: bool| sides[usize::from(outcome)].map_or(Next::End(outcome), Next::Place);
            ways.push([side(false), side(true)]);
        }
        let expression = split::expression(&ways, 0, constant).ok_or(ShapeError::Tangled)?;
        Ok(Shape::of(expression, next.len() as u32))
    }

    fn of(expression: Expression, conditions: u32) -> Shape {
        let mut builder = Builder::default();
        let start = builder.ways(&expression, Next::End(true), Next::End(false));
        Shape { expression, conditions, places: builder.places, start }
    }

    /// The same decision with the opposite outcome.
    #[must_use]
    pub fn negated(&self) -> Shape {
        Shape::of(Expression::Not(Box::new(self.expression.clone())), self.conditions)
    }

    /// Two decisions, the second evaluated when the first has this outcome: `&&` if it is true, else `||`.
    #[must_use]
    pub fn then(&self, outcome: bool, second: &Shape) -> Shape {
        self.join(outcome, false, second)
    }

    /// Two decisions, both evaluated, and joined by `&` or by `|`.
    #[must_use]
    pub fn beside(&self, and: bool, second: &Shape) -> Shape {
        self.join(and, true, second)
    }

    fn join(&self, and: bool, whole: bool, second: &Shape) -> Shape {
        let sides = [self.expression.clone(), second.expression.shifted(self.conditions)];
        let expression = Expression::Join { and, whole, sides: Box::new(sides) };
        Shape::of(expression, self.conditions + second.conditions)
    }

    /// A single condition.
    #[must_use]
    pub fn condition() -> Shape {
        Shape::of(Expression::Condition(0), 1)
    }

    /// A condition that always has this value. It is counted, and never evaluated.
    #[must_use]
    pub fn constant(value: bool) -> Shape {
        Shape::of(Expression::Constant(0, value), 1)
    }

    pub(super) fn expression(&self) -> &Expression {
        &self.expression
    }

    /// Number of conditions.
    #[must_use]
    pub fn conditions(&self) -> usize {
        self.conditions as usize
    }

    /// The conditions that are constant, and their values.
    #[must_use]
    pub fn constants(&self) -> Vec<(usize, bool)> {
        let mut found = Vec::new();
        self.expression.visit(&mut |part| {
            if let Expression::Constant(number, value) = part {
                found.push((*number as usize, *value));
            }
        });
        found
    }

    /// Whether `&` or `|` joins some of its conditions.
    #[must_use]
    pub fn is_bitwise(&self) -> bool {
        let mut is_bitwise = false;
        self.expression.visit(&mut |part| {
            is_bitwise |= matches!(part, Expression::Join { whole: true, .. });
        });
        is_bitwise
    }

    /// The conditions that some way evaluates, a bit each.
    #[must_use]
    pub fn evaluable(&self) -> u64 {
        let mut reached = BTreeSet::new();
        let mut todo = vec![self.start];
        while let Some(next) = todo.pop() {
            if let Next::Place(place) = next
                && reached.insert(place)
            {
                todo.extend(self.places[place as usize].next);
            }
        }
        reached.iter().fold(0, |all, &place| all | 1 << self.places[place as usize].condition)
    }

    /// The outcome for these values, and which conditions are evaluated, a bit each.
    #[must_use]
    pub fn evaluate(&self, values: u64) -> (bool, u64) {
        let mut evaluated = 0;
        let mut at = self.start;
        loop {
            match at {
                Next::Place(place) => {
                    let Place { condition, next } = self.places[place as usize];
                    evaluated |= 1 << condition;
                    at = next[(values >> condition & 1) as usize];
                }
                Next::End(outcome) => return (outcome, evaluated),
            }
        }
    }

    /// Assignments that show every condition that can be shown, one more than there are of these, see [`Expression::few`].
    #[must_use]
    pub fn few(&self) -> Vec<u64> {
        self.expression.few()
    }

    /// The conditions of an evaluation on which the outcome hangs, a bit each: with some values for those that were not evaluated, the
    /// outcome is another if the condition is.
    #[must_use]
    pub fn deciding(&self, evaluated: u64, values: u64) -> u64 {
        let known: Values = (0..self.conditions())
            .map(|i| (evaluated >> i & 1 == 1).then_some(values >> i & 1 == 1))
            .collect();
        let hangs = |&condition: &usize| {
            let fixed = Some(&known[..]);
            let mut search =
                Pairing { shape: self, condition: condition as u32, turn: 0, fixed, dead: BTreeSet::new() };
            known[condition].is_some() && search.walk([self.start; 2], &mut vec![None; self.conditions()])
        };
        (0..self.conditions()).filter(hangs).map(|condition| 1 << condition).sum()
    }

    /// The nodes of all ways, or of so many that every condition can be shown in some ways; whether some are left out. Ids
    /// begin with `first`.
    #[must_use]
    pub fn nodes(&self, first: u32) -> (Vec<Node>, bool) {
        let mut tree = Tree { shape: self, nodes: Vec::new(), first };
        if tree.count(self.start, &mut HashMap::new()) <= MOST_NODES as u64 {
            tree.add_all(self.start);
            return (tree.nodes, false);
        }
        let pairs = (0..self.conditions).flat_map(|condition| self.showing(condition, PAIRS));
        for way in self.few().into_iter().chain(pairs.flatten()) {
            tree.add_way(way);
        }
        (tree.nodes, true)
    }

    /// Pairs of assignments that differ in one condition and in the outcome, at most `most` of them: the values of the others are
    /// found by walking both ways at once.
    #[must_use]
    pub fn showing(&self, condition: u32, most: usize) -> Vec<[u64; 2]> {
        let mut found = Vec::new();
        for way in 0..most as u64 * 4 {
            let mut values: Values = vec![None; self.conditions()];
            let mut search =
                Pairing { shape: self, condition, turn: way, fixed: None, dead: BTreeSet::new() };
            if search.walk([self.start; 2], &mut values) {
                let bits = |of: bool| {
                    let value = |(i, v): (usize, &Option<bool>)| {
                        let value = if i as u32 == condition { of } else { v.unwrap_or(false) };
                        u64::from(value) << i
                    };
                    values.iter().enumerate().map(value).sum::<u64>()
                };
                let pair = [bits(false), bits(true)];
                if !found.contains(&pair) {
                    found.push(pair);
                }
            }
            if found.len() == most {
                break;
            }
        }
        found
    }
}

impl Expression {
    fn visit(&self, see: &mut impl FnMut(&Expression)) {
        see(self);
        match self {
            Expression::Condition(_) | Expression::Constant(..) => {}
            Expression::Not(inner) => inner.visit(see),
            Expression::Join { sides, .. } => sides.iter().for_each(|side| side.visit(see)),
        }
    }

    /// The same over later conditions.
    fn shifted(&self, by: u32) -> Expression {
        match self {
            Expression::Condition(number) => Expression::Condition(number + by),
            Expression::Constant(number, value) => Expression::Constant(number + by, *value),
            Expression::Not(inner) => Expression::Not(Box::new(inner.shifted(by))),
            Expression::Join { and, whole, sides } => {
                let sides = Box::new([sides[0].shifted(by), sides[1].shifted(by)]);
                Expression::Join { and: *and, whole: *whole, sides }
            }
        }
    }

    fn value(&self, values: u64) -> bool {
        match self {
            Expression::Condition(number) => values >> number & 1 == 1,
            Expression::Constant(_, value) => *value,
            Expression::Not(inner) => !inner.value(values),
            Expression::Join { and: true, sides, .. } => sides[0].value(values) && sides[1].value(values),
            Expression::Join { and: false, sides, .. } => sides[0].value(values) || sides[1].value(values),
        }
    }

    /// Of two parts the assignments of the second are joined to one of the first that lets the second decide, and all others of the
    /// first to one of the second that lets the first. Two that show a condition differ in nothing else. Where constants leave none
    /// that lets the other part decide, one assignment of that part will do.
    fn few(&self) -> Vec<u64> {
        match self {
            Expression::Condition(number) => vec![0, 1 << number],
            Expression::Constant(..) => vec![0],
            Expression::Not(inner) => inner.few(),
            Expression::Join { and, sides, .. } => {
                let lets = |side: usize, values: u64| sides[side].value(values) == *and;
                let mut both = [sides[0].few(), sides[1].few()];
                let letting = [0, 1].map(|side| both[side].iter().copied().find(|&v| lets(side, v)));
                let [first, second] = [0, 1].map(|side| letting[side].unwrap_or(both[side][0]));
                for (side, chosen) in [(0, first), (1, second)] {
                    if letting[1 - side].is_none() {
                        both[side] = vec![chosen];
                    }
                }
                let others = both[0].iter().copied().filter(|&values| values != first);
                let (more, stopping): (Vec<u64>, Vec<u64>) = others.partition(|&values| lets(0, values));
                let mut all: Vec<u64> = stopping.iter().map(|values| values | second).collect();
                all.extend(both[1].iter().map(|values| first | values));
                all.extend(more.iter().map(|values| values | second));
                all
            }
        }
    }
}

/// Lays out the places of a decision from its end to its beginning.
#[derive(Default)]
struct Builder {
    places: Vec<Place>,
    known: HashMap<Place, u32>,
    /// By expression and what follows it: nested bitwise operators ask again and again.
    begun: HashMap<(*const Expression, [Next; 2]), Next>,
}

impl Builder {
    /// Where the evaluation of an expression begins, if it goes on in these ways when it is true and when it is false.
    fn ways(&mut self, expression: &Expression, on_true: Next, on_false: Next) -> Next {
        match expression {
            Expression::Constant(_, value) => {
                if *value {
                    on_true
                } else {
                    on_false
                }
            }
            Expression::Not(inner) => self.ways(inner, on_false, on_true),
            Expression::Condition(condition) => {
                let place = Place { condition: *condition, next: [on_false, on_true] };
                let places = &mut self.places;
                Next::Place(*self.known.entry(place).or_insert_with(|| {
                    places.push(place);
                    places.len() as u32 - 1
                }))
            }
            Expression::Join { and, whole, sides } => {
                let key = (std::ptr::from_ref(expression), [on_false, on_true]);
                if let Some(&known) = self.begun.get(&key) {
                    return known;
                }
                let [first, second] = &**sides;
                let stop = if *and { on_false } else { on_true };
                let go_on = self.ways(second, on_true, on_false);
                // What decides already: the second side is skipped, or does not matter.
                let stop = if *whole { self.ways(second, stop, stop) } else { stop };
                let begin = match and {
                    true => self.ways(first, go_on, stop),
                    false => self.ways(first, stop, go_on),
                };
                self.begun.insert(key, begin);
                begin
            }
        }
    }
}

/// Walks the ways of a decision with a condition false and with it true, and looks for values of the others for which
/// they end differently.
struct Pairing<'a> {
    shape: &'a Shape,
    condition: u32,
    /// Which values are tried first: a bit for each condition in turn.
    turn: u64,
    /// Values that are given.
    fixed: Option<&'a [Option<bool>]>,
    /// Places from where there is no such end.
    dead: BTreeSet<[Next; 2]>,
}

impl Pairing<'_> {
    fn walk(&mut self, at: [Next; 2], values: &mut Values) -> bool {
        if let [Next::End(one), Next::End(other)] = at {
            return one != other;
        }
        if self.dead.contains(&at) {
            return false;
        }
        let place = |next: Next| match next {
            Next::Place(place) => self.shape.places[place as usize].condition,
            Next::End(_) => u32::MAX,
        };
        // Conditions lead to later ones only: the first of both decides next.
        let condition = place(at[0]).min(place(at[1]));
        let step = |side: usize, value: bool| match at[side] {
            Next::Place(here) if place(at[side]) == condition => {
                self.shape.places[here as usize].next[usize::from(value)]
            }
            other => other,
        };
        if condition == self.condition {
            let next = [step(0, false), step(1, true)];
            let found = self.walk(next, values);
            if !found {
                self.dead.insert(at);
            }
            return found;
        }
        let first = self.turn >> (condition % 8) & 1 == 1;
        let given = self.fixed.and_then(|fixed| fixed[condition as usize]);
        let options = [first, !first].map(|value| (value, [step(0, value), step(1, value)]));
        for (value, next) in options {
            if given.is_some_and(|given| given != value) {
                continue;
            }
            // Who leaves the condition behind without having met it never will.
            let is_past = |next: Next| place(next) > self.condition;
            let was_met = condition > self.condition;
            if !was_met && next.iter().any(|&next| is_past(next)) {
                continue;
            }
            values[condition as usize] = Some(value);
            if self.walk(next, values) {
                return true;
            }
            values[condition as usize] = None;
        }
        self.dead.insert(at);
        false
    }
}

struct Tree<'a> {
    shape: &'a Shape,
    nodes: Vec<Node>,
    first: u32,
}

impl Tree<'_> {
    /// How many nodes all ways have from a place on.
    fn count(&self, at: Next, known: &mut HashMap<Next, u64>) -> u64 {
        let Next::Place(place) = at else { return 0 };
        if let Some(&count) = known.get(&at) {
            return count;
        }
        let sides = self.shape.places[place as usize].next;
        let count = sides.iter().fold(1u64, |sum, &side| sum.saturating_add(self.count(side, known)));
        known.insert(at, count);
        count
    }

    fn add(&mut self, condition: u32) -> u32 {
        let index = self.nodes.len() as u32;
        let branch = BranchId(self.first + index);
        self.nodes.push(Node { branch, condition, next: [Step::Cut; 2] });
        index
    }

    fn add_all(&mut self, at: Next) -> Step {
        match at {
            Next::End(outcome) => Step::End(outcome),
            Next::Place(place) => {
                let Place { condition, next } = self.shape.places[place as usize];
                let index = self.add(condition);
                for outcome in [false, true] {
                    let next = self.add_all(next[usize::from(outcome)]);
                    self.nodes[index as usize].next[usize::from(outcome)] = next;
                }
                Step::Node(index)
            }
        }
    }

    /// Adds the nodes on the way of an assignment that are not there yet.
    fn add_way(&mut self, values: u64) {
        let Next::Place(mut place) = self.shape.start else { return };
        if self.nodes.is_empty() {
            self.add(self.shape.places[place as usize].condition);
        }
        let mut index = 0usize;
        loop {
            let Place { condition, next } = self.shape.places[place as usize];
            let side = (values >> condition & 1) as usize;
            match next[side] {
                Next::End(outcome) => {
                    self.nodes[index].next[side] = Step::End(outcome);
                    return;
                }
                Next::Place(next) => {
                    place = next;
                    index = match self.nodes[index].next[side] {
                        Step::Node(known) => known as usize,
                        Step::End(_) | Step::Cut => {
                            let new = self.add(self.shape.places[place as usize].condition);
                            self.nodes[index].next[side] = Step::Node(new);
                            new as usize
                        }
                    };
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(joins: &[bool]) -> Shape {
        joins.iter().fold(Shape::condition(), |shape, &and| shape.then(and, &Shape::condition()))
    }

    #[test]
    fn shapes_evaluate_as_c_does() {
        // a && b || c
        let shape = chain(&[true, false]);
        for values in 0..8u64 {
            let [a, b, c] = [0, 1, 2].map(|i| values >> i & 1 == 1);
            let (outcome, evaluated) = shape.evaluate(values);
            assert_eq!(outcome, a && b || c, "{values:03b}");
            let expected = 1 | u64::from(a) << 1 | u64::from(!(a && b)) << 2;
            assert_eq!(evaluated, expected, "{values:03b}");
            assert_eq!(shape.negated().evaluate(values), (!outcome, evaluated));
        }
    }

    /// `a & b | c`: everything is evaluated, and `b` has a place after each value of `a` that matters.
    #[test]
    fn both_sides_of_a_bitwise_operator_are_evaluated() {
        let leaf = Shape::condition;
        let shape = leaf().beside(true, &leaf()).beside(false, &leaf());
        for values in 0..8u64 {
            let [a, b, c] = [0, 1, 2].map(|i| values >> i & 1 == 1);
            assert_eq!(shape.evaluate(values), (a & b | c, 0b111), "{values:03b}");
        }
        let (nodes, is_cut) = shape.nodes(0);
        assert_eq!((nodes.len(), is_cut), (7, false));
        // By hand: c alone decides where a & b is false; a and b decide where the other is true and c false.
        assert_eq!(shape.few().len(), 4);
        let pairs: Vec<_> = (0..3).map(|condition| shape.showing(condition, 8)).collect();
        assert_eq!(pairs[0], [[0b010, 0b011]]);
        assert_eq!(pairs[1], [[0b001, 0b011]]);
        assert_eq!(
            pairs[2].iter().copied().collect::<BTreeSet<_>>(),
            BTreeSet::from([[0, 4], [1, 5], [2, 6]])
        );
    }

    #[test]
    fn sixty_conditions_on_the_right_are_laid_out() {
        let nested = (1..60).fold(Shape::condition(), |shape, _| Shape::condition().beside(true, &shape));
        assert_eq!(nested.evaluate(u64::MAX), (true, u64::MAX >> 4));
        let (nodes, is_cut) = nested.nodes(0);
        assert!(is_cut && nodes.len() > 60);
        assert_eq!(nested.few().len(), 61);
    }

    /// `p && (a & b)`: the bitwise part is skipped as a whole.
    #[test]
    fn operators_mix() {
        let leaf = Shape::condition;
        let shape = leaf().then(true, &leaf().beside(true, &leaf()));
        assert_eq!(shape.evaluate(0b110), (false, 0b001));
        assert_eq!(shape.evaluate(0b001), (false, 0b111));
        assert_eq!(shape.evaluate(0b111), (true, 0b111));
        let (nodes, _) = shape.nodes(0);
        assert_eq!(nodes.iter().map(|node| node.condition).collect::<Vec<_>>(), [0, 1, 2, 2]);
    }

    /// `a && 1 && b`, `(a || 1) && b`, `a || (0 && b)`: constants have no place, and neither has what they make unreachable.
    #[test]
    fn constants_are_never_evaluated() {
        let (leaf, constant) = (Shape::condition, Shape::constant);
        let held = leaf().then(true, &constant(true)).then(true, &leaf());
        assert_eq!((held.conditions(), held.evaluable()), (3, 0b101));
        assert_eq!(held.constants(), [(1, true)]);
        assert_eq!(held.evaluate(0b001), (false, 0b101));
        assert_eq!(held.few().len(), 3);
        let masked = leaf().then(false, &constant(true)).then(true, &leaf());
        assert_eq!(masked.evaluate(0b100), (true, 0b101));
        assert!(masked.showing(0, 4).is_empty() && !masked.showing(2, 4).is_empty());
        // Whatever `a` is.
        assert_eq!(masked.few(), [0b000, 0b100]);
        let cut = leaf().then(false, &constant(false).then(true, &leaf()));
        assert_eq!(cut.evaluable(), 0b001);
        assert_eq!(constant(true).evaluate(0), (true, 0));
    }

    #[test]
    fn a_tree_has_a_node_for_every_condition_after_every_beginning() {
        let (nodes, is_cut) = chain(&[true, false]).nodes(10);
        let conditions: Vec<u32> = nodes.iter().map(|node| node.condition).collect();
        assert_eq!((conditions, is_cut), (vec![0, 2, 1, 2], false));
        assert_eq!(nodes[3].branch, BranchId(13));
    }

    #[test]
    fn forty_conditions_are_shown_though_not_all_ways_fit() {
        let pair = chain(&[false]);
        let shape = (1..20).fold(pair.clone(), |shape, _| shape.then(true, &pair));
        assert_eq!(shape.conditions(), 40);
        let (nodes, is_cut) = shape.nodes(0);
        assert!(is_cut && nodes.len() < 40 * 2 * PAIRS * 40, "{}", nodes.len());
        for condition in 0..40 {
            let pairs = shape.showing(condition, PAIRS);
            assert!(!pairs.is_empty(), "{condition}");
            for [without, with] in pairs {
                assert_eq!(without ^ with, 1 << condition);
                assert_ne!(shape.evaluate(without).0, shape.evaluate(with).0);
            }
        }
    }

    #[test]
    fn conditions_that_lead_back_are_refused() {
        assert_eq!(Shape::new(&[[None, Some(0)]], &[]), Err(ShapeError::Tangled));
        assert_eq!(Shape::new(&[[None, Some(1)]], &[]), Err(ShapeError::Tangled));
        assert_eq!(Shape::new(&vec![[None, None]; 65], &[]), Err(ShapeError::TooLarge));
        assert_eq!(Shape::new(&[], &[]), Err(ShapeError::Tangled));
        // `a ? b : c` is one condition deciding which other one is asked.
        let choice = [[Some(2), Some(1)], [None, None], [None, None]];
        assert_eq!(Shape::new(&choice, &[]), Err(ShapeError::Tangled));
        // `b` is reached from `a` on both sides: no short circuit does that.
        assert_eq!(Shape::new(&[[Some(1), Some(1)], [None, None]], &[]), Err(ShapeError::Tangled));
    }
}
