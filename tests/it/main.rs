//! The real binary, driven over loopback.
