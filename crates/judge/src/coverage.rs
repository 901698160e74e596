//! The JSON of `llvm-cov export`.
//!
//! A branch is `[line, column, end line, end column, true count, false count, file, expanded file, kind]`, where
//! `file` indexes the function's `filenames`. Each macro expansion has an entry of its own there, and an
//! expansion region (kind 1) in the file that uses it names that entry as its expanded file: following these
//! regions upwards leads from a condition in a macro to the place where the function uses the macro.
//! Conditions the compiler folded have two constant counters and are not exported at all.

use crate::JudgeError;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A function as measured.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Measured {
    /// Name in the source.
    pub(crate) name: String,
    /// File of the definition.
    pub(crate) file: String,
    /// Times it was entered.
    pub(crate) count: u64,
    /// Its branches in llvm-cov's order.
    pub(crate) regions: Vec<Region>,
    /// Its decisions.
    pub(crate) decisions: Vec<MeasuredDecision>,
    /// It is in several binaries.
    pub(crate) is_sum: bool,
}

/// A decision as measured.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct MeasuredDecision {
    /// File of the decision.
    pub(crate) file: String,
    /// Line, column, end line, end column.
    pub(crate) span: [u32; 4],
    /// By condition: whether it is shown to decide on its own.
    pub(crate) shown: Vec<bool>,
}

/// A branch as measured.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Region {
    /// File of the condition.
    pub(crate) file: String,
    /// Line, column, end line, end column.
    pub(crate) span: [u32; 4],
    /// Line and column of the outermost macro use.
    pub(crate) expansion: Option<(u32, u32)>,
    /// How often it was true and false.
    pub(crate) counts: [u64; 2],
}

#[derive(Deserialize)]
struct Export {
    data: Vec<Data>,
}

#[derive(Deserialize)]
struct Data {
    #[serde(default)]
    functions: Vec<Function>,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    count: u64,
    filenames: Vec<String>,
    #[serde(default)]
    branches: Vec<[u64; 9]>,
    #[serde(default)]
    regions: Vec<[u64; 8]>,
    #[serde(default)]
    mcdc_records: Vec<DecisionRecord>,
}

/// Line, column, end line, end column, file, kind, and whether each condition is covered.
#[derive(Deserialize)]
struct DecisionRecord(
    u64,
    u64,
    u64,
    u64,
    u64,
    #[expect(dead_code, reason = "always a decision")] u64,
    Vec<bool>,
);

const EXPANSION: u64 = 1;

/// All functions of an export.
pub(crate) fn read(json: &[u8]) -> Result<Vec<Measured>, JudgeError> {
    let export: Export = serde_json::from_slice(json)?;
    Ok(export.data.into_iter().flat_map(|d| d.functions).map(measured).collect())
}

fn measured(function: Function) -> Measured {
    let uses: BTreeMap<u64, &[u64; 8]> =
        function.regions.iter().filter(|r| r[7] == EXPANSION).map(|r| (r[6], r)).collect();
    let file = |index: u64| function.filenames.get(index as usize).cloned().unwrap_or_default();
    let region = |b: &[u64; 9]| Region {
        file: file(b[6]),
        span: [b[0], b[1], b[2], b[3]].map(|n| n as u32),
        expansion: outermost(&uses, b[6]),
        counts: [b[4], b[5]],
    };
    // A static function is called `including file:name`; the program's own `main` gives way to the tests'.
    let name = match function.name.rsplit([':', ';']).next().unwrap_or_default() {
        "branchwise_program_main" => "main",
        name => name,
    };
    Measured {
        name: name.to_owned(),
        file: file(0),
        count: function.count,
        regions: function.branches.iter().map(region).collect(),
        decisions: function
            .mcdc_records
            .iter()
            .map(|record| MeasuredDecision {
                file: file(record.4),
                span: [record.0, record.1, record.2, record.3].map(|n| n as u32),
                shown: record.6.clone(),
            })
            .collect(),
        is_sum: false,
    }
}

fn outermost(uses: &BTreeMap<u64, &[u64; 8]>, mut file: u64) -> Option<(u32, u32)> {
    let mut place = None;
    // Every step leads to a smaller nesting; the bound holds even if a broken file should not.
    for _ in 0..uses.len() {
        let Some(region) = uses.get(&file) else { break };
        place = Some((region[0] as u32, region[1] as u32));
        file = region[5];
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_macros_lead_to_their_use() {
        let json = br#"{"data":[{"functions":[{"name":"t.c:f","count":2,"filenames":["u.c","h.h","h.h"],
            "branches":[[4,9,4,14,1,2,0,0,4],[2,18,2,31,0,1,2,0,4]],
            "regions":[[3,1,9,2,2,0,0,0],[7,12,7,17,1,0,1,1],[3,20,3,25,1,1,2,1]]}]}]}"#;
        let functions = read(json).expect("valid");
        assert_eq!((functions[0].name.as_str(), functions[0].file.as_str()), ("f", "u.c"));
        let region = &functions[0].regions[1];
        assert_eq!((region.file.as_str(), region.expansion), ("h.h", Some((7, 12))));
        assert_eq!(functions[0].regions[0].expansion, None);
    }

    #[test]
    fn nonsense_is_an_error() {
        assert!(read(b"{}").is_err());
        assert!(read(b"").is_err());
    }
}
