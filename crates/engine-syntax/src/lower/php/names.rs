//! Namespaces, `use`, and the files that a file requires.

use ecow::{EcoString, eco_format};
use thin_vec::{ThinVec, thin_vec};
use tree_sitter::Node;

use super::Lowering;
use crate::ir::{Binding, Import, Stmt, StmtKind};
use crate::lower::builder::{children, field};

/// A full name apart from its last part.
fn apart(full: &str) -> (&str, &str) {
    full.rsplit_once('\\').unwrap_or(("", full))
}

impl Lowering<'_> {
    pub(super) fn namespace(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let name: EcoString = field(node, "name").map(|name| self.text(name)).unwrap_or_default();
        if self.b.module.package.is_none() && !name.is_empty() {
            self.b.module.package = Some(name.clone());
        }
        self.namespace = name;
        if let Some(body) = field(node, "body") {
            self.stmts(body, out);
        }
    }

    pub(super) fn uses(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let parts = children(node);
        let prefix = parts
            .iter()
            .find(|part| part.kind() == "namespace_name")
            .map(|prefix| self.text(*prefix));
        let clauses = match field(node, "body") {
            Some(group) => children(group),
            None => parts,
        };
        for clause in clauses.into_iter().filter(|part| part.kind() == "namespace_use_clause") {
            let alias = field(clause, "alias");
            let Some(name) = children(clause).into_iter().find(|part| Some(*part) != alias) else {
                continue;
            };
            let name = self.b.text_of(name).trim_start_matches('\\');
            let full = match &prefix {
                Some(prefix) => eco_format!("{prefix}\\{name}"),
                None => name.into(),
            };
            let local = alias.map_or_else(|| apart(&full).1.into(), |alias| self.text(alias));
            self.bring_in(clause, local, &full, Some(out));
        }
    }

    /// Adds an import of one name.
    fn bring_in(&mut self, node: Node<'_>, local: EcoString, full: &str, out: Option<&mut ThinVec<Stmt>>) {
        let (module, item) = apart(full);
        let span = self.b.span(node);
        let index = u32::try_from(self.b.module.imports.len()).unwrap_or(u32::MAX);
        let binding = Binding {
            local: local.clone(),
            module: module.into(),
            item: Some(item.into()),
            type_only: false,
        };
        self.b.module.imports.push(Import {
            module: module.into(),
            bindings: thin_vec![binding],
            star: false,
            type_only: false,
            optional: false,
            span,
        });
        self.used.insert(local, full.into());
        if let Some(out) = out {
            let kind = StmtKind::Import(index);
            out.push(Stmt { kind, span });
        }
    }

    /// The name by which a class, a function or a constant is known in this file; a qualified one is brought in.
    pub(super) fn class_name(&mut self, node: Node<'_>) -> EcoString {
        let text: String = self.b.text_of(node).split_whitespace().collect();
        if node.kind() == "name" || !text.contains('\\') {
            return match text.to_ascii_lowercase().as_str() {
                "self" | "static" => "self".into(),
                "parent" => "super".into(),
                _ => text.into(),
            };
        }
        let full: EcoString = if let Some(full) = text.strip_prefix('\\') {
            full.into()
        } else if let Some(rest) = text.strip_prefix("namespace\\") {
            self.inside(rest)
        } else {
            let (first, rest) = text.split_once('\\').unwrap_or((&text, ""));
            match self.used.get(first) {
                Some(known) => eco_format!("{known}\\{rest}"),
                None => self.inside(&text),
            }
        };
        let last: EcoString = apart(&full).1.into();
        let local = match self.used.get(&last) {
            Some(known) if *known == full => return last,
            Some(_) => text.as_str().into(),
            None if self.declared.contains(&last) => text.as_str().into(),
            None => last,
        };
        if self.used.get(&local) != Some(&full) {
            self.bring_in(node, local.clone(), &full, None);
        }
        local
    }

    /// A name inside of the namespace around.
    fn inside(&self, rest: &str) -> EcoString {
        if self.namespace.is_empty() {
            rest.into()
        } else {
            eco_format!("{}\\{rest}", self.namespace)
        }
    }

    /// `require 'lib/llm.php'` brings in all of that file; whether the statement was one.
    pub(super) fn required(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) -> bool {
        let Some(path) = children(node).into_iter().next().and_then(|path| self.path_of(path)) else {
            return false;
        };
        let span = self.b.span(node);
        let index = u32::try_from(self.b.module.imports.len()).unwrap_or(u32::MAX);
        self.b.module.imports.push(Import {
            module: path,
            bindings: ThinVec::new(),
            star: true,
            type_only: false,
            optional: false,
            span,
        });
        let kind = StmtKind::Import(index);
        out.push(Stmt { kind, span });
        true
    }

    /// The constant end of the path of a file: `__DIR__ . '/../config.php'`, `'config.php'`, `ABSPATH . 'wp-load.php'`.
    fn path_of(&self, mut node: Node<'_>) -> Option<EcoString> {
        for _ in 0..4 {
            match node.kind() {
                "parenthesized_expression" => node = children(node).into_iter().next()?,
                "binary_expression" => node = field(node, "right")?,
                "string" | "encapsed_string" => {
                    let path = self.b.text_of(node).trim_matches(['\'', '"']).trim_start_matches('/');
                    let ends = path
                        .rsplit_once('.')
                        .is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("php"));
                    let plain = ends && !path.contains(['$', '{', '\\']);
                    return plain.then(|| eco_format!("./{}", path.trim_start_matches("./")));
                }
                _ => return None,
            }
        }
        None
    }
}
