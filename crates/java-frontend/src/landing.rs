//! Where one jump alone leads. JaCoCo notes that code is run when two ways meet, when a line begins behind another that calls methods, and at jumps; so behind
//! such a jump it notes nothing before the first line there is through:
//!
//! ```java
//! if (port < 1024) {
//!     return -1;
//! }
//! server = new ServerSocket(port);   // throws: nobody has noted that the port was 1024 or more
//! ```

use crate::sites::line;
use java_classfile::{Code, Pc};
use std::collections::{BTreeMap, BTreeSet};

/// The places of a method that one jump leads to and nothing else, with their lines.
pub(crate) fn landings(code: &Code) -> BTreeMap<Pc, u32> {
    let mut ways: BTreeMap<Pc, u32> = BTreeMap::new();
    for (_, instruction) in &code.instructions {
        let mut targets = instruction.targets();
        targets.sort_unstable();
        targets.dedup();
        targets.into_iter().for_each(|target| *ways.entry(target).or_default() += 1);
    }
    let targets: BTreeSet<Pc> = ways.keys().copied().collect();
    for handler in &code.handlers {
        *ways.entry(handler.handler).or_default() += 1;
    }
    for pair in code.instructions.windows(2) {
        if pair[0].1.falls_through() {
            *ways.entry(pair[1].0).or_default() += 1;
        }
    }
    let alone = ways.into_iter().filter(|(pc, ways)| *ways == 1 && targets.contains(pc));
    alone.map(|(pc, _)| (pc, line(code, pc))).collect()
}
