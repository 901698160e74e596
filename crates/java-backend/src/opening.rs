//! What every test begins with, if the user says so: static calls with values that are written down (den Hollander's "initial sequence", which
//! opens a connection or sets a clock).

use java_classfile::{MethodDescriptor, Type};
use java_frontend::{NamedMethod, Names};
use java_wire::message::Seen;
use java_wire::{Action, Argument, Primitive, Script, Slot, Step, Value};

/// Steps at the beginning of all tests, with their values.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Opening {
    slots: Vec<Slot>,
    steps: Vec<Step>,
    values: Vec<Value>,
}

/// Why a statement cannot open tests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoOpening {
    /// In words.
    pub why: String,
    /// What to write instead.
    pub hint: Option<String>,
}

impl Opening {
    /// Appends a call: `shop.Clock.set(12, "noon")`.
    ///
    /// # Errors
    /// When it is no call of a public static method with literals, or several methods would do.
    pub fn push(&mut self, names: &Names<'_>, statement: &str) -> Result<(), NoOpening> {
        let wrong = |why: String| NoOpening { why, hint: None };
        let call = statement.trim().trim_end_matches(';');
        let (name, rest) =
            call.split_once('(').filter(|(_, rest)| rest.ends_with(')')).ok_or_else(|| NoOpening {
                why: format!("`{statement}` is no call"),
                hint: Some("write a static call with literals: \"shop.Clock.set(12)\"".to_owned()),
            })?;
        let literals = split(&rest[..rest.len() - 1]);
        let named = names.methods(name.trim());
        if named.is_empty() {
            let near = names.not_named(name.trim());
            return Err(NoOpening {
                why: near.to_string(),
                hint: near.near.map(|near| format!("did you mean {near}?")),
            });
        }
        let is_open = |named: &&NamedMethod| {
            let (class, method) = (named.class.access, named.method.access);
            class.is_public() && method.is_public() && method.is_static()
        };
        let open: Vec<&NamedMethod> = named.iter().filter(is_open).collect();
        if open.is_empty() {
            let why = format!("`{}` is no public static method of a public class", name.trim());
            return Err(wrong(why));
        }
        let fitting: Vec<Call> = open.iter().filter_map(|named| Call::new(named, &literals)).collect();
        match <[Call; 1]>::try_from(fitting) {
            Ok([call]) => {
                self.append(call);
                Ok(())
            }
            Err(none) if none.is_empty() => Err(wrong(format!("`{}` takes other values", name.trim()))),
            Err(_) => Err(wrong(format!("several methods `{}` take these values", name.trim()))),
        }
    }

    fn append(&mut self, call: Call) {
        let mut arguments = Vec::new();
        for (slot, value) in call.values {
            match slot {
                None => arguments.push(Argument::Null),
                Some(slot) => {
                    arguments.push(Argument::Slot(self.slots.len() as u32));
                    self.slots.push(slot);
                    self.values.push(value);
                }
            }
        }
        self.steps.push(Step { action: call.action, arguments });
    }

    /// Whether tests begin with nothing in particular.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Its steps.
    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    /// What its values are.
    pub(crate) fn values(&self) -> &[Value] {
        &self.values
    }

    /// A script behind it.
    pub(crate) fn before(&self, script: Script) -> Script {
        if self.is_empty() {
            return script;
        }
        let (steps, slots) = (self.steps.len() as u32, self.slots.len() as u32);
        let moved = |step: Step| shifted(step, |result| result + steps, |slot| slot + slots);
        Script {
            slots: self.slots.iter().copied().chain(script.slots).collect(),
            steps: self.steps.iter().cloned().chain(script.steps.into_iter().map(moved)).collect(),
            observers: script.observers.into_iter().map(moved).collect(),
        }
    }

    /// Whether a test begins with it; without values, whether its script does.
    pub(crate) fn opens(&self, script: &Script, values: &[Value]) -> bool {
        script.steps.starts_with(&self.steps) && (values.is_empty() || values.starts_with(&self.values))
    }

    /// What follows it in a test that begins with it: script, values and results. `None` if something hangs on what it has left.
    pub(crate) fn behind(
        &self,
        script: &Script,
        values: &[Value],
        results: &[Seen],
    ) -> Option<(Script, Vec<Value>, Vec<Seen>)> {
        let (steps, slots) = (self.steps.len(), self.slots.len());
        let hangs = |argument: &Argument| matches!(argument, Argument::Result(r) if (*r as usize) < steps);
        let own = script.steps.get(steps..)?;
        if own.iter().flat_map(|step| &step.arguments).any(hangs) {
            return None;
        }
        let moved = |step: &Step| shifted(step.clone(), |r| r - steps as u32, |s| s - slots as u32);
        let script = Script {
            slots: script.slots.get(slots..)?.to_vec(),
            steps: own.iter().map(moved).collect(),
            observers: Vec::new(),
        };
        Some((script, values.get(slots..)?.to_vec(), results.get(steps..).unwrap_or_default().to_vec()))
    }
}

fn shifted(step: Step, result: impl Fn(u32) -> u32, slot: impl Fn(u32) -> u32) -> Step {
    let argument = |argument: Argument| match argument {
        Argument::Result(number) => Argument::Result(result(number)),
        Argument::Slot(number) => Argument::Slot(slot(number)),
        Argument::Null => Argument::Null,
    };
    Step { arguments: step.arguments.into_iter().map(argument).collect(), action: step.action }
}

/// A method with values for its parameters.
struct Call {
    action: Action,
    values: Vec<(Option<Slot>, Value)>,
}

impl Call {
    fn new(named: &NamedMethod, literals: &[String]) -> Option<Call> {
        let descriptor: MethodDescriptor = named.method.descriptor.parse().ok()?;
        if descriptor.parameters.len() != literals.len() {
            return None;
        }
        let values = descriptor.parameters.iter().zip(literals).map(|(ty, text)| literal(ty, text));
        let values = values.collect::<Option<Vec<_>>>()?;
        let (class, name) = (named.class.name.clone(), named.method.name.clone());
        Some(Call { action: Action::Invoke { class, name, descriptor, is_static: true }, values })
    }
}

/// A literal where a type is wanted; objects have none but null.
fn literal(ty: &Type, text: &str) -> Option<(Option<Slot>, Value)> {
    let slot = Slot::of(ty);
    let value = match slot {
        Some(Slot::Primitive(primitive)) => number(primitive, text)?,
        _ if text == "null" => Value::Null,
        Some(Slot::Boxed(primitive)) => Value::Boxed(Box::new(number(primitive, text)?)),
        Some(Slot::Text) => Value::Text(unquoted(text, '"')?),
        Some(Slot::Array(_)) | None => return None,
    };
    Some((slot, value))
}

fn number(primitive: Primitive, text: &str) -> Option<Value> {
    Some(match primitive {
        Primitive::Boolean => Value::Boolean(text.parse().ok()?),
        Primitive::Byte => Value::Byte(text.parse().ok()?),
        Primitive::Short => Value::Short(text.parse().ok()?),
        Primitive::Int => Value::Int(text.parse().ok()?),
        Primitive::Long => Value::Long(text.trim_end_matches(['l', 'L']).parse().ok()?),
        Primitive::Float => Value::Float(text.trim_end_matches(['f', 'F']).parse::<f32>().ok()?.to_bits()),
        Primitive::Double => Value::Double(text.parse::<f64>().ok()?.to_bits()),
        Primitive::Char => match unquoted(text, '\'')?.as_slice() {
            [unit] => Value::Char(*unit),
            _ => return None,
        },
    })
}

/// The characters between quotes, with the usual escapes.
fn unquoted(text: &str, quote: char) -> Option<Vec<u16>> {
    let inside = text.strip_prefix(quote)?.strip_suffix(quote)?;
    let (mut out, mut rest) = (String::new(), inside.chars());
    while let Some(c) = rest.next() {
        out.push(match c {
            '\\' => match rest.next()? {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                other @ ('\\' | '"' | '\'') => other,
                _ => return None,
            },
            other => other,
        });
    }
    Some(out.encode_utf16().collect())
}

/// What stands between commas that are not in quotes.
fn split(text: &str) -> Vec<String> {
    let (mut parts, mut part) = (Vec::new(), String::new());
    let (mut quote, mut escaped) = (None, false);
    for c in text.chars() {
        match (quote, c) {
            (None, ',') => parts.push(std::mem::take(&mut part)),
            _ => part.push(c),
        }
        quote = match quote {
            None if c == '"' || c == '\'' => Some(c),
            Some(open) if c == open && !escaped => None,
            other => other,
        };
        escaped = c == '\\' && !escaped;
    }
    if !part.trim().is_empty() || !parts.is_empty() {
        parts.push(part);
    }
    parts.into_iter().map(|part| part.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opening() -> Opening {
        let action = Action::Invoke {
            class: "Clock".into(),
            name: "set".into(),
            descriptor: "(I)V".parse().expect("a descriptor"),
            is_static: true,
        };
        let mut opening = Opening::default();
        let slot = Some(Slot::Primitive(Primitive::Int));
        opening.append(Call { action, values: vec![(slot, Value::Int(12))] });
        opening
    }

    #[test]
    fn literals_are_read_as_java_reads_them() {
        assert_eq!(split(r#" 1, "a,\"b" , ',' "#), ["1", r#""a,\"b""#, "','"]);
        assert_eq!(split("  "), [""; 0]);
        let read = |ty: &str, text: &str| literal(&ty.parse().expect("a type"), text).map(|(_, value)| value);
        assert_eq!(read("J", "-3L"), Some(Value::Long(-3)));
        assert_eq!(read("B", "300"), None);
        assert_eq!(read("C", r"'\''"), Some(Value::Char(39)));
        assert_eq!(read("Ljava/lang/String;", "\"hi\""), Some(Value::Text(vec![104, 105])));
        assert_eq!(read("LThing;", "null"), Some(Value::Null));
        assert_eq!(read("LThing;", "3"), None);
    }

    #[test]
    fn scripts_move_behind_it_and_back() {
        let make = Action::Construct { class: "A".into(), descriptor: "(I)V".parse().expect("a descriptor") };
        let call = Action::Invoke {
            class: "A".into(),
            name: "run".into(),
            descriptor: "()V".parse().expect("a descriptor"),
            is_static: false,
        };
        let script = Script {
            slots: vec![Slot::Primitive(Primitive::Int)],
            steps: vec![
                Step { action: make, arguments: vec![Argument::Slot(0)] },
                Step { action: call, arguments: vec![Argument::Result(0)] },
            ],
            observers: Vec::new(),
        };
        let opening = opening();
        let opened = opening.before(script.clone());
        assert_eq!(opened.steps[1].arguments, [Argument::Slot(1)]);
        assert_eq!(opened.steps[2].arguments, [Argument::Result(1)]);
        let values = [Value::Int(12), Value::Int(7)];
        assert!(opening.opens(&opened, &values) && !opening.opens(&script, &values));
        let results = [Seen::Void, Seen::Void, Seen::Void];
        let (again, values, results) = opening.behind(&opened, &values, &results).expect("it begins so");
        assert_eq!((again, values, results.len()), (script, vec![Value::Int(7)], 2));
    }
}
