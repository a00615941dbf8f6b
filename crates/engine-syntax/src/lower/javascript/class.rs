//! Classes, interfaces, type aliases and enums.

use thin_vec::ThinVec;
use tree_sitter::Node;

use super::JavaScript;
use crate::ir::{ClassId, Declares, Expr, ExprId, Field, Pattern, Stmt, StmtKind, TypeRef};
use crate::lower::builder::{children, field, fields};

impl JavaScript<'_> {
    /// The decorators that stand in a node.
    pub(super) fn decorators(&mut self, node: Node<'_>) -> ThinVec<ExprId> {
        let mut found = ThinVec::new();
        for child in children(node) {
            if child.kind() == "decorator"
                && let Some(value) = child.named_child(0)
            {
                found.push(self.expr(value));
            }
        }
        found
    }

    /// A class; decorators before an `export` come from outside.
    pub(super) fn class(&mut self, node: Node<'_>, outside: &[ExprId]) -> ClassId {
        let id = self.b.reserve_class(self.b.span(node));
        let mut decorators = outside.to_vec();
        decorators.extend(self.decorators(node));
        let bases = self.bases(node);
        let name = field(node, "name").map(|name| self.b.text_of(name).into());
        let ambient = self.ambient;
        let class = self.b.class_mut(id);
        class.name = name;
        class.decorators = decorators.into();
        class.bases = bases;
        class.is_interface = ambient;
        let mut pending = ThinVec::new();
        for member in field(node, "body").map(children).unwrap_or_default() {
            match member.kind() {
                "decorator" => {
                    if let Some(value) = member.named_child(0) {
                        pending.push(self.expr(value));
                    }
                }
                "method_definition" => {
                    let mut decorators = std::mem::take(&mut pending);
                    decorators.extend(self.decorators(member));
                    // An accessor is read like a field; the mark tells it from a method.
                    let mut cursor = member.walk();
                    let getter = member.children(&mut cursor).find(|part| part.kind() == "get");
                    if let Some(getter) = getter {
                        decorators.push(self.b.at(getter, Expr::Name("get".into())));
                    }
                    let method = self.function(member, Some(id));
                    let hidden = self.is_hidden(member);
                    let function = self.b.function_mut(method);
                    function.decorators = decorators;
                    function.exported &= !hidden;
                    self.b.class_mut(id).methods.push(method);
                }
                "public_field_definition" | "field_definition" | "property_signature" => {
                    let outside = std::mem::take(&mut pending);
                    self.member_field(member, id, outside);
                }
                "class_static_block" => {
                    let method = self.function(member, Some(id));
                    self.b.function_mut(method).name = Some("static".into());
                    self.b.class_mut(id).methods.push(method);
                }
                _ => pending.clear(),
            }
        }
        id
    }

    fn is_hidden(&self, member: Node<'_>) -> bool {
        children(member).iter().any(|part| {
            part.kind() == "accessibility_modifier" && matches!(self.b.text_of(*part), "private" | "protected")
        })
    }

    fn member_field(&mut self, node: Node<'_>, class: ClassId, mut decorators: ThinVec<ExprId>) {
        let Some(name) = field(node, "name").or_else(|| field(node, "property")) else {
            return;
        };
        let name = self.key_text(name);
        decorators.extend(self.decorators(node));
        let annotation = field(node, "type").map(|kind| self.type_ref(kind));
        let value = field(node, "value").map(|value| self.expr(value));
        let span = self.b.span(node);
        self.b.class_mut(class).fields.push(Field {
            name,
            annotation,
            value,
            decorators,
            span,
        });
    }

    /// A constructor parameter that is a field too.
    pub(super) fn param_field(
        &mut self,
        node: Node<'_>,
        class: ClassId,
        name: &str,
        annotation: Option<TypeRef>,
        body: &mut ThinVec<Stmt>,
    ) {
        let span = self.b.span(node);
        let made = Field {
            name: name.into(),
            annotation,
            value: None,
            decorators: ThinVec::new(),
            span,
        };
        self.b.class_mut(class).fields.push(made);
        let object = self.b.at(node, Expr::Name("this".into()));
        let place = self.b.at(
            node,
            Expr::Member {
                object,
                name: name.into(),
            },
        );
        let value = Some(self.b.at(node, Expr::Name(name.into())));
        let kind = StmtKind::Assign {
            target: Pattern::Place(place),
            value,
            annotation: None,
            declares: Declares::Nothing,
        };
        body.push(self.b.stmt(node, kind));
    }

    fn bases(&mut self, node: Node<'_>) -> ThinVec<TypeRef> {
        let mut bases = ThinVec::new();
        for heritage in children(node)
            .into_iter()
            .filter(|child| child.kind() == "class_heritage")
        {
            for clause in children(heritage) {
                match clause.kind() {
                    "extends_clause" => {
                        let arguments = field(clause, "type_arguments").map(children).unwrap_or_default();
                        for value in fields(clause, "value") {
                            let mut base = self.base(value);
                            if base.args.is_empty() {
                                base.args = arguments.iter().map(|kind| self.type_ref(*kind)).collect();
                            }
                            bases.push(base);
                        }
                    }
                    "implements_clause" => {
                        for kind in children(clause) {
                            bases.push(self.type_ref(kind));
                        }
                    }
                    _ => bases.push(self.base(clause)),
                }
            }
        }
        bases
    }

    /// A base that is an expression; of a mixin call, what is called.
    fn base(&mut self, value: Node<'_>) -> TypeRef {
        let named = if value.kind() == "call_expression" {
            field(value, "function").unwrap_or(value)
        } else {
            value
        };
        self.type_ref(named)
    }

    /// An interface, type alias or enum.
    pub(super) fn described(&mut self, node: Node<'_>) -> ClassId {
        let id = self.b.reserve_class(self.b.span(node));
        let name = field(node, "name").map(|name| self.b.text_of(name).into());
        let is_enum = node.kind() == "enum_declaration";
        let mut bases = ThinVec::new();
        for clause in children(node)
            .into_iter()
            .filter(|child| child.kind() == "extends_type_clause")
        {
            for kind in fields(clause, "type") {
                bases.push(self.type_ref(kind));
            }
        }
        let mut body = field(node, "body");
        if let Some(value) = field(node, "value").filter(|_| node.kind() == "type_alias_declaration") {
            if value.kind() == "object_type" {
                body = Some(value);
            } else {
                bases.push(self.type_ref(value));
            }
        }
        let class = self.b.class_mut(id);
        class.name = name;
        class.bases = bases;
        class.is_interface = !is_enum;
        for member in body.map(children).unwrap_or_default() {
            match member.kind() {
                "property_signature" | "enum_assignment" => self.member_field(member, id, ThinVec::new()),
                "property_identifier" | "string" if is_enum => {
                    let name = self.key_text(member);
                    let span = self.b.span(member);
                    let made = Field {
                        name,
                        annotation: None,
                        value: None,
                        decorators: ThinVec::new(),
                        span,
                    };
                    self.b.class_mut(id).fields.push(made);
                }
                _ => {}
            }
        }
        id
    }
}
