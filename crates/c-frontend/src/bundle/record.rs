//! The records in the section, one after the other:
//!
//! ```text
//! magic (8) │ version (4) │ length of head (8) │ length of bitcode (8) │ head │ bitcode
//! ```
//!
//! Numbers are little-endian. Linkers may put zeros between records.

use serde::{Deserialize, Serialize};

const MAGIC: &[u8; 8] = b"BRNCHWSE";
/// Changes with the layout above, with [`Head`], and with the flags the bitcode is made with.
pub(super) const VERSION: u32 = 1;
const PREFIX: usize = 28;

/// What a record tells.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum Head {
    /// A C file; its bitcode follows.
    Unit {
        source: String,
        directory: String,
        flags: Vec<String>,
        /// The user's whole command, for people who ask where an object comes from.
        command: Vec<String>,
    },
    /// A C file whose bitcode could not be made.
    Missing { source: String, why: String },
    /// How an output was linked.
    Link { flags: Vec<String> },
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Record {
    pub(super) head: Head,
    pub(super) bitcode: Vec<u8>,
}

/// Why records cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unreadable {
    OtherVersion(u32),
    Damaged,
}

impl Record {
    pub(super) fn without_bitcode(head: Head) -> Record {
        Record { head, bitcode: Vec::new() }
    }
}

pub(super) fn write_all(records: &[Record]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for record in records {
        let head = postcard::to_stdvec(&record.head).expect("plain data into memory");
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((head.len() as u64).to_le_bytes());
        bytes.extend((record.bitcode.len() as u64).to_le_bytes());
        bytes.extend(head);
        bytes.extend(&record.bitcode);
    }
    bytes
}

pub(super) fn read_all(mut bytes: &[u8]) -> Result<Vec<Record>, Unreadable> {
    let mut records = Vec::new();
    loop {
        let padding = bytes.iter().take_while(|byte| **byte == 0).count();
        bytes = &bytes[padding..];
        if bytes.is_empty() {
            return Ok(records);
        }
        records.push(read_one(&mut bytes)?);
    }
}

fn read_one(bytes: &mut &[u8]) -> Result<Record, Unreadable> {
    let prefix = take(bytes, PREFIX as u64)?;
    if &prefix[..8] != MAGIC {
        return Err(Unreadable::Damaged);
    }
    let version = u32::from_le_bytes(prefix[8..12].try_into().expect("four bytes"));
    if version != VERSION {
        return Err(Unreadable::OtherVersion(version));
    }
    let length = |at: usize| u64::from_le_bytes(prefix[at..at + 8].try_into().expect("eight bytes"));
    let head = take(bytes, length(12))?;
    let bitcode = take(bytes, length(20))?.to_vec();
    let head = postcard::from_bytes(head).map_err(|_| Unreadable::Damaged)?;
    Ok(Record { head, bitcode })
}

fn take<'a>(bytes: &mut &'a [u8], length: u64) -> Result<&'a [u8], Unreadable> {
    let length = usize::try_from(length).map_err(|_| Unreadable::Damaged)?;
    let (taken, rest) = bytes.split_at_checked(length).ok_or(Unreadable::Damaged)?;
    *bytes = rest;
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> Vec<Record> {
        let missing = Head::Missing { source: "/a.c".into(), why: "no".into() };
        let unit = Head::Unit {
            source: "/b.c".into(),
            directory: "/".into(),
            flags: vec!["-DX".into()],
            command: vec!["-c".into(), "b.c".into()],
        };
        vec![Record::without_bitcode(missing), Record { head: unit, bitcode: vec![0, 7, 0, 0] }]
    }

    #[test]
    fn records_are_read_as_they_were_written_zeros_between_them_or_not() {
        let records = some();
        assert_eq!(read_all(&write_all(&records)).unwrap(), records);
        let mut padded = vec![0; 3];
        for record in &records {
            padded.extend(write_all(std::slice::from_ref(record)));
            padded.extend([0; 15]);
        }
        assert_eq!(read_all(&padded).unwrap(), records);
    }

    #[test]
    fn every_cut_and_every_flipped_length_is_noticed() {
        let bytes = write_all(&some()[1..]);
        for length in 1..bytes.len() {
            assert_eq!(read_all(&bytes[..length]), Err(Unreadable::Damaged), "{length}");
        }
        for at in 12..28 {
            let mut wrong = bytes.clone();
            wrong[at] ^= 0x80;
            assert!(read_all(&wrong).is_err(), "{at}");
        }
    }

    #[test]
    fn another_version_is_named() {
        let mut bytes = write_all(&some());
        bytes[8] = 99;
        assert_eq!(read_all(&bytes), Err(Unreadable::OtherVersion(99)));
    }
}
