//! Frames on a pipe.

use serde::{Serialize, de::DeserializeOwned};
use std::io::{Read, Write};

/// The longest frame believed: a damaged worker may announce anything.
const LONGEST: u32 = 1 << 30;

/// A frame could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The other side is gone.
    #[error("the connection ended")]
    End,
    /// The pipe failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The frame makes no sense.
    #[error("damaged message")]
    Damaged,
}

/// A message as bytes, for a file of its own.
///
/// # Errors
/// When the message cannot be encoded.
pub fn encode<T: Serialize>(message: &T) -> Result<Vec<u8>, FrameError> {
    postcard::to_stdvec(message).map_err(|_| FrameError::Damaged)
}

/// Inverse of [`encode`].
///
/// # Errors
/// When the bytes are not such a message.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, FrameError> {
    postcard::from_bytes(bytes).map_err(|_| FrameError::Damaged)
}

/// Writes one message.
///
/// # Errors
/// When the pipe fails.
pub fn write_frame<T: Serialize>(to: &mut impl Write, message: &T) -> Result<(), FrameError> {
    let bytes = encode(message)?;
    // One write for both parts: a reader never sees a length without its message unless the writer dies.
    let mut frame = Vec::with_capacity(bytes.len() + 4);
    frame.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    frame.extend_from_slice(&bytes);
    to.write_all(&frame)?;
    to.flush()?;
    Ok(())
}

/// Reads one message.
///
/// # Errors
/// When the other side ended or sent nonsense.
pub fn read_frame<T: DeserializeOwned>(from: &mut impl Read) -> Result<T, FrameError> {
    let mut length = [0; 4];
    from.read_exact(&mut length).map_err(end_or_io)?;
    let length = u32::from_le_bytes(length);
    if length > LONGEST {
        return Err(FrameError::Damaged);
    }
    let mut bytes = Vec::new();
    from.take(u64::from(length)).read_to_end(&mut bytes)?;
    if bytes.len() != length as usize {
        return Err(FrameError::End);
    }
    decode(&bytes)
}

fn end_or_io(error: std::io::Error) -> FrameError {
    match error.kind() {
        std::io::ErrorKind::UnexpectedEof => FrameError::End,
        _ => FrameError::Io(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip_and_damage() {
        let mut pipe = Vec::new();
        write_frame(&mut pipe, &("branch", 7u32)).unwrap();
        assert_eq!(read_frame::<(String, u32)>(&mut &pipe[..]).unwrap(), ("branch".to_owned(), 7));
        assert!(matches!(read_frame::<(String, u32)>(&mut &pipe[..pipe.len() - 1]), Err(FrameError::End)));
        assert!(matches!(read_frame::<u8>(&mut &[][..]), Err(FrameError::End)));
        assert!(matches!(read_frame::<u8>(&mut &[0xff; 8][..]), Err(FrameError::Damaged)));
    }
}
