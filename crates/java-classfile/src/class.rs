//! Classes and their members.

use crate::attributes::{Attributes, BootstrapMethod, ClassAttributes, annotations};
use crate::code::Code;
use crate::cursor::{Cursor, Located};
use crate::descriptor::{MethodDescriptor, Type};
use crate::error::{ClassError, Malformed};
use crate::pool::{Constant, MemberRef, Pool, PoolIndex};

/// A class file.
#[derive(Clone, PartialEq, Debug)]
pub struct ClassFile {
    /// Version of the format: 52 for Java 8, 61 for Java 17.
    pub major: u16,
    /// 65535 if it uses features of its version that were a preview.
    pub minor: u16,
    /// Its constants.
    pub pool: Pool,
    /// Its flags.
    pub access: Access,
    /// Internal name: `java/util/Map$Entry`.
    pub name: String,
    /// Internal name of its superclass; only `java/lang/Object` and modules have none.
    pub superclass: Option<String>,
    /// Internal names of the interfaces it names.
    pub interfaces: Vec<String>,
    /// Its fields.
    pub fields: Vec<Field>,
    /// Its methods, constructors and initializers.
    pub methods: Vec<Method>,
    /// What else it says about itself.
    pub attributes: ClassAttributes,
}

/// Flags of a class or member.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Access(pub u16);

/// A field.
#[derive(Clone, PartialEq, Debug)]
pub struct Field {
    /// Its flags.
    pub access: Access,
    /// Its name.
    pub name: String,
    /// Its type.
    pub descriptor: Type,
    /// Its generic type.
    pub signature: Option<String>,
    /// The constant that a static field begins with.
    pub constant: Option<PoolIndex>,
    /// Type names of its annotations.
    pub annotations: Vec<String>,
}

/// A method.
#[derive(Clone, PartialEq, Debug)]
pub struct Method {
    /// Its flags.
    pub access: Access,
    /// Its name; `<init>` of a constructor, `<clinit>` of a static initializer.
    pub name: String,
    /// What it takes and gives back.
    pub descriptor: MethodDescriptor,
    /// Its generic type.
    pub signature: Option<String>,
    /// Internal names of the exceptions it declares.
    pub exceptions: Vec<String>,
    /// Names of its parameters, if the class was compiled with them.
    pub parameters: Vec<MethodParameter>,
    /// Type names of its annotations.
    pub annotations: Vec<String>,
    /// Its code, unless it is abstract or native.
    pub code: Option<Code>,
}

/// A parameter as the class declares it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MethodParameter {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its flags.
    pub access: Access,
}

/// Tests of flags.
impl Access {
    /// Whether a flag is set.
    #[must_use]
    pub fn has(self, flag: u16) -> bool {
        self.0 & flag != 0
    }

    /// `public`
    #[must_use]
    pub fn is_public(self) -> bool {
        self.has(0x0001)
    }

    /// `private`
    #[must_use]
    pub fn is_private(self) -> bool {
        self.has(0x0002)
    }

    /// `protected`
    #[must_use]
    pub fn is_protected(self) -> bool {
        self.has(0x0004)
    }

    /// `static`
    #[must_use]
    pub fn is_static(self) -> bool {
        self.has(0x0008)
    }

    /// `final`
    #[must_use]
    pub fn is_final(self) -> bool {
        self.has(0x0010)
    }

    /// `synchronized`, of a method.
    #[must_use]
    pub fn is_synchronized(self) -> bool {
        self.has(0x0020)
    }

    /// A bridge that the compiler made, of a method.
    #[must_use]
    pub fn is_bridge(self) -> bool {
        self.has(0x0040)
    }

    /// With a variable number of arguments, of a method.
    #[must_use]
    pub fn is_varargs(self) -> bool {
        self.has(0x0080)
    }

    /// `native`, of a method.
    #[must_use]
    pub fn is_native(self) -> bool {
        self.has(0x0100)
    }

    /// An interface, of a class.
    #[must_use]
    pub fn is_interface(self) -> bool {
        self.has(0x0200)
    }

    /// `abstract`
    #[must_use]
    pub fn is_abstract(self) -> bool {
        self.has(0x0400)
    }

    /// Made by the compiler, not in the source.
    #[must_use]
    pub fn is_synthetic(self) -> bool {
        self.has(0x1000)
    }

    /// An annotation type, of a class.
    #[must_use]
    pub fn is_annotation(self) -> bool {
        self.has(0x2000)
    }

    /// An enum, or a constant of one.
    #[must_use]
    pub fn is_enum(self) -> bool {
        self.has(0x4000)
    }

    /// A module, of a class.
    #[must_use]
    pub fn is_module(self) -> bool {
        self.has(0x8000)
    }
}

impl ClassFile {
    /// Reads a class file.
    pub fn read(bytes: &[u8]) -> Result<ClassFile, ClassError> {
        let mut cursor = Cursor::new(bytes);
        if cursor.u4()? != 0xCAFE_BABE {
            return Err(ClassError { at: 0, what: Malformed::Magic });
        }
        let (minor, major) = (cursor.u2()?, cursor.u2()?);
        if major < 45 {
            return Err(ClassError { at: 6, what: Malformed::Version(major) });
        }
        let pool = Pool::read(&mut cursor)?;
        let class = ClassFile {
            major,
            minor,
            access: Access(cursor.u2()?),
            name: cursor.class_name(&pool)?,
            superclass: cursor.optional_class_name(&pool)?,
            interfaces: cursor.list(|cursor| cursor.class_name(&pool))?,
            fields: cursor.list(|cursor| Field::read(cursor, &pool))?,
            methods: cursor.list(|cursor| Method::read(cursor, &pool))?,
            attributes: ClassAttributes::read(&mut cursor, &pool)?,
            pool,
        };
        cursor.finish()?;
        Ok(class)
    }

    /// The labels of a switch over types: classes, texts and numbers among which a call site chooses; `None` if it is something else.
    #[must_use]
    pub fn switch_labels(&self, site: PoolIndex) -> Option<&[PoolIndex]> {
        let site = self.pool.dynamic(site).ok()?;
        let bootstrap = self.attributes.bootstrap_methods.get(usize::from(site.bootstrap))?;
        let linker = self.bootstrap(bootstrap)?;
        let is_switch = linker.class == "java/lang/runtime/SwitchBootstraps" && linker.name == "typeSwitch";
        is_switch.then_some(&bootstrap.arguments)
    }

    /// The method that links call sites of a kind.
    #[must_use]
    pub fn bootstrap(&self, bootstrap: &BootstrapMethod) -> Option<MemberRef<'_>> {
        match self.pool.get(bootstrap.method) {
            Constant::MethodHandle { reference, .. } => self.pool.member(*reference).ok(),
            _ => None,
        }
    }

    /// The method with a name and a descriptor, and its position in [`ClassFile::methods`].
    #[must_use]
    pub fn method(&self, name: &str, descriptor: &str) -> Option<(usize, &Method)> {
        let is_it = |method: &Method| method.name == name && method.descriptor.to_string() == descriptor;
        self.methods.iter().enumerate().find(|(_, method)| is_it(method))
    }
}

impl Field {
    fn read(cursor: &mut Cursor<'_>, pool: &Pool) -> Result<Field, ClassError> {
        let access = Access(cursor.u2()?);
        let name = cursor.utf8(pool)?;
        let at = cursor.at();
        let descriptor = cursor.utf8(pool)?.parse().located(at)?;
        let mut field =
            Field { access, name, descriptor, signature: None, constant: None, annotations: Vec::new() };
        let mut attributes = Attributes::begin(cursor, pool)?;
        while let Some(attribute) = attributes.next()? {
            let mut body = attribute.body;
            match attribute.name {
                "ConstantValue" => field.constant = Some(read_constant_value(&mut body, pool)?),
                "Signature" => field.signature = Some(body.utf8(pool)?),
                "RuntimeVisibleAnnotations" | "RuntimeInvisibleAnnotations" => {
                    field.annotations.extend(annotations(&mut body, pool)?);
                }
                _ => continue,
            }
            body.finish()?;
        }
        Ok(field)
    }
}

fn read_constant_value(cursor: &mut Cursor<'_>, pool: &Pool) -> Result<PoolIndex, ClassError> {
    let at = cursor.at();
    let index = cursor.index()?;
    match pool.get(index) {
        Constant::Integer(_)
        | Constant::Float(_)
        | Constant::Long(_)
        | Constant::Double(_)
        | Constant::String(_) => Ok(index),
        _ => Err(Malformed::Constant { index: index.0, wanted: "a value" }).located(at),
    }
}

impl Method {
    fn read(cursor: &mut Cursor<'_>, pool: &Pool) -> Result<Method, ClassError> {
        let access = Access(cursor.u2()?);
        let name = cursor.utf8(pool)?;
        let at = cursor.at();
        let mut method = Method {
            access,
            name,
            descriptor: cursor.utf8(pool)?.parse().located(at)?,
            signature: None,
            exceptions: Vec::new(),
            parameters: Vec::new(),
            annotations: Vec::new(),
            code: None,
        };
        let mut attributes = Attributes::begin(cursor, pool)?;
        while let Some(attribute) = attributes.next()? {
            let mut body = attribute.body;
            match attribute.name {
                "Code" => {
                    if method.code.is_some() {
                        return body.fail(Malformed::Twice("Code"));
                    }
                    method.code = Some(Code::read(&mut body, pool, attribute.span)?);
                }
                "Exceptions" => method.exceptions = body.list(|cursor| cursor.class_name(pool))?,
                "Signature" => method.signature = Some(body.utf8(pool)?),
                "MethodParameters" => method.parameters = read_parameters(&mut body, pool)?,
                "RuntimeVisibleAnnotations" | "RuntimeInvisibleAnnotations" => {
                    method.annotations.extend(annotations(&mut body, pool)?);
                }
                _ => continue,
            }
            body.finish()?;
        }
        Ok(method)
    }
}

fn read_parameters(cursor: &mut Cursor<'_>, pool: &Pool) -> Result<Vec<MethodParameter>, ClassError> {
    let count = cursor.u1()?;
    let parameter =
        |_| Ok(MethodParameter { name: cursor.optional_utf8(pool)?, access: Access(cursor.u2()?) });
    (0..count).map(parameter).collect()
}
