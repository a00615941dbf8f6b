//! Linker options of the binary.

#![expect(
    clippy::disallowed_methods,
    reason = "cargo hands the target to a build script in the environment"
)]

fn main() {
    let is = |name: &str, value: &str| std::env::var(name).as_deref() == Ok(value);
    if is("CARGO_CFG_TARGET_OS", "linux") {
        // Relative relocations take 2.5 MB in their long form and 0.1 MB in this one.
        println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
    // Functions with the same code are kept once, which takes 2.5 MB less. Only LLD knows how; it is the linker of this target,
    // unless another one is asked for.
    let another = std::env::var("CARGO_ENCODED_RUSTFLAGS").is_ok_and(|flags| flags.contains("link"))
        || std::env::var_os("RUSTC_LINKER").is_some();
    let linked_by_lld = is("TARGET", "x86_64-unknown-linux-gnu") && !another;
    if linked_by_lld && is("PROFILE", "release") {
        println!("cargo:rustc-link-arg-bins=-Wl,--icf=all");
    }
    println!("cargo:rerun-if-changed=build.rs");
}
