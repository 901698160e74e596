//! Which variables the blocks of a function read and write.

use c_frontend::{Clang, SourceUnit, Surroundings, build_with_stubs};
use model::{Access, DataFlow, VariableId};

/// What happens, block by block, blocks without accesses left out: `v2 := v0`, `counts[] := v1`, `? v0 v1`. Locals and parameters have numbers by
/// their first access, globals their names.
fn told(text: &str) -> Vec<String> {
    let work = tempfile::tempdir().unwrap();
    let path = work.path().join("u.c");
    std::fs::write(&path, text).unwrap();
    let unit = SourceUnit { path, flags: Vec::new(), directory: work.path().to_owned() };
    let surroundings = Surroundings { data_flow: true, ..Surroundings::default() };
    let built = build_with_stubs(&[unit], surroundings, &Clang::default(), work.path()).unwrap();
    let function = built.program.functions.iter().find(|f| f.name == "f").unwrap();
    let data = function.data.as_ref().expect("asked for");
    let blocks = data.blocks.iter().filter(|accesses| !accesses.is_empty());
    blocks.map(|accesses| accesses.iter().map(|a| access(data, a)).collect::<Vec<_>>().join("; ")).collect()
}

fn access(data: &DataFlow, access: &Access) -> String {
    let name = |id: &VariableId| data.variables[id.0 as usize].name.replace("local ", "v");
    let uses = access.uses().iter().map(name).collect::<Vec<_>>().join(" ");
    match access {
        Access::Define { variable, kills: true, .. } => format!("{} := {uses}", name(variable)),
        Access::Define { variable, kills: false, .. } => format!("{}[] := {uses}", name(variable)),
        Access::Decide { .. } => format!("? {uses}"),
    }
    .trim_end()
    .to_owned()
}

#[test]
fn definitions_and_decisions_stand_where_they_happen() {
    let found = told(
        "int limit, counts[4];\n\
         int f(int a, int b)\n{\n    int flag = 0;\n    if (a == 3)\n        flag = a + b;\n\
             counts[b & 3] = flag;\n    if (flag && limit > counts[1])\n        return 1;\n    return 0;\n}\n",
    );
    assert_eq!(
        found,
        [
            "v0 :=; v1 :=; v2 :=; ? v0",
            "v2 := v0 v1",
            "counts[] := v2; ? v2",
            "? counts limit",
            "v5 :=",
            "v5 :="
        ]
    );
}

#[test]
fn what_a_condition_changes_comes_before_or_behind_it() {
    let found = told("int f(int n)\n{\n    int i = 0;\n    while (i++ < n)\n        ;\n    return i;\n}\n");
    assert_eq!(found, ["v0 :=; v1 :=", "v1 := v1; ? v0 v1"]);
}
