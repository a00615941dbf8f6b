//! One module for each kind of block.

mod bars;
mod callout;
mod code;
mod facts;
mod prose;
mod qr;
mod table;
mod timeline;
