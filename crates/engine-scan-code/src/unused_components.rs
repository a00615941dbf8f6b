//! Components of web pages that no file imports: users never see their content.
//!
//! A component counts as unused only where no other file names it in an import, no framework takes it for a page by where it lies, and no
//! page or configuration names it. Whatever is not plain counts as used.

use std::collections::BTreeSet;

use engine_model::{FileInfo, Language, Zone};
use rustc_hash::FxHashMap;

use crate::CodeFacts;
use crate::modules::Texts;
use crate::project::is_script;
use crate::readings::Reading;

/// Rounds in which what only unused components bring in is found to be unused as well.
const ROUNDS_MAX: usize = 6;
/// Pages and configurations that are searched for the names of components.
const NAMING_MAX: usize = 60;
const NAMING_BYTES_MAX: u64 = 256 * 1024;

/// A component of no more bytes shows nothing yet.
const EMPTY_BYTES_MAX: u64 = 16;

/// Names under which a tool starts a file without an import.
pub(crate) const STARTED: [&str; 22] = [
    "main",
    "index",
    "app",
    "root",
    "_app",
    "_document",
    "popup",
    "options",
    "sidepanel",
    "background",
    "content",
    "contentscript",
    "preload",
    "renderer",
    "server",
    "client",
    "bootstrap",
    "entry-client",
    "entry-server",
    "entry.client",
    "entry.server",
    "custom-elements",
];

/// Beginnings of names of files that say that a framework takes pages and components by their places.
const BY_PLACE: [&str; 16] = [
    "next.config",
    "nuxt.config",
    "gatsby-config",
    "svelte.config",
    "astro.config",
    "remix.config",
    "react-router.config",
    "app.config",
    "quasar.config",
    "vike.config",
    "waku.config",
    "docusaurus.config",
    "redwood.toml",
    "expo-env.d",
    "ember-cli-build",
    "vocs.config",
];

/// Beginnings of modules of frameworks that do so without a configuration.
const BY_PLACE_MODULES: [&str; 12] = [
    "next",
    "nuxt",
    "#imports",
    "#app",
    "gatsby",
    "@remix-run/",
    "@sveltejs/kit",
    "expo-router",
    "@tanstack/react-router",
    "@tanstack/react-start",
    "virtual:",
    "~pages",
];

/// Folders in which such frameworks look.
const PLACES: [&str; 9] = [
    "pages", "app", "routes", "views", "layouts", "screens", "layout", "plugins", "content",
];

/// Texts with which a program brings in whatever lies in a folder.
const BY_FOLDER: [&str; 4] = [
    "import.meta.glob",
    "require.context",
    "importAll",
    "unplugin-vue-components",
];

/// The components of the product that nothing brings in.
pub(crate) fn components(files: &[(&FileInfo, &CodeFacts)], texts: &Texts<'_>) -> BTreeSet<String> {
    let scripts: Vec<(&FileInfo, &CodeFacts)> = files
        .iter()
        .copied()
        .filter(|(info, _)| is_script(info.language) || engine_syntax::is_component(&info.path))
        .collect();
    let by_place = files.iter().any(|(info, _)| {
        let name = name_of(&info.path);
        BY_PLACE.iter().any(|known| name.starts_with(known))
    }) || scripts.iter().any(|(_, facts)| {
        facts.imports.iter().any(|module| {
            BY_PLACE_MODULES.iter().any(|known| {
                module == known
                    || module.starts_with(known) && module[known.len()..].starts_with('/')
                    || known.ends_with(['/', ':']) && module.starts_with(known)
            })
        })
    });
    let vue_by_name = by_place
        && files
            .iter()
            .any(|(info, _)| name_of(&info.path).starts_with("nuxt.config"));
    let may_be = |info: &FileInfo| {
        let name = name_of(&info.path);
        let is_started = STARTED.contains(&stem_of(&info.path).to_ascii_lowercase().as_str())
            || name.contains(".stories.")
            || name.starts_with('+')
            || by_place && lies_in_place(&info.path);
        info.zone == Zone::Product && is_component(&info.path) && !is_started
    };
    if vue_by_name {
        return BTreeSet::new();
    }
    // What each module that is brought in is called, and by whom.
    let mut brought: FxHashMap<&str, Vec<(&str, &str)>> = FxHashMap::default();
    for (info, facts) in &scripts {
        for module in &facts.imports {
            brought.entry(stem_of(module)).or_default().push((&info.path, module));
        }
    }
    let is_brought_in = |path: &str, unused: &BTreeSet<String>| {
        let own = stem_of(path);
        brought.get(own).into_iter().flatten().any(|(from, module)| {
            *from != path
                && (module.starts_with('.') || stem_of(from) != own)
                && !unused.contains(*from)
                && leads_to(from, module, path)
        })
    };
    let mut unused: BTreeSet<String> = BTreeSet::new();
    for _ in 0..ROUNDS_MAX {
        let more: Vec<&str> = scripts
            .iter()
            .map(|(info, _)| *info)
            .filter(|info| may_be(info) && !unused.contains(&info.path) && !is_brought_in(&info.path, &unused))
            .map(|info| info.path.as_str())
            .collect();
        if more.is_empty() {
            break;
        }
        unused.extend(more.into_iter().map(str::to_owned));
    }
    // Where hardly anything is brought in by a name, another mechanism is at work. Files that are as good as empty stand for nothing.
    let written = |info: &&FileInfo| info.size > EMPTY_BYTES_MAX && is_component(&info.path);
    let components = scripts.iter().map(|(info, _)| *info).filter(written).count();
    let idle = scripts
        .iter()
        .map(|(info, _)| *info)
        .filter(written)
        .filter(|info| unused.contains(&info.path))
        .count();
    if unused.is_empty() || idle * 3 > components * 2 {
        return BTreeSet::new();
    }
    let naming = files
        .iter()
        .filter(|(info, _)| info.size <= NAMING_BYTES_MAX && (is_naming(info) || is_started(info)))
        .take(NAMING_MAX);
    for (info, _) in naming {
        if !texts.said(Reading::Folders, info).lines.is_empty() {
            return BTreeSet::new();
        }
        if is_script(info.language) {
            continue;
        }
        let named = texts.said(Reading::Components, info);
        unused.retain(|path| !named.lines.iter().any(|(_, word)| word.ends_with(name_of(path))));
    }
    // What a component that is in use after all brings in is in use as well.
    for _ in 0..ROUNDS_MAX {
        let still: BTreeSet<String> = unused
            .iter()
            .filter(|path| !is_brought_in(path, &unused))
            .cloned()
            .collect();
        if still.len() == unused.len() {
            break;
        }
        unused = still;
    }
    unused
}

/// What in a text brings in whatever lies in a folder; on which line is of no interest.
pub(crate) fn folders(text: &str) -> Vec<(u32, String)> {
    let known = BY_FOLDER.iter().filter(|known| text.contains(**known));
    known.map(|known| (0, (*known).to_owned())).collect()
}

/// The words of a text that end as the names of components do, each once; on which line is of no interest.
pub(crate) fn named_components(text: &str) -> Vec<(u32, String)> {
    const ENDINGS: [&str; 4] = [".tsx", ".jsx", ".vue", ".svelte"];
    let delimits =
        |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '/' | '\\' | '<' | '>' | '(' | ')' | ',');
    let words = ENDINGS.iter().flat_map(|ending| {
        text.match_indices(ending).map(move |(at, _)| {
            let stem = text[..at].rsplit(delimits).next().unwrap_or("");
            format!("{stem}{ending}")
        })
    });
    words
        .collect::<BTreeSet<String>>()
        .into_iter()
        .map(|word| (0, word))
        .collect()
}

/// Whether a module that one script brings in may be a file: by a relative path it is that file or none, and by a path from the root of the
/// sources one whose path ends so. Other names are only held against the name of the file.
pub(crate) fn leads_to(from: &str, module: &str, path: &str) -> bool {
    let bare = &path[..path.len() - name_of(path).len() + stem_of(path).len()];
    let wanted = &module[..module.len() - name_of(module).len() + stem_of(module).len()];
    if module.starts_with('.') {
        let mut parts: Vec<&str> = from.split('/').collect();
        parts.pop();
        for part in wanted.split('/') {
            match part {
                "." | "" => {}
                ".." => {
                    parts.pop();
                }
                part => parts.push(part),
            }
        }
        return parts.join("/") == bare;
    }
    ["@/", "~/", "src/"]
        .iter()
        .find_map(|root| wanted.strip_prefix(root))
        .is_none_or(|rest| {
            bare.strip_suffix(rest)
                .is_some_and(|before| before.is_empty() || before.ends_with('/'))
        })
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The name of a file or module without its folder and its ending.
fn stem_of(path: &str) -> &str {
    let name = name_of(path);
    [".tsx", ".jsx", ".vue", ".svelte", ".ts", ".js", ".mjs"]
        .iter()
        .find_map(|ending| name.strip_suffix(ending))
        .unwrap_or(name)
}

/// Whether a file can only be seen by way of another.
fn is_component(path: &str) -> bool {
    matches!(
        name_of(path).rsplit_once('.'),
        Some((_, "tsx" | "jsx" | "vue" | "svelte"))
    )
}

fn lies_in_place(path: &str) -> bool {
    path.split('/').rev().skip(1).any(|folder| PLACES.contains(&folder))
}

/// Whether a file may name a component that it starts: a page, the configuration of a bundler or an extension.
fn is_naming(info: &FileInfo) -> bool {
    let name = name_of(&info.path);
    (info.language == Language::Html || engine_syntax::is_page(&info.path)) && !engine_syntax::is_component(&info.path)
        || [
            "vite.config",
            "webpack.config",
            "rollup.config",
            "rspack.config",
            "craco.config",
        ]
        .iter()
        .any(|known| name.starts_with(known))
        || matches!(name, "package.json" | "manifest.json" | "angular.json" | "app.json")
}

/// Whether a file is one that starts the others.
fn is_started(info: &FileInfo) -> bool {
    is_script(info.language)
        && matches!(
            stem_of(&info.path).to_ascii_lowercase().as_str(),
            "main" | "index" | "app" | "router" | "routes"
        )
}

#[cfg(test)]
mod tests {
    use engine_model::MemoryTree;

    use super::components;
    use crate::CodeFacts;

    fn unused(files: &[(&str, &str)]) -> Vec<String> {
        let mut tree = MemoryTree::default();
        for (path, text) in files {
            tree.insert(*path, text.as_bytes().to_vec());
        }
        let read: Vec<_> = tree.files().map(|file| (file.info(), crate::read(&file))).collect();
        let files: Vec<(&engine_model::FileInfo, &CodeFacts)> =
            read.iter().map(|(info, facts)| (info, facts)).collect();
        components(&files, &crate::modules::Texts::new(&tree, None))
            .into_iter()
            .collect()
    }

    const APP: (&str, &str) = (
        "src/App.tsx",
        "import Form from './pages/Form';\nimport { Bar } from './Bar';\nexport default () => <Form/>;\n",
    );
    const PARTS: [(&str, &str); 3] = [
        ("src/main.tsx", "import App from './App';\n"),
        ("src/pages/Form.tsx", "export default () => <p>Form</p>;\n"),
        ("src/Bar.tsx", "export const Bar = () => <p>Bar</p>;\n"),
    ];
    const OLD: (&str, &str) = (
        "src/pages/Chat.tsx",
        "import Bubble from '../Bubble';\nexport default () => <Bubble/>;\n",
    );
    const BUBBLE: (&str, &str) = ("src/Bubble.tsx", "export default () => <p>AI</p>;\n");

    #[test]
    fn what_nothing_brings_in_is_unused_with_what_only_that_brings_in() {
        let mut files = vec![APP, OLD, BUBBLE];
        files.extend(PARTS);
        assert_eq!(unused(&files), ["src/Bubble.tsx", "src/pages/Chat.tsx"]);
    }

    #[test]
    fn a_component_of_the_same_name_elsewhere_is_another_one() {
        let app = (
            "src/App.tsx",
            "import Form from './pages/Form';\nimport { Bar } from './Bar';\nexport default () => <Form/>;\n",
        );
        let old = ("src/old/Bar.tsx", "export const Bar = () => <p>AI</p>;\n");
        let mut files = vec![app, old];
        files.extend(PARTS);
        assert_eq!(unused(&files), ["src/old/Bar.tsx"]);
        // By a name that an alias gives it may be either.
        files[0].1 =
            "import Form from './pages/Form';\nimport { Bar } from '#ui/Bar';\nexport default () => <Form/>;\n";
        assert!(unused(&files).is_empty());
        files[0].1 =
            "import Form from './pages/Form';\nimport { Bar } from './old/Bar';\nexport default () => <Form/>;\n";
        assert_eq!(unused(&files), ["src/Bar.tsx"]);
    }

    #[test]
    fn what_a_framework_or_a_page_may_start_is_in_use() {
        for further in [
            ("next.config.js", "module.exports = {};\n"),
            (
                "chat.html",
                "<script type=\"module\" src=\"/src/pages/Chat.tsx\"></script>",
            ),
            ("src/routes.ts", "const all = import.meta.glob('./pages/*.tsx');\n"),
            ("src/lazy.ts", "const Chat = lazy(() => import('./pages/Chat'));\n"),
        ] {
            let mut files = vec![APP, OLD, BUBBLE, further];
            files.extend(PARTS);
            assert!(unused(&files).is_empty(), "{}", further.0);
        }
    }
}
