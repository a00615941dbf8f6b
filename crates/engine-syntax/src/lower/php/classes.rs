//! Classes, interfaces, traits and enumerations.

use ecow::EcoString;
use thin_vec::{ThinVec, thin_vec};
use tree_sitter::Node;

use super::Lowering;
use crate::ir::{ClassId, Expr, ExprId, Field, Pattern, Stmt, StmtKind, TypeRef};
use crate::lower::builder::{children, field, named_type};

impl Lowering<'_> {
    pub(super) fn class_declaration(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let span = self.b.span(node);
        let id = self.b.reserve_class(span);
        let decorators = self.attributes(node);
        let name = field(node, "name").map(|name| self.text(name)).unwrap_or_default();
        self.declared.insert(name.clone());
        self.classes.push(name.clone());
        let class = self.b.class_mut(id);
        class.name = Some(name);
        class.decorators = decorators;
        class.is_interface = node.kind() == "interface_declaration";
        let mut nested = ThinVec::new();
        self.class_parts(node, id, &mut nested);
        self.classes.pop();
        out.push(self.b.stmt(node, StmtKind::Class(id)));
        out.append(&mut nested);
    }

    /// The bases and members of a class.
    pub(super) fn class_parts(&mut self, node: Node<'_>, id: ClassId, nested: &mut ThinVec<Stmt>) {
        for part in children(node) {
            match part.kind() {
                "base_clause" | "class_interface_clause" => {
                    for base in children(part) {
                        let base = self.class_name(base);
                        self.b.class_mut(id).bases.push(named_type(&base));
                    }
                }
                "declaration_list" | "enum_declaration_list" => self.members(part, id, nested),
                _ => {}
            }
        }
    }

    fn members(&mut self, body: Node<'_>, id: ClassId, nested: &mut ThinVec<Stmt>) {
        for member in children(body) {
            if !self.b.enter() {
                return;
            }
            match member.kind() {
                "method_declaration" => {
                    let method = self.function(member, Some(id));
                    self.b.class_mut(id).methods.push(method);
                }
                "property_declaration" => {
                    let annotation = field(member, "type").and_then(|of| self.declared_type(of));
                    let decorators = self.attributes(member);
                    for element in children(member) {
                        if element.kind() == "property_element"
                            && let Pattern::Name(name) = self.variable(field(element, "name"))
                        {
                            let value = field(element, "default_value").map(|value| self.expr(value));
                            self.field(element, id, name, annotation.clone(), value, decorators.clone());
                        }
                    }
                }
                "const_declaration" => {
                    for element in children(member) {
                        let parts = children(element);
                        if element.kind() == "const_element"
                            && let [name, value] = parts.as_slice()
                        {
                            let name = self.text(*name);
                            let value = self.expr(*value);
                            self.field(element, id, name, None, Some(value), ThinVec::new());
                        }
                    }
                }
                "enum_case" => {
                    let name = field(member, "name").map(|name| self.text(name)).unwrap_or_default();
                    let value = field(member, "value").map(|value| self.expr(value));
                    let of = self.classes.last().filter(|_| value.is_none()).map(|of| named_type(of));
                    self.field(member, id, name, of, value, ThinVec::new());
                }
                "use_declaration" => {
                    for used in children(member).into_iter().filter(|part| part.kind() != "use_list") {
                        let used = self.class_name(used);
                        self.b.class_mut(id).bases.push(named_type(&used));
                    }
                }
                "ERROR" => self.members(member, id, nested),
                _ => self.stmt(member, nested),
            }
            self.b.leave();
        }
    }

    fn field(
        &mut self,
        node: Node<'_>,
        id: ClassId,
        name: EcoString,
        annotation: Option<TypeRef>,
        value: Option<ExprId>,
        decorators: ThinVec<ExprId>,
    ) {
        let span = self.b.span(node);
        self.b.class_mut(id).fields.push(Field {
            name,
            annotation,
            value,
            decorators,
            span,
        });
    }

    /// The field of a promoted parameter, and the statement that fills it.
    pub(super) fn promoted(&mut self, node: Node<'_>, id: ClassId, name: &EcoString, of: Option<TypeRef>) -> Stmt {
        self.field(node, id, name.clone(), of, None, ThinVec::new());
        let object = self.b.at(node, Expr::Name("this".into()));
        let place = self.b.at(
            node,
            Expr::Member {
                object,
                name: name.clone(),
            },
        );
        let value = self.b.at(node, Expr::Name(name.clone()));
        self.assigned(node, Pattern::Place(place), Some(value))
    }

    /// Attributes before a declaration, as calls.
    pub(super) fn attributes(&mut self, node: Node<'_>) -> ThinVec<ExprId> {
        let mut out = ThinVec::new();
        let groups = field(node, "attributes").map(children).unwrap_or_default();
        for attribute in groups.into_iter().flat_map(children) {
            let Some(name) = children(attribute).into_iter().next() else {
                continue;
            };
            let name = self.class_name(name);
            let callee = self.b.at(attribute, Expr::Name(name));
            match field(attribute, "parameters") {
                Some(list) => {
                    let args = self.args(list);
                    let call = Expr::Call {
                        callee,
                        args,
                        new: false,
                    };
                    out.push(self.b.at(attribute, call));
                }
                None => out.push(callee),
            }
        }
        out
    }

    /// A class without a name.
    pub(super) fn anonymous_class(&mut self, node: Node<'_>) -> ExprId {
        let span = self.b.span(node);
        let id = self.b.reserve_class(span);
        let mut nested = ThinVec::new();
        self.class_parts(node, id, &mut nested);
        let class = self.b.at(node, Expr::Class(id));
        let list = children(node).into_iter().find(|part| part.kind() == "arguments");
        let args = list.map(|list| self.args(list)).unwrap_or_default();
        let made = self.b.at(
            node,
            Expr::Call {
                callee: class,
                args,
                new: true,
            },
        );
        if nested.is_empty() {
            return made;
        }
        let mut body = thin_vec![];
        body.append(&mut nested);
        body.push(self.b.stmt(node, StmtKind::Expr(made)));
        self.b.at(node, Expr::Block(body))
    }
}
