//! Names with a number are items of the checklist of Awedikian's thesis.

use super::*;
use model::{Decision, Goal, Span};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// A tree of conditions.
#[derive(Clone, Debug)]
enum Tree {
    Leaf,
    Not(Box<Tree>),
    And(Box<Tree>, Box<Tree>),
    Or(Box<Tree>, Box<Tree>),
}

impl Tree {
    fn shape(&self) -> Shape {
        match self {
            Tree::Leaf => Shape::condition(),
            Tree::Not(inner) => inner.shape().negated(),
            Tree::And(a, b) => a.shape().then(true, &b.shape()),
            Tree::Or(a, b) => a.shape().then(false, &b.shape()),
        }
    }

    /// The outcome, all conditions evaluated; the values are taken from the front.
    fn value(&self, values: &mut impl Iterator<Item = bool>) -> bool {
        match self {
            Tree::Leaf => values.next().expect("a value for every leaf"),
            Tree::Not(inner) => !inner.value(values),
            Tree::And(a, b) => {
                let (a, b) = (a.value(values), b.value(values));
                a && b
            }
            Tree::Or(a, b) => {
                let (a, b) = (a.value(values), b.value(values));
                a || b
            }
        }
    }
}

fn leaf() -> Tree {
    Tree::Leaf
}

fn and(a: Tree, b: Tree) -> Tree {
    Tree::And(Box::new(a), Box::new(b))
}

fn or(a: Tree, b: Tree) -> Tree {
    Tree::Or(Box::new(a), Box::new(b))
}

fn trees() -> impl Strategy<Value = Tree> {
    Just(Tree::Leaf).prop_recursive(4, 10, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|tree| Tree::Not(Box::new(tree))),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| and(a, b)),
            (inner.clone(), inner).prop_map(|(a, b)| or(a, b)),
        ]
    })
}

fn decision(shape: Shape) -> Decision {
    let (nodes, is_cut) = shape.nodes(100);
    let conditions = (0..shape.conditions() as u32).map(model::BranchId).collect();
    Decision { span: Span::default(), conditions, shape, nodes, is_cut, is_confirmable: true }
}

/// The least sets of rows that show all conditions, by trying all choices of pairs.
fn minimal_sets(shape: &Shape) -> BTreeSet<BTreeSet<u64>> {
    let mut sets = vec![BTreeSet::new()];
    for condition in 0..shape.conditions() {
        let pairs = pairs_of_rows(shape, condition);
        sets = sets
            .iter()
            .flat_map(|set: &BTreeSet<u64>| {
                pairs.iter().map(|pair| set.iter().copied().chain(*pair).collect())
            })
            .collect();
    }
    let least = sets.iter().map(BTreeSet::len).min().unwrap_or(0);
    sets.into_iter().filter(|set| set.len() == least).collect()
}

fn merged(shape: &Shape) -> BTreeSet<u64> {
    let pairs: Vec<Vec<[usize; 2]>> = (0..shape.conditions())
        .map(|condition| {
            pairs_of_rows(shape, condition).iter().map(|pair| pair.map(|row| row as usize)).collect()
        })
        .collect();
    merge(&pairs).into_iter().flatten().flatten().map(|row| row as u64).collect()
}

#[test]
fn item_06_rows_are_numbered_as_in_table_4_1() {
    let shape = or(and(leaf(), leaf()), leaf()).shape();
    let outcomes: Vec<bool> = rows(&shape).map(|row| row.outcome).collect();
    assert_eq!(outcomes, [false, true, false, true, false, true, true, true]);
}

#[test]
fn item_07_pairs_of_rows() {
    let shape = or(and(leaf(), leaf()), leaf()).shape();
    assert_eq!(pairs_of_rows(&shape, 0), [[2, 6]]);
    assert_eq!(pairs_of_rows(&shape, 1), [[4, 6]]);
    assert_eq!(pairs_of_rows(&shape, 2), [[0, 1], [2, 3], [4, 5]]);
    let shape = and(leaf(), or(leaf(), leaf())).shape();
    assert_eq!(pairs_of_rows(&shape, 0), [[1, 5], [2, 6], [3, 7]]);
    assert_eq!([pairs_of_rows(&shape, 1), pairs_of_rows(&shape, 2)], [[[4, 6]], [[4, 5]]]);
}

#[test]
fn item_08_minimal_merged_sets() {
    let sets = |list: &[&[u64]]| -> BTreeSet<BTreeSet<u64>> {
        list.iter().map(|set| set.iter().copied().collect()).collect()
    };
    let cases = [
        (or(and(leaf(), leaf()), leaf()), sets(&[&[2, 3, 4, 6], &[2, 4, 5, 6]])),
        (and(leaf(), leaf()), sets(&[&[1, 2, 3]])),
        (or(or(leaf(), leaf()), leaf()), sets(&[&[0, 1, 2, 4]])),
        (and(and(leaf(), leaf()), leaf()), sets(&[&[3, 5, 6, 7]])),
        (and(leaf(), or(leaf(), leaf())), sets(&[&[1, 4, 5, 6], &[2, 4, 5, 6]])),
    ];
    for (tree, expected) in cases {
        assert_eq!(minimal_sets(&tree.shape()), expected, "{tree:?}");
        assert!(expected.contains(&merged(&tree.shape())), "{tree:?}");
    }
}

/// The thesis's NextDate: of the two sets for its leap year one cannot be had. Ruling a row out leads to the other.
#[test]
fn item_09_alternative_pairs_take_the_place_of_impossible_ones() {
    let shape = or(and(leaf(), leaf()), leaf()).shape();
    let decision = decision(shape);
    let mut progress = Progress::new([&decision], Variant::UniqueCause);
    let vectors = decision.vectors();
    let goal = |letters: &str| vectors.iter().find(|(_, v)| v.letters(3) == letters).expect("a vector").0;
    // What was divisible by 100 and not by 400 is not there: F-T needs a year like 2000, and FTT cannot be told from it.
    progress.rule_out(goal("F-T"));
    for letters in ["TT-", "F-F", "TFF"] {
        assert!(progress.is_wanted(goal(letters)), "{letters}");
        progress.reach(goal(letters));
    }
    assert!(!progress.is_done());
    assert!(progress.completes(goal("TFT")) && !progress.is_wanted(goal("F-T")));
    progress.reach(goal("TFT"));
    assert!(progress.is_done());
    let (_, shown) = progress.conclusion(0);
    assert!(shown.iter().all(|shown| matches!(shown, Shown::By(_))), "{shown:?}");
    assert_eq!(progress.needed().len(), 4);
}

/// `a && b || a`, where both `a` are one: what shows `b` needs `a` to be both true and false.
#[test]
fn item_10_conditions_that_cannot_be_shown_are_told() {
    let decision = decision(or(and(leaf(), leaf()), leaf()).shape());
    let mut progress = Progress::new([&decision], Variant::UniqueCause);
    for (goal, vector) in decision.vectors() {
        let is_coupled = vector.value(2).is_none_or(|third| vector.value(0) == Some(third));
        if is_coupled { progress.reach(goal) } else { progress.rule_out(goal) }
    }
    assert!(progress.is_done());
    let (_, shown) = progress.conclusion(0);
    assert_eq!(shown[1], Shown::Impossible);
}

#[test]
fn item_12_many_conditions_need_no_table() {
    let pair = || or(leaf(), leaf());
    let tree = (1..20).fold(pair(), |tree, _| and(tree, pair()));
    let decision = decision(tree.shape());
    let mut progress = Progress::new([&decision], Variant::UniqueCause);
    decision.vectors().into_iter().for_each(|(goal, _)| progress.reach(goal));
    let (_, shown) = progress.conclusion(0);
    assert!(shown.iter().all(|shown| matches!(shown, Shown::By(_))));
    assert_eq!(shown.len(), 40);
}

/// `a && b || a && c` with one `a`: only masking lets the second pair stand for the condition that cannot be held.
#[test]
fn item_13_masking_shows_what_is_coupled() {
    let decision = decision(or(and(leaf(), leaf()), and(leaf(), leaf())).shape());
    let feasible: Vec<Goal> = decision
        .vectors()
        .into_iter()
        .filter(|(_, v)| v.value(2).is_none_or(|second| v.value(0) == Some(second)))
        .map(|(goal, _)| goal)
        .collect();
    let open = |variant| {
        let mut progress = Progress::new([&decision], variant);
        for (goal, _) in decision.vectors() {
            if feasible.contains(&goal) { progress.reach(goal) } else { progress.rule_out(goal) }
        }
        let (_, shown) = progress.conclusion(0);
        shown.iter().filter(|&&shown| shown == Shown::Impossible).count()
    };
    assert_eq!(open(Variant::UniqueCause), 1);
    assert_eq!(open(Variant::Masking), 0);
    assert_eq!(open(Variant::UniqueCauseOrMasking), 0);
}

/// The vector of these letters, by its place.
fn place(decision: &Decision, letters: &str) -> usize {
    let conditions = decision.conditions.len();
    let found = decision.vectors().into_iter().position(|(_, vector)| vector.letters(conditions) == letters);
    found.expect("a vector")
}

fn wanted(progress: &Progress<'_>, decision: &Decision) -> Vec<String> {
    let wanted = decision.vectors().into_iter().filter(|(goal, _)| progress.is_wanted(*goal));
    wanted.map(|(_, vector)| vector.letters(decision.conditions.len())).collect()
}

/// `a && b || c`, and of its branches nothing.
#[test]
fn vectors_that_were_named_are_wanted_and_nothing_else() {
    let decision = decision(or(and(leaf(), leaf()), leaf()).shape());
    let mut selection = Selection::default();
    selection.add(&decision, Want::Vectors(vec![place(&decision, "TT-"), place(&decision, "TFT")]));
    let mut progress = Progress::new([&decision], Variant::UniqueCause).restricted_to(Some(&selection));
    assert_eq!(wanted(&progress, &decision), ["TT-", "TFT"]);
    assert!(!progress.is_wanted(Goal { branch: model::BranchId(0), outcome: true }));
    let goals = ["TT-", "TFT", "F-F"].map(|letters| decision.vectors()[place(&decision, letters)].0);
    progress.reach(goals[0]);
    progress.reach(goals[2]);
    assert_eq!(wanted(&progress, &decision), ["TFT"]);
    assert_eq!(progress.needed(), [goals[0]]);
    progress.rule_out(goals[1]);
    assert!(progress.is_done());
    let mut states: Vec<State> = progress.selected(0).into_iter().map(|(_, state)| state).collect();
    states.sort_by_key(|&state| state == State::Impossible);
    assert_eq!(states, [State::Reached, State::Impossible]);
}

/// Of `a && b || c` the third condition is to be shown, and only behind a false `b`.
#[test]
fn pairs_that_were_left_are_the_only_ones_that_count() {
    let decision = decision(or(and(leaf(), leaf()), leaf()).shape());
    let mut selection = Selection::default();
    let pair = [place(&decision, "TFF"), place(&decision, "TFT")];
    selection.add(&decision, Want::Pairs(vec![vec![], vec![], vec![pair]]));
    let mut progress = Progress::new([&decision], Variant::UniqueCause).restricted_to(Some(&selection));
    assert_eq!(wanted(&progress, &decision), ["TFF", "TFT"]);
    // What shows the condition in another way does not count.
    for letters in ["F-F", "F-T", "TT-"] {
        progress.reach(decision.vectors()[place(&decision, letters)].0);
    }
    assert_eq!(wanted(&progress, &decision), ["TFF", "TFT"]);
    progress.rule_out(decision.vectors()[pair[1]].0);
    assert!(progress.is_done() && progress.needed().is_empty());
}

#[test]
fn of_decisions_that_were_not_selected_nothing_is_wanted() {
    let decision = decision(and(leaf(), leaf()).shape());
    let progress =
        Progress::new([&decision], Variant::UniqueCause).restricted_to(Some(&Selection::default()));
    assert!(progress.is_done() && wanted(&progress, &decision).is_empty());
}

#[test]
fn the_outcomes_of_a_single_condition_can_be_selected() {
    let branch = model::BranchId(7);
    let single = Decision::single(branch, Span::default());
    let mut selection = Selection::default();
    selection.add(&single, Want::Vectors(vec![place(&single, "F")]));
    let progress = Progress::new([], Variant::UniqueCause).restricted_to(Some(&selection));
    assert!(progress.is_wanted(Goal { branch, outcome: false }));
    assert!(!progress.is_wanted(Goal { branch, outcome: true }));
}

/// What a written decision says for these values: letters, `!`, and parentheses around operands of one operator.
fn read(text: &mut &str, values: &[bool]) -> bool {
    if let Some(rest) = text.strip_prefix('!') {
        *text = rest;
        return !read(text, values);
    }
    let Some(rest) = text.strip_prefix('(') else {
        let letter = text.as_bytes()[0];
        *text = &text[1..];
        return match letter {
            b'0' | b'1' => letter == b'1',
            _ => values[usize::from(letter - b'A')],
        };
    };
    *text = rest;
    let mut value = read(text, values);
    let operators = [" && ", " || ", " & ", " | "];
    while let Some(rest) = operators.iter().find_map(|operator| text.strip_prefix(operator)) {
        let is_and = text.starts_with(" &");
        *text = rest;
        let right = read(text, values);
        value = if is_and { value && right } else { value || right };
    }
    *text = text.strip_prefix(')').expect("the end of a group");
    value
}

/// Decisions with all operators and constants, with conditions left out.
fn mixed_shapes() -> impl Strategy<Value = Shape> {
    let leaf = prop_oneof![3 => Just(Shape::condition()), 1 => any::<bool>().prop_map(Shape::constant)];
    leaf.prop_recursive(3, 7, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|shape| shape.negated()),
            (inner.clone(), inner.clone(), any::<bool>()).prop_map(|(a, b, and)| a.then(and, &b)),
            (inner.clone(), inner, any::<bool>()).prop_map(|(a, b, and)| a.beside(and, &b)),
        ]
    })
}

proptest! {
    /// What is written of `&`, `|` and constants has the same outcome too.
    #[test]
    fn letters_say_what_bitwise_and_constant_decisions_say(shape in mixed_shapes(), values: u64) {
        let text = shape.written(|index| char::from(b'A' + index as u8).to_string());
        let bits: Vec<bool> = (0..shape.conditions()).map(|i| values >> i & 1 == 1).collect();
        let mut rest = text.as_str();
        prop_assert_eq!(read(&mut rest, &bits), shape.evaluate(values).0, "{}", text);
        prop_assert_eq!(rest, "");
    }

    /// The plan shows all that can be shown, with one vector more than that; constants are not shown.
    #[test]
    fn the_plan_shows_what_constants_leave(shape in mixed_shapes()) {
        let decision = decision(shape.clone());
        let can_be: Vec<bool> =
            (0..shape.conditions() as u32).map(|condition| !shape.showing(condition, 1).is_empty()).collect();
        for (constant, _) in shape.constants() {
            prop_assert!(!can_be[constant]);
        }
        let plan = planned(&decision);
        let shown = can_be.iter().filter(|&&can| can).count();
        prop_assert_eq!(plan.len(), if shown == 0 { 0 } else { shown + 1 });
        for variant in [Variant::UniqueCause, Variant::Masking, Variant::UniqueCauseOrMasking] {
            let mut progress = Progress::new([&decision], variant);
            plan.iter().for_each(|&(goal, _)| progress.reach(goal));
            prop_assert!(progress.is_done());
            let (_, found) = progress.conclusion(0);
            for (can, found) in can_be.iter().zip(found) {
                prop_assert_eq!(matches!(found, Shown::By(_)), *can);
                prop_assert_eq!(found == Shown::Impossible, !*can);
            }
        }
    }

    #[test]
    fn item_03_letters_say_what_the_decision_says(tree in trees(), values: u64) {
        let shape = tree.shape();
        let text = shape.written(|index| char::from(b'A' + index as u8).to_string());
        let bits: Vec<bool> = (0..shape.conditions()).map(|i| values >> i & 1 == 1).collect();
        let mut rest = text.as_str();
        prop_assert_eq!(read(&mut rest, &bits), tree.value(&mut bits.iter().copied()), "{}", text);
        prop_assert_eq!(rest, "");
    }

    /// All pairs together ask for what is asked without a selection.
    #[test]
    fn selecting_everything_changes_nothing(tree in trees(), masking: bool, reached: Vec<prop::sample::Index>) {
        let variant = if masking { Variant::Masking } else { Variant::UniqueCause };
        let decision = decision(tree.shape());
        let (pairs, plan) = Progress::choice(&decision, variant);
        prop_assert_eq!(plan.len(), decision.conditions.len() + 1);
        let mut selection = Selection::default();
        selection.add(&decision, Want::Pairs(pairs));
        let mut free = Progress::new([&decision], variant);
        let mut bound = Progress::new([&decision], variant).restricted_to(Some(&selection));
        let vectors = decision.vectors();
        for index in reached {
            prop_assert_eq!(wanted(&free, &decision), wanted(&bound, &decision));
            let goal = index.get(&vectors).0;
            free.reach(goal);
            bound.reach(goal);
        }
        prop_assert_eq!(free.needed(), bound.needed());
    }

    #[test]
    fn item_05_shapes_are_the_trees_they_are_made_of(tree in trees(), values: u64) {
        let shape = tree.shape();
        let bits = (0..shape.conditions()).map(|i| values >> i & 1 == 1);
        prop_assert_eq!(shape.evaluate(values).0, tree.value(&mut bits.into_iter()));
    }

    /// What llvm-cov's rule says of two evaluations is what the truth table says of rows that they may be.
    #[test]
    fn vectors_pair_as_rows_do(tree in trees()) {
        let shape = tree.shape();
        let conditions = shape.conditions();
        let decision = decision(shape.clone());
        let vectors = decision.vectors();
        for condition in 0..conditions {
            let by_rows = !pairs_of_rows(&shape, condition).is_empty();
            let by_vectors = vectors.iter().any(|(_, a)| {
                vectors.iter().any(|(_, b)| Variant::UniqueCause.shows(&shape, a, b) == 1 << condition)
            });
            prop_assert_eq!(by_rows, by_vectors);
            prop_assert!(by_rows, "every leaf of a tree can be shown");
        }
    }

    /// n + 1 vectors show n conditions.
    #[test]
    fn few_vectors_are_needed(tree in trees()) {
        let decision = decision(tree.shape());
        let mut progress = Progress::new([&decision], Variant::UniqueCause);
        decision.vectors().into_iter().for_each(|(goal, _)| progress.reach(goal));
        prop_assert!(progress.is_done());
        prop_assert_eq!(progress.needed().len(), decision.conditions.len() + 1);
    }

    /// The plan is as small as can be, and shows everything.
    #[test]
    fn the_plan_needs_one_vector_more_than_there_are_conditions(tree in trees()) {
        let decision = decision(tree.shape());
        let few = decision.shape.few();
        prop_assert_eq!(few.len(), decision.conditions.len() + 1);
        let mut progress = Progress::new([&decision], Variant::UniqueCause);
        for values in few {
            let (_, evaluated) = decision.shape.evaluate(values);
            let is_it = |v: &Vector| (v.evaluated, v.values) == (evaluated, values & evaluated);
            let goal = decision.vectors().into_iter().find(|(_, v)| is_it(v)).map(|(goal, _)| goal);
            progress.reach(goal.expect("every assignment has a vector"));
        }
        let (_, shown) = progress.conclusion(0);
        prop_assert!(shown.iter().all(|shown| matches!(shown, Shown::By(_))), "{:?}", shown);
    }

    /// A pair that holds everything else masks nothing.
    #[test]
    fn unique_cause_is_masking(tree in trees()) {
        let shape = tree.shape();
        let vectors = decision(shape.clone()).vectors();
        for (_, a) in &vectors {
            for (_, b) in &vectors {
                let strict = Variant::UniqueCause.shows(&shape, a, b);
                prop_assert_eq!(strict & Variant::Masking.shows(&shape, a, b), strict);
            }
        }
    }
}
