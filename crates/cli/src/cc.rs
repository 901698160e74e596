//! `branchwise cc`.

use crate::args::CcArgs;
use crate::failure::Failure;
use c_frontend::{BuildError, bundle};
use std::process::ExitCode;

pub(crate) fn cc(args: &CcArgs) -> Result<ExitCode, Failure> {
    let code = bundle::cc(&args.arguments).map_err(BuildError::from)?;
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX)))
}
