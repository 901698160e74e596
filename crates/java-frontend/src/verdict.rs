//! How far each event of a run was from either outcome of its branch.

use crate::boundaries::Boundaries;
use crate::methods::JavaModel;
use crate::sites::{Shape, Site, Sites, Target};
use goal::distance::{self, Distances, FloatPredicate};
use goal::mcdc::Walk;
use java_classfile::instruction::{CompareOp, Condition};
use java_wire::event::{Code, Event};
use model::BranchId;

/// Turns events of jumps into distances. A comparison of longs, floats or texts comes before the jump that tests its result and is
/// remembered until then.
#[derive(Clone, Debug)]
pub struct Judge<'s> {
    sites: &'s Sites,
    compared: Option<(u32, Compared)>,
    walk: Option<Walk>,
    boundaries: Option<&'s Boundaries>,
}

#[derive(Clone, Copy, Debug)]
enum Compared {
    Longs(i64, i64),
    Floats(f64, f64),
    Texts(Distances),
}

impl<'s> Judge<'s> {
    /// For runs of the classes that the sites are of.
    #[must_use]
    pub fn new(sites: &'s Sites) -> Judge<'s> {
        Judge { sites, compared: None, walk: None, boundaries: None }
    }

    /// The same, which also tells about the nodes of decisions and the boundaries of comparisons.
    #[must_use]
    pub fn following(model: &'s JavaModel) -> Judge<'s> {
        let (walk, boundaries) = (model.walk.clone(), Some(&model.boundaries));
        let boundaries = boundaries.filter(|boundaries| !boundaries.is_empty());
        Judge { walk, boundaries, ..Judge::new(&model.sites) }
    }

    /// Another run begins.
    pub fn reset(&mut self) {
        self.compared = None;
        self.walk.iter_mut().for_each(Walk::reset);
    }

    /// Looks at the next event, and tells `found` about each branch that it decides: how far it was from either outcome, of which
    /// the one with distance 0 happened. A copy of a `finally` block also decides for its original.
    pub fn event(&mut self, event: &Event<'_>, mut found: impl FnMut(BranchId, Distances)) {
        let float = |bits: u32| f64::from(f32::from_bits(bits));
        match (event.code, event.words) {
            (Code::CompareLong, [_, _, _, _]) => {
                let pair = Compared::Longs(event.wide(0).cast_signed(), event.wide(2).cast_signed());
                self.compared = Some((event.id, pair));
            }
            (Code::CompareFloat, &[a, b]) => {
                self.compared = Some((event.id, Compared::Floats(float(a), float(b))))
            }
            (Code::CompareDouble, [_, _, _, _]) => {
                let pair = Compared::Floats(f64::from_bits(event.wide(0)), f64::from_bits(event.wide(2)));
                self.compared = Some((event.id, pair));
            }
            (Code::CompareText, &[to_true, to_false]) => {
                let distances = Distances { to_true: to_true.into(), to_false: to_false.into() };
                self.compared = Some((event.id, Compared::Texts(distances)));
            }
            (Code::Jump, &[value]) => self.jump(event.id, Operands::One(value.cast_signed()), &mut found),
            (Code::JumpTwo, &[a, b]) => {
                self.jump(event.id, Operands::Two(a.cast_signed(), b.cast_signed()), &mut found);
            }
            (Code::JumpReference, &[same]) => self.jump(event.id, Operands::Same(same == 1), &mut found),
            _ => {}
        }
    }

    fn jump(&mut self, id: u32, operands: Operands, found: &mut impl FnMut(BranchId, Distances)) {
        let compared = self.compared.take().filter(|(of, _)| *of == id).map(|(_, compared)| compared);
        let Some(site) = self.sites.get(id) else { return };
        judge(site, operands, compared, &mut |offset, distances| {
            let firsts = [Some(site.branch), site.counts_for];
            firsts.into_iter().flatten().for_each(|first| found(BranchId(first.0 + offset), distances));
            let walk = self.walk.as_mut();
            if let Some(node) = walk.and_then(|walk| walk.step(site.branch.0, distances.to_true == 0)) {
                found(BranchId(node), distances);
            }
        });
        if let Some(boundaries) = self.boundaries
            && let Some((condition, a, b)) = integers_of(site, operands, compared)
        {
            let sides = boundaries.distances(site, condition, a, b).into_iter().flatten();
            sides.for_each(|(branch, distances)| found(branch, distances));
        }
    }
}

/// What a jump looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operands {
    One(i32),
    Two(i32, i32),
    Same(bool),
}

fn judge(
    site: &Site,
    operands: Operands,
    compared: Option<Compared>,
    found: &mut impl FnMut(u32, Distances),
) {
    match &site.shape {
        Shape::Condition { condition, compare, taken_is, .. } => {
            let taken = match operands {
                Operands::One(value) => after_comparison(*condition, *compare, compared, value),
                Operands::Two(a, b) => integers(*condition, a.into(), b.into()),
                Operands::Same(same) => distance::truth(same == (*condition == Condition::Eq)),
            };
            found(0, if *taken_is { taken } else { !taken });
        }
        Shape::Switch { targets } => {
            let Operands::One(value) = operands else { return };
            for (offset, target) in (0..).zip(targets) {
                found(offset, switch_target(targets, target, value));
            }
        }
    }
}

/// The integers that a jump compares, and how.
fn integers_of(site: &Site, operands: Operands, compared: Option<Compared>) -> Option<(Condition, i64, i64)> {
    let Shape::Condition { condition, compare, .. } = &site.shape else { return None };
    match (operands, compare, compared) {
        (Operands::Two(a, b), ..) => Some((*condition, a.into(), b.into())),
        (Operands::One(value), None, _) => Some((*condition, value.into(), 0)),
        (_, Some(CompareOp::Long), Some(Compared::Longs(a, b))) => Some((*condition, a, b)),
        _ => None,
    }
}

/// A number compared with zero, which may be the answer of a comparison.
fn after_comparison(
    condition: Condition,
    op: Option<CompareOp>,
    compared: Option<Compared>,
    value: i32,
) -> Distances {
    match (compared, op) {
        (Some(Compared::Longs(a, b)), Some(CompareOp::Long)) => integers(condition, a, b),
        (Some(Compared::Floats(a, b)), Some(CompareOp::Float { nan } | CompareOp::Double { nan })) => {
            distance::float(float_predicate(condition, nan), a, b)
        }
        (Some(Compared::Texts(equal)), _) if condition == Condition::Ne => equal,
        (Some(Compared::Texts(equal)), _) if condition == Condition::Eq => !equal,
        _ => integers(condition, value.into(), 0),
    }
}

fn integers(condition: Condition, a: i64, b: i64) -> Distances {
    match condition {
        Condition::Eq => distance::equal(a, b),
        Condition::Ne => !distance::equal(a, b),
        Condition::Lt => distance::signed_less(a, b),
        Condition::Ge => !distance::signed_less(a, b),
        Condition::Gt => distance::signed_less(b, a),
        Condition::Le => !distance::signed_less(b, a),
    }
}

/// The set of relations between two floats under which a jump on the answer of `fcmp` is taken.
fn float_predicate(condition: Condition, nan: i8) -> FloatPredicate {
    let holds = |answer: i8| match condition {
        Condition::Eq => answer == 0,
        Condition::Ne => answer != 0,
        Condition::Lt => answer < 0,
        Condition::Ge => answer >= 0,
        Condition::Gt => answer > 0,
        Condition::Le => answer <= 0,
    };
    let answers = [
        (FloatPredicate::OEQ, 0),
        (FloatPredicate::OGT, 1),
        (FloatPredicate::OLT, -1),
        (FloatPredicate::UNO, nan),
    ];
    let set =
        answers.into_iter().filter(|(_, answer)| holds(*answer)).fold(0, |set, (one, _)| set | one.code());
    FloatPredicate::from_code(set)
}

/// To go there, the value must become the nearest of its keys; to stay away, the nearest number that leads elsewhere. Numbers that are no keys
/// lead to the default.
fn switch_target(targets: &[Target], target: &Target, value: i32) -> Distances {
    let is_key = |value: i32| targets.iter().any(|target| target.keys.binary_search(&value).is_ok());
    let here = target.keys.binary_search(&value).is_ok() || target.is_default && !is_key(value);
    let nearest = |target: &Target| target.keys.iter().map(|key| key.abs_diff(value)).min();
    // Keys are few, so a number that is none of them is not far.
    let no_key = || {
        let sides = |gap: u32| [value.checked_sub_unsigned(gap), value.checked_add_unsigned(gap)];
        (1..=u32::from(u16::MAX)).find(|gap| sides(*gap).into_iter().flatten().any(|side| !is_key(side)))
    };
    let (to_true, to_false) = if here {
        let others = targets.iter().filter(|other| other.pc != target.pc);
        let outside = if target.is_default { None } else { no_key() };
        (Some(0), others.filter_map(nearest).chain(outside).min())
    } else {
        let outside = if target.is_default { no_key() } else { None };
        (nearest(target).into_iter().chain(outside).min(), Some(0))
    };
    // Where no value does, it is as far as can be.
    let far = |gap: Option<u32>| gap.map_or(u128::MAX - 1, u128::from);
    Distances { to_true: far(to_true), to_false: far(to_false) }
}
