//! Instructions of the Java virtual machine, by family.
//!
//! Short forms (`iload_1`, `iconst_5`, `goto_w`, `wide iinc`) are gone: what is left is what an instruction does.
//! Jumps name the offset they lead to, not the distance.

use crate::descriptor::Type;
use crate::pool::PoolIndex;

/// Offset of an instruction in the bytecode of its method.
pub type Pc = u32;

/// An instruction.
#[derive(Clone, PartialEq, Debug)]
pub enum Instruction {
    /// Does nothing.
    Nop,
    /// Pushes a constant: `iconst`, `bipush`, `ldc` and relatives.
    Push(Const),
    /// Pushes a local variable.
    Load {
        /// Of this kind.
        kind: Kind,
        /// The variable.
        index: u16,
    },
    /// Pops into a local variable.
    Store {
        /// Of this kind.
        kind: Kind,
        /// The variable.
        index: u16,
    },
    /// Replaces an array and an index by the element: `iaload` and relatives.
    ArrayLoad(ElementKind),
    /// Pops an array, an index and a value, and stores it: `iastore` and relatives.
    ArrayStore(ElementKind),
    /// Moves slots of the stack without looking at them.
    Stack(StackOp),
    /// Replaces two values by their sum, difference and so on.
    Arith {
        /// Of the operands and the result.
        kind: NumericKind,
        /// What is computed.
        op: ArithOp,
    },
    /// Replaces two integers by their bitwise combination.
    Bitwise {
        /// Of the operands and the result.
        kind: IntegerKind,
        /// What is computed.
        op: BitOp,
    },
    /// Replaces an integer and an `int` distance by the shifted integer.
    Shift {
        /// Of the value and the result.
        kind: IntegerKind,
        /// Which way.
        op: ShiftOp,
    },
    /// Changes the sign of a value.
    Neg(NumericKind),
    /// Adds to a local `int`: `iinc`.
    Increment {
        /// The variable.
        index: u16,
        /// How much.
        by: i16,
    },
    /// Replaces a value by its value in another type.
    Convert {
        /// What it is.
        from: NumericKind,
        /// What it becomes.
        to: ConvertTo,
    },
    /// Replaces two values by -1, 0 or 1.
    Compare(CompareOp),
    /// Compares an `int` with zero and jumps if the condition holds.
    If {
        /// Between the value and zero.
        condition: Condition,
        /// Where to.
        target: Pc,
    },
    /// Compares two `int`s and jumps if the condition holds: `if_icmpeq` and relatives.
    IfInts {
        /// Between the lower and the upper value.
        condition: Condition,
        /// Where to.
        target: Pc,
    },
    /// Jumps if two references are the same or not: `if_acmpeq`, `if_acmpne`.
    IfRefs {
        /// Jumps if they are the same, otherwise if they differ.
        same: bool,
        /// Where to.
        target: Pc,
    },
    /// Jumps if a reference is null or not: `ifnull`, `ifnonnull`.
    IfNull {
        /// Jumps if it is null, otherwise if it is not.
        null: bool,
        /// Where to.
        target: Pc,
    },
    /// Jumps.
    Goto {
        /// Where to.
        target: Pc,
    },
    /// Calls a subroutine of the method; classes before Java 6.
    Jsr {
        /// Where to.
        target: Pc,
    },
    /// Returns from a subroutine, to the address in a local variable.
    Ret {
        /// The variable.
        index: u16,
    },
    /// Jumps by an `int`, through a table.
    TableSwitch(TableSwitch),
    /// Jumps by an `int`, through a list of keys.
    LookupSwitch(LookupSwitch),
    /// Ends the method; with a value of this kind, if any.
    Return(Option<Kind>),
    /// Pushes a static field.
    GetStatic(PoolIndex),
    /// Pops into a static field.
    PutStatic(PoolIndex),
    /// Replaces an object by a field of it.
    GetField(PoolIndex),
    /// Pops an object and a value into a field of it.
    PutField(PoolIndex),
    /// Calls a method.
    Invoke {
        /// How it is chosen.
        kind: InvokeKind,
        /// Constant of the method.
        method: PoolIndex,
    },
    /// Calls what a bootstrap method has linked.
    InvokeDynamic(PoolIndex),
    /// Pushes a new object that no constructor has seen yet.
    New(PoolIndex),
    /// Replaces a length by a new array of primitive values.
    NewArray(Type),
    /// Replaces a length by a new array of references of this class.
    NewRefArray(PoolIndex),
    /// Replaces lengths by a new array of arrays.
    NewMultiArray {
        /// Constant of the array's type.
        class: PoolIndex,
        /// How many lengths.
        dimensions: u8,
    },
    /// Replaces an array by its length.
    ArrayLength,
    /// Throws.
    Throw,
    /// Throws unless a reference is null or of a class.
    CheckCast(PoolIndex),
    /// Replaces a reference by whether it is of a class.
    InstanceOf(PoolIndex),
    /// Enters the monitor of an object.
    MonitorEnter,
    /// Leaves the monitor of an object.
    MonitorExit,
}

/// A constant that is pushed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Const {
    /// `null`
    Null,
    /// An `int`.
    Int(i32),
    /// A `long`.
    Long(i64),
    /// A `float`.
    Float(f32),
    /// A `double`.
    Double(f64),
    /// A `String`.
    String(PoolIndex),
    /// A `Class`.
    Class(PoolIndex),
    /// A method handle.
    MethodHandle(PoolIndex),
    /// A method type.
    MethodType(PoolIndex),
    /// What a bootstrap method computes; its descriptor has the type.
    Dynamic(PoolIndex),
}

/// What local variables and results hold, in the order of the opcodes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// `int` and everything shorter.
    Int,
    /// `long`
    Long,
    /// `float`
    Float,
    /// `double`
    Double,
    /// A reference; of a store also a return address.
    Ref,
}

/// What elements of arrays are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ElementKind {
    /// `int`
    Int,
    /// `long`
    Long,
    /// `float`
    Float,
    /// `double`
    Double,
    /// A reference.
    Ref,
    /// `byte` or `boolean`: the instructions are the same.
    Byte,
    /// `char`
    Char,
    /// `short`
    Short,
}

/// What is computed with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NumericKind {
    /// `int`
    Int,
    /// `long`
    Long,
    /// `float`
    Float,
    /// `double`
    Double,
}

/// Integers that are computed with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IntegerKind {
    /// `int`
    Int,
    /// `long`
    Long,
}

/// What a value is converted to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ConvertTo {
    /// `int`
    Int,
    /// `long`
    Long,
    /// `float`
    Float,
    /// `double`
    Double,
    /// `byte`, kept as an `int`.
    Byte,
    /// `char`, kept as an `int`.
    Char,
    /// `short`, kept as an `int`.
    Short,
}

/// Moves of stack slots, in the order of the opcodes. A `long` or `double` takes two.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StackOp {
    /// `a →`
    Pop,
    /// `a b →`
    Pop2,
    /// `a → a a`
    Dup,
    /// `a b → b a b`
    DupX1,
    /// `a b c → c a b c`
    DupX2,
    /// `a b → a b a b`
    Dup2,
    /// `a b c → b c a b c`
    Dup2X1,
    /// `a b c d → c d a b c d`
    Dup2X2,
    /// `a b → b a`
    Swap,
}

/// Arithmetic of two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ArithOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
}

/// Bitwise combination of two integers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BitOp {
    /// `&`
    And,
    /// `|`
    Or,
    /// `^`
    Xor,
}

/// Shifts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ShiftOp {
    /// `<<`
    Left,
    /// `>>`
    Right,
    /// `>>>`
    UnsignedRight,
}

/// Comparisons with three answers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CompareOp {
    /// `lcmp`
    Long,
    /// `fcmpl` or `fcmpg`
    Float {
        /// What it says if an operand is not a number: 1 (`fcmpg`) or -1 (`fcmpl`).
        nan: i8,
    },
    /// `dcmpl` or `dcmpg`
    Double {
        /// What it says if an operand is not a number: 1 (`dcmpg`) or -1 (`dcmpl`).
        nan: i8,
    },
}

/// Relations between integers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Condition {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `>=`
    Ge,
    /// `>`
    Gt,
    /// `<=`
    Le,
}

impl Condition {
    /// The relation that holds exactly when this one does not.
    #[must_use]
    pub fn negated(self) -> Condition {
        match self {
            Condition::Eq => Condition::Ne,
            Condition::Ne => Condition::Eq,
            Condition::Lt => Condition::Ge,
            Condition::Ge => Condition::Lt,
            Condition::Gt => Condition::Le,
            Condition::Le => Condition::Gt,
        }
    }
}

/// How a method to call is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum InvokeKind {
    /// By the class of the receiver.
    Virtual,
    /// As named: constructors, private methods, `super.f()`.
    Special,
    /// As named, without a receiver.
    Static,
    /// By the class of the receiver, through an interface.
    Interface,
}

/// A switch over consecutive keys.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableSwitch {
    /// Where other keys lead.
    pub default: Pc,
    /// Key of the first target.
    pub low: i32,
    /// Targets of `low`, `low + 1` and so on.
    pub targets: Vec<Pc>,
}

/// A switch over arbitrary keys.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LookupSwitch {
    /// Where other keys lead.
    pub default: Pc,
    /// Keys and their targets.
    pub cases: Vec<(i32, Pc)>,
}

impl TableSwitch {
    /// Keys and their targets.
    pub fn cases(&self) -> impl Iterator<Item = (i32, Pc)> + '_ {
        (0..).map(|nth| self.low.wrapping_add(nth)).zip(self.targets.iter().copied())
    }
}

impl Instruction {
    /// Where it may jump to, in the order of the class file; the default of a switch comes first.
    #[must_use]
    pub fn targets(&self) -> Vec<Pc> {
        match self {
            Instruction::If { target, .. }
            | Instruction::IfInts { target, .. }
            | Instruction::IfRefs { target, .. }
            | Instruction::IfNull { target, .. }
            | Instruction::Goto { target }
            | Instruction::Jsr { target } => vec![*target],
            Instruction::TableSwitch(switch) => {
                std::iter::once(switch.default).chain(switch.targets.iter().copied()).collect()
            }
            Instruction::LookupSwitch(switch) => {
                std::iter::once(switch.default).chain(switch.cases.iter().map(|case| case.1)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether the next instruction may follow: not after `goto`, switches, returns and throws. A subroutine is taken to
    /// return to what follows its call.
    #[must_use]
    pub fn falls_through(&self) -> bool {
        !matches!(
            self,
            Instruction::Goto { .. }
                | Instruction::Ret { .. }
                | Instruction::TableSwitch(_)
                | Instruction::LookupSwitch(_)
                | Instruction::Return(_)
                | Instruction::Throw
        )
    }

    /// Whether it goes one of two ways: `if` in all its forms.
    #[must_use]
    pub fn is_conditional(&self) -> bool {
        matches!(
            self,
            Instruction::If { .. }
                | Instruction::IfInts { .. }
                | Instruction::IfRefs { .. }
                | Instruction::IfNull { .. }
        )
    }
}
