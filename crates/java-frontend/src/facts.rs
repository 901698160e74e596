//! What is asked about a class whose code nobody wants to see.

use java_classfile::{Access, ClassFile, Type};

/// Where a class comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Origin {
    /// The user's subject: its place in the list of own classes.
    Own(usize),
    /// On the class path.
    Dependency,
    /// Of the JDK.
    Platform,
}

/// A class without its code.
#[derive(Clone, PartialEq, Debug)]
pub struct ClassFacts {
    /// Internal name.
    pub name: String,
    /// Its flags; of a nested class those of the source, where it may be private.
    pub access: Access,
    /// Its superclass.
    pub superclass: Option<String>,
    /// The interfaces that it names.
    pub interfaces: Vec<String>,
    /// Its type variables and the generic types above it, if it has such.
    pub signature: Option<String>,
    /// Its fields.
    pub fields: Vec<FieldFacts>,
    /// Its methods, as they stand in the class file.
    pub methods: Vec<MethodFacts>,
    /// Its authors advise against it.
    pub is_deprecated: bool,
    /// Where it comes from.
    pub origin: Origin,
}

/// A field.
#[derive(Clone, PartialEq, Debug)]
pub struct FieldFacts {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its flags.
    pub access: Access,
}

/// A method.
#[derive(Clone, PartialEq, Debug)]
pub struct MethodFacts {
    /// Its name.
    pub name: String,
    /// Its descriptor as in the class file.
    pub descriptor: String,
    /// Its generic type, if it has one.
    pub signature: Option<String>,
    /// Its flags.
    pub access: Access,
    /// Internal names of the exceptions that it declares.
    pub throws: Vec<String>,
    /// Its authors advise against it.
    pub is_deprecated: bool,
}

const DEPRECATED: &str = "java/lang/Deprecated";

impl ClassFacts {
    /// Of a class file.
    #[must_use]
    pub fn of(class: &ClassFile, origin: Origin) -> ClassFacts {
        let field = |field: &java_classfile::Field| FieldFacts {
            name: field.name.clone(),
            ty: field.descriptor.clone(),
            access: field.access,
        };
        let method = |method: &java_classfile::Method| MethodFacts {
            name: method.name.clone(),
            descriptor: method.descriptor.to_string(),
            signature: method.signature.clone(),
            access: method.access,
            throws: method.exceptions.clone(),
            is_deprecated: method.annotations.iter().any(|annotation| annotation == DEPRECATED),
        };
        ClassFacts {
            name: class.name.clone(),
            access: access_in_source(class),
            superclass: class.superclass.clone(),
            interfaces: class.interfaces.clone(),
            signature: class.attributes.signature.clone(),
            fields: class.fields.iter().map(field).collect(),
            methods: class.methods.iter().map(method).collect(),
            is_deprecated: class.attributes.annotations.iter().any(|annotation| annotation == DEPRECATED),
            origin,
        }
    }

    /// The package, with slashes; empty for none.
    #[must_use]
    pub fn package(&self) -> &str {
        package(&self.name)
    }

    /// The method with a name and a descriptor.
    #[must_use]
    pub fn method(&self, name: &str, descriptor: &str) -> Option<&MethodFacts> {
        self.methods.iter().find(|method| method.name == name && method.descriptor == descriptor)
    }

    /// Whether objects of it can be made by a constructor.
    #[must_use]
    pub fn is_concrete(&self) -> bool {
        !self.access.is_abstract() && !self.access.is_interface()
    }
}

/// The package of a class, with slashes.
pub(crate) fn package(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(package, _)| package)
}

/// A class file knows public and not public; private and protected nested classes say so where they list themselves.
fn access_in_source(class: &ClassFile) -> Access {
    let listed = class.attributes.inner_classes.iter().find(|inner| inner.name == class.name);
    // The lower bits are those of the source, the others (super, enum, synthetic) those of the class file.
    listed.map_or(class.access, |inner| Access((class.access.0 & !0x000F) | (inner.access & 0x000F)))
}
