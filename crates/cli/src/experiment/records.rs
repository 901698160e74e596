//! The records of an experiment, a line of JSON each, kept as they come: a killed experiment goes on where it was.

use crate::failure::Failure;
use experiment::Record;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The first line: which plan and which programs the records are of.
#[derive(Serialize, Deserialize, PartialEq)]
struct Head {
    experiment: u64,
}

/// The file and what is in it.
pub(crate) struct Records {
    path: PathBuf,
    file: File,
    all: Vec<Record>,
}

impl Records {
    /// Opens the records in a folder. Those of another experiment are dropped, and so is half a line that a killed one left.
    pub(crate) fn open(folder: &Path, experiment: u64) -> Result<Records, Failure> {
        let path = folder.join("records.jsonl");
        let head = Head { experiment };
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let mut lines = text.lines();
        let is_ours =
            lines.next().is_some_and(|line| serde_json::from_str(line).is_ok_and(|h: Head| h == head));
        let all: Vec<Record> = match is_ours {
            true => lines.map_while(|line| serde_json::from_str(line).ok()).collect(),
            false => Vec::new(),
        };
        let fail = |e| Failure::file(&path, &e);
        let file = File::create(&path).map_err(fail)?;
        let mut records = Records { path: path.clone(), file, all: Vec::new() };
        records.write(&head)?;
        for record in all {
            records.add(record)?;
        }
        Ok(records)
    }

    /// What is there.
    pub(crate) fn all(&self) -> &[Record] {
        &self.all
    }

    /// Adds one.
    pub(crate) fn add(&mut self, record: Record) -> Result<(), Failure> {
        self.write(&record)?;
        self.all.push(record);
        Ok(())
    }

    fn write(&mut self, line: &impl Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string(line).map_err(|e| Failure::bug(e.to_string()))? + "\n";
        self.file.write_all(text.as_bytes()).map_err(|e| Failure::file(&self.path, &e))
    }
}
