//! A `/tmp` of one's own, in a mount namespace: what a program makes there is in the scratch folder, and nobody
//! else's files can be changed. Where the system grants no user namespaces there is none, and `/tmp` stays closed.

use std::collections::BTreeSet;
use std::ffi::{CString, OsStr};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr;

/// Puts the new folder `tmp` of `scratch` in the place of `/tmp`. What of `/tmp` is needed to reach `kept` and
/// `scratch` remains, the first for reading only.
///
/// # Errors
/// When the system does not allow it; then `/tmp` is what it was.
pub(crate) fn replace(scratch: &Path, kept: &[PathBuf]) -> io::Result<()> {
    let own = scratch.join("tmp");
    fs::create_dir(&own)?;
    enter_namespaces()?;
    for name in needed(scratch, kept) {
        let place = own.join(name);
        fs::create_dir(&place)?;
        bind(&Path::new("/tmp").join(name), &place)?;
        make_unwritable(&place)?;
    }
    if let Ok(below) = scratch.strip_prefix("/tmp") {
        bind(scratch, &own.join(below))?;
    }
    bind(&own, Path::new("/tmp"))?;
    // The current folder still is the one below the old `/tmp`.
    std::env::set_current_dir(std::env::current_dir()?)
}

/// Names in `/tmp` that lead to these paths.
fn needed<'a>(scratch: &'a Path, kept: &'a [PathBuf]) -> BTreeSet<&'a OsStr> {
    let paths = kept.iter().map(PathBuf::as_path).chain([scratch]);
    let below = paths.filter_map(|path| path.strip_prefix("/tmp").ok());
    below.filter_map(|path| path.iter().next()).collect()
}

/// Users and groups keep their numbers.
fn enter_namespaces() -> io::Result<()> {
    // SAFETY: plain system calls; this process has one thread.
    let (user, group) = unsafe { (libc::getuid(), libc::getgid()) };
    // SAFETY: as above.
    succeed(unsafe { libc::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNS) })?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    mount(Path::new("/"), Path::new("/"), libc::MS_REC | libc::MS_PRIVATE)
}

/// With what is mounted below.
fn bind(from: &Path, to: &Path) -> io::Result<()> {
    mount(from, to, libc::MS_BIND | libc::MS_REC)
}

fn mount(from: &Path, to: &Path, flags: libc::c_ulong) -> io::Result<()> {
    let (from, to) = (CString::new(from.as_os_str().as_bytes())?, CString::new(to.as_os_str().as_bytes())?);
    // SAFETY: both are strings; the kinds of mount used here take no other arguments.
    succeed(unsafe { libc::mount(from.as_ptr(), to.as_ptr(), ptr::null(), flags, ptr::null()) })
}

fn make_unwritable(place: &Path) -> io::Result<()> {
    let path = CString::new(place.as_os_str().as_bytes())?;
    let wanted =
        libc::mount_attr { attr_set: libc::MOUNT_ATTR_RDONLY, attr_clr: 0, propagation: 0, userns_fd: 0 };
    // SAFETY: a path, and a structure of the size that is told.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            path.as_ptr(),
            libc::AT_RECURSIVE,
            &raw const wanted,
            size_of_val(&wanted),
        )
    };
    succeed(result as libc::c_int)
}

fn succeed(result: libc::c_int) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
