//! What is already found, kept on disk while a run is under way: a killed run goes on where it was.
//!
//! The file holds frames of [`Record`]. It belongs to one program and one set of settings, told by a
//! fingerprint; any other journal is ignored. A half-written last frame is what a killed process leaves, and is
//! cut off.

use input::Input;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use suite::FunctionResult;

/// One thing worth remembering.
#[derive(Serialize, Deserialize)]
enum Record {
    /// First frame: whose journal this is.
    Fingerprint(u64),
    /// An input of a function (by symbol) that reached something new.
    Found(String, Input),
    /// A function is done.
    Done(String, Box<FunctionResult>),
    /// A part of another search, by its name, is done: what came of it.
    Part(String, Vec<u8>),
}

/// The journal of a run.
pub(crate) struct Journal {
    path: PathBuf,
    file: Mutex<Option<File>>,
    done: Vec<(String, FunctionResult)>,
    found: Vec<(String, Input)>,
    parts: Vec<(String, Vec<u8>)>,
}

impl Journal {
    /// Opens the journal in `folder`, keeping what an interrupted run with the same fingerprint left.
    pub(crate) fn open(folder: &Path, fingerprint: u64) -> std::io::Result<Journal> {
        let path = folder.join(".branchwise-journal");
        let mut journal = Journal {
            path: path.clone(),
            file: Mutex::new(None),
            done: Vec::new(),
            found: Vec::new(),
            parts: Vec::new(),
        };
        let mut valid = 0;
        if let Ok(file) = File::open(&path) {
            valid = journal.read(file, fingerprint);
        }
        let mut file = OpenOptions::new().create(true).truncate(false).write(true).open(&path)?;
        file.set_len(valid)?;
        file.seek(SeekFrom::End(0))?;
        if valid == 0 {
            wire::write_frame(&mut file, &Record::Fingerprint(fingerprint)).map_err(std::io::Error::other)?;
        }
        journal.file = Mutex::new(Some(file));
        Ok(journal)
    }

    /// Reads records until the end or the first damage; returns the length of the good part.
    fn read(&mut self, file: File, fingerprint: u64) -> u64 {
        let mut reader = BufReader::new(file);
        let Ok(Record::Fingerprint(found)) = wire::read_frame(&mut reader) else { return 0 };
        if found != fingerprint {
            return 0;
        }
        let mut valid = reader.stream_position().unwrap_or(0);
        while let Ok(record) = wire::read_frame(&mut reader) {
            match record {
                Record::Fingerprint(_) => {}
                Record::Found(symbol, input) => self.found.push((symbol, input)),
                Record::Done(symbol, result) => self.done.push((symbol, *result)),
                Record::Part(name, result) => self.parts.push((name, result)),
            }
            valid = reader.stream_position().unwrap_or(valid);
        }
        valid
    }

    /// The result of a function that an earlier run finished.
    pub(crate) fn done(&self, symbol: &str) -> Option<&FunctionResult> {
        self.done.iter().find(|(s, _)| s == symbol).map(|(_, result)| result)
    }

    /// Inputs an earlier run found for a function.
    pub(crate) fn found(&self, symbol: &str) -> Vec<Input> {
        self.found.iter().filter(|(s, _)| s == symbol).map(|(_, input)| input.clone()).collect()
    }

    /// How many parts of its search an earlier run has done.
    pub(crate) fn parts(&self) -> usize {
        self.parts.len()
    }

    /// What came of a part that an earlier run has done.
    pub(crate) fn part<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        let (_, result) = self.parts.iter().find(|(known, _)| known == name)?;
        wire::decode(result).ok()
    }

    /// Remembers what came of a part.
    pub(crate) fn note_part<T: Serialize>(&self, name: &str, result: &T) {
        if let Ok(bytes) = wire::encode(result) {
            self.write(&Record::Part(name.to_owned(), bytes));
        }
    }

    /// Remembers an input.
    pub(crate) fn note_found(&self, symbol: &str, input: &Input) {
        self.write(&Record::Found(symbol.to_owned(), input.clone()));
    }

    /// Remembers a finished function.
    pub(crate) fn note_done(&self, symbol: &str, result: &FunctionResult) {
        self.write(&Record::Done(symbol.to_owned(), Box::new(result.clone())));
    }

    /// A journal that cannot be written only costs the ability to resume, so errors are not passed on.
    fn write(&self, record: &Record) {
        let mut file = self.file.lock().expect("no panic while locked");
        if let Some(open) = file.as_mut()
            && wire::write_frame(open, record).is_err()
        {
            *file = None;
        }
    }

    /// The run is complete and its results are written: nothing to resume.
    pub(crate) fn finish(self) {
        let _ = std::fs::remove_file(&self.path);
    }
}
