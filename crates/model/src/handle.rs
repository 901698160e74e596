//! What only the C library makes, and what inputs have in its place.

use crate::{TypeId, TypeKind, Types};

/// A type of the C library whose objects nobody else can make: `FILE`, `DIR`. An input has a structure of ours there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Handle {
    /// `FILE`: a stream in memory.
    Stream,
    /// `DIR`: a list of entries.
    Directory,
}

/// Members of a stream. An input tells the first three, the last two are looked at after the run.
pub mod stream {
    /// How many bytes can be read.
    pub const LENGTH: &str = "length";
    /// It can be written and not be read.
    pub const IS_WRITABLE: &str = "is_writable";
    /// The bytes: those to be read, or afterwards those that were written.
    pub const CONTENT: &str = "content";
    /// How far it was read or written; 0 if nobody can say.
    pub const POSITION: &str = "position";
    /// The function has closed it.
    pub const IS_CLOSED: &str = "is_closed";
    /// All of them.
    pub const MEMBERS: [&str; 5] = [LENGTH, IS_WRITABLE, CONTENT, POSITION, IS_CLOSED];
    /// Bytes that a test has room for when it lets a function write.
    pub const ROOM: usize = 4096;
}

impl Handle {
    /// All of them.
    pub const ALL: [Handle; 2] = [Handle::Stream, Handle::Directory];

    /// The tag that the library gives its structure.
    #[must_use]
    pub fn library_tag(self) -> &'static str {
        match self {
            Handle::Stream => "_IO_FILE",
            Handle::Directory => "__dirstream",
        }
    }

    /// The tag of the structure that inputs have instead. That of a stream is none that a program could use.
    #[must_use]
    pub fn own_tag(self) -> &'static str {
        match self {
            Handle::Stream => "stream in memory",
            Handle::Directory => "open_directory",
        }
    }

    /// Whether a member is only looked at after the run.
    #[must_use]
    pub fn is_observed(self, member: &str) -> bool {
        match self {
            Handle::Stream => [stream::POSITION, stream::IS_CLOSED].contains(&member),
            // How far it was read.
            Handle::Directory => member == "next",
        }
    }
}

impl Types {
    /// Whether only the library writes such an object, whatever stands in its place.
    #[must_use]
    pub fn is_of_library(&self, ty: TypeId) -> bool {
        let name = self.resolved(ty).name.as_deref();
        Handle::ALL.iter().any(|handle| [handle.own_tag(), handle.library_tag()].map(Some).contains(&name))
    }

    /// Which of the library's types this is, if inputs have something else in its place.
    #[must_use]
    pub fn handle(&self, ty: TypeId) -> Option<Handle> {
        let ty = self.resolved(ty);
        let is_complete = matches!(ty.kind, TypeKind::Struct { fields: Some(_) });
        let own = |handle: &Handle| ty.name.as_deref() == Some(handle.own_tag());
        Handle::ALL.into_iter().find(own).filter(|_| is_complete)
    }
}
