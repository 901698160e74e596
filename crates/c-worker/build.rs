//! Compiles the C part: what must not have Rust frames on the stack when a run is abandoned.

fn main() {
    println!("cargo::rerun-if-changed=src/shim.c");
    cc::Build::new()
        .file("src/shim.c")
        .flag("-std=gnu11")
        .flag("-fno-stack-protector")
        .opt_level(2)
        .warnings(true)
        .extra_warnings(true)
        .compile("branchwise_shim");
}
