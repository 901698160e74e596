//! Attributes: the named extras of classes, fields, methods and code.

use crate::cursor::Cursor;
use crate::error::{ClassError, Malformed};
use crate::pool::{Pool, PoolIndex};
use std::ops::Range;

/// A list of attributes that is read.
pub(crate) struct Attributes<'c, 'a, 'p> {
    cursor: &'c mut Cursor<'a>,
    pool: &'p Pool,
    left: u16,
}

/// An attribute.
pub(crate) struct Attribute<'a, 'p> {
    pub(crate) name: &'p str,
    /// All of it in the file, with name and length.
    pub(crate) span: Range<usize>,
    pub(crate) body: Cursor<'a>,
}

impl<'c, 'a, 'p> Attributes<'c, 'a, 'p> {
    pub(crate) fn begin(cursor: &'c mut Cursor<'a>, pool: &'p Pool) -> Result<Self, ClassError> {
        let left = cursor.u2()?;
        Ok(Attributes { cursor, pool, left })
    }

    pub(crate) fn next(&mut self) -> Result<Option<Attribute<'a, 'p>>, ClassError> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let at = self.cursor.at();
        let index = self.cursor.index()?;
        let name = self.pool.utf8(index).map_err(|what| ClassError { at, what })?;
        let length = self.cursor.u4()? as usize;
        let body = self.cursor.part(length)?;
        Ok(Some(Attribute { name, span: at..self.cursor.at(), body }))
    }
}

/// What a class says about itself beside its members.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct ClassAttributes {
    /// Name of the source file, without folders.
    pub source_file: Option<String>,
    /// Its generic signature.
    pub signature: Option<String>,
    /// Member, local and anonymous classes that it is or mentions.
    pub inner_classes: Vec<InnerClass>,
    /// Where a local or anonymous class stands.
    pub enclosing_method: Option<EnclosingMethod>,
    /// The class whose private members it may use, if it is not that class itself.
    pub nest_host: Option<String>,
    /// The classes that may use its private members.
    pub nest_members: Vec<String>,
    /// The components of a record.
    pub record: Option<Vec<RecordComponent>>,
    /// The only classes that may extend it, if it is sealed.
    pub permitted_subclasses: Vec<String>,
    /// What links its dynamic call sites and constants.
    pub bootstrap_methods: Vec<BootstrapMethod>,
    /// Type names of its annotations, whether visible at run time or not.
    pub annotations: Vec<String>,
}

/// A class inside another one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InnerClass {
    /// Internal name.
    pub name: String,
    /// The class of which it is a member; nothing if it is local or anonymous.
    pub outer: Option<String>,
    /// Name in the source; nothing if it is anonymous.
    pub simple_name: Option<String>,
    /// Flags as in the source.
    pub access: u16,
}

/// Where a local or anonymous class stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EnclosingMethod {
    /// The class around it.
    pub class: String,
    /// Name and descriptor of the method around it; nothing in initializers.
    pub method: Option<(String, String)>,
}

/// A component of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordComponent {
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// Its generic signature.
    pub signature: Option<String>,
}

/// A method that links dynamic call sites and constants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BootstrapMethod {
    /// Its method handle.
    pub method: PoolIndex,
    /// Constants that it is told.
    pub arguments: Vec<PoolIndex>,
}

impl ClassAttributes {
    pub(crate) fn read(cursor: &mut Cursor<'_>, pool: &Pool) -> Result<ClassAttributes, ClassError> {
        let mut read = ClassAttributes::default();
        let mut attributes = Attributes::begin(cursor, pool)?;
        while let Some(attribute) = attributes.next()? {
            read.read_one(attribute, pool)?;
        }
        Ok(read)
    }

    fn read_one(&mut self, attribute: Attribute<'_, '_>, pool: &Pool) -> Result<(), ClassError> {
        let mut body = attribute.body;
        match attribute.name {
            "SourceFile" => self.source_file = Some(body.utf8(pool)?),
            "Signature" => self.signature = Some(body.utf8(pool)?),
            "InnerClasses" => self.inner_classes = body.list(|c| read_inner_class(c, pool))?,
            "EnclosingMethod" => self.enclosing_method = Some(read_enclosing_method(&mut body, pool)?),
            "NestHost" => self.nest_host = Some(body.class_name(pool)?),
            "NestMembers" => self.nest_members = body.list(|c| c.class_name(pool))?,
            "Record" => self.record = Some(body.list(|c| read_component(c, pool))?),
            "PermittedSubclasses" => self.permitted_subclasses = body.list(|c| c.class_name(pool))?,
            "BootstrapMethods" => self.bootstrap_methods = body.list(|c| read_bootstrap(c, pool))?,
            "RuntimeVisibleAnnotations" | "RuntimeInvisibleAnnotations" => {
                self.annotations.extend(annotations(&mut body, pool)?);
            }
            _ => return Ok(()),
        }
        body.finish()
    }
}

fn read_inner_class(cursor: &mut Cursor<'_>, pool: &Pool) -> Result<InnerClass, ClassError> {
    Ok(InnerClass {
        name: cursor.class_name(pool)?,
        outer: cursor.optional_class_name(pool)?,
        simple_name: cursor.optional_utf8(pool)?,
        access: cursor.u2()?,
    })
}

fn read_enclosing_method(cursor: &mut Cursor<'_>, pool: &Pool) -> Result<EnclosingMethod, ClassError> {
    let class = cursor.class_name(pool)?;
    let at = cursor.at();
    let index = cursor.index()?;
    if index.0 == 0 {
        return Ok(EnclosingMethod { class, method: None });
    }
    let (name, descriptor) = pool.name_and_type(index).map_err(|what| ClassError { at, what })?;
    Ok(EnclosingMethod { class, method: Some((name.to_owned(), descriptor.to_owned())) })
}

fn read_component(cursor: &mut Cursor<'_>, pool: &Pool) -> Result<RecordComponent, ClassError> {
    let (name, descriptor) = (cursor.utf8(pool)?, cursor.utf8(pool)?);
    let mut signature = None;
    let mut attributes = Attributes::begin(cursor, pool)?;
    while let Some(mut attribute) = attributes.next()? {
        if attribute.name == "Signature" {
            signature = Some(attribute.body.utf8(pool)?);
        }
    }
    Ok(RecordComponent { name, descriptor, signature })
}

fn read_bootstrap(cursor: &mut Cursor<'_>, pool: &Pool) -> Result<BootstrapMethod, ClassError> {
    let at = cursor.at();
    let method = cursor.index()?;
    if !matches!(pool.get(method), crate::pool::Constant::MethodHandle { .. }) {
        let what = Malformed::Constant { index: method.0, wanted: "a method handle" };
        return Err(ClassError { at, what });
    }
    Ok(BootstrapMethod { method, arguments: cursor.list(Cursor::index)? })
}

/// Type names of annotations: `javax/annotation/Generated`.
pub(crate) fn annotations(cursor: &mut Cursor<'_>, pool: &Pool) -> Result<Vec<String>, ClassError> {
    cursor.list(|cursor| {
        let descriptor = cursor.utf8(pool)?;
        let name = descriptor.strip_prefix('L').and_then(|name| name.strip_suffix(';'));
        let name = name.map_or_else(|| descriptor.clone(), str::to_owned);
        skip_values(cursor)?;
        Ok(name)
    })
}

/// Values that are still to come at one level of an annotation.
struct Pending {
    count: u16,
    /// Members of an annotation have names, elements of an array have none.
    named: bool,
}

/// Skips the members of an annotation. Their values nest as deep as the file likes, so the levels stand in a list.
fn skip_values(cursor: &mut Cursor<'_>) -> Result<(), ClassError> {
    let mut levels = vec![Pending { count: cursor.u2()?, named: true }];
    while let Some(level) = levels.last_mut() {
        if level.count == 0 {
            levels.pop();
            continue;
        }
        level.count -= 1;
        if level.named {
            cursor.u2()?;
        }
        let at = cursor.at();
        match cursor.u1()? {
            b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' | b's' | b'c' => {
                cursor.bytes(2).map(drop)?
            }
            b'e' => cursor.bytes(4).map(drop)?,
            b'@' => {
                cursor.u2()?;
                levels.push(Pending { count: cursor.u2()?, named: true });
            }
            b'[' => levels.push(Pending { count: cursor.u2()?, named: false }),
            tag => return Err(ClassError { at, what: Malformed::AnnotationValue(tag) }),
        }
    }
    Ok(())
}
