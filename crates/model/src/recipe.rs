//! Objects that only the program's own functions can make.

use crate::{TypeId, TypeKind, Types};
use serde::{Deserialize, Serialize};

/// How objects of a structure that a unit only declares are made: by calls of functions of the program.
///
/// Which calls, and with which arguments, an input says in a structure of ours: `maker` is the number of the first
/// function, `count` of how many of the calls in `then` follow it, and the members of `then[i]` say what they are.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Recipe {
    /// Tag of the structure.
    pub tag: String,
    /// Name in the image of the function that makes the calls.
    pub symbol: String,
    /// What it takes: a pointer to the structure of ours.
    pub ty: TypeId,
    /// Functions that return a new object.
    pub makers: Vec<RecipeCall>,
    /// Functions that do something to one.
    pub steps: Vec<RecipeCall>,
    /// The function that takes an object back.
    pub destroyer: Option<String>,
}

/// A call that a recipe can make.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RecipeCall {
    /// The function.
    pub function: String,
    /// What it is given.
    pub arguments: Vec<RecipeArgument>,
}

/// An argument of such a call.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum RecipeArgument {
    /// The object.
    Object,
    /// What this member says.
    Member(String),
    /// The text that this member leads to, or an empty one.
    Text(String),
}

impl Recipe {
    /// Tags of structures that say which calls are to be made begin with this.
    pub const TAG: &str = "bw_calls_";
    /// The member with the number of the first function, if there are several.
    pub const MAKER: &str = "maker";
    /// The member with the number of further calls.
    pub const COUNT: &str = "count";
    /// The further calls.
    pub const THEN: &str = "then";
    /// Their member with the number of the function, if there are several.
    pub const STEP: &str = "step";
    /// The member that says after the run whether an object was made.
    pub const IS_MADE: &str = "is_made";
    /// At most so many further calls.
    pub const MOST: usize = 4;
}

impl Types {
    /// Whether this is a structure that says which calls a recipe makes.
    #[must_use]
    pub fn is_recipe(&self, ty: TypeId) -> bool {
        let ty = self.resolved(ty);
        matches!(ty.kind, TypeKind::Struct { fields: Some(_) })
            && ty.name.as_deref().is_some_and(|name| name.starts_with(Recipe::TAG))
    }

    /// The tag of the structure without members that this is a pointer to, if it is one that a program could have made
    /// up.
    #[must_use]
    pub fn handle_tag(&self, ty: TypeId) -> Option<&str> {
        let TypeKind::Pointer { to } = self.resolved(ty).kind else { return None };
        let to = self.resolved(to);
        match to.kind {
            TypeKind::Struct { fields: None } => to.name.as_deref().filter(|tag| !tag.starts_with('_')),
            _ => None,
        }
    }
}
