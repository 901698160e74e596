//! From bytes to instructions.

use crate::cursor::{Cursor, Located};
use crate::descriptor::Type;
use crate::error::{ClassError, Malformed};
use crate::instruction::{
    ArithOp, BitOp, CompareOp, Condition, Const, ConvertTo, ElementKind, Instruction, IntegerKind,
    InvokeKind, Kind, LookupSwitch, NumericKind, Pc, ShiftOp, StackOp, TableSwitch,
};
use crate::pool::{Constant, Pool, PoolIndex};

const KINDS: [Kind; 5] = [Kind::Int, Kind::Long, Kind::Float, Kind::Double, Kind::Ref];
const NUMERIC: [NumericKind; 4] =
    [NumericKind::Int, NumericKind::Long, NumericKind::Float, NumericKind::Double];
const INTEGERS: [IntegerKind; 2] = [IntegerKind::Int, IntegerKind::Long];
const ELEMENTS: [ElementKind; 8] = [
    ElementKind::Int,
    ElementKind::Long,
    ElementKind::Float,
    ElementKind::Double,
    ElementKind::Ref,
    ElementKind::Byte,
    ElementKind::Char,
    ElementKind::Short,
];
const STACK: [StackOp; 9] = [
    StackOp::Pop,
    StackOp::Pop2,
    StackOp::Dup,
    StackOp::DupX1,
    StackOp::DupX2,
    StackOp::Dup2,
    StackOp::Dup2X1,
    StackOp::Dup2X2,
    StackOp::Swap,
];
const ARITH: [ArithOp; 5] = [ArithOp::Add, ArithOp::Sub, ArithOp::Mul, ArithOp::Div, ArithOp::Rem];
const SHIFTS: [ShiftOp; 3] = [ShiftOp::Left, ShiftOp::Right, ShiftOp::UnsignedRight];
const BITS: [BitOp; 3] = [BitOp::And, BitOp::Or, BitOp::Xor];
const CONVERSIONS: [(NumericKind, ConvertTo); 15] = [
    (NumericKind::Int, ConvertTo::Long),
    (NumericKind::Int, ConvertTo::Float),
    (NumericKind::Int, ConvertTo::Double),
    (NumericKind::Long, ConvertTo::Int),
    (NumericKind::Long, ConvertTo::Float),
    (NumericKind::Long, ConvertTo::Double),
    (NumericKind::Float, ConvertTo::Int),
    (NumericKind::Float, ConvertTo::Long),
    (NumericKind::Float, ConvertTo::Double),
    (NumericKind::Double, ConvertTo::Int),
    (NumericKind::Double, ConvertTo::Long),
    (NumericKind::Double, ConvertTo::Float),
    (NumericKind::Int, ConvertTo::Byte),
    (NumericKind::Int, ConvertTo::Char),
    (NumericKind::Int, ConvertTo::Short),
];
const COMPARISONS: [CompareOp; 5] = [
    CompareOp::Long,
    CompareOp::Float { nan: -1 },
    CompareOp::Float { nan: 1 },
    CompareOp::Double { nan: -1 },
    CompareOp::Double { nan: 1 },
];
const CONDITIONS: [Condition; 6] =
    [Condition::Eq, Condition::Ne, Condition::Lt, Condition::Ge, Condition::Gt, Condition::Le];
const INVOCATIONS: [InvokeKind; 4] =
    [InvokeKind::Virtual, InvokeKind::Special, InvokeKind::Static, InvokeKind::Interface];

/// The instructions of a method, each with its offset. All jumps lead to instructions.
pub(crate) fn decode(bytecode: Cursor<'_>, pool: &Pool) -> Result<Vec<(Pc, Instruction)>, ClassError> {
    let start = bytecode.at();
    let mut decoder = Decoder { cursor: bytecode, start, pc: 0, pool };
    let mut instructions = Vec::new();
    while !decoder.cursor.is_empty() {
        decoder.pc = decoder.offset();
        let instruction = decoder.instruction()?;
        instructions.push((decoder.pc, instruction));
    }
    for (pc, instruction) in &instructions {
        for target in instruction.targets() {
            check_target(&instructions, target).located(start + *pc as usize)?;
        }
    }
    Ok(instructions)
}

/// An instruction must begin there.
pub(crate) fn check_target(instructions: &[(Pc, Instruction)], target: Pc) -> Result<(), Malformed> {
    match instructions.binary_search_by_key(&target, |(pc, _)| *pc) {
        Ok(_) => Ok(()),
        Err(_) => Err(Malformed::NotAnInstruction(i64::from(target))),
    }
}

struct Decoder<'a> {
    cursor: Cursor<'a>,
    /// Where the bytecode begins in the file.
    start: usize,
    /// Of the instruction that is decoded.
    pc: Pc,
    pool: &'a Pool,
}

impl Decoder<'_> {
    /// Offset in the bytecode, which has at most 65,535 bytes.
    fn offset(&self) -> Pc {
        (self.cursor.at() - self.start) as Pc
    }

    fn instruction(&mut self) -> Result<Instruction, ClassError> {
        let opcode = self.cursor.u1()?;
        match opcode {
            0..=20 => self.constant(opcode),
            21..=45 | 54..=78 | 132 | 169 => self.variable(opcode),
            46..=53 | 79..=131 | 133..=152 | 190 | 191 | 194 | 195 => Ok(operation(opcode)),
            153..=168 | 170..=177 | 198..=201 => self.transfer(opcode),
            178..=189 | 192 | 193 | 197 => self.object(opcode),
            196 => self.wide(),
            _ => self.unknown(opcode),
        }
    }

    fn unknown<T>(&self, opcode: u8) -> Result<T, ClassError> {
        Err(ClassError { at: self.cursor.at() - 1, what: Malformed::Opcode(opcode) })
    }

    fn constant(&mut self, opcode: u8) -> Result<Instruction, ClassError> {
        Ok(Instruction::Push(match opcode {
            0 => return Ok(Instruction::Nop),
            1 => Const::Null,
            2..=8 => Const::Int(i32::from(opcode) - 3),
            9 | 10 => Const::Long(i64::from(opcode) - 9),
            11..=13 => Const::Float(f32::from(opcode) - 11.0),
            14 | 15 => Const::Double(f64::from(opcode) - 14.0),
            16 => Const::Int(i32::from(self.cursor.i1()?)),
            17 => Const::Int(i32::from(self.cursor.i2()?)),
            18 => {
                let index = PoolIndex(u16::from(self.cursor.u1()?));
                self.loaded(index, false)?
            }
            _ => {
                let index = self.cursor.index()?;
                self.loaded(index, opcode == 20)?
            }
        }))
    }

    /// What `ldc`, `ldc_w` or (wide) `ldc2_w` push.
    fn loaded(&self, index: PoolIndex, wide: bool) -> Result<Const, ClassError> {
        let constant = match self.pool.get(index) {
            Constant::Long(value) if wide => Const::Long(*value),
            Constant::Double(value) if wide => Const::Double(*value),
            Constant::Dynamic(_) => Const::Dynamic(index),
            Constant::Integer(value) if !wide => Const::Int(*value),
            Constant::Float(value) if !wide => Const::Float(*value),
            Constant::String(_) if !wide => Const::String(index),
            Constant::Class(_) if !wide => Const::Class(index),
            Constant::MethodHandle { .. } if !wide => Const::MethodHandle(index),
            Constant::MethodType(_) if !wide => Const::MethodType(index),
            _ => return self.cursor.fail(Malformed::Constant { index: index.0, wanted: "loadable" }),
        };
        Ok(constant)
    }

    fn variable(&mut self, opcode: u8) -> Result<Instruction, ClassError> {
        Ok(match opcode {
            26..=45 => short_variable(opcode - 26, |kind, index| Instruction::Load { kind, index }),
            59..=78 => short_variable(opcode - 59, |kind, index| Instruction::Store { kind, index }),
            132 => Instruction::Increment {
                index: u16::from(self.cursor.u1()?),
                by: i16::from(self.cursor.i1()?),
            },
            _ => {
                let index = u16::from(self.cursor.u1()?);
                return self.indexed(opcode, index);
            }
        })
    }

    /// An instruction whose only operand is a variable.
    fn indexed(&self, opcode: u8, index: u16) -> Result<Instruction, ClassError> {
        match opcode {
            21..=25 => Ok(Instruction::Load { kind: KINDS[usize::from(opcode - 21)], index }),
            54..=58 => Ok(Instruction::Store { kind: KINDS[usize::from(opcode - 54)], index }),
            169 => Ok(Instruction::Ret { index }),
            _ => self.unknown(opcode),
        }
    }

    fn wide(&mut self) -> Result<Instruction, ClassError> {
        let opcode = self.cursor.u1()?;
        if opcode == 132 {
            return Ok(Instruction::Increment { index: self.cursor.u2()?, by: self.cursor.i2()? });
        }
        // Refused before the operand is read, so that the error names the byte.
        self.indexed(opcode, 0)?;
        let index = self.cursor.u2()?;
        self.indexed(opcode, index)
    }

    fn transfer(&mut self, opcode: u8) -> Result<Instruction, ClassError> {
        Ok(match opcode {
            153..=158 => Instruction::If { condition: condition(opcode - 153), target: self.near()? },
            159..=164 => Instruction::IfInts { condition: condition(opcode - 159), target: self.near()? },
            165 | 166 => Instruction::IfRefs { same: opcode == 165, target: self.near()? },
            167 => Instruction::Goto { target: self.near()? },
            168 => Instruction::Jsr { target: self.near()? },
            170 => Instruction::TableSwitch(self.table_switch()?),
            171 => Instruction::LookupSwitch(self.lookup_switch()?),
            172..=176 => Instruction::Return(Some(KINDS[usize::from(opcode - 172)])),
            198 | 199 => Instruction::IfNull { null: opcode == 198, target: self.near()? },
            200 => Instruction::Goto { target: self.far()? },
            201 => Instruction::Jsr { target: self.far()? },
            _ => Instruction::Return(None),
        })
    }

    fn near(&mut self) -> Result<Pc, ClassError> {
        let distance = self.cursor.i2()?;
        self.target(i64::from(distance))
    }

    fn far(&mut self) -> Result<Pc, ClassError> {
        let distance = self.cursor.i4()?;
        self.target(i64::from(distance))
    }

    fn target(&self, distance: i64) -> Result<Pc, ClassError> {
        let target = i64::from(self.pc) + distance;
        Pc::try_from(target).or_else(|_| self.cursor.fail(Malformed::NotAnInstruction(target)))
    }

    /// Operands of switches begin at a multiple of four.
    fn skip_padding(&mut self) -> Result<(), ClassError> {
        let padding = self.offset().next_multiple_of(4) - self.offset();
        self.cursor.bytes(padding as usize).map(drop)
    }

    fn table_switch(&mut self) -> Result<TableSwitch, ClassError> {
        self.skip_padding()?;
        let default = self.far()?;
        let (low, high) = (self.cursor.i4()?, self.cursor.i4()?);
        let count = i64::from(high) - i64::from(low) + 1;
        self.check_cases(count, 4)?;
        let targets = (0..count).map(|_| self.far()).collect::<Result<_, _>>()?;
        Ok(TableSwitch { default, low, targets })
    }

    fn lookup_switch(&mut self) -> Result<LookupSwitch, ClassError> {
        self.skip_padding()?;
        let default = self.far()?;
        let count = i64::from(self.cursor.i4()?);
        self.check_cases(count + 1, 0)?;
        self.check_cases(count.max(1), 8)?;
        let cases = (0..count).map(|_| Ok((self.cursor.i4()?, self.far()?))).collect::<Result<_, _>>()?;
        Ok(LookupSwitch { default, cases })
    }

    /// At least one case of so many bytes each, and no more than there are.
    fn check_cases(&self, count: i64, bytes: i64) -> Result<(), ClassError> {
        if count < 1 {
            return self.cursor.fail(Malformed::Switch);
        }
        let fits = count * bytes <= self.cursor.remaining() as i64;
        if fits { Ok(()) } else { self.cursor.fail(Malformed::Truncated) }
    }

    fn object(&mut self, opcode: u8) -> Result<Instruction, ClassError> {
        if opcode == 188 {
            return self.primitive_array();
        }
        let at = self.cursor.at();
        let index = self.cursor.index()?;
        match opcode {
            178..=181 => self.field(index).located(at)?,
            182..=185 => self.method(index, opcode).located(at)?,
            186 => self.call_site(index).located(at)?,
            _ => self.pool.class_name(index).map(drop).located(at)?,
        }
        Ok(match opcode {
            178 => Instruction::GetStatic(index),
            179 => Instruction::PutStatic(index),
            180 => Instruction::GetField(index),
            181 => Instruction::PutField(index),
            182..=185 => {
                // The number of arguments and a zero, which the descriptor makes superfluous.
                if opcode == 185 {
                    self.cursor.u2()?;
                }
                Instruction::Invoke { kind: INVOCATIONS[usize::from(opcode - 182)], method: index }
            }
            186 => {
                self.cursor.u2()?;
                Instruction::InvokeDynamic(index)
            }
            187 => Instruction::New(index),
            189 => Instruction::NewRefArray(index),
            192 => Instruction::CheckCast(index),
            193 => Instruction::InstanceOf(index),
            _ => Instruction::NewMultiArray { class: index, dimensions: self.cursor.u1()? },
        })
    }

    fn field(&self, index: PoolIndex) -> Result<(), Malformed> {
        match self.pool.get(index) {
            Constant::Field(_) => self.pool.member(index)?.descriptor.parse::<Type>().map(drop),
            _ => Err(Malformed::Constant { index: index.0, wanted: "a field" }),
        }
    }

    fn method(&self, index: PoolIndex, opcode: u8) -> Result<(), Malformed> {
        match (self.pool.get(index), opcode) {
            (Constant::Method(_), 182..=184) | (Constant::InterfaceMethod(_), 183..=185) => {
                self.pool.method_descriptor(index).map(drop)
            }
            _ => Err(Malformed::Constant { index: index.0, wanted: "a method to call this way" }),
        }
    }

    fn call_site(&self, index: PoolIndex) -> Result<(), Malformed> {
        match self.pool.get(index) {
            Constant::InvokeDynamic(_) => self.pool.method_descriptor(index).map(drop),
            _ => Err(Malformed::Constant { index: index.0, wanted: "a call site" }),
        }
    }

    fn primitive_array(&mut self) -> Result<Instruction, ClassError> {
        let at = self.cursor.at();
        Ok(Instruction::NewArray(match self.cursor.u1()? {
            4 => Type::Boolean,
            5 => Type::Char,
            6 => Type::Float,
            7 => Type::Double,
            8 => Type::Byte,
            9 => Type::Short,
            10 => Type::Int,
            11 => Type::Long,
            other => return Err(ClassError { at, what: Malformed::ElementType(other) }),
        }))
    }
}

/// Instructions that are one byte long and work on the stack alone.
fn operation(opcode: u8) -> Instruction {
    let nth = |first: u8| usize::from(opcode - first);
    match opcode {
        46..=53 => Instruction::ArrayLoad(ELEMENTS[nth(46)]),
        79..=86 => Instruction::ArrayStore(ELEMENTS[nth(79)]),
        87..=95 => Instruction::Stack(STACK[nth(87)]),
        96..=115 => Instruction::Arith { kind: NUMERIC[nth(96) % 4], op: ARITH[nth(96) / 4] },
        116..=119 => Instruction::Neg(NUMERIC[nth(116)]),
        120..=125 => Instruction::Shift { kind: INTEGERS[nth(120) % 2], op: SHIFTS[nth(120) / 2] },
        126..=131 => Instruction::Bitwise { kind: INTEGERS[nth(126) % 2], op: BITS[nth(126) / 2] },
        133..=147 => {
            let (from, to) = CONVERSIONS[nth(133)];
            Instruction::Convert { from, to }
        }
        148..=152 => Instruction::Compare(COMPARISONS[nth(148)]),
        190 => Instruction::ArrayLength,
        191 => Instruction::Throw,
        194 => Instruction::MonitorEnter,
        195 => Instruction::MonitorExit,
        _ => Instruction::Nop,
    }
}

/// `iload_0` to `aload_3`, `istore_0` to `astore_3`.
fn short_variable(nth: u8, variable: impl Fn(Kind, u16) -> Instruction) -> Instruction {
    variable(KINDS[usize::from(nth / 4)], u16::from(nth % 4))
}

fn condition(nth: u8) -> Condition {
    CONDITIONS[usize::from(nth)]
}
