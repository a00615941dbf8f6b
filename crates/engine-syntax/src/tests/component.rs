//! Single-file components: their scripts at the lines where they stand.

use engine_model::Language;

use crate::ir::Expr;
use crate::{is_component, lower_component};

/// Lines of the calls of a component, with the names that are called.
fn calls(text: &str) -> Vec<(u32, String)> {
    let module = lower_component(text).unwrap();
    assert_eq!(module.language, Language::TypeScript);
    (0..module.exprs.len())
        .filter_map(|at| match &module.exprs[at].kind {
            Expr::Call { callee, .. } => match module.expr(*callee) {
                Expr::Name(name) => Some((module.exprs[at].span().line, name.to_string())),
                _ => None,
            },
            _ => None,
        })
        .collect()
}

#[test]
fn scripts_stand_at_their_own_lines() {
    let svelte = "<!-- <script>no()</script> -->\n<script context=\"module\" lang=\"ts\">\n  ask<string>('x')\n</script>\n\n<p on:click={() => none()}>{shown()}</p>\n\n<script>\n  tell()\n</script>\n";
    assert_eq!(calls(svelte), [(3, "ask".to_owned()), (9, "tell".to_owned())]);
    let vue = "<template>\n  <p title=\"a > b\">{{ none() }}</p>\n</template>\n<script setup lang='ts'>\nask()\n</script>\n<style>p { width: calc(1px) }</style>\n";
    assert_eq!(calls(vue), [(5, "ask".to_owned())]);
    let astro = "---\nimport a from 'a';\nask();\n---\n<html>{none()}</html>\n<script>tell()</script>\n";
    assert_eq!(calls(astro), [(3, "ask".to_owned()), (6, "tell".to_owned())]);
}

#[test]
fn what_is_no_script_of_this_family_is_left_out() {
    for text in [
        "<p>ask()</p>\n",
        "<script lang=\"coffee\">ask()</script>\n",
        "<script type=\"application/ld+json\">{\"ask\": 1}</script>\n",
        "<scripts>ask()</scripts>\n",
        "<script src=\"a.js\" />\n<p>ask()</p>\n",
        "<script></script>\n",
    ] {
        assert_eq!(lower_component(text), None, "{text}");
    }
    // A script that nothing closes runs to the end.
    assert_eq!(calls("<script>\nask()\n"), [(2, "ask".to_owned())]);
}

#[test]
fn components_are_told_by_their_ending() {
    assert!(["a/B.vue", "b.svelte", "c.ASTRO"].into_iter().all(is_component));
    assert!(
        ["a.html", "vue", "a.vue.ts", "a.svelte.js"]
            .into_iter()
            .all(|path| !is_component(path))
    );
}
