//! What a target may not do to the machine: write outside its folder, reach the network, change the system,
//! signal other processes. Everything here is best effort, and the report says what holds.

use landlock::{
    ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetStatus, Scope,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch,
};
use std::collections::BTreeMap;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// What a worker is allowed.
#[derive(Clone, Copy, Debug)]
pub struct SandboxPolicy<'a> {
    /// The folder below which files can be made or changed.
    pub scratch: &'a Path,
    /// Another such folder: a `/tmp` of its own.
    pub temporary: Option<&'a Path>,
    /// Processor time of the whole worker in seconds.
    pub cpu_seconds: Option<u64>,
    /// Address space of the whole worker in bytes; the arenas alone need some 100 GiB.
    pub address_space: Option<u64>,
    /// What becomes of calls that change owners, modes, times and other attributes of files.
    pub attributes: Attributes,
}

/// Landlock does not watch attributes of files, so nobody can change them, inside the scratch folder or outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Attributes {
    /// The calls fail with `EPERM`.
    Refused,
    /// They do nothing and succeed, as in the surroundings of whole programs (`c-frontend/program/disk.c`).
    Ignored,
}

impl<'a> SandboxPolicy<'a> {
    /// Writes below `scratch` only; no limit on processor time and address space.
    #[must_use]
    pub fn new(scratch: &'a Path) -> SandboxPolicy<'a> {
        SandboxPolicy {
            scratch,
            temporary: None,
            cpu_seconds: None,
            address_space: None,
            attributes: Attributes::Refused,
        }
    }
}

/// What is enforced from now on.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SandboxReport {
    /// Files outside the scratch folder cannot be written (landlock).
    pub files: Enforced,
    /// No network, no system administration, no signals to the driver (seccomp).
    pub system_calls: Enforced,
    /// Core dumps off, file sizes and numbers of descriptors bounded.
    pub limits: Enforced,
    /// Why something is not enforced.
    pub problems: Vec<String>,
}

/// How much of a protection is in force.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Enforced {
    /// All of it.
    Fully,
    /// What this kernel knows of it.
    Partly,
    /// Nothing.
    #[default]
    No,
}

/// By system call, when it is not allowed: always if there are no rules.
type Rules = BTreeMap<i64, Vec<SeccompRule>>;

const LARGEST_FILE: u64 = 16 << 20;
const OPEN_FILES: u64 = 256;

/// System calls that no function under test needs. They fail with `EPERM`.
const DENIED: &[i64] = &[
    // The network.
    libc::SYS_socket,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    // The file system as a whole.
    libc::SYS_open_by_handle_at,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsmount,
    libc::SYS_fsconfig,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_quotactl,
    libc::SYS_acct,
    // The machine.
    libc::SYS_reboot,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    // Ways into the kernel.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_io_uring_setup,
    libc::SYS_unshare,
    libc::SYS_setns,
    // Identities.
    libc::SYS_setuid,
    libc::SYS_setgid,
    libc::SYS_setreuid,
    libc::SYS_setregid,
    libc::SYS_setresuid,
    libc::SYS_setresgid,
    libc::SYS_setfsuid,
    libc::SYS_setfsgid,
    libc::SYS_setgroups,
    libc::SYS_capset,
];

/// System calls that change attributes of files.
const ATTRIBUTES: &[i64] = &[
    libc::SYS_chmod,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_chown,
    libc::SYS_fchown,
    libc::SYS_lchown,
    libc::SYS_fchownat,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_utimensat,
    libc::SYS_futimesat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
];

/// System calls whose first argument names the process that gets a signal.
const SIGNALLING: [i64; 4] =
    [libc::SYS_kill, libc::SYS_tgkill, libc::SYS_rt_sigqueueinfo, libc::SYS_rt_tgsigqueueinfo];

/// Gives up for good what a target must not do.
#[must_use]
pub fn enter(policy: &SandboxPolicy<'_>) -> SandboxReport {
    let mut report = SandboxReport::default();
    match limit_resources(policy) {
        Ok(()) => report.limits = Enforced::Fully,
        Err(error) => report.problems.push(format!("resource limits: {error}")),
    }
    match restrict_files(policy) {
        Ok(enforced) => report.files = enforced,
        Err(error) => report.problems.push(format!("landlock: {error}")),
    }
    match restrict_system_calls(policy.attributes) {
        Ok(()) => report.system_calls = Enforced::Fully,
        Err(error) => report.problems.push(format!("seccomp: {error}")),
    }
    report
}

/// Makes the process that `command` starts see the same addresses every time.
pub fn disable_aslr(command: &mut Command) {
    // SAFETY: a plain system call between fork and exec.
    unsafe {
        command.pre_exec(|| {
            let now = libc::personality(0xffff_ffff);
            if now >= 0 {
                libc::personality(now as libc::c_ulong | libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
            }
            Ok(())
        });
    }
}

fn limit_resources(policy: &SandboxPolicy<'_>) -> io::Result<()> {
    // SAFETY: a write beyond the limit shall fail, not kill.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    limit(libc::RLIMIT_CORE, 0)?;
    limit(libc::RLIMIT_FSIZE, LARGEST_FILE)?;
    limit(libc::RLIMIT_NOFILE, OPEN_FILES)?;
    policy.cpu_seconds.map_or(Ok(()), |seconds| limit(libc::RLIMIT_CPU, seconds))?;
    policy.address_space.map_or(Ok(()), |bytes| limit(libc::RLIMIT_AS, bytes))
}

fn limit(resource: libc::__rlimit_resource_t, most: u64) -> io::Result<()> {
    // SAFETY: plain data.
    unsafe {
        let mut now: libc::rlimit = std::mem::zeroed();
        libc::getrlimit(resource, &mut now);
        let most = most.min(now.rlim_max);
        let wanted = libc::rlimit { rlim_cur: most, rlim_max: most };
        if libc::setrlimit(resource, &wanted) == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
}

fn restrict_files(policy: &SandboxPolicy<'_>) -> Result<Enforced, Box<dyn std::error::Error>> {
    let abi = ABI::V6;
    let own_tmp = policy.temporary.unwrap_or(policy.scratch);
    let change = AccessFs::WriteFile | AccessFs::Truncate;
    let status = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(abi))?
        .scope(BitFlags::from(Scope::Signal))?
        .create()?
        .add_rule(PathBeneath::new(PathFd::new("/")?, AccessFs::from_read(abi)))?
        .add_rule(PathBeneath::new(PathFd::new("/dev/null")?, change | AccessFs::ReadFile))?
        .add_rule(PathBeneath::new(PathFd::new(policy.scratch)?, AccessFs::from_all(abi)))?
        .add_rule(PathBeneath::new(PathFd::new(own_tmp)?, AccessFs::from_all(abi)))?
        .restrict_self()?;
    Ok(match status.ruleset {
        RulesetStatus::FullyEnforced => Enforced::Fully,
        RulesetStatus::PartiallyEnforced => Enforced::Partly,
        RulesetStatus::NotEnforced => Enforced::No,
    })
}

fn restrict_system_calls(attributes: Attributes) -> Result<(), seccompiler::Error> {
    let always = |calls: &[i64]| calls.iter().map(|&call| (call, Vec::new())).collect::<Rules>();
    let answer = match attributes {
        Attributes::Refused => libc::EPERM,
        Attributes::Ignored => 0,
    };
    install(always(ATTRIBUTES), answer)?;
    let mut rules = always(DENIED);
    // SAFETY: plain system calls.
    let (driver, group) = unsafe { (libc::getppid(), libc::getpgid(libc::getppid())) };
    // Everybody, the own group, and the process that started us with its group.
    let spared = [-1, 0, driver, -group.max(1)];
    for call in SIGNALLING {
        rules.insert(
            call,
            spared.iter().map(|&pid| first_argument(SeccompCmpOp::Eq, pid)).collect::<Result<_, _>>()?,
        );
    }
    install(rules, libc::EPERM)
}

/// Lets this process signal nobody but itself. For children whose function sends signals.
pub(crate) fn confine_signals() {
    // SAFETY: plain system call.
    let own = unsafe { libc::getpid() };
    let rules = SIGNALLING.iter().map(|&call| Ok((call, vec![first_argument(SeccompCmpOp::Ne, own)?])));
    // Without it the child is as free as the worker itself.
    let _ =
        rules.collect::<Result<Rules, seccompiler::Error>>().and_then(|rules| install(rules, libc::EPERM));
}

fn first_argument(op: SeccompCmpOp, pid: i32) -> Result<SeccompRule, seccompiler::Error> {
    let condition = SeccompCondition::new(0, SeccompCmpArgLen::Dword, op, u64::from(pid as u32))?;
    Ok(SeccompRule::new(vec![condition])?)
}

/// Makes these calls fail with an error, or seem to succeed if it is zero.
fn install(rules: Rules, error: libc::c_int) -> Result<(), seccompiler::Error> {
    let answer = SeccompAction::Errno(error as u32);
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, answer, TargetArch::x86_64)?;
    let program: BpfProgram = filter.try_into()?;
    seccompiler::apply_filter(&program)
}
