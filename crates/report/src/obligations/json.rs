//! Obligations as JSON.

use super::{
    ConditionObligations, DecisionObligations, FileObligations, FunctionObligations, OBLIGATIONS_VERSION,
    ObligationFault, ObligationPlace, Obligations, PairObligation, VectorObligation, WantedVector, fault,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

pub(super) fn write(all: &Obligations) -> String {
    #[derive(Serialize)]
    struct Versioned<'a> {
        version: u32,
        #[serde(flatten)]
        all: &'a Obligations,
    }
    let versioned = Versioned { version: OBLIGATIONS_VERSION, all };
    let mut text = serde_json::to_string_pretty(&versioned).expect("text, numbers and lists");
    text.push('\n');
    text
}

pub(super) fn read(text: &str) -> Result<Obligations, ObligationFault> {
    #[derive(Deserialize)]
    struct Version<'a> {
        #[serde(borrow)]
        version: &'a RawValue,
    }
    let reader = Reader { text };
    let Version { version } = reader.parse(text)?;
    if version.get() != OBLIGATIONS_VERSION.to_string() {
        return unknown_version(reader.line(version.get()), version.get());
    }
    reader.all(text)
}

/// What came later may mean something else.
pub(super) fn unknown_version<T>(line: usize, version: &str) -> Result<T, ObligationFault> {
    let message = format!("version {version} of obligations is not known");
    fault(line, message, &format!("this branchwise reads version {OBLIGATIONS_VERSION}; export them again"))
}

type Raw<'a> = &'a RawValue;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawAll<'a> {
    #[serde(borrow, rename = "version")]
    _version: Raw<'a>,
    mcdc: String,
    #[serde(default)]
    bitwise_decisions: bool,
    #[serde(borrow)]
    files: Vec<Raw<'a>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile<'a> {
    path: String,
    #[serde(borrow)]
    functions: Vec<Raw<'a>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFunction<'a> {
    name: String,
    #[serde(borrow)]
    decisions: Vec<Raw<'a>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawDecision<'a> {
    file: Option<String>,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    text: String,
    form: String,
    complete: bool,
    #[serde(borrow, default)]
    conditions: Vec<Raw<'a>>,
    #[serde(borrow, default)]
    vectors: Vec<Raw<'a>>,
    #[serde(default)]
    plan: Vec<usize>,
    #[serde(borrow)]
    wanted: Option<Vec<Raw<'a>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawCondition<'a> {
    letter: String,
    file: Option<String>,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    text: String,
    constant: Option<bool>,
    #[serde(borrow)]
    pairs: Vec<Raw<'a>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawVector {
    number: usize,
    values: String,
    outcome: bool,
}

/// Reads parts of a text that know where in it they are.
struct Reader<'a> {
    text: &'a str,
}

impl<'a> Reader<'a> {
    /// The line of a part of the text.
    fn line(&self, part: &str) -> usize {
        let offset = (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        self.text.bytes().take(offset).filter(|&byte| byte == b'\n').count() + 1
    }

    fn parse<T: Deserialize<'a>>(&self, part: &'a str) -> Result<T, ObligationFault> {
        serde_json::from_str(part).or_else(|error| {
            let line = self.line(part) + error.line().saturating_sub(1);
            // The end says where that is in the part.
            let told = error.to_string();
            let message = told.split(" at line ").next().unwrap_or_default();
            fault(line, message, "docs/OBLIGATIONS.md has all fields")
        })
    }

    fn each<T>(
        &self,
        parts: &[Raw<'a>],
        read: impl Fn(&Self, &'a str) -> Result<T, ObligationFault>,
    ) -> Result<Vec<T>, ObligationFault> {
        parts.iter().map(|part| read(self, part.get())).collect()
    }

    fn all(&self, part: &'a str) -> Result<Obligations, ObligationFault> {
        let raw: RawAll<'a> = self.parse(part)?;
        let files = self.each(&raw.files, Self::file)?;
        let RawAll { mcdc, bitwise_decisions, .. } = raw;
        Ok(Obligations { mcdc, bitwise_decisions, files, at: self.line(part) })
    }

    fn file(&self, part: &'a str) -> Result<FileObligations, ObligationFault> {
        let raw: RawFile<'a> = self.parse(part)?;
        let functions = self.each(&raw.functions, Self::function)?;
        Ok(FileObligations { path: raw.path, functions, at: self.line(part) })
    }

    fn function(&self, part: &'a str) -> Result<FunctionObligations, ObligationFault> {
        let raw: RawFunction<'a> = self.parse(part)?;
        let decisions = self.each(&raw.decisions, Self::decision)?;
        Ok(FunctionObligations { name: raw.name, decisions, at: self.line(part) })
    }

    fn decision(&self, part: &'a str) -> Result<DecisionObligations, ObligationFault> {
        let raw: RawDecision<'a> = self.parse(part)?;
        let RawDecision { file, line, column, end_line, end_column, text, form, complete, plan, .. } = raw;
        let wanted = raw.wanted.map(|wanted| {
            self.each(&wanted, |reader, part| {
                Ok(WantedVector { values: reader.parse(part)?, at: reader.line(part) })
            })
        });
        Ok(DecisionObligations {
            place: ObligationPlace { file, line, column, end_line, end_column },
            text,
            form,
            complete,
            conditions: self.each(&raw.conditions, Self::condition)?,
            vectors: self.each(&raw.vectors, |reader, part| {
                let RawVector { number, values, outcome } = reader.parse(part)?;
                Ok(VectorObligation { number, values, outcome, at: reader.line(part) })
            })?,
            plan,
            wanted: wanted.transpose()?,
            at: self.line(part),
        })
    }

    fn condition(&self, part: &'a str) -> Result<ConditionObligations, ObligationFault> {
        let raw: RawCondition<'a> = self.parse(part)?;
        let RawCondition { letter, file, line, column, end_line, end_column, text, constant, pairs } = raw;
        let pairs = self.each(&pairs, |reader, part| {
            Ok(PairObligation { vectors: reader.parse(part)?, at: reader.line(part) })
        })?;
        let place = ObligationPlace { file, line, column, end_line, end_column };
        Ok(ConditionObligations { letter, place, text, constant, pairs, at: self.line(part) })
    }
}
