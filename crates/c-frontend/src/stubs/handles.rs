//! Objects that only the program's own functions can make.
//!
//! A unit that only declares `struct counter` cannot have one of its own; its callers get theirs from `counter_create`.
//! So does an input: it says which calls are to be made, and a function of ours makes them before the function under
//! test is called. Tests have the calls themselves.
//!
//! ```c
//! struct counter *counter_create(int limit);         struct bw_calls_0_counter {
//! int counter_add(struct counter *, int amount);         int n0;
//! void counter_freeze(struct counter *);                 unsigned char count;
//!                                               ──►      struct { unsigned char step; int n0; } then[4];
//!                                                        _Bool is_made;
//!                                                    };
//!
//!                                                    struct counter *bw_make_0_counter(struct bw_calls_0_counter *);
//! ```

use super::declaration::functions_in;
use super::text::{definition, pointee, unqualified};
use super::{Maker, Piece, Wrapper};
use crate::BuildError;
use crate::dwarf::DebugFunction;
use crate::link::is_link_flag;
use crate::program::UnitResult;
use model::{Recipe, RecipeArgument, RecipeCall, TypeId, TypeKind, Types, spell};
use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;

/// Functions that make objects, and functions that do something to them, of one structure.
const MOST_MAKERS: usize = 6;
const MOST_STEPS: usize = 8;
/// Objects that one input can have.
const MOST_OBJECTS: usize = 8;

/// Words in the names of functions that take an object back.
const ENDS: [&str; 11] = [
    "destroy", "free", "delete", "close", "release", "dispose", "drop", "unref", "finish", "shutdown",
    "cleanup",
];
/// Words in the names of functions that make one.
const BEGINS: [&str; 7] = ["create", "new", "open", "make", "init", "alloc", "build"];

/// What is known of a recipe before its function is compiled.
pub(crate) struct Draft {
    /// The unit that it is for.
    pub(crate) unit: usize,
    /// Its type is that of what the function takes, once that is known.
    pub(crate) recipe: Recipe,
}

/// The function in the image that makes objects of a structure for a unit, or hands on what it is given.
pub(crate) fn maker_symbol(unit: usize, tag: &str) -> String {
    format!("bw_make_{unit}_{tag}")
}

/// Tags of the structures that functions take pointers to without knowing them.
pub(crate) fn tags<'t>(types: &'t Types, functions: &[DebugFunction]) -> BTreeSet<&'t str> {
    let params = functions.iter().flat_map(|function| &function.params);
    params.filter_map(|&(_, ty)| types.handle_tag(ty)).collect()
}

impl Maker<'_> {
    /// Recipes for the structures that units do not know, with the text of their functions, unit by unit.
    pub(crate) fn handles(
        &mut self,
        results: &[UnitResult],
        types: &Types,
    ) -> Result<Vec<(super::Made, Vec<Draft>)>, BuildError> {
        let mut made = Vec::new();
        for (number, result) in results.iter().enumerate() {
            let tags = tags(types, &result.functions);
            let names = self.candidates(number, results, types, &tags)?;
            if names.is_empty() {
                continue;
            }
            let wrapper = self.wrapper(number);
            let (types, functions) = wrapper.function_types(names.iter())?;
            let mut drafts = Vec::new();
            let mut pieces = Vec::new();
            for tag in tags {
                let declared =
                    functions.iter().map(|(name, (ret, params))| (name.as_str(), *ret, &params[..]));
                if let Some((recipe, piece)) = (Finder { types: &types, tag }).recipe(number, declared) {
                    drafts.push(Draft { unit: number, recipe });
                    pieces.push(piece);
                }
            }
            made.extend(self.compile_handles(&wrapper, pieces, drafts)?);
        }
        Ok(made)
    }

    fn compile_handles(
        &mut self,
        wrapper: &Wrapper<'_>,
        pieces: Vec<Piece>,
        mut drafts: Vec<Draft>,
    ) -> Result<Option<(super::Made, Vec<Draft>)>, BuildError> {
        let bitcode = self.work.join(format!("handles{}.bc", wrapper.number));
        let pieces = wrapper.compile(pieces, &bitcode)?;
        drafts.retain(|draft| pieces.iter().any(|piece| piece.name == draft.recipe.symbol));
        match drafts.is_empty() {
            true => Ok(None),
            false => Ok(Some((self.finish(wrapper.number, pieces, bitcode)?, drafts))),
        }
    }

    /// Functions outside of a unit that may have to do with these structures: those of other units, and of libraries
    /// those that the unit calls or that are called after a structure.
    fn candidates(
        &self,
        unit: usize,
        results: &[UnitResult],
        types: &Types,
        tags: &BTreeSet<&str>,
    ) -> Result<BTreeSet<String>, BuildError> {
        if tags.is_empty() {
            return Ok(BTreeSet::new());
        }
        let concerns = |&ty: &TypeId| pointed(types, ty).is_some_and(|(tag, _)| tags.contains(tag));
        let elsewhere = results.iter().enumerate().filter(|&(number, _)| number != unit);
        let functions = elsewhere.flat_map(|(_, result)| &result.functions);
        let functions = functions
            .filter(|f| f.is_external && (concerns(&f.ret) || f.params.iter().any(|(_, ty)| concerns(ty))));
        let mut names: BTreeSet<String> = functions.map(|function| function.name.clone()).collect();
        if self.units[unit].flags.iter().any(|flag| is_link_flag(flag)) {
            names.extend(self.needs[unit].iter().filter(|name| !self.own.contains(*name)).cloned());
            for tag in tags {
                let dump = self.clang.declarations(&self.units[unit], tag)?;
                names.extend(functions_in(&dump));
            }
        }
        let own: HashSet<&str> = results[unit].functions.iter().map(|f| f.name.as_str()).collect();
        names.retain(|name| !own.contains(name.as_str()));
        Ok(names)
    }
}

/// The tag of the structure that this is a pointer to, and whether it is constant there.
fn pointed(types: &Types, ty: TypeId) -> Option<(&str, bool)> {
    let to = pointee(types, ty)?;
    match types.resolved(to).kind {
        TypeKind::Struct { .. } => Some((types.resolved(to).name.as_deref()?, types.is_const(to))),
        _ => None,
    }
}

/// What a function is to objects of a structure.
enum Role {
    Maker,
    Step,
    Destroyer,
}

/// Looks for functions that have to do with one structure.
struct Finder<'a> {
    types: &'a Types,
    tag: &'a str,
}

impl Finder<'_> {
    /// The recipe for the unit with this number, and its text, from functions with their results and parameters.
    fn recipe<'f>(
        &self,
        unit: usize,
        functions: impl Iterator<Item = (&'f str, TypeId, &'f [TypeId])>,
    ) -> Option<(Recipe, Piece)> {
        let (mut makers, mut steps, mut destroyers) = (Vec::new(), Vec::new(), Vec::new());
        let mut slots = Slots::default();
        for (name, ret, params) in functions {
            match self.role(name, ret, params) {
                Some(Role::Maker) => makers.push((name, params)),
                Some(Role::Step) => steps.push((name, params)),
                Some(Role::Destroyer) => destroyers.push(name),
                None => {}
            }
        }
        makers.sort_by_key(|(name, params)| (!has_word(name, &BEGINS), params.len()));
        makers.truncate(MOST_MAKERS);
        steps.truncate(MOST_STEPS);
        let mut calls = |functions: &[(&str, &[TypeId])]| -> Option<Vec<RecipeCall>> {
            functions.iter().map(|(name, params)| self.call(name, params, &mut slots)).collect()
        };
        let recipe = Recipe {
            tag: self.tag.to_owned(),
            symbol: maker_symbol(unit, self.tag),
            ty: TypeId(0),
            makers: calls(&makers)?,
            steps: calls(&steps)?,
            destroyer: destroyers.first().map(|&name| name.to_owned()),
        };
        let text = text(&recipe, &slots, unit);
        let piece = definition(&recipe.symbol, text, vec![recipe.symbol.clone()]);
        (!recipe.makers.is_empty()).then_some((recipe, piece))
    }

    fn is_object(&self, ty: TypeId) -> bool {
        pointed(self.types, ty).is_some_and(|(tag, _)| tag == self.tag)
    }

    fn role(&self, name: &str, ret: TypeId, params: &[TypeId]) -> Option<Role> {
        let objects: Vec<TypeId> = params.iter().copied().filter(|&ty| self.is_object(ty)).collect();
        let others = params.iter().filter(|&&ty| !self.is_object(ty));
        let is_constant = |ty| pointed(self.types, ty).is_some_and(|(_, constant)| constant);
        let is_simple = others.clone().all(|&ty| Slot::of(self.types, ty).is_some());
        match objects[..] {
            [] if self.is_object(ret) && !is_constant(ret) && is_simple => Some(Role::Maker),
            [object] if is_constant(object) || self.is_object(ret) => None,
            [_] if params.len() == 1 && has_word(name, &ENDS) => Some(Role::Destroyer),
            [_] if is_simple => Some(Role::Step),
            _ => None,
        }
    }

    fn call(&self, name: &str, params: &[TypeId], slots: &mut Slots) -> Option<RecipeCall> {
        let mut used = HashSet::new();
        let mut argument = |&ty: &TypeId| match self.is_object(ty) {
            true => Some(RecipeArgument::Object),
            false => Some(slots.take(Slot::of(self.types, ty)?, &mut used)),
        };
        let arguments = params.iter().map(&mut argument).collect::<Option<_>>()?;
        Some(RecipeCall { function: name.to_owned(), arguments })
    }
}

fn has_word(name: &str, words: &[&str]) -> bool {
    let name = name.to_lowercase();
    words.iter().any(|word| name.contains(word))
}

/// A kind of argument.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Slot {
    spelling: String,
    is_text: bool,
}

impl Slot {
    /// `None` if nothing can be made of a type without more ado.
    fn of(types: &Types, ty: TypeId) -> Option<Slot> {
        let is_text = match types.resolved(ty).kind {
            TypeKind::Bool | TypeKind::Int { .. } | TypeKind::Enum { .. } | TypeKind::Float(_) => false,
            TypeKind::Pointer { to } => {
                if types.resolved(to).name.as_deref() != Some("char") || !types.is_const(to) {
                    return None;
                }
                true
            }
            _ => return None,
        };
        let spelling = if is_text { "char *".to_owned() } else { spell(types, ty, "")? };
        Some(Slot { spelling: unqualified(&spelling).to_owned(), is_text })
    }
}

/// The members that hold arguments; calls share them.
#[derive(Default)]
struct Slots {
    all: Vec<Slot>,
}

impl Slots {
    /// A member of this kind that a call has not used yet.
    fn take(&mut self, slot: Slot, used: &mut HashSet<usize>) -> RecipeArgument {
        let free = (0..self.all.len()).find(|index| self.all[*index] == slot && !used.contains(index));
        let index = free.unwrap_or_else(|| {
            self.all.push(slot.clone());
            self.all.len() - 1
        });
        used.insert(index);
        let member = format!("n{index}");
        if slot.is_text { RecipeArgument::Text(member) } else { RecipeArgument::Member(member) }
    }

    fn members(&self) -> String {
        let member = |(index, slot): (usize, &Slot)| match slot.is_text {
            true => format!("char *n{index}; "),
            false => format!("{} n{index}; ", slot.spelling),
        };
        self.all.iter().enumerate().map(member).collect()
    }
}

/// The cases of a switch over these calls, with arguments from `from`.
fn cases(calls: &[RecipeCall], from: &str, result: &str) -> String {
    let mut text = String::new();
    for (number, RecipeCall { function, arguments }) in calls.iter().enumerate() {
        let argument = |argument: &RecipeArgument| match argument {
            RecipeArgument::Object => "object".to_owned(),
            RecipeArgument::Member(member) => format!("{from}{member}"),
            RecipeArgument::Text(member) => format!("{from}{member} ? {from}{member} : \"\""),
        };
        let arguments: Vec<String> = arguments.iter().map(argument).collect();
        let label = if number == 0 { "default".to_owned() } else { format!("case {number}") };
        let _ = writeln!(text, "    {label}: {result}{function}({}); break;", arguments.join(", "));
    }
    text
}

/// The structure and the function.
fn text(recipe: &Recipe, slots: &Slots, unit: usize) -> String {
    let Recipe { tag, symbol, makers, steps, .. } = recipe;
    let (most, calls, members) = (Recipe::MOST, format!("{}{unit}_{tag}", Recipe::TAG), slots.members());
    let selector = |name: &str, of: &[RecipeCall]| match of.len() {
        0 | 1 => String::new(),
        // No wider than needed, so that a value taken at random means something.
        many => format!("unsigned char {name} : {}; ", (many - 1).ilog2() + 1),
    };
    let (maker, step) = (selector(Recipe::MAKER, makers), selector(Recipe::STEP, steps));
    let chosen = |name: String, of: &[RecipeCall]| if of.len() > 1 { name } else { "0".to_owned() };
    let first = chosen(format!("how->{}", Recipe::MAKER), makers);
    let mut then = String::new();
    let mut more = String::new();
    if !steps.is_empty() {
        // A structure without members is none.
        let inside = format!("{step}{members}");
        let inside = if inside.is_empty() { "char unused; ".to_owned() } else { inside };
        then =
            format!("unsigned char {} : 3; struct {{ {inside}}} {}[{most}]; ", Recipe::COUNT, Recipe::THEN);
        let number = chosen(format!("how->{}[i].{}", Recipe::THEN, Recipe::STEP), steps);
        let cases = cases(steps, &format!("how->{}[i].", Recipe::THEN), "(void)");
        more = format!(
            "    for (i = 0; object && i < how->{} && i < {most}; i++)\n    switch ({number}) {{\n{cases}    }}\n",
            Recipe::COUNT
        );
    }
    let made = cases(makers, "how->", "object = ");
    let is_made = Recipe::IS_MADE;
    format!(
        "struct {calls} {{ {maker}{members}{then}_Bool {is_made}; }};\n\
         struct {tag} *{symbol}(struct {calls} *how)\n\
         {{\n    \
             static struct {{ void *how; struct {tag} *object; }} known[{MOST_OBJECTS}];\n    \
             struct {tag} *object = 0;\n    \
             unsigned i, at;\n\n    \
             if (!how)\n        return 0;\n    \
             for (at = 0; at < {MOST_OBJECTS} && known[at].how; at++)\n        \
                 if (known[at].how == how)\n            return known[at].object;\n    \
             switch ({first}) {{\n{made}    }}\n    \
             how->{is_made} = object != 0;\n    \
             if (at < {MOST_OBJECTS}) {{\n        known[at].how = how;\n        known[at].object = object;\n    }}\n    \
             (void)i;\n{more}    \
             return object;\n\
         }}\n"
    )
}
