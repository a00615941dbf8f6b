//! The macro that compresses a file into the program; `engine-embed` explains it.
#![expect(
    clippy::disallowed_methods,
    reason = "the compiler reads the files of the project, not the program"
)]

use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use proc_macro::{Literal, Span, TokenStream, TokenTree};

/// Embeds a file, deflated, as an `engine_embed::Packed`. The path is relative to the source file; parts of it are joined.
#[proc_macro]
pub fn embed(input: TokenStream) -> TokenStream {
    let mut path = String::new();
    let made = join(input, &mut path).and_then(|()| packed(&path));
    let made =
        made.unwrap_or_else(|error| format!("compile_error!({})", Literal::string(&format!("`{path}`: {error}"))));
    made.parse().unwrap_or_default()
}

/// Joins the string literals of the input.
fn join(input: TokenStream, path: &mut String) -> Result<(), String> {
    for token in input {
        match token {
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                let plain = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
                path.push_str(plain.ok_or_else(|| format!("{text} is not a plain string"))?);
            }
            // A literal that comes from another macro.
            TokenTree::Group(group) => join(group.stream(), path)?,
            other => return Err(format!("expected a string, found `{other}`")),
        }
    }
    Ok(())
}

fn packed(path: &str) -> Result<String, String> {
    let source = Span::call_site().local_file().ok_or("the source file is not known")?;
    let folder = source.parent().unwrap_or(Path::new("."));
    let file = std::path::absolute(folder.join(path)).map_err(|error| error.to_string())?;
    let bytes = std::fs::read(&file).map_err(|error| error.to_string())?;
    let mut deflated = DeflateEncoder::new(Vec::new(), Compression::best());
    let deflated = deflated
        .write_all(&bytes)
        .and_then(|()| deflated.finish())
        .map_err(|error| error.to_string())?;
    // The unused constant makes the compiler watch the file. It is not in the program.
    Ok(format!(
        "{{ const _: &[u8] = include_bytes!({}); ::engine_embed::Packed::new({}, {}) }}",
        Literal::string(&file.display().to_string()),
        Literal::byte_string(&deflated),
        bytes.len(),
    ))
}
