//! Addresses of services that code names: whoever answers there gets what is sent.

use engine_model::StatementKind;

use crate::interface::{is_remark, line_of};
use crate::patterns::pattern;
use crate::read::Out;

/// Addresses of one file that are kept.
const ADDRESSES_MAX: usize = 20;

// A host that is made for programs by its name or by the path behind it.
pattern!(
    ADDRESS,
    r#"["'`]https?://([a-z0-9.-]+\.[a-z]{2,})(?::\d+)?(/[^\s"'`]*)?["'`]"#
);
pattern!(PATH, r"/(api|v\d+|graphql|rest|inference|completions)(/|$)");

/// Reads the addresses in texts of code.
pub(crate) fn read(text: &str, out: &mut Out<'_>) {
    if !text.contains("://") {
        return;
    }
    let mut kept = 0;
    for found in ADDRESS.captures_iter(text) {
        let (Some(whole), Some(host)) = (found.get(0), found.get(1)) else {
            continue;
        };
        let path = found.get(2).map_or("", |path| path.as_str());
        let named = host.as_str().split('.').any(|label| label == "api");
        if !(named || PATH.is_match(path)) || is_remark(text, whole.start()) {
            continue;
        }
        out.say(
            StatementKind::ServiceAddress,
            line_of(text, whole.start()),
            host.as_str(),
        );
        kept += 1;
        if kept == ADDRESSES_MAX {
            return;
        }
    }
}
