//! Types and their members.

use thin_vec::{ThinVec, thin_vec};
use tree_sitter::Node;

use super::{Lowering, Modifiers, values};
use crate::ir::{Arg, ClassId, Declares, Expr, ExprId, Field, FunctionId, Param, Pattern, Stmt, StmtKind, TypeRef};
use crate::lower::builder::{all_children, children, field, has_token, named_type};
use crate::lower::names::{path, type_of, without_arguments};
use crate::lower::older::EXTENSION_CLASS;
use crate::lower::operators::effect;

impl Lowering<'_> {
    pub(super) fn modifiers(&mut self, node: Node<'_>) -> Modifiers {
        let mut found = Modifiers::default();
        for part in all_children(node) {
            match part.kind() {
                "attribute_list" => {
                    for attribute in children(part).into_iter().filter(|part| part.kind() == "attribute") {
                        found.decorators.push(self.attribute(attribute));
                    }
                }
                "modifier" => match self.b.text_of(part) {
                    "public" => found.public = true,
                    "static" => found.is_static = true,
                    "async" => found.is_async = true,
                    _ => {}
                },
                "block" | "parameter_list" | "declaration_list" => break,
                _ => {}
            }
        }
        found
    }

    pub(super) fn attribute(&mut self, node: Node<'_>) -> ExprId {
        let name = field(node, "name").unwrap_or(node);
        let text = without_arguments(self.b.text_of(name));
        let callee = path(&mut self.b, name, text, ".");
        let Some(list) = children(node)
            .into_iter()
            .find(|part| part.kind() == "attribute_argument_list")
        else {
            return callee;
        };
        let mut args = ThinVec::new();
        for part in children(list) {
            let name = self.field_text(part, "name");
            let value = self.last_value(part);
            args.push(Arg {
                name,
                value,
                spread: false,
            });
        }
        self.b.at(
            node,
            Expr::Call {
                callee,
                args,
                new: false,
            },
        )
    }

    /// The members of a rewritten extension block: methods of the class around it that extend the type of the receiver.
    fn extension_block(&mut self, node: Node<'_>, id: ClassId, nested: &mut ThinVec<Stmt>) {
        let list = children(node).into_iter().find(|part| part.kind() == "parameter_list");
        let mut params = list.map(|list| self.params(list)).unwrap_or_default();
        let receiver = (!params.is_empty()).then(|| params.swap_remove(0));
        let before = std::mem::replace(&mut self.extended, receiver);
        for part in children(node) {
            if part.kind() == "declaration_list" {
                self.members(part, id, nested);
            }
        }
        self.extended = before;
    }

    pub(super) fn class_declaration(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let span = self.b.span(node);
        let id = self.b.reserve_class(span);
        let modifiers = self.modifiers(node);
        let name = self.field_text(node, "name");
        let class = self.b.class_mut(id);
        class.name = name;
        class.decorators = modifiers.decorators;
        class.is_interface = matches!(node.kind(), "interface_declaration" | "delegate_declaration");
        let mut nested = ThinVec::new();
        if node.kind() == "delegate_declaration" {
            let method = self.method(node, Some(id));
            self.b.function_mut(method).name = Some("Invoke".into());
            self.b.class_mut(id).methods.push(method);
            out.push(self.b.stmt(node, StmtKind::Class(id)));
            return;
        }
        for part in children(node) {
            match part.kind() {
                "parameter_list" => self.primary_parameters(part, id),
                "base_list" => self.bases(node, part, id),
                "declaration_list" | "enum_member_declaration_list" => self.members(part, id, &mut nested),
                _ => {}
            }
        }
        out.push(self.b.stmt(node, StmtKind::Class(id)));
        out.append(&mut nested);
    }

    /// Parameters of a primary constructor are in scope everywhere in the type: fields.
    pub(super) fn primary_parameters(&mut self, list: Node<'_>, id: ClassId) {
        let span = self.b.span(list);
        for param in self.params(list) {
            let Pattern::Name(name) = param.pattern else {
                continue;
            };
            let (annotation, value, decorators) = (param.annotation, param.default, param.decorators);
            self.b.class_mut(id).fields.push(Field {
                name,
                annotation,
                value,
                decorators,
                span,
            });
        }
    }

    pub(super) fn bases(&mut self, declaration: Node<'_>, list: Node<'_>, id: ClassId) {
        for part in children(list) {
            match part.kind() {
                "argument_list" => self.base_call(declaration, part, id),
                "primary_constructor_base_type" => {
                    let base = field(part, "type").map(|of| self.type_ref(of));
                    self.b.class_mut(id).bases.extend(base);
                    if let Some(args) = children(part).into_iter().find(|part| part.kind() == "argument_list") {
                        self.base_call(declaration, args, id);
                    }
                }
                _ => {
                    let base = self.type_ref(part);
                    self.b.class_mut(id).bases.push(base);
                }
            }
        }
    }

    /// What a primary constructor hands to its base type, as a constructor of its own.
    pub(super) fn base_call(&mut self, declaration: Node<'_>, args: Node<'_>, id: ClassId) {
        let span = self.b.span(args);
        let function = self.b.reserve_function(span);
        let list = children(declaration)
            .into_iter()
            .find(|part| part.kind() == "parameter_list");
        let params = list.map(|list| self.params(list)).unwrap_or_default();
        let callee = self.b.at(args, Expr::Name("base".into()));
        let args_values = self.args(args);
        let call = self.b.at(
            args,
            Expr::Call {
                callee,
                args: args_values,
                new: false,
            },
        );
        let entry = self.b.function_mut(function);
        entry.name = Some("<init>".into());
        entry.params = params;
        entry.body = thin_vec![Stmt {
            kind: StmtKind::Expr(call),
            span,
        }];
        entry.exported = true;
        entry.class = Some(id);
        self.b.class_mut(id).methods.push(function);
    }

    /// Lowers the members of a type; nested types are pushed as statements.
    pub(super) fn members(&mut self, body: Node<'_>, id: ClassId, nested: &mut ThinVec<Stmt>) {
        for member in self.compiled(body) {
            if !self.b.enter() {
                return;
            }
            match member.kind() {
                "field_declaration" | "event_field_declaration" => self.field_declaration(member, id),
                "property_declaration" | "indexer_declaration" | "event_declaration" => {
                    self.property(member, id);
                }
                "enum_member_declaration" => {
                    let name = self.field_text(member, "name").unwrap_or_default();
                    let value = field(member, "value").map(|value| self.expr(value));
                    let decorators = self.modifiers(member).decorators;
                    let span = self.b.span(member);
                    self.b.class_mut(id).fields.push(Field {
                        name,
                        annotation: None,
                        value,
                        decorators,
                        span,
                    });
                }
                "method_declaration"
                | "constructor_declaration"
                | "operator_declaration"
                | "conversion_operator_declaration"
                | "destructor_declaration"
                | "local_function_statement" => {
                    let method = self.method(member, Some(id));
                    self.b.class_mut(id).methods.push(method);
                }
                "preproc_if" | "preproc_else" | "preproc_elif" | "ERROR" | "declaration_list" => {
                    self.members(member, id, nested);
                }
                "class_declaration" if self.field_text(member, "name").as_deref() == Some(EXTENSION_CLASS) => {
                    self.extension_block(member, id, nested);
                }
                _ => self.stmt(member, nested),
            }
            self.b.leave();
        }
    }

    pub(super) fn field_declaration(&mut self, node: Node<'_>, id: ClassId) {
        let decorators = self.modifiers(node).decorators;
        let Some(declaration) = children(node)
            .into_iter()
            .find(|part| part.kind() == "variable_declaration")
        else {
            return;
        };
        let annotation = field(declaration, "type").map(|of| self.type_ref(of));
        for declarator in children(declaration)
            .into_iter()
            .filter(|part| part.kind() == "variable_declarator")
        {
            let (target, value) = self.declarator(declarator);
            let Pattern::Name(name) = target else {
                continue;
            };
            let (annotation, decorators, span) = (annotation.clone(), decorators.clone(), self.b.span(declarator));
            self.b.class_mut(id).fields.push(Field {
                name,
                annotation,
                value,
                decorators,
                span,
            });
        }
    }

    /// A property that error recovery left outside a type.
    pub(super) fn loose_property(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let target = self.named(field(node, "name"));
        let annotation = field(node, "type").map(|of| self.type_ref(of));
        let value = field(node, "value").filter(|value| value.kind() != "arrow_expression_clause");
        let value = value.map(|value| self.expr(value));
        out.push(self.b.stmt(
            node,
            StmtKind::Assign {
                target,
                value,
                annotation: annotation.map(Box::new),
                declares: Declares::InBlock,
            },
        ));
    }

    pub(super) fn property(&mut self, node: Node<'_>, id: ClassId) {
        let modifiers = self.modifiers(node);
        let annotation = field(node, "type").map(|of| self.type_ref(of));
        let name = self.field_text(node, "name").unwrap_or_else(|| "Item".into());
        let span = self.b.span(node);
        let params = field(node, "parameters")
            .map(|list| self.params(list))
            .unwrap_or_default();
        let mut value = None;
        match field(node, "value") {
            Some(arrow) if arrow.kind() == "arrow_expression_clause" => {
                let body = self.body(arrow);
                self.accessor(
                    arrow,
                    id,
                    &format!("get_{name}"),
                    params.clone(),
                    annotation.clone(),
                    body,
                );
            }
            Some(initial) => value = Some(self.expr(initial)),
            None => {}
        }
        if node.kind() != "indexer_declaration" {
            let (annotation, decorators) = (annotation.clone(), modifiers.decorators);
            self.b.class_mut(id).fields.push(Field {
                name: name.clone(),
                annotation,
                value,
                decorators,
                span,
            });
        }
        for accessor in field(node, "accessors").map(children).unwrap_or_default() {
            let (Some(word), Some(body)) = (accessor_word(accessor), field(accessor, "body")) else {
                continue;
            };
            let body = self.body(body);
            let word = self.b.text_of(word);
            let mut params = params.clone();
            let mut returns = None;
            if word == "get" {
                returns.clone_from(&annotation);
            } else {
                let (pattern, annotation) = (Pattern::Name("value".into()), annotation.clone());
                params.push(Param {
                    pattern,
                    annotation,
                    default: None,
                    decorators: ThinVec::new(),
                    rest: false,
                });
            }
            let word = if word == "init" { "set" } else { word };
            self.accessor(accessor, id, &format!("{word}_{name}"), params, returns, body);
        }
    }

    pub(super) fn accessor(
        &mut self,
        node: Node<'_>,
        id: ClassId,
        name: &str,
        params: ThinVec<Param>,
        returns: Option<TypeRef>,
        body: ThinVec<Stmt>,
    ) {
        let span = self.b.span(node);
        let function = self.b.reserve_function(span);
        let entry = self.b.function_mut(function);
        entry.name = Some(name.into());
        entry.params = params;
        entry.returns = returns;
        entry.body = body;
        entry.class = Some(id);
        self.b.class_mut(id).methods.push(function);
    }

    /// A block, or the value after an arrow.
    pub(super) fn body(&mut self, node: Node<'_>) -> ThinVec<Stmt> {
        if node.kind() != "arrow_expression_clause" {
            return self.block(Some(node));
        }
        match values(node).last() {
            Some(value) => thin_vec![self.result(*value)],
            None => ThinVec::new(),
        }
    }

    /// The expression that is all of a body, as a statement.
    pub(super) fn result(&mut self, node: Node<'_>) -> Stmt {
        let kind = if node.kind() == "throw_expression" {
            StmtKind::Raise(Some(self.last_value(node)))
        } else {
            let value = self.expr(node);
            match effect(&mut self.b, value) {
                StmtKind::Expr(value) => StmtKind::Return(Some(value)),
                assignment => assignment,
            }
        };
        self.b.stmt(node, kind)
    }

    pub(super) fn method(&mut self, node: Node<'_>, class: Option<ClassId>) -> FunctionId {
        let span = self.b.span(node);
        let id = self.b.reserve_function(span);
        let modifiers = self.modifiers(node);
        let name = match node.kind() {
            "constructor_declaration" if modifiers.is_static => Some("<clinit>".into()),
            "constructor_declaration" => Some("<init>".into()),
            "destructor_declaration" => Some("<finalize>".into()),
            "operator_declaration" => {
                field(node, "operator").map(|operator| format!("operator {}", self.b.text_of(operator)).into())
            }
            "conversion_operator_declaration" => Some("operator".into()),
            _ => self.field_text(node, "name"),
        };
        let list = field(node, "parameters");
        let mut params = list.map(|list| self.params(list)).unwrap_or_default();
        let receiver = self
            .extended
            .clone()
            .filter(|_| class.is_some() && !modifiers.is_static);
        let extends = receiver.is_some() || list.is_some_and(|list| self.extends_its_first(list));
        if let Some(receiver) = receiver {
            params.insert(0, receiver);
        }
        let extends = params
            .first()
            .filter(|_| extends)
            .and_then(|first| first.annotation.clone());
        let returns = field(node, "returns").or_else(|| field(node, "type"));
        let returns = returns
            .and_then(|of| self.declared(of))
            .filter(|of| &*of.name != "void");
        let mut body = ThinVec::new();
        for part in children(node)
            .into_iter()
            .filter(|part| part.kind() == "constructor_initializer")
        {
            let word = if has_token(part, "base") { "base" } else { "this" };
            let callee = self.b.at(part, Expr::Name(word.into()));
            let list = children(part).into_iter().next();
            let args = list.map(|list| self.args(list)).unwrap_or_default();
            let call = self.b.at(
                part,
                Expr::Call {
                    callee,
                    args,
                    new: false,
                },
            );
            body.push(self.b.stmt(part, StmtKind::Expr(call)));
        }
        if let Some(inner) = field(node, "body") {
            body.append(&mut self.body(inner));
        }
        let in_interface = class.is_some_and(|class| self.b.module.class(class).is_interface);
        let function = self.b.function_mut(id);
        function.name = name;
        function.params = params;
        function.extends = extends;
        function.decorators = modifiers.decorators;
        function.body = body;
        function.returns = returns;
        function.is_async = modifiers.is_async;
        function.exported = modifiers.public || in_interface;
        function.class = class;
        id
    }

    /// Whether the first parameter of a list is what the method extends: `(this IChatClient client, string q)`.
    fn extends_its_first(&self, list: Node<'_>) -> bool {
        let first = children(list).into_iter().find(|part| part.kind() == "parameter");
        first.is_some_and(|first| {
            let mut parts = all_children(first).into_iter();
            parts.any(|part| part.kind() == "modifier" && self.b.text_of(part) == "this")
        })
    }

    pub(super) fn params(&mut self, list: Node<'_>) -> ThinVec<Param> {
        let mut params = ThinVec::new();
        for part in children(list).into_iter().filter(|part| part.kind() == "parameter") {
            let annotation = field(part, "type").and_then(|of| self.declared(of));
            let name = field(part, "name");
            let default = values(part).into_iter().skip_while(|child| Some(*child) != name).nth(1);
            let default = default.map(|default| self.expr(default));
            let decorators = self.modifiers(part).decorators;
            params.push(Param {
                pattern: self.named(name),
                annotation,
                default,
                decorators,
                rest: false,
            });
        }
        // `params T[] rest` has no node of its own.
        if let Some(name) = field(list, "name") {
            let annotation = field(list, "type").and_then(|of| self.declared(of));
            let pattern = self.named(Some(name));
            params.push(Param {
                pattern,
                annotation,
                default: None,
                decorators: ThinVec::new(),
                rest: true,
            });
        }
        params
    }

    pub(super) fn type_ref(&mut self, node: Node<'_>) -> TypeRef {
        if !self.b.enter() {
            return named_type("");
        }
        let result = match node.kind() {
            "nullable_type" | "pointer_type" | "ref_type" | "scoped_type" => {
                field(node, "type").map_or_else(|| named_type(""), |of| self.type_ref(of))
            }
            "array_type" => type_of(
                "[]",
                field(node, "type").map(|of| self.type_ref(of)).into_iter().collect(),
            ),
            "generic_name" => {
                let parts = children(node);
                let args = parts
                    .last()
                    .filter(|part| part.kind() == "type_argument_list")
                    .map(|list| children(*list));
                let args = args
                    .unwrap_or_default()
                    .into_iter()
                    .map(|arg| self.type_ref(arg))
                    .collect();
                TypeRef {
                    name: self.simple_name(node),
                    args,
                }
            }
            "qualified_name" => {
                let inner = field(node, "name").map_or_else(|| named_type(""), |name| self.type_ref(name));
                let outer = field(node, "qualifier").map_or("", |qualifier| self.b.text_of(qualifier));
                type_of(&format!("{}.{}", without_arguments(outer), inner.name), inner.args)
            }
            "tuple_type" => {
                let elements = children(node).into_iter().filter_map(|element| field(element, "type"));
                let args = elements.map(|of| self.type_ref(of)).collect();
                type_of("()", args)
            }
            _ => named_type(self.b.text_of(node)),
        };
        self.b.leave();
        result
    }
}

/// The word that says what an accessor does.
fn accessor_word(node: Node<'_>) -> Option<Node<'_>> {
    node.child_by_field_name("name")
}
