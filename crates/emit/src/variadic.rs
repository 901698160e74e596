//! Functions of the tests' own that make a `va_list`.

use crate::ctype::spell;
use crate::names::Names;
use model::{Function, Param, Program, TypeKind};

/// Whether a function takes a `va_list` whose arguments are inputs.
pub(crate) fn takes_list(function: &Function) -> bool {
    function.rest.is_some_and(|rest| rest.list.is_some())
}

/// What tests call instead of such a function.
pub(crate) fn wrapper_name(program: &Program, function: &Function) -> String {
    Names::of_program(program).take(&format!("call_{}", function.name))
}

/// The definition of that: it takes `...` in the place of the `va_list`.
pub(crate) fn wrapper(program: &Program, function: &Function) -> Option<String> {
    let list = function.rest?.list? as usize;
    let types = &program.types;
    let mut names = Names::of_program(program);
    let own = names.take("list");
    let result = names.take("result");
    let named: Vec<(String, &Param)> =
        function.params.iter().map(|param| (names.take(&param.name), param)).collect();
    let fixed = named.iter().enumerate().filter(|&(i, _)| i != list).map(|(_, named)| named);
    let mut parameters: Vec<String> =
        fixed.clone().map(|(name, param)| spell(types, param.ty, name)).collect::<Option<_>>()?;
    let mut last = fixed.clone().next_back().map(|(name, _)| name.clone());
    if parameters.is_empty() {
        let unused = names.take("unused");
        parameters.push(format!("int {unused}"));
        last = Some(unused);
    }
    let passed: Vec<&str> =
        named.iter().enumerate().map(|(i, (name, _))| if i == list { &own } else { name.as_str() }).collect();
    let name = wrapper_name(program, function);
    let head = spell(types, function.ret, &format!("{name}({}, ...)", parameters.join(", ")))?;
    let call = format!("{}({})", function.name, passed.join(", "));
    let is_void = matches!(types.resolved(function.ret).kind, TypeKind::Void);
    let (declared, kept, returned) = match is_void {
        true => (String::new(), String::new(), String::new()),
        false => (
            format!("    {};\n", spell(types, function.ret, &result)?),
            format!("{result} = "),
            format!("    return {result};\n"),
        ),
    };
    Some(format!(
        "/* Makes a va_list of what stands behind the other arguments. */\nstatic {head}\n{{\n    \
         __builtin_va_list {own};\n{declared}\n    __builtin_va_start({own}, {});\n    {kept}{call};\n    \
         __builtin_va_end({own});\n{returned}}}\n\n",
        last?
    ))
}
