//! The exchange format of the Test-Comp competition, version 1.1: a zip file with one XML file a test, and one about the
//! suite. It holds the numbers that `__VERIFIER_nondet_*` answers and nothing else.
//!
//! ```xml
//! <testcase>
//!   <input type="int">-5</input>
//! </testcase>
//! ```
//!
//! The time of creation is the earliest a zip file can name: the same tests give the same bytes.

use super::values::{float, sign_extended, unsigned};
use super::{ProgramBuild, ProgramEmitter, ProgramKind, ProgramSuite, Unfit};
use crate::EmittedFile;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::io::{Cursor, Write as _};
use suite::{HarnessValue, ProgramTest, ValueKind};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// The emitter for Test-Comp.
pub(super) struct TestComp;

const NAME: &str = "testcomp";
const CREATED: &str = "1980-01-01T00:00:00Z";
const SPECIFICATION: &str = "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )";

impl ProgramEmitter for TestComp {
    fn name(&self) -> &'static str {
        NAME
    }

    fn summary(&self) -> &'static str {
        "a Test-Comp suite, test-suite.zip; for harnesses that ask for numbers"
    }

    fn emit(&self, suite: &ProgramSuite) -> Result<Vec<EmittedFile>, Unfit> {
        let mut entries = vec![("metadata.xml".to_owned(), metadata(suite))];
        for (i, test) in suite.passing().enumerate() {
            let why = obstacle(suite.build.kind, test);
            why.map_or(Ok(()), |why| Err(Unfit { format: NAME, test: test.name.clone(), why }))?;
            entries.push((format!("testcase-{}.xml", i + 1), testcase(test)));
        }
        Ok(vec![EmittedFile { path: "test-suite.zip".to_owned(), contents: zipped(&entries) }])
    }
}

/// What of a test the format cannot say.
fn obstacle(kind: ProgramKind, test: &ProgramTest) -> Option<&'static str> {
    let has_blocks = test.values.iter().any(|v| v.kind == ValueKind::Block || unsigned(&v.bytes).is_none());
    if kind == ProgramKind::Fuzzer {
        Some("the format knows no fuzz targets")
    } else if !test.arguments.is_empty() || test.stdin.is_some() || !test.files.is_empty() {
        Some("the format knows no arguments, no standard input and no files")
    } else if has_blocks {
        Some("the format knows numbers only, no blocks of memory")
    } else {
        None
    }
}

fn zipped(entries: &[(String, String)]) -> Vec<u8> {
    let options = SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Stored)
        .last_modified_time(zip::DateTime::default())
        .unix_permissions(0o644);
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in entries {
        let written = writer.start_file(name, options).map(|()| writer.write_all(text.as_bytes()));
        written.expect("a name of ours").expect("memory takes everything");
    }
    writer.finish().expect("memory takes everything").into_inner()
}

fn metadata(suite: &ProgramSuite) -> String {
    let ProgramBuild { units, .. } = &suite.build;
    let file = units.first().map(|unit| unit.path.as_str()).unwrap_or_default();
    let hash = units.first().and_then(|unit| unit.source.as_deref()).map(hash).unwrap_or_default();
    let is_narrow = units.iter().any(|unit| unit.flags.iter().any(|flag| flag == "-m32"));
    let fields = [
        ("sourcecodelang", "C"),
        ("producer", &suite.producer),
        ("specification", SPECIFICATION),
        ("programfile", file),
        ("programhash", &hash),
        ("entryfunction", "main"),
        ("architecture", if is_narrow { "32bit" } else { "64bit" }),
        ("creationtime", CREATED),
    ];
    let mut text = head("test-metadata");
    for (name, value) in fields {
        let _ = writeln!(text, "  <{name}>{}</{name}>", escaped(value));
    }
    text + "</test-metadata>\n"
}

fn hash(source: &str) -> String {
    Sha256::digest(source).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn testcase(test: &ProgramTest) -> String {
    let mut text = head("testcase");
    for value in &test.values {
        let attribute = if is_type(&value.name) { "type" } else { "variable" };
        let _ = writeln!(text, "  <input {attribute}=\"{}\">{}</input>", escaped(&value.name), number(value));
    }
    text + "</testcase>\n"
}

/// What readers look for at the beginning of a file, each on a line of its own.
fn head(root: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n\
         <!DOCTYPE {root} PUBLIC \"+//IDN sosy-lab.org//DTD test-format {root} 1.1//EN\" \
         \"https://sosy-lab.org/test-format/{root}-1.1.dtd\">\n<{root}>\n"
    )
}

/// A value is asked for by type or by name.
fn is_type(name: &str) -> bool {
    const WORDS: &str = "char short int long signed unsigned float double _Bool pointer size_t \
        uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t int64_t";
    !name.is_empty() && name.split(' ').all(|word| WORDS.split_whitespace().any(|known| known == word))
}

fn number(value: &HarnessValue) -> String {
    let bits = unsigned(&value.bytes).unwrap_or_default();
    match (value.kind, value.bytes.len()) {
        (ValueKind::Float, 4) => f32::from_bits(bits as u32).to_string(),
        (ValueKind::Float, _) => float(&value.bytes).unwrap_or_default().to_string(),
        (ValueKind::Signed, size) => sign_extended(bits, size).to_string(),
        _ => bits.to_string(),
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // XML has no way to write them.
            c if c.is_control() => out.push('?'),
            c => out.push(c),
        }
    }
    out
}
