//! The constant pool: what instructions and attributes name by a number.

use crate::cursor::{Cursor, Located};
use crate::descriptor::MethodDescriptor;
use crate::error::{ClassError, Malformed};
use crate::text::JavaText;
use std::ops::Range;

/// Index of a constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PoolIndex(pub u16);

/// A constant.
#[derive(Clone, PartialEq, Debug)]
pub enum Constant {
    /// A text.
    Utf8(JavaText),
    /// An `int`.
    Integer(i32),
    /// A `float`.
    Float(f32),
    /// A `long`.
    Long(i64),
    /// A `double`.
    Double(f64),
    /// A class, interface or array type, by the index of its name.
    Class(PoolIndex),
    /// A `String`, by the index of its text.
    String(PoolIndex),
    /// A field.
    Field(Member),
    /// A method of a class.
    Method(Member),
    /// A method of an interface.
    InterfaceMethod(Member),
    /// A name with a descriptor.
    NameAndType {
        /// Index of the name.
        name: PoolIndex,
        /// Index of the descriptor.
        descriptor: PoolIndex,
    },
    /// A method handle.
    MethodHandle {
        /// What it does with its reference, 1 to 9 as in the specification.
        kind: u8,
        /// Index of a field or method.
        reference: PoolIndex,
    },
    /// A method type, by the index of its descriptor.
    MethodType(PoolIndex),
    /// A constant that a bootstrap method computes.
    Dynamic(Bootstrapped),
    /// A call site that a bootstrap method links.
    InvokeDynamic(Bootstrapped),
    /// A module, by the index of its name.
    Module(PoolIndex),
    /// A package, by the index of its name.
    Package(PoolIndex),
    /// No constant: index 0, and the second of the two that `long` and `double` take.
    Unusable,
}

/// Indices of what a field or method constant is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Member {
    /// Its class.
    pub class: PoolIndex,
    /// Its name and descriptor.
    pub name_and_type: PoolIndex,
}

/// Indices of what a constant or call site with a bootstrap method is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bootstrapped {
    /// Index in the class's list of bootstrap methods.
    pub bootstrap: u16,
    /// Its name and descriptor.
    pub name_and_type: PoolIndex,
}

/// A field or method that is used.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MemberRef<'a> {
    /// Internal name of the class it is looked up in; of an array type, its descriptor.
    pub class: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Its descriptor.
    pub descriptor: &'a str,
    /// Whether the class is named as an interface.
    pub in_interface: bool,
}

/// A constant or call site with a bootstrap method.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DynamicRef<'a> {
    /// Index in the class's list of bootstrap methods.
    pub bootstrap: u16,
    /// Name that the bootstrap method is told.
    pub name: &'a str,
    /// Type of the constant, or of the call.
    pub descriptor: &'a str,
}

/// The constants of a class.
#[derive(Clone, PartialEq, Debug)]
pub struct Pool {
    constants: Vec<Constant>,
    /// Where each constant stands in the file; empty for those that are unusable.
    pub(crate) spans: Vec<Range<usize>>,
}

impl Pool {
    pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<Pool, ClassError> {
        let count = usize::from(cursor.u2()?);
        let mut pool = Pool { constants: vec![Constant::Unusable], spans: vec![Range::default()] };
        while pool.constants.len() < count {
            let at = cursor.at();
            let constant = read_constant(cursor)?;
            let is_wide = matches!(constant, Constant::Long(_) | Constant::Double(_));
            pool.constants.push(constant);
            pool.spans.push(at..cursor.at());
            if is_wide {
                pool.constants.push(Constant::Unusable);
                pool.spans.push(Range::default());
            }
        }
        for (constant, span) in pool.constants.iter().zip(&pool.spans) {
            pool.check(constant).located(span.start)?;
        }
        Ok(pool)
    }

    /// One more than the highest index.
    #[must_use]
    pub fn count(&self) -> usize {
        self.constants.len()
    }

    /// A constant; [`Constant::Unusable`] if there is none.
    #[must_use]
    pub fn get(&self, index: PoolIndex) -> &Constant {
        self.constants.get(usize::from(index.0)).unwrap_or(&Constant::Unusable)
    }

    /// A text.
    pub fn text(&self, index: PoolIndex) -> Result<&JavaText, Malformed> {
        match self.get(index) {
            Constant::Utf8(text) => Ok(text),
            _ => wanted(index, "a text"),
        }
    }

    /// A text as a string, for names and descriptors.
    pub fn utf8(&self, index: PoolIndex) -> Result<&str, Malformed> {
        self.text(index).map(JavaText::as_str)
    }

    /// The text of a `String`.
    pub fn string(&self, index: PoolIndex) -> Result<&JavaText, Malformed> {
        match self.get(index) {
            Constant::String(text) => self.text(*text),
            _ => wanted(index, "a string"),
        }
    }

    /// The internal name of a class.
    pub fn class_name(&self, index: PoolIndex) -> Result<&str, Malformed> {
        match self.get(index) {
            Constant::Class(name) => self.utf8(*name),
            _ => wanted(index, "a class"),
        }
    }

    /// A name and a descriptor.
    pub fn name_and_type(&self, index: PoolIndex) -> Result<(&str, &str), Malformed> {
        match self.get(index) {
            Constant::NameAndType { name, descriptor } => Ok((self.utf8(*name)?, self.utf8(*descriptor)?)),
            _ => wanted(index, "a name with a type"),
        }
    }

    /// A field or method.
    pub fn member(&self, index: PoolIndex) -> Result<MemberRef<'_>, Malformed> {
        let (member, in_interface) = match self.get(index) {
            Constant::Field(member) | Constant::Method(member) => (member, false),
            Constant::InterfaceMethod(member) => (member, true),
            _ => return wanted(index, "a field or method"),
        };
        let (name, descriptor) = self.name_and_type(member.name_and_type)?;
        Ok(MemberRef { class: self.class_name(member.class)?, name, descriptor, in_interface })
    }

    /// A constant or call site with a bootstrap method.
    pub fn dynamic(&self, index: PoolIndex) -> Result<DynamicRef<'_>, Malformed> {
        let (Constant::Dynamic(dynamic) | Constant::InvokeDynamic(dynamic)) = self.get(index) else {
            return wanted(index, "a dynamic constant or call site");
        };
        let (name, descriptor) = self.name_and_type(dynamic.name_and_type)?;
        Ok(DynamicRef { bootstrap: dynamic.bootstrap, name, descriptor })
    }

    /// The descriptor of a method or call site.
    pub fn method_descriptor(&self, index: PoolIndex) -> Result<MethodDescriptor, Malformed> {
        match self.get(index) {
            Constant::InvokeDynamic(_) => self.dynamic(index)?.descriptor.parse(),
            _ => self.member(index)?.descriptor.parse(),
        }
    }

    /// Whether the constants that a constant names are of the right kind.
    fn check(&self, constant: &Constant) -> Result<(), Malformed> {
        match constant {
            Constant::Class(text)
            | Constant::String(text)
            | Constant::MethodType(text)
            | Constant::Module(text)
            | Constant::Package(text) => self.text(*text).map(drop),
            Constant::Field(member) | Constant::Method(member) | Constant::InterfaceMethod(member) => {
                self.class_name(member.class)?;
                self.name_and_type(member.name_and_type).map(drop)
            }
            Constant::NameAndType { name, descriptor } => {
                self.text(*name)?;
                self.text(*descriptor).map(drop)
            }
            Constant::MethodHandle { reference, .. } => self.member(*reference).map(drop),
            Constant::Dynamic(dynamic) | Constant::InvokeDynamic(dynamic) => {
                self.name_and_type(dynamic.name_and_type).map(drop)
            }
            _ => Ok(()),
        }
    }
}

fn wanted<T>(index: PoolIndex, wanted: &'static str) -> Result<T, Malformed> {
    Err(Malformed::Constant { index: index.0, wanted })
}

fn read_constant(cursor: &mut Cursor<'_>) -> Result<Constant, ClassError> {
    let at = cursor.at();
    let tag = cursor.u1()?;
    Ok(match tag {
        1 => {
            let length = usize::from(cursor.u2()?);
            Constant::Utf8(JavaText::decode(cursor.bytes(length)?).located(at)?)
        }
        3 => Constant::Integer(cursor.i4()?),
        4 => Constant::Float(f32::from_bits(cursor.u4()?)),
        5 => Constant::Long(cursor.u8()?.cast_signed()),
        6 => Constant::Double(f64::from_bits(cursor.u8()?)),
        7 => Constant::Class(cursor.index()?),
        8 => Constant::String(cursor.index()?),
        9 => Constant::Field(cursor.member()?),
        10 => Constant::Method(cursor.member()?),
        11 => Constant::InterfaceMethod(cursor.member()?),
        12 => Constant::NameAndType { name: cursor.index()?, descriptor: cursor.index()? },
        15 => Constant::MethodHandle { kind: cursor.u1()?, reference: cursor.index()? },
        16 => Constant::MethodType(cursor.index()?),
        17 => Constant::Dynamic(cursor.bootstrapped()?),
        18 => Constant::InvokeDynamic(cursor.bootstrapped()?),
        19 => Constant::Module(cursor.index()?),
        20 => Constant::Package(cursor.index()?),
        tag => return Err(ClassError { at, what: Malformed::ConstantTag(tag) }),
    })
}

/// Numbers that name constants.
impl Cursor<'_> {
    pub(crate) fn index(&mut self) -> Result<PoolIndex, ClassError> {
        self.u2().map(PoolIndex)
    }

    fn member(&mut self) -> Result<Member, ClassError> {
        Ok(Member { class: self.index()?, name_and_type: self.index()? })
    }

    fn bootstrapped(&mut self) -> Result<Bootstrapped, ClassError> {
        Ok(Bootstrapped { bootstrap: self.u2()?, name_and_type: self.index()? })
    }

    /// The text that the next two bytes name.
    pub(crate) fn utf8(&mut self, pool: &Pool) -> Result<String, ClassError> {
        let at = self.at();
        let index = self.index()?;
        pool.utf8(index).map(str::to_owned).located(at)
    }

    /// The text that the next two bytes name, if they are not zero.
    pub(crate) fn optional_utf8(&mut self, pool: &Pool) -> Result<Option<String>, ClassError> {
        let at = self.at();
        let index = self.index()?;
        if index.0 == 0 { Ok(None) } else { pool.utf8(index).map(|text| Some(text.to_owned())).located(at) }
    }

    /// The class that the next two bytes name.
    pub(crate) fn class_name(&mut self, pool: &Pool) -> Result<String, ClassError> {
        let at = self.at();
        let index = self.index()?;
        pool.class_name(index).map(str::to_owned).located(at)
    }

    /// The class that the next two bytes name, if they are not zero.
    pub(crate) fn optional_class_name(&mut self, pool: &Pool) -> Result<Option<String>, ClassError> {
        let at = self.at();
        let index = self.index()?;
        if index.0 == 0 {
            return Ok(None);
        }
        pool.class_name(index).map(|name| Some(name.to_owned())).located(at)
    }
}
