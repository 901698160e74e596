//! Places in the source where precision may be lost.

use inkwell::llvm_sys::core as llvm;
use inkwell::values::{AsValueRef, InstructionValue};
use std::collections::HashMap;
use wire::symbolic::LossSite;

/// Numbers places.
#[derive(Default)]
pub(super) struct Sites {
    pub(super) list: Vec<LossSite>,
    numbers: HashMap<LossSite, u32>,
}

impl Sites {
    pub(super) fn at(&mut self, instruction: InstructionValue<'_>, what: &str) -> u32 {
        let (file, line) = place(instruction);
        let site = LossSite { file, line, what: what.to_owned() };
        if let Some(&number) = self.numbers.get(&site) {
            return number;
        }
        let number = self.list.len() as u32;
        self.list.push(site.clone());
        self.numbers.insert(site, number);
        number
    }
}

fn place(instruction: InstructionValue<'_>) -> (String, u32) {
    let value = instruction.as_value_ref();
    let mut length = 0;
    // SAFETY: a live instruction; LLVM returns null and 0 where it has no location.
    unsafe {
        let line = llvm::LLVMGetDebugLocLine(value);
        let text = llvm::LLVMGetDebugLocFilename(value, &mut length);
        if text.is_null() {
            return (String::new(), line);
        }
        let bytes = std::slice::from_raw_parts(text.cast::<u8>(), length as usize);
        (String::from_utf8_lossy(bytes).into_owned(), line)
    }
}
