//! Imports and exports in all the ways that the JavaScript family has.

use ecow::EcoString;
use std::collections::BTreeSet;
use thin_vec::{ThinVec, thin_vec};

use tree_sitter::Node;

use super::{JavaScript, inside};
use crate::ir::{Binding, Declares, Export, ExportSource, Expr, ExprId, Import, Pattern, Span, Stmt, StmtKind};
use crate::lower::builder::{Unknown, children, field, has_token, unescape};

impl JavaScript<'_> {
    fn source(&self, node: Node<'_>) -> Option<EcoString> {
        let source = field(node, "source")?;
        Some(unescape(inside(self.b.text_of(source)), Unknown::Dropped).into())
    }

    fn add_import(&mut self, module: &str, bindings: ThinVec<Binding>, type_only: bool, span: Span) -> u32 {
        let index = u32::try_from(self.b.module.imports.len()).unwrap_or(u32::MAX);
        let optional = self.optional;
        self.b.module.imports.push(Import {
            module: module.into(),
            bindings,
            star: false,
            type_only,
            optional,
            span,
        });
        index
    }

    /// `import …` in all its forms.
    pub(super) fn import(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let types = has_token(node, "type");
        let mut module = self.source(node);
        let mut bindings = ThinVec::new();
        let mut bind = |local: &str, item: Option<&str>, type_only: bool| {
            let (local, item) = (local.into(), item.map(Into::into));
            bindings.push(Binding {
                local,
                module: "".into(),
                item,
                type_only,
            });
        };
        for clause in children(node) {
            match clause.kind() {
                "import_require_clause" => {
                    module = self.source(clause);
                    if let Some(name) = clause.named_child(0) {
                        bind(self.b.text_of(name), None, types);
                    }
                }
                "import_clause" => {
                    for part in children(clause) {
                        match part.kind() {
                            "identifier" => bind(self.b.text_of(part), Some("default"), types),
                            "namespace_import" => {
                                if let Some(name) = part.named_child(0) {
                                    bind(self.b.text_of(name), None, types);
                                }
                            }
                            "named_imports" => {
                                for specifier in children(part) {
                                    let Some(name) = field(specifier, "name") else { continue };
                                    let local = field(specifier, "alias").unwrap_or(name);
                                    let type_only = types || has_token(specifier, "type");
                                    bind(self.b.text_of(local), Some(&self.key_text(name)), type_only);
                                }
                            }
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
        let Some(module) = module else {
            return;
        };
        for binding in &mut bindings {
            binding.module = module.clone();
        }
        let index = self.add_import(&module, bindings, types, self.b.span(node));
        self.push(node, StmtKind::Import(index), out);
    }

    /// `import A = b.c` is another name for something that is in scope.
    pub(super) fn import_alias(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let parts = children(node);
        if let [name, value] = parts[..] {
            let target = Pattern::Name(self.b.text_of(name).into());
            let mut names = self.b.text_of(value).split('.').map(str::trim);
            let first = names.next().unwrap_or("").into();
            let mut id = self.b.at(value, Expr::Name(first));
            for name in names {
                id = self.b.at(
                    value,
                    Expr::Member {
                        object: id,
                        name: name.into(),
                    },
                );
            }
            self.push(
                node,
                StmtKind::Assign {
                    target,
                    value: Some(id),
                    annotation: None,
                    declares: Declares::InBlock,
                },
                out,
            );
        }
    }

    /// Enters `const x = require("x")` and its like among the imports.
    pub(super) fn import_by_declaration(&mut self, node: Node<'_>, target: &Pattern, value: ExprId) {
        let mut item: Option<EcoString> = None;
        let mut current = value;
        let module = loop {
            match self.b.module.expr(current) {
                Expr::Import(module) => break module.clone(),
                Expr::Await(inner) => current = *inner,
                Expr::Member { object, name } if item.is_none() => {
                    item = Some(name.clone());
                    current = *object;
                }
                _ => return,
            }
        };
        let bind = |local: &str, item: Option<EcoString>| Binding {
            local: local.into(),
            module: module.clone(),
            item,
            type_only: false,
        };
        let bindings = match target {
            Pattern::Name(name) => thin_vec![bind(name, item)],
            Pattern::Object(parts) if item.is_none() => parts
                .iter()
                .filter_map(|(name, part)| match part {
                    Pattern::Name(local) if &**name == "..." => Some(bind(local, None)),
                    Pattern::Name(local) => Some(bind(local, Some(name.clone()))),
                    _ => None,
                })
                .collect(),
            _ => return,
        };
        self.add_import(&module, bindings, false, self.b.span(node));
    }

    /// `export …` in all its forms.
    pub(super) fn export(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let default = has_token(node, "default");
        let decorators = self.decorators(node);
        if let Some(declaration) = field(node, "declaration") {
            self.export_declaration(declaration, default, &decorators, out);
            return;
        }
        if let Some(value) = field(node, "value") {
            self.export_value(node, value, out);
            return;
        }
        let module = self.source(node);
        let types = has_token(node, "type");
        let mut named = false;
        for child in children(node) {
            match child.kind() {
                "export_clause" => {
                    named = true;
                    for specifier in children(child) {
                        let Some(name) = field(specifier, "name") else { continue };
                        let outside = self.key_text(field(specifier, "alias").unwrap_or(name));
                        let inner = self.key_text(name);
                        let source = match &module {
                            Some(module) => ExportSource::From {
                                module: module.clone(),
                                item: Some(inner),
                            },
                            None => ExportSource::Local(inner),
                        };
                        self.b.module.exports.push(Export { name: outside, source });
                    }
                }
                "namespace_export" => {
                    named = true;
                    if let (Some(name), Some(module)) = (child.named_child(0), &module) {
                        let source = ExportSource::From {
                            module: module.clone(),
                            item: None,
                        };
                        let name = self.key_text(name);
                        self.b.module.exports.push(Export { name, source });
                    }
                }
                "string" | "decorator" => {}
                // `export = value` of TypeScript is what `module.exports = value` is.
                _ if module.is_none() && has_token(node, "=") => {
                    self.export_value(node, child, out);
                    return;
                }
                _ => {}
            }
        }
        let Some(module) = module else {
            return;
        };
        if !named {
            let source = ExportSource::From {
                module: module.clone(),
                item: Some("*".into()),
            };
            self.b.module.exports.push(Export {
                name: "*".into(),
                source,
            });
        }
        let index = self.add_import(&module, ThinVec::new(), types, self.b.span(node));
        self.push(node, StmtKind::Import(index), out);
    }

    fn export_value(&mut self, node: Node<'_>, value: Node<'_>, out: &mut ThinVec<Stmt>) {
        let id = self.expr(value);
        self.export_as("default", id);
        if !matches!(self.b.module.expr(id), Expr::Name(_)) {
            self.push(node, StmtKind::Expr(id), out);
        }
    }

    fn export_as(&mut self, name: &str, id: ExprId) {
        let source = match self.b.module.expr(id) {
            Expr::Name(local) => ExportSource::Local(local.clone()),
            _ => ExportSource::Expr(id),
        };
        if let Expr::Function(function) = *self.b.module.expr(id) {
            self.b.function_mut(function).exported = true;
        }
        self.b.module.exports.push(Export {
            name: name.into(),
            source,
        });
    }

    fn export_declaration(&mut self, node: Node<'_>, default: bool, decorators: &[ExprId], out: &mut ThinVec<Stmt>) {
        let from = out.len();
        if !decorators.is_empty() && matches!(node.kind(), "class_declaration" | "abstract_class_declaration") {
            let class = self.class(node, decorators);
            self.push(node, StmtKind::Class(class), out);
        } else {
            self.stmt(node, out);
        }
        let mut names: Vec<EcoString> = Vec::new();
        for stmt in &out[from..] {
            match &stmt.kind {
                StmtKind::Assign {
                    target,
                    declares: Declares::InBlock | Declares::InFunction,
                    ..
                } => bound_names(target, &mut names),
                StmtKind::Function(id) => names.extend(self.b.module.function(*id).name.clone()),
                StmtKind::Class(id) => names.extend(self.b.module.class(*id).name.clone()),
                _ => {}
            }
        }
        for local in names {
            let name = if default { "default".into() } else { local.clone() };
            self.b.module.exports.push(Export {
                name,
                source: ExportSource::Local(local),
            });
        }
    }

    /// Enters `module.exports = …` and `exports.x = …` among the exports.
    pub(super) fn common_js_export(&mut self, left: Node<'_>, value: ExprId) {
        if left.kind() != "member_expression" {
            return;
        }
        let text = self.b.text_of(left);
        if text == "module.exports" {
            self.export_as("default", value);
            if let Expr::Map(entries) = self.b.module.expr(value) {
                let named: ThinVec<(EcoString, ExprId)> = entries
                    .iter()
                    .filter_map(|entry| match self.b.module.expr(entry.key?) {
                        Expr::Str(name) => Some((name.clone(), entry.value)),
                        _ => None,
                    })
                    .collect();
                for (name, value) in named {
                    self.export_as(&name, value);
                }
            }
            return;
        }
        let name = text
            .strip_prefix("module.exports.")
            .or_else(|| text.strip_prefix("exports."));
        if let Some(name) = name.filter(|name| !name.contains(['.', '(', '['])) {
            self.export_as(name, value);
        }
    }

    /// Marks the functions at the top whose names are handed out.
    pub(super) fn mark_exported(&mut self) {
        let module = &mut self.b.module;
        let names: BTreeSet<&str> = module
            .exports
            .iter()
            .filter_map(|export| match &export.source {
                ExportSource::Local(name) => Some(&**name),
                _ => None,
            })
            .collect();
        let mut marked = ThinVec::new();
        for stmt in &module.body {
            match &stmt.kind {
                StmtKind::Function(id) => {
                    let function = &module.functions[id.0 as usize];
                    if function.name.as_deref().is_some_and(|name| names.contains(name)) {
                        marked.push(*id);
                    }
                }
                StmtKind::Assign {
                    target: Pattern::Name(name),
                    value: Some(value),
                    ..
                } if names.contains(&**name) => {
                    if let Expr::Function(id) = module.exprs[value.0 as usize].kind {
                        marked.push(id);
                    }
                }
                _ => {}
            }
        }
        for id in marked {
            module.functions[id.0 as usize].exported = true;
        }
    }
}

/// The names that a pattern binds.
fn bound_names(pattern: &Pattern, names: &mut Vec<EcoString>) {
    match pattern {
        Pattern::Name(name) => names.push(name.clone()),
        Pattern::Tuple(parts) => parts.iter().for_each(|part| bound_names(part, names)),
        Pattern::Object(parts) => parts.iter().for_each(|(_, part)| bound_names(part, names)),
        Pattern::Place(_) | Pattern::Ignore => {}
    }
}
