//! A switch over strings becomes two switches: one by hash, which finds the number of the case, and one by that number. The source knows
//! the second.

use super::matcher::{Listing, Matcher};
use super::{Filter, View};
use java_classfile::Instruction;
use java_classfile::instruction::{Condition, Const, InvokeKind, Kind};

const STRING: &str = "java/lang/String";

pub(super) fn filter(listing: &Listing<'_>, view: &mut View) {
    for start in 0..listing.len() {
        if let Some(end) = first_switch(listing, start) {
            view.hide(start, end, Filter::StringSwitch);
        }
    }
}

/// From `c = -1` to before the second switch.
fn first_switch(listing: &Listing<'_>, start: usize) -> Option<usize> {
    let mut matcher = Matcher::at(listing, start);
    matcher
        .next_if(|i| matches!(i, Instruction::Push(Const::Int(-1))))
        .store(Kind::Int, "c")
        .load(Kind::Ref, "s")
        .invoke(InvokeKind::Virtual, STRING, "hashCode", "()I");
    let default = match matcher.peek()? {
        Instruction::TableSwitch(switch) => switch.default,
        Instruction::LookupSwitch(switch) => switch.default,
        _ => return None,
    };
    let second = listing.place(default);
    matcher.any();
    loop {
        matcher
            .load(Kind::Ref, "s")
            .next_if(|i| matches!(i, Instruction::Push(Const::String(_))))
            .invoke(InvokeKind::Virtual, STRING, "equals", "(Ljava/lang/Object;)Z")
            .next_if(|i| matches!(i, Instruction::If { condition: Condition::Eq, .. }))
            .any()
            .store(Kind::Int, "c");
        if matcher.end()? == second {
            break;
        }
        matcher.next_if(|i| matches!(i, Instruction::Goto { target } if *target == default));
    }
    matcher.load(Kind::Int, "c");
    matcher.next_if(|i| matches!(i, Instruction::TableSwitch(_) | Instruction::LookupSwitch(_))).end()?;
    Some(second)
}
