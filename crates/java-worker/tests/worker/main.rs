//! Scripts in a real virtual machine.

mod differential;
mod hooks;
mod hostile;
mod libraries;
mod machines;
mod runtimes;
mod support;
mod values;
