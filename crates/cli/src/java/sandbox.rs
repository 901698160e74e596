//! Virtual machines run in the same sandbox as everything that is not ours.

use crate::failure::Failure;
use crate::work;
use std::ffi::OsString;
use std::path::Path;

/// What a machine may compute altogether.
const CPU_SECONDS: u64 = 24 * 3600;

/// What is put before a command to confine it. It may write to the folder that `own` stands for, and read what is kept, also if that is
/// in `/tmp`.
pub(crate) fn wrapper<'p>(
    own: &str,
    kept: impl IntoIterator<Item = &'p Path>,
) -> Result<Vec<OsString>, Failure> {
    let mut words: Vec<OsString> =
        vec![work::worker_program()?.into(), wire::CONFINED.into(), CPU_SECONDS.to_string().into()];
    words.push(own.into());
    let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned()).into_os_string();
    words.extend(kept.into_iter().map(whole));
    words.push("--".into());
    Ok(words)
}
