//! Which statements tests may be made of.

/// What the user allows. Members are named as in class files, `a/B.m(I)V`, without the descriptor, `a/B.m`, or by their class, `a/B`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Members that are package-private or protected may be used in tests of their package. On unless said otherwise: tests live in the package
    /// of what they test.
    pub package_access: bool,
    /// Members of these that are not public may be used in tests of their package, whatever `package_access` says.
    pub also: Vec<String>,
    /// If there is a list, no own members but these are used.
    pub only: Option<Vec<String>>,
    /// Members that are never used; whoever chooses methods under test decides whether these are tested themselves.
    pub excluded: Vec<String>,
    /// Per type, by its internal name, the only members whose results are used for it.
    pub producers: Vec<(String, Vec<String>)>,
    /// Fields are read and written directly, where tests may do that.
    pub fields: bool,
    /// Longest array of references that is made.
    pub longest_array: usize,
    /// Most statements that sequences of one method are made of, those nearest to it.
    pub most: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            package_access: true,
            also: Vec::new(),
            only: None,
            excluded: Vec::new(),
            producers: Vec::new(),
            fields: true,
            longest_array: 3,
            most: 1000,
        }
    }
}

impl Options {
    /// Whether tests may use a member beside the one that they are for. `is_own` says that it is the user's: of others nobody makes a
    /// list.
    #[must_use]
    pub fn allows(&self, symbol: &str, is_own: bool) -> bool {
        let listed = self.only.as_ref().is_none_or(|only| !is_own || names(only, symbol));
        listed && !names(&self.excluded, symbol)
    }

    /// Whether a member is never used, not even to be tested.
    #[must_use]
    pub fn excludes(&self, symbol: &str) -> bool {
        names(&self.excluded, symbol)
    }

    /// Whether what a member makes may stand where a type, by its internal name, is wanted.
    #[must_use]
    pub fn makes(&self, symbol: &str, ty: &str) -> bool {
        let lists = self.producers.iter().filter(|(of, _)| of == ty);
        lists.into_iter().all(|(_, members)| names(members, symbol))
    }
}

/// Whether one of the names is that of a member: its symbol, the symbol without descriptor, or its class.
pub(crate) fn names(list: &[String], symbol: &str) -> bool {
    let bare = symbol.split('(').next().unwrap_or(symbol);
    let class = bare.split('.').next().unwrap_or(bare);
    list.iter().any(|name| name == symbol || name == bare || name == class)
}
